"""Makes the files of ONNX in this folder, with torch: `python make_onnx.py` in an environment that has torch and onnx.

For each network its file, and in onnx.npz an input, what torch gives for it, and the gradient of the sum of the squares of
that to the input, where this is floating point. The first axis is free, of tokens both.
"""

from __future__ import annotations

import pathlib
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).parent


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.lstm = nn.LSTM(16, 8, batch_first=True, bidirectional=True)
        self.attention, self.norm2 = nn.MultiheadAttention(16, 2, batch_first=True), nn.LayerNorm(16)
        self.end = nn.Linear(16, 5)

    def forward(self, x):
        y = functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        n, c, h, w = y.shape
        y, _ = self.lstm(y.permute(0, 2, 1, 3).reshape(n, h, c * w))
        y = self.norm2(y + self.attention(y, y, y, need_weights=False)[0])
        y = functional.gelu(self.end(y))
        return y.mean(1), y[:, ::2].flatten(1)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 1)

    def forward(self, tokens):
        length = tokens.shape[1]
        mask = torch.triu(torch.full((length, length), float("-inf")), 1)
        return self.layers(self.embedding(tokens) * 2, mask=mask) @ self.embedding.weight.T


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.norm = nn.ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1), nn.GroupNorm(2, 4)

    def forward(self, x):
        y = self.norm(self.up(x))
        y = functional.interpolate(y, scale_factor=2, mode="bilinear")
        y = functional.interpolate(y, size=(5, 7), mode="nearest")
        z = y.clone()
        z[:, 0] = 1.5
        padded = functional.pad(z, (1, 2, 0, 1), mode="reflect")
        return (
            padded,
            torch.topk(y.flatten(1), 3)[0],
            torch.where(z > 0, z, z.new_zeros(1)),
            torch.einsum("nchw,nchw->nc", y, y),
        )


def main() -> None:
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    told = {}
    for name, net, x, axes in (
        ("layers", Layers(), torch.randn(2, 3, 8, 8), {0: "n"}),
        ("transformer", Transformer(), torch.randint(0, 20, (2, 5)), {0: "n", 1: "length"}),
        ("images", Images(), torch.randn(2, 2, 3, 4), {0: "n"}),
    ):
        net.eval()
        torch.onnx.export(
            net,
            (x,),
            HERE / f"{name}.onnx",
            dynamo=False,
            opset_version=17,
            input_names=["x"],
            dynamic_axes={"x": axes},
        )
        x = torch.cat([x, x.flip(0)[:1]])  # another number of examples than the file was made with
        if x.is_floating_point():
            x.requires_grad_()
        results = net(x)
        results = results if isinstance(results, tuple) else (results,)
        if x.is_floating_point():
            sum((y**2).sum() for y in results).backward()
            told[f"{name}.gradient"] = x.grad.numpy()
        told[f"{name}.x"] = x.detach().numpy()
        told |= {f"{name}.{i}": y.detach().numpy() for i, y in enumerate(results)}
    np.savez_compressed(HERE / "onnx.npz", **told)


if __name__ == "__main__":
    main()
