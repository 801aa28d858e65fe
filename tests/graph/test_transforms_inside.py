"""`vjp`, `jvp`, `jacrev`, `jacfwd` and `vmap` inside of compiled functions: each program gives what it gives in PyNative
mode, to the last bit, or the same error, call after call, and has the hops that are said here and no others."""

from __future__ import annotations

import numpy as np
import pytest
from outcomes import bits, gradients_of_all, hops, outcome

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops


def t(*numbers):
    return Tensor(np.array(numbers[0] if len(numbers) == 1 else numbers, np.float32))


def data(seed, *shape):
    return Tensor(np.random.default_rng(seed).uniform(-2, 2, shape).astype(np.float32))


def check(function, calls, expected=(), recordings=12):
    """Compiled, it gives what Python gives, with these hops; and it is not compiled again and again."""
    compiled = jit(function)
    for arguments in [*calls, calls[0]]:
        assert outcome(compiled, *arguments) == outcome(function, *arguments)
    assert compiled.program.native is None
    assert sorted(set(hops(compiled))) == sorted(expected)
    assert compiled.program.recordings <= recordings
    return compiled


VECTORS = [(t(1, 2), t(1, 0)), (t(3, 4), t(0.5, -1)), (t(1, 2, 3), t(1, 1, 1)), (t(-0.0, 1), t(0, 2))]

W = Parameter(t(2, 3), name="w")
B = Parameter(t(1, -1), name="b")
NET = nn.SequentialCell(nn.Dense(2, 3), nn.Tanh(), nn.Dense(3, 2))


def cube(x):
    return x * x * x


def sine(x):
    return ops.sin(x) * x


# -- vjp --------------------------------------------------------------------------------------------------------------


def vjp_of_one(x, v):
    value, pull = ms.vjp(sine, x)
    return value, pull(v)


def vjp_pulled_twice(x, v):
    value, pull = ms.vjp(lambda a: ops.exp(a) * a, x)
    return pull(v), pull(v * 2), value


def vjp_of_several(x, v):
    value, pull = ms.vjp(lambda a, b: (a * b, a + b), x, v)
    return value, pull((v, x)), pull(v, x)


def vjp_of_a_nesting(x, v):
    value, pull = ms.vjp(lambda tree: tree["a"] * tree["b"][0], {"a": x, "b": [v]})
    return value, pull(v)


def vjp_with_aux(x, v):
    value, pull, aux = ms.vjp(lambda a: (a * a, a.sum(), {"a": a + 1}), x, has_aux=True)
    return value, pull(v), aux


def vjp_by_weights(x, v):
    value, pull = ms.vjp(lambda a: a * W + B * B, x, weights=(W, B))
    one, pull_one = ms.vjp(lambda: W * 3, weights=W)
    return value, pull(v), one, pull_one(v)


def vjp_of_a_net(x, v):
    value, pull = ms.vjp(NET, x, weights=NET.trainable_params())
    return value, pull(v)


def vjp_of_a_number_beside(x, v):
    value, pull = ms.vjp(lambda a, k: a * k, x, 3)
    return value, pull(v)


def vjp_of_an_argument(x, v):
    value, pull = ms.vjp(lambda a: a, x)
    return value, pull(v)


def vjp_under_a_gradient(x, v):
    def f(a):
        _, pull = ms.vjp(cube, a)
        return (pull(v)[0] * a).sum()

    return ms.grad(f)(x), ms.grad(ms.grad(f))(x)


def gradient_under_a_vjp(x, v):
    value, pull = ms.vjp(ms.grad(lambda a: cube(a).sum()), x)
    return value, pull(v)


def vjp_in_a_helper(x, v):
    def linear(f, x):
        value, pull = ms.vjp(f, x)
        return lambda g: pull(g)[0] + value

    return linear(sine, x)(v), linear(cube, x)(v)


def vjp_in_a_loop(x, v):
    for _ in range(3):
        value, pull = ms.vjp(sine, x)
        x = value - pull(v)[0] * 0.1
    return x


# -- jvp --------------------------------------------------------------------------------------------------------------


def jvp_of_one(x, v):
    return ms.jvp(cube, x, v)


def jvp_of_several(x, v):
    return ms.jvp(lambda a, b: (a * b, ops.sin(a)), (x, v), (v, x))


def jvp_with_aux(x, v):
    return ms.jvp(lambda a: (a * a, a + 1, 3), x, v, has_aux=True)


def jvp_of_a_constant(x, v):
    return ms.jvp(lambda a: v * 2, x, v)


def jvp_of_the_argument(x, v):
    return ms.jvp(lambda a: a, x, v), ms.jvp(lambda a: (a, a), x, v)


def jvp_without_rules(x, v):
    return ms.jvp(lambda a: ops.cumprod(a, 0) + ops.softmax(a * 2, 0) + ops.sort(a)[0], x, v)


def jvp_of_a_number_that_varies(x, v):
    scale = float(x.shape[0]) * 0.5
    return ms.jvp(lambda a: a**3 * scale, x, v)


def jvp_of_a_direction_that_is_broadcast(x, v):
    return ms.jvp(cube, x, v[0])


def jvp_of_a_net(x, v):
    return ms.jvp(NET, x, v)


def jvp_of_jvp(x, v):
    return ms.jvp(lambda a: ms.jvp(cube, a, v)[1], x, v)


def hessian_vector_product(x, v):
    return ms.jvp(ms.grad(lambda a: cube(a).sum()), x, v)[1]


def hessian_vector_product_in_reverse(x, v):
    return ms.grad(lambda a: (ms.grad(lambda b: cube(b).sum())(a) * v).sum())(x)


def jvp_under_a_gradient(x, v):
    return ms.grad(lambda a: ms.jvp(lambda b: ops.exp(b) * b, a, v)[1].sum())(x)


def gradient_of_weights_over_a_jvp(x, v):
    return ms.value_and_grad(lambda: ms.jvp(NET, x, v)[1].sum(), None, NET.trainable_params())()


def jvp_of_what_is_written_in_place(x, v):
    def f(a):
        b = a * 2
        b[0] = a[1]
        return b * a

    return ms.jvp(f, x, v)


def jvp_that_is_caught(x, v):
    def f(a):
        if a.shape[0] == 2:
            raise ValueError("two")
        return a * 2

    try:
        return ms.jvp(f, x, v)
    except ValueError as error:
        return str(error), ms.jvp(cube, x, v)


def linearized(x, v):
    value, push = ms.linearize(sine, x)
    return value, push(v), push(v * 2)


def derivatives_along_a_curve(x, v):
    return ms.jet(sine, x, ops.stack((v, v * 0, v))), ms.derivative(cube, x, 2)


# -- Jacobians --------------------------------------------------------------------------------------------------------


def pair(v):
    return ops.stack((v[0] * v[1], v[0] + v[1] * v[1], ops.sin(v[0])))


def jacobians(x, v):
    return ms.jacrev(pair)(x), ms.jacfwd(pair)(x)


def jacobians_by_several(x, v):
    def f(a, b):
        return a * b[0], (a + b).sum()

    return ms.jacrev(f, (0, 1))(x, v), ms.jacfwd(f, (0, 1))(x, v), ms.jacrev(f, 1)(x, v), ms.jacfwd(f, (1,))(x, v)


def jacobians_with_aux(x, v):
    def f(a):
        return a * a, a + 1

    return ms.jacrev(f, has_aux=True)(x), ms.jacfwd(f, has_aux=True)(x)


def hessians(x, v):
    def f(a):
        return cube(a).sum() * a[0]

    return ms.jacfwd(ms.grad(f))(x), ms.jacrev(ms.jacrev(f))(x), ms.jacfwd(ms.jacrev(f))(x), ms.jacrev(ms.jacfwd(f))(x)


def gradient_of_a_jacobian(x, v):
    return ms.grad(lambda a: (ms.jacrev(pair)(a) * 2).sum())(x), ms.grad(lambda a: ms.jacfwd(pair)(a).sum())(x)


JACOBIAN = ms.jacrev(pair)


def jacobian_from_outside(x, v):
    return JACOBIAN(x), JACOBIAN(v)


PROGRAMS = [
    vjp_of_one, vjp_pulled_twice, vjp_of_several, vjp_of_a_nesting, vjp_with_aux, vjp_by_weights,
    vjp_of_a_number_beside, vjp_of_an_argument, vjp_under_a_gradient, gradient_under_a_vjp, vjp_in_a_helper, vjp_in_a_loop,
    jvp_of_one, jvp_of_several, jvp_with_aux, jvp_of_a_constant, jvp_of_the_argument, jvp_without_rules,
    jvp_of_a_number_that_varies, jvp_of_a_direction_that_is_broadcast, jvp_of_jvp,
    hessian_vector_product, hessian_vector_product_in_reverse, jvp_under_a_gradient, jvp_of_what_is_written_in_place,
    jvp_that_is_caught, linearized, derivatives_along_a_curve,
    jacobians, jacobians_by_several, jacobians_with_aux, hessians, gradient_of_a_jacobian, jacobian_from_outside,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_a_transform_has_no_hop(function):
    check(function, VECTORS)


@pytest.mark.parametrize(
    "function", [vjp_of_a_net, jvp_of_a_net, gradient_of_weights_over_a_jvp], ids=lambda f: f.__name__
)
def test_a_transform_of_a_net_has_no_hop(function):
    check(function, [(data(k, 2, 2), data(k + 9, 2, 2)) for k in range(3)])


# -- errors -----------------------------------------------------------------------------------------------------------


def direction_of_a_wrong_shape(x, v):
    return ms.jvp(cube, x, ops.ones((5, 7)))


def directions_of_another_number(x, v):
    return ms.jvp(lambda a, b: a * b, (x, v), (v,))


def no_tensor_for_a_direction(x, v):
    return ms.jvp(cube, x, 3.0)


def nothing_beside_the_value(x, v):
    return ms.jvp(cube, x, v, has_aux=True)


def vjp_of_no_tensor(x, v):
    return ms.vjp(lambda a: a, 3)


def gradient_of_a_wrong_shape(x, v):
    _, pull = ms.vjp(cube, x)
    return pull(ops.ones((5, 7)))


def gradients_of_another_number(x, v):
    _, pull = ms.vjp(cube, x)
    return pull(x, v)


def position_that_is_not_there(x, v):
    return ms.jacrev(pair, 3)(x)


def position_of_no_tensor(x, v):
    return ms.jacfwd(lambda a, k: a * k, 1)(x, 3)


def operator_that_fails_in_it(x, v):
    return ms.jvp(lambda a: a.reshape((3, 5)), x, v)


def error_that_is_caught(x, v):
    told = []
    for transform in (
        lambda: ms.grad(cube, 3)(x),
        lambda: ms.jacrev(pair, 3)(x),
        lambda: ms.vjp(lambda a: a @ ops.ones((7, 7)), x),
        lambda: ms.jvp(cube, x, ops.ones((5, 7))),
    ):
        try:
            transform()
        except Exception as error:
            told.append(str(error))
    return told, ms.jvp(cube, x, v), x * 2


@pytest.mark.parametrize(
    "function",
    [
        direction_of_a_wrong_shape, directions_of_another_number, no_tensor_for_a_direction, nothing_beside_the_value,
        vjp_of_no_tensor, gradient_of_a_wrong_shape, gradients_of_another_number, position_that_is_not_there,
        position_of_no_tensor, operator_that_fails_in_it, error_that_is_caught,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_errors_are_the_same(function):
    check(function, VECTORS[:2])


def powers_of_fractions_in_a_try(x, v):
    try:
        return x**2, (x + 3) ** v, v // 2, v % 3
    except ValueError:
        return x


def test_floating_powers_and_divisions_do_not_fail():
    """Of integers they may."""
    compiled = check(powers_of_fractions_in_a_try, VECTORS)
    assert not any(v.piece.is_tried for p in compiled.program.entries.values() for v in p.variants)
    compiled = jit(powers_of_fractions_in_a_try)
    for exponents in ([1, 2], [1, -2], [0, 3]):
        arguments = Tensor(np.array([4, 5], np.int32)), Tensor(np.array(exponents, np.int32))
        assert outcome(compiled, *arguments) == outcome(powers_of_fractions_in_a_try, *arguments)
    assert any(v.piece.is_tried for p in compiled.program.entries.values() for v in p.variants)


# -- where the interpreter takes part ---------------------------------------------------------------------------------

TAPE = "a gradient of what the interpreter does"
PRINT = "a call of print, which the compiler cannot look into"


def print_while_a_tape_is_alive(x, v):
    value, pull = ms.vjp(sine, x)
    print("between")
    return value, pull(v), pull(v * 2)


def print_in_the_function(x, v):
    def f(a):
        print("inside")
        return cube(a)

    value, pull = ms.vjp(f, x)
    return value, pull(v), ms.jvp(f, x, v), ms.jacfwd(f)(x)


def print_in_another_gradient(x, v):
    def f(a):
        print("inside")
        return cube(a).sum()

    return ms.jvp(ms.grad(f), x, v), ms.jvp(cube, x, v)


@pytest.mark.parametrize(
    "function",
    [print_while_a_tape_is_alive, print_in_the_function, print_in_another_gradient],
    ids=lambda f: f.__name__,
)
def test_hops_inside(function, capsys):
    compiled = jit(function)
    printed = []
    for arguments in [*VECTORS, *VECTORS]:
        found = []
        for each in (compiled, function):
            found.append(outcome(each, *arguments))
            printed.append(capsys.readouterr().out)
        assert found[0] == found[1]
    assert printed[::2] == printed[1::2]
    assert compiled.program.native is None
    assert TAPE in hops(compiled)


def test_only_the_transform_whose_tape_is_alive_is_left_to_the_interpreter():
    @jit
    def f(x, v):
        one = ms.jvp(cube, x, v)
        gradient = ms.grad(lambda a: (a * a).sum())(x)
        _, pull = ms.vjp(sine, x)
        print("between")
        return one, gradient, pull(v)

    for arguments in VECTORS * 2:
        assert outcome(f, *arguments) == outcome(f.__wrapped__, *arguments)
    assert hops(f).count(TAPE) == 2 * 3  # for each shape: the function is run, and gives its value and its gradient


def test_a_pull_function_that_is_returned():
    @jit
    def f(x):
        return ms.vjp(sine, x)

    for x, v in [*VECTORS, *VECTORS]:
        value, pull = f(x)
        expected, expected_pull = f.__wrapped__(x)
        for _ in range(2):
            assert outcome(lambda: (value, pull(v))) == outcome(lambda: (expected, expected_pull(v)))  # noqa: B023
    assert f.program.native is None and f.program.recordings <= 12


def test_a_pull_function_from_outside():
    @jit
    def f(pull, v):
        return pull(v)[0] * 2, pull(v + 1)

    for x, v in [*VECTORS, *VECTORS]:
        _, pull = ms.vjp(sine, x)
        assert outcome(f, pull, v) == outcome(f.__wrapped__, pull, v)
    assert f.program.native is None and f.program.recordings <= 16


@pytest.mark.parametrize("function", [jvp_of_one, vjp_of_one, jacobians, hessian_vector_product, vjp_of_a_net])
def test_a_tape_outside_follows(function):
    compiled = jit(function)
    for k in range(4):
        x, v = data(k, 2), data(k + 5, 2)
        if function is vjp_of_a_net:
            x, v = data(k, 2, 2), data(k + 5, 2, 2)
        assert outcome(compiled, x, v) == outcome(function, x, v)
        assert outcome(gradients_of_all(compiled), x, v) == outcome(gradients_of_all(function), x, v)
        assert outcome(jit(gradients_of_all(function)), x, v) == outcome(gradients_of_all(function), x, v)
        leaf, other = x.copy().requires_grad_(), x.copy().requires_grad_()
        assert outcome(compiled, leaf, v) == outcome(function, other, v)


def test_a_pull_function_that_is_mapped_under_a_tape_outside():
    """What Python had run on the tape was made anew, without its history, or not found."""

    def rows(x):
        value, pull = ms.vjp(lambda v: ops.sin(v) * v.sum(), x)
        return value, ms.vmap(lambda g: pull(g)[0])(ops.eye(3, 3, ms.float32))

    def gradients(f, x, fixed):
        by_rows = ms.grad(lambda v: f(v)[1].sum())(x)
        return by_rows, ms.grad(lambda v: f(fixed)[1].sum() * v.sum())(x)

    x, other = Tensor([1.0, 2.0, 3.0]), Tensor([0.0, -1.0, 0.5])
    compiled = jit(rows)
    for given in (x, x, other, x, other):
        assert bits(gradients(compiled, given, other)) == bits(gradients(rows, given, other))


def test_a_hook_on_the_argument_is_called():
    def f(x, v):
        value, pull = ms.vjp(sine, x)
        return value, pull(v)

    compiled = jit(f)
    x, v = t(1, 2), t(1, 1)
    for _ in range(2):
        assert outcome(compiled, x, v) == outcome(f, x, v)
    leaf = t(1, 2).requires_grad_()
    plain = outcome(f, leaf, v)
    handle = leaf.register_hook(lambda g: g * 10)
    assert outcome(compiled, leaf, v) == outcome(f, leaf, v) != plain
    handle.remove()
    assert outcome(compiled, leaf, v) == plain


def test_a_refused_gradient_is_over():
    """What comes behind it is no part of it, so that it is not left to the interpreter with a hop there."""

    @jit
    def f(x, v):
        told = []
        for transform in (ms.grad(cube, 3), ms.jacrev(pair, 3)):
            try:
                transform(x)
            except ValueError as error:
                told.append(str(error))
        print("behind")
        return told, x * 2

    for arguments in VECTORS[:2] * 2:
        assert outcome(f, *arguments) == outcome(f.__wrapped__, *arguments)
    assert hops(f) == [PRINT]


@pytest.mark.parametrize("transform", [ms.jacrev, ms.jacfwd], ids=["jacrev", "jacfwd"])
def test_a_large_jacobian_is_not_unrolled(transform, monkeypatch):
    monkeypatch.setattr("anfora.graph.polyfill.transforms._MOST_CALLS", 500)

    def f(x):
        for _ in range(10):
            x = ops.sin(x) * x
        return x

    @jit
    def g(x):
        return transform(f)(x)

    for k in range(3):
        x = data(k, 5)
        assert outcome(g, x) == outcome(g.__wrapped__, x)
        if k == 0:
            assert not hops(g)
    for k in range(3):
        x = data(k, 60)
        assert outcome(g, x) == outcome(g.__wrapped__, x)
    assert set(hops(g)) == {TAPE}


def tape_alive_in_front_of_a_long_loop(x, v):
    _, pull = ms.vjp(sine, x)
    for _ in range(300):
        x = x + v
    return pull(x)


def history_alive_in_front_of_a_long_loop(x, v):
    kept = []

    def f(a):
        kept.append(a * 2)
        return (a * a).sum()

    gradient = ms.grad(f)(x)
    for _ in range(300):
        x = x + v
    return x, gradient, kept[0] + 1


@pytest.mark.parametrize(
    "function, needed", [(tape_alive_in_front_of_a_long_loop, {TAPE}), (history_alive_in_front_of_a_long_loop, set())]
)
def test_a_loop_stays_one_where_a_tape_is_alive(function, needed):
    compiled = jit(function)
    for arguments in VECTORS[:2] * 2:
        assert outcome(compiled, *arguments) == outcome(function, *arguments)
    assert set(hops(compiled)) == needed
    assert max(len(v.piece.calls) for p in compiled.program.points.values() for v in p.variants) < 100
