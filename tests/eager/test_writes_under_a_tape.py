"""What a tape holds, and what is written in place: each kind of write, holder and tensor, in each way to a gradient.

    a = hold(w, t)      d/dw is a known function of what t is now
    write(t)
    b = hold(w, t)      … and of what it is then
    a + 2 b

The expected gradients are computed by numpy from the values of t before and after.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, no_grad, ops
from anfora.core.errors import OpRuntimeError

W = np.array([0.5, -1.0, 2.0, 0.25], np.float32)
T = np.array([1.5, -2.0, 3.0, 0.75], np.float32)
V = np.array([4.0, 0.5, -1.5, 2.0], np.float32)


class Times(nn.Cell):
    def construct(self, w, t):
        return w * t

    def bprop(self, w, t, out, dout):
        return dout * t, dout * 0.0


class Result(nn.Cell):
    """Its gradient follows from its result."""

    def construct(self, w, t):
        return ops.exp(w * 0.1) * t

    def bprop(self, w, t, out, dout):
        return dout * out * 0.1, dout * 0.0


class TimesFunction(ms.Function):
    @staticmethod
    def forward(ctx, w, t):
        ctx.save_for_backward(t)
        return w * t

    @staticmethod
    def backward(ctx, dout):
        (t,) = ctx.saved_tensors
        return dout * t, None


@ms.custom_vjp
def times(w, t):
    return w * t


times.defbwd(lambda w, t, out, dout: (dout * t, dout * 0.0))

_compiled_times = ms.jit(lambda w, t: (w * t).sum())


def hooked(w, t):
    y = w * t
    if y.requires_grad:
        y.register_hook(lambda g: g * 1.0)
    return y.sum()


#: Scalars of w and t, and their slopes by w in numpy.
HOLDERS = {
    "a product": (lambda w, t: (w * t).sum(), lambda t: t),
    "a product with a view": (lambda w, t: (w[1:3] * t[1:3]).sum(), lambda t: t * [0, 1, 1, 0]),
    "a view of a view": (lambda w, t: (w[:2] * t[::2][::-1]).sum(), lambda t: np.array([t[2], t[0], 0, 0])),
    "a matrix product": (
        lambda w, t: (w.reshape(2, 2) @ t.reshape(2, 2).T).sum(),
        lambda t: np.tile(t.reshape(2, 2).sum(0), 2),
    ),
    "a square": (lambda w, t: (w * (t * t)).sum(), lambda t: t * t),
    "a detached one": (lambda w, t: (w * t.detach()).sum(), lambda t: t),
    "a bprop": (lambda w, t: Times()(w, t).sum(), lambda t: t),
    "a bprop by its result": (lambda w, t: Result()(w, t).sum(), lambda t: np.exp(W * np.float32(0.1)) * t * 0.1),
    "a Function": (lambda w, t: TimesFunction.apply(w, t).sum(), lambda t: t),
    "a custom_vjp": (lambda w, t: times(w, t).sum(), lambda t: t),
    "a compiled function": (_compiled_times, lambda t: t),
    "a hook": (hooked, lambda t: t),
}


def optimizer_step(t, _):
    nn.SGD([t], 0.5)((ops.ones(4),))


def set_items(t, v):
    for i in range(4):
        t[i] = v[3 - i]


def of_parameters(write):
    write.needs_parameter = True
    return write


#: Writes to t, with other values at hand.
WRITES = {
    "add_": lambda t, v: t.add_(v),
    "mul_": lambda t, v: t.mul_(v),
    "copy_": lambda t, v: t.copy_(v),
    "by itself": lambda t, v: t.mul_(t),
    "an item": lambda t, v: t.__setitem__(1, 9.0),
    "all items": set_items,
    "a slice": lambda t, v: t.__setitem__(slice(1, 3), v[:2]),
    "a mask": lambda t, v: t.__setitem__(t > 0, 7.0),
    "a list of places": lambda t, v: t.__setitem__([0, 3], v[1:3]),
    "a view": lambda t, v: t[1:].add_(v[1:]),
    "a view of a view": lambda t, v: t.reshape(2, 2)[1].mul_(3.0),
    "what is detached": lambda t, v: t.detach().add_(1.0),
    "assign": of_parameters(lambda t, v: ops.assign(t, v)),
    "assign_add": of_parameters(lambda t, v: ops.assign_add(t, v)),
    "set_data": of_parameters(lambda t, v: t.set_data(v)),
    "data": of_parameters(lambda t, v: setattr(t, "data", v)),
    "an optimizer": of_parameters(optimizer_step),
}

#: How t comes to be.
TENSORS = {
    "a tensor": lambda: Tensor(T),
    "a view": lambda: Tensor(np.concatenate([V, T, V]))[4:8],
    "a strided view": lambda: Tensor(np.stack([T, V], 1))[:, 0],
    "a result": lambda: Tensor(T) * 1.0,
    "a detached result": lambda: (Tensor(T).requires_grad_() * 1.0).detach(),
    "from numpy": lambda: ms.from_numpy(T.copy()),
    "a Parameter": lambda: Parameter(T, name="t", requires_grad=False),
    "a Parameter to be trained": lambda: Parameter(T, name="t"),
}


def by_backward(f, w, t, v):
    w.requires_grad = True
    f(w, t, v).backward()
    return w.grad


def in_graph_mode(f):
    def run(w, t, v):
        before = ms.get_context("mode")
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            return f(w, t, v)
        finally:
            ms.set_context(mode=before)

    return run


def walked_inside(f):
    def g(w, t, v):
        w = ops.copy(w)
        w.requires_grad = True
        f(w, t, v).backward()
        return w.grad

    return g


def by_directions(f):
    """By forward mode, each partial derivative by itself; the writes are done again and again, so on copies."""

    def run(w, t, v):
        found = []
        for direction in np.eye(4, dtype=np.float32):
            kind = type(t)
            again = kind(t.asnumpy().copy(), **({"requires_grad": t.requires_grad} if kind is Parameter else {}))
            found.append(ms.jvp(lambda w, again=again: f(w, again, v), w, Tensor(direction))[1].item())
        f(w, t, v)
        return Tensor(np.array(found, np.float32))

    return run


def twice(f):
    """The gradient by w of the sum of the gradient times w: the gradient itself, for what is linear in w."""
    return lambda w, t, v: by_backward(lambda w, t, v: (w * ms.grad(f)(w, t, v)).sum(), w, t, v)


#: From the function of w, t and other values to a function that gives the gradient by w.
WAYS = {
    "backward": lambda f: lambda w, t, v: by_backward(f, w, t, v),
    "grad": ms.grad,
    "forward mode": by_directions,
    "second derivative": twice,
    "compiled gradient": lambda f: ms.jit(ms.grad(f)),
    "gradient of a compiled function": lambda f: ms.grad(ms.jit(f)),
    "backward of a compiled function": lambda f: (lambda g: lambda w, t, v: by_backward(g, w, t, v))(ms.jit(f)),
    "compiled backward": lambda f: ms.jit(walked_inside(f)),
    "GRAPH_MODE": lambda f: in_graph_mode(ms.grad(f)),
}


def slope_of(found):
    return (found[0] if isinstance(found, tuple) else found).asnumpy()


CASES = [
    (holder, way)
    for holder in HOLDERS
    for way in WAYS
    if (holder, way) != ("a bprop by its result", "second derivative")
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("holder, way", CASES)
def test_a_gradient_is_that_of_the_values_at_the_time_of_use(holder, write, way):
    hold, slope = HOLDERS[holder]
    change = WRITES[write]
    for name, make in TENSORS.items():
        if getattr(change, "needs_parameter", False) and "Parameter" not in name:
            continue
        gradient = WAYS[way](lambda w, t, v: _used_twice(hold, change, w, t, v))
        is_compiled = "compiled" in way or way == "GRAPH_MODE"
        if is_compiled and name in ("a view", "a detached result", "from numpy"):
            continue
        for call in range(3 if is_compiled else 1):
            t, v = make(), Tensor(V)
            found = slope_of(gradient(Tensor(W), t, v))
            after = t.asnumpy()
            np.testing.assert_allclose(
                found, slope(T) + 2 * slope(after), rtol=1e-5, atol=1e-6, err_msg=f"{name}, call {call}"
            )


def _used_twice(hold, change, w, t, v):
    a = hold(w, t)
    change(t, v)
    return a + 2 * hold(w, t)


def by_the_parameter(compile):
    def run(f, t, v):
        gradient = compile(ms.value_and_grad(lambda v: f(t, v), None, [t]))
        return lambda: gradient(v)[1][0]

    return run


def by_its_grad(compile):
    def run(f, t, v):
        called = compile(f)

        def gradient():
            t.grad = None
            called(t, v).backward()
            return t.grad

        return gradient

    return run


#: Ways to the gradient by a Parameter that is written to.
WAYS_BY_IT = {
    "value_and_grad": by_the_parameter(lambda f: f),
    "compiled value_and_grad": by_the_parameter(ms.jit),
    "value_and_grad in GRAPH_MODE": by_the_parameter(lambda f: lambda v: in_graph_mode(lambda w, t, v: f(v))(0, 0, v)),
    "backward": by_its_grad(lambda f: f),
    "backward of a compiled function": by_its_grad(ms.jit),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("way", WAYS_BY_IT)
def test_a_parameter_that_is_written_to_stays_a_leaf(write, way):
    """Its gradient is that of what it was, where it was read before, and of what it is, where it was read after."""
    change = WRITES[write]

    def f(t, v):
        a = (t * t * v).sum()
        change(t, v)
        return a + 2 * (t * t * t).sum()

    t, v = Parameter(T, name="t"), Tensor(V)
    gradient = WAYS_BY_IT[way](f, t, v)
    for _ in range(3):
        t.set_data(Tensor(T))
        found = gradient()
        assert t.is_leaf and t.requires_grad
        np.testing.assert_allclose(found.asnumpy(), 2 * T * V + 6 * t.asnumpy() ** 2, rtol=1e-5)


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit])
@pytest.mark.parametrize(
    "write",
    [
        lambda t, x: t.add_(x), lambda t, x: t.copy_(x), lambda t, x: t.mul_(x), lambda t, x: t[1:].sub_(x[1:]),
        lambda t, x: t.masked_fill_(t > 0, x[0]), lambda t, x: t.index_add_(0, Tensor([0, 1, 2, 3]), x),
    ],
)  # fmt: skip
def test_a_value_with_a_gradient_is_not_lost_in_a_parameter(write, compile):
    t = Parameter(T, name="t")
    call = compile(lambda t, x: (write(t, x), t * 1.0)[1])
    for _ in range(3):
        t.set_data(Tensor(T))
        call(t, Tensor(V))  # it has none
        changed = t.tolist()
        t.set_data(Tensor(T))
        with pytest.raises(OpRuntimeError, match="would be lost"):
            call(t, Tensor(V).requires_grad_() * 1.0)
        assert t.tolist() == T.tolist() != changed
        with pytest.raises(OpRuntimeError, match="leaf tensor"):
            call(
                Tensor(T).requires_grad_(), Tensor(V)
            )  # no Parameter: the program could not know whose gradient it gets


# -- what need not be copied ------------------------------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(4, 5), nn.BatchNorm1d(5), nn.Dense(5, 3)
        self.shift = Parameter(Tensor(np.zeros((4, 4), np.float32)), name="shift")

    def construct(self, x):
        x = x + x @ self.shift.T  # a view of a Parameter
        return self.last(ops.relu(self.norm(self.first(x))))


def step_of_training(how, kind):
    loss_of, net = nn.CrossEntropyLoss(), Net()
    optimizer = kind(net.trainable_params(), 0.1)

    def forward(x, y):
        return loss_of(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    def functional(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    def backward(x, y):
        loss = forward(x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    step = {"functional": functional, "backward": backward}[how.split(", ")[-1]]
    return net.set_train(), optimizer, ms.jit(step) if how.startswith("compiled") else step


def place_of(tensor):
    return tensor._array.__array_interface__["data"][0]


@pytest.mark.parametrize("how", ["functional", "backward", "compiled, functional", "compiled, backward"])
@pytest.mark.parametrize("kind", [nn.SGD, nn.Adam])
def test_a_step_of_training_copies_no_weight(how, kind):
    net, optimizer, step = step_of_training(how, kind)
    x, y = Tensor(np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)), Tensor([0, 1, 2, 0, 1, 2])
    step(x, y), step(x, y)
    held = [*net.get_parameters(), *optimizer.get_parameters()]
    before, places = net.last.weight.tolist(), [place_of(p) for p in held]
    for _ in range(4):
        step(x, y)
    assert [place_of(p) for p in held] == places and net.last.weight.tolist() != before


def test_the_mark_ends_with_the_walk_or_with_the_nodes():
    w, x = Parameter(T, name="w"), Tensor(V)

    def place():
        return place_of(w)

    start = place()
    (w * w * x).sum().backward()
    w.set_data(x)
    assert place() == start  # the walk is over
    (w * w * x).sum()
    w.set_data(x)
    assert place() == start  # nobody has the nodes
    kept = (w * w * x).sum()
    w.set_data(x * 2)
    assert place() != start
    start = place()
    w.set_data(x * 3)
    assert place() == start  # they hold what was there before
    kept.backward(retain_graph=True)
    w.set_data(x * 4)
    assert place() == start
    kept = (w * w).sum()
    kept.backward(retain_graph=True)
    w.set_data(x)
    assert place() != start
    w.grad = None
    kept.backward()
    np.testing.assert_allclose(w.grad.asnumpy(), 8 * V)


def test_views_stay_views_when_the_tape_keeps_the_original():
    whole = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    rows, turned, odd = whole[1:], whole.T, whole[:, 1::2][::-1]
    strides = [each.strides for each in (whole, rows, turned, odd)]
    w = Tensor(np.ones((4, 3), np.float32)).requires_grad_()
    held = (w * turned).sum()
    odd[0, 1] = -1.0  # whole[2, 3]
    expected = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected[2, 3] = -1
    for view, shown in ((whole, expected), (rows, expected[1:]), (turned, expected.T), (odd, expected[:, 1::2][::-1])):
        np.testing.assert_array_equal(view.asnumpy(), shown)
    assert [each.strides for each in (whole, rows, turned, odd)] == strides
    rows[0, 0] = 100.0
    assert whole[1, 0].item() == 100.0 and turned[0, 1].item() == 100.0
    held.backward()
    np.testing.assert_array_equal(w.grad.asnumpy(), np.arange(12, dtype=np.float32).reshape(3, 4).T)


def test_a_view_keeps_its_history_and_its_hooks_when_its_memory_moves():
    x = Tensor(T).requires_grad_()
    y = x * 1
    view, seen = y[1:], []
    view.register_hook(lambda g: seen.append(g.tolist()))
    held, node = (y * y).sum(), view._node
    shown = y.asnumpy()  # y moves to a copy
    assert shown.tolist() == T.tolist() and (view * 1).shape == (3,) and view._node is node
    (held + (view * 2).sum()).backward()
    assert seen == [[2.0, 2.0, 2.0]]
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * T + np.array([0, 2, 2, 2]))


@pytest.mark.parametrize("mode", ["PyNative mode", "jit", "GRAPH_MODE"])
def test_a_weight_that_is_assigned_in_a_loop(mode):
    """d out/dx is the sum of y · weight, with what the weight was in each round."""

    class Loop(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([0.0], ms.float32), name="weight", requires_grad=False)

        def construct(self, x, y):
            out = x * 0
            for i in range(5):
                ops.assign(self.weight, Tensor([float(i)]))
                out = x * y * self.weight + out
            return out

    net = Loop()
    gradient = ops.GradOperation(get_all=True)(net)
    run = in_graph_mode(lambda x, y, _: gradient(x, y)) if mode == "GRAPH_MODE" else None
    run = run or (lambda x, y, _: gradient(x, y))
    run = ms.jit(run) if mode == "jit" else run
    for call in range(10):
        x, y = Tensor([2.0 + call]), Tensor([3.0])
        by_x, by_y = run(x, y, None)
        assert by_x.tolist() == [3.0 * 10] and by_y.tolist() == [(2.0 + call) * 10] and net.weight.tolist() == [4.0]


def test_a_state_that_a_gradient_has_used_is_trained_on():
    """Batch norm moves its averages while nodes of its evaluation still hold them."""
    norm = nn.BatchNorm1d(3)
    x = Tensor(np.random.default_rng(1).standard_normal((5, 3)).astype(np.float32)).requires_grad_()
    held = norm.set_train(False)(x).sum()
    norm.set_train(True)(x * 3 + 1)
    held.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), np.full((5, 3), 1 / np.sqrt(1 + 1e-5)), rtol=1e-5)
    assert not np.allclose(norm.moving_mean.asnumpy(), 0)


def test_other_threads_write_between_the_use_and_the_walk_back():
    """Each gradient is what the shared tensor was when it was used."""
    shared, lock, stop, wrong = Tensor(np.zeros(30_000, np.float32)), threading.Lock(), threading.Event(), []

    def write():
        value = 0
        while not stop.is_set():
            value += 1
            with lock, no_grad():
                shared.copy_(Tensor(np.full(30_000, value, np.float32)))

    def compute():
        for _ in range(25):
            w = Tensor(np.ones(30_000, np.float32)).requires_grad_()
            with lock:
                y = w * shared
            y.sum().backward()
            if not np.array_equal(w.grad.asnumpy(), y.detach().asnumpy()):
                wrong.append(w.grad)

    threads = [threading.Thread(target=each) for each in (compute, compute, write)]
    for thread in threads:
        thread.start()
    for thread in threads[:2]:
        thread.join()
    stop.set()
    threads[2].join()
    assert not wrong


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("returns", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_a_hook_writes_to_a_gradient_that_others_get_too(first, returns, compile):
    """y and z get the same gradient, v: the hook of y makes 3 v of its own."""

    def hook(gradient):
        gradient.mul_(3.0)
        return gradient if returns else None

    def f(x):
        y, z = x * 2, x * 1
        y.register_hook(hook)
        return ((y + z if first else z + y) * Tensor(V)).sum()

    gradient = compile(ms.grad(f))
    for _ in range(3):
        np.testing.assert_allclose(gradient(Tensor(T)).asnumpy(), 2 * 3 * V + V)


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_results_of_a_transform_are_apart_from_what_its_function_has_kept(compile):
    def f(x):
        kept = []

        def inner(v):
            kept.append(v * 2)
            return kept[0]

        result, gradient = ms.value_and_grad(inner)(x)
        again = ms.grad(lambda v: (v * result).sum())(x)
        result.add_(1.0)
        result[0] = 50.0
        return result, gradient, again

    function = compile(f)
    for _ in range(3):
        result, gradient, again = function(Tensor(T))
        np.testing.assert_array_equal(result.asnumpy(), np.array([50.0, *(2 * T + 1)[1:]], np.float32))
        np.testing.assert_array_equal(gradient.asnumpy(), [2, 2, 2, 2])
        np.testing.assert_array_equal(again.asnumpy(), 2 * T)


@pytest.mark.parametrize("how", ["functional", "backward"])
def test_what_no_gradient_needs_is_not_kept_by_compiled_programs(how):
    """The step writes what the forward pass has used; by then nobody walks back any more."""
    _, _, step = step_of_training(f"compiled, {how}", nn.SGD)
    x, y = Tensor(np.ones((6, 4), np.float32)), Tensor([0, 1, 2, 0, 1, 2])
    step(x, y)
    assert "elsewhere" not in str(ms.explain(step)(x, y))
