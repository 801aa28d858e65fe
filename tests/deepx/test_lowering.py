"""Layers in instructions are the framework's layers, in value and gradient; LeNet as a text is LeNet."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import anfora
from anfora import Tensor, deepx, nn, ops
from anfora.core.dtype import float64
from anfora.data import digits
from anfora.models import LeNet5

RNG = np.random.default_rng(3)
X, W, B = RNG.normal(size=(4, 6)), RNG.normal(size=(5, 6)), RNG.normal(size=5)
IMAGE, FILTER, BIAS = RNG.normal(size=(2, 3, 7, 6)), RNG.normal(size=(4, 3, 3, 2)), RNG.normal(size=4)

#: A lowering, the operator it stands for, and what both take.
LAYERS = {
    "neg": (lambda w: w.neg("tx"), lambda x: ops.neg(x), {"tx": X}),
    "sub_constant": (lambda w: w.sub_constant("tx", 0.3), lambda x: x - 0.3, {"tx": X}),
    "constant_sub": (lambda w: w.constant_sub(0.3, "tx"), lambda x: 0.3 - x, {"tx": X}),
    "constant_div": (lambda w: w.constant_div(0.3, "tx"), lambda x: 0.3 / x, {"tx": X}),
    "relu": (lambda w: w.relu("tx"), lambda x: ops.relu(x), {"tx": X}),
    "square": (lambda w: w.square("tx"), lambda x: ops.square(x), {"tx": X}),
    "abs": (lambda w: w.abs("tx"), lambda x: ops.abs(x), {"tx": X}),
    "mean": (lambda w: w.mean("tx", [1]), lambda x: ops.mean(x, 1), {"tx": X}),
    "mean of all": (lambda w: w.mean("tx"), lambda x: ops.mean(x), {"tx": X}),
    "sigmoid": (lambda w: w.sigmoid("tx"), lambda x: ops.sigmoid(x), {"tx": X}),
    "tanh": (lambda w: w.tanh("tx"), lambda x: ops.tanh(x), {"tx": X}),
    "clip": (lambda w: w.clip("tx", -0.5, 0.7), lambda x: ops.clamp(x, -0.5, 0.7), {"tx": X}),
    "power": (lambda w: w.power("tx", 3), lambda x: x**3, {"tx": X}),
    "flatten": (lambda w: w.flatten("tx"), lambda x: ops.reshape(x, (2, -1)), {"tx": IMAGE}),
    "dense": (lambda w: w.dense("tx", "tw", "tb"), lambda x, k, b: ops.dense(x, k, b), {"tx": X, "tw": W, "tb": B}),
    "dense without bias": (lambda w: w.dense("tx", "tw"), lambda x, k: ops.dense(x, k), {"tx": X, "tw": W}),
    "conv2d": (
        lambda w: w.conv2d("tx", "tw", "tb"), lambda x, k, b: ops.conv2d(x, k, b),
        {"tx": IMAGE, "tw": FILTER, "tb": BIAS},
    ),
    "conv2d with padding and stride": (
        lambda w: w.conv2d("tx", "tw", stride=2, padding=1), lambda x, k: ops.conv2d(x, k, None, 2, "pad", 1),
        {"tx": IMAGE, "tw": FILTER},
    ),
    "max_pool2d": (lambda w: w.max_pool2d("tx", 3, 2), lambda x: ops.max_pool2d(x, 3, 2), {"tx": IMAGE}),
    "avg_pool2d": (lambda w: w.avg_pool2d("tx", 2), lambda x: ops.avg_pool2d(x, 2, 2), {"tx": IMAGE}),
    "log_softmax": (lambda w: w.log_softmax("tx"), lambda x: ops.log_softmax(x, -1), {"tx": 50 * X}),
    "cross_entropy": (
        lambda w: w.cross_entropy("tx", "ty"), lambda x, y: ops.cross_entropy(x, y),
        {"tx": X, "ty": np.eye(6)[[0, 5, 2, 2]]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_lowerings_are_the_operators(name):
    write, operator, inputs = LAYERS[name]
    writer = deepx.Writer(inputs)
    result = write(writer)
    spec = writer.spec(result)
    # The loss is the sum of the result, weighted so that no element counts like another.
    weights = np.cos(np.arange(np.prod(spec.shape))).reshape(spec.shape)
    loss = writer.emit("sum", writer.emit("mul", result, writer.bind(weights)), [])
    wrt = [name for name in inputs if name != "ty"]
    bound = inputs | writer.bindings
    memory = deepx.run(deepx.differentiate(writer.program, loss, wrt, bound), bound)

    def weighted(*arguments):
        value = operator(*arguments)
        return (value * Tensor(weights)).sum(), value

    function = anfora.value_and_grad(weighted, tuple(range(len(wrt))), has_aux=True)
    (_, value), gradients = function(*(Tensor(array, float64) for array in inputs.values()))
    np.testing.assert_allclose(memory[result].asnumpy(), value.asnumpy(), 1e-9, 1e-12)
    for name, gradient in zip(wrt, gradients if isinstance(gradients, tuple) else (gradients,)):
        np.testing.assert_allclose(memory[f"{name}_grad"].asnumpy(), gradient.asnumpy(), 1e-9, 1e-12)


def test_ties_are_what_the_lowerings_say():
    writer = deepx.Writer({"tx": np.zeros(2)})
    program = deepx.differentiate(writer.program + writer.program, "tx", "tx", {"tx": np.zeros(2)})
    assert deepx.run(program, {"tx": np.zeros(2)})["tx_grad"].tolist() == [1, 1]
    y = writer.relu("tx")
    program = deepx.differentiate(writer.program, y, "tx", {"tx": np.zeros(2)})
    assert deepx.run(program, {"tx": np.zeros(2)})["tx_grad"].tolist() == [0.5, 0.5]
    writer = deepx.Writer({"tx": np.zeros((1, 1, 2, 2))})
    y = writer.max_pool2d("tx", 2)
    inputs = {"tx": np.zeros((1, 1, 2, 2))} | writer.bindings
    program = deepx.differentiate(writer.program, y, "tx", inputs)
    assert deepx.run(program, inputs)["tx_grad"].tolist() == [[[[0.25, 0.25], [0.25, 0.25]]]]


@pytest.mark.parametrize(("write", "code"), [
    (lambda w: w.emit("add", "tx", "ty"), "E-SHAPE"),
    (lambda w: w.emit("nothing", "tx"), "E-OP"),
    (lambda w: w.emit("argset", 1), "E-OP"),
    (lambda w: w.emit("exp", "ti"), "E-DTYPE"),
    (lambda w: w.emit("exp", "t9"), "E-UNDEF"),
    (lambda w: w.emit("sum", "tx", [4]), "E-SHAPE"),
    (lambda w: w.max_pool2d("timage", 9), "E-SHAPE"),
])  # fmt: skip
def test_a_writer_refuses_what_does_not_fit(write, code):
    writer = deepx.Writer({"tx": X, "ty": W, "ti": np.arange(3), "timage": IMAGE})
    with pytest.raises(deepx.DeepxError) as found:
        write(writer)
    assert found.value.code == code


# -- LeNet ------------------------------------------------------------------------------------------------------------


class LeNetWithBias(LeNet5):
    """With biases in the convolutions, so that no image region is exactly at a tie."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True, bias_init="normal")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True, bias_init="normal")


CELLS = {
    "conv1.weight": "tw1", "conv1.bias": "tb1", "conv2.weight": "tw2", "conv2.bias": "tb2", "fc1.weight": "tf1",
    "fc1.bias": "tg1", "fc2.weight": "tf2", "fc2.bias": "tg2", "fc3.weight": "tf3", "fc3.bias": "tg3",
}  # fmt: skip


def windows(channels: int, side: int, size: int, step: int) -> np.ndarray:
    """Where the elements of each window stand in a flattened image, by looking at numbered pixels."""
    pixels = np.arange(channels * side * side).reshape(channels, side, side)
    cut = np.lib.stride_tricks.sliding_window_view(pixels, (size, size), (1, 2))[:, ::step, ::step]
    return cut.transpose(1, 2, 0, 3, 4).reshape(cut.shape[1] * cut.shape[2], -1)


def test_lenet():
    """The loss and all gradients of a network on real digits, from a text."""
    anfora.set_seed(1)
    net, loss = LeNetWithBias(), nn.CrossEntropyLoss()
    images, labels = digits(32)
    images, labels = images[100:104], labels[100:104]
    step = anfora.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params())
    value, gradients = step(Tensor(images), Tensor(labels))
    assert {parameter.name for parameter in net.trainable_params()} == CELLS.keys()

    text = pathlib.Path(__file__).with_name("lenet.deepx").read_text()
    inputs = {CELLS[parameter.name]: parameter.asnumpy() for parameter in net.trainable_params()}
    inputs |= {"timages": images, "tlabels": np.eye(10, dtype=np.float32)[labels]}
    inputs |= {"twin1": windows(1, 32, 5, 1), "twin2": windows(6, 14, 5, 1)}
    inputs |= {"tpool1": windows(1, 28, 2, 2), "tpool2": windows(1, 10, 2, 2)}
    program = deepx.differentiate(text, "tloss", list(CELLS.values()), inputs)
    assert deepx.parse(deepx.format(program)) == program
    memory = deepx.run(program, inputs, check_stale=True)
    np.testing.assert_allclose(memory["tloss"].item(), value.item(), 1e-6)
    for parameter, gradient in zip(net.trainable_params(), gradients):
        found = memory[CELLS[parameter.name] + "_grad"].asnumpy()
        assert found.any()
        np.testing.assert_allclose(found, gradient.asnumpy(), 1e-4, 1e-6, err_msg=parameter.name)


def test_lenet_by_writer():
    net, loss = LeNetWithBias(), nn.CrossEntropyLoss()
    images, labels = digits(32)
    images, labels = images[:3], labels[:3]
    step = anfora.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params())
    value, gradients = step(Tensor(images), Tensor(labels))
    inputs = {CELLS[parameter.name]: parameter.asnumpy() for parameter in net.trainable_params()}
    inputs |= {"timages": images, "tlabels": np.eye(10, dtype=np.float32)[labels]}
    writer = deepx.Writer(inputs)
    x = "timages"
    for weight, bias in (("tw1", "tb1"), ("tw2", "tb2")):
        x = writer.max_pool2d(writer.relu(writer.conv2d(x, weight, bias)), 2)
    x = writer.relu(writer.dense(writer.flatten(x), "tf1", "tg1"))
    x = writer.dense(writer.relu(writer.dense(x, "tf2", "tg2")), "tf3", "tg3")
    total = writer.cross_entropy(x, "tlabels")
    inputs |= writer.bindings
    memory = deepx.run(deepx.differentiate(writer.program, total, list(CELLS.values()), inputs), inputs)
    np.testing.assert_allclose(memory[total].item(), value.item(), 1e-6)
    for parameter, gradient in zip(net.trainable_params(), gradients):
        found = memory[CELLS[parameter.name] + "_grad"].asnumpy()
        np.testing.assert_allclose(found, gradient.asnumpy(), 1e-4, 1e-6, err_msg=parameter.name)
