"""Every layer against numpy: values, shapes, names of parameters, gradients, how it shows itself, copies."""

from __future__ import annotations

import copy
import functools
import pickle

import numpy as np
import pytest
from layer import (
    Layer,
    attention,
    conv,
    conv_transposed,
    gru,
    lstm,
    normal,
    normalised,
    recurrent,
    rnn,
)  # fmt: skip

import anfora
from anfora import Tensor, nn

F64 = anfora.float64
INF = np.inf


def _pool(x, function, window, stride, pads=((0, 0), (0, 0)), fill=0.0):
    x = np.pad(x, ((0, 0), (0, 0), *pads), constant_values=fill)
    rows, columns = ((n - k) // s + 1 for n, k, s in zip(x.shape[2:], window, stride))
    out = np.zeros((*x.shape[:2], rows, columns))
    for i, j in np.ndindex(rows, columns):
        part = x[:, :, i * stride[0] : i * stride[0] + window[0], j * stride[1] : j * stride[1] + window[1]]
        out[:, :, i, j] = function(part, (2, 3))
    return out


def _lines(x, function, window, stride, pads=(0, 0), fill=0.0):
    return _pool(x[:, :, None], function, (1, window), (1, stride), ((0, 0), pads), fill)[:, :, 0]


def _volumes(x, function, stride):
    """Windows of 2 x 2 x 2."""
    d, h, w = ((n - 2) // s + 1 for n, s in zip(x.shape[2:], stride))
    out = np.zeros((*x.shape[:2], d, h, w))
    for i, j, k in np.ndindex(d, h, w):
        i0, j0, k0 = (n * s for n, s in zip((i, j, k), stride))
        out[:, :, i, j, k] = function(x[:, :, i0 : i0 + 2, j0 : j0 + 2, k0 : k0 + 2], (2, 3, 4))
    return out


def _adaptive(x, function, size):
    h, w = x.shape[2:]
    out = np.zeros((*x.shape[:2], *size))
    for i, j in np.ndindex(*size):
        rows = slice(i * h // size[0], -(-(i + 1) * h // size[0]))
        columns = slice(j * w // size[1], -(-(j + 1) * w // size[1]))
        out[:, :, i, j] = function(x[:, :, rows, columns], (2, 3))
    return out


def _affine(x, p, shape):
    return x * p["gamma"].reshape(shape) + p["beta"].reshape(shape)


def _batch_norm(p, x, train=True, prefix="", eps=1e-5):
    p = {name.removeprefix(prefix): value for name, value in p.items()}
    axes, shape = (0, *range(2, x.ndim)), (1, -1, *(1,) * (x.ndim - 2))
    mean, var = p["moving_mean"].reshape(shape), p["moving_variance"].reshape(shape)
    y = normalised(x, axes, eps) if train else (x - mean) / np.sqrt(var + eps)
    return _affine(y, p, shape)


def _group_norm(p, x, groups, eps=1e-5):
    y = x.reshape(len(x), groups, -1)
    return _affine(normalised(y, 2, eps).reshape(x.shape), p, (1, -1, *(1,) * (x.ndim - 2)))


def _lrn(p, x):
    squares = np.pad(x * x, ((0, 0), (2, 2), (0, 0)))
    total = sum(squares[:, i : i + x.shape[1]] for i in range(5))
    return x / (1.5 + 0.3 * total) ** 0.75


def _norm(x, axis=None, keepdims=False):
    return np.sqrt((x * x).sum(axis, keepdims=keepdims))


def _multihead(p, q, k, v, *rest, heads=2, added=None):
    swapped = (x.swapaxes(0, 1) for x in (q, k, v))
    y, weights = attention(p, *swapped, heads, added)
    return y.swapaxes(0, 1), weights.mean(1)


def _under(p, prefix):
    return {name.removeprefix(prefix): value for name, value in p.items() if name.startswith(prefix)}


def _layer_norm(p, x, prefix, eps=1e-5):
    return normalised(x, -1, eps) * p[f"{prefix}.gamma"] + p[f"{prefix}.beta"]


def _feed(p, x):
    return np.maximum(x @ p["dense1.weight"].T + p["dense1.bias"], 0) @ p["dense2.weight"].T + p["dense2.bias"]


def _encoder(p, x, norm_first=False):
    """An encoder layer on (N, L, E)."""
    attend = lambda x: attention(_under(p, "self_attn."), x, x, x, 2)[0]  # noqa: E731
    if norm_first:
        n = _layer_norm(p, x, "norm1")
        x = x + attend(n)
        return x + _feed(p, _layer_norm(p, x, "norm2"))
    x = _layer_norm(p, x + attend(x), "norm1")
    return _layer_norm(p, x + _feed(p, x), "norm2")


def _decoder(p, x, memory):
    x = _layer_norm(p, x + attention(_under(p, "self_attn."), x, x, x, 2)[0], "norm1")
    x = _layer_norm(p, x + attention(_under(p, "multihead_attn."), x, memory, memory, 2)[0], "norm2")
    return _layer_norm(p, x + _feed(p, x), "norm3")


def _rnn_names(gates, i, h, layers=1, both=False):
    ways = ("", "_reverse") if both else ("",)
    paths = [(k, way) for k in range(layers) for way in ways]
    shapes = {}
    for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        for k, way in paths:
            width = {"weight_ih": (i if k == 0 else h * len(ways),), "weight_hh": (h,)}.get(part, ())
            shapes[f"{part}_l{k}{way}"] = (gates * h, *width)
    return shapes


def _cell_names(gates, i, h):
    rows = gates * h
    return {"weight_ih": (rows, i), "weight_hh": (rows, h), "bias_ih": (rows,), "bias_hh": (rows,)}


def _one_step(step, p, x, state):
    state = state if isinstance(state, tuple) else (state,)
    new = step(x @ p["weight_ih"].T + p["bias_ih"], state[0] @ p["weight_hh"].T + p["bias_hh"], state)
    return new if len(new) > 1 else new[0]


_ATTENTION = {"in_proj_weight": (12, 4), "in_proj_bias": (12,), "out_proj.weight": (4, 4), "out_proj.bias": (4,)}
_FEED = {"dense1.weight": (6, 4), "dense1.bias": (6,), "dense2.weight": (4, 6), "dense2.bias": (4,)}
_NORMS = [{f"norm{i}.gamma": (4,), f"norm{i}.beta": (4,)} for i in (1, 2, 3)]


def _named(prefix, shapes):
    return {f"{prefix}.{name}": shape for name, shape in shapes.items()}


_ENCODER = {**_named("self_attn", _ATTENTION), **_FEED, **_NORMS[0], **_NORMS[1]}
_DECODER = {
    **_named("self_attn", _ATTENTION), **_named("multihead_attn", _ATTENTION), **_FEED, **_NORMS[0], **_NORMS[1],
    **_NORMS[2],
}  # fmt: skip
_BN = {"moving_mean": (3,), "moving_variance": (3,), "gamma": (3,), "beta": (3,)}
_IN = {"mean": (3,), "variance": (3,), "gamma": (3,), "beta": (3,)}
IDS = np.array([[1, 0, 3], [2, 2, 1]])
PADDING = np.array([[False, False, True], [False, True, False]])

# fmt: off
LAYERS = [
    # dense and its like
    Layer(
        lambda: nn.Dense(3, 4, dtype=F64),
        [normal(2, 5, 3)],
        lambda p, x: x @ p["weight"].T + p["bias"],
        {"weight": (4, 3), "bias": (4,)},
        "Dense(input_channels=3, output_channels=4, has_bias=True)",
    ),
    Layer(
        lambda: nn.Dense(3, 4, has_bias=False, activation="tanh", dtype=F64),
        [normal(3)],
        lambda p, x: np.tanh(x @ p["weight"].T),
        {"weight": (4, 3)},
        "activation",
    ),
    Layer(
        lambda: nn.Linear(3, 4, dtype=F64),
        [normal(2, 3)],
        lambda p, x: x @ p["weight"].T + p["bias"],
        {"weight": (4, 3), "bias": (4,)},
        "input_features=3, output_features=4",
    ),
    Layer(
        lambda: nn.BiDense(3, 4, 2, dtype=F64),
        [normal(5, 3), normal(5, 4)],
        lambda p, x, y: np.einsum("ni,oij,nj->no", x, p["weight"], y) + p["bias"],
        {"weight": (2, 3, 4), "bias": (2,)},
        "in1_channels=3",
    ),
    Layer(nn.Identity, [normal(2, 3)], lambda p, x: x),
    Layer(nn.Flatten, [normal(2, 3, 4)], lambda p, x: x.reshape(2, 12)),
    Layer(lambda: nn.Flatten(0, 1), [normal(2, 3, 4)], lambda p, x: x.reshape(6, 4), shows="start_dim=0"),
    Layer(lambda: nn.Unflatten(1, (2, -1)), [normal(2, 6)], lambda p, x: x.reshape(2, 2, 3), shows="axis=1"),
    Layer(nn.Norm, [normal(2, 3)], lambda p, x: _norm(x)),
    Layer(lambda: nn.Norm(1, True), [normal(2, 3)], lambda p, x: _norm(x, 1, True), shows="axis=1"),
    Layer(
        nn.ClipByNorm,
        [normal(2, 3), np.array(0.5)],
        lambda p, x, c: x * min(1, c / _norm(x)),
        grad=False,
    ),
    Layer(lambda: nn.ClipByNorm(1), [normal(2, 3), np.array(9.0)], lambda p, x, c: x, shows="axis=1", grad=False),
    Layer(lambda: nn.Moments((0, 2)), [normal(2, 3, 4)], lambda p, x: (x.mean((0, 2)), x.var((0, 2))), shows="axis"),
    Layer(
        lambda: nn.Moments(1, True),
        [normal(2, 3)],
        lambda p, x: (x.mean(1, keepdims=True), x.var(1, keepdims=True)),
    ),
    Layer(lambda: nn.ReduceLogSumExp(1), [normal(2, 3)], lambda p, x: np.log(np.exp(x).sum(1)), shows="axis=1"),
    Layer(nn.MatMul, [normal(2, 3), normal(3, 4)], lambda p, x, y: x @ y),
    Layer(lambda: nn.MatMul(True, True), [normal(3, 2), normal(4, 3)], lambda p, x, y: x.T @ y.T),
    Layer(lambda: nn.L1Regularizer(0.5), [normal(2, 3)], lambda p, x: 0.5 * np.abs(x).sum(), shows="scale=0.5"),
    Layer(lambda: nn.Range(1, 8, 3), [], lambda p: np.arange(1, 8, 3), shows="limit=8"),
    Layer(lambda: nn.Range(4), [], lambda p: np.arange(4)),
    Layer(lambda: nn.Roll(1, 0), [normal(3, 2)], lambda p, x: np.roll(x, 1, 0), shows="shift=1"),
    Layer(nn.Tril, [normal(3, 3)], lambda p, x: np.tril(x)),
    Layer(nn.Triu, [normal(3, 3)], lambda p, x: np.triu(x)),
    # convolutions
    Layer(
        lambda: nn.Conv2d(2, 4, 3, dtype=F64),
        [normal(2, 2, 5, 4)],
        lambda p, x: conv(x, p["weight"], pads=1),
        {"weight": (4, 2, 3, 3)},
        "kernel_size=(3, 3), stride=(1, 1), pad_mode=same",
    ),
    Layer(
        lambda: nn.Conv2d(4, 2, (3, 2), (2, 1), "pad", (1, 0, 2, 1), group=2, has_bias=True, dtype=F64),
        [normal(1, 4, 5, 4)],
        lambda p, x: conv(x, p["weight"], p["bias"], (2, 1), ((1, 0), (2, 1)), groups=2),
        {"weight": (2, 2, 3, 2), "bias": (2,)},
        "group=2",
    ),
    Layer(
        lambda: nn.Conv2d(2, 3, 2, pad_mode="valid", dilation=2, dtype=F64),
        [normal(1, 2, 5, 4)],
        lambda p, x: conv(x, p["weight"], dilation=2),
        {"weight": (3, 2, 2, 2)},
    ),
    Layer(
        lambda: nn.Conv1d(2, 3, 3, 2, has_bias=True, dtype=F64),
        [normal(2, 2, 6)],
        lambda p, x: conv(x, p["weight"][:, :, 0], p["bias"], 2, ((0, 1),)),
        {"weight": (3, 2, 1, 3), "bias": (3,)},
    ),
    Layer(
        lambda: nn.Conv3d(2, 3, 2, pad_mode="pad", padding=1, has_bias=True, dtype=F64),
        [normal(1, 2, 2, 3, 2)],
        lambda p, x: conv(x, p["weight"], p["bias"], pads=1),
        {"weight": (3, 2, 2, 2, 2), "bias": (3,)},
    ),
    Layer(
        lambda: nn.Conv2dTranspose(2, 3, 3, 2, has_bias=True, dtype=F64),
        [normal(1, 2, 3, 2)],
        lambda p, x: conv_transposed(x, p["weight"], p["bias"], (6, 4), 2),
        {"weight": (2, 3, 3, 3), "bias": (3,)},
    ),
    Layer(
        lambda: nn.Conv2dTranspose(4, 2, 3, 2, "pad", 1, 1, group=2, dtype=F64),
        [normal(1, 4, 2, 3)],
        lambda p, x: conv_transposed(x, p["weight"], None, (4, 6), 2, 1, groups=2),
        {"weight": (4, 1, 3, 3)},
    ),
    Layer(
        lambda: nn.Conv2dTranspose(2, 1, 2, 3, "valid", dtype=F64),
        [normal(1, 2, 3, 3)],
        lambda p, x: conv_transposed(x, p["weight"], None, (9, 9), 3),
        {"weight": (2, 1, 2, 2)},
    ),
    Layer(
        lambda: nn.Conv1dTranspose(2, 3, 3, 2, "valid", dtype=F64),
        [normal(2, 2, 4)],
        lambda p, x: conv_transposed(x, p["weight"][:, :, 0], None, (9,), 2),
        {"weight": (2, 3, 1, 3)},
    ),
    Layer(
        lambda: nn.Conv3dTranspose(2, 3, 3, 2, has_bias=True, dtype=F64),
        [normal(1, 2, 2, 3, 2)],
        lambda p, x: conv_transposed(x, p["weight"], p["bias"], (4, 6, 4), 2),
        {"weight": (2, 3, 3, 3, 3), "bias": (3,)},
    ),
    Layer(
        lambda: nn.Conv3dTranspose(4, 2, (1, 2, 3), (1, 2, 3), "pad", (0, 1, 1), 1, 2, (0, 1, 2), dtype=F64),
        [normal(1, 4, 2, 3, 2)],
        lambda p, x: conv_transposed(x, p["weight"], None, (2, 5, 6), (1, 2, 3), (0, 1, 1), groups=2),
        {"weight": (4, 1, 1, 2, 3)},
    ),
    # pooling
    Layer(
        lambda: nn.MaxPool2d(2, 2),
        [normal(2, 3, 4, 5)],
        lambda p, x: _pool(x, np.max, (2, 2), (2, 2)),
        shows="MaxPool2d(kernel_size=2, stride=2, pad_mode=valid)",
    ),
    Layer(
        lambda: nn.MaxPool2d(3, 2, "same"),
        [normal(1, 2, 5, 4)],
        lambda p, x: _pool(x, np.max, (3, 3), (2, 2), ((1, 1), (0, 1)), -INF),
    ),
    Layer(
        lambda: nn.MaxPool2d((3, 2), 1, "pad", 1),
        [normal(1, 2, 4, 4)],
        lambda p, x: _pool(x, np.max, (3, 2), (1, 1), ((1, 1), (1, 1)), -INF),
        shows="padding=1",
    ),
    Layer(lambda: nn.MaxPool1d(3, 2), [normal(2, 2, 7)], lambda p, x: _lines(x, np.max, 3, 2)),
    Layer(lambda: nn.AvgPool2d(2, 2), [normal(2, 3, 4, 5)], lambda p, x: _pool(x, np.mean, (2, 2), (2, 2))),
    Layer(
        lambda: nn.AvgPool2d(3, 1, "pad", 1),
        [normal(1, 2, 4, 4)],
        lambda p, x: _pool(x, np.mean, (3, 3), (1, 1), ((1, 1), (1, 1))),
    ),
    Layer(
        lambda: nn.AvgPool2d(2, 2, "same"),
        [normal(1, 2, 3, 3)],
        lambda p, x: _pool(x, np.nanmean, (2, 2), (2, 2), ((0, 1), (0, 1)), np.nan),
    ),
    Layer(lambda: nn.AvgPool1d(2, 2), [normal(2, 2, 7)], lambda p, x: _lines(x, np.mean, 2, 2)),
    Layer(
        lambda: nn.AdaptiveAvgPool2d((2, None)),
        [normal(2, 2, 5, 3)],
        lambda p, x: _adaptive(x, np.mean, (2, 3)),
        shows="output_size=(2, None)",
    ),
    Layer(lambda: nn.AdaptiveMaxPool2d(2), [normal(2, 2, 5, 3)], lambda p, x: _adaptive(x, np.max, (2, 2))),
    Layer(
        lambda: nn.AdaptiveAvgPool1d(3),
        [normal(2, 2, 7)],
        lambda p, x: _adaptive(x[:, :, None], np.mean, (1, 3))[:, :, 0],
    ),
    Layer(
        lambda: nn.AdaptiveMaxPool1d(3),
        [normal(2, 2, 7)],
        lambda p, x: _adaptive(x[:, :, None], np.max, (1, 3))[:, :, 0],
    ),
    Layer(
        lambda: nn.MaxPool3d(2, (1, 2, 1)),
        [normal(1, 2, 3, 4, 3)],
        lambda p, x: _volumes(x, np.max, (1, 2, 1)),
    ),
    Layer(
        lambda: nn.AvgPool3d(2, (1, 2, 1)),
        [normal(1, 2, 3, 4, 3)],
        lambda p, x: _volumes(x, np.mean, (1, 2, 1)),
    ),
    Layer(
        lambda: nn.AdaptiveAvgPool3d((1, 2, None)),
        [normal(1, 2, 3, 4, 2)],
        lambda p, x: x.reshape(1, 2, 3, 2, 2, 2).mean((2, 4))[:, :, None],
    ),
    Layer(
        lambda: nn.AdaptiveMaxPool3d((3, 2, 1)),
        [normal(1, 2, 3, 4, 2)],
        lambda p, x: x.reshape(1, 2, 3, 2, 2, 2).max((4, 5))[..., None],
    ),
    Layer(
        lambda: nn.FractionalMaxPool2d(2, output_size=2, _random_samples=Tensor(np.zeros((1, 2, 2), np.float32))),
        [normal(1, 2, 3, 3)],
        lambda p, x: np.maximum(
            np.maximum(x[..., :2, :2], x[..., 1:, :2]), np.maximum(x[..., :2, 1:], x[..., 1:, 1:])
        ),
    ),
    Layer(
        lambda: nn.FractionalMaxPool3d(1, output_ratio=0.5),
        [normal(1, 2, 2, 2, 2)],
        lambda p, x: x[..., 1:, 1:, 1:],
    ),
    Layer(
        lambda: nn.MaxUnpool3d((1, 1, 2)),
        [normal(1, 1, 1, 1, 2), np.array([[[[[1, 2]]]]])],
        lambda p, x, i: np.array([[[[[0, x[0, 0, 0, 0, 0], x[0, 0, 0, 0, 1], 0]]]]]),
    ),
    Layer(
        lambda: nn.LPPool2d(2, 2),
        [normal(1, 2, 4, 4)],
        lambda p, x: np.sqrt(_pool(x * x, np.sum, (2, 2), (2, 2))),
        shows="norm_type=2",
    ),
    Layer(lambda: nn.LPPool1d(2, 2, 1), [normal(1, 2, 4)], lambda p, x: np.sqrt(_lines(x * x, np.sum, 2, 1))),
    Layer(
        lambda: nn.MaxUnpool2d(2),
        [normal(1, 1, 1, 2), np.array([[[[1, 6]]]])],
        lambda p, x, i: np.array([[[[0, x[0, 0, 0, 0], 0, 0], [0, 0, x[0, 0, 0, 1], 0]]]]),
    ),
    Layer(
        lambda: nn.MaxUnpool1d(2),
        [normal(1, 1, 2), np.array([[[1, 2]]])],
        lambda p, x, i: np.array([[[0, x[0, 0, 0], x[0, 0, 1], 0]]]),
    ),
    # normalisation
    Layer(lambda: nn.BatchNorm2d(3, dtype=F64), [normal(4, 3, 2, 3)], _batch_norm, _BN, "momentum=0.9", train=True),
    Layer(
        lambda: nn.BatchNorm2d(3, dtype=F64), [normal(4, 3, 2, 3)], functools.partial(_batch_norm, train=False), _BN
    ),
    Layer(lambda: nn.BatchNorm1d(3, dtype=F64), [normal(5, 3)], _batch_norm, _BN, train=True),
    Layer(lambda: nn.BatchNorm1d(3, dtype=F64), [normal(5, 3, 2)], _batch_norm, _BN, train=True),
    Layer(lambda: nn.SyncBatchNorm(3, dtype=F64), [normal(5, 3, 2)], _batch_norm, _BN, train=True),
    Layer(
        lambda: nn.BatchNorm3d(3, dtype=F64),
        [normal(2, 3, 2, 2, 2)],
        functools.partial(_batch_norm, prefix="bn2d."),
        _named("bn2d", _BN),
        train=True,
    ),
    Layer(
        lambda: nn.LayerNorm((4,), dtype=F64),
        [normal(2, 3, 4)],
        lambda p, x: _affine(normalised(x, -1, 1e-7), p, (4,)),
        {"gamma": (4,), "beta": (4,)},
        "normalized_shape=(4,)",
    ),
    Layer(
        lambda: nn.LayerNorm((3, 4), -2, -2, epsilon=1e-3, dtype=F64),
        [normal(2, 3, 4)],
        lambda p, x: _affine(normalised(x, (1, 2), 1e-3), p, (3, 4)),
        {"gamma": (3, 4), "beta": (3, 4)},
    ),
    Layer(
        lambda: nn.LayerNorm((4,), 1, 2, dtype=F64),
        [normal(2, 3, 4)],
        lambda p, x: _affine(normalised(x, (1, 2), 1e-7), p, (4,)),
        {"gamma": (4,), "beta": (4,)},
    ),
    Layer(
        lambda: nn.GroupNorm(2, 4, dtype=F64),
        [normal(2, 4, 3)],
        lambda p, x: _group_norm(p, x, 2),
        {"gamma": (4,), "beta": (4,)},
        "num_groups=2",
    ),
    Layer(lambda: nn.InstanceNorm1d(3, dtype=F64), [normal(2, 3, 4)], lambda p, x: _group_norm(p, x, 3), _IN),
    Layer(lambda: nn.InstanceNorm2d(3, dtype=F64), [normal(2, 3, 2, 2)], lambda p, x: _group_norm(p, x, 3), _IN),
    Layer(lambda: nn.InstanceNorm3d(3, dtype=F64), [normal(1, 3, 2, 2, 2)], lambda p, x: _group_norm(p, x, 3), _IN),
    Layer(lambda: nn.LRN(2, 1.5, 0.3, 0.75), [normal(2, 4, 3)], _lrn, shows="depth_radius=2"),
    # padding
    Layer(
        lambda: nn.Pad(((0, 1), (2, 0))),
        [normal(2, 3)],
        lambda p, x: np.pad(x, ((0, 1), (2, 0))),
        shows="mode=CONSTANT",
    ),
    Layer(
        lambda: nn.Pad(((1, 1), (2, 0)), "REFLECT"),
        [normal(2, 3)],
        lambda p, x: np.pad(x, ((1, 1), (2, 0)), "reflect"),
    ),
    Layer(
        lambda: nn.Pad(((2, 1), (3, 0)), "SYMMETRIC"),
        [normal(2, 3)],
        lambda p, x: np.pad(x, ((2, 1), (3, 0)), "symmetric"),
    ),
    Layer(
        lambda: nn.ZeroPad2d((1, 2, 0, 1)),
        [normal(1, 2, 2)],
        lambda p, x: np.pad(x, ((0, 0), (0, 1), (1, 2))),
        shows="padding=(1, 2, 0, 1)",
    ),
    Layer(
        lambda: nn.ConstantPad1d(2, 0.5),
        [normal(2, 2)],
        lambda p, x: np.pad(x, ((0, 0), (2, 2)), constant_values=0.5),
        shows="value=0.5",
    ),
    Layer(
        lambda: nn.ConstantPad2d((1, 0, -1, 0), 2.0),
        [normal(2, 3, 2)],
        lambda p, x: np.pad(x[:, 1:], ((0, 0), (0, 0), (1, 0)), constant_values=2.0),
    ),
    Layer(
        lambda: nn.ConstantPad3d(1, 1.0),
        [normal(1, 2, 1, 2)],
        lambda p, x: np.pad(x, ((0, 0), *((1, 1),) * 3), constant_values=1.0),
    ),
    Layer(lambda: nn.ReflectionPad1d((1, 2)), [normal(2, 3)], lambda p, x: np.pad(x, ((0, 0), (1, 2)), "reflect")),
    Layer(
        lambda: nn.ReflectionPad2d((1, 0, 2, 1)),
        [normal(1, 3, 2)],
        lambda p, x: np.pad(x, ((0, 0), (2, 1), (1, 0)), "reflect"),
    ),
    Layer(
        lambda: nn.ReflectionPad3d(1),
        [normal(1, 2, 2, 2)],
        lambda p, x: np.pad(x, ((0, 0), *((1, 1),) * 3), "reflect"),
    ),
    Layer(lambda: nn.ReplicationPad1d((1, 3)), [normal(2, 3)], lambda p, x: np.pad(x, ((0, 0), (1, 3)), "edge")),
    Layer(
        lambda: nn.ReplicationPad2d((1, 0, 2, 1)),
        [normal(1, 1, 2, 2)],
        lambda p, x: np.pad(x, ((0, 0), (0, 0), (2, 1), (1, 0)), "edge"),
    ),
    Layer(
        lambda: nn.ReplicationPad3d(1),
        [normal(1, 1, 2, 1, 2)],
        lambda p, x: np.pad(x, ((0, 0), (0, 0), *((1, 1),) * 3), "edge"),
    ),
    # tables
    Layer(
        lambda: nn.Embedding(4, 3, dtype=F64),
        [IDS],
        lambda p, i: p["embedding_table"][i],
        {"embedding_table": (4, 3)},
        "vocab_size=4, embedding_size=3",
    ),
    Layer(
        lambda: nn.Embedding(4, 3, True, dtype=F64),
        [np.array([0, 3, 9])],
        lambda p, i: np.concatenate([p["embedding_table"], np.zeros((6, 3))])[i],
        {"embedding_table": (4, 3)},
    ),
    Layer(
        lambda: nn.EmbeddingLookup(4, 3, max_norm=0.5, dtype=F64),
        [IDS],
        lambda p, i: (lambda y: y * np.minimum(1, 0.5 / _norm(y, -1, True)))(p["embedding_table"][i]),
        {"embedding_table": (4, 3)},
    ),
    Layer(
        lambda: nn.OneHot(depth=3, on_value=2.0, off_value=-1.0),
        [np.array([0, 5, 2])],
        lambda p, i: np.where(i[:, None] == np.arange(3), 2.0, -1.0),
        shows="depth=3",
    ),
    # images
    Layer(
        lambda: nn.Upsample(scale_factor=2.0),
        [normal(1, 2, 2, 3)],
        lambda p, x: x.repeat(2, 2).repeat(2, 3),
        shows="scale_factor=2.0, mode=nearest",
    ),
    Layer(
        lambda: nn.Upsample(size=5, mode="linear", align_corners=True),
        [normal(1, 1, 3)],
        lambda p, x: np.interp(np.linspace(0, 2, 5), range(3), x[0, 0])[None, None],
        shows="size=5",
    ),
    Layer(
        lambda: nn.PixelShuffle(2),
        [normal(1, 4, 2, 2)],
        lambda p, x: x.reshape(1, 2, 2, 2, 2).transpose(0, 3, 1, 4, 2).reshape(1, 1, 4, 4),
        shows="upscale_factor=2",
    ),
    Layer(
        lambda: nn.PixelUnshuffle(2),
        [normal(1, 1, 4, 4)],
        lambda p, x: np.concatenate([x[:, :, i::2, j::2] for i in (0, 1) for j in (0, 1)], 1),
    ),
    Layer(lambda: nn.ChannelShuffle(2), [normal(1, 4, 2)], lambda p, x: x[:, [0, 2, 1, 3]], shows="groups=2"),
    Layer(
        lambda: nn.Unfold((1, 2, 2, 1), (1, 1, 2, 1), (1, 1, 1, 1)),
        [normal(1, 2, 3, 4)],
        lambda p, x: np.concatenate([x[:, :, r : r + 2, s : s + 3 : 2] for r in (0, 1) for s in (0, 1)], 1),
        shows="ksizes=(2, 2)",
    ),
    Layer(
        lambda: nn.Unfold((1, 3, 1, 1), (1, 2, 1, 1), (1, 1, 1, 1), "same"),
        [normal(1, 1, 3, 2)],
        lambda p, x: np.concatenate([np.pad(x[0], ((0, 0), (1, 1), (0, 0)))[:, r : r + 3 : 2] for r in range(3)])[None],
    ),
    Layer(
        lambda: nn.Fold((1, 3), (1, 2)),
        [normal(1, 2, 2)],
        lambda p, x: np.array([[[[x[0, 0, 0], x[0, 0, 1] + x[0, 1, 0], x[0, 1, 1]]]]]),
    ),
    # recurrent
    Layer(
        lambda: nn.RNN(3, 2, 2, dtype=F64),
        [normal(4, 2, 3), normal(2, 2, 2)],
        functools.partial(recurrent, rnn, layers=2),
        _rnn_names(1, 3, 2, 2),
    ),
    Layer(
        lambda: nn.RNN(3, 2, nonlinearity="relu", bidirectional=True, dtype=F64),
        [normal(4, 2, 3), normal(2, 2, 2)],
        functools.partial(recurrent, functools.partial(rnn, activation=lambda x: np.maximum(x, 0)), both=True),
        _rnn_names(1, 3, 2, 1, True),
    ),
    Layer(
        lambda: nn.GRU(3, 2, 2, bidirectional=True, dtype=F64),
        [normal(4, 3, 3), normal(4, 3, 2), np.array([4, 1, 3])],
        functools.partial(recurrent, gru, layers=2, both=True),
        _rnn_names(3, 3, 2, 2, True),
    ),
    Layer(
        lambda: nn.LSTM(3, 2, 2, bidirectional=True, dtype=F64),
        [normal(4, 3, 3), (normal(4, 3, 2), normal(4, 3, 2)), np.array([2, 4, 1])],
        functools.partial(recurrent, lstm, layers=2, both=True, parts=2),
        _rnn_names(4, 3, 2, 2, True),
        "LSTM(input_size=3, hidden_size=2, num_layers=2, has_bias=True",
    ),
    Layer(
        lambda: nn.LSTM(3, 2, batch_first=True, dtype=F64),
        [normal(2, 4, 3)],
        lambda p, x: (lambda y, s: (y.swapaxes(0, 1), s))(*recurrent(lstm, p, x.swapaxes(0, 1), parts=2)),
        _rnn_names(4, 3, 2),
    ),
    Layer(
        lambda: nn.RNNCell(3, 2, dtype=F64), [normal(4, 3), normal(4, 2)], functools.partial(_one_step, rnn),
        _cell_names(1, 3, 2),
    ),
    Layer(
        lambda: nn.GRUCell(3, 2, dtype=F64), [normal(4, 3), normal(4, 2)], functools.partial(_one_step, gru),
        _cell_names(3, 3, 2),
    ),
    Layer(
        lambda: nn.LSTMCell(3, 2, dtype=F64), [normal(4, 3), (normal(4, 2), normal(4, 2))],
        functools.partial(_one_step, lstm), _cell_names(4, 3, 2),
    ),
    # attention
    Layer(
        lambda: nn.MultiheadAttention(4, 2, dtype=F64),
        [normal(3, 2, 4), normal(5, 2, 4), normal(5, 2, 4)],
        _multihead,
        _ATTENTION,
        "embed_dim=4, num_heads=2",
    ),
    Layer(
        lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=2, dtype=F64),
        [normal(3, 2, 4), normal(3, 2, 3), normal(3, 2, 2), PADDING],
        functools.partial(_multihead, added=np.where(PADDING, -INF, 0)[:, None, None]),
        {
            "q_proj_weight": (4, 4), "k_proj_weight": (4, 3), "v_proj_weight": (4, 2), "in_proj_bias": (12,),
            "out_proj.weight": (4, 4), "out_proj.bias": (4,),
        },
    ),
    Layer(
        lambda: nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True, dtype=F64),
        [normal(2, 3, 4)],
        _encoder,
        _ENCODER,
    ),
    Layer(
        lambda: nn.TransformerEncoderLayer(4, 2, 6, dropout=0.5, batch_first=True, norm_first=True, dtype=F64),
        [normal(2, 3, 4)],
        functools.partial(_encoder, norm_first=True),
        _ENCODER,
    ),
    Layer(
        lambda: nn.TransformerDecoderLayer(4, 2, 6, batch_first=True, dtype=F64),
        [normal(2, 3, 4), normal(2, 5, 4)],
        _decoder,
        _DECODER,
    ),
    Layer(
        lambda: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(4, 2, 6, batch_first=True, dtype=F64), 2, nn.LayerNorm((4,), epsilon=1e-5, dtype=F64)
        ),
        [normal(2, 3, 4)],
        lambda p, x: _layer_norm(p, _encoder(_under(p, "layers.1."), _encoder(_under(p, "layers.0."), x)), "norm"),
        {**_named("layers.0", _ENCODER), **_named("layers.1", _ENCODER), "norm.gamma": (4,), "norm.beta": (4,)},
    ),
    Layer(
        lambda: nn.Transformer(4, 2, 1, 1, 6, batch_first=True, dtype=F64),
        [normal(2, 3, 4), normal(2, 2, 4)],
        lambda p, x, y: _layer_norm(
            p,
            _decoder(
                _under(p, "decoder.layers.0."), y,
                _layer_norm(p, _encoder(_under(p, "encoder.layers.0."), x), "encoder.norm"),
            ),
            "decoder.norm",
        ),
        {
            **_named("encoder.layers.0", _ENCODER), "encoder.norm.gamma": (4,), "encoder.norm.beta": (4,),
            **_named("decoder.layers.0", _DECODER), "decoder.norm.gamma": (4,), "decoder.norm.beta": (4,),
        },
    ),
    # several in one
    Layer(
        lambda: nn.SequentialCell(nn.Dense(3, 4, dtype=F64), nn.Flatten(), nn.Dense(4, 2, has_bias=False, dtype=F64)),
        [normal(2, 3)],
        lambda p, x: (x @ p["0.weight"].T + p["0.bias"]) @ p["2.weight"].T,
        {"0.weight": (4, 3), "0.bias": (4,), "2.weight": (2, 4)},
        "# 24 parameters",
    ),
    Layer(
        lambda: nn.TimeDistributed(nn.Dense(3, 2, dtype=F64), 1),
        [normal(2, 4, 3)],
        lambda p, x: x @ p["layer.weight"].T + p["layer.bias"],
        {"layer.weight": (2, 3), "layer.bias": (2,)},
    ),
]
# fmt: on


def _cases(pick=lambda layer: True):
    counts: dict[str, int] = {}
    cases = []
    for layer in LAYERS:
        number = counts[layer.name] = counts.get(layer.name, -1) + 1
        if pick(layer):
            cases.append(pytest.param(layer, id=f"{layer.name}-{number}"))
    return cases


def _made(layer: Layer):
    """The layer with random parameters, its inputs as tensors."""
    random = np.random.default_rng(3)
    cell = layer.make().set_train(layer.train)
    for parameter in cell.get_parameters():
        value = random.standard_normal(parameter.shape)
        parameter.set_data(Tensor(np.abs(value) + 0.5 if "variance" in parameter.name else value, F64))
    return cell, _map(Tensor, list(layer.inputs))


def _map(function, tree):
    if isinstance(tree, (list, tuple)):
        return type(tree)(_map(function, item) for item in tree)
    return function(tree)


def _flat(tree):
    return [leaf for item in tree for leaf in _flat(item)] if isinstance(tree, (tuple, list)) else [tree]


@pytest.mark.parametrize("layer", _cases())
def test_value_is_numpys(layer):
    cell, inputs = _made(layer)
    values = {name: parameter.asnumpy().copy() for name, parameter in cell.parameters_dict().items()}
    results = _flat(cell(*inputs))
    expected = _flat(layer.ref(values, *layer.inputs))
    assert len(results) == len(expected)
    for result, wanted in zip(results, expected):
        assert result.shape == np.shape(wanted)
        np.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("layer", _cases())
def test_parameters_have_mindspores_names(layer):
    cell = layer.make()
    assert {p.name: p.shape for p in cell.get_parameters()} == layer.parameters
    assert [p.name for p in cell.get_parameters()] == list(layer.parameters)
    cell.check_names()


@pytest.mark.parametrize("layer", _cases())
def test_repr_tells_its_settings(layer):
    text = repr(layer.make())
    assert text.startswith(f"{layer.name}(")
    assert layer.shows in text


@pytest.mark.parametrize("layer", _cases())
def test_copies_and_pickles_compute_the_same(layer):
    cell, inputs = _made(layer)
    wanted = _flat(cell(*inputs))
    for other in (copy.deepcopy(cell), pickle.loads(pickle.dumps(cell))):
        assert [p.name for p in other.get_parameters()] == list(layer.parameters)
        for one, two in zip(_flat(other(*inputs)), wanted):
            np.testing.assert_array_equal(one.asnumpy(), two.asnumpy())


@pytest.mark.parametrize("layer", _cases(lambda layer: layer.grad))
def test_gradient_is_the_slope_in_a_random_direction(layer):
    cell, inputs = _made(layer)
    random = np.random.default_rng(5)
    weights = cell.trainable_params()
    moved = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.dtype is F64]
    if not moved and not weights:
        return
    results = [r for r in _flat(cell(*inputs)) if r.dtype.is_float]
    factors = [Tensor(random.standard_normal(r.shape), F64) for r in results]

    def total(*args):
        found = [r for r in _flat(cell(*args)) if r.dtype.is_float]
        return sum(((r * f).sum() for r, f in zip(found, factors)), Tensor(0.0, F64))

    found = anfora.value_and_grad(total, tuple(moved) if moved else None, weights or None)(*inputs)[1]
    gradients = _flat(found)
    starts = [x.asnumpy().copy() for x in (*(inputs[i] for i in moved), *weights)]
    steps = [random.standard_normal(start.shape) for start in starts]
    assert [g.shape for g in gradients] == [s.shape for s in starts]
    slope = sum(float((g.asnumpy() * d).sum()) for g, d in zip(gradients, steps))

    def at(distance):
        places = [start + distance * step for start, step in zip(starts, steps)]
        args = list(inputs)
        for i, place in zip(moved, places):
            args[i] = Tensor(place, F64)
        for weight, place in zip(weights, places[len(moved) :]):
            weight.set_data(Tensor(place, F64))
        return float(total(*args))

    numeric = (at(1e-6) - at(-1e-6)) / 2e-6
    assert slope == pytest.approx(numeric, rel=1e-6, abs=1e-7)
