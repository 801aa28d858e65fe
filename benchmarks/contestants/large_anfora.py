"""Large networks in anfora; `compiled` may be `jit`."""

from __future__ import annotations

import numpy as np
from data import BERT, GPT, LANGUAGE, LSTM, VIT, labels, normal

import anfora as ms
from anfora import Tensor, nn, ops
from anfora.models import gpt, resnet

__all__ = ["workloads"]


def trained(net, optimizer, x, y, compiled):
    loss_fn = nn.CrossEntropyLoss()
    net.set_train()
    gradients = ms.value_and_grad(
        lambda x, y: loss_fn(ops.reshape(net(x), (y.shape[0], -1)), y), None, optimizer.parameters
    )

    @compiled
    def step(x, y):
        loss, found = gradients(x, y)
        optimizer(found)
        return loss

    return lambda: step(x, y).item()


def images(net, batch, size, classes, compiled):
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    return trained(net, optimizer, Tensor(normal(batch, 3, size, size)), Tensor(labels(batch, classes)), compiled)


def inference(net, batch, size, compiled):
    net.set_train(False)
    net = compiled(net)
    x = Tensor(normal(batch, 3, size, size))

    def step():
        with ms.no_grad():
            return net(x)

    return step


def texts(net, batch, length, vocabulary, compiled, targets=None):
    x = Tensor(labels(batch * length, vocabulary).reshape(batch, length))
    y = Tensor(labels(batch * length, vocabulary) if targets is None else labels(batch, targets))
    return trained(net, nn.AdamWeightDecay(net.trainable_params(), 3e-4, weight_decay=0.01), x, y, compiled)


class Last(nn.Cell):
    """The class of a sequence by the last state of an LSTM."""

    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden, batch_first=True)
        self.classify = nn.Dense(hidden, classes)

    def construct(self, x):
        _, (h, _) = self.lstm(x)
        return self.classify(h[-1])


class Language(nn.Cell):
    """Embedding, LSTM, and logits of the next token at each place."""

    def __init__(self, vocabulary, width, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, 2, batch_first=True)
        self.head = nn.Dense(hidden, vocabulary)

    def construct(self, tokens):
        return self.head(self.lstm(self.embedding(tokens))[0])


class Encoder(nn.Cell):
    """A Transformer's encoder over places, and a dense layer on the first."""

    def __init__(self, width, layers, heads, hidden, classes, places, before):
        super().__init__()
        self.before = before
        self.places = ms.Parameter(normal(1, places, width) * np.float32(0.02), "places")
        self.layers = nn.CellList(
            [
                nn.TransformerEncoderLayer(
                    width, heads, hidden, 0.0, activation="gelu", batch_first=True, norm_first=True
                )
                for _ in range(layers)
            ]
        )
        self.norm = nn.LayerNorm((width,))
        self.classify = nn.Dense(width, classes)

    def construct(self, x):
        x = self.before(x) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.classify(self.norm(x[:, 0]))


class Patches(nn.Cell):
    """Squares of an image as a sequence."""

    def __init__(self, width, size):
        super().__init__()
        self.conv = nn.Conv2d(3, width, size, size, pad_mode="valid", has_bias=True)

    def construct(self, x):
        x = self.conv(x)
        return ops.transpose(ops.reshape(x, (x.shape[0], x.shape[1], -1)), (0, 2, 1))


def vit(compiled):
    size, patch, width, layers, heads = VIT
    net = Encoder(width, layers, heads, 4 * width, 1000, (size // patch) ** 2, Patches(width, patch))
    return images(net, 8, size, 1000, compiled)


def bert(compiled):
    vocabulary, length, width, layers, heads = BERT
    net = Encoder(width, layers, heads, 4 * width, 2, length, nn.Embedding(vocabulary, width))
    return texts(net, 8, length, vocabulary, compiled, 2)


def small_gpt(compiled):
    vocabulary, length, width, layers, heads = GPT
    return texts(gpt.GPT(vocabulary, length, width, layers, heads), 8, length, vocabulary, compiled)


def lstm(compiled):
    batch, length, inputs, hidden = LSTM
    net = Last(inputs, hidden, 10)
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    return trained(net, optimizer, Tensor(normal(batch, length, inputs)), Tensor(labels(batch, 10)), compiled)


def language(compiled):
    vocabulary, batch, length, width, hidden = LANGUAGE
    return texts(Language(vocabulary, width, hidden), batch, length, vocabulary, compiled)


def workloads(compiled):
    """The table of the large workloads."""
    return {
        "resnet20_train_b64": lambda: images(resnet.resnet20(), 64, 32, 10, compiled),
        "resnet18_infer_b1": lambda: inference(resnet.resnet18(), 1, 224, compiled),
        "resnet50_infer_b1": lambda: inference(resnet.resnet50(), 1, 224, compiled),
        "resnet50_train_b8": lambda: images(resnet.resnet50(), 8, 224, 1000, compiled),
        "gpt_train_b8": lambda: small_gpt(compiled),
        "vit_train_b8": lambda: vit(compiled),
        "bert_train_b8": lambda: bert(compiled),
        "lstm_train_b32": lambda: lstm(compiled),
        "language_train_b20": lambda: language(compiled),
    }
