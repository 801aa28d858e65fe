"""Class forms of gradients and of optimizers' steps, those that came with newer versions, and implementations in Python."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import anfora
from anfora import Parameter, Tensor, ops
from anfora.core.errors import OpTypeError, OpValueError

X = np.arange(6.0, dtype=np.float32).reshape(2, 3) - 2
Y = np.array([[0.5, -1.0, 2.0], [1.5, 3.0, -0.5]], np.float32)
IMAGE = np.arange(32.0, dtype=np.float32).reshape(1, 2, 4, 4)
SOFT = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], np.float32)


def pulled(function, *inputs):
    """The gradients of a function by the tape, for a result's gradient of G."""
    out, pull = anfora.vjp(function, *map(Tensor, inputs))
    g = np.linspace(-1, 1, out.size, dtype=np.float32).reshape(out.shape)
    return g, out.asnumpy(), [t.asnumpy() for t in pull(Tensor(g))]


CONV = {"out_channel": 3, "kernel_size": 2, "pad_mode": "same", "stride": 2}
KERNEL = np.linspace(-1, 1, 24, dtype=np.float32).reshape(3, 2, 2, 2)
POOL = {"kernel_size": 2, "strides": 2, "pad_mode": "same"}
MAPS = np.cos(np.arange(50.0, dtype=np.float32)).reshape(1, 2, 5, 5)


def gradient_cases():
    """Class of a gradient: (arguments of the class, arguments of the call, result)."""
    y = np.abs(Y) + 0.5
    for name, function, first in (
        ("SigmoidGrad", lambda x: 1 / (1 + np.exp(-x)), lambda y: y * (1 - y)),
        ("TanhGrad", np.tanh, lambda y: 1 - y * y),
        ("SqrtGrad", lambda x: np.sqrt(np.abs(x) + 1), lambda y: 0.5 / y),
        ("RsqrtGrad", lambda x: 1 / np.sqrt(np.abs(x) + 1), lambda y: -0.5 * y**3),
        ("ReciprocalGrad", lambda x: 1 / (np.abs(x) + 1), lambda y: -y * y),
    ):
        out = function(X)
        yield name, {}, (out, y), y * first(out)
    yield "ReluGrad", {}, (y, X), y * (X > 0)
    yield "ReLU6Grad", {}, (y, 3 * X), y * ((X > 0) & (3 * X < 6))
    yield "AbsGrad", {}, (X, y), y * np.sign(X)
    yield "HSigmoidGrad", {}, (y, X / 2), y / 6
    yield "SiLUGrad", {}, (y, X), y * (s := 1 / (1 + np.exp(-X))) * (1 + X * (1 - s))
    yield "SoftplusGrad", {}, (y, X), y / (1 + np.exp(-X))
    yield "HSwishGrad", {}, (y, X / 2), y * (X + 3) / 6
    t = np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3))
    slope = 0.5 * (1 + t) + 0.5 * X * (1 - t * t) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * X * X)
    yield "GeLUGrad", {}, (y, X, X), y * slope
    x = np.array([[0.3, -0.6, 0.1], [0.9, -0.2, 0.45]], np.float32)
    yield "ACosGrad", {}, (x, Y), -Y / np.sqrt(1 - x * x)
    yield "AsinGrad", {}, (x, Y), Y / np.sqrt(1 - x * x)
    yield "AtanGrad", {}, (x, Y), Y / (1 + x * x)
    yield "AcoshGrad", {}, (np.arccosh(y + 1), Y), Y / np.sqrt((y + 1) ** 2 - 1)
    yield "AsinhGrad", {}, (np.arcsinh(x), Y), Y / np.sqrt(x * x + 1)
    yield "InvGrad", {}, (1 / y, Y), -Y / y**2
    yield "EluGrad", {}, (Y, np.where(x > 0, x, np.expm1(x))), Y * np.where(x > 0, 1, np.exp(x))
    yield "HShrinkGrad", {"lambd": 0.4}, (Y, x), Y * (np.abs(x) > 0.4)
    yield "SoftShrinkGrad", {"lambd": 0.25}, (Y, x), Y * (np.abs(x) > 0.25)
    yield "LogitGrad", {"eps": 0.2}, (Y, SOFT), np.where((SOFT < 0.2) | (SOFT > 0.8), 0, Y / (SOFT * (1 - SOFT)))
    yield "SoftmaxGrad", {"axis": 1}, (SOFT, Y), SOFT * (Y - (Y * SOFT).sum(1, keepdims=True))
    yield "SmoothL1LossGrad", {}, (x, X, Y), Y * np.clip(x - X, -1, 1)
    yield "SigmoidCrossEntropyWithLogitsGrad", {}, (x, SOFT, Y), Y * (1 / (1 + np.exp(-x)) - SOFT)
    yield (
        "SoftMarginLossGrad",
        {"reduction": "none"},
        (x, np.sign(Y), Y),
        -Y * np.sign(Y) / (1 + np.exp(np.sign(Y) * x)),
    )
    yield (
        "BinaryCrossEntropyGrad",
        {"reduction": "none"},
        (SOFT, (Y > 0).astype(np.float32), Y, y),
        Y * y * (SOFT - (Y > 0)) / (SOFT * (1 - SOFT)),
    )
    yield "DropoutGrad", {"keep_prob": 0.25}, (Y, (X > 0).astype(np.float32)), Y * (X > 0) * 4
    yield "SliceGrad", {}, (Y[:1, :2], X, (1, 0), (1, 2)), [[0, 0, 0], [*Y[0].tolist()[:2], 0]]
    yield "StridedSliceGrad", {}, (Y[:1, :2], (2, 3), (1, 0), (2, 3), (1, 2)), [[0, 0, 0], [Y[0, 0], 0, Y[0, 1]]]
    yield "MirrorPadGrad", {"mode": "REFLECT"}, (np.ones((4, 5), np.float32), ((1, 1), (1, 1))), [[2, 6, 2], [2, 6, 2]]
    yield "MaskedSelectGrad", {}, (X, X > 0, np.array([5.0, 6.0, 7.0], np.float32)), [[0, 0, 0], [5, 6, 7]]
    whole = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    yield "ResizeNearestNeighborGrad", {}, (whole, (2, 2)), [[[[10, 18], [42, 50]]]]
    apart, far = X[:, None] - Y[None], np.full((2, 2), 3.0, np.float32)
    for p, slope in (
        (1.0, np.sign(apart)), (2.0, apart / 3), (3.0, np.sign(apart) * apart**2 / 9),
        (np.inf, np.sign(apart) * (np.abs(apart) == 3)),
    ):  # fmt: skip
        yield "CdistGrad", {"p": p}, (y[:, :2], X, Y, far), (y[:, :2, None] * slope).sum(1)
    yield "LogSoftmaxGrad", {"axis": 1}, (np.log(SOFT), y), y - SOFT * y.sum(1, keepdims=True)
    yield "FlattenGrad", {}, (X.reshape(6), (2, 3)), X
    yield "BiasAddGrad", {}, (MAPS,), MAPS.sum((0, 2, 3))
    yield "BiasAddGrad", {"data_format": "NHWC"}, (MAPS,), MAPS.sum((0, 1, 2))
    yield "ConcatOffset", {"N": 3, "axis": -1}, (X, X[:, :1], X), [[0, 0], [0, 3], [0, 4]]


@pytest.mark.parametrize("name, given, arguments, expected", list(gradient_cases()))
def test_gradient_classes_follow_their_formulas(name, given, arguments, expected):
    inputs = [Tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
    np.testing.assert_allclose(getattr(ops, name)(**given)(*inputs).asnumpy(), expected, rtol=2e-5, atol=1e-6)


def test_gradient_classes_of_several_results():
    tied = np.where(X > 0, X, Y)
    for name, chosen in (("MaximumGrad", tied < X), ("MinimumGrad", tied > X)):
        first = np.where(tied == X, 0.5, chosen)
        for found, expected in zip(getattr(ops, name)()(Tensor(X), Tensor(tied), Tensor(Y)), (first, 1 - first)):
            np.testing.assert_array_equal(found.asnumpy(), Y * expected)
    slopes = ops.PReLUGrad()(Tensor(Y), Tensor(X), Tensor([0.25]))
    np.testing.assert_allclose(slopes[0].asnumpy(), Y * np.where(X > 0, 1, 0.25))
    np.testing.assert_allclose(slopes[1].asnumpy(), [(Y * np.minimum(X, 0)).sum()])
    mean, variance, scale = X.mean(1, keepdims=True), X.var(1, keepdims=True), np.array([1.0, 2.0, -1.0], np.float32)
    normed = (X - mean) / np.sqrt(variance + 1e-7)
    inner = Y * scale
    to_x = (inner - inner.mean(1, keepdims=True) - normed * (inner * normed).mean(1, keepdims=True)) / np.sqrt(variance)
    found = ops.LayerNormGrad()(*map(Tensor, (X, Y, variance, mean, scale)))
    for tensor, expected in zip(found, (to_x, (Y * normed).sum(0), Y.sum(0))):
        np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=2e-5, atol=1e-6)
    a, b = np.array([0.5, 2.0, 30.0]), np.array([1.0, 3.0, 25.0])
    np.testing.assert_allclose(
        ops.IgammaGradA()(Tensor(a), Tensor(b)).asnumpy(),
        (special.gammainc(a + 1e-5, b) - special.gammainc(a - 1e-5, b)) / 2e-5, rtol=1e-7,
    )  # fmt: skip


def test_gradient_classes_of_images_are_those_of_the_operators():
    g, _, (to_x, to_w) = pulled(lambda x, w: ops.conv2d(x, w, None, 2, "same"), MAPS, KERNEL)
    np.testing.assert_array_equal(
        ops.Conv2DBackpropInput(**CONV)(Tensor(g), Tensor(KERNEL), MAPS.shape).asnumpy(), to_x
    )
    np.testing.assert_array_equal(
        ops.Conv2DBackpropFilter(**CONV)(Tensor(g), Tensor(MAPS), KERNEL.shape).asnumpy(), to_w
    )
    for name in ("MaxPool", "AvgPool"):
        g, out, (to_x,) = pulled(getattr(ops, name)(**POOL), MAPS)
        np.testing.assert_array_equal(
            getattr(ops, f"{name}Grad")(**POOL)(Tensor(MAPS), Tensor(out), Tensor(g)).asnumpy(), to_x
        )
    values, places = ops.MaxPoolWithArgmax(2, 2)(Tensor(MAPS))
    g, out, (to_x,) = pulled(lambda x: ops.max_pool2d(x, 2, 2), MAPS)
    np.testing.assert_array_equal(values.asnumpy(), out)
    flat = np.zeros((2, 25), np.float32)
    np.put_along_axis(flat, places.asnumpy().reshape(2, -1) % 25, g.reshape(2, -1), 1)  # windows do not overlap
    found = ops.MaxPoolGradWithArgmax(2, 2)(Tensor(MAPS), Tensor(g), places)
    np.testing.assert_array_equal(found.asnumpy().reshape(2, 25), flat)
    np.testing.assert_array_equal(to_x.reshape(2, 25), flat)
    g, out, (to_x,) = pulled(lambda x: ops.resize_bilinear(x, (7, 3), True, False), MAPS)
    np.testing.assert_array_equal(ops.ResizeBilinearGrad(True)(Tensor(g), Tensor(MAPS)).asnumpy(), to_x)


def test_a_gradient_class_can_be_differentiated():
    found = anfora.grad(lambda x: (ops.MaxPoolGrad(2, 2)(x, x, ops.max_pool2d(x * x, 2, 2))).sum())(Tensor(IMAGE))
    _, _, (expected,) = pulled(lambda x: ops.max_pool2d(x * x, 2, 2).sum(), IMAGE)
    np.testing.assert_allclose(found.asnumpy(), -expected, rtol=1e-6)


def batch_normed(x, scale, shift, mean, variance):
    wide = (slice(None), None, None)
    return (x - mean[wide]) / np.sqrt(variance[wide] + 1e-5) * scale[wide] + shift[wide]


def test_batch_norm_as_a_class():
    scale, shift = np.array([1.0, 2.0], np.float32), np.array([0.5, -0.5], np.float32)
    mean, variance = MAPS.mean((0, 2, 3)), MAPS.var((0, 2, 3))
    running = [Parameter(np.zeros(2, np.float32), name="m"), Parameter(np.ones(2, np.float32), name="v")]
    given = [Tensor(scale), Tensor(shift), *running]
    out, *rest = ops.BatchNorm(is_training=True, momentum=0.25)(Tensor(MAPS), *given)
    np.testing.assert_allclose(out.asnumpy(), batch_normed(MAPS, scale, shift, mean, variance), atol=1e-5)
    for tensor, expected in zip(rest, (mean, variance, mean, variance)):
        np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(running[0].asnumpy(), 0.25 * mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(running[1].asnumpy(), 0.75 + 0.25 * variance * 25 / 24, rtol=1e-5)
    g, _, expected = pulled(lambda x, s, b: ops.batch_norm(x, None, None, s, b, True), MAPS, scale, shift)
    found = ops.BatchNormGrad(is_training=True)(Tensor(g), Tensor(MAPS), Tensor(scale), *rest[2:], None)
    fixed = ops.BatchNorm()(Tensor(MAPS), Tensor(scale), Tensor(shift), *map(Tensor, (mean, variance)))[0]
    np.testing.assert_allclose(fixed.asnumpy(), out.asnumpy(), atol=1e-5)
    for tensor, values in zip(found, expected):
        np.testing.assert_allclose(tensor.asnumpy(), values, rtol=1e-4, atol=1e-5)
    m, v = Tensor(mean), Tensor(variance)
    g, _, expected = pulled(lambda x, s, b: ops.batch_norm(x, m, v, s, b), MAPS, scale, shift)
    for tensor, values in zip(ops.BatchNormGrad()(Tensor(g), Tensor(MAPS), Tensor(scale), m, v), expected):
        np.testing.assert_allclose(tensor.asnumpy(), values, rtol=1e-4, atol=1e-5)


def start():
    return [
        Parameter(np.array([1.0, -2.0], np.float32), name="w"),
        *(Parameter(np.array([s, s], np.float32)) for s in (0.5, 0.25, 0.125)),
    ]


STEP = np.array([0.1, -0.3], np.float32)
W0, M0, V0 = np.array([1.0, -2.0]), 0.5, 0.25
M1 = 0.9 * M0 + 0.1 * STEP
V1 = 0.99 * V0 + 0.01 * STEP**2
RATE = 0.01 * np.sqrt(1 - 0.99) / (1 - 0.9)
SQUARES = M0 + STEP**2
LINEAR = V0 + STEP - (np.sqrt(SQUARES) - np.sqrt(M0)) / 0.01 * W0
MOVED = W0 - 0.01 / np.sqrt(SQUARES) * STEP

#: class: (arguments of the class, how many states, arguments of the call behind them, parameter and states afterwards)
UPDATES = [
    ("ApplyMomentum", {}, 1, (0.1, STEP, 0.9), [W0 - 0.1 * (0.45 + STEP), 0.45 + STEP]),
    ("ApplyMomentum", {"use_nesterov": True, "gradient_scale": 2.0}, 1, (0.1, STEP, 0.9),
     [W0 - 0.1 * (2 * STEP + 0.9 * (0.45 + 2 * STEP)), 0.45 + 2 * STEP]),
    ("ApplyGradientDescent", {}, 0, (0.1, STEP), [W0 - 0.1 * STEP]),
    ("ApplyAdagrad", {}, 1, (0.01, STEP), [MOVED, SQUARES]),
    ("ApplyRMSProp", {}, 2, (0.1, STEP, 0.9, 0.5, 1e-6),
     [W0 - (r := 0.125 + 0.1 * STEP / np.sqrt((q := 0.45 + 0.1 * STEP**2) + 1e-6)), q, r]),
    ("Adam", {}, 2, (0.9, 0.99, 0.01, 0.9, 0.99, 1e-8, STEP), [W0 - RATE * M1 / (np.sqrt(V1) + 1e-8), M1, V1]),
    ("Adam", {"use_nesterov": True}, 2, (0.9, 0.99, 0.01, 0.9, 0.99, 1e-8, STEP),
     [W0 - RATE * (0.9 * M1 + 0.1 * STEP) / (np.sqrt(V1) + 1e-8), M1, V1]),
    ("ApplyAdamWithAmsgrad", {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8}, 3, (0.9, 0.99, 0.01, STEP),
     [W0 - RATE * M1 / (np.sqrt(np.maximum(V1, 0.125)) + 1e-8), M1, V1, np.maximum(V1, 0.125)]),
    ("ApplyAdagradV2", {"epsilon": 0.01}, 1, (0.1, STEP), [W0 - 0.1 * STEP / (np.sqrt(SQUARES) + 0.01), SQUARES]),
    ("ApplyAdagradV2", {"epsilon": 0.01, "update_slots": False}, 1, (0.1, STEP),
     [W0 - 0.1 * STEP / (np.sqrt(M0) + 0.01), 0.5]),
    ("ApplyAdadelta", {}, 2, (0.1, 0.9, 1e-3, STEP),
     [W0 - 0.1 * (u := np.sqrt(0.251) / np.sqrt((a := 0.45 + 0.1 * STEP**2) + 1e-3) * STEP), a, 0.225 + 0.1 * u**2]),
    ("ApplyCenteredRMSProp", {}, 3, (STEP, 0.1, 0.9, 0.5, 1e-3),
     [W0 - (z := 0.0625 + 0.1 * STEP / np.sqrt((q2 := 0.225 + 0.1 * STEP**2) - (g := M1) ** 2 + 1e-3)), g, q2, z]),
    ("ApplyAdaMax", {}, 2, (0.9, 0.01, 0.9, 0.99, 1e-6, STEP),
     [W0 - 0.01 / 0.1 * M1 / (np.maximum(0.2475, abs(STEP)) + 1e-6), M1, np.maximum(0.2475, abs(STEP))]),
    ("ApplyAddSign", {}, 1, (0.1, 1.5, 0.8, 0.9, STEP), [W0 - 0.1 * (1.5 + 0.8 * np.sign(STEP * M1)) * STEP, M1]),
    ("ApplyPowerSign", {}, 1, (0.1, 0.7, 0.8, 0.9, STEP), [W0 - 0.1 * np.exp(0.56 * np.sign(STEP * M1)) * STEP, M1]),
    ("ApplyProximalGradientDescent", {}, 0, (0.1, 0.2, 0.3, STEP),
     [np.sign(d := W0 - 0.1 * STEP) * (abs(d) - 0.02) / 1.03]),
    ("ApplyFtrl", {}, 2, (STEP, 0.01, 0.2, 0.3, -0.5),
     [(np.sign(LINEAR) * 0.2 - LINEAR) / (np.sqrt(SQUARES) / 0.01 + 0.6) * (abs(LINEAR) > 0.2), SQUARES, LINEAR]),
    ("ApplyProximalAdagrad", {}, 1, (0.01, 0.2, 0.3, STEP),
     [np.sign(MOVED) * np.maximum(abs(MOVED) - 0.002 / np.sqrt(SQUARES), 0) / (1 + 0.003 / np.sqrt(SQUARES)), SQUARES]),
]  # fmt: skip


@pytest.mark.parametrize("name, given, states, arguments, expected", UPDATES)
def test_steps_of_optimizers_write_in_place(name, given, states, arguments, expected):
    tensors = start()[: 1 + states]
    getattr(ops, name)(**given)(*tensors, *(Tensor(a) if isinstance(a, np.ndarray) else a for a in arguments))
    for tensor, values in zip(tensors, expected):
        np.testing.assert_allclose(tensor.asnumpy(), values, rtol=2e-5)


@pytest.mark.parametrize(
    "sparse, given, dense, arguments",
    [
        ("SparseApplyAdagrad", {"lr": 0.1}, lambda w, a, g: ops.ApplyAdagrad()(w, a, 0.1, g), 1),
        ("SparseApplyFtrl", {"lr": 0.01, "l1": 0.2, "l2": 0.3, "lr_power": -0.5},
         lambda w, a, z, g: ops.ApplyFtrl()(w, a, z, g, 0.01, 0.2, 0.3, -0.5), 2),
    ],
)  # fmt: skip
def test_steps_of_rows_are_dense_steps_of_these_rows(sparse, given, dense, arguments):
    """Row 2 is named twice, so that its gradients add up; row 1 stays as it was."""
    first = [np.linspace(low, 2.0, 8, dtype=np.float32).reshape(4, 2) for low in (-1.0, 0.5, 0.25)[: 1 + arguments]]
    g = np.array([[0.1, -0.3], [0.2, 0.1], [-0.4, 0.5], [0.3, 0.2]], np.float32)
    one, other = ([Parameter(array.copy()) for array in first] for _ in range(2))
    written = getattr(ops, sparse)(**given)(*one, Tensor(g), Tensor([2, 0, 3, 2]))
    assert all(a is b for a, b in zip(written, one))
    dense(*other, Tensor(np.stack([g[1], 0 * g[0], g[0] + g[3], g[2]])))
    for a, b, start in zip(one, other, first):
        np.testing.assert_allclose(a.asnumpy()[[0, 2, 3]], b.asnumpy()[[0, 2, 3]], rtol=1e-6)
        np.testing.assert_array_equal(a.asnumpy()[1], start[1])


def test_sparse_adagrad_with_epsilon():
    w, a = Parameter([[1.0], [2.0]]), Parameter([[0.5], [0.5]])
    ops.SparseApplyAdagradV2(0.1, 0.01)(w, a, Tensor([[0.3]]), Tensor([1]))
    np.testing.assert_allclose(w.asnumpy(), [[1.0], [2.0 - 0.03 / np.sqrt(0.6)]], rtol=1e-6)
    np.testing.assert_allclose(a.asnumpy(), [[0.5], [0.59]], rtol=1e-6)
    with pytest.raises(IndexError, match="index 2"):
        ops.SparseApplyAdagradV2(0.1, 0.01)(w, a, Tensor([[0.3]]), Tensor([2]))


def test_functions_on_gradients():
    def clipped(g):
        return ops.clamp(g, -1.0, 1.0)

    insert, seen = ops.InsertGradientOf(clipped), []
    hook = ops.HookBackward(lambda g: seen.append(g))
    found = anfora.grad(lambda x: insert(x * 2) * Tensor([3.0, -0.25]))(Tensor([1.0, 1.0]))
    assert found.tolist() == [2.0, -0.5]
    first, second = anfora.grad(lambda x, y: hook(x, y)[0] * hook(x, y)[1], (0, 1))(Tensor(3.0), Tensor(5.0))
    assert (first.item(), second.item()) == (5.0, 3.0)
    assert [[None if g is None else g.item() for g in pair] for pair in seen] == [[0.0, 3.0], [5.0, 0.0]]
    halved = ops.HookBackward(lambda g: (g[0] / 2,))
    assert anfora.grad(lambda x: halved(x) * x)(Tensor(3.0)).item() == 4.5
    assert insert(Tensor(2.0)).item() == 2.0
    with pytest.raises(OpTypeError, match="InsertGradientOf needs a function"):
        ops.InsertGradientOf(3)


def test_small_classes():
    np.testing.assert_array_equal(ops.AddExt()(Tensor(X), Tensor(Y), alpha=2).asnumpy(), X + 2 * Y)
    np.testing.assert_array_equal(ops.SubExt()(Tensor(X), Tensor(Y), 2).asnumpy(), X - 2 * Y)
    np.testing.assert_allclose(ops.SumExt()(Tensor(X), 1, True).asnumpy(), X.sum(1, keepdims=True))
    assert ops.OnesLikeExt()(Tensor(X), dtype=anfora.int32).dtype is anfora.int32
    assert ops.ZerosLikeExt()(Tensor(X)).tolist() == [[0.0] * 3] * 2
    assert ops.FillV2()((2,), Tensor(3)).tolist() == [3, 3] and ops.Conj()(Tensor(X)).shape == X.shape
    assert ops.InvertPermutation()((2, 0, 1)) == (1, 2, 0) and ops.Partial()(max, 3)(2) == 3
    parameter = Parameter([1.0], name="p")
    assert ops.Load()(parameter).item() == 1.0
    assert ops.ScalarSummary()("loss", Tensor(1.0)) is None
    for call, match in (
        (lambda: ops.InvertPermutation()((0, 0)), "each of 0 … 1 once"),
        (lambda: ops.ScalarSummary()(3, Tensor(1.0)), "a string for `name`"),
        (lambda: ops.ConcatOffset(2)(Tensor(X)), "2 tensors are expected"),
        (lambda: ops.MaxPoolWithArgmax(2, 2, "same"), "pad_mode='same'"),
    ):
        with pytest.raises((OpTypeError, OpValueError, NotImplementedError), match=match):
            call()


def test_implementations_in_python_of_operators_that_are_none_of_ours():
    from anfora.ops.vm_impl_registry import Registry, vm_impl_registry

    class Thrice(ops.Primitive):
        def __init__(self):
            super().__init__("Thrice")

    class Own(ops.Primitive):
        def vm_impl(self, x):
            return x * 4

    @vm_impl_registry.register("Twice")
    def twice(primitive):
        return lambda x: x * primitive.attrs.get("factor", 2)

    @vm_impl_registry.register(Thrice)
    def thrice(primitive):
        return lambda x: x * 3

    try:
        assert ops.Primitive("Twice")(Tensor(1.0)).item() == 2.0
        assert ops.Primitive("Twice").add_prim_attr("factor", 5)(Tensor(1.0)).item() == 5.0
        assert Thrice()(Tensor(1.0)).item() == 3.0 and Own("Own")(Tensor(1.0)).item() == 4.0
        vm_impl_registry.register("Add")(lambda primitive: None)
        assert ops.Primitive("Add")(Tensor(1.0), Tensor(1.0)).item() == 2.0  # an operator of ours keeps its meaning
    finally:
        for key in ("Twice", Thrice, "Add"):
            vm_impl_registry.pop(key, None)
    with pytest.raises(NotImplementedError, match="the operator Twice: there is none"):
        ops.Primitive("Twice")(Tensor(1.0))
    with pytest.raises(OpTypeError, match="the name or the class"):
        Registry().register(3)
