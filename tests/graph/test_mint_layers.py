"""The layers of `mint.nn`: made inside of compiled functions, and called from outside of them, in training and not.

A layer is a program like the user's, so nothing of it is left to the interpreter, and what it reads of itself is guarded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from outcomes import bits

import anfora as ms
from anfora import Tensor, mint, nn


def numbers(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(1).uniform(-2, 2, shape).astype(np.float32))


def classes(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(1).integers(0, 2, shape).astype(np.int32))


def chances(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(1).uniform(0.1, 0.9, shape).astype(np.float32))


LINE, PLANE, SPACE = (2, 4, 6), (2, 4, 6, 6), (1, 2, 4, 4, 4)
ROWS = [numbers(3, 4)]
#: What a layer is made with, and what it is called with.
LAYERS: dict[str, tuple[tuple, list]] = {
    **dict.fromkeys(
        ("ELU", "GELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LogSigmoid", "Mish", "PReLU",
         "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softshrink", "Tanh", "Flatten", "Dropout"),
        ((), ROWS),
    ),
    **dict.fromkeys(("LogSoftmax", "Softmax"), ((1,), ROWS)),
    **dict.fromkeys(("L1Loss", "MSELoss", "SmoothL1Loss", "KLDivLoss"), ((), [numbers(3, 4), numbers(3, 4) * 2])),
    **dict.fromkeys(("BCELoss", "BCEWithLogitsLoss"), ((), [chances(3, 4), chances(3, 4) / 2])),
    **dict.fromkeys(("CrossEntropyLoss", "NLLLoss"), ((), [numbers(3, 2), classes(3)])),
    "CosineEmbeddingLoss": ((), [numbers(3, 4), numbers(3, 4) + 1, Tensor([1, -1, 1])]),
    "SoftMarginLoss": ((), [numbers(3, 4), Tensor(np.ones((3, 4), np.float32))]),
    "Threshold": ((0.5, 9.0), ROWS),
    "Linear": ((4, 3), ROWS),
    "LayerNorm": ((4,), ROWS),
    "GroupNorm": ((2, 4), [numbers(*LINE)]),
    "Embedding": ((5, 3), [classes(2, 3)]),
    "Dropout2d": ((0.5,), [numbers(*PLANE)]),
    "BatchNorm1d": ((4,), [numbers(*LINE)]),
    "BatchNorm2d": ((4,), [numbers(*PLANE)]),
    "BatchNorm3d": ((2,), [numbers(*SPACE)]),
    "Conv1d": ((4, 3, 2), [numbers(*LINE)]),
    "Conv2d": ((4, 3, 2), [numbers(*PLANE)]),
    "Conv3d": ((2, 3, 2), [numbers(*SPACE)]),
    "ConvTranspose2d": ((4, 3, 2), [numbers(*PLANE)]),
    **dict.fromkeys(("AvgPool1d", "AdaptiveAvgPool1d", "AdaptiveMaxPool1d"), ((2,), [numbers(*LINE)])),
    **dict.fromkeys(("AvgPool2d", "MaxPool2d", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d"), ((2,), [numbers(*PLANE)])),
    **dict.fromkeys(("AvgPool3d", "AdaptiveAvgPool3d"), ((2,), [numbers(*SPACE)])),
    "MaxUnpool2d": ((2,), [numbers(1, 1, 1, 1), Tensor(np.zeros((1, 1, 1, 1), np.int64))]),
    "PixelShuffle": ((2,), [numbers(*PLANE)]),
    "Unfold": ((2,), [numbers(*PLANE)]),
    "Fold": (((4, 4), 2, 1, 0, 2), [numbers(1, 8, 4)]),
    **{f"{kind}Pad1d": (((1, 2),), [numbers(*LINE)]) for kind in ("Reflection", "Replication", "Zero")},
    **{f"{kind}Pad2d": (((1, 2, 1, 0),), [numbers(*PLANE)]) for kind in ("Reflection", "Replication", "Zero")},
    **{f"{kind}Pad3d": (((1, 1, 1, 0, 1, 1),), [numbers(*SPACE)]) for kind in ("Reflection", "Replication", "Zero")},
    "ConstantPad1d": (((1, 2), 0.5), [numbers(*LINE)]),
    "ConstantPad2d": (((1, 2, 1, 0), 0.5), [numbers(*PLANE)]),
    "ConstantPad3d": (((1, 1, 1, 0, 1, 1), 0.5), [numbers(*SPACE)]),
    "Upsample": ((None, 2.0), [numbers(*PLANE)]),
    "UpsamplingNearest2d": ((None, 2.0), [numbers(*PLANE)]),
    "UpsamplingBilinear2d": ((None, 2.0), [numbers(*PLANE)]),
}  # fmt: skip


def test_the_table_has_all_layers() -> None:
    kinds = {name: getattr(mint.nn, name) for name in mint.nn.__all__}
    assert {n for n, kind in kinds.items() if isinstance(kind, type) and kind is not nn.Cell} == set(LAYERS)


@pytest.mark.parametrize("name", LAYERS)
def test_made_inside(name: str) -> None:
    kind, (given, inputs) = getattr(mint.nn, name), LAYERS[name]

    def run(jit: Any) -> list:
        ms.set_seed(1)
        function = jit(lambda *inputs: kind(*given)(*inputs))
        return [bits(function(*inputs)) for _ in range(3)]

    assert run(ms.jit(fullgraph=True)) == run(lambda function: function)


@pytest.mark.parametrize("name", LAYERS)
def test_called_from_outside(name: str) -> None:
    def run(jit: Any) -> list:
        ms.set_seed(1)
        layer, (given, inputs) = getattr(mint.nn, name), LAYERS[name]
        layer = layer(*given)
        function = jit(lambda *inputs: layer(*inputs))
        return [bits(function(*inputs)) for k in (True, False, False, True) if layer.set_train(k) is layer]

    assert run(ms.jit(fullgraph=True)) == run(lambda function: function)
