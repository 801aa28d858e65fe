"""Forward mode: against closed forms, finite differences, and the reverse mode."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn, ops
from anfora.directions import linearize

rng = np.random.default_rng(11)
X, V = rng.standard_normal((3, 4)), rng.standard_normal((3, 4))


def f(x):
    """A bit of everything: products, rows, places, reductions, broadcasting."""
    rows = ops.softmax(x @ x.T) * ops.exp(x).mean(1)
    return rows.sum() + x[1:, ::2].std() + ops.sort(x, 1)[0][:, -1].sum() * x.max()


def along(function, x=X, v=V, step=1e-6):
    ends = [np.asarray(function(Tensor(x + s * v)).asnumpy()) for s in (step, -step)]
    return (ends[0] - ends[1]) / (2 * step)


def test_a_tangent_is_a_finite_difference_and_a_row_of_the_jacobian():
    value, tangent = ms.jvp(f, Tensor(X), Tensor(V))
    assert value.item() == f(Tensor(X)).item()
    np.testing.assert_allclose(tangent.item(), along(f), rtol=1e-7)
    np.testing.assert_allclose(tangent.item(), (ms.grad(f)(Tensor(X)).asnumpy() * V).sum(), rtol=1e-12)


def test_modes_nest_in_any_order():
    def slope(x):
        return ms.jvp(f, x, Tensor(V))[1]

    def gradient(x):
        return ms.grad(f)(x)

    second = along(slope, step=1e-5)
    x, v = Tensor(X), Tensor(V)
    np.testing.assert_allclose(ms.jvp(slope, x, v)[1].item(), second, rtol=1e-6)
    np.testing.assert_allclose((ms.grad(slope)(x) * v).sum().item(), second, rtol=1e-6)
    np.testing.assert_allclose((ms.jvp(gradient, x, v)[1] * v).sum().item(), second, rtol=1e-6)
    third = along(lambda x: ms.jvp(slope, x, v)[1], step=1e-5)
    np.testing.assert_allclose(ms.jvp(lambda x: ms.jvp(slope, x, v)[1], x, v)[1].item(), third, rtol=1e-5)
    np.testing.assert_allclose((ms.grad(lambda x: ms.jvp(slope, x, v)[1])(x) * v).sum().item(), third, rtol=1e-5)


def test_the_gradient_by_the_direction_is_the_gradient():
    found = ms.grad(lambda v: ms.jvp(f, Tensor(X), v)[1])(Tensor(V))
    np.testing.assert_allclose(found.asnumpy(), ms.grad(f)(Tensor(X)).asnumpy(), rtol=1e-10, atol=1e-12)


def test_the_rules_of_operators_are_read(monkeypatch):
    x, v = Tensor([3.0]), Tensor([1.0])
    assert ms.jvp(lambda x: ops.exp(x * 2), x, v)[1].item() == pytest.approx(2 * np.exp(6.0))
    monkeypatch.setattr(ops.exp, "jvp_rule", lambda values: values["t_input"] * 100)
    assert ms.jvp(lambda x: ops.exp(x * 2), x, v)[1].item() == 200
    monkeypatch.setattr(ops.exp, "jvp_rule", None)
    assert ms.jvp(lambda x: ops.exp(x * 2), x, v)[1].item() == pytest.approx(2 * np.exp(6.0))


def test_a_rule_may_not_ask_for_what_the_operator_lacks():
    from anfora.core.op import Op

    def scaled(input: Tensor, factor):
        """An operator that is not registered."""

    made = Op(scaled)
    made.jvp(lambda t_input, input, out, factor: None)
    with pytest.raises(TypeError, match="scaled: its forward rule asks for 'weight'"):
        made.jvp(lambda t_input, weight: None)


def test_only_some_arguments_move():
    weight, bias, x = (Tensor(rng.standard_normal(s)) for s in ((2, 4), (2,), (3, 4)))
    for moving in range(3):
        given = [x, weight, bias]
        direction = Tensor(rng.standard_normal(given[moving].shape))

        def dense(t, moving=moving, given=given):
            return ops.dense(*given[:moving], t, *given[moving + 1 :])

        tangent = ms.jvp(dense, given[moving], direction)[1].asnumpy()
        wanted = along(dense, given[moving].asnumpy(), direction.asnumpy())
        np.testing.assert_allclose(tangent, wanted, rtol=1e-6, atol=1e-8)


def test_writes_and_views():
    def written(x):
        y = x * 2
        view = y[1]
        view[0] = x[0, 0] * x[0, 1]
        y[2].mul_(x[2])
        y[:, 3] += 1
        return y * x

    np.testing.assert_allclose(ms.jvp(written, Tensor(X), Tensor(V))[1].asnumpy(), along(written), rtol=1e-6, atol=1e-8)


class Doubled(nn.Cell):
    """Its gradient says 10 where the truth is 2."""

    def construct(self, x):
        return 2 * x, x + 1

    def bprop(self, x, out, dout):
        return (dout[0] * 10 + dout[1],)


def test_a_gradient_of_the_users_own_is_transposed():
    doubled = Doubled()
    assert ms.jvp(lambda x: doubled(x)[0], Tensor(3.0), Tensor(1.0))[1].item() == 10
    first, second = ms.jvp(doubled, Tensor(3.0), Tensor(2.0))[1]
    assert (first.item(), second.item()) == (20, 2)


def test_what_does_not_move_has_a_tangent_of_zeros():
    constant = Tensor([1.0, 2.0])
    value, (tangent, other) = ms.jvp(lambda x: (constant * 2, ops.stop_gradient(x)), Tensor(1.0), Tensor(1.0))
    assert value[0].tolist() == [2.0, 4.0]
    assert tangent.tolist() == [0.0, 0.0] and other.item() == 0
    assert ms.jvp(lambda x: ops.argmax(x), Tensor([1.0, 2.0]), Tensor([1.0, 1.0]))[1].item() == 0


def test_integers_have_floating_tangents():
    assert ms.jvp(lambda x: x * x, Tensor(3), Tensor(0.5))[1].item() == 3
    assert ms.jvp(lambda x: x.astype(ms.float32) * 1.5, Tensor(3), Tensor(2))[1].item() == 3


def test_directions_are_broadcast_and_counted():
    assert ms.jvp(lambda x: x * x, Tensor([1.0, 2.0]), Tensor(1.0))[1].tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="cannot be stretched"):
        ms.jvp(lambda x: x * x, Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="1 inputs, but 2 directions"):
        ms.jvp(lambda x: x * x, Tensor(1.0), (Tensor(1.0), Tensor(2.0)))


def test_tangents_share_no_memory():
    v = Tensor([1.0, 2.0])
    one, part, again = ms.jvp(lambda x: (x, x[1:], x), Tensor([3.0, 4.0]), v)[1]
    one[0] = 9
    part[0] = 8
    assert v.tolist() == [1.0, 2.0] and again.tolist() == [1.0, 2.0]


def test_a_value_that_was_overwritten_counts_as_it_was():
    x = Tensor([1.0, 2.0])

    def overwrites(t):
        y = t * 1
        z = y * y
        y.add_(1)
        return z

    value, tangent = ms.jvp(overwrites, x, x)
    assert value.tolist() == [1.0, 4.0] and tangent.tolist() == [2.0, 8.0]  # 2 x · x


def test_the_function_is_run_once():
    calls = []

    def square(x):
        calls.append(1)
        return x * x

    value, push = linearize(square, Tensor([1.0, 3.0]))
    assert value.tolist() == [1.0, 9.0]
    assert push(Tensor([1.0, 0.0])).tolist() == [2.0, 0.0] and push(Tensor([1.0, 2.0])).tolist() == [2.0, 12.0]
    assert ms.jacfwd(square)(Tensor([1.0, 3.0])).tolist() == [[2.0, 0.0], [0.0, 6.0]]
    assert len(calls) == 2


def test_the_jacobians_of_both_modes_agree():
    def g(x, y):
        return (x @ y).sum(1), ops.tanh(y) * x.sum()

    x, y = Tensor(X), Tensor(V.T)
    for position in (0, 1, (0, 1)):
        forward, reverse = ms.jacfwd(g, position)(x, y), ms.jacrev(g, position)(x, y)
        for one, other in zip(forward, reverse):
            for a, b in zip(*((t,) if isinstance(t, Tensor) else t for t in (one, other))):
                np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-10, atol=1e-12)
