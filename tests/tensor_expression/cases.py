"""The example cases of the specification, with their results and gradients in closed form, in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np


@dataclass
class Example:
    """A case, what it computes, and the gradients to all inputs that have one here.

    `forward` and each gradient get the inputs by name, and `d`, the gradient of the result.
    """

    case: dict[str, Any]
    forward: Callable
    gradients: dict[str, Callable]
    warns: bool = False

    @property
    def name(self) -> str:
        return self.case["name"]


def _case(name: str, ins: str, outs: str, text: str, grad_to: str, **more: Any) -> dict[str, Any]:
    case = {"name": name, "ins": ins.split(), "outs": outs.split(), "data_type": "float", "kernel": text, **more}
    return {**case, "grad_to": grad_to.split()} if grad_to else case


def _strided_dx(a: SimpleNamespace) -> np.ndarray:
    dx = np.zeros((3, 11), a.d.dtype)
    for p in range(5):
        dx[:, 2 * p : 2 * p + 3] += np.einsum("c,cdr->dr", a.d[:, p], a.W)
    return dx


def _dilated_dx(a: SimpleNamespace) -> np.ndarray:
    dx = np.zeros(10, a.d.dtype)
    for r in range(3):
        dx[3 * r : 3 * r + 4] += a.d * a.w[r]
    return dx


def _self_product_dx(a: SimpleNamespace) -> np.ndarray:
    dx = np.zeros(8, a.d.dtype)
    dx[2:8] += a.d * a.x[0:6]
    dx[0:6] += a.d * a.x[2:8]
    return dx


EXAMPLES = [
    Example(
        _case("x01_pointwise", "X W", "Y",
              "Y<3, 5>[i, j] = 2 * (X<3, 5>[i, j] - 1.0) / 4 - W<3, 5>[i, j] * X<3, 5>[i, j];", "X W"),
        lambda a: 2 * (a.X - 1) / 4 - a.W * a.X,
        {"X": lambda a: a.d * (0.5 - a.W), "W": lambda a: -a.d * a.X},
    ),
    Example(
        _case("x02_termwise", "b W x", "y", "y<4>[i] = b<4>[i] + W<4, 6>[i, k] * x<6>[k] - 0.5;", "b x"),
        lambda a: a.b + a.W @ a.x - 0.5,
        {"b": lambda a: a.d, "x": lambda a: a.W.T @ a.d},
    ),
    Example(
        _case("x03_group", "b W", "y", "y<4>[i] = (b<4>[i] + W<4, 6>[i, k]) * 2;", "b W"),
        lambda a: 2 * (6 * a.b + a.W.sum(1)),
        {"b": lambda a: 12 * a.d, "W": lambda a: 2 * a.d[:, None] + 0 * a.W},
        warns=True,
    ),
    Example(
        _case("x04_scalars", "s X", "L", "L<1> = s<1> * X<3, 4>[i, j] * X<3, 4>[i, j];", "s X"),
        lambda a: a.s * (a.X * a.X).sum(),
        {"s": lambda a: a.d * (a.X * a.X).sum(), "X": lambda a: 2 * a.d * a.s * a.X},
    ),
    Example(
        _case("x05_strided", "X W", "Y", "Y<2, 5>[c, p] = X<3, 11>[d, 2 * p + r] * W<2, 3, 3>[c, d, r];", "X W"),
        lambda a: np.stack([np.einsum("dr,cdr->c", a.X[:, 2 * p : 2 * p + 3], a.W) for p in range(5)], 1),
        {"X": _strided_dx,
         "W": lambda a: sum(np.einsum("c,dr->cdr", a.d[:, p], a.X[:, 2 * p : 2 * p + 3]) for p in range(5))},
    ),
    Example(
        _case("x06_padded", "x w", "y", "y<6>[i] = x<6>[i + r - 1] * w<3>[r];", "x w"),
        lambda a: np.convolve(a.x, a.w[::-1], "same"),
        {"x": lambda a: np.convolve(a.d, a.w, "same"),
         "w": lambda a: np.array([a.d[1:] @ a.x[:-1], a.d @ a.x, a.d[:-1] @ a.x[1:]])},
    ),
    Example(
        _case("x07_dilated", "x w", "y", "y<4>[i] = x<10>[i + 3 * r] * w<3>[r];", "x"),
        lambda a: sum(a.x[3 * r : 3 * r + 4] * a.w[r] for r in range(3)),
        {"x": _dilated_dx},
    ),
    Example(
        _case("x08_regroup", "X", "Y", "Y<2, 6>[i, j] = X<3, 4>[(i * 6 + j) // 4, (i * 6 + j) % 4];", "X"),
        lambda a: a.X.reshape(2, 6),
        {"X": lambda a: a.d.reshape(3, 4)},
    ),
    Example(
        _case("x09_circular", "x", "y", "y<7>[i] = x<7>[(i + 3) % 7] + x<7>[(i - 2) % 7];", "x"),
        lambda a: np.roll(a.x, -3) + np.roll(a.x, 2),
        {"x": lambda a: np.roll(a.d, 3) + np.roll(a.d, -2)},
    ),
    Example(
        _case("x10_diagonal", "X", "y", "y<5>[i] = X<5, 5>[i, i] * 2.0;", "X"),
        lambda a: 2 * np.diag(a.X),
        {"X": lambda a: np.diag(2 * a.d)},
    ),
    Example(
        _case("x11_two_statements", "X W c", "Y",
              "T<4, 5>[i, j] = X<4, 3>[i, k] * W<3, 5>[k, j]; "
              "Y<4, 5>[i, j] = T<4, 5>[i, j] * T<4, 5>[i, j] + c<5>[j];", "X W c", temps=["T"]),
        lambda a: (a.X @ a.W) ** 2 + a.c,
        {"X": lambda a: 2 * a.d * (a.X @ a.W) @ a.W.T, "W": lambda a: a.X.T @ (2 * a.d * (a.X @ a.W)),
         "c": lambda a: a.d.sum(0)},
    ),
    Example(
        _case("x12_old_values", "A B", "A",
              "A<4>[i] = A<4>[i] * 0.5 + B<4>[i]; A<4>[i] = A<4>[i] + A<4>[3 - i];", "B"),
        lambda a: (0.5 * a.A + a.B) + (0.5 * a.A + a.B)[::-1],
        {"B": lambda a: a.d + a.d[::-1]},
    ),
    Example(
        _case("x13_self_product", "x", "y", "y<6>[i] = x<8>[i + 2] * x<8>[i];", "x"),
        lambda a: a.x[2:8] * a.x[0:6],
        {"x": _self_product_dx},
    ),
    Example(
        _case("x14_pool", "X", "Y", "Y<3, 3>[p, q] = X<6, 6>[2 * p + r, 2 * q + s] * 0.25;", "X",
              ranges={"r": 2, "s": 2}),
        lambda a: a.X.reshape(3, 2, 3, 2).mean((1, 3)),
        {"X": lambda a: np.kron(a.d, np.full((2, 2), 0.25, a.d.dtype))},
    ),
    Example(
        _case("x15_quotient", "A B", "Y", "Y<4, 3>[i, j] = A<4>[i] / B<3>[j];", "A B"),
        lambda a: a.A[:, None] / a.B,
        {"A": lambda a: (a.d / a.B).sum(1), "B": lambda a: -(a.d * a.A[:, None] / a.B**2).sum(0)},
    ),
    # Beyond the specification's: values with functions, ties, choices, floored division; initial values of an in-out.
    Example(
        _case("functions", "x y", "z",
              "z<6>[i] = exp(-x<6>[i]) * log(y<6>[i]) + sqrt(y<6>[i]) * tanh(x<6>[i]) - abs(x<6>[i] - 1.0) / 3;", "x y"),
        lambda a: np.exp(-a.x) * np.log(a.y) + np.sqrt(a.y) * np.tanh(a.x) - abs(a.x - 1) / 3,
        {"x": lambda a: a.d * (-np.exp(-a.x) * np.log(a.y) + np.sqrt(a.y) * (1 - np.tanh(a.x) ** 2)
                               - np.sign(a.x - 1) / 3),
         "y": lambda a: a.d * (np.exp(-a.x) / a.y + np.tanh(a.x) / (2 * np.sqrt(a.y)))},
    ),
    Example(
        _case("choices", "x y", "z",
              "z<6>[i] = max(x<6>[i], y<6>[i]) * min(x<6>[i], 1.1) + select(x<6>[i] < y<6>[i], 2 * x<6>[i], y<6>[i]);",
              "x y"),
        lambda a: np.maximum(a.x, a.y) * np.minimum(a.x, np.array(1.1, a.x.dtype)) + np.where(a.x < a.y, 2 * a.x, a.y),
        {"x": lambda a: a.d * ((a.x > a.y) * np.minimum(a.x, np.array(1.1, a.x.dtype)) + (a.x < 1.1) * np.maximum(a.x, a.y)
                               + 2 * (a.x < a.y)),
         "y": lambda a: a.d * ((a.y > a.x) * np.minimum(a.x, np.array(1.1, a.x.dtype)) + (a.x >= a.y))},
    ),
    Example(
        _case("ties", "x", "z", "z<3>[i] = max(x<3>[i] * 0, 0 * x<3>[i] * 2) + min(x<3>[i], x<3>[i]);", "x"),
        lambda a: 0 * a.x + a.x,
        {"x": lambda a: a.d},
    ),
    Example(
        _case("floored", "x y", "z", "z<6>[i] = x<6>[i] * 5 // y<6>[i] + (x<6>[i] * -7) % y<6>[i];", "x y"),
        lambda a: np.floor_divide(a.x * 5, a.y) + np.remainder(a.x * -7, a.y),
        {"x": lambda a: -7 * a.d, "y": lambda a: -a.d * np.floor_divide(a.x * -7, a.y)},
    ),
    Example(
        _case("initial", "B", "A", "A<3, 4>[i, j] = A<3, 4>[i, j] * B<4>[j] + 1e-1;", "A B"),
        lambda a: a.A * a.B + 0.1,
        {"A": lambda a: a.d * a.B, "B": lambda a: (a.d * a.A).sum(0)},
    ),
]  # fmt: skip


def arrays_for(variables: list, dtype: str, seed: int = 0) -> dict[str, np.ndarray]:
    """Random inputs by their given names, away from 0, from each other and from where quotients jump."""
    rng = np.random.default_rng(seed)
    return {v.given: rng.uniform(0.5, 1.5, v.shape).astype(dtype) for v in variables}
