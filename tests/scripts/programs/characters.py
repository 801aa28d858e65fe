"""A character RNN: GRU, cells in steps, clipped gradients, sampling by argmax; nn.RNN and LSTMCell beside it."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

text = "hello world, hello mind, hello spore. " * 4
chars = sorted(set(text))
ids = np.array([chars.index(c) for c in text], np.int32)


class CharRNN(nn.Cell):
    def __init__(self, n, hidden=20):
        super().__init__()
        self.embed = nn.Embedding(n, 10, embedding_table="normal")
        self.gru = nn.GRU(10, hidden, num_layers=2, batch_first=True)
        self.decode = nn.Dense(hidden, n)
        self.hidden = hidden

    def construct(self, x, h):
        y, h = self.gru(self.embed(x), h)
        return self.decode(y), h

    def init_state(self, batch):
        return ops.zeros((2, batch, self.hidden), ms.float32)


net = CharRNN(len(chars))
rng = np.random.RandomState(0)
for p in net.trainable_params():
    p.set_data(Tensor(rng.uniform(-0.3, 0.3, p.shape), ms.float32))
loss_fn = nn.CrossEntropyLoss(reduction="mean")
opt = nn.RMSProp(net.trainable_params(), learning_rate=0.01)


def forward(x, y, h):
    logits, h = net(x, h)
    return loss_fn(logits.view(-1, len(chars)), y.view(-1)), h


grad_fn = ops.value_and_grad(forward, None, opt.parameters, has_aux=True)


@ms.jit
def train_step(x, y, h):
    (loss, h), grads = grad_fn(x, y, h)
    grads = ops.clip_by_value(grads, -0.5, 0.5)
    opt(grads)
    return loss, h


for epoch in range(5):
    h = net.init_state(1)
    losses = []
    for i in range(0, 100, 25):
        x, y = Tensor(ids[None, i : i + 25]), Tensor(ids[None, i + 1 : i + 26])
        loss, h = train_step(x, y, ops.stop_gradient(h))
        losses.append(loss.asnumpy())
    print(f"Epoch {epoch}: {np.mean(losses):.4f} perplexity {np.exp(np.mean(losses)):.3f}")

h = net.init_state(1)
for kind, state in ((nn.RNN(3, 4, nonlinearity="tanh"), 1), (nn.LSTM(3, 4, num_layers=2, bidirectional=True), 4)):
    for p in kind.trainable_params():
        p.set_data(Tensor(rng.uniform(-0.3, 0.3, p.shape), ms.float32))
    out, hn = kind(
        Tensor(rng.rand(5, 2, 3), ms.float32), *([] if state == 1 else [None]), seq_length=Tensor([5, 3], ms.int32)
    )
    print(out.shape, round(float(out.sum()), 4))
cell = nn.LSTMCell(3, 4)
gru = nn.GRUCell(3, 4)
for c in (cell, gru):
    for p in c.trainable_params():
        p.set_data(Tensor(rng.uniform(-0.3, 0.3, p.shape), ms.float32))
hx, cx = ops.zeros((2, 4)), ops.zeros((2, 4))
for _t in range(3):
    hx, cx = cell(Tensor(rng.rand(2, 3), ms.float32), (hx, cx))
print(hx.asnumpy().round(4).tolist())
print(gru(Tensor(rng.rand(2, 3), ms.float32), hx).asnumpy().round(4).tolist())
