"""Operators that programs define themselves as classes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from anfora import Tensor, grad, jit, ops
from anfora.core.errors import OpTypeError
from anfora.ops._grad_experimental.grad_base import bprop_getters


class Scale(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, factor, *, shift=1):
        self.seen = (factor, self.factor, self.shift)

    def vm_impl(self, x):
        return x * self.factor + self.shift

    def infer_shape(self, shape):
        raise AssertionError("results tell the shape")


class Nameless(ops.PrimitiveWithCheck):
    @ops.prim_attr_register
    def __init__(self):
        pass


def test_arguments_are_kept_and_the_operator_runs():
    scale = Scale(3)
    assert scale.seen == (3, 3, 1) and scale.attrs == {"factor": 3, "shift": 1} and scale.name == "Scale"
    assert scale(Tensor(2.0)).item() == 7 and grad(scale)(Tensor(2.0)).item() == 3
    assert "{0.factor} {0.shift}".format(Scale(5, shift=0)) == "5 0" and repr(Scale(5, shift=0)) == "Scale(5, shift=0)"
    twin = pickle.loads(pickle.dumps(Scale(4).add_prim_attr("group", 1)))
    assert twin(Tensor(1)).item() == 5 and twin.attrs == {"factor": 4, "shift": 1, "group": 1}
    assert isinstance(scale, ops.Primitive)


def test_what_does_not_fit_is_refused():
    with pytest.raises(OpTypeError, match="Scale: missing a required argument: 'factor'"):
        Scale()
    with pytest.raises(NotImplementedError, match="the operator Nameless"):
        Nameless()(Tensor(1))


class Shift(ops.PrimitiveWithInfer):
    """A program's own class for an operator that this package has."""

    @ops.prim_attr_register
    def __init__(self, periods=1, axis=-1):
        super().__init__("Shift")
        self.init_prim_io_names(inputs=["x", "fill_value"], outputs=["output"])


def test_an_operator_of_this_package_takes_the_attributes():
    x = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    moved = np.concatenate([x[2:], np.full((2, 3), 7.0, np.float32)])
    for shift in (Shift(-2, axis=0), pickle.loads(pickle.dumps(Shift(-2, axis=0)))):
        np.testing.assert_array_equal(shift(Tensor(x), 7.0).asnumpy(), moved)
        assert shift.axis == 0 and shift.attrs["periods"] == -2 and shift.attrs["input_names"] == ["x", "fill_value"]


@pytest.fixture
def gradients():
    """The table of gradients, as it was behind the test."""
    before = dict(bprop_getters.data)
    yield bprop_getters
    bprop_getters.data.clear()
    bprop_getters.data.update(before)


class Clip(ops.PrimitiveWithInfer):
    """By numpy, through which no gradient goes."""

    @ops.prim_attr_register
    def __init__(self, bound):
        pass

    def vm_impl(self, x):
        return Tensor(np.clip(x.asnumpy(), -self.bound, self.bound))


class Watched(ops.PrimitiveWithInfer):
    """Called by a method of its own."""

    @ops.prim_attr_register
    def __init__(self, factor):
        self.seen = []

    def __call__(self, x, y=1.0):
        self.seen.append(x.shape)
        return x * self.factor * y


class Doubly(Watched):
    def __call__(self, x, y=1.0):
        return super().__call__(x, y) * 2


X = Tensor([1.0, 2.0, 5.0])


def of_clip(primitive):
    return lambda x, out, dout: (dout * (x == out) * primitive.bound,)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("key", [Clip, "Clip", ops.Primitive])
def test_a_gradient_that_is_registered_is_the_gradient(key, compiled, gradients):
    gradients.register(key)(of_clip)
    clip = Clip(2.0)
    run = jit(clip) if compiled else clip
    for _ in range(3):
        assert run(X).tolist() == [1.0, 2.0, 2.0]
        assert grad(lambda x: (run(x) * x).sum())(X).tolist() == [1 * 2 + 1.0, 2 * 2 + 2.0, 2.0]


@pytest.mark.parametrize("kind, factor", [(Watched, 1), (Doubly, 2)])
def test_a_class_with_a_call_of_its_own(kind, factor, gradients):
    plain = kind(3.0)
    assert grad(plain)(X).tolist() == [3.0 * factor] * 3
    gradients.register(Watched)(lambda primitive: lambda x, out, dout: (dout + primitive.factor,))
    if kind is Doubly:
        gradients.register(Doubly)(lambda primitive: lambda x, out, dout: (dout * 100,))
    watched = kind(3.0)
    assert watched(X, y=2.0).tolist() == [6.0 * factor, 12.0 * factor, 30.0 * factor] and watched.seen == [(3,)]
    assert grad(watched)(X).tolist() == [4.0 if kind is Watched else 100.0] * 3
    gradients.pop(Watched), gradients.pop(Doubly, None)
    assert grad(watched)(X).tolist() == [3.0 * factor] * 3


def test_an_operator_of_this_package_keeps_its_gradient(gradients):
    gradients.register("ReLU")(lambda primitive: lambda x, out, dout: (dout * 7,))
    gradients.register(ops.ReLU)(lambda primitive: lambda x, out, dout: (dout * 7,))
    assert grad(ops.ReLU())(X).tolist() == [1.0, 1.0, 1.0]


def test_gradients_that_do_not_fit_are_refused(gradients):
    with pytest.raises(OpTypeError, match="the name or the class"):
        gradients.register(3)
    gradients.register(Clip)(lambda primitive: lambda x, out, dout: (dout, dout))
    with pytest.raises(OpTypeError, match="Clip must return one gradient for each of the 1 inputs, but returned 2"):
        grad(Clip(2.0))(X)
