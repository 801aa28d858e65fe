"""K folds by samplers, with metrics of MindSpore's and one of the program's own."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from mindspore.train import F1, Accuracy, ConfusionMatrix, Metric, Model, Precision, Recall, rearrange_inputs

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(5)
n, k = 60, 3
x = rng.randn(n, 4).astype(np.float32)
y = (x @ np.array([[1.0, -1, 0], [0.5, 0, 1], [-1, 1, 0], [0, 0.3, -1]], np.float32)).argmax(1).astype(np.int32)


class Source:
    def __getitem__(self, i):
        return x[i], y[i]

    def __len__(self):
        return n


class Hardest(Metric):
    """The class whose rows are got right least often."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.clear()

    def clear(self):
        self._right = np.zeros(self.classes)
        self._all = np.zeros(self.classes)

    @rearrange_inputs
    def update(self, *inputs):
        p, t = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        np.add.at(self._all, t, 1)
        np.add.at(self._right, t[p.argmax(1) == t], 1)

    def eval(self):
        if not self._all.any():
            raise RuntimeError("nothing seen")
        return (self._right / np.maximum(self._all, 1)).min()


folds = np.array_split(rng.permutation(n), k)
scores = []
for i in range(k):
    held = folds[i].tolist()
    rest = np.concatenate([f for j, f in enumerate(folds) if j != i]).tolist()
    train = ds.GeneratorDataset(Source(), ["x", "y"], sampler=ds.SubsetSampler(rest)).batch(8)
    test = ds.GeneratorDataset(Source(), ["x", "y"], sampler=ds.SubsetSampler(held, num_samples=18)).batch(6)
    net = nn.SequentialCell(
        nn.Dense(4, 8, weight_init=Tensor(rng.randn(8, 4).astype(np.float32)), bias_init="zeros"),
        nn.Tanh(),
        nn.Dense(8, 3, weight_init=Tensor(rng.randn(3, 8).astype(np.float32)), bias_init="zeros"),
    )
    model = Model(
        net,
        nn.CrossEntropyLoss(label_smoothing=0.05),
        nn.Adagrad(net.trainable_params(), learning_rate=0.3),
        metrics={
            "acc": Accuracy("classification"),
            "f1": F1(),
            "hard": Hardest(3),
            "p": Precision(),
            "r": Recall(),
            "cm": ConfusionMatrix(num_classes=3),
        },
    )
    try:
        model.train(4, train, dataset_sink_mode=False)
        result = model.eval(test, dataset_sink_mode=False)
    except Exception as error:
        print("refused", type(error).__name__, str(error).splitlines()[0][:80])
        raise
    scores.append(result["acc"])
    print(i, train.get_dataset_size(), {k: np.round(v, 4).tolist() for k, v in result.items()})
print(f"{np.mean(scores):.4f} {np.std(scores):.4f}")
print(
    sorted(
        r[1].item() * 100 + 0
        for r in ds.GeneratorDataset(
            Source(), ["x", "y"], sampler=ds.SubsetRandomSampler([3, 5, 7])
        ).create_tuple_iterator(output_numpy=True)
    )
    == sorted(int(y[j]) * 100 for j in (3, 5, 7))
)
