"""Parameters, and tuples of them."""

from __future__ import annotations

import copy
import pickle

import pytest

import anfora
from anfora import Parameter, ParameterTuple, Tensor, nn
from anfora.core.errors import OpTypeError, OpValueError


def test_a_parameter_is_a_named_tensor():
    source = Tensor([1.0, 2.0])
    p = Parameter(source, name="w")
    source[0] = 9
    assert isinstance(p, Tensor) and p.tolist() == [1.0, 2.0] and p.name == "w" and p.is_named and p.is_init
    assert p.requires_grad and p.is_leaf and not Parameter(1.0, requires_grad=False).requires_grad
    assert repr(p) == str(p) == "Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)"
    assert type(p + 1) is Tensor and type(p.value()) is Tensor and p.data is p
    one, other = Parameter(3), Parameter(3)
    assert Parameter(p).name == "w" and one.name.startswith("Parameter#") and one.name != other.name
    assert p.is_named and not one.is_named


@pytest.mark.parametrize(
    "name, error", [(3, OpTypeError), ("", OpValueError), ("  ", OpValueError), ("x" * 1025, OpValueError)]
)
def test_bad_names_are_refused(name, error):
    with pytest.raises(error):
        Parameter(1.0, name=name)


def test_set_data_keeps_type_and_memory():
    p = Parameter([1.0, 2.0], name="w")
    view = p.asnumpy()
    assert p.set_data(Tensor([3, 4])) is p and p.dtype is anfora.float32 and view.tolist() == [3, 4]
    p.data = [5.0, 6.0]
    assert p.tolist() == [5.0, 6.0]
    with pytest.raises(OpValueError, match=r"w has shape \(2,\)"):
        p.set_data([1.0])
    assert p.set_data([1.0], slice_shape=True).shape == (1,)
    with pytest.raises(OpTypeError, match="does not hold"):
        Parameter([1, 2]).set_data([0.5, 1.5])


def test_clones_and_copies():
    p = Parameter([1.0, 2.0], name="w")
    p.grad = Tensor([1.0, 1.0])
    for twin in (p.clone(), copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert isinstance(twin, Parameter) and twin.name == "w" and twin.tolist() == p.tolist() and twin is not p
    assert p.clone().grad is None
    assert p.clone("zeros").tolist() == [0.0, 0.0] and p.clone(init="ones").tolist() == [1.0, 1.0]


def test_tuples_of_parameters():
    a, b = Parameter(1.0, name="a"), Parameter(2.0, name="b")
    both = ParameterTuple([a, b])
    assert isinstance(both, tuple) and both[1] is b and len(both) == 2
    clones = both.clone("copy", "zeros")
    assert [p.name for p in clones] == ["copy.a", "copy.b"] and [p.item() for p in clones] == [0.0, 0.0]
    with pytest.raises(OpTypeError, match="Parameters"):
        ParameterTuple([Tensor(1)])


def test_assignment_writes_into_the_parameter():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter([1.0, 2.0])

        def construct(self, x):
            self.w = self.w + x
            self.w += 1
            return self.w * 1

    net = Net()
    held = net.w
    assert net(Tensor([1.0, 1.0])).tolist() == [3.0, 4.0]
    assert net.w is held and held.tolist() == [3.0, 4.0] and held.name == "w" and held.is_leaf


def test_gradients_of_parameters():
    p = Parameter([1.0, 2.0], name="p")
    (p * p).sum().backward()
    assert p.grad.tolist() == [2.0, 4.0]
    assert anfora.grad(lambda: (p * 3).sum(), None, p)().tolist() == [3.0, 3.0]


def test_another_element_type_in_place():
    p = Parameter([1.5, 2.5], name="p")
    p.grad = Tensor([1.0, 1.0])
    assert p.set_dtype(anfora.float16) is p and p.dtype is anfora.float16 and p.requires_grad and p.grad is None
    assert (p * 2).dtype is anfora.float16 and p.tolist() == [1.5, 2.5]
    (p * p).sum().backward()
    assert p.grad.tolist() == [3.0, 5.0] and p.grad.dtype is anfora.float16
    assert p.set_dtype(anfora.int32).tolist() == [1, 2]


def test_writing_to_a_part_is_an_effect():
    """As `assign` is: the tape does not see it, and what is computed afterwards is differentiated by the new values."""
    p = Parameter([1.0, 2.0, 3.0], name="p")
    p[0] = 5.0
    p[1:] += 1.0
    assert p.tolist() == [5.0, 3.0, 4.0] and p.is_leaf and p.requires_grad
    assert anfora.grad(lambda: (p * p).sum(), None, p)().tolist() == [10.0, 6.0, 8.0]
    squares = (p * p).sum()
    p[0] = 0.0
    squares.backward()
    assert p.grad.tolist() == [10.0, 6.0, 8.0]


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: Parameter(True), ValueError),
        (lambda: Parameter(Tensor([1]), name=3), ValueError),
        (lambda: Parameter(Tensor([1]), name=["w"]), TypeError),
        (lambda: Parameter(Tensor([1]), requires_grad=None), TypeError),
        (lambda: Parameter(Tensor([1]), requires_grad=1), TypeError),
        (lambda: Parameter(Tensor([1]), layerwise_parallel=(True,)), TypeError),
    ],
)
def test_what_no_parameter_is_made_of(call, error):
    with pytest.raises(error):
        call()


def test_a_parameter_of_bools():
    assert Parameter(Tensor([True, False]), requires_grad=False).tolist() == [True, False]


@pytest.mark.parametrize("jit", [lambda f: f, anfora.jit])
def test_gradients_go_through_the_value(jit):
    """The head of a language model may take the embedding's table by `value()`."""
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    step = jit(anfora.value_and_grad(lambda x: (w.value() * x).sum() + (w * x * 0.5).sum(), None, [w]))
    for _ in range(2):
        loss, (gradient,) = step(Tensor([3.0, 4.0]))
        assert loss.item() == 16.5 and gradient.tolist() == [4.5, 6.0]
    assert jit(lambda x: type(w.value()) is Tensor)(Tensor([3.0]))


def test_nothing_of_a_value_is_left_to_the_interpreter():
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    anfora.jit(lambda x: w.value() * x, fullgraph=True)(Tensor([3.0, 4.0]))


def test_a_tuple_holds_names_once():
    a, b = (Parameter(Tensor([value]), name="a") for value in (1.0, 2.0))
    assert len(ParameterTuple([a, a])) == 2  # the same one may be there again
    with pytest.raises(ValueError, match="its name 'a' already exists"):
        ParameterTuple([a, b])

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = a
            self.others = ParameterTuple([b])

    with pytest.raises(ValueError, match=r"the name 'a': one of Net\.others, and another attribute"):
        Net().parameters_dict()
