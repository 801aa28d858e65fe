"""Metrics by themselves and one of one's own."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, train

r = np.random.RandomState(0)
p = r.rand(12, 3).astype(np.float32)
p /= p.sum(1, keepdims=True)
t = r.randint(0, 3, 12).astype(np.int32)
for m in (
    train.Accuracy("classification"),
    train.Precision(),
    train.Recall(),
    train.F1(),
    train.Fbeta(2.0),
    train.TopKCategoricalAccuracy(2),
    train.Top1CategoricalAccuracy(),
    train.Top5CategoricalAccuracy(),
    train.ConfusionMatrix(3),
    train.Perplexity(),
    train.Loss(),
    train.MAE(),
    train.MSE(),
):
    try:
        m.clear()
        if isinstance(m, train.Loss):
            m.update(Tensor(0.5, ms.float32))
        elif isinstance(m, (train.MAE, train.MSE)):
            m.update(Tensor(p), Tensor(np.eye(3, dtype=np.float32)[t]))
        elif isinstance(m, train.Top5CategoricalAccuracy):
            q = r.rand(12, 8).astype(np.float32)
            m.update(Tensor(q), Tensor(t))
        else:
            m.update(Tensor(p), Tensor(t))
        print(type(m).__name__, np.round(np.asarray(m.eval(), dtype=np.float64), 5).tolist())
    except Exception as e:
        print(type(m).__name__, "raised", type(e).__name__, str(e)[:60])
roc = train.ROC(pos_label=1)
roc.update(Tensor(np.array([0.3, 0.7, 0.2, 0.9, 0.5], np.float32)), Tensor(np.array([0, 1, 0, 1, 0], np.int32)))
fpr, tpr, th = roc.eval()
print(fpr.tolist(), tpr.tolist(), np.round(th, 3).tolist(), round(float(train.auc(fpr, tpr)), 4))
b = train.BleuScore()
b.update(
    [["the", "cat", "is", "on", "the", "mat"]],
    [[["there", "is", "a", "cat", "on", "the", "mat"], ["a", "cat", "is", "on", "the", "mat"]]],
)
print(round(b.eval(), 5))
d = train.Dice(smooth=1e-5)
d.update(Tensor(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])), Tensor(np.array([[0, 1], [1, 0], [0, 1]])))
print(round(float(d.eval()), 5))
c = train.CosineSimilarity()
c.update(np.array([[1, 3, 4, 7], [2, 4, 2, 5], [3, 1, 5, 8]]))
print(np.round(c.eval(), 4).tolist())
h = train.HausdorffDistance()
h.update(Tensor(np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]])), Tensor(np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]])), 0)
print(h.eval())
ms_ = train.MeanSurfaceDistance(symmetric=False, distance_metric="euclidean")
ms_.update(Tensor(np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]])), Tensor(np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]])), 0)
print(round(float(ms_.eval()), 4))
cm = train.ConfusionMatrixMetric(skip_channel=True, metric_name="tpr", calculation_method=False, decrease="mean")
cm.update(Tensor(np.array([[[0], [1]], [[1], [0]]])), Tensor(np.array([[[0], [1]], [[0], [1]]])))
print(cm.eval().tolist())


class Hits(train.Metric):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.clear()

    def clear(self):
        self.hits = self.n = 0

    @train.rearrange_inputs
    def update(self, *inputs):
        y_pred, y = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        self.hits += int((np.argsort(-y_pred, 1)[:, : self.k] == y[:, None]).any(1).sum())
        self.n += len(y)

    def eval(self):
        if self.n == 0:
            raise RuntimeError("no samples")
        return self.hits / self.n


m = Hits(2).set_indexes([1, 0])
m.update(Tensor(t), Tensor(p))
print(round(m.eval(), 4), m.indexes)
m.clear()
try:
    m.eval()
except RuntimeError as e:
    print(e)
print(sorted(train.names()))
f = train.get_metric_fn("precision", eval_type="classification")
print(type(f).__name__)
