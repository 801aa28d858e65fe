"""Random programs of views and in-place writes: values are numpy's, gradients are finite differences.

A program is a list of instructions on a list of tensors; the same list runs on numpy arrays, where views and writes mean
the same.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anfora as ms
from anfora import Tensor, ops

ROWS, COLUMNS = 3, 4

VIEWS = {
    "rows": lambda a: a[1:],
    "row": lambda a: a[0, ...],
    "every other": lambda a: a[..., ::2],
    "last": lambda a: a[..., -1:],
    "turned": lambda a: a.T,
    "with an axis": lambda a: a[None],
    "all": lambda a: a[...],
}
UNARY = {"sin": (ops.sin, np.sin), "square": (ops.square, np.square), "double": (lambda a: a * 2.0, lambda a: a * 2.0)}
BINARY = {"add": np.add, "mul": np.multiply, "sub": np.subtract}
INDICES = {
    "row": 0,
    "part": (Ellipsis, slice(1, None)),
    "all": Ellipsis,
    "list": [0, 0],
    "reversed": (slice(None, None, -1),),
}

_which = st.integers(0, 7)
_instructions = st.lists(
    st.one_of(
        st.tuples(st.just("view"), _which, st.sampled_from(list(VIEWS))),
        st.tuples(st.just("unary"), _which, st.sampled_from(list(UNARY))),
        st.tuples(st.just("binary"), _which, _which, st.sampled_from(list(BINARY))),
        st.tuples(st.just("set"), _which, _which, st.sampled_from(list(INDICES))),
        st.tuples(st.just("set number"), _which, st.sampled_from(list(INDICES))),
        st.tuples(st.just("in place"), _which, _which, st.sampled_from(["add", "sub"])),
        st.tuples(st.just("scale"), _which),
        st.tuples(st.just("swap halves"), _which),
    ),
    min_size=2,
    max_size=9,
)


def run(program, x, is_numpy):
    """All tensors that a program makes, the copy it starts from first. An instruction that does not fit is left out."""
    values = [x * 1.5, x + 0.25]
    for kind, *rest in program:
        a = values[rest[0] % len(values)]
        if kind == "view":
            if a.ndim:
                values.append(VIEWS[rest[1]](a))
        elif kind == "unary":
            values.append(UNARY[rest[1]][is_numpy](a))
        elif kind == "scale":
            if is_numpy:
                a *= 0.5
            else:
                a.mul_(0.5)
        elif kind == "set number":
            if a.ndim:
                a[INDICES[rest[1]]] = 0.125
        elif kind == "swap halves":
            if a.ndim and a.shape[-1] > 1:
                a[..., :1] = a[..., -1:]
        else:
            b = values[rest[1] % len(values)]
            if kind == "binary":
                if _fits(a.shape, b.shape):
                    operator = BINARY[rest[2]]
                    values.append(operator(a, b) if is_numpy else getattr(ops, rest[2])(a, b))
            elif kind == "in place":
                if _fits(a.shape, b.shape) and np.broadcast_shapes(a.shape, b.shape) == a.shape:
                    if is_numpy:
                        BINARY[rest[2]](a, b, out=a)
                    else:
                        getattr(a, f"{rest[2]}_")(b)
            elif a.ndim:
                index = INDICES[rest[2]]
                target = a[index].shape
                if _fits(target, b.shape) and np.broadcast_shapes(target, b.shape) == target:
                    a[index] = b
    return values


def _fits(a, b):
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return True


def total(values, is_numpy):
    """One number that depends on every element of every tensor."""
    result = 0.0
    for number, value in enumerate(values):
        result = result + ((np.sin if is_numpy else ops.sin)(value) * (number + 1.0)).sum()
    return result


def slopes(program, point, step=1e-6):
    gradient = np.zeros_like(point)
    for index in np.ndindex(point.shape):
        ends = []
        for sign in (1, -1):
            moved = point.copy()
            moved[index] += sign * step
            ends.append(total(run(program, moved, True), True))
        gradient[index] = (ends[0] - ends[1]) / (2 * step)
    return gradient


def by_backward(program, point):
    x = Tensor(point).requires_grad_()
    result = total(run(program, x, False), False)
    if result.requires_grad:
        result.backward()
        return x.grad
    return Tensor(np.zeros_like(point))  # all that came from x was overwritten


def by_grad(program, point):
    return ms.grad(lambda x: total(run(program, x, False), False))(Tensor(point))


def by_a_second_walk(program, point):
    """The gradient with the walk back recorded, as for a second derivative."""
    return ms.grad(lambda x: total(run(program, x, False), False) * 1.0)(Tensor(point).requires_grad_())


def by_forward_mode(program, point):
    """Each partial derivative by a direction."""
    x = Tensor(point)
    directions = np.eye(point.size).reshape(-1, *point.shape)
    found = [ms.jvp(lambda x: total(run(program, x, False), False), x, Tensor(v))[1].item() for v in directions]
    return Tensor(np.array(found).reshape(point.shape))


def compiled(gradient):
    """A gradient whose function is compiled and called three times: all calls give the same."""

    def three_times(program, point):
        function = ms.jit(lambda x: gradient(program, x))
        found = [function(Tensor(point)) for _ in range(3)]
        assert len({each.asnumpy().tobytes() for each in found}) == 1
        return found[0]

    three_times.__name__ = f"compiled_{gradient.__name__}"
    return three_times


def inside(program, x):
    return ms.grad(lambda x: total(run(program, x, False), False))(x)


def walked_inside(program, x):
    x = ops.copy(x)
    x.requires_grad = True
    result = total(run(program, x, False), False)
    if not result.requires_grad:
        return ops.zeros_like(x)
    result.backward()
    return x.grad


def under_an_outer_tape(program, point):
    """The function is compiled, and the tape of PyNative mode follows it."""
    function = ms.jit(lambda x: total(run(program, x, False), False))
    found = [ms.grad(function)(Tensor(point)) for _ in range(3)]
    assert len({each.asnumpy().tobytes() for each in found}) == 1
    return found[0]


GRADIENTS = [by_backward, by_grad, by_a_second_walk, by_forward_mode]
COMPILED = [compiled(inside), compiled(walked_inside), under_an_outer_tape]


@pytest.mark.parametrize("gradient", GRADIENTS)
@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(program=_instructions, seed=st.integers(0, 3))
def test_programs_of_views_and_writes(gradient, program, seed):
    point = np.random.default_rng(seed).uniform(-1, 1, (ROWS, COLUMNS))
    for ours, numpys in zip(run(program, Tensor(point), False), run(program, point.copy(), True)):
        np.testing.assert_allclose(ours.asnumpy(), numpys, rtol=1e-12, atol=1e-12)
    found = gradient(program, point)
    np.testing.assert_allclose(found.asnumpy(), slopes(program, point), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("gradient", COMPILED)
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(program=_instructions, seed=st.integers(0, 3))
def test_compiled_programs_of_views_and_writes(gradient, program, seed):
    point = np.random.default_rng(seed).uniform(-1, 1, (ROWS, COLUMNS))
    np.testing.assert_allclose(gradient(program, point).asnumpy(), slopes(program, point), rtol=1e-5, atol=1e-7)
