"""A language model of rotated attention and a mixture of experts."""

import math
import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(28)


def w(*s):
    return Tensor((rng.randn(*s) * 0.2).astype(np.float32))


TEXT = "the rain in spain stays mainly in the plain. " * 6
CHARS = sorted(set(TEXT))
IDS = np.array([CHARS.index(c) for c in TEXT], np.int32)
V, D, HEADS, LENGTH = len(CHARS), 16, 2, 12


class RMSNorm(nn.Cell):
    def __init__(self, d):
        super().__init__()
        self.weight = Parameter(ops.ones(d, ms.float32), name="weight")

    def construct(self, x):
        return x * ops.rsqrt(x.pow(2).mean(-1, keep_dims=True) + 1e-6) * self.weight


def rotate(x, cos, sin):
    a, b = ops.split(x, x.shape[-1] // 2, axis=-1)
    return ops.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Dense(D, 3 * D, w(3 * D, D), has_bias=False)
        self.out = nn.Dense(D, D, w(D, D), has_bias=False)
        angles = np.outer(np.arange(LENGTH), 1.0 / 100 ** (np.arange(D // HEADS // 2) / (D // HEADS // 2)))
        self.cos, self.sin = Tensor(np.cos(angles), ms.float32), Tensor(np.sin(angles), ms.float32)
        self.mask = Tensor(np.triu(np.ones((LENGTH, LENGTH)), 1).astype(bool))

    def construct(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, HEADS, D // HEADS).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, self.cos[:t], self.sin[:t]), rotate(k, self.cos[:t], self.sin[:t])
        s = ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(D // HEADS)
        s = s.masked_fill(self.mask[:t, :t], -1e9)
        return self.out(ops.matmul(ops.softmax(s, -1), v).transpose(0, 2, 1, 3).reshape(b, t, D))


class MoE(nn.Cell):
    def __init__(self, experts=3, k=2):
        super().__init__()
        self.gate = nn.Dense(D, experts, w(experts, D), has_bias=False)
        self.up = Parameter(w(experts, D, 2 * D), name="up")
        self.down = Parameter(w(experts, 2 * D, D), name="down")
        self.k = k

    def construct(self, x):
        p = ops.softmax(self.gate(x), -1)
        top, index = ops.topk(p, self.k)
        chosen = ops.one_hot(index, p.shape[-1], Tensor(1.0), Tensor(0.0))
        weight = (chosen * (top / top.sum(-1, keepdims=True)).expand_dims(-1)).sum(-2)
        h = ops.matmul(x.expand_dims(2).expand_dims(3), self.up).squeeze(3)
        h = ops.silu(h)
        y = ops.matmul(h.expand_dims(3), self.down).squeeze(3)
        balance = (p.mean((0, 1)) * (weight > 0).astype(ms.float32).mean((0, 1))).sum() * p.shape[-1]
        return (y * weight.expand_dims(-1)).sum(2), balance


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n1, self.n2, self.attention, self.moe = RMSNorm(D), RMSNorm(D), Attention(), MoE()

    def construct(self, x):
        x = x + self.attention(self.n1(x))
        y, balance = self.moe(self.n2(x))
        return x + y, balance


class LM(nn.Cell):
    def __init__(self, layers=2):
        super().__init__()
        self.table = Parameter(w(V, D), name="table")
        self.blocks = nn.CellList([Block() for _ in range(layers)])
        self.norm = RMSNorm(D)

    def construct(self, ids):
        x, total = self.table[ids], 0.0
        for block in self.blocks:
            x, balance = block(x)
            total = total + balance
        return ops.matmul(self.norm(x), self.table.T), total


net = LM()
decay = [p for p in net.trainable_params() if p.ndim > 1]
plain = [p for p in net.trainable_params() if p.ndim <= 1]
opt = nn.AdamWeightDecay(
    [{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], learning_rate=0.01
)
print(len(decay), len(plain), sum(p.size for p in net.get_parameters()))


def loss_fn(ids, target):
    logits, balance = net(ids)
    return ops.cross_entropy(logits.reshape(-1, V), target.reshape(-1)) + 0.01 * balance, balance


step = ms.value_and_grad(loss_fn, None, opt.parameters, has_aux=True)
for i in range(10):
    at = rng.randint(0, len(IDS) - LENGTH - 1, 4)
    ids = Tensor(np.stack([IDS[a : a + LENGTH] for a in at]))
    target = Tensor(np.stack([IDS[a + 1 : a + LENGTH + 1] for a in at]))
    (v, balance), g = step(ids, target)
    opt(ops.clip_by_global_norm(g, 1.0))
    if i % 3 == 0:
        print(i, f"{v.asnumpy():.4f} {float(balance):.4f}")
tokens = IDS[:4].tolist()
for _ in range(6):
    logits, _ = net(Tensor(np.array(tokens[-LENGTH:], np.int32)[None]))
    tokens.append(int(logits[0, -1].argmax()))
print(repr("".join(CHARS[t] for t in tokens)))
