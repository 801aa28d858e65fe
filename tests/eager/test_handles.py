"""Several tensors on one memory, and memory that the outside sees: in no order of events is a gradient falsified."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, grad, no_grad, ops


def leaf(*values):
    return Tensor(np.array(values, np.float32)).requires_grad_()


class Identity(ms.Function):
    """Gives what it got: two tensors with one memory and different histories."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, dy):
        return dy


def of_a_view(turn):
    def make():
        x = leaf(2, 3)
        y = x * 1.0
        return x, y, turn(y)

    return make


def of_a_transform():
    """A tensor that the function kept, and the value that `value_and_grad` gave."""
    w, kept = Parameter(np.array([2, 3], np.float32), name="w"), []

    def f(x):
        kept.append(x * w)
        return kept[0]

    value, _ = ms.value_and_grad(f, None, w)(Tensor([1.0, 1.0]))
    return w, kept[0], value


PAIRS = {
    "itself": of_a_view(lambda y: y),
    "a view": of_a_view(lambda y: y[:]),
    "reshaped": of_a_view(lambda y: y.reshape(1, 2)),
    "turned": of_a_view(lambda y: y.reshape(1, 2).T),
    "detached": of_a_view(lambda y: y.detach()),
    "stop_gradient": of_a_view(ops.stop_gradient),
    "of a Function": of_a_view(Identity.apply),
    "a Parameter": of_a_view(lambda y: Parameter(y, name="p")),
    "a Tensor": of_a_view(Tensor),
    "from numpy": of_a_view(lambda y: ms.from_numpy(y.asnumpy())),
    "of a transform": of_a_transform,
}
EXITS = {
    "asnumpy": lambda y: y.asnumpy(),
    "asarray": lambda y: np.asarray(y.detach()),
    "dlpack": lambda y: np.from_dlpack(y.detach()),
}
ORDERS = ["save, export, write", "export, save, write", "save, export, save, write", "export, write, save"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("exit", EXITS)
@pytest.mark.parametrize("pair", PAIRS)
def test_no_write_from_outside_falsifies_a_gradient(pair, exit, order):
    """`y` is saved, its memory leaves through another tensor, somebody writes: d(y²)/dy is 2 y of when it was saved."""
    x, y, other = PAIRS[pair]()
    result, expected, outside = Tensor(0.0), 0.0, None
    for event in order.split(", "):
        if event == "save":
            expected = expected + 2 * y.asnumpy().copy() if order.startswith("export") else expected + 2 * _look(y)
            result = result + (y * y).sum()
        elif event == "export":
            outside = EXITS[exit](other)
        elif outside.flags.writeable:
            outside[...] = 100
    result.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)


def _look(tensor):
    """The values, without handing out the memory."""
    return np.array(tensor.tolist(), np.float32)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_write_through_another_tensor_is_harmless(pair):
    _, y, other = PAIRS[pair]()
    w = leaf(1, 1)
    expected = _look(y)
    result = (w * y.detach()).sum()
    with no_grad():
        other.add_(1.0)
    result.backward()
    np.testing.assert_array_equal(w.grad.asnumpy(), expected)


# -- the tape stays clean ---------------------------------------------------------------------------------------------


def slope_at_three():
    return grad(lambda x: x * x)(Tensor(3.0)).item()


def fails(*_):
    raise KeyError("on purpose")


class Failing(ms.Cell):
    def construct(self, x):
        return x * 2.0

    def bprop(self, x, out, dout):
        raise KeyError("on purpose")


def hooked(kind):
    def run():
        cell = ms.nn.Dense(1, 1)
        getattr(cell, kind)(fails)
        x = Tensor([[3.0]]).requires_grad_()
        (cell(x) * 2.0).sum().backward()

    return run


def tensor_hook():
    x = leaf(1)
    x.register_hook(fails)
    (x * x).sum().backward()


def in_the_function():
    grad(lambda x: grad(lambda y: fails())(x))(Tensor(1.0))


def under_no_grad():
    with no_grad(), no_grad():
        fails()


@pytest.mark.parametrize(
    "run",
    [
        tensor_hook,
        in_the_function,
        under_no_grad,
        lambda: grad(Failing())(Tensor(1.0)),
        hooked("register_forward_pre_hook"),
        hooked("register_forward_hook"),
        hooked("register_backward_hook"),
        hooked("register_backward_pre_hook"),
    ],
)
def test_an_exception_leaves_the_tape_as_it_was(run):
    with pytest.raises(KeyError, match="on purpose"):
        run()
    assert slope_at_three() == 6
    x = leaf(3)
    y = x * x
    assert y.requires_grad  # the tape is still on
    y.sum().backward()
    assert x.grad.tolist() == [6]
    kept = []
    grad(lambda x: kept.append(x * x) or kept[0])(Tensor(3.0))
    assert not ms.value_and_grad(lambda x: x * x)(Tensor(3.0))[0].requires_grad  # no transform is left open


def test_no_grad_nests_and_may_be_entered_again():
    x, quiet = leaf(2), no_grad()
    with quiet:
        with quiet:
            assert not (x * x).requires_grad
        assert not (x * x).requires_grad
        assert slope_at_three() == 6  # a transform asks for its own tape
        assert not (x * x).requires_grad
    assert (x * x).requires_grad


def cube(x):
    return x * x * x


#: What gives the slope of `cube`, and perhaps its value.
TRANSFORMS = {
    "grad": lambda x: ms.grad(cube)(x),
    "value_and_grad": lambda x: ms.value_and_grad(cube)(x)[1],
    "its value": lambda x: 3 * ms.value_and_grad(cube)(x)[0] / x,
    "vjp": lambda x: ms.vjp(cube, x)[1](ops.ones_like(x))[0],
    "jvp": lambda x: ms.jvp(cube, (x,), (ops.ones_like(x),))[1],
    "jacrev": lambda x: ms.jacrev(cube)(x),
    "jacfwd": lambda x: ms.jacfwd(cube)(x),
    "grad of grad": lambda x: ms.grad(ms.grad(cube))(x) * x / 2,
    "a gradient of a part": lambda x: ms.grad(lambda y: cube(y) + no_grad()(cube)(y) * y)(x) - x * x * x,
}


@pytest.mark.parametrize("way", ["plain", "inside jit", "outside jit"])
@pytest.mark.parametrize("given", TRANSFORMS)
def test_what_transforms_give_under_no_grad_is_a_constant_for_those_outside(given, way):
    def function(x):
        with no_grad():
            slope = TRANSFORMS[given](x)
        return slope * x

    take = {
        "plain": lambda: ms.grad(function),
        "inside jit": lambda: ms.grad(ms.jit(function)),
        "outside jit": lambda: ms.jit(ms.grad(function)),
    }[way]()
    for value in (3.0, 2.0, 4.0):
        assert take(Tensor(value)).item() == 3 * value * value
    assert ms.grad(lambda x: TRANSFORMS["grad"](x) * x)(Tensor(2.0)).item() == 36  # of 3 x³, outside of such a block


def test_a_graph_can_be_walked_again_only_if_kept():
    x = leaf(2, 3)
    y = (x * x * x).sum()
    for times in (1, 2, 3):
        y.backward(retain_graph=True)
        np.testing.assert_array_equal(x.grad.asnumpy(), times * np.float32([12, 27]))
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.float32([48, 108]))  # the refused walk changed nothing


def test_hooks_go_with_their_handles():
    seen = []
    net = ms.nn.Dense(2, 2)
    handles = [
        net.register_forward_pre_hook(lambda cell, args: seen.append("before")),
        net.register_forward_hook(lambda cell, args, out: seen.append("after")),
        net.register_backward_pre_hook(lambda cell, g: seen.append("back in")),
        net.register_backward_hook(lambda cell, g_in, g_out: seen.append("back out")),
    ]
    x = Tensor(np.ones((1, 2), np.float32)).requires_grad_()

    def run():
        seen.clear()
        net(x).sum().backward()
        return list(seen)

    assert run() == ["before", "after", "back in", "back out"]
    handles[1].remove()
    handles[2].remove()
    handles[2].remove()
    assert run() == ["before", "back out"]
    handles[0].remove()
    handles[3].remove()
    assert run() == []


# -- copies -----------------------------------------------------------------------------------------------------------

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda thing: pickle.loads(pickle.dumps(thing))}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int8", "bool_"])
def test_copies_of_tensors(how, dtype):
    x = Tensor(np.arange(6).reshape(2, 3) % 2, getattr(ms, dtype))
    for original in (x, x[:, 1:], x.T, x[0, 0], x[:0]):
        twin = COPIES[how](original)
        assert twin.dtype is original.dtype and twin.shape == original.shape
        np.testing.assert_array_equal(twin.asnumpy(), original.asnumpy())
        if twin.size:
            twin[...] = 1
    assert x.tolist() == Tensor(np.arange(6).reshape(2, 3) % 2, getattr(ms, dtype)).tolist()  # its own memory


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("make", [ms.nn.SGD, ms.nn.Momentum, ms.nn.Adam, ms.nn.AdamWeightDecay, ms.nn.RMSProp])
def test_a_copy_of_a_training_goes_the_same_way(how, make):
    """Network and optimizer are copied together in the middle, and both go on: to the same bits, apart."""
    net = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.BatchNorm1d(4), ms.nn.Dense(4, 1)).set_train()
    arguments = (0.1, 0.9) if make is ms.nn.Momentum else (0.1,)
    optimizer = make(net.trainable_params(), *arguments)
    x = Tensor(np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32))

    def step(net, optimizer):
        _, gradients = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)(x)
        optimizer(gradients)

    def values(net):
        return [p.asnumpy().copy() for p in net.get_parameters()]

    for _ in range(3):
        step(net, optimizer)
    net_twin, optimizer_twin = COPIES[how]((net, optimizer))
    before = values(net)
    for _ in range(3):
        step(net_twin, optimizer_twin)
    for wanted, found in zip(before, values(net)):
        np.testing.assert_array_equal(found, wanted)
    for _ in range(3):
        step(net, optimizer)
    for wanted, found in zip(values(net), values(net_twin)):
        np.testing.assert_array_equal(found, wanted)
    assert any((a != b).any() for a, b in zip(before, values(net)))


@pytest.mark.parametrize(
    ("view", "shape"),
    [
        (lambda n: ops.squeeze(n), ()),
        (lambda n: ops.reshape(n, (1, 1)), (1, 1)),
        (lambda n: ops.expand_dims(n, 0), (1,)),
        (lambda n: ops.broadcast_to(n, (2,)), (2,)),
    ],
    ids=["squeeze", "reshape", "expand_dims", "broadcast_to"],
)
def test_views_of_a_number_are_made_of_a_tensor_each_time(view, shape):
    """The second call took the number for a tensor, and the process crashed."""
    made = [view(number) for number in (0.5, 1.5, 2.5, 1, 2)]
    assert [tensor.shape for tensor in made] == [shape] * 5
    assert [tensor.asnumpy().ravel()[0] for tensor in made] == [0.5, 1.5, 2.5, 1, 2]
