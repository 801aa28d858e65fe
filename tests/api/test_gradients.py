"""Gradients as users ask for them: directions, any order, several results, rules of one's own; against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import GradOperation, Parameter, Tensor, custom_vjp, derivative, grad, jet, linearize, nn, ops
from anfora.core.errors import OpTypeError, OpValueError

A = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
B = np.array([[-2.0, 3.0], [-1.0, 2.0]], np.float32)


def close(tensor, expected):
    np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=1e-5)


def diagonal(values):
    return np.diag(np.ravel(values)).reshape(*values.shape, *values.shape)


def several(x, y):
    return x * x * y, x * y


@pytest.mark.parametrize("jacobian", [anfora.jacrev, anfora.jacfwd])
def test_jacobians_of_several_results(jacobian):
    """The outer tuple is of results, the inner one of positions."""
    found = jacobian(several, (0, 1))(Tensor(A), Tensor(B))
    expected = ((2 * A * B, A * A), (B, A))
    for row, wanted in zip(found, expected):
        for block, values in zip(row, wanted):
            close(block, diagonal(values))
    first, second = jacobian(several, 1)(Tensor(A), Tensor(B))
    close(first, diagonal(A * A))
    close(second, diagonal(A))
    block, aux = jacobian(several, has_aux=True)(Tensor(A), Tensor(B))
    close(block, diagonal(2 * A * B))
    close(aux, A * B)


def test_one_thing_beside_the_value_is_no_tuple():
    value, pull, aux = anfora.vjp(several, Tensor(A), Tensor(B), has_aux=True)
    close(value, A * A * B)
    close(aux, A * B)
    close(pull(Tensor(np.ones_like(A)))[1], A * A)
    value, tangent, aux = anfora.jvp(several, (Tensor(A), Tensor(B)), (Tensor(B), Tensor(A)), has_aux=True)
    close(tangent, 2 * A * B * B + A * A * A)
    close(aux, A * B)
    three = anfora.vjp(lambda x: (x, x + 1, x + 2), Tensor(1.0), has_aux=True)[2]
    assert isinstance(three, tuple) and [t.item() for t in three] == [2.0, 3.0]
    with pytest.raises(OpValueError, match="something beside it"):
        anfora.vjp(lambda x: x, Tensor(1.0), has_aux=True)


def test_directions_at_one_point():
    value, along = linearize(several, [Tensor(A), Tensor(B)])
    close(value[0], A * A * B)
    for v, w in ((A, B), (B, A)):
        first, second = along((Tensor(v), Tensor(w)))
        close(first, 2 * A * B * v + A * A * w)
        close(second, v * B + A * w)
    with pytest.raises(OpTypeError, match="linearize needs a tensor"):
        linearize(several, 3)


def test_derivatives_of_any_order():
    x = np.array([0.3, -0.7], np.float32)
    for order, expected in ((1, np.cos(x)), (2, -np.sin(x)), (3, -np.cos(x)), (4, np.sin(x))):
        value, found = derivative(ops.sin, Tensor(x), order)
        close(value, np.sin(x))
        close(found, expected)
    value, rows = jet(
        lambda x, y: (x * y, x + y), (Tensor(2.0), Tensor([1.0])), (Tensor([3.0, 1.0]), Tensor([[5.0], [7.0]]))
    )
    # x(t) = 2 + 3t + t²/2, y(t) = 1 + 5t + 7t²/2: (xy)' = 13, (xy)'' = 1·1 + 2·3·5 + 2·7
    assert [v.tolist() for v in value] == [[2.0], [3.0]]
    assert [r.tolist() for r in rows] == [[[13.0], [45.0]], [[8.0], [8.0]]]
    assert jet(lambda x: x * x, Tensor(3), Tensor([1, 0]))[1].tolist() == [6.0, 2.0]
    with pytest.raises(OpValueError, match="order` of at least 1"):
        derivative(ops.sin, Tensor(x), 0)
    with pytest.raises(OpTypeError, match="an int for `order`"):
        derivative(ops.sin, Tensor(x), 1.0)
    with pytest.raises(OpValueError, match=r"rows of shape \(2,\)"):
        jet(ops.sin, Tensor(x), Tensor([[1.0]]))
    with pytest.raises(OpValueError, match="1 tensors for `primals`, but 2"):
        jet(ops.sin, Tensor(x), (Tensor([x]), Tensor([x])))


def test_a_gradient_of_ones_own_for_a_function():
    @custom_vjp
    def scaled(x, y):
        return 2 * x + y

    with pytest.raises(OpTypeError, match="scaled is a custom_vjp, but has no gradient"):
        grad(scaled)(Tensor(1.0), Tensor(2.0))
    assert scaled(Tensor(1.0), Tensor(2.0)).item() == 4.0
    scaled.defbwd(lambda x, y, out, dout: (dout * out, y))
    by_x, by_y = grad(lambda x, y: scaled(x * 3, y) * 10, (0, 1))(Tensor(1.0), Tensor(2.0))
    assert (by_x.item(), by_y.item()) == (8 * 10 * 3, 2.0)
    short = custom_vjp(lambda x, y: x)
    short.defbwd(lambda x, y, out, dout: dout)
    with pytest.raises(OpTypeError, match="one gradient for each of the 2 inputs, but returned 1"):
        grad(short)(Tensor(1.0), Tensor(2.0))


class Wide(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * y, dout * x


def test_broadcast_gradients_of_a_bprop_are_summed():
    x, y = Tensor([1.0, 2.0]), Tensor(A)
    by_x, by_y = grad(Wide(), (0, 1))(x, y)
    close(by_x, A.sum(0))
    close(by_y, np.broadcast_to([1.0, 2.0], (2, 2)))


class Sum(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = Parameter([6.0]), Parameter([2.0])

    def construct(self, *x):
        return self.a + 3 * self.b


def test_grad_operation_without_inputs():
    net = Sum()
    assert GradOperation(get_all=True)(net)() == ()
    none, own = GradOperation(get_all=True, get_by_list=True)(net)()
    assert none == () and [g.item() for g in own] == [1.0, 3.0]
    assert [g.item() for g in GradOperation(get_by_list=True)(net)()] == [1.0, 3.0]
    assert GradOperation(get_all=True, get_by_list=True)(net, ())() == ((), ())


def test_directions_as_cells():
    value, tangent = nn.Jvp(several)(Tensor(A), Tensor(B), (Tensor(B), Tensor(A)))
    close(value[1], A * B)
    close(tangent[1], B * B + A * A)
    value, gradients = nn.Vjp(several)(Tensor(A), Tensor(B), (Tensor(B), Tensor(A)))
    close(gradients[0], 2 * A * B * B + B * A)
    close(nn.Vjp(ops.square)(Tensor(A), Tensor(B))[1], 2 * A * B)


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.Jvp(ops.square)(Tensor(A), (Tensor(B),)),
        lambda: nn.Jvp(several)(Tensor(A), Tensor(B), Tensor(B)),
        lambda: nn.Jvp(several)(Tensor(A), Tensor(B), (Tensor(B),)),
        lambda: nn.Jvp(ops.square)(Tensor(A), 1.0),
        lambda: nn.Vjp(ops.square)(Tensor(A), (Tensor(B), Tensor(B))),
        lambda: nn.Vjp(ops.square)(Tensor(A), (Tensor(B),)),
        lambda: nn.Vjp(several)(Tensor(A), Tensor(B), Tensor(B)),
        lambda: anfora.vjp(ops.square, 1.0),
        lambda: anfora.vjp(ops.square, [2]),
        lambda: anfora.jvp(ops.square, 1.0, Tensor(B)),
        lambda: anfora.jvp(ops.square, Tensor(A), 1.0),
        lambda: anfora.jvp(ops.square, Tensor(A), (1.0,)),
    ],
)
def test_directions_of_another_form_are_refused(call):
    with pytest.raises(OpTypeError, match="needs"):
        call()


class Moves(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seen = Parameter([0.0], requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.seen, 1)
        return ops.rand(2) + x.reshape(2)


def test_compiling_a_cell_checks_and_changes_nothing():
    from anfora.common.api import _cell_graph_executor

    net, state = Moves(), anfora.get_rng_state().asnumpy().copy()
    phase, done = _cell_graph_executor.compile(net, Tensor([1.0, 2.0]), phase="train")
    assert phase == "train.Moves" and done and net.seen.item() == 0.0
    assert np.array_equal(anfora.get_rng_state().asnumpy(), state)
    with pytest.raises(OpValueError, match="reshape"):
        _cell_graph_executor.compile(net, Tensor([1.0]))
    with pytest.raises(OpTypeError, match="needs a Cell"):
        _cell_graph_executor.compile(abs, Tensor([1.0]))
    _cell_graph_executor(net, Tensor([1.0, 2.0]))
    assert net.seen.item() == 1.0


@pytest.mark.parametrize("wrap", [lambda f: f, anfora.jit], ids=["eager", "jit"])
def test_positions_of_what_has_no_gradient_are_left_out(wrap):
    def reduced(x, y, weight=None, reduction="mean", double=False):
        out = x * y if weight is None else x * y * weight
        out = out.mean() if reduction == "mean" else out.sum()
        return out * 2 if double else out

    x, y = Tensor([1.0, 2.0]), Tensor([4.0, 6.0])
    for call in (
        lambda: grad(wrap(reduced), (0, 1, 2, 3))(x, y, None, "mean"),
        lambda: wrap(lambda x, y: grad(reduced, (0, 1, 2, 3))(x, y, None, "mean"))(x, y),
        lambda: anfora.value_and_grad(wrap(reduced), (4, 0, 3, 1))(x, y, None, "mean", False)[1],
    ):
        for _ in range(2):
            assert [g.tolist() for g in call()] == [[2.0, 3.0], [0.5, 1.0]]
    with pytest.raises(OpTypeError, match="argument 1 needs a tensor or a container of tensors, but got float"):
        grad(wrap(reduced), (0, 1))(x, 2.0)
    with pytest.raises(OpTypeError, match="argument 3 needs a tensor"):
        grad(wrap(reduced), 3)(x, y, None, "sum")


def test_arguments_by_name_count_after_the_others():
    def product(a, *, b, c=None):
        return a * b * b

    a, b, s = Tensor(2.0), Tensor(3.0), Tensor(10.0)
    assert [g.item() for g in grad(product, (0, 1))(a, b=b)] == [9, 12]
    assert [g.item() for g in grad(product, (0, 1, 2))(a, c=None, b=b)] == [9, 12]  # None has no gradient
    assert grad(product, 1)(a=a, b=b).item() == 12 and grad(product)(b=b, a=a).item() == 12
    assert [g.item() for g in GradOperation(get_all=True)(product)(a, c=4, b=b)] == [9, 12]
    assert GradOperation()(product)(a=a, b=b).item() == 9
    with_sens = GradOperation(get_all=True, sens_param=True)(product)
    assert [g.item() for g in with_sens(a, s, b=b)] == [g.item() for g in with_sens(a, b=b, sens=s)] == [90, 120]
    assert GradOperation(get_all=True, sens_param=True)(lambda x: a)(1, sens=s) == ()
    assert GradOperation()(lambda: a)() == ()
    with pytest.raises(OpValueError, match="got 2 arguments"):
        grad(product, 2)(a, b=b)


#: Gradients by the weight w = 2 of w² + 5 · (what was computed from w before), whose second part is a constant.
def _by_value_and_grad(function, w):
    return anfora.value_and_grad(function, None, [w])()[1][0]


def _by_grad(function, w):
    return grad(function, None, w)()


def _by_operation(function, w):
    return GradOperation(get_by_list=True)(function, anfora.ParameterTuple([w]))()[0]


def _by_vjp(function, w):
    return anfora.vjp(function, weights=anfora.ParameterTuple([w]))[1](Tensor(1.0))[-1][0]


def _twice(function, w):
    """The inner gradient, 2 w, is differentiated again, and doubled."""
    return 2 * grad(lambda: grad(function, None, w)(), None, w)()


def _as_argument(function, w):
    return anfora.value_and_grad(lambda x: function() + 0 * x, 0, [w])(Tensor(1.0))[1][1][0]


@pytest.mark.parametrize("has_grad", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_weight_may_be_the_result(has_grad, compiled):
    """Alone, beside another, twice, also where the function has changed something in place."""
    w, x, other = Parameter(Tensor([2.0, 3.0]), name="w"), Tensor([5.0, 7.0]), Tensor([0.0, 0.0])
    if has_grad:
        w.sum().backward()

    def changes(x):
        other.add_(x * w)
        return w

    for function, expected in (
        (lambda x: w, [1, 1]),
        (lambda x: (x * w, w), [6, 8]),
        (lambda x: {"a": w, "b": [w, x]}, [2, 2]),
        (changes, [1, 1]),
        (lambda x: w.view(2), [1, 1]),
    ):
        taken = anfora.value_and_grad(function, 0, [w])
        for _ in range(3):
            value, (_, (gradient,)) = anfora.jit(lambda x, taken=taken: taken(x))(x) if compiled else taken(x)
            assert gradient.tolist() == expected
        if function(x) is w:
            assert value is w
        assert grad(function, None, w)(x).tolist() == expected


WAYS = {
    f"{way.__name__[1:]}{' compiled' * compiled}": (way, compiled)
    for way in (_by_value_and_grad, _by_grad, _by_operation, _by_vjp, _twice, _as_argument)
    for compiled in (False, True)
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("before", ["product", "two results", "view", "of a leaf with a hook"])
def test_what_was_computed_from_a_weight_before_is_a_constant(name, before):
    """The probabilities of an older policy, targets, moving averages: MindSpore's gradients see nothing of them."""
    way, compiled = WAYS[name]
    w = Parameter(Tensor(2.0), name="w")
    seen = []
    if before == "of a leaf with a hook":
        w.register_hook(lambda g: seen.append(g.item()))
    old = {
        "two results": lambda: ops.split(w.reshape(1).broadcast_to((2,)), 1)[0].sum(),
        "view": lambda: w.view(1)[0],
    }.get(before, lambda: w * 1)()

    def function():
        return w * w + 5 * old

    taken = anfora.jit(lambda: way(function, w)) if compiled else lambda: way(function, w)
    for _ in range(3):
        assert taken().item() == 4.0
    (w * 3 + old).backward()  # what the tape has recorded outside is as it was
    assert w.grad.item() == 4.0
    if before == "of a leaf with a hook":
        assert seen and seen[-1] == 4.0
