"""The tape: gradients against closed forms, their order, hooks, views, in-place writes, memory that others can see."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest

import anfora
from anfora import Parameter, Tensor, grad, no_grad, ops, value_and_grad


def leaf(*values, dtype=np.float32):
    x = Tensor(np.array(values, dtype))
    x.requires_grad = True
    return x


def close(tensor, expected, **tol):
    np.testing.assert_allclose(tensor.asnumpy(), expected, **({"rtol": 1e-6} | tol))


# -- backward() -------------------------------------------------------------------------------------------------------


def test_gradients_reach_the_leaves_and_add_up():
    x, y = leaf(1, 2, 3), leaf(4, 5, 6)
    (x * y + x).sum().backward()
    close(x.grad, [5, 6, 7])
    close(y.grad, [1, 2, 3])
    (x * 2).sum().backward()
    close(x.grad, [7, 8, 9])


def test_a_result_of_several_elements_needs_its_gradient():
    x = leaf(1, 2)
    with pytest.raises(RuntimeError, match="one element"):
        (x * x).backward()
    (x * x).backward(Tensor([1.0, 10.0]))
    close(x.grad, [2, 40])
    with pytest.raises(ValueError, match="shape"):
        (x * x).backward(Tensor([1.0]))


def test_without_a_leaf_there_is_no_gradient():
    with pytest.raises(RuntimeError, match="requires a gradient"):
        Tensor([1.0]).sum().backward()
    x = leaf(1)
    with no_grad():
        y = x * x
    assert not y.requires_grad
    with pytest.raises(RuntimeError, match="no_grad"):
        y.backward()


def test_a_graph_is_used_up_unless_it_is_retained():
    x = leaf(3)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    close(x.grad, [12])
    with pytest.raises(RuntimeError, match="retain_graph"):
        y.backward()


def test_broadcast_gradients_are_summed():
    x, b = leaf(*range(6)), leaf(1, 2, 3)
    (x.reshape((2, 3)) * b * 2).sum().backward()
    close(b.grad, [6, 10, 14])
    close(x.grad, [2, 4, 6, 2, 4, 6])


def test_the_gradient_of_a_narrow_tensor_is_narrow():
    x = Tensor([1.0, 2.0], anfora.float16).requires_grad_()
    (x * Tensor([3.0, 4.0])).sum().backward()
    assert x.grad.dtype is anfora.float16
    close(x.grad, [3, 4])


def test_integers_keep_floating_gradients():
    found = grad(lambda x: x * 0.5)(Tensor([2, 4]))
    assert found.dtype is anfora.float32
    close(found, [0.5, 0.5])
    assert grad(lambda x: x * 3)(Tensor([2, 4])).dtype is anfora.int64


def test_second_derivatives_of_backward():
    x = leaf(2.0)
    y = (x * x * x).sum()
    y.backward(create_graph=True)
    first = x.grad
    x.grad = None
    first.sum().backward()
    close(x.grad, [12])


def test_gradients_of_any_order():
    def f(x):
        return x * x * x * x

    x = Tensor(2.0)
    orders = [f]
    for _ in range(4):
        orders.append(grad(orders[-1]))
    assert [g(x).item() for g in orders] == [16, 32, 48, 48, 24]


# -- order ------------------------------------------------------------------------------------------------------------


def test_contributions_are_added_in_reverse_order_of_recording():
    """With float32 the order of adding shows in the last bit."""
    big, small = 2.0**24, 1.0

    def f(x):
        return (x * small).sum() + (x * big).sum() + (x * small).sum()

    # walked back: the last use first: (1 + 2**24) + 1, in which each 1 is lost
    assert grad(f)(Tensor([1.0])).item() == np.float32(np.float32(small + big) + np.float32(small)) == big


def test_absent_gradients_are_no_zeros():
    """-0.0 stays -0.0: nothing is added to the first contribution."""
    found = grad(lambda x: x * -0.0)(Tensor([1.0]))
    assert np.signbit(found.asnumpy()).all()
    found = grad(lambda x, y: (x * 1.0).sum() + (y * np.inf).sum())(Tensor([1.0]), Tensor([0.0]))
    assert found.item() == 1.0


# -- functional gradients ---------------------------------------------------------------------------------------------


def test_positions_and_weights():
    w, b = Parameter([2.0], name="w"), Parameter([1.0], name="b")

    def f(x, y):
        return x * y * w + b

    x, y = Tensor([3.0]), Tensor([5.0])
    assert grad(f)(x, y).item() == 10
    assert [g.item() for g in grad(f, (0, 1))(x, y)] == [10, 6]
    value, (inputs, weights) = value_and_grad(f, 1, [w, b])(x, y)
    assert value.item() == 31 and inputs.item() == 6 and [g.item() for g in weights] == [15, 1]
    assert grad(f, None, w)(x, y).item() == 15
    unused = Parameter([7.0], name="u")
    close(grad(f, None, unused)(x, y), [0])


def test_frozen_parameters_can_be_asked_for():
    w = Parameter([2.0], name="w", requires_grad=False)
    assert grad(lambda x: x * w, None, w)(Tensor([3.0])).item() == 3
    assert not w.requires_grad


def test_requests_that_make_no_sense():
    x = Tensor([1.0])
    with pytest.raises(ValueError, match="can not be None"):
        grad(lambda x: x, None)
    with pytest.raises(ValueError, match=r"2 arguments|1 arguments"):
        grad(lambda x: x, 3)(x)
    with pytest.raises(TypeError, match="needs a tensor"):
        grad(lambda x: x * 2)(3.0)
    with pytest.raises(TypeError, match=r"returned a tensor|returns a tensor"):
        grad(lambda x: 3.0)(x)
    with pytest.raises(TypeError, match="function"):
        grad(3)
    with pytest.raises(TypeError, match="Parameters"):
        grad(lambda x: x, 0, [x])


@pytest.mark.parametrize("function", [
    lambda x: x.argmax(), lambda x: int(x.argmax()), lambda x: x.shape, lambda x: [x.shape, len(x)],
])  # fmt: skip
def test_integers_move_by_nothing_be_they_tensors_or_numbers(function):
    for f in (function, anfora.jit(function)):
        assert grad(f)(Tensor([1.0, 3.0])).tolist() == [0, 0]


def test_containers_keep_their_nesting():
    found = grad(lambda d: d["a"] * d["b"][0] * d["b"][1])(
        {"a": Tensor(2.0), "b": [Tensor(3.0), Tensor(4.0)], "c": "text"}
    )
    assert found["a"].item() == 12 and [g.item() for g in found["b"]] == [8, 6] and found["c"] == "text"


def test_aux_ids_and_sens():
    def f(x, y):
        return x * y, x + y

    x, y = Tensor([2.0]), Tensor([3.0])
    gradient, aux = grad(f, has_aux=True)(x, y)
    assert gradient.item() == 3 and aux[0].item() == 5 and not aux[0].requires_grad
    (value, other), gradient = value_and_grad(f, has_aux=True)(x, y)
    assert (value.item(), other.item(), gradient.item()) == (6, 5, 3)
    w = Parameter([5.0], name="w")
    ids = grad(lambda x: x * w, 0, [w], return_ids=True)(x)
    assert anfora.get_grad(ids, 0).item() == 5 and anfora.get_grad(ids, w).item() == 2
    with pytest.raises(ValueError, match="no gradient"):
        anfora.get_grad(ids, 1)
    assert grad(lambda x: x * x, sens_param=True)(x, Tensor([10.0])).item() == 40


def test_an_argument_that_is_also_captured_is_a_constant_there():
    x = Tensor([3.0])
    assert grad(lambda a: a * x)(x).item() == 3
    assert grad(lambda a: a * a)(x).item() == 6


def test_nested_gradients_do_not_confuse_their_variables():
    def outer(x):
        inner = grad(lambda y: x * y * y)(x)  # 2 x y at y = x
        return inner

    assert grad(outer)(Tensor(3.0)).item() == 12  # d/dx 2 x² = 4 x
    # Siskind & Pearlmutter's example of perturbation confusion: d/dx (x · d/dy (x + y)) = 1
    assert grad(lambda x: x * grad(lambda y: x + y)(Tensor(1.0)))(Tensor(1.0)).item() == 1


def test_the_caller_of_grad_gets_tensors_without_history():
    kept = []
    w = Parameter([2.0], name="w")

    def f(x):
        y = x * w
        kept.append(y)
        return y

    value, gradient = value_and_grad(f, None, w)(Tensor([3.0]))
    assert not value.requires_grad and not gradient.requires_grad
    assert kept[0].requires_grad  # what the program itself keeps is its own affair


def test_vjp_jvp_and_jacobians():
    x = Tensor([1.0, 2.0])

    def f(x):
        return x * x * Tensor([1.0, 3.0])

    value, pull = anfora.vjp(f, x)
    close(value, [1, 12])
    close(pull(Tensor([1.0, 1.0]))[0], [2, 12])
    value, tangent = anfora.jvp(f, x, Tensor([1.0, 10.0]))
    close(tangent, [2, 120])


def test_a_function_is_run_once():
    calls = []

    def f(x):
        calls.append(1)
        return x * x

    for transform in (grad(f), value_and_grad(f), lambda x: anfora.vjp(f, x), lambda x: anfora.jvp(f, x, x)):
        calls.clear()
        transform(Tensor(2.0))
        assert len(calls) == 1


# -- gradients written by the user ------------------------------------------------------------------------------------


class Clip(anfora.Function):
    """The identity, whose gradient is clipped."""

    @staticmethod
    def forward(ctx, x, limit):
        ctx.limit = limit
        ctx.save_for_backward(x)
        return x * 1.0

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        assert x.shape == dy.shape
        return dy * ctx.limit, None


def test_a_function_of_the_users():
    assert grad(lambda x: Clip.apply(x, 0.25) * 8.0)(Tensor([1.0])).item() == 2.0
    x = leaf(1, 2)
    Clip.apply(x, 3.0).sum().backward()
    close(x.grad, [3, 3])


class Through(anfora.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_non_differentiable(x)
        return x, x * y

    @staticmethod
    def backward(ctx, *gradients):
        return gradients[1], gradients[1] * 10


def test_an_input_that_is_given_back_can_have_no_gradient():
    close(grad(lambda x, y: Through.apply(x, y)[0] * 5)(Tensor(3.0), Tensor(2.0)), 0)
    assert [g.item() for g in grad(lambda x, y: sum(Through.apply(x, y)), (0, 1))(Tensor(3.0), Tensor(2.0))] == [1, 10]


class Raised(anfora.Function):
    """Adds one in place; its gradient is ten times what it is."""

    @staticmethod
    def forward(ctx, x, is_result):
        x.add_(1)
        ctx.mark_dirty(x)
        return x if is_result else x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 10, None


def test_arguments_that_are_changed_in_place_take_the_history_of_the_result():
    def f(x):
        y = x * 2
        Raised.apply(y, True)
        return y * 3

    close(f(Tensor([1.0])), [9])
    close(grad(f)(Tensor([1.0])), [60])

    def through_a_view(x):
        y = x * 2
        Raised.apply(y[1:], True)
        return y * 3

    close(grad(through_a_view)(Tensor([1.0, 1.0])), [6, 60])
    with pytest.raises(RuntimeError, match="must all be outputs"):
        grad(lambda x: Raised.apply(x * 1, False))(Tensor([1.0]))
    with pytest.raises(RuntimeError, match="a leaf tensor that requires a gradient"):
        Raised.apply(leaf(1), True)


class Counted(anfora.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return 2


def test_a_gradient_is_a_tensor():
    with pytest.raises(RuntimeError, match="Gradient should be none or tensor, but that of argument 0 is 2"):
        grad(Counted.apply)(Tensor(1.0))


def test_a_cells_own_gradient():
    class Straight(anfora.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return dout * 100, dout * out

    found = grad(Straight(), (0, 1))(Tensor(2.0), Tensor(3.0))
    assert [g.item() for g in found] == [100, 6]

    class Wrong(anfora.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return (dout,)

    with pytest.raises(TypeError, match="one gradient for each of the 2 inputs"):
        grad(Wrong())(Tensor(2.0), Tensor(3.0))


# -- hooks ------------------------------------------------------------------------------------------------------------


def test_hooks_on_tensors():
    seen = []
    x = leaf(1, 2)
    y = x * 3
    y.register_hook(lambda g: seen.append(g.tolist()))
    handle = y.register_hook(lambda g: g * 10)
    (y * y).sum().backward()
    assert seen == [[6, 12]]
    close(x.grad, [180, 360])
    handle.remove()
    handle.remove()
    x.grad = None
    x.register_hook(lambda g: g + 1)
    (x * 3).sum().backward()
    close(x.grad, [4, 4])


def test_hooks_wait_for_a_gradient():
    """A tensor that requires no gradient keeps its hooks: until a transform differentiates by it, or it requires one."""
    x = Tensor([1.0, 2.0])
    assert x.hooks() == []
    ten = x.register_hook(lambda g: g * 10)
    last = x.register_hook(lambda g: g + 1)
    assert len(x.hooks()) == 2
    square = anfora.grad(lambda x: x * x)
    close(square(x), [21, 41])
    close(square(x), [21, 41])
    ten.remove()
    close(square(x), [3, 5])
    x.requires_grad = True
    (x * 3).sum().backward()
    close(x.grad, [4, 4])
    close(square(x), [3, 5])
    x.requires_grad = False
    last.remove()
    assert x.hooks() == [] and copy.copy(x).hooks() == []
    weight = anfora.Parameter([1.0], name="w", requires_grad=False)
    weight.register_hook(lambda g: g * 100)
    close(anfora.grad(lambda: (weight * 2).sum(), None, weight)(), [200])
    with pytest.raises(TypeError, match="a hook must be a function"):
        x.register_hook(3)


def test_a_leaf_hook_sees_the_total():
    seen = []
    x = leaf(1)
    x.register_hook(lambda g: seen.append(g.item()))
    (x * 2 + x * 3).sum().backward()
    assert seen == [5]


def test_gradients_of_what_operators_computed_can_be_kept():
    x = leaf(1, 2)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    close(y.grad, [4, 8])


# -- views and in-place writes ----------------------------------------------------------------------------------------


def test_writes_through_a_view_are_differentiable():
    x, v = leaf(1, 2, 3), leaf(10, 20)
    z = x * 2
    part = z[0:2]
    ops.copy_to(part, v * v)
    close(z, [100, 400, 6])
    (z * Tensor([1.0, 2.0, 3.0])).sum().backward()
    close(x.grad, [0, 0, 6])
    close(v.grad, [20, 80])


def test_a_result_that_was_written_in_place_has_its_gradient():
    def whole(x, y):
        z = x * 2
        z[1:] += y[1:]
        return z

    def part(x, y):
        z = x * 2
        view = z[1:]
        z[1:] += y[1:]
        return view, z

    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([5.0, 6.0, 7.0])
    value, (by_x, by_y) = value_and_grad(whole, (0, 1))(x, y)
    close(value, [2, 10, 13])
    close(by_x, [2, 2, 2])
    close(by_y, [0, 1, 1])
    assert not value.requires_grad and not x.requires_grad
    by_x, by_y = grad(part, (0, 1))(x, y)
    close(by_x, [2, 4, 4])
    close(by_y, [0, 2, 2])
    close(grad(lambda x: (grad(lambda x: whole(x * x, y))(x) * x).sum())(x), [8, 16, 24])


def test_other_views_see_a_write_and_its_history():
    x, v = leaf(1, 2, 3, 4), leaf(5)
    z = x * 1.0
    early = z[1:3]
    ops.copy_to(z[1:2], v)
    close(early, [5, 3])
    early.sum().backward()
    close(x.grad, [0, 0, 1, 0])
    close(v.grad, [1])


def test_the_moment_of_a_look_at_a_view_is_not_seen_in_the_sum_of_a_gradient():
    """Three views of what was written: their gradients are added in one order, whoever was looked at first."""

    def run(looks):
        x = Tensor([0.3, 0.7, 1.1, -0.9])
        x.requires_grad = True
        z = x * 1.0
        views = [z[:], z[:], z[:]]
        z.mul_(2.0)
        for number in looks:
            views[number].stride()
        total = ops.sin(views[2]) * 0.3 + ops.exp(views[0]) * 0.77 + views[1] * views[1] * 0.123
        total.sum().backward()
        return x.grad.asnumpy().tobytes()

    assert len({run(looks) for looks in [(), (0, 1, 2), (2, 1, 0), (1, 2, 0), (1,)]}) == 1


def test_a_view_tells_that_its_base_has_a_history():
    z, v = Tensor([1.0, 2.0]), leaf(3)
    early = z[0:1]
    ops.copy_to(z[0:1], v * 2)
    assert early.requires_grad and not early.is_leaf


@pytest.mark.parametrize("looked_at", [False, True])
def test_a_view_of_what_a_transform_has_written_has_no_history_after_it(looked_at):
    z = Tensor([1.0, 2.0, 3.0])
    early = z[1:]

    def write(x):
        z.mul_(x)
        if looked_at:
            assert (early * 2).requires_grad
        return z.sum()

    close(grad(write)(Tensor(2.0)), 6)
    assert not z.requires_grad and not early.requires_grad


def test_a_captured_tensor_that_is_the_argument_too_is_a_constant_until_it_is_written():
    x = Tensor([1.0, 2.0, 3.0])

    def write(y):
        before = x + y
        y[1:] *= 2
        return before.sum() + (x * x).sum()

    close(grad(write)(x), [1, 1 + 16, 1 + 24])
    assert not x.requires_grad


def test_a_view_that_a_transform_has_written_has_no_history_after_it():
    """It kept the one that it got inside, where another view of its base was differentiated by."""
    base = Tensor([1.0, 2.0, 3.0, 4.0])
    x, y = base[:2], base[2:]

    def f(y):
        x.copy_(y * 2)
        return (x * y).sum()

    close(grad(f)(y), [12, 16])
    assert x.is_leaf and not x.requires_grad and not base.requires_grad


def test_a_view_of_a_leaf_that_a_transform_has_written_belongs_to_the_leaf():
    w = leaf(1, 2)
    early = w[1:]

    def write(x):
        with no_grad():
            ops.copy_to(w, Tensor(5.0))
        return (early * x).sum()

    close(grad(write)(Tensor(3.0)), 5)
    early.sum().backward()
    close(w.grad, [0, 1])


def test_what_is_returned_beside_the_value_has_no_history_though_its_memory_has_moved():
    def move(x):
        y = x * 2
        part = y[1:]
        kept = y * y
        y.asnumpy()
        return kept.sum(), part

    _, (part,) = grad(move, has_aux=True)(Tensor([1.0, 2.0]))
    assert not (part + 1).requires_grad


def test_a_view_among_the_results_has_no_history_when_its_memory_moves():
    def double(x):
        y = x * 2
        return (y * y).sum(), y[:1]

    _, (part,) = grad(double, has_aux=True)(Tensor([1.0, 2.0]))
    part.asnumpy()  # the memory that the tape kept stays behind
    assert not part.requires_grad


def test_a_pull_goes_back_over_what_was_when_the_memory_of_the_result_has_moved():
    z = Tensor([1.0, 2.0])

    def write(x):
        z.mul_(x)
        return (z * z)[1:] + z[1:], z[1:]

    _, pull = anfora.vjp(write, Tensor([3.0, 4.0]))
    z.asnumpy()[:] = 9
    close(pull(Tensor([0.0]), Tensor([1.0]))[0], [0, 2])


def test_a_write_that_is_not_recorded_changes_no_history():
    def write(x):
        with no_grad():
            x[:1] = 5.0
        return x

    value, gradient = value_and_grad(write)(Tensor([1.0, 2.0]))
    close(value, [5, 2])
    close(gradient, [1, 1])


def overwritten(x):
    ops.copy_to(x, Tensor([5.0, 6.0, 7.0]))
    return x * x


def partly_overwritten(x):
    y = x[:1] * 3
    x[0] = 4.0
    return x * y


def shifted(x):
    early = x[1:]
    x[1:] = x[:2] * 0.5
    return early * 2, x


def multiplied(x):
    x.mul_(2.0)
    return x[::-1], x


def detached(x):
    x.detach()[1:] = 2.0
    return x * x


def moved(x):
    y = x * x
    x.asnumpy()
    return x + y, x[1:]


def differentiated(x):
    return grad(lambda y: shifted(y)[1] * y)(x) * x, x


@pytest.mark.parametrize(
    "function", [overwritten, partly_overwritten, shifted, multiplied, detached, moved, differentiated]
)
def test_an_argument_that_is_written_or_moved_has_the_gradient_of_a_computed_tensor(function):
    expected = grad(lambda x: function(x * 1.0))(Tensor([1.0, 2.0, 3.0]))
    close(grad(function)(Tensor([1.0, 2.0, 3.0])), expected.asnumpy())


def test_a_plain_tensor_gets_a_history_when_tracked_values_are_written_into_it():
    z, v = Tensor([0.0, 0.0]), leaf(3)
    ops.copy_to(z[0:1], v * 2)
    (z * z).sum().backward()
    close(v.grad, [24])


def test_leaves_are_not_written_in_place():
    x = leaf(1, 2)
    with pytest.raises(RuntimeError, match="leaf"):
        ops.copy_to(x, Tensor(1.0))
    close(x, [1, 2])
    with no_grad():
        ops.copy_to(x, Tensor(5.0))
    close(x, [5, 5])
    assert x.is_leaf and x.requires_grad


def test_a_saved_value_stays_what_it_was_when_its_tensor_is_written_to():
    x = leaf(1, 2)
    y = x * 2
    z = y * y
    ops.copy_to(y, Tensor(0.0))
    z.sum().backward()
    close(x.grad, [8, 16])  # 2 y · dy/dx with y = 2 x
    assert y.tolist() == [0.0, 0.0]


def test_a_write_before_the_value_is_saved_is_no_error():
    x = leaf(1, 2)
    y = x * 2
    ops.copy_to(y, x * 3)
    (y * y).sum().backward()
    close(x.grad, [18, 36])


def test_broadcast_memory_is_not_written():
    z = ops.broadcast_to(Tensor([1.0]), (3,))
    with pytest.raises(ValueError, match="broadcast"):
        ops.copy_to(z, Tensor(2.0))


def test_an_overlapping_source_is_read_first():
    z = Tensor([1.0, 2.0, 3.0, 4.0])
    ops.copy_to(z[1:], z[:-1])
    assert z.tolist() == [1, 1, 2, 3]


# -- memory that others can see ---------------------------------------------------------------------------------------


def test_a_write_through_numpy_cannot_falsify_a_gradient():
    x = leaf(1, 2, 3)
    y = x * x
    z = y * y
    array = y.asnumpy()
    array[:] = 100
    close(y, [100, 100, 100])
    z.sum().backward()
    close(x.grad, [4, 32, 108])


def test_memory_that_is_shared_before_it_is_saved_is_copied():
    source = np.array([1.0, 2.0], np.float32)
    x = anfora.from_numpy(source)
    w = leaf(3, 4)
    y = w * x
    source[:] = 50
    y.sum().backward()
    close(w.grad, [1, 2])
    assert x.tolist() == [50, 50]


def test_views_follow_memory_that_moves():
    x = leaf(1, 2, 3)
    y = x * 2
    part = y[1:]
    kept = y * y
    array = y.asnumpy()  # y moves: the tape keeps the original
    array[2] = -1
    assert part.tolist() == [4, -1]
    kept.sum().backward()
    close(x.grad, [8, 16, 24])


def test_asnumpy_shares_memory_both_ways():
    y = Tensor([1.0, 2.0])
    array = y.asnumpy()
    array[0] = 7
    assert y.tolist() == [7, 2]
    ops.copy_to(y, Tensor([8.0, 9.0]))
    assert array.tolist() == [8, 9]
    alias = anfora.from_numpy(array)
    ops.copy_to(alias, Tensor(0.0))
    assert y.tolist() == [0, 0]


@pytest.mark.parametrize("cut", [lambda y: y, lambda y: y[::2], lambda y: y.T], ids=["whole", "part", "turned"])
def test_a_view_of_what_was_handed_out_is_known_until_it_goes(cut):
    x = Tensor(np.arange(12.0).reshape(4, 3))
    x.requires_grad = True
    y = x * 1
    part = cut(y).asnumpy()[1:][:, 1:]  # the array itself is gone, and so is what lies between
    kept = y * y
    part[0, 0] = 50
    assert part[0, 0] in y.asnumpy()
    kept.sum().backward()
    close(x.grad, 2 * x.asnumpy())
    assert y._mark.is_alive
    del part
    assert not y._mark.is_alive


def test_dlpack_shares_memory():
    y = Tensor([1.0, 2.0])
    array = np.from_dlpack(y)
    assert array.tolist() == [1, 2]
    ops.copy_to(y, Tensor([3.0, 4.0]))
    assert array.tolist() == [3, 4]


def test_gradients_do_not_share_memory():
    x, y = leaf(1, 2), leaf(3, 4)
    (x + y).backward(seed := Tensor([1.0, 1.0]))
    with no_grad():
        ops.copy_to(x.grad, Tensor(9.0))
    close(y.grad, [1, 1])
    close(seed, [1, 1])
    a, b = grad(lambda a, b: a + b, (0, 1))(x, y)
    a.asnumpy()[:] = 5
    close(b, [1, 1])


# -- memory that must go ----------------------------------------------------------------------------------------------


def test_a_graph_dies_with_its_last_tensor():
    class Marked(Tensor):
        pass

    x = Marked([1.0, 2.0])
    x.requires_grad = True
    y = (x * x).sum()
    gone = weakref.ref(x)
    del x, y
    gc.collect()
    assert gone() is None


def test_long_chains_are_freed_without_recursion():
    x = leaf(1)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.sum().backward()
    close(x.grad, [1])
    del y


def test_training_leaves_memory_flat():
    import resource

    w = Parameter(np.ones((64, 64), np.float32), name="w")
    x = Tensor(np.ones((64, 64), np.float32))

    def step():
        _, g = value_and_grad(lambda x: (x * w + w).sum(), None, w)(x)
        w.set_data(w.asnumpy() - 1e-6 * g.asnumpy())

    def peak():
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(300):
        step()
    before = peak()
    for _ in range(3000):
        step()
    assert peak() - before < 2_000  # KiB


@pytest.mark.parametrize("turn", [lambda a: a[:, ::2], lambda a: a[::-1, :4], lambda a: a.T[:3, :3]])
def test_strided_memory_that_others_see_is_copied_as_it_lies(turn):
    seen = turn(np.arange(24, dtype=np.float32).reshape(3, 8))
    x = anfora.from_numpy(seen)
    w = Tensor(np.ones(seen.shape, np.float32))
    expected = seen.copy()

    def product(w):
        y = (x * w).sum()
        seen[...] = -1
        return y

    np.testing.assert_array_equal(grad(product)(w).asnumpy(), expected)


def test_a_write_from_overlapping_memory_reads_first():
    x = Tensor(np.arange(6, dtype=np.float32))
    x[:] = x[::-1]
    assert x.tolist() == [5, 4, 3, 2, 1, 0]
    x[1::2] = x[::2]
    assert x.tolist() == [5, 5, 3, 3, 1, 1]


@pytest.mark.parametrize("number", [np.float64(2), np.float32(2), np.int64(2), np.uint8(2), np.bool_(True)])
def test_numpys_numbers_are_like_pythons(number):
    """They take the tensor's type: a learning rate from numpy makes no program double."""
    x = Tensor([1.0, 2.0], anfora.float16)
    assert (x * number).dtype is anfora.float16 and (number * x).dtype is anfora.float16
    np.testing.assert_array_equal((number * x).asnumpy(), np.array([1, 2], np.float16) * number.item())
