"""What is allowed, and hardly ever meant, is told at the line of the program: the same in both modes, and nothing else."""

from __future__ import annotations

import inspect
import linecache
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import anfora as ms
from anfora import AnforaWarning, Tensor, nn, ops

X, Y = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3), np.array([[1], [0], [1], [0]], np.float32)


class Inner(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.first, self.layer, self.last = nn.Dense(3, 2), layer, nn.Dense(2, 1)

    def construct(self, x):
        x = self.first(x)  # first
        x = self.layer(x)  # layer
        return self.last(x)


def net_with(layer):
    return lambda: Inner(layer())


def forward_of(net, loss):
    def forward(x, y):
        return loss(net(x), y)  # loss

    return forward


def _only_forward(forward, net, x, y):
    forward(x, y)


def _grad(forward, net, x, y):
    ms.value_and_grad(forward, None, net.trainable_params())(x, y)


def _backward(forward, net, x, y):
    forward(x, y).backward()


def _compiled(forward, net, x, y):
    ms.jit(forward)(x, y)


def _compiled_grad(forward, net, x, y):
    ms.jit(ms.value_and_grad(forward, None, net.trainable_params()))(x, y)


def _compiled_backward(forward, net, x, y):
    ms.jit(lambda x, y: forward(x, y).backward())(x, y)


def _compiled_forward_then_backward(forward, net, x, y):
    ms.jit(forward)(x, y).backward()


def _graph_mode(forward, net, x, y):
    with ms.context(mode=ms.GRAPH_MODE):
        _grad(forward, net, x, y)


def _under_no_grad(forward, net, x, y):
    with ms.no_grad():
        forward(x, y)


BACK = (_grad, _backward, _compiled_grad, _compiled_backward, _compiled_forward_then_backward, _graph_mode)
HOWS = (*BACK, _only_forward, _compiled, _under_no_grad)

#: Network, loss, data, labels; the warning, where, and how the network must be used for it.
CASES = {
    "a loss that broadcasts": (
        net_with(nn.ReLU), nn.MSELoss, X, Y[:, 0],
        r"outputs of the shape \(4, 1\) and labels of the shape \(4,\) broadcasts them to \(4, 4\)", "loss", HOWS,
    ),
    "another one": (
        net_with(nn.ReLU), nn.SoftMarginLoss, X, Y[:, 0] * 2 - 1, r"labels of the shape \(4,\)", "loss", HOWS,
    ),
    "data of float64": (
        net_with(nn.ReLU), nn.MSELoss, X.astype(np.float64), Y, "float64 data meets a float32 parameter", "first", BACK,
    ),
    "batch norm": (
        net_with(lambda: nn.BatchNorm1d(2)), nn.MSELoss, X, Y, "BatchNorm1d is trained through.*set_train", "layer", BACK,
    ),
    "dropout": (
        net_with(lambda: nn.Dropout(p=0.5)), nn.MSELoss, X, Y, "Dropout is trained through.*set_train", "layer", BACK,
    ),
}  # fmt: skip
USES = [(name, how) for name, case in CASES.items() for how in case[-1]]


@pytest.mark.parametrize("name, how", USES, ids=[f"{name}-{how.__name__[1:]}" for name, how in USES])
def test_warned_of_at_the_line(name, how):
    make, loss, x, y, message, where, _ = CASES[name]
    net = make()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        how(forward_of(net, loss()), net, Tensor(x), Tensor(y))
    [warning] = [w for w in found if w.category is AnforaWarning]
    assert warning.filename == __file__
    assert linecache.getline(__file__, warning.lineno).rstrip().endswith(f"# {where}")
    with pytest.raises(AnforaWarning, match=message):
        raise warning.message


def test_calls_of_the_same_types_before_leave_the_warning():
    """Who holds the data decides, and layouts do not tell: functions and operators."""
    wide, weight = Tensor(np.ones((7, 3))), ms.Parameter(Tensor(np.ones((7, 3), np.float32)), name="weight")
    for program in (ops.mul, lambda x, w: x * w, ops.maximum):
        for _ in range(4):
            program(wide, Tensor(weight.asnumpy()))
            program(wide * 1, Tensor(weight.asnumpy()))
        with pytest.warns(AnforaWarning, match="float64 data meets a float32 parameter"):
            program(wide, weight)


QUIET = {
    "fitting shapes": (net_with(nn.ReLU), X, Y, True),
    "labels that are stretched alone": (net_with(nn.ReLU), X, Y[:1], True),
    "data and parameters of float64": (
        lambda: nn.Dense(3, 1, dtype=ms.float64), X.astype(np.float64), Y.astype(np.float64), True
    ),
    "training": (net_with(lambda: nn.BatchNorm1d(2)), X, Y, True),
    "evaluation": (net_with(lambda: nn.BatchNorm1d(2)), X, Y, False),
    "training with dropout": (net_with(lambda: nn.Dropout(p=0.5)), X, Y, True),
    "evaluation with dropout": (net_with(lambda: nn.Dropout(p=0.5)), X, Y, False),
}  # fmt: skip


@pytest.mark.parametrize("how", HOWS, ids=[how.__name__[1:] for how in HOWS])
@pytest.mark.parametrize("name", QUIET)
def test_not_warned_of(name, how):
    make, x, y, train = QUIET[name]
    net = make().set_train(train)
    how(forward_of(net, nn.MSELoss()), net, Tensor(x), Tensor(y))  # warnings are errors here


@pytest.mark.parametrize("how", [_only_forward, _compiled, _under_no_grad], ids=["eager", "compiled", "no_grad"])
@pytest.mark.parametrize("layer", [lambda: nn.BatchNorm1d(2), lambda: nn.Dropout(p=0.5)], ids=["batch norm", "dropout"])
def test_a_network_that_is_only_run_need_not_say_that_it_does_not_train(layer, how):
    net = net_with(layer)()
    how(forward_of(net, nn.MSELoss()), net, Tensor(X), Tensor(Y))


def test_frozen_layers_are_not_trained_through_where_no_gradient_comes_by():
    net = nn.SequentialCell(nn.BatchNorm1d(3), nn.Dense(3, 1))
    net[0].freeze()
    _grad(forward_of(net, nn.MSELoss()), net, Tensor(X), Tensor(Y))


def test_a_word_for_one_layer_is_enough_for_it():
    net = net_with(lambda: nn.Dropout(p=0.5))()
    net.layer.training = False
    _grad(forward_of(net, nn.MSELoss()), net, Tensor(X), Tensor(Y))


def test_examples_of_vmap_are_what_is_looked_at():
    """Of an example's output (1, 3) and the labels (2, 3) one is stretched; of all examples' (4, 1, 3) both would be."""
    outputs, labels = ops.randn(4, 1, 3), ops.randn(2, 3)
    loss = ms.vmap(lambda x: ops.mse_loss(x, labels))(outputs)
    assert loss.shape == (4,)
    with pytest.warns(AnforaWarning, match=r"outputs of the shape \(3, 1\) and labels of the shape \(2,\)"):
        ms.vmap(lambda x: ops.mse_loss(x, labels[0, :2]))(ops.randn(4, 3, 1))


def test_each_line_is_told_once():
    program = """
        import numpy as np, anfora as ms
        from anfora import Tensor, nn, ops
        ms.set_context(device_target="GPU")
        ms.set_context(mode=ms.PYNATIVE_MODE)
        net = nn.SequentialCell(nn.Dense(3, 2), nn.BatchNorm1d(2), nn.Dropout(p=0.5), nn.Dense(2, 1))
        loss = nn.MSELoss()
        step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params())
        for _ in range(3):
            step(ops.randn(4, 3), ops.randn(4))
            step(Tensor(np.ones((4, 3))), ops.randn(4))
    """
    told = {}
    for mode in ("PYNATIVE_MODE", "GRAPH_MODE"):
        source = textwrap.dedent(program).replace("PYNATIVE_MODE", mode)
        result = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        told[mode] = sorted(line for line in result.stderr.splitlines() if "AnforaWarning" in line)
    lines = [line.partition(" AnforaWarning: ")[0] for line in told["PYNATIVE_MODE"]]
    assert lines == ["<string>:4:", *["<string>:8:"] * 4] and told["GRAPH_MODE"] == told["PYNATIVE_MODE"]


def test_a_checkpoint_that_fits_nothing():
    net = nn.Dense(2, 1)
    with pytest.warns(AnforaWarning, match="it has kernel, offset, but Dense has weight, bias") as found:
        here = inspect.currentframe().f_lineno + 1
        ms.load_param_into_net(net, {"kernel": net.weight, "offset": net.bias})
    assert (found[0].filename, found[0].lineno) == (__file__, here)
    with pytest.warns(AnforaWarning, match="lacks bias: what it has behind the prefix 'a.' is loaded") as found:
        here = inspect.currentframe().f_lineno + 1
        ms.load_param_into_net(net, {"weight": net.weight, "a.bias": net.bias})
    assert (found[0].filename, found[0].lineno) == (__file__, here)
    ms.load_param_into_net(nn.ReLU(), {"weight": net.weight})


@pytest.mark.parametrize("how", [lambda f: f, ms.jit], ids=["eager", "compiled"])
def test_warnings_that_are_errors_change_nothing(how):
    function = how(lambda x, y: ops.mse_loss(x, y))
    for _ in range(2):
        with pytest.raises(AnforaWarning, match="broadcasts"):
            function(Tensor(Y), Tensor(Y[:, 0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnforaWarning)
        expected = ((Y - Y[:, 0]) ** 2).mean()
        for _ in range(4):
            np.testing.assert_allclose(function(Tensor(Y), Tensor(Y[:, 0])).asnumpy(), expected, rtol=1e-6)


# -- what is an error -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [lambda f: f, ms.jit], ids=["eager", "compiled"])
@pytest.mark.parametrize("bad", [-0.1, 1.5, np.inf, -np.inf])
@pytest.mark.parametrize("reduction", ["mean", "none", "sum"])
def test_probabilities_outside_of_0_and_1(how, bad, reduction):
    loss = nn.BCELoss(reduction=reduction)
    function = how(lambda x, t: loss(x, t))
    good, labels = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
    with np.errstate(divide="ignore"):
        expected = -np.maximum(np.log(good), -100)
    for _ in range(3):
        wanted = {"mean": expected.mean(), "none": expected, "sum": expected.sum()}[reduction]
        np.testing.assert_allclose(function(Tensor(good), Tensor(labels)).asnumpy(), wanted, rtol=1e-5)
        wrong = good.copy()
        wrong[1, 2] = bad
        with pytest.raises(ValueError, match=r"needs probabilities in \[0, 1\] for `logits`, but got .* at \[1, 2\]"):
            function(Tensor(wrong), Tensor(labels))
    assert np.isnan(function(Tensor(good * np.nan), Tensor(labels)).asnumpy()).all()  # which is no number outside


@pytest.mark.parametrize("how", [lambda f: f, ms.jit], ids=["eager", "compiled"])
@pytest.mark.parametrize(
    "layer, shape", [(nn.BatchNorm1d, (1, 3)), (nn.BatchNorm1d, (1, 3, 1)), (nn.BatchNorm2d, (1, 3, 1, 1))]
)
def test_batch_norm_does_not_train_on_one_value(how, layer, shape):
    net = layer(3).set_train()
    function = how(lambda x: net(x))
    with pytest.raises(ValueError, match="more than one value for each channel"):
        function(ops.ones(shape))
    assert net.moving_mean.tolist() == [0.0] * 3 and net.moving_variance.tolist() == [1.0] * 3
    assert function(ops.ones((2, *shape[1:]))).shape == (2, *shape[1:])
    net.set_train(False)
    assert function(ops.ones(shape)).shape == shape
