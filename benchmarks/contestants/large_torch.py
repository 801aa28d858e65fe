"""The same large networks in PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from data import BERT, GPT, LANGUAGE, LSTM, VIT, labels, normal
from torch import nn

__all__ = ["workloads"]


class Block(nn.Module):
    """A residual block, basic or bottleneck."""

    def __init__(self, before, width, stride, wide):
        super().__init__()
        after = width * wide
        shapes = [(before, width, 1, 1), (width, width, 3, stride), (width, after, 1, 1)]
        if wide == 1:
            shapes = [(before, width, 3, stride), (width, width, 3, 1)]
        parts = []
        for i, (a, b, kernel, step) in enumerate(shapes):
            parts += [nn.Conv2d(a, b, kernel, step, kernel // 2, bias=False), nn.BatchNorm2d(b)]
            parts += [nn.ReLU(inplace=True)] if i < len(shapes) - 1 else []
        self.residual = nn.Sequential(*parts)
        self.shortcut = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        return F.relu(self.residual(x) + self.shortcut(x), inplace=True)


def resnet(counts, wide, classes, width, stem):
    layers, before = [*stem], width
    for stage, count in enumerate(counts):
        for i in range(count):
            layers.append(Block(before, width, 2 if stage and not i else 1, wide))
            before = width * wide
        width *= 2
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, classes))


def resnet20():
    return resnet([3, 3, 3], 1, 10, 16, [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()])


def large_resnet(counts, wide):
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return resnet(counts, wide, 1000, 64, stem)


class Encoder(nn.Module):
    def __init__(self, width, layers, heads, hidden, classes, places, before):
        super().__init__()
        self.before = before
        self.places = nn.Parameter(torch.randn(1, places, width) * 0.02)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, hidden, 0.0, "gelu", batch_first=True, norm_first=True)
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.classify = nn.Linear(width, classes)

    def forward(self, x):
        x = self.before(x) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.classify(self.norm(x[:, 0]))


class Patches(nn.Module):
    def __init__(self, width, size):
        super().__init__()
        self.conv = nn.Conv2d(3, width, size, size)

    def forward(self, x):
        return self.conv(x).flatten(2).transpose(1, 2)


class GPTBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.expand, self.reduce = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, kept=None):
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if kept is not None:
            keys, values, at = kept
            keys[:, :, at : at + length], values[:, :, at : at + length] = k, v
            k, v = keys[:, :, : at + length], values[:, :, : at + length]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=length > 1)
        x = x + self.project(y.transpose(1, 2).reshape(n, length, width))
        return x + self.reduce(F.gelu(self.expand(self.norm2(x)), approximate="tanh"))


class SmallGPT(nn.Module):
    def __init__(self, vocabulary, context, width, layers, heads):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(GPTBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens, cache=None, at=0):
        x = self.tokens(tokens) + self.places.weight[at : at + tokens.shape[1]]
        for i, block in enumerate(self.blocks):
            x = block(x, None if cache is None else (*cache[i], at))
        return F.linear(self.norm(x), self.tokens.weight)


class Last(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.lstm, self.classify = nn.LSTM(inputs, hidden, batch_first=True), nn.Linear(hidden, classes)

    def forward(self, x):
        return self.classify(self.lstm(x)[1][0][-1])


class Language(nn.Module):
    def __init__(self, vocabulary, width, hidden):
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(hidden, vocabulary)
        self.lstm = nn.LSTM(width, hidden, 2, batch_first=True)

    def forward(self, tokens):
        return self.head(self.lstm(self.embedding(tokens))[0])


def workloads(prepare, channels_last, compiled):
    """The table of the large workloads; `prepare` may be `torch.compile`."""

    def image(array):
        tensor = torch.from_numpy(array)
        return tensor.contiguous(memory_format=torch.channels_last) if channels_last else tensor

    def laid(net):
        return net.to(memory_format=torch.channels_last) if channels_last else net

    def trained(net, optimizer, x, y):
        forward = prepare(lambda x, y: F.cross_entropy(net(x).view(y.shape[0], -1), y))

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = forward(x, y)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    def images(net, batch, size, classes):
        net = laid(net)
        optimizer = torch.optim.SGD(net.parameters(), 0.1, 0.9, fused=not compiled)
        return trained(
            net, optimizer, image(normal(batch, 3, size, size)), torch.from_numpy(labels(batch, classes)).long()
        )

    def inference(net, batch, size):
        net = prepare(laid(net.eval()))
        x = image(normal(batch, 3, size, size))

        def step():
            with torch.no_grad():
                return net(x)

        return step

    def texts(net, batch, length, vocabulary, targets=None):
        x = torch.from_numpy(labels(batch * length, vocabulary).reshape(batch, length))
        y = torch.from_numpy(labels(batch * length, vocabulary) if targets is None else labels(batch, targets)).long()
        optimizer = torch.optim.AdamW(net.parameters(), 3e-4, weight_decay=0.01, fused=not compiled)
        return trained(net, optimizer, x, y)

    def vit():
        size, patch, width, layers, heads = VIT
        net = Encoder(width, layers, heads, 4 * width, 1000, (size // patch) ** 2, Patches(width, patch))
        return images(net, 8, size, 1000)

    def bert():
        vocabulary, length, width, layers, heads = BERT
        net = Encoder(width, layers, heads, 4 * width, 2, length, nn.Embedding(vocabulary, width))
        return texts(net, 8, length, vocabulary, 2)

    def lstm():
        batch, length, inputs, hidden = LSTM
        net = Last(inputs, hidden, 10)
        optimizer = torch.optim.Adam(net.parameters(), 1e-3, fused=not compiled)
        return trained(
            net, optimizer, torch.from_numpy(normal(batch, length, inputs)), torch.from_numpy(labels(batch, 10)).long()
        )

    def language():
        vocabulary, batch, length, width, hidden = LANGUAGE
        return texts(Language(vocabulary, width, hidden), batch, length, vocabulary)

    return {
        "resnet20_train_b64": lambda: images(resnet20(), 64, 32, 10),
        "resnet18_infer_b1": lambda: inference(large_resnet([2, 2, 2, 2], 1), 1, 224),
        "resnet50_infer_b1": lambda: inference(large_resnet([3, 4, 6, 3], 4), 1, 224),
        "resnet50_train_b8": lambda: images(large_resnet([3, 4, 6, 3], 4), 8, 224, 1000),
        "gpt_train_b8": lambda: texts(SmallGPT(*GPT), 8, GPT[1], GPT[0]),
        "vit_train_b8": vit,
        "bert_train_b8": bert,
        "lstm_train_b32": lstm,
        "language_train_b20": language,
    }
