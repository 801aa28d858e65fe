"""A small BERT: tied weights, masks, groups of parameters, a schedule of one's own, checkpoints."""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import TruncatedNormal
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint, load_checkpoint, load_param_into_net

V, D, H, L = 20, 16, 4, 8


class Embeddings(nn.Cell):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(V, D, embedding_table=TruncatedNormal(0.02))
        self.position = nn.Embedding(L, D)
        self.kind = nn.Embedding(2, D)
        self.norm = nn.LayerNorm((D,), epsilon=1e-6)
        self.drop = nn.Dropout(p=0.0)
        self.places = Tensor(np.arange(L).reshape(1, -1), ms.int32)

    def construct(self, ids, kinds):
        return self.drop(self.norm(self.word(ids) + self.position(self.places) + self.kind(kinds)))


class Bert(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = Embeddings()
        layer = nn.TransformerEncoderLayer(D, H, dim_feedforward=32, dropout=0.0, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.bias = Parameter(ops.zeros(V, ms.float32), name="bias")
        self.pool = nn.Dense(D, D, activation="tanh")
        self.next = nn.Dense(D, 2)

    def construct(self, ids, kinds, mask):
        x = self.encoder(self.embed(ids, kinds), src_key_padding_mask=ops.equal(mask, 0))
        words = ops.matmul(x, self.embed.word.embedding_table.T) + self.bias
        return words, self.next(self.pool(x[:, 0]))


class Pretrain(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.ce = nn.CrossEntropyLoss(ignore_index=-1)

    def construct(self, ids, kinds, mask, labels, follows):
        words, nsp = self.net(ids, kinds, mask)
        return self.ce(words.reshape((-1, V)), labels.reshape((-1,))) + ops.cross_entropy(nsp, follows)


rng = np.random.RandomState(1)


def rows():
    for i in range(48):
        n = rng.randint(4, L + 1)
        ids = np.zeros(L, np.int32)
        ids[:n] = 3 + (np.arange(n) + i) % 10
        labels = np.full(L, -1, np.int32)
        k = rng.randint(1, n)
        labels[k], ids[k] = ids[k], 1
        kinds = (np.arange(L) > n // 2).astype(np.int32)
        yield ids, kinds, (np.arange(L) < n).astype(np.int32), labels, np.int32(i % 2)


data = ds.GeneratorDataset(list(rows()), ["ids", "kinds", "mask", "labels", "follows"], shuffle=False).batch(12)


class Schedule(nn.learning_rate_schedule.LearningRateSchedule):
    def __init__(self, top, warm, total):
        super().__init__()
        self.warm = nn.WarmUpLR(top, warm)
        self.down = nn.PolynomialDecayLR(top, 1e-5, total, 1.0)
        self.border = Tensor(warm, ms.int32)
        self.cast = ops.Cast()

    def construct(self, step):
        early = self.cast(ops.less(step, self.border), ms.float32)
        return early * self.warm(step) + (1.0 - early) * self.down(step)


net = Bert()
for p in net.get_parameters():
    if p.ndim > 1:
        p.set_data(Tensor(rng.randn(*p.shape) * 0.2, ms.float32))
    elif "gamma" in p.name:
        p.set_data(ops.ones_like(p))
    else:
        p.set_data(ops.zeros_like(p))
params = net.trainable_params()
decay = [p for p in params if "norm" not in p.name.lower() and "bias" not in p.name]
others = [p for p in params if not any(p is q for q in decay)]
print(len(params), len(decay), len(others))
opt = nn.AdamWeightDecay(
    [{"params": decay, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], Schedule(5e-3, 4, 40)
)
model = Model(Pretrain(net), optimizer=opt)
folder = sys.argv[1]
keep = ModelCheckpoint("bert", folder, CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=2))


class Print(ms.train.Callback):
    def step_end(self, run_context):
        a = run_context.original_args()
        if a.cur_step_num % 4 == 0:
            print("step", a.cur_step_num, "loss", round(float(a.net_outputs.asnumpy().mean()), 2))


model.train(5, data, callbacks=[Print(), keep])
print(sorted(f for f in os.listdir(folder) if f.endswith("ckpt")))
again = Bert()
found = load_checkpoint(os.path.join(folder, "bert-5_4.ckpt"))
names = {k[4:]: v for k, v in found.items() if k.startswith("net.")}
print(len(found), len(names), load_param_into_net(again, names if names else found))
b = next(data.create_dict_iterator(num_epochs=1))
one, two = net(b["ids"], b["kinds"], b["mask"]), again(b["ids"], b["kinds"], b["mask"])
print(np.allclose(one[0].asnumpy(), two[0].asnumpy()), one[1].shape)
print(sorted(n for n, _ in net.parameters_and_names())[:8])
