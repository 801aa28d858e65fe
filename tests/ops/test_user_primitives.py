"""Operators that programs define themselves as classes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from anfora import Tensor, grad, ops
from anfora.core.errors import OpTypeError


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
