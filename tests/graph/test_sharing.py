"""Arguments that share memory in one call and not in the next: views of each other, other handles on the same elements,
arrays of numpy's. What is compiled gives what Python gives, gradients and refusals too, whatever it was recorded with."""

from __future__ import annotations

import random

import numpy as np
import pytest
from outcomes import bits, outcome

import anfora as ms
from anfora import Parameter, Tensor, nn, ops

W = Parameter(Tensor([0.5, -1.5, 2.0]), name="w")


def values(seed, size=3):
    return Tensor(np.random.default_rng(seed).uniform(-1, 1, size).astype(np.float32))


def shown(tensor, kept):
    """The same, while numpy sees its memory."""
    kept.append(tensor.asnumpy())
    return tensor


#: Three arguments, of a seed, a vector, and a list of what is to be kept alive.
WAYS = {
    "apart": lambda seed, _, kept: (values(seed), values(seed + 20), values(seed + 40)),
    "one tensor": lambda _, base, kept: (base[:3], *[base[4:7]] * 2),
    "a tensor and a view of it": lambda seed, _, kept: (x := values(seed), x[:], values(seed + 1)),
    "two views": lambda seed, base, kept: (base[:3], values(seed), base[:3]),
    "without history": lambda seed, base, kept: (x := values(seed), x.detach(), ops.stop_gradient(x)),
    "windows": lambda _, base, kept: (base[:3], base[1:4], base[2:5]),
    "neighbours": lambda _, base, kept: (base[:3], base[3:6], base[5:2:-1]),
    "strides": lambda _, base, kept: (base[0:6:2], base[1:7:2], base[0:6:2]),
    "seen by numpy": lambda seed, _, kept: (shown(x := values(seed), kept), values(seed + 1), x.view(3)),
    "an array of numpy's": lambda seed, _, kept: (values(seed), ms.from_numpy((n := np.ones(5, np.float32))[:3]),
                                                  ms.from_numpy(n[2:])),
    "its array once more": lambda seed, _, kept: (x := shown(values(seed), kept), ms.from_numpy(kept[-1]), x[:]),
}  # fmt: skip


def reads(x, y, z):
    return (x * y + z).sum() + (z * z * y).sum()


def writes(x, y, z):
    a = (x * y * z).sum()
    z.mul_(2)
    return a + (x * z).sum()


def writes_between(x, y, z):
    v, u = x[1:], y[:2]
    v.add_(u)
    p = v * u
    z[0] = 1.0
    return (p * p).sum() + (x * z).sum() + u.sum()


def writes_without_history(x, y, z):
    v = ops.stop_gradient(x)
    v.add_(y)
    return (x * y * v).sum() + z.sum()


def takes_views_again(x, y, z):
    v, u = x.view(-1), x.view(3, 1)
    x.add_(1)
    return (v * y).sum() + (u.view(-1) * z).sum()


def branches(x, y, z):
    z.copy_(x)
    if z.sum() > 0:
        y = y * z
    x[1] = y[0]
    return (y * x).sum()


def inside(f):
    def g(x, y, z):
        loss, gradient = ms.value_and_grad(f, 1)(x, y, z)
        return loss * 2, gradient + x, y * z

    return g


def walked_back(f):
    def g(x, y, z):
        W.grad = None
        loss = f(x * W, y, z)
        loss.backward()
        return loss.detach(), W.grad

    return g


def pulls_back_behind_a_write(x, y, z):
    value, pull = ms.vjp(lambda x: x * y, x)
    z.mul_(2)
    return value, pull(Tensor([1.0, 2.0, 3.0]))


FUNCTIONS = {"plain pulls_back_behind_a_write": pulls_back_behind_a_write} | {
    f"{how} {f.__name__}": make(f)
    for f in (reads, writes, writes_between, writes_without_history, takes_views_again, branches)
    for how, make in {
        "plain": lambda f: f,
        "by the first": lambda f: ms.value_and_grad(f, 0),
        "by the second": lambda f: ms.value_and_grad(f, 1),
        "by all": lambda f: ms.value_and_grad(f, (0, 1, 2)),
        "inside": inside,
        "backward": walked_back,
        "vjp": lambda f: lambda *args: ms.vjp(f, *args)[1](Tensor(2.0)),
        "jvp": lambda f: lambda *args: ms.jvp(f, args, (args[1], args[2], args[0])),
    }.items()
}


def calls(seed):
    """The ways, each twice, in some order."""
    order = [*WAYS, *WAYS]
    random.Random(seed).shuffle(order)
    return order


def seen(function, way, seed, follow=None):
    """What a call gives, and what becomes of its arguments; with `follow`, one of them is followed by a tape outside, which
    is walked back then."""
    kept: list = []
    base = values(seed + 60, 8)
    args = WAYS[way](seed, base, kept)
    if follow is None:
        return outcome(function, *args), bits([*args, base]), [x.requires_grad for x in args]
    W.grad = None
    args = [x * W if number == follow else x for number, x in enumerate(args)]
    found: list = []
    forward = outcome(lambda: found.append(function(*args)))
    back = outcome(lambda: found[0].backward()) if found else None
    return forward, back, bits([*args, base]), None if W.grad is None else bits(W.grad)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_that_share_memory(name, seed):
    function = FUNCTIONS[name]
    compiled = ms.jit(function)
    for number, way in enumerate(calls(seed)):
        assert seen(compiled, way, number) == seen(function, way, number), (number, way)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("plain")])
def test_arguments_that_share_memory_under_a_tape(name, seed):
    function = FUNCTIONS[name]
    compiled = ms.jit(function)
    for number, way in enumerate(calls(seed)):
        follow = number % 3
        assert seen(compiled, way, number, follow) == seen(function, way, number, follow), (number, way)


def sets_an_item(x, y):
    x[0] = y[1]
    return x * y


def changes(x, y):
    x.mul_(y)
    return x * 2


def changes_without_the_tape(x, y):
    with ms.no_grad():
        x.mul_(y)
    return x * y


def changes_in_a_gradient(x, y):
    return ms.grad(lambda y: (y * x.mul_(2)).sum())(y)


def changes_in_a_gradient_by_another(x, y):
    def f(y):
        x.mul_(0.5)
        return (y * y).sum()

    return ms.grad(f)(y)


def changes_in_a_loop(x, y):
    for i in range(3):
        x[i] = y[0]
        if x.sum() > 1:
            x.add_(y)
    return x * 1


def as_it_is_held(how, seed):
    """A vector of that seed, and the tensors whose gradients tell what became of it."""
    weight = Parameter(values(seed, 5), name="weight")
    whole = weight * values(seed + 1, 5)
    part, leaf = whole[1:4], values(seed)
    leaf.requires_grad = True
    with ms.no_grad():
        unseen = whole[1:4]
    ways = {
        "alone": values(seed), "a view": values(seed, 5)[1:4], "of a Parameter": weight[1:4],
        "of a Parameter, detached": weight.detach()[1:4], "of a result": part, "of a result, detached": part.detach(),
        "of a detached result": whole.detach()[1:4], "a leaf": leaf, "a leaf, detached": leaf.detach(),
        "taken without the tape": unseen, "a result": part * 2,
    }  # fmt: skip
    return ways[how], (weight, whole, part, leaf)


HELD = ("alone", "a view", "of a Parameter", "of a Parameter, detached", "of a result", "of a result, detached",
        "of a detached result", "a leaf", "a leaf, detached", "taken without the tape", "a result")  # fmt: skip


def written(function, how, seed):
    """What a call gives, and the gradients of it and of what its argument is a view of."""
    x, (weight, whole, part, leaf) = as_it_is_held(how, seed)
    y = values(seed + 9) if seed % 3 else weight[2:] * 2
    found: list = []
    forward = outcome(lambda: found.append(function(x, y)))
    back = outcome(lambda: sum(((v * v).sum() for v in (*found, whole, part)), Tensor(0.0)).backward())
    return forward, back, bits([*found, x, whole, weight]), bits([weight.grad, leaf.grad]), x.requires_grad


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "function",
    [
        sets_an_item,
        changes,
        changes_without_the_tape,
        changes_in_a_gradient,
        changes_in_a_gradient_by_another,
        changes_in_a_loop,
    ],
)
def test_what_is_written_is_a_view_of_something_else_in_each_call(function, seed):
    """Of a Parameter, which is written as an effect; of what a tape follows outside, though the view has no history."""
    compiled = ms.jit(function)
    order = [*HELD, *HELD]
    random.Random(seed).shuffle(order)
    for number, how in enumerate(order):
        assert written(compiled, how, number) == written(function, how, number), (number, how)


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(3, 3), nn.Dense(3, 3)
        for number, parameter in enumerate(self.get_parameters()):
            parameter.set_data(values(number, parameter.shape))

    def construct(self, x):
        return self.second(self.first(x)).sum()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_gradient_by_a_weight_that_is_found_elsewhere_too_in_a_later_call(mode):
    """What had been another layer, a constant for this gradient, is now the layer itself."""
    gradients = []
    for jit in (lambda f: f, ms.jit):
        net = Two()
        step = ms.grad(net, None, net.first.trainable_params())
        step = jit(step) if mode == ms.PYNATIVE_MODE else step
        if jit is ms.jit:
            ms.set_context(mode=mode)
        try:
            for k, second in enumerate([net.second, net.second, net.first, net.first, net.second]):
                net.second = second
                gradients.append(step(values(k, (2, 3))))
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
    assert bits(gradients[:5]) == bits(gradients[5:])


def test_a_gradient_by_two_weights_that_are_one_in_a_later_call():
    a, b = Parameter(values(0), name="a"), Parameter(values(1), name="b")
    box = {"a": a, "b": b}

    def f(x):
        return ms.grad(lambda x: (box["a"] * box["b"] * x).sum(), None, [box["a"], box["b"]])(x)

    compiled = ms.jit(f)
    for one, other in ((a, b), (b, a), (a, a), (b, b), (a, b)):
        box.update(a=one, b=other)
        assert bits(compiled(values(2))) == bits(f(values(2)))


def test_what_a_recording_expects_of_memory_is_told():
    x, y = values(0), values(1)
    f = ms.jit(ms.grad(lambda x, y, z: x.sum() + (y * 2).sum() + z.add_(1).sum(), 1))
    assert "x, y and z share no memory" in str(ms.explain(f)(x, y, values(2)))
    assert "x, z and y lie in memory as they did" in str(ms.explain(f)(x, y, x[1:]))


def test_views_of_other_memory_are_no_reason_to_compile_anew():
    """Batches are views, each in another place, and parameters are written while a gradient is taken."""
    data, mean = values(0, (12, 3)), Parameter(Tensor([0.0, 0.0, 0.0]), name="mean", requires_grad=False)

    def loss(x):
        mean.copy_(mean * 0.9 + ops.stop_gradient(x.mean(0)) * 0.1)
        return ((x - mean) * W).sum()

    step = ms.jit(ms.value_and_grad(loss, 0, [W]))
    for k in range(12):
        step(data[k : k + 1])
    assert step.program.recordings == 1
