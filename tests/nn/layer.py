"""The table of layers: one entry a layer, from which `test_layers.py` makes all its tests; and numpy's own layers.

    Layer(lambda: nn.Dense(3, 4, dtype=F64), [normal(2, 3)], lambda p, x: x @ p["weight"].T + p["bias"],
          {"weight": (4, 3), "bias": (4,)})

`ref` gets the parameters as a dict of arrays, and the inputs. Everything is float64, so that values agree to 1e-10.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Layer", "attention", "conv", "conv_transposed", "gru", "lstm", "normal", "normalised", "recurrent", "rnn"]

_random = np.random.default_rng(20260606)


def normal(*shape: int) -> np.ndarray:
    return _random.standard_normal(shape)


@dataclass
class Layer:
    """What is tested of one layer."""

    make: Callable[[], Any]
    inputs: Sequence[Any]
    ref: Callable
    parameters: dict[str, tuple[int, ...]] = field(default_factory=dict)  #: names and shapes, in order
    shows: str = ""  #: a piece of its repr
    train: bool = False
    grad: bool = True

    @property
    def name(self) -> str:
        return type(self.make()).__name__


def conv(x, w, b=None, stride=1, pads=0, dilation=1, groups=1):
    """A convolution over any number of axes, window by window; `pads` is a number or pairs."""
    axes = x.ndim - 2
    stride, dilation = ((n,) * axes if isinstance(n, int) else n for n in (stride, dilation))
    pads = ((pads, pads),) * axes if isinstance(pads, int) else pads
    x = np.pad(x, ((0, 0), (0, 0), *pads))
    sizes = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation)]
    out = np.zeros((x.shape[0], w.shape[0], *sizes))
    per_in, per_out = x.shape[1] // groups, w.shape[0] // groups
    for place in np.ndindex(*sizes):
        window = tuple(
            slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, stride, w.shape[2:], dilation)
        )
        for k in range(w.shape[0]):
            first = k // per_out * per_in
            part = x[(slice(None), slice(first, first + per_in), *window)]
            out[(slice(None), k, *place)] = (part * w[k]).reshape(len(x), -1).sum(1)
    return out if b is None else out + b.reshape(-1, *(1,) * axes)


def conv_transposed(x, w, b, sizes, stride=1, first=0, dilation=1, groups=1):
    """What spreads each element over a window; the result begins at `first` of the whole, and has these sizes."""
    axes = x.ndim - 2
    stride, dilation, first = ((n,) * axes if isinstance(n, int) else n for n in (stride, dilation, first))
    whole = [
        max((n - 1) * s + (k - 1) * d + 1, f + m)
        for n, s, k, d, f, m in zip(x.shape[2:], stride, w.shape[2:], dilation, first, sizes)
    ]
    channels = w.shape[1] * groups
    out = np.zeros((x.shape[0], channels, *whole))
    for place in np.ndindex(*x.shape[2:]):
        window = tuple(
            slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, stride, w.shape[2:], dilation)
        )
        for c in range(x.shape[1]):
            lead = c // (x.shape[1] // groups) * w.shape[1]
            value = x[(slice(None), c, *place)].reshape(-1, 1, *(1,) * axes)
            out[(slice(None), slice(lead, lead + w.shape[1]), *window)] += value * w[c]
    out = out[(slice(None), slice(None), *(slice(f, f + m) for f, m in zip(first, sizes)))]
    return out if b is None else out + b.reshape(-1, *(1,) * axes)


def normalised(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rnn(a, b, state, activation=np.tanh):
    return (activation(a + b),)


def gru(a, b, state):
    (ar, az, an), (br, bz, bn) = np.split(a, 3, 1), np.split(b, 3, 1)
    r, z = sigmoid(ar + br), sigmoid(az + bz)
    n = np.tanh(an + r * bn)
    return ((1 - z) * n + z * state[0],)


def lstm(a, b, state):
    i, f, g, o = np.split(a + b, 4, 1)
    c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def recurrent(step, p, x, state=None, lengths=None, *, layers=1, both=False, parts=1):
    """Layers of recurrent cells over (T, N, I), an example and a step at a time."""
    ways = ("", "_reverse") if both else ("",)
    hidden = p["weight_hh_l0"].shape[1]
    steps, count = x.shape[:2]
    lengths = [steps] * count if lengths is None else lengths
    ends = []
    for layer in range(layers):
        outputs = []
        for way in ways:
            path = f"l{layer}{way}"
            w, u = p[f"weight_ih_{path}"], p[f"weight_hh_{path}"]
            b, d = p.get(f"bias_ih_{path}", 0), p.get(f"bias_hh_{path}", 0)
            y, end = np.zeros((steps, count, hidden)), []
            for n in range(count):
                k = layer * len(ways) + ways.index(way)
                s = tuple(
                    np.zeros((1, hidden)) if state is None else part[k, n : n + 1] for part in _parts(state, parts)
                )
                for t in range(lengths[n])[:: -1 if way else 1]:
                    s = step(x[t, n : n + 1] @ w.T + b, s[0] @ u.T + d, s)
                    y[t, n] = s[0]
                end.append(s)
            outputs.append(y)
            ends.append(tuple(np.concatenate(part) for part in zip(*end)))
        x = np.concatenate(outputs, 2)
    final = tuple(np.stack(part) for part in zip(*ends))
    return (x, final if parts > 1 else final[0])


def _parts(state, parts):
    if state is None:
        return (None,) * parts
    return state if isinstance(state, tuple) else (state,)


def attention(p, q, k, v, heads, added=None):
    """Attention of (N, L, E) and its weights (N, heads, L, S)."""
    e = q.shape[-1]
    w = [p[f"{name}_proj_weight"] for name in "qkv"] if "q_proj_weight" in p else np.split(p["in_proj_weight"], 3)
    b = np.split(p["in_proj_bias"], 3)
    parts = [x @ m.T + n for x, m, n in zip((q, k, v), w, b)]
    q, k, v = (x.reshape(*x.shape[:2], heads, e // heads).swapaxes(1, 2) for x in parts)
    scores = q @ k.swapaxes(2, 3) / math.sqrt(e // heads)
    if added is not None:
        scores = scores + added
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    y = (weights @ v).swapaxes(1, 2).reshape(q.shape[0], -1, e)
    return y @ p["out_proj.weight"].T + p["out_proj.bias"], weights
