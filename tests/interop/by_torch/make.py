"""Makes the files of this folder, with torch: `python make.py` in an environment that has torch and numpy.

networks.json    of four networks the names and shapes of their weights in torch, whose numbers are those of weights.py, and
                 the logits that torch gives for the input "input" of that file
*.pt, *.pth      small files as torch writes them, of today and from before 1.6
"""

from __future__ import annotations

import collections
import json
import pathlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from weights import uniform, weight

HERE = pathlib.Path(__file__).parent


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        x = functional.relu(self.fc2(functional.relu(self.fc1(x.flatten(1)))))
        return self.fc3(x)


class Block(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = None
        if stride != 1 or inputs != width:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x)))))
        return functional.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    """With the names of torchvision."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        widths = (64, 64, 128, 256, 512)
        for i in range(1, 5):
            first = Block(widths[i - 1], widths[i], 1 if i == 1 else 2)
            setattr(self, f"layer{i}", nn.Sequential(first, Block(widths[i], widths[i], 1)))
        self.fc = nn.Linear(512, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 8, 2, batch_first=True, bidirectional=True)
        self.classify = nn.Linear(16, 3)

    def forward(self, tokens):
        _, (h, _) = self.lstm(self.embedding(tokens))
        return self.classify(torch.cat((h[-2], h[-1]), 1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.c_attn, self.c_proj = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, length, width = x.shape
        parts = self.c_attn(x).reshape(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(*parts, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(n, length, width))


class MLP(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return self.c_proj(functional.gelu(self.c_fc(x), approximate="tanh"))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(width), Attention(width, heads)
        self.ln_2, self.mlp = nn.LayerNorm(width), MLP(width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT2(nn.Module):
    """With the names of GPT-2."""

    def __init__(self):
        super().__init__()
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(32, 16), "wpe": nn.Embedding(8, 16),
                "h": nn.ModuleList([Layer(16, 4) for _ in range(2)]), "ln_f": nn.LayerNorm(16),
            }
        )  # fmt: skip
        self.lm_head = nn.Linear(16, 32, bias=False)
        self.lm_head.weight = self.transformer.wte.weight

    def forward(self, tokens):
        parts = self.transformer
        x = parts.wte(tokens) + parts.wpe(torch.arange(tokens.shape[1]))
        for layer in parts.h:
            x = layer(x)
        return self.lm_head(parts.ln_f(x))


class Attending(nn.Module):
    """The layers whose names differ, one after the other."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 8, 3, padding=1)
        self.norm = nn.GroupNorm(2, 8)
        self.act = nn.PReLU()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.gru = nn.GRU(8, 4)
        self.back = nn.ConvTranspose1d(4, 2, 3, padding=1)

    def forward(self, x):
        x = self.encoder(self.act(self.norm(self.conv(x))).transpose(1, 2))
        x, _ = self.gru(x.transpose(0, 1))
        return self.back(x.permute(1, 2, 0)).flatten(1)


def images(channels, size):
    return uniform("input", (2, channels, size, size))


def tokens(count, length):
    return ((uniform("input", (2, length)) + 1) / 2 * count).astype(np.int64)


NETWORKS = {
    "lenet": (LeNet, images(1, 32)), "resnet18": (ResNet18, images(3, 32)), "lstm": (LSTM, tokens(20, 6)),
    "gpt2": (GPT2, tokens(32, 8)), "attending": (Attending, uniform("input", (2, 3, 5))),
}  # fmt: skip


def main() -> None:
    told = {}
    for name, (network, given) in NETWORKS.items():
        net = network().eval()
        state = {key: torch.from_numpy(weight(key, tuple(x.shape))) for key, x in net.state_dict().items()}
        if name == "gpt2":
            state["lm_head.weight"] = state["transformer.wte.weight"]
        net.load_state_dict(state)
        with torch.no_grad():
            logits = net.double()(
                torch.from_numpy(given).double() if given.dtype == np.float32 else torch.from_numpy(given)
            )
        net.float()
        shapes = {key: list(x.shape) for key, x in net.state_dict().items()}
        told[name] = {"shapes": shapes, "given": list(given.shape), "logits": logits.tolist()}
        if name == "lstm":
            torch.save({"model": net.state_dict(), "epoch": 3, "rate": 0.5, "title": "by torch"}, HERE / "lstm.pt")
        if name == "gpt2":
            torch.save(net.state_dict(), HERE / "gpt2.pth", _use_new_zipfile_serialization=False)
    (HERE / "networks.json").write_text(json.dumps(told, separators=(",", ":")) + "\n")
    many = collections.OrderedDict(
        transposed=torch.arange(6.0).reshape(2, 3).T, scalar=torch.tensor(2.5, dtype=torch.float64),
        part=torch.arange(10, dtype=torch.int32)[2:8:3], empty=torch.zeros(0, 3), parameter=nn.Parameter(torch.ones(2)),
        bfloat16=torch.tensor([1.5, -2.0], dtype=torch.bfloat16), half=torch.tensor([0.5, -4.0], dtype=torch.float16),
        bools=torch.tensor([True, False]), bytes=torch.tensor([0, 255], dtype=torch.uint8),
        int8=torch.tensor([-128, 127], dtype=torch.int8), int16=torch.tensor([-2, 2], dtype=torch.int16),
        int64=torch.tensor([2**40]), uint16=torch.tensor([1, 65535], dtype=torch.uint16),
    )  # fmt: skip
    held = {"state_dict": many, "epoch": 7, "history": [0.5, {1, 2}, b"ab", torch.Size([1]), torch.float32, None]}
    torch.save(held, HERE / "many.pt")
    torch.save(held, HERE / "many.pth", _use_new_zipfile_serialization=False)
    torch.save(held, HERE / "many4.pt", pickle_protocol=4)
    torch.save([many["scalar"], {"a": many["int8"], "b": {"c": many["half"]}}], HERE / "nested.pt")
    torch.save(nn.Linear(1, 1), HERE / "module.pt")
    torch.save(torch.ones(2, dtype=torch.complex64), HERE / "complex.pt")
    torch.save(torch.ones(2, dtype=torch.complex64).conj(), HERE / "turned.pt")
    torch.jit.save(torch.jit.script(nn.ReLU()), HERE / "script.pt")


if __name__ == "__main__":
    main()
