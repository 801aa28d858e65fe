"""Translation by nn.Transformer: digits to their reverse, teacher forcing, then greedy decoding."""

import math

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import initializer
from mindspore.dataset import GeneratorDataset

ms.set_seed(1)
VOCAB, LENGTH, DIM = 12, 5, 16
BOS, EOS, PAD = 10, 11, 0


class Pairs:
    def __init__(self, n):
        self.rng = np.random.RandomState(4)
        self.data = [self.rng.randint(1, 10, LENGTH) for _ in range(n)]

    def __getitem__(self, i):
        src = self.data[i]
        return src.astype(np.int32), np.concatenate([[BOS], src[::-1], [EOS]]).astype(np.int32)

    def __len__(self):
        return len(self.data)


class PositionalEncoding(nn.Cell):
    def __init__(self, d_model, max_len=32):
        super().__init__()
        pe = np.zeros((max_len, d_model), np.float32)
        position = np.arange(0, max_len)[:, None]
        div = np.exp(np.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = np.sin(position * div)
        pe[:, 1::2] = np.cos(position * div)
        self.pe = Parameter(Tensor(pe), requires_grad=False, name="pe")

    def construct(self, x):
        return x + self.pe[: x.shape[1]].expand_dims(0)


class Seq2Seq(nn.Cell):
    def __init__(self):
        super().__init__()
        self.src = nn.Embedding(VOCAB, DIM)
        self.tgt = nn.Embedding(VOCAB, DIM, padding_idx=PAD)
        self.pos = PositionalEncoding(DIM)
        self.transformer = nn.Transformer(
            d_model=DIM,
            nhead=4,
            num_encoder_layers=1,
            num_decoder_layers=1,
            dim_feedforward=32,
            dropout=0.0,
            batch_first=True,
        )
        self.out = nn.Dense(DIM, VOCAB)

    def construct(self, src, tgt):
        n = tgt.shape[1]
        mask = ops.triu(ops.ones((n, n), ms.float32), 1).bool()
        h = self.transformer(
            self.pos(self.src(src) * math.sqrt(DIM)), self.pos(self.tgt(tgt) * math.sqrt(DIM)), tgt_mask=mask
        )
        return self.out(h)


net = Seq2Seq()
rng = np.random.RandomState(5)
for p in net.trainable_params():
    if p.ndim > 1:
        p.set_data(Tensor(rng.randn(*p.shape).astype(np.float32) / math.sqrt(p.shape[-1])))
    else:
        p.set_data(
            initializer("ones" if ("norm" in p.name and "weight" in p.name) or "gamma" in p.name else "zeros", p.shape)
        )
print(len(net.trainable_params()), [n for n, _ in net.parameters_and_names()][:3])
opt = nn.AdamWeightDecay(net.trainable_params(), 0.01, weight_decay=0.0)
data = GeneratorDataset(Pairs(64), ["src", "tgt"], shuffle=False).batch(32)


def forward(src, tgt):
    logits = net(src, tgt[:, :-1])
    return ops.cross_entropy(logits.reshape(-1, VOCAB), tgt[:, 1:].reshape(-1), ignore_index=PAD, label_smoothing=0.05)


step = ms.value_and_grad(forward, None, net.trainable_params())
net.set_train(True)
for epoch in range(6):
    for src, tgt in data:
        loss, grads = step(src, tgt)
        grads = ops.clip_by_global_norm(grads, 1.0)
        opt(grads)
    print(f"epoch {epoch} loss {float(loss):.3f}")
net.set_train(False)
src = Tensor(Pairs(3).data[:2], ms.int32)
tgt = ops.full((2, 1), BOS, dtype=ms.int32)
for _ in range(4):
    nxt = net(src, tgt)[:, -1].argmax(-1).astype(ms.int32)
    tgt = ops.cat((tgt, nxt.expand_dims(1)), axis=1)
print(tgt.shape, tgt[:, 0].asnumpy().tolist())
