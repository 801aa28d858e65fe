"""A transformer in graph mode: it learns to turn sequences round."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)
LENGTH, WORDS, WIDTH = 6, 12, 32


class PositionalEncoding(nn.Cell):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        angles = np.arange(max_len)[:, None] / np.power(10000, np.arange(0, d_model, 2)[None, :] / d_model)
        table = np.zeros((1, max_len, d_model), np.float32)
        table[0, :, 0::2], table[0, :, 1::2] = np.sin(angles), np.cos(angles)
        self.table = Tensor(table)

    def construct(self, x):
        return x + self.table[:, : x.shape[1]]


class MultiHeadAttention(nn.Cell):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads, self.d_k = heads, d_model // heads
        self.w_q, self.w_k, self.w_v = (nn.Dense(d_model, d_model) for _ in range(3))
        self.w_o = nn.Dense(d_model, d_model)
        self.softmax = nn.Softmax(axis=-1)

    def split(self, x):
        return x.view(x.shape[0], -1, self.heads, self.d_k).swapaxes(1, 2)

    def construct(self, x, mask):
        q, k, v = self.split(self.w_q(x)), self.split(self.w_k(x)), self.split(self.w_v(x))
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / self.d_k**0.5
        scores = scores.masked_fill(mask, -1e9)
        y = ops.matmul(self.softmax(scores), v).swapaxes(1, 2)
        return self.w_o(y.reshape(x.shape[0], -1, self.heads * self.d_k))


class Layer(nn.Cell):
    def __init__(self, d_model, heads):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, heads)
        self.feed = nn.SequentialCell(nn.Dense(d_model, 2 * d_model), nn.GELU(), nn.Dense(2 * d_model, d_model))
        self.norm1, self.norm2 = nn.LayerNorm((d_model,)), nn.LayerNorm((d_model,))

    def construct(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.feed(self.norm2(x))


class Transformer(nn.Cell):
    def __init__(self, words, d_model, heads, layers):
        super().__init__()
        self.embedding = nn.Embedding(words, d_model)
        self.position = PositionalEncoding(d_model)
        self.layers = nn.CellList([Layer(d_model, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm((d_model,))
        self.bias = Parameter(initializer(Normal(0.01), (words,), ms.float32), name="bias")
        self.none = Tensor(np.zeros((1, 1, LENGTH, LENGTH), bool))

    def construct(self, ids):
        x = self.position(self.embedding(ids))
        for layer in self.layers:
            x = layer(x, self.none)
        return ops.matmul(self.norm(x), self.embedding.embedding_table.T) + self.bias


net = Transformer(WORDS, WIDTH, 4, 2)
random = np.random.default_rng(0)
for parameter in net.trainable_params():  # the same start for every framework
    if parameter.ndim > 1:
        scale = 0.3 / np.sqrt(parameter.shape[-1])
        parameter.set_data(Tensor((random.standard_normal(parameter.shape) * scale).astype(np.float32)))
    elif "gamma" not in parameter.name:
        parameter.set_data(Tensor(np.zeros(parameter.shape, np.float32)))
loss_fn = nn.CrossEntropyLoss()
schedule = nn.CosineDecayLR(1e-4, 5e-3, 250)
optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=schedule, weight_decay=0.01)


def forward(ids, labels):
    logits = net(ids)
    return loss_fn(logits.reshape(-1, WORDS), labels.reshape(-1))


class TrainStep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.grad = ms.value_and_grad(forward, None, optimizer.parameters)
        self.optimizer = optimizer

    def construct(self, ids, labels):
        loss, gradients = self.grad(ids, labels)
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        self.optimizer(gradients)
        return loss


step = TrainStep()
net.set_train()
for number in range(250):
    ids = random.integers(0, WORDS, (32, LENGTH)).astype(np.int32)
    loss = step(Tensor(ids), Tensor(ids[:, ::-1].copy()))
    if number in (0, 1, 5, 20):
        print(f"{number} {float(loss.asnumpy()):.3f}")
net.set_train(False)
ids = random.integers(0, WORDS, (200, LENGTH)).astype(np.int32)
right = (net(Tensor(ids)).argmax(-1).asnumpy() == ids[:, ::-1]).mean()
print("learned:", bool(right > 0.95), mnp.arange(3).asnumpy().tolist())
