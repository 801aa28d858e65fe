"""Writes in place, of which the second with the same layouts goes the native way: each is done several times, on views that
lie in memory in any way, and compared with what numpy makes of copies."""

from __future__ import annotations

import types

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, no_grad, ops, vmap
from anfora.core.errors import AnforaError
from anfora.kernel import glue

F, H = np.float32, np.float32(0.5)

#: name -> (the write, what numpy makes of the target and one operand)
CHANGES = {
    "add_": (lambda t, v: t.add_(v), lambda t, v: t + v),
    "sub_": (lambda t, v: t.sub_(v), lambda t, v: t - v),
    "mul_ by a number": (lambda t, v: t.mul_(0.5), lambda t, v: t * H),
    "mul_ by itself": (lambda t, v: t.mul_(t), lambda t, v: t * t),
    "clamp_": (lambda t, v: t.clamp_(-0.5, 0.5), lambda t, v: np.clip(t, -H, H)),
    "clamp_ by tensors": (lambda t, v: t.clamp_(v, v), lambda t, v: np.broadcast_to(v, t.shape)),
    "neg_": (lambda t, v: t.neg_(), lambda t, v: -t),
    "masked_fill_": (lambda t, v: t.masked_fill_(v > 0, 3.0), lambda t, v: np.where(v > 0, F(3), t)),
    "zero_": (lambda t, v: t.zero_(), lambda t, v: np.zeros_like(t)),
    "fill_": (lambda t, v: t.fill_(2), lambda t, v: np.full_like(t, 2)),
    "copy_": (lambda t, v: t.copy_(v), lambda t, v: np.broadcast_to(v, t.shape)),
    "assign": (lambda t, v: ops.assign(t, v), lambda t, v: np.broadcast_to(v, t.shape)),
    "assign_add": (lambda t, v: ops.assign_add(t, v), lambda t, v: t + v),
    "all items": (lambda t, v: t.__setitem__(..., v), lambda t, v: np.broadcast_to(v, t.shape)),
    "add_ of float64": (lambda t, v: t.add_(v.astype(ms.float64)), lambda t, v: (t.astype(float) + v).astype(F)),
    "copy_ of float64": (lambda t, v: t.copy_(v.astype(ms.float64)), lambda t, v: np.broadcast_to(v, t.shape)),
}  # fmt: skip


def random_view(random: np.random.Generator, length: int = 48) -> list:
    """Steps from a vector to a matrix of 2 to 4 rows and columns, by views."""
    rows, columns = random.integers(2, 5, 2)
    step = int(random.integers(1, 3))
    start = int(random.integers(0, length - rows * columns * step + 1))
    steps: list = [slice(start, start + rows * columns * step, step), (rows, columns)]
    if random.random() < 0.3:
        steps.append("turn")
    if random.random() < 0.3:
        steps.append((slice(None, None, -1),))
    return steps


def follow(x, steps):
    for step in steps:
        if step == "turn":
            x = x.T
        elif isinstance(step, tuple) and isinstance(step[0], slice):
            x = x[step]
        elif isinstance(step, tuple):
            x = x.reshape(step)
        else:
            x = x[step]
    return x


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("seed", range(12))
def test_writes_through_any_view_are_those_of_numpy(name, seed):
    change, model = CHANGES[name]
    random = np.random.default_rng(seed * 100 + list(CHANGES).index(name))
    start = random.normal(size=48).astype(F)
    x, expected = Tensor(start), start.copy()
    steps = random_view(random)
    target, mirror = follow(x, steps), follow(expected, steps)
    if seed % 3 == 0:  # an operand of its own, perhaps broadcast
        given = random.normal(size=mirror.shape[seed % 2 :]).astype(F)
        value, same = Tensor(given), given
    else:  # one in the same memory
        shape = mirror.shape
        size = shape[0] * shape[1]
        at = int(random.integers(0, 48 - size + 1))
        value, same = (v[at : at + size].reshape(shape) for v in (x, expected))
        if seed % 3 == 2:
            value, same = target, mirror
    for _ in range(4):
        out = change(target, value)
        mirror[...] = model(mirror.copy(), np.array(same))
        assert out is None or out is target
        np.testing.assert_array_equal(x.asnumpy(), expected)
        np.testing.assert_array_equal(target.asnumpy(), mirror)


def random_key(random: np.random.Generator, shape: tuple[int, ...]):
    """A key for numpy and one for a tensor, of every kind."""
    kind = random.choice(["basic", "basic", "arrays", "mask"])
    if kind == "mask":
        mask = random.random(shape[: int(random.integers(1, len(shape) + 1))]) < 0.5
        return mask, Tensor(mask)
    ours: list = []
    axis, dots = 0, random.random() < 0.3
    for length in shape[: int(random.integers(1, len(shape) + 1))]:
        choice = random.random()
        if kind == "arrays" and choice < 0.6 and sum(isinstance(item, np.ndarray) for item in ours) < 2:
            ours.append(random.permutation(length)[:2])
        elif kind == "basic" and choice < 0.4:
            ours.append(int(random.integers(-length, length)))
        elif choice < 0.8:
            low, high = sorted(random.integers(-length - 1, length + 2, 2).tolist())
            ours.append(
                slice(*[None if random.random() < 0.2 else x for x in (low, high)], random.choice([1, 2, None]))
            )
        else:
            ours.append(slice(None, None, int(random.choice([-1, -2]))))
        axis += 1
    if dots:
        ours.insert(int(random.integers(0, len(ours) + 1)) if axis == len(shape) else len(ours), ...)
    if random.random() < 0.2 and len(ours) < 4:
        ours.insert(0, None)
    key = tuple(ours) if len(ours) > 1 or random.random() < 0.5 else ours[0]
    if not isinstance(key, tuple):
        return key, Tensor(key) if isinstance(key, np.ndarray) else key
    return key, tuple(Tensor(item) if isinstance(item, np.ndarray) else item for item in key)


@pytest.mark.parametrize("seed", range(150))
def test_items_are_written_as_by_numpy(seed):
    random = np.random.default_rng(seed)
    steps = [slice(None), (4, 3, 4)] if seed % 2 else random_view(random)
    start = random.normal(size=48).astype(F)
    x, expected = Tensor(start), start.copy()
    target, mirror = follow(x, steps), follow(expected, steps)
    key, same = random_key(random, mirror.shape)
    shape = mirror[key].shape
    given: list = [2.0, 3, True, random.normal(size=shape).astype(F), random.normal(size=shape[-1:]).astype(F)]
    if isinstance(key, np.ndarray) and key.dtype == bool:
        given[3:] = [random.normal(size=mirror.shape[key.ndim :]).astype(F)]
    value = given[seed % len(given)]
    if shape and not isinstance(key, np.ndarray) and seed % 7 == 0:
        value = "own"
    for _ in range(4):
        if isinstance(value, str):  # what is read lies in what is written
            ours, theirs = target[same][..., ::-1], mirror[key][..., ::-1].copy()
        else:
            ours, theirs = (Tensor(value) if isinstance(value, np.ndarray) else value), value
        target[same] = ours
        mirror[key] = theirs
        np.testing.assert_array_equal(x.asnumpy(), expected)


def test_each_row_is_written_by_its_own_number():
    x, expected = ops.zeros((4, 3)), np.zeros((4, 3), F)
    for i in (*range(4), *range(-4, 0), True):
        x[i] = float(i) + 1
        if i is not True:  # which is a mask
            expected[i] = float(i) + 1
        else:
            expected[...] = 2.0
        np.testing.assert_array_equal(x.asnumpy(), expected)
        x[i if i is not True else 0, -1] = Tensor(7.0)
        expected[i if i is not True else 0, -1] = 7.0
        np.testing.assert_array_equal(x.asnumpy(), expected)
    for wrong in (4, -5, (0, 3), (slice(None), -4), Tensor([0, 4])):
        with pytest.raises(AnforaError, match="out of bounds"):
            x[wrong] = 1.0
    np.testing.assert_array_equal(x.asnumpy(), expected)


def test_items_of_a_parameter_are_an_effect():
    p, held = Parameter(ops.ones((2, 2))), Parameter(ops.ones((2, 2)))
    for k in range(3):
        loss = (p * held).sum()
        p[0] = 2.0 + k
        p[:, 1][1] = 5.0
        held.grad = None
        loss.backward()
        assert held.grad.tolist() == ([[1.0, 1.0], [1.0, 1.0]] if k == 0 else [[1.0 + k, 1.0 + k], [1.0, 5.0]])
        assert p.is_leaf
        assert p.tolist() == [[2.0 + k, 2.0 + k], [1.0, 5.0]]


def test_items_of_what_is_followed_have_a_gradient():
    def run(w, v):
        y = w * 1.0
        for i in range(3):
            y[i] = v * float(i)
        return (y * y).sum() + w.sum()

    w, v = Tensor([1.0, 2.0, 3.0, 4.0]), Tensor(2.0)
    plain = Tensor([1.0, 2.0, 3.0, 4.0])
    plain[0] = v
    plain[1] = v
    for _ in range(2):
        dw, dv = ms.grad(run, (0, 1))(w, v)
        assert dw.tolist() == [1.0, 1.0, 1.0, 9.0]
        assert dv.item() == 20.0


def of_a_part(x):
    t = ops.zeros_like(x)
    ops.assign_add(t, x)
    ops.assign_sub(t[:1], x[1:])
    return (t * x).sum()


def of_its_result(x):
    t = x * 2
    return (ops.assign_add(t, x * x) * t).sum()


def of_what_is_assigned(x):
    t = x * 1
    ops.assign(t, (x * x)[:1])
    return (t * x).sum()


#: A function of (x, y), and its gradient.
ASSIGNED = {
    "assign_add": (lambda x: (ops.assign_add(t := x * 1, x), t.sum())[1], lambda x, y: (2, 2)),
    "assign_sub": (lambda x: (ops.assign_sub(t := x * 1, x * x), (t * t).sum())[1], lambda x, y: tuple(
        2 * (each - each**2) * (1 - 2 * each) for each in (x, y))),
    "assign": (of_what_is_assigned, lambda x, y: (3 * x * x + 2 * x * y, x * x)),
    "a part": (of_a_part, lambda x, y: (2 * x - y, 2 * y - x)),
    "the result": (of_its_result, lambda x, y: tuple(2 * (2 * each + each**2) * (2 + 2 * each) for each in (x, y))),
}  # fmt: skip


@pytest.mark.parametrize("way", ["plain", "compiled", "compiled inside"])
@pytest.mark.parametrize("name", ASSIGNED)
def test_what_is_assigned_to_a_tensor_that_is_no_parameter_has_its_gradient(name, way):
    function, gradient = ASSIGNED[name]
    take = {
        "plain": ms.grad(function),
        "compiled": ms.jit(ms.grad(function)),
        "compiled inside": ms.grad(ms.jit(function)),
    }
    for given in [(3.0, 4.0), (1.0, 2.0), (2.0, -1.0), (0.5, 2.0)]:
        np.testing.assert_allclose(take[way](Tensor(given, ms.float32)).asnumpy(), gradient(*given), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32", "int64", "uint8", "bool_"])
def test_every_type_is_written_with_the_bits_of_the_operators(dtype):
    dtype = getattr(ms, dtype)
    values = np.arange(40).reshape(5, 8) % 7
    for change, function in ((lambda x, y: x.mul_(y), ops.mul), (lambda x, y: x.copy_(y), lambda x, y: ops.copy(y))):
        x, y = Tensor(values, dtype), Tensor(values[::-1].copy() % 2, dtype)
        for _ in range(3):
            expected = function(x, y).tolist()
            assert change(x, y).tolist() == expected
            assert x.dtype is dtype


def test_large_tensors_are_written_by_all_threads():
    values = np.random.default_rng(1).normal(size=(700, 1000)).astype(F)
    x, y, expected = Tensor(values), Tensor(values[::-1].copy()), values.copy()
    for _ in range(3):
        x.mul_(y).add_(x[::-1])
        expected = expected * values[::-1]
        expected = expected + expected[::-1]
        np.testing.assert_array_equal(x.asnumpy(), expected)


def test_what_fails_has_changed_nothing():
    x, y = Tensor([6, 8, 9]), Tensor([2, 2, 3])
    x.floor_div_(y)
    x.floor_div_(y)
    before = x.tolist()
    with pytest.raises(AnforaError, match="zero"):
        x.floor_div_(Tensor([1, 0, 1]))
    assert x.tolist() == before
    with pytest.raises(AnforaError, match="Int64"):
        x.mul_(0.5)
    with pytest.raises(AnforaError, match="shape"):
        x.add_(Tensor([[1, 1, 1], [2, 2, 2]]))
    assert x.tolist() == before


def test_memory_that_must_not_be_written_to_is_refused_each_time():
    array = np.zeros(4, F)
    x = ms.from_numpy(array)
    x.add_(1.0)
    x.add_(1.0)
    frozen = np.ones(4, F)
    frozen.flags.writeable = False
    y = ms.from_numpy(frozen)
    for _ in range(3):
        with pytest.raises(AnforaError, match="may not be written to"):
            y.add_(1.0)
    assert frozen.tolist() == [1.0] * 4
    assert array.tolist() == [2.0] * 4
    wide = ops.broadcast_to(Tensor([1.0]), (4,))
    for _ in range(3):
        with pytest.raises(AnforaError, match="one place of memory"):
            wide.add_(1.0)


def test_histories_are_kept_after_native_writes():
    def run(w, t):
        y = w * 2.0
        y.add_(t)
        y[1:].mul_(3.0)
        return (y * y).sum()

    w, t = Tensor([1.0, 2.0, 3.0]), Tensor([0.5, 0.5, 0.5])
    for _ in range(3):
        w.add_(0.0)  # the same layouts, and nobody follows
        got = ms.grad(run)(w, t)
        y = np.array([2.5, 13.5, 19.5])
        np.testing.assert_allclose(got.asnumpy(), 2 * y * [2, 6, 6])
    leaf = Parameter(Tensor([1.0, 2.0, 3.0]))
    for _ in range(3):
        with no_grad():
            leaf.sub_(0.5)
        leaf.sub_(0.5)
        with pytest.raises(AnforaError, match="leaf"):
            leaf.sub_(w * leaf)
    assert leaf.tolist() == [-2.0, -1.0, 0.0]


def test_a_tape_keeps_the_values_that_it_saw():
    w, t = Parameter(Tensor([1.0, 2.0])), Tensor([3.0, 4.0])
    for _ in range(3):
        held = (w * t).sum()
        before = t.tolist()
        t.add_(1.0)  # the node holds the memory: t moves
        t.add_(1.0)
        w.grad = None
        held.backward()
        assert w.grad.tolist() == before
        t.sub_(1.0)
        assert t.tolist() == [v + 1 for v in before]


def test_a_parameter_that_a_tape_has_saved_is_stepped_in_its_memory():
    p = Parameter(Tensor([1.0, 2.0]))
    address = p.asnumpy().ctypes.data
    for _ in range(4):
        p.grad = None
        (p * p).sum().backward()
        with no_grad():
            p.sub_(p.grad)
    assert p.tolist() == [1.0, 2.0]
    assert p._array.ctypes.data == address


def test_vmap_calls_a_function_that_writes_for_each_example():
    total = Tensor([0.0])

    def f(x):
        total.add_(Tensor([1.0]))
        return x * 2.0

    f(Tensor([1.0]))
    f(Tensor([1.0]))
    assert vmap(f)(Tensor([[1.0], [2.0], [3.0]])).tolist() == [[2.0], [4.0], [6.0]]
    assert total.tolist() == [5.0]


def test_the_methods_are_native():
    x = Tensor([1.0])
    for call in (lambda: x.add_(1.0), lambda: x.zero_(), lambda: x.fill_(1.0), lambda: x.copy_(x)):
        call()
    if glue.available():
        for name in ("add_", "zero_", "fill_", "copy_"):
            assert type(vars(ms.Tensor).get(name)) is types.MethodDescriptorType
