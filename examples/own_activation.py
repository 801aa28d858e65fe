"""An operator of one's own: a gated activation, mish(x + bias) · gate, as one function of elements.

    python -m anfora.examples.own_activation

numpy, and operators in PyNative mode, walk through memory once for each sign. A function of elements is compiled to one
loop, with vectors, shared by the threads, in either mode. Its gradient is a function of elements too; what comes back to
the bias is summed over the rows without a line for it.
"""

from __future__ import annotations

import math

import numpy as np

import anfora as ms
from anfora import Tensor, ops
from anfora.examples.own_physics import milliseconds


@ms.custom_op
def gated(x, bias, gate):
    """mish(t) = t tanh(log(1 + eᵗ)), which is t n / (n + 2) with n = eᵗ (eᵗ + 2)."""
    t = x + bias
    if t > 20.0:
        return t * gate
    e = math.exp(t)
    n = e * (e + 2)
    return t * n / (n + 2) * gate


@gated.gradient
def gated_gradient(x, bias, gate, g):
    t = x + bias
    if t > 20.0:
        return gate * g, gate * g, t * g
    e = math.exp(t)
    n = e * (e + 2)
    slope = n / (n + 2) + 4 * t * e * (e + 1) / ((n + 2) * (n + 2))
    return slope * gate * g, slope * gate * g, t * n / (n + 2) * g


def gated_in_operators(x: Tensor, bias: Tensor, gate: Tensor) -> Tensor:
    t = x + bias
    e = ops.exp(ops.minimum(t, 20.0))
    n = e * (e + 2)
    return ops.where(t > 20.0, t, t * n / (n + 2)) * gate


def gated_in_numpy(x: np.ndarray, bias: np.ndarray, gate: np.ndarray) -> np.ndarray:
    t = x + bias
    e = np.exp(np.minimum(t, np.float32(20)))
    n = e * (e + 2)
    return np.where(t > 20, t, t * n / (n + 2)) * gate


def activations(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers before the activation, a bias, and a gate."""
    rng = np.random.default_rng(0)
    x, gate = rng.standard_normal((2, rows, columns)).astype(np.float32)
    return x, rng.standard_normal(columns).astype(np.float32), gate


def main(rows: int = 1024, columns: int = 1024) -> int:
    """Compare the three."""
    arrays = activations(rows, columns)
    tensors = tuple(map(Tensor, arrays))
    ours, theirs = gated(*tensors).asnumpy(), gated_in_numpy(*arrays)
    print(f"{rows} × {columns}; largest difference to numpy {np.abs(ours - theirs).max():.1e}")
    took = {
        "numpy": milliseconds(gated_in_numpy, *arrays),
        "operators": milliseconds(gated_in_operators, *tensors),
        "operators, compiled": milliseconds(ms.jit(gated_in_operators), *tensors),
        "an operator of one's own": milliseconds(gated, *tensors),
    }
    for name, duration in took.items():
        print(f"  {name:26} {duration:8.2f} ms")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
