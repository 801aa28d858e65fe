"""Running the kernels of convolution and pooling on numpy arrays, for their tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import DType, as_dtype, bfloat16
from anfora.kernel import plain
from anfora.kernel.plan import Plan, Planner

TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}


def stored(values: np.ndarray, dtype: DType) -> np.ndarray:
    """The values as a buffer of this type holds them."""
    if dtype is not bfloat16:
        return values.astype(dtype.storage)
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def value(array: np.ndarray, dtype: DType) -> np.ndarray:
    """What a buffer of this type holds, as float64."""
    if dtype is not bfloat16:
        return array.astype(np.float64)
    return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def layout(array: np.ndarray, dtype: DType | None = None) -> Layout:
    return Layout(TensorType(dtype or as_dtype(array.dtype), array.shape), array.strides)


def planned(
    rule: Callable, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], dtype: DType | None = None,
    operands: Sequence[tuple[np.ndarray, str]] = (), **attributes,
) -> tuple[Plan, list[int]]:  # fmt: skip
    """The plan of a kernel rule on arrays, and the addresses for it."""
    arrays = [*inputs, *(array for array, _ in operands)]
    p = Planner(tuple(layout(a, dtype) for a in arrays), tuple(_out_layout(a, dtype) for a in outputs))
    buffers = p.operands
    if operands:
        first = len(inputs)
        attributes["operands"] = [(buffers[first + i], kind) for i, (_, kind) in enumerate(operands)]
    rule(p, *buffers[: len(inputs)], *buffers[len(arrays) :], **attributes)
    return p.finish(), [a.ctypes.data for a in (*arrays, *outputs)]


def _out_layout(array: np.ndarray, dtype: DType | None) -> Layout:
    return layout(array, None if array.dtype == np.int64 else dtype)


def run(rule: Callable, inputs: Sequence[np.ndarray], out: np.ndarray, **rest) -> np.ndarray:
    """Run a rule with one output."""
    plan, addresses = planned(rule, inputs, [out], **rest)
    assert plain.run(plan, addresses) == 0
    return out


def shuffled(plan: Plan, addresses: list[int], seed: int, grain: int | None = None) -> None:
    """Run a plan with its chunks in random order and, on demand, of another grain."""
    if grain is not None:
        plan = replace(plan, steps=tuple(replace(step, grain=grain) for step in plan.steps))
    rng = np.random.default_rng(seed)
    assert plain.run(plan, addresses, lambda chunks: rng.permutation(chunks).tolist()) == 0


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def views(array: np.ndarray) -> list[np.ndarray]:
    """The same values with other strides: gaps between rows, gaps between columns, axes exchanged, backwards."""
    n, c, h, w = array.shape
    gaps = np.zeros((n, c + 1, h + 1, w + 3), array.dtype)[:, 1:, :h, 2 : w + 2]
    columns = np.zeros((n, c, h, 2 * w), array.dtype)[..., ::2]
    exchanged = np.zeros((c, w, n, h), array.dtype).transpose(2, 0, 3, 1)
    backwards = np.zeros((n, c, h, w), array.dtype)[::-1, ::-1, ::-1]
    for view in (gaps, columns, exchanged, backwards):
        view[...] = array
    return [gaps, columns, exchanged, backwards]
