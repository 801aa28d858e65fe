"""Cells: attributes, names, modes, copies."""

from __future__ import annotations

import copy
import pickle

import pytest

import anfora
from anfora import Parameter, ParameterTuple, Tensor, nn
from anfora.core.errors import OpAttributeError, OpTypeError, OpValueError


class Line(nn.Cell):
    def __init__(self, slope=2.0):
        super().__init__()
        self.slope = Parameter(slope)
        self.shift = Parameter(1.0, name="offset", requires_grad=False)

    def construct(self, x, times=1):
        return x * self.slope * times + self.shift


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = Line(), Line(3.0)

    def construct(self, x):
        return self.second(self.first(x))


def test_attributes_are_children_and_parameters():
    net = Two()
    assert net(Tensor(1.0)).item() == 10.0 and net.first(Tensor(1.0), times=2).item() == 5.0
    assert [p.name for p in net.get_parameters()] == ["first.slope", "first.shift", "second.slope", "second.shift"]
    assert [name for name, _ in net.parameters_and_names()] == [
        "first.slope",
        "first.shift",
        "second.slope",
        "second.shift",
    ]
    assert [p.name for p in net.trainable_params()] == ["first.slope", "second.slope"]
    assert [p.name for p in net.untrainable_params()] == ["first.shift", "second.shift"]
    assert list(net.parameters_dict()) == ["first.slope", "first.shift", "second.slope", "second.shift"]
    assert list(net.state_dict(prefix="net.")) == [
        "net.first.slope",
        "net.first.shift",
        "net.second.slope",
        "net.second.shift",
    ]
    assert list(net.name_cells()) == ["first", "second"] and len(list(net.cells())) == 2
    assert [name for name, _ in net.cells_and_names()] == ["", "first", "second"]
    assert [p.name for p in Line().get_parameters()] == ["slope", "offset"]
    assert net.cls_name == "Two" and net.param_prefix == "" and net.first.param_prefix == "first"


@pytest.mark.parametrize(
    ("first", "names"),
    [
        ({}, ["a", "b"]),
        ({"b": None}, ["a", "b"]),
        ({"b": [], "p": None}, ["a", "b"]),
        ({"b": Tensor(0.0), "a": None}, ["a", "b"]),
        ({"b": Line()}, ["b", "a"]),
    ],
)
def test_the_order_is_that_in_which_attributes_became_cells(first, names):
    """As MindSpore 2.10 lists them: what stood under the name before, if it was none, has no place among Cells."""
    net = nn.Cell()
    for name, value in first.items():
        setattr(net, name, value)
    for name in ("a", "b"):
        setattr(net, name, Line())
    net.p = Parameter(1.0)
    assert list(net.name_cells()) == names
    assert [p.name.split(".")[0] for p in net.get_parameters()] == ["p", *(name for name in names for _ in range(2))]


def test_what_is_shared_is_listed_once():
    net = Two()
    net.third = net.first
    net.tied = net.second.slope
    net.both = ParameterTuple([net.second.slope])
    assert len(list(net.get_parameters())) == 4 and list(net.name_cells()) == ["first", "second"]


def test_names_must_differ():
    net = nn.SequentialCell(Line(), Line())
    net.check_names()
    net[1].slope.name = net[0].slope.name
    with pytest.raises(OpValueError, match="two parameters"):
        net.check_names()


def test_modes():
    net = Two()
    assert not net.training and net.phase == "predict"
    assert net.set_train() is net and net.second.training and net.phase == "train"
    assert net.set_grad() is net and net.recompute() is net and net.shard(((1,),)) is net
    net.add_flags_recursive(marked=True)
    assert net.first.marked
    net.freeze()
    assert not net.trainable_params()
    assert net.init_parameters_data() == {}


def test_computing_in_another_type():
    net = Line().to_float(anfora.float16)
    assert net(Tensor(1.0)).dtype is anfora.float32 or net.fp16
    with pytest.raises(OpValueError, match="floating"):
        net.to_float(anfora.int32)


def test_children_under_names():
    net = Two()
    net.insert_child_to_cell("extra", Line())
    net.insert_param_to_cell("w", Parameter(1.0))
    assert net.extra.slope.name == "slope" and net.w.name == "w"
    assert "extra.slope" in dict(net.parameters_and_names())
    for bad in ((1, Line()), ("x", 1)):
        with pytest.raises(OpTypeError):
            net.insert_child_to_cell(*bad)
    for bad in ("", "a.b", "construct"):
        for error in (OpValueError, KeyError):
            with pytest.raises(error):
                net.insert_child_to_cell(bad, Line())
            with pytest.raises(error):
                net.insert_param_to_cell(bad, Parameter(1.0))
    net.insert_param_to_cell("a.b", Parameter(1.0), check_name_contain_dot=False)
    seen = []
    net.apply(lambda cell: seen.append(cell.cls_name))
    assert seen == ["Line", "Line", "Line", "Two"]


def test_mistakes_are_named():
    class Late(nn.Cell):
        def __init__(self):
            self.w = Parameter(1.0)

    with pytest.raises(OpAttributeError, match="was not initialised"):
        Late()
    with pytest.raises(AttributeError, match="'Two' object has no attribute 'thrid'"):
        Two().thrid  # noqa: B018
    with pytest.raises(NotImplementedError, match="has no construct"):
        nn.Cell()(1)


def test_copies_are_independent():
    net = Two()
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        twin.first.slope.set_data(9.0)
        assert net.first.slope.item() == 2.0 and twin(Tensor(1.0)).item() == 31.0
        assert [p.name for p in twin.get_parameters()] == [p.name for p in net.get_parameters()]


def test_printing():
    assert "(first): Line()" in repr(Two()) and "4 parameters, 2 of them trained" in repr(Two())


def test_hooks_of_calls():
    net, seen = Line(), []
    handles = [
        net.register_forward_pre_hook(lambda cell, args: seen.append("before")),
        net.register_forward_hook(lambda cell, args, out: out + 100),
    ]
    assert net(Tensor(1.0)).item() == 103.0 and seen == ["before"]
    for handle in handles:
        handle.remove()
    assert net(Tensor(1.0)).item() == 3.0


def test_scopes():
    net = Two()
    assert net.second.get_scope() is None
    net.second.recompute()
    assert net.second.get_scope() == "recompute_"
    net.generate_scope()
    net.generate_scope()
    assert net.first.get_scope() == "Default/first-Line" and net.get_scope() is None
    assert net.second.get_scope() == "recompute_Default/second-Line"


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda net: net.train(), r"what PyTorch calls train is set_train\(\) here"),
        (lambda net: net.eval(), r"is set_train\(False\) here"),
        (lambda net: net.parameters(), r"is get_parameters\(\) or trainable_params\(\) here"),
        (lambda net: net.get_submodule("fc"), r"is get_sub_cell\(path\) here"),
        (lambda net: net.nothing_of_the_kind, "has no attribute 'nothing_of_the_kind'"),
    ],
)
def test_words_of_pytorch_are_answered_with_ours(ask, text):
    with pytest.raises(AttributeError, match=text):
        ask(nn.Dense(1, 1))


def test_forward_is_called_construct():
    class Net(nn.Cell):
        def forward(self, x):
            return x

    with pytest.raises(
        NotImplementedError, match=r"Net has no construct\(\): it has forward\(\), which is called constru"
    ):
        Net()(1)
