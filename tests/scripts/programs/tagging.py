"""A bidirectional LSTM that tags words of sentences of different lengths: padding, masks, gradients over two batches."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

rng = np.random.RandomState(21)
words = 12


class Sentences:
    def __init__(self, n):
        self.rows = [rng.randint(1, words, rng.randint(2, 7)).astype(np.int32) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        tags = (np.cumsum(row) % 3).astype(np.int32)
        return row, tags, np.int32(len(row))


class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(words, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 10, num_layers=1, batch_first=True, bidirectional=True)
        self.head = nn.Dense(20, 3)

    def construct(self, x, length):
        out, _ = self.lstm(self.embed(x), None, length)
        return self.head(out)


def sequence_mask(length, max_length):
    return ops.arange(0, max_length, 1).expand_dims(0) < length.expand_dims(1)


net = Tagger()
for p in net.get_parameters():
    p.set_data(Tensor(rng.randn(*p.shape) * 0.25, ms.float32))
data = ds.GeneratorDataset(Sentences(36), ["x", "tags", "n"], shuffle=False)
data = data.padded_batch(6, pad_info={"x": ([6], 0), "tags": ([6], -1), "n": ([], 0)})


def loss_fn(x, tags, n):
    logits = net(x, n)
    mask = sequence_mask(n, x.shape[1])
    each = ops.cross_entropy(logits.reshape(-1, 3), ops.clamp(tags, min=0).reshape(-1), reduction="none").reshape(
        x.shape
    )
    return ops.masked_fill(each, ops.logical_not(mask), 0.0).sum() / n.sum()


opt = nn.Adam(net.trainable_params(), 0.02)
grad_fn = ms.value_and_grad(loss_fn, None, opt.parameters)
accumulated = [Parameter(ops.zeros_like(p), name="acc." + p.name) for p in opt.parameters]
for epoch in range(4):
    losses = []
    for i, (x, tags, n) in enumerate(data.create_tuple_iterator()):
        loss, grads = grad_fn(x, tags, n)
        for acc, g in zip(accumulated, grads):
            ops.assign_add(acc, g / 2)
        if i % 2:
            opt(tuple(accumulated))
            for acc in accumulated:
                ops.assign(acc, ops.zeros_like(acc))
        losses.append(float(loss.asnumpy()))
    print(epoch, " ".join(f"{loss:.4f}" for loss in losses))
right = total = 0
for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
    predicted = net(Tensor(row["x"]), Tensor(row["n"])).asnumpy().argmax(-1)
    keep = row["tags"] >= 0
    right += int((predicted == row["tags"])[keep].sum())
    total += int(keep.sum())
print(right > total // 3, total)
