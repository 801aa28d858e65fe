"""Wide and deep: features from a table of commas, embeddings, two optimizers for one network, a metric of one's own."""

import os
import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore import dataset as ds
from mindspore.train import ROC, Callback, Metric, Model
from mindspore.train import auc as _auc

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
rng = np.random.RandomState(4)
file = os.path.join(folder, "clicks.csv")
with open(file, "w") as out:
    for _ in range(96):
        ids = rng.randint(0, 20, 3)
        value = rng.rand(2)
        click = int((ids[0] % 3 == 0) ^ (value[0] > 0.6))
        out.write(",".join([*map(str, ids), *(f"{v:.5f}" for v in value), str(click)]) + "\n")


def data(batch):
    rows = ds.CSVDataset(
        file, column_defaults=[0, 0, 0, 0.0, 0.0, 0], column_names=["a", "b", "c", "v", "w", "label"], shuffle=False
    )
    rows = rows.map(lambda a, b, c: np.stack([a, b, c]).reshape(-1).astype(np.int32), ["a", "b", "c"], ["ids"])
    rows = rows.map(lambda v, w: np.array([v, w], np.float32).reshape(-1), ["v", "w"], ["dense"])
    rows = rows.map(lambda label: np.array(label, np.float32).reshape(1), "label")
    return rows.project(["ids", "dense", "label"]).batch(batch)


class WideDeep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.wide = Parameter(Tensor(rng.randn(20, 1) * 0.1, ms.float32), name="wide")
        self.embedding = nn.Embedding(20, 4, embedding_table=Tensor(rng.randn(20, 4) * 0.2, ms.float32))
        self.deep = nn.SequentialCell(nn.Dense(14, 8, activation="relu"), nn.Dense(8, 1))
        self.gather = ops.Gather()
        for p in self.deep.get_parameters():
            p.set_data(Tensor(rng.randn(*p.shape) * 0.3, ms.float32))

    def construct(self, ids, dense):
        wide = self.gather(self.wide, ids, 0).sum(axis=1)
        deep = self.deep(ops.cat((self.embedding(ids).reshape(ids.shape[0], -1), dense), axis=1))
        return wide + deep


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.loss = net, nn.BCEWithLogitsLoss()

    def construct(self, ids, dense, label):
        return self.loss(self.net(ids, dense), label)


class TwoOptimizers(nn.Cell):
    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network
        params = network.trainable_params()
        self.wide = ParameterTuple([p for p in params if "wide" in p.name])
        self.deep = ParameterTuple([p for p in params if "wide" not in p.name])
        self.ftrl = nn.FTRL(self.wide, learning_rate=0.1, l1=1e-6, l2=1e-6, initial_accum=1.0)
        self.adam = nn.LazyAdam(self.deep, learning_rate=0.02)
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, ids, dense, label):
        loss = self.network(ids, dense, label)
        gw = self.grad(self.network, self.wide)(ids, dense, label)
        gd = self.grad(self.network, self.deep)(ids, dense, label)
        return ops.depend(loss, (self.ftrl(gw), self.adam(gd)))


class Eval(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, ids, dense, label):
        logits = self.net(ids, dense)
        return logits, ops.sigmoid(logits), label


class Auc(Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.p, self.t = [], []

    def update(self, *inputs):
        self.p += self._convert_data(inputs[1]).flatten().tolist()
        self.t += self._convert_data(inputs[2]).flatten().tolist()

    def eval(self):
        pos = [p for p, t in zip(self.p, self.t) if t > 0.5]
        neg = [p for p, t in zip(self.p, self.t) if t <= 0.5]
        return sum((a > b) + 0.5 * (a == b) for a in pos for b in neg) / (len(pos) * len(neg))


class Watch(Callback):
    def on_train_epoch_end(self, run_context):
        args = run_context.original_args()
        if args.cur_epoch_num % 4 == 0:
            print(args.cur_epoch_num, args.cur_step_num, f"{float(args.net_outputs.asnumpy()):.4f}")


net = WideDeep()
trainer = TwoOptimizers(WithLoss(net))
trainer.set_train()
rows = data(16)
print(rows.get_dataset_size(), rows.output_shapes(), rows.get_col_names())
model = Model(trainer, eval_network=Eval(net), metrics={"auc": Auc()})
model.train(12, rows, callbacks=[Watch()], dataset_sink_mode=False)
print(f"{model.eval(rows)['auc']:.4f}")
roc = ROC(pos_label=1)
roc.update(Tensor([0.1, 0.4, 0.35, 0.8]), Tensor([0, 0, 1, 1]))
fpr, tpr, thresholds = roc.eval()
print(np.round(fpr, 3).tolist(), np.round(tpr, 3).tolist(), round(float(_auc(fpr, tpr)), 4))
