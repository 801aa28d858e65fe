"""Exported networks: each operator's lowering is the operator, in value and gradient; LeNet on digits; names; errors."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Parameter, Tensor, deepx, nn, ops
from anfora.core.op import registry
from anfora.data import digits
from anfora.deepx.__main__ import main
from anfora.deepx.operators import LOWERINGS
from anfora.models import LeNet5

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(4, 6)), RNG.uniform(0.2, 1.8, size=(4, 6))
ROW, COLUMN = RNG.uniform(0.5, 1.5, size=6), RNG.normal(size=(4, 1))
MOMENTS = [Tensor(RNG.uniform(0.5, 1, size=4)) for _ in range(2)]
IMAGE, FILTER, BIAS = RNG.normal(size=(2, 4, 7, 6)), RNG.normal(size=(6, 4, 3, 2)), RNG.normal(size=6)
GROUPED, DEEP = RNG.normal(size=(6, 2, 3, 3)), RNG.normal(size=(2, 3, 4, 5))
PROBABILITIES, TARGETS = RNG.uniform(0.1, 0.9, size=(4, 6)), RNG.uniform(0, 1, size=(4, 6))
LABELS = Tensor([0, 5, 2, 2], anfora.int32)
ONES = Tensor(np.ones((2, 7, 6), np.int32))
NUMBERS = Tensor(ROW)
MASK = Tensor(RNG.uniform(size=(4, 6)) > 0.5)

#: A program of an operator, and its arguments. Gradients are compared to all of these.
PROGRAMS = {
    "add": (lambda x, y: x + y, X, ROW),
    "add a number": (lambda x: 2 + x + 0.5, X),
    "sub": (lambda x, y: x - y, X, COLUMN),
    "sub numbers": (lambda x: 3 - (x - 0.5), X),
    "mul": (lambda x, y: x * y, X, ROW),
    "mul a number": (lambda x: 3 * x, X),
    "div": (lambda x, y: x / y, X, Y),
    "div numbers": (lambda x: 2 / x + x / 3, Y),
    "remainder": (lambda x, y: x % y, X, Y),
    "remainder of a number": (lambda x: x % 0.7, X),
    "pow": (lambda x, y: x**y, Y, X),
    "pow numbers": (lambda x: x**3 + x**0.5, Y),
    "a number to a power": (lambda x: 2.0**x, X), "maximum": (lambda x, y: ops.maximum(x, y), X, Y),
    "minimum": (lambda x: ops.minimum(x, 0.3) + ops.maximum(-0.2, x), X), "neg": (lambda x: -x, X),
    "abs": (lambda x: ops.abs(x), X),
    "square": (lambda x: ops.square(x), X),
    "reciprocal": (lambda x: ops.reciprocal(x), Y),
    "rsqrt": (lambda x: ops.rsqrt(x), Y), "exp": (lambda x: ops.exp(x), X), "log": (lambda x: ops.log(x), Y),
    "log2": (lambda x: ops.log2(x) + ops.log10(x), Y), "log1p": (lambda x: ops.log1p(x * 1e-4), Y),
    "expm1": (lambda x: ops.expm1(x * 1e-4), X), "exp2": (lambda x: ops.exp2(x), X), "sqrt": (lambda x: ops.sqrt(x), Y),
    "sin": (lambda x: ops.sin(x) + ops.cos(x), X), "tan": (lambda x: ops.tan(x * 0.5), X),
    "sign": (lambda x: ops.sign(x) * x, X), "clamp": (lambda x: ops.clamp(x, -0.5, 0.7), X),
    "clamp from below": (lambda x, y: ops.clamp(x, min=y), X, Y), "positive": (lambda x: ops.positive(x) * 2, X),
    "compare": (lambda x, y: ops.where(x > y, x, y) * ops.cast(x <= 0.3, x.dtype) + (x >= y) * x + (x < 0) * y, X, Y),
    "equal": (lambda x: ops.where(ops.equal(ops.sign(x), 1), x, x * x) + (ops.sign(x) != 1) * x, X),
    "logical": (lambda x: ((x > 0) & (x < 1) | ops.logical_not(x > -1)) * x, X),
    "where": (lambda x: ops.where(MASK, x, 0.5), X), "masked_fill": (lambda x: ops.masked_fill(x, MASK, -3.0), X),
    "masked softmax": (lambda x: ops.softmax(ops.masked_fill(x, MASK[:, :1] & MASK, float("-inf"))), X),
    "tril": (lambda x: ops.tril(x) + ops.triu(x, 1) * 2, X),
    "relu": (lambda x: ops.relu(x), X),
    "relu6": (lambda x: ops.relu6(x * 5), X),
    "sigmoid": (lambda x: ops.sigmoid(x * 9), X),
    "tanh": (lambda x: ops.tanh(x), X), "silu": (lambda x: ops.silu(x), X), "gelu": (lambda x: ops.gelu(x, "tanh"), X),
    "fast_gelu": (lambda x: ops.fast_gelu(x), X), "leaky_relu": (lambda x: ops.leaky_relu(x, 0.1), X),
    "elu": (lambda x: ops.elu(x), X),
    "selu": (lambda x: ops.selu(x), X),
    "hardsigmoid": (lambda x: ops.hardsigmoid(3 * x), X),
    "hardswish": (lambda x: ops.hardswish(3 * x), X), "hardtanh": (lambda x: ops.hardtanh(x, -0.4, 0.6), X),
    "softplus": (lambda x: ops.softplus(9 * x), X), "softplus of 2x": (lambda x: ops.softplus(9 * x, 2, 5), X),
    "logsigmoid": (lambda x: ops.logsigmoid(9 * x), X), "mish": (lambda x: ops.mish(3 * x), X),
    "softsign": (lambda x: ops.softsign(x), X), "tanhshrink": (lambda x: ops.tanhshrink(x), X),
    "threshold": (lambda x: ops.threshold(x, 0.2, 7), X),
    "reshape": (lambda x: ops.reshape(x, (3, -1)).expand_dims(0).squeeze(), X),
    "transpose": (lambda x: x.transpose(1, 0, 3, 2), DEEP),
    "swapaxes": (lambda x: ops.swapaxes(x, 0, 2), DEEP), "broadcast_to": (lambda x: ops.broadcast_to(x, (3, 4, 6)), X),
    "cast": (lambda x: x.astype(anfora.float64) * 2, X), "concat": (lambda x, y: ops.concat([x, y, x], 1), X, Y),
    "stack": (lambda x, y: ops.stack([x, y], 1), X, Y), "split": (lambda x: ops.split(x, 3, 1)[1], X),
    "slices": (lambda x: x[1:, ::2] + x[:3, None, -1] + x[0, 0], X), "backwards": (lambda x: ops.flip(x, (0,)) * x, X),
    "rows": (lambda x: x[LABELS % 4], X), "gather": (lambda x: ops.gather(x, LABELS, 1), X),
    "embedding": (lambda w: ops.embedding(LABELS, w), DEEP[0, 0].repeat(2, 0)),
    "pad": (lambda x: ops.pad(x, (1, 2, 0, 1), value=0.5), X),
    "tile": (lambda x: ops.tile(x, (2, 1)), X), "one_hot": (lambda x: ops.one_hot(LABELS, 6) * x, X),
    "made of numbers": (lambda x: x + ops.arange(6) * ops.linspace(0, 1, 6) + ops.eye(4, 6) + ops.full((4, 6), 2.0), X),
    "sum": (lambda x: x.sum() + x.sum(1, keepdims=True) + x.sum(0), X), "mean": (lambda x: x.mean((0, 2)), DEEP),
    "max": (lambda x: x.max() + x.max(1) + x.min((0, 1), keepdims=True), DEEP), "prod": (lambda x: ops.prod(x, 1), X),
    "std": (lambda x: ops.std(x, 1) + ops.var(x) + ops.std(x, 0, ddof=1).sum(), X),
    "norm": (lambda x: ops.norm(x, dim=1), X),
    "logsumexp": (lambda x: ops.logsumexp(x, 1), X),
    "matmul": (lambda x, y: x @ y.T, X, Y), "matmul of vectors": (lambda x, y: (x @ y) * (y @ x.T), X, ROW),
    "matmul of batches": (lambda x, y: ops.matmul(x, y.T), DEEP, RNG.normal(size=(3, 5))),
    "bmm": (lambda x, y: ops.bmm(x[0], y[0].swapaxes(1, 2)), DEEP, DEEP + 1),
    "addmm": (lambda b, x, y: ops.addmm(b, x, y.T), COLUMN, X, Y),
    "dense": (lambda x, w, b: ops.dense(x, w, b), DEEP, RNG.normal(size=(7, 5)), RNG.normal(size=7)),
    "conv2d": (lambda x, w, b: ops.conv2d(x, w, b), IMAGE, FILTER, BIAS),
    "conv2d same": (lambda x, w: ops.conv2d(x, w, None, (2, 1), "same"), IMAGE, FILTER),
    "conv2d padded": (lambda x, w: ops.conv2d(x, w, None, 1, "pad", (1, 2, 0, 1), (2, 1)), IMAGE, FILTER),
    "conv2d in groups": (lambda x, w, b: ops.conv2d(x, w, b, 2, "pad", 1, groups=2), IMAGE, GROUPED, BIAS),
    "conv1d": (lambda x, w: ops.conv1d(x, w), IMAGE[:, :, 0], FILTER[:, :, 0]),
    "max_pool2d": (lambda x: ops.max_pool2d(x, 3, 2), IMAGE),
    "max_pool2d padded": (lambda x: ops.max_pool2d(x, 3, 2, 1, ceil_mode=True), IMAGE),
    "avg_pool2d": (lambda x: ops.avg_pool2d(x, 2, 2), IMAGE),
    "avg_pool2d padded": (lambda x: ops.avg_pool2d(x, 3, 2, 1, True) + ops.avg_pool2d(x, 3, 2, 1, True, False), IMAGE),
    "avg_pool2d by a divisor": (lambda x: ops.avg_pool2d(x[0], 3, 1, 1, divisor_override=5), IMAGE),
    "adaptive_avg_pool2d": (lambda x: ops.adaptive_avg_pool2d(x, (1, 2)), IMAGE),
    "layer_norm": (lambda x, w, b: ops.layer_norm(x, (6,), w, b), X, ROW, ROW - 1),
    "layer_norm of planes": (lambda x: ops.layer_norm(x, (4, 5)), DEEP),
    "rms_norm": (lambda x, w: ops.rms_norm(x, w)[0], X, ROW),
    "batch_norm": (lambda x, w, b: ops.batch_norm(x, *MOMENTS, w, b), IMAGE, *RNG.uniform(0.5, 1, size=(2, 4))),
    "group_norm": (lambda x, w, b: ops.group_norm(x, 2, w, b), IMAGE, *RNG.normal(size=(2, 4))),
    "softmax": (lambda x: ops.softmax(x, 0) + ops.softmax(9 * x), X),
    "log_softmax": (lambda x: ops.log_softmax(20 * x, 0), X),
    "cross_entropy": (lambda x: ops.cross_entropy(9 * x, LABELS), X),
    "cross_entropy in all ways": (
        lambda x, w: (
            ops.cross_entropy(x, LABELS, w, 5, label_smoothing=0.1) + ops.cross_entropy(x, LABELS, w, reduction="none")
        ),
        X, ROW,
    ),
    "cross_entropy of planes": (lambda x: ops.cross_entropy(x, ONES, reduction="sum"), IMAGE),
    "nll_loss": (lambda x: ops.nll_loss(x, LABELS), X),
    "cross_entropy of shares": (lambda x, y: ops.cross_entropy(x, y), X, PROBABILITIES),
    "softmax_cross_entropy_with_logits": (lambda x, y: ops.softmax_cross_entropy_with_logits(x, y), X, PROBABILITIES),
    "mse_loss": (lambda x, y: ops.mse_loss(x, y), X, Y), "l1_loss": (lambda x, y: ops.l1_loss(x, y, "sum"), X, Y),
    "smooth_l1_loss": (lambda x, y: ops.smooth_l1_loss(x, y, 0.5) + ops.huber_loss(x, y, delta=0.7), X, Y),
    "binary_cross_entropy": (lambda x, y: ops.binary_cross_entropy(x, y), PROBABILITIES, TARGETS),
    "binary_cross_entropy_with_logits": (lambda x, y: ops.binary_cross_entropy_with_logits(9 * x, y), X, TARGETS),
    "logical_or": (lambda x: ops.logical_or(x > 0, x < -1) * x + ops.logical_and(x > 0, x < 1) * x, X),
}  # fmt: skip


def weighted(function, arguments):
    """The function as a loss: the sum of its result, weighted so that no element counts like another."""
    value = function(*arguments)
    weights = Tensor(np.cos(np.arange(value.size)).reshape(value.shape) + 1.5, value.dtype)

    def loss(*arguments):
        value = function(*arguments)
        return (value * weights).sum(), value

    return loss


@pytest.mark.parametrize("name", PROGRAMS)
def test_lowerings_are_the_operators(name):
    function, *arrays = PROGRAMS[name]
    arguments = tuple(Tensor(array, anfora.float64) for array in arrays)
    loss = weighted(function, arguments)
    program, bindings = deepx.export(loss, arguments)
    assert deepx.parse(deepx.format(program)) == program
    named = list(bindings)[: len(arrays)]
    memory = deepx.run(deepx.differentiate(program, "tout0", named, bindings), bindings)
    (_, value), gradients = anfora.value_and_grad(loss, tuple(range(len(arrays))), has_aux=True)(*arguments)
    np.testing.assert_allclose(memory["tout1"].asnumpy(), value.asnumpy(), 1e-9, 1e-12)
    for parameter, gradient in zip(named, gradients if isinstance(gradients, tuple) else (gradients,)):
        np.testing.assert_allclose(memory[f"{parameter}_grad"].asnumpy(), gradient.asnumpy(), 1e-7, 1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_float32_is_reproduced(name):
    function, *arrays = PROGRAMS[name]
    arguments = tuple(Tensor(array, anfora.float32) for array in arrays)
    program, bindings = deepx.export(function, arguments)
    found, value = deepx.run(program, bindings)["tout"], function(*arguments)
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    np.testing.assert_allclose(found.asnumpy(), value.asnumpy(), 3e-6, 1e-6)


def test_every_lowering_is_tried():
    tried = set()
    for function, *arrays in PROGRAMS.values():
        program, _ = deepx.export(function, tuple(Tensor(array, anfora.float32) for array in arrays))
        tried |= {line.meta.get("operator") for line in program}
    silent = {"reshape", "expand_dims", "squeeze", "alias", "copy", "positive", "stop_gradient"}  # no instructions
    assert set(LOWERINGS) - tried <= silent
    assert set(LOWERINGS) <= set(registry)


# -- networks ---------------------------------------------------------------------------------------------------------


class Transformer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, 0.0)
        self.head = nn.Dense(8, 3)

    def construct(self, words):
        return self.head(self.block(self.words(words)).mean(1))


def perceptron():
    return nn.SequentialCell(nn.Dense(6, 8), nn.Tanh(), nn.LayerNorm((8,)), nn.Dense(8, 4), nn.GELU(), nn.Dense(4, 3))


def convolutions():
    return nn.SequentialCell(
        nn.Conv2d(4, 8, 3, has_bias=True, bias_init="normal"), nn.BatchNorm2d(8), nn.LeakyReLU(), nn.AvgPool2d(2, 2),
        nn.Conv2d(8, 8, 3, group=8, pad_mode="pad", padding=1), nn.GroupNorm(2, 8), nn.SiLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Dropout(p=0.3), nn.Dense(8, 3),
    )  # fmt: skip


NETWORKS = {
    "perceptron": (perceptron, Tensor(X, anfora.float32)),
    "convolutions": (convolutions, Tensor(IMAGE, anfora.float32)),
    "transformer": (Transformer, Tensor(RNG.integers(0, 20, (4, 5)), anfora.int32)),
    "lenet": (LeNet5, Tensor(digits(32)[0][100:108])),
}


@pytest.mark.parametrize("options", [{}, {"delete": True}, {"delete": True, "reuse": True}], ids=str)
@pytest.mark.parametrize("name", NETWORKS)
def test_losses_of_networks(name, options):
    """The loss, and the gradients to all parameters, from the text."""
    make, x = NETWORKS[name]
    anfora.set_seed(1)
    net, loss = make(), nn.CrossEntropyLoss()
    net.set_train(False)
    labels = Tensor(digits(32)[1][100:108] if name == "lenet" else [2, 0, 1, 1][: x.shape[0]], anfora.int32)
    parameters = net.trainable_params()

    def forward(x, y):
        return loss(net(x), y)

    value, gradients = anfora.value_and_grad(forward, None, parameters)(x, labels)
    program, bindings = deepx.export(forward, (x, labels), **options)
    text = deepx.format(program, meta=True)
    assert deepx.parse(text) == program and deepx.format(deepx.parse(text), meta=True) == text
    np.testing.assert_allclose(deepx.run(text, bindings)["tout"].item(), value.item(), 1e-6)
    cells = ["t" + parameter.name.replace(".", "_") for parameter in parameters]
    assert all(bindings[cell] is parameter for cell, parameter in zip(cells, parameters))
    backward = deepx.differentiate(deepx.parse(text), "tout", cells, bindings, rename=bool(options.get("reuse")))
    memory = deepx.run(backward, bindings, check_stale=True)
    for cell, gradient in zip(cells, gradients):
        found, wanted = memory[f"{cell}_grad"].asnumpy(), gradient.asnumpy()
        np.testing.assert_allclose(found, wanted, 1e-4, 2e-6 * np.abs(wanted).max() + 1e-9, err_msg=cell)


def trained_by_steps(forward, parameters, x, y):
    step, optimizer = anfora.value_and_grad(forward, None, parameters), nn.SGD(parameters, 0.1)
    for _ in range(4):
        value, gradients = step(x, y)
        optimizer(gradients)
        yield value.item()


def trained_as_a_text(forward, parameters, x, y):
    program, bindings = deepx.export(forward, (x, y))
    cells = ["t" + parameter.name.replace(".", "_") for parameter in parameters]
    program = deepx.differentiate(program, "tout", cells, bindings)
    for _ in range(4):
        machine = deepx.Machine(bindings, copy=False)
        machine.execute(program)
        for cell in cells:
            machine.execute(f"mul_scalar@float32 {cell}_grad -0.1->{cell}_grad\nadd {cell} {cell}_grad->{cell}")
        yield machine["tout"].item()


def test_lenet_can_be_trained_as_a_text():
    """Parameters that are bound without a copy change with the program; the losses are those of the framework's steps."""
    images, labels = digits(32)
    x, y = Tensor(images[:16]), Tensor(labels[:16])
    losses = []
    for train in (trained_by_steps, trained_as_a_text):
        anfora.set_seed(3)
        net = nn.WithLossCell(LeNet5(), nn.CrossEntropyLoss())
        losses.append(list(train(net, net.trainable_params(), x, y)))
    np.testing.assert_allclose(losses[1], losses[0], 1e-5)
    assert losses[0][3] < losses[0][0]


# -- cells ------------------------------------------------------------------------------------------------------------


def test_names():
    table = Tensor(ROW)

    def function(x, pair, *rest, out):
        return {"sum": x + pair["a"] * pair["b"][0], "rest": [rest[0] * table, out]}

    arguments = {"x": Tensor(X), "pair": {"a": Tensor(X), "b": (Tensor(Y),)}, "out": Tensor(Y)}
    program, bindings = deepx.export(lambda x, pair, out: function(x, pair, x, out=out), arguments)
    assert list(bindings)[:4] == ["tx", "tpair_a", "tpair_b_0", "tout"]
    memory = deepx.run(program, bindings)
    np.testing.assert_array_equal(memory["tout0"].asnumpy(), X + X * Y)
    np.testing.assert_array_equal(memory["tout1"].asnumpy(), X * ROW)
    np.testing.assert_array_equal(memory["tout2"].asnumpy(), Y)
    parameter = Parameter(Tensor(ROW), name="a.b-c")
    _, bindings = deepx.export(lambda out: out * parameter, Tensor(X))
    assert list(bindings) == ["tout_2", "ta_b_c"]
    _, bindings = deepx.export(lambda *x: x[0] + x[1] * table, (X, Y))
    assert list(bindings) == ["tx0", "tx1", "tconstant"]


def test_names_of_cells_are_not_taken():
    """`t1` is a name that a `Writer` would give."""
    parameters = [Parameter(Tensor(ROW * i), name=str(i)) for i in range(5)]
    program, bindings = deepx.export(lambda x: sum((ops.exp(x * p) for p in parameters), x), Tensor(X))
    assert list(bindings) == ["tx", "t0", "t1", "t2", "t3", "t4"]
    wanted = X + sum(np.exp(X * ROW * i) for i in range(5))
    np.testing.assert_allclose(deepx.run(program, bindings)["tout"].asnumpy(), wanted)


def test_results_that_are_inputs_or_the_same_are_copies():
    program, bindings = deepx.export(lambda x: (x, x * 2, x), Tensor(X))
    memory = deepx.run(program, bindings)
    for name, wanted in (("tout0", X), ("tout1", X * 2), ("tout2", X)):
        np.testing.assert_array_equal(memory[name].asnumpy(), wanted)
    program, bindings = deepx.export(lambda x: (x * 2,) * 2, Tensor(X))
    memory = deepx.run(program, bindings)
    np.testing.assert_array_equal(memory["tout0"].asnumpy(), memory["tout1"].asnumpy())


def test_numbers_are_part_of_the_program():
    program, bindings = deepx.export(lambda x, c, n: x[n:] * c, (Tensor(X), 2.5, 3))
    assert [name for name in bindings if not name[1:].isdigit()] == ["tx"]
    np.testing.assert_allclose(deepx.run(program, bindings)["tout"].asnumpy(), X[3:] * 2.5)


def test_cells_are_deleted_and_used_again():
    def function(x):
        for _ in range(6):
            x = ops.exp(x * 0.5) - 1
        return x

    plain, bindings = deepx.export(function, Tensor(X))
    deleted, _ = deepx.export(function, Tensor(X), delete=True)
    reused, _ = deepx.export(function, Tensor(X), delete=True, reuse=True)
    wanted = deepx.run(plain, bindings)["tout"].asnumpy()
    sizes = []
    for program in (plain, deleted, reused):
        machine = deepx.Machine(bindings)
        most = 0
        for line in program:
            machine.step(line)
            most = max(most, len(machine.tensors))
        sizes.append((most, len(machine.tensors)))
        np.testing.assert_array_equal(machine["tout"].asnumpy(), wanted)
    assert sizes[0] == (19, 19) and sizes[1] == (3, 2) and sizes[2] == (3, 2)
    assert sum(line.op == "newtensor" for line in reused) == 2
    with pytest.raises(deepx.DeepxError, match="E-INPLACE"):
        deepx.differentiate(reused, "tout", "tx", bindings)


BASE = {
    "relu": (lambda x: ops.relu(x) + 1, X), "tanh": (lambda x: ops.tanh(x) * ops.sigmoid(x), X),
    "polynomial": (lambda x: 1 / (2 + x**4) - abs(x) + 3 - ops.square(x), X),
    "clip": (lambda x: ops.clamp(x, -1, 1).mean(1), X),
    "constant": (lambda x: (x * NUMBERS).sum(), X), "silu": (lambda x: ops.silu(-x), X),
}  # fmt: skip


@pytest.mark.parametrize("name", BASE)
def test_base_instructions_alone(name):
    function, array = BASE[name]
    x = Tensor(array, anfora.float64)
    program, bindings = deepx.export(function, x, base_only=True)
    assert {line.op for line in program} <= {"argset", "newtensor"} | deepx.lowering.BASE
    np.testing.assert_allclose(deepx.run(program, bindings)["tout"].asnumpy(), function(x).asnumpy(), 1e-9, 1e-12)


def test_base_instructions_do_not_stretch_inputs():
    with pytest.raises(deepx.DeepxError, match="E-OP: mul: broadcastTo is in the extension table"):
        deepx.export(lambda x, y: x * y, (Tensor(X), Tensor(ROW)), base_only=True)


def test_base_instructions_do_not_multiply_matrices():
    with pytest.raises(deepx.DeepxError, match="E-OP: matmul: matmul is in the extension table"):
        deepx.export(lambda x: x @ x, Tensor(X[:, :4]), base_only=True)


def test_float16_is_computed_as_the_kernels_do():
    x = Tensor(X, anfora.float16)
    function = lambda x: ops.softmax(ops.gelu(x * 3, "tanh")) + ops.sigmoid(x * 20)  # noqa: E731
    program, bindings = deepx.export(function, x)
    found = deepx.run(program, bindings)["tout"]
    assert found.dtype is anfora.float16
    np.testing.assert_allclose(found.asnumpy(), function(x).asnumpy(), 2e-3, 1e-4)


def test_compiled_functions_and_graph_mode():
    net = perceptron()
    wanted, bindings = deepx.export(net, Tensor(X, anfora.float32))
    [given] = [name for name, value in bindings.items() if value.shape == X.shape]
    compiled = anfora.jit(lambda x: net(x))
    assert str(deepx.export(compiled, Tensor(X, anfora.float32))[0]) == str(wanted).replace(given, "tx")
    anfora.set_context(mode=anfora.GRAPH_MODE)
    try:
        assert str(deepx.export(net, Tensor(X, anfora.float32))[0]) == str(wanted)
    finally:
        anfora.set_context(mode=anfora.PYNATIVE_MODE)


# -- what is refused --------------------------------------------------------------------------------------------------


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor([0.0]), name="count")
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return x


class Writing(Counting):
    def construct(self, x):
        ops.assign_add(self.count, Tensor([1.0]))
        return x


def by_data(x):
    y = x * 2
    if y.sum() > 0:
        return y
    return x


def in_part_without_tape(x):
    with anfora.no_grad():
        factor = ops.sigmoid(x)
    return x * factor


def with_a_list(x, said=[]):  # noqa: B006
    try:
        said.append(1)
    except Exception:
        pass
    return x


@pytest.mark.parametrize(
    ("network", "message", "line"),
    [
        (lambda x: ops.erf(x), "E-OP: erf has no lowering to deepx IR", "ops.erf(x)"),
        (lambda x: ops.gelu(x), "E-OP: gelu has no lowering to deepx IR: there is no error function", "ops.gelu(x)"),
        (by_data, "E-OP: by_data cannot be exported: the data of a tensor", "if y.sum() > 0:"),
        (with_a_list, "E-OP: with_a_list cannot be exported: a change of a list from outside", "said.append(1)"),
        (in_part_without_tape, "E-OP: in_part_without_tape cannot be exported: .*no_grad", ""),
        (lambda x: ops.stop_gradient(x) * x, "E-OP: stop_gradient has no lowering", "ops.stop_gradient(x)"),
        (lambda x: ops.max_pool2d(x, 2, return_indices=True), "E-OP: the result tout1 has no lowering", ""),
        (
            lambda x: ops.max_pool2d(x, 2, return_indices=True)[1] * 2,
            "E-OP: mul has no lowering .* what it takes",
            "* 2",
        ),
        (Counting(), "E-OP: Counting cannot be exported: a change of an attribute of Counting", "self.calls += 1"),
        (Writing(), r"E-OP: Writing cannot be exported: .* writes to a tensor in place", "ops.assign_add(self.count"),
        (nn.BatchNorm2d(6), "E-OP: BatchNorm2d cannot be exported: move_average writes to a tensor in place", ""),
        (nn.Dropout(p=0.5), "E-OP: drop has no lowering", ""),
        (lambda x: (x, "text"), "E-OPERAND: the results of a network must be tensors, but one is 'text'", ""),
        (lambda x: x.astype(anfora.uint8), "E-DTYPE: cast: the result of cast is", "x.astype"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_refused(network, message, line):
    if isinstance(network, nn.Cell):
        network.set_train(True)
    with pytest.raises(deepx.DeepxError, match=message) as found:
        deepx.export(network, Tensor(RNG.normal(size=(2, 6, 3, 3)).astype(np.float32)))
    assert line in str(found.value) and ("test_export.py" in str(found.value) or not line)
    if isinstance(network, Counting):
        assert network.calls == 0 and network.count.asnumpy().tolist() == [0]
    assert with_a_list.__defaults__ == ([],)


def test_gradients_at_zero():
    """Where a formula has a bend at 0 and the operator has none, there is none."""
    for function in (ops.sigmoid, ops.elu, ops.selu, ops.softplus, ops.mish, ops.logsigmoid, ops.softsign, ops.abs):
        x = Tensor(np.array([0.0, 1.0]))
        program, bindings = deepx.export(lambda x, f=function: f(x).sum(), x)
        memory = deepx.run(deepx.differentiate(program, "tout", "tx", bindings), bindings)
        wanted = anfora.grad(lambda x, f=function: f(x).sum())(x)
        np.testing.assert_allclose(memory["tx_grad"].asnumpy(), wanted.asnumpy(), 1e-7, err_msg=function.__name__)


def test_a_saturated_network_has_gradients():
    x = Tensor(np.array([-200.0, -50, 0, 50, 200]), anfora.float32)
    program, bindings = deepx.export(lambda x: ops.binary_cross_entropy(ops.sigmoid(x), ops.relu(ops.sign(x))), x)
    memory = deepx.run(deepx.differentiate(program, "tout", "tx", bindings), bindings)
    assert np.isfinite(memory["tx_grad"].asnumpy()).all() and np.isfinite(memory["tout"].item())


def test_the_command_line_runs_an_exported_network(tmp_path):
    net = nn.Dense(6, 3)
    program, bindings = deepx.export(net, Tensor(X, anfora.float32))
    (tmp_path / "net.deepx").write_text(deepx.format(program))
    inputs = []
    for name, value in bindings.items():
        np.save(tmp_path / f"{name}.npy", value.asnumpy())
        inputs += ["--input", f"{name}={tmp_path / name}.npy"]
    assert main(["run", str(tmp_path / "net.deepx"), *inputs, "--output", str(tmp_path / "out")]) == 0
    wanted = net(Tensor(X, anfora.float32)).asnumpy()
    np.testing.assert_allclose(np.load(tmp_path / "out" / "tout.npy"), wanted, 1e-6, 1e-6)


def test_a_refusal_leaves_the_moments_alone():
    net = nn.BatchNorm2d(6)
    net.set_train(True)
    before = net.moving_mean.asnumpy().copy()
    with pytest.raises(deepx.DeepxError):
        deepx.export(net, Tensor(RNG.normal(size=(2, 6, 3, 3)), anfora.float32))
    np.testing.assert_array_equal(net.moving_mean.asnumpy(), before)


def test_a_refusal_draws_no_random_numbers():
    drop = nn.Dropout(p=0.5)
    drop.set_train(True)
    anfora.set_seed(4)
    wanted = ops.randn(3).tolist()
    anfora.set_seed(4)
    with pytest.raises(deepx.DeepxError, match="drop has no lowering"):
        deepx.export(drop, Tensor(X))
    assert ops.randn(3).tolist() == wanted


def test_what_is_no_network_is_refused():
    with pytest.raises(TypeError, match="a Cell or a function"):
        deepx.export(3, Tensor(X))
