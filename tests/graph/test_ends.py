"""What follows a product or a convolution is done with its sums, with PyNative mode's bits."""

from __future__ import annotations

import numpy as np
import pytest
from outcomes import bits

import anfora as ms
from anfora import Tensor, ir, jit, nn, no_grad, ops
from anfora.graph.ir.planned import planned_calls
from anfora.kernel import conv_channels, conv_pixels, conv_planes


def normal(*shape, dtype="float32", seed=0):
    values = np.random.default_rng(seed).standard_normal(shape) * (1 if "float" in dtype else 9)
    return Tensor(values.astype("float32" if dtype == "bfloat16" else dtype)).astype(getattr(ms, dtype))


#: Heads, each as operands and a function of them; in one dtype.
HEADS = {
    "matmul": ([(40, 70), (70, 50)], ops.matmul),
    "turned": ([(70, 40), (50, 70)], lambda x, w: ops.matmul(x.T, w.T)),
    "one row": ([(1, 70), (70, 50)], ops.matmul),
    "one column": ([(40, 70), (70, 1)], ops.matmul),
    "batch": ([(3, 2, 5, 7), (7, 6)], ops.matmul),
    "batches": ([(3, 1, 5, 7), (2, 7, 6)], ops.matmul),
    "blocks": ([(3, 5000), (5000, 4)], ops.matmul),
    "dense": ([(2, 20, 30), (40, 30)], ops.dense),
    "dense with bias": ([(20, 30), (40, 30), (40,)], ops.dense),
    "conv2d": ([(2, 5, 9, 11), (7, 5, 3, 3)], lambda x, w: ops.conv2d(x, w, padding=1, pad_mode="pad")),
    "many channels": ([(2, 32, 9, 11), (64, 32, 3, 3), (64,)], lambda x, w, b: ops.conv2d(x, w, b)),
    "points": ([(2, 32, 9, 11), (64, 32, 1, 1)], ops.conv2d),
    "planes": ([(2, 6, 20, 22), (6, 1, 3, 3)], lambda x, w: ops.conv2d(x, w, groups=6)),
    "conv1d": ([(2, 5, 19), (7, 5, 3)], ops.conv1d),
    "transposed": ([(2, 5, 9, 11), (5, 7, 3, 3)], lambda x, w: ops.conv_transpose2d(x, w, stride=2)),
}  # fmt: skip


def line(y):
    """The shape of what varies along the axis of channels, or of columns, alone."""
    return (y.shape[1], *(1 for _ in y.shape[2:])) if y.ndim > 2 else y.shape[-1:]


#: What may follow, of the product and of tensors that are made from its shape.
ENDS = {
    "alone": ([], lambda y: ops.relu(y)),
    "a chain": ([], lambda y: ops.tanh(ops.relu(y) * 2 - 0.5)),
    "twice": ([], lambda y: y * ops.sigmoid(y)),
    "like it": ([lambda y: y.shape], lambda y, r: ops.relu(y + r)),
    "scaled": ([line, line], lambda y, s, t: y * s + t),
    "number": ([lambda y: ()], lambda y, n: ops.maximum(y, n)),
    "all": ([lambda y: y.shape, line], lambda y, r, s: ops.relu(y * s + r) - r),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("head", HEADS)
def test_bits_are_those_of_pynative_mode(head, end):
    shapes, product = HEADS[head]
    makers, follow = ENDS[end]
    for dtype in ("float32", "float64", "float16", "bfloat16") if end in ("alone", "all") else ("float32",):
        given = [normal(*shape, dtype=dtype, seed=i) for i, shape in enumerate(shapes)]
        y = product(*given)
        others = [normal(*make(y), dtype=dtype, seed=9 + i) for i, make in enumerate(makers)]
        want = follow(y, *others)
        compiled = jit(lambda given, others, product=product, follow=follow: follow(product(*given), *others))
        with no_grad():
            for _ in range(3):
                assert bits(compiled(given, others)) == bits(want), dtype


def loops(compiled) -> list[list[str]]:
    """The operators of each kernel of the first piece."""
    [point] = compiled.program.entries.values()
    segment, _ = point.variants[0].runner.segment()
    return [[call.entry.op.name for call in loop] for loop in segment.loops]


def after(function, *inputs):
    compiled = jit(function)
    want = function(*inputs)
    for _ in range(3):
        assert bits(compiled(*inputs)) == bits(want)
    return loops(compiled)


X, W, R, COLUMN = normal(40, 70), normal(70, 50, seed=1), normal(40, 50, seed=2), normal(40, 1, seed=3)
IMAGE, WINDOW = normal(2, 5, 9, 9), normal(7, 5, 3, 3, seed=1)


@pytest.mark.parametrize(
    "function, kernels",
    [
        (lambda x: ops.relu(x @ W + 1), [["matmul", "add", "relu"]]),
        (lambda x: ops.relu(ops.conv2d(IMAGE, WINDOW) * x.sum()), [["reduce_sum"], ["conv2d", "mul", "relu"]]),
        (lambda x: ops.relu(x @ W) + ops.tanh(x @ W * 2), [["matmul", "relu", "mul", "tanh", "add"]]),
        (lambda x: (x @ W) + (x * 2) @ W, [["matmul"], ["mul"], ["matmul", "add"]]),
        # Somebody else wants what lies between.
        (lambda x: (lambda y: (y, ops.relu(y)))(x @ W), [["matmul"], ["relu"]]),
        (lambda x: (lambda y: y.sum() + ops.relu(y))(x @ W), [["matmul"], ["reduce_sum"], ["relu", "add"]]),
        (lambda x: (lambda y: (ops.relu(y + 1), y * 2))(x @ W), None),
        # Other places, another type, what may fail.
        (lambda x: (x @ W) * COLUMN, [["matmul"], ["mul"]]),
        (lambda x: x @ W > 0, [["matmul"], ["greater"]]),
        (lambda x: (x @ W).astype(ms.float16), [["matmul"], ["cast"]]),
        (lambda x: (x @ W).T + R.T, None),
    ],
)
def test_what_is_one_kernel(function, kernels):
    found = after(function, X)
    assert kernels is None or sorted(found) == sorted(kernels)


@pytest.mark.parametrize("kind", ["bool", "int8", "int32", "int64", "float16", "float64"])
@pytest.mark.parametrize("along", ["all", "a column", "one"])
def test_operands_of_other_types(kind, along):
    shape = {"all": (40, 50), "a column": (50,), "one": ()}[along]
    other = (normal(*shape, seed=4) * 3).astype(getattr(ms, kind))
    after(lambda x: (lambda y: y * other + y)(x @ W), X)
    other = other.reshape(1, *shape) if along == "all" else other
    after(lambda x: (lambda y: ops.relu(y - other))(ops.dense(x.reshape(1, 40, 70), W.T)), X)


def test_writes_in_place_between_stay_in_their_order():
    def f(x, w, r):
        y = x @ w
        w.copy_(w * 2)  # what the product has read
        z = ops.relu(y) + w.sum()
        r.copy_(x @ w + r)
        return z, r * 1

    def run(function):
        given = [Tensor(each.asnumpy().copy()) for each in (X, W, R)]
        return [bits([*function(*given), *given]) for _ in range(3)]

    with no_grad():
        assert run(jit(f)) == run(f)


def test_it_can_be_switched_off():
    with ir.without_passes("fuse_ends"):
        assert after(lambda x: ops.relu(x @ W + 1), X) == [["matmul"], ["add", "relu"]]


@pytest.mark.parametrize("way", [conv_channels, conv_pixels, conv_planes])
def test_each_kernel_of_convolutions(way, monkeypatch):
    for other in (conv_channels, conv_pixels, conv_planes):
        monkeypatch.setattr(other, "cycles", lambda s, value=0.0 if other is way else 1e9: value)
    groups = 6 if way is conv_planes else 1
    x, w = normal(2, 6, 13, 15, seed=4), normal(6, 6 // groups, 3, 3, seed=5)
    s, r = normal(6, 1, 1, seed=6), normal(2, 6, 11, 13, seed=7)

    def f(x):
        return ops.relu(ops.conv2d(x, w, groups=groups) * s + r)

    want, compiled = f(x), jit(f)
    for _ in range(3):
        assert bits(compiled(x)) == bits(want)
    assert loops(compiled) == [["conv2d", "mul", "add", "relu"]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm_in_inference_goes_with_the_convolution(dtype, affine):
    kind = getattr(ms, dtype)
    conv = nn.Conv2d(3, 8, 3, has_bias=affine, dtype=kind)
    norm = nn.BatchNorm2d(8, affine=affine, dtype=kind)
    x = normal(2, 3, 9, 9, dtype=dtype)
    norm.set_train()
    norm(normal(4, 8, 5, 5, dtype=dtype) * 3 + 1)  # its moments move
    norm.set_train(False)
    compiled = jit(lambda x: ops.relu(norm(conv(x))))
    with no_grad():
        want = ops.relu(norm(conv(x)))
        for _ in range(3):
            assert bits(compiled(x)) == bits(want)
        with ir.without_passes("write_out_norms"):
            assert bits(jit(lambda x: ops.relu(norm(conv(x))))(x)) == bits(want)
    assert ["conv2d", "sub", "multiply_add", "relu"] in loops(compiled)
    [point] = compiled.program.entries.values()
    segment, _ = point.variants[0].runner.segment()
    assert "norm_with" not in [call.entry.op.name for call in planned_calls(segment.graph)]


@pytest.mark.parametrize("written", ["x", "mean", "variance", "weight", "bias", "inner"])
def test_batch_norm_reads_what_was_there_before_a_write(written):
    def f(x, mean, variance, weight, bias):
        inner = x * 1 if written == "inner" else x
        y = ops.batch_norm(inner, mean, variance, weight, bias)
        {"x": x, "mean": mean, "variance": variance, "weight": weight, "bias": bias, "inner": inner}[written].add_(1)
        return ops.relu(y), ops.batch_norm(y, mean, variance, weight, bias) * 2

    def run(function):
        given = [normal(2, 3, 4, 4), normal(3, seed=1), normal(3, seed=2) ** 2, normal(3, seed=3), normal(3, seed=4)]
        return [bits([*function(*given), *given]) for _ in range(3)]

    with no_grad():
        assert run(jit(f)) == run(f)
