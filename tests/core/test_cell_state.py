"""Buffers, and the state of Cells as a dict: what goes out, what comes back, and when nothing does."""

from __future__ import annotations

import copy
import pickle

import pytest

import anfora
from anfora import Parameter, Tensor, nn, ops
from anfora.core.cell_state import Buffer, CellNameError, StateError
from anfora.core.errors import OpTypeError


class Mean(nn.Cell):
    """Adds up what comes in, and counts."""

    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor([2.0, 2.0]))
        self.register_buffer("total", ops.zeros(2))
        self.count = Buffer(Tensor([0]), persistent=False)
        self.register_buffer("last", None)

    def construct(self, x):
        self.total += x
        self.count += 1
        self.last = x
        return self.total * self.scale


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = Mean(), nn.SequentialCell(Mean(), nn.Dense(2, 2))

    def construct(self, x):
        return self.b(self.a(x))


def test_buffers_are_attributes_and_no_parameters():
    net = Two()
    assert [name for name, _ in net.named_buffers()] == ["a.total", "a.count", "b.0.total", "b.0.count"]
    assert [name for name, _ in net.named_buffers(prefix="n", recurse=False)] == []
    assert net.get_buffer("b.0.total") is net.b[0].total and next(net.buffers()) is net.a.total
    assert net.get_sub_cell("b.1") is net.b[1] and net.get_sub_cell("") is net
    assert [p.name for p in net.trainable_params()] == ["a.scale", "b.0.scale", "b.1.weight", "b.1.bias"]
    shared = Two()
    shared.b[0].total = shared.a.total
    assert len(list(shared.buffers())) == 3 and len(list(shared.named_buffers(remove_duplicate=False))) == 4
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net.a))):
        assert [name.rpartition(".")[2] for name, _ in twin.named_buffers()][:2] == ["total", "count"]
    del net.a.total
    assert "a.total" not in net.state_dict()


@pytest.mark.parametrize("mode", [anfora.PYNATIVE_MODE, anfora.GRAPH_MODE])
def test_a_program_writes_its_buffers(mode):
    before = anfora.get_context("mode")
    anfora.set_context(mode=mode)
    try:
        net = Mean()
        for _ in range(3):
            out = net(Tensor([1.0, 2.0]))
        assert out.tolist() == [6.0, 12.0] and net.total.tolist() == [3.0, 6.0] and net.count.item() == 3
        assert list(net.state_dict()) == ["scale", "total", "last"] and net.last.tolist() == [1.0, 2.0]
        gradient = anfora.grad(lambda x: net(x).sum())(Tensor([1.0, 1.0]))
        assert gradient.tolist() == [2.0, 2.0]
    finally:
        anfora.set_context(mode=before)


def test_a_state_goes_out_and_comes_back(tmp_path):
    one, other = Two(), Two()
    one(Tensor([1.0, 2.0]))
    state = one.state_dict(prefix="net.")
    assert list(state)[:3] == ["net.a.scale", "net.a.total", "net.a.last"] and state["net.a.total"] is one.a.total
    held = {}
    assert one.state_dict(held, "x.", True) is held and next(iter(held)) == "x.a.scale"
    anfora.save_checkpoint(one.state_dict(), str(tmp_path / "net.ckpt"))
    found = anfora.load_checkpoint(str(tmp_path / "net.ckpt"))
    total = other.a.total
    keys = other.load_state_dict(found, strict=False)
    assert keys.missing_keys == [] and keys.unexpected_keys == ["a.last", "b.0.last"]
    assert other.a.total is total and total.tolist() == [1.0, 2.0]
    assert (other.b[1].weight == one.b[1].weight).all()
    assert repr(nn.Dense(1, 1).load_state_dict(nn.Dense(1, 1).state_dict())) == "<All keys matched successfully>"
    half = Mean()
    half.load_state_dict({"scale": Tensor([1, 2]), "total": Tensor([3, 4])})
    assert half.scale.dtype is anfora.float32 and half.total.tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    "state, told",
    [
        ({"scale": Tensor([1.0])}, r"'scale' has shape \(2,\), but the value has \(1,\)(?s:.*)missing keys: 'total'"),
        ({"scale": Tensor([1.0, 1.0]), "total": 3}, "'total' needs a tensor, but got int"),
        ({"scale": Tensor([1.0, 1.0]), "total": ops.ones(2), "more": ops.ones(1)}, "unexpected keys: 'more'"),
        ({"scale": Tensor([1.0, 1.0]), "total": ops.ones(2), "b.c": ops.ones(1)}, "unexpected keys: 'b.c'"),
    ],
)
def test_what_does_not_fit_changes_nothing(state, told):
    net = Mean()
    with pytest.raises(StateError, match=told) as caught:
        net.load_state_dict(state)
    assert isinstance(caught.value, (RuntimeError, ValueError))
    assert net.scale.tolist() == [2.0, 2.0] and net.total.tolist() == [0.0, 0.0]


def test_hooks_of_the_state():
    net, seen = Two(), []
    handles = [
        net.a.register_state_dict_pre_hook(lambda cell, prefix, keep: seen.append(("pre", prefix, keep))),
        net.a.register_state_dict_post_hook(lambda cell, state, prefix, meta: state.__delitem__(prefix + "scale")),
        net.register_load_state_dict_pre_hook(
            lambda cell, state, prefix, meta, strict, missing, unexpected, errors: (
                state.__delitem__("old") if "old" in state else None
            )
        ),
        net.a.register_load_state_dict_post_hook(lambda cell, keys: keys.missing_keys.remove("a.scale")),
    ]
    state = net.state_dict()
    assert seen == [("pre", "a.", False)] and "a.scale" not in state and "b.0.scale" in state
    other = Two()
    other.__dict__["_state"], other.a.__dict__["_state"] = net.__dict__["_state"], net.a.__dict__["_state"]
    keys = other.load_state_dict({**state, "old": ops.ones(1)})  # one hook drops a key, the other forgives one
    assert keys == ([], [])
    for handle in handles:
        handle.remove()
    assert "a.scale" in net.state_dict()
    net.register_state_dict_post_hook(lambda *args: {})
    with pytest.raises(StateError, match="gives nothing"):
        net.state_dict()


def test_what_a_cell_has_else():
    class Steps(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps = 0

        def get_extra_state(self):
            return {"steps": self.steps}

        def set_extra_state(self, state):
            self.steps = state["steps"]

    one, other = nn.SequentialCell(Steps()), nn.SequentialCell(Steps())
    one[0].steps = 7
    assert one.state_dict() == {"0._extra_state": {"steps": 7}}
    other.load_state_dict(one.state_dict())
    assert other[0].steps == 7
    with pytest.raises(StateError, match=r"missing keys: '0\._extra_state'"):
        other.load_state_dict({})
    with pytest.raises(RuntimeError, match="no get_extra_state"):
        nn.Cell().get_extra_state()


def test_what_cannot_be_a_buffer():
    net = Mean()
    for name in ("", "a.b", "scale", "construct"):
        with pytest.raises(CellNameError) as caught:
            net.register_buffer(name, ops.zeros(1))
        assert isinstance(caught.value, KeyError)
    for make in (
        lambda: net.register_buffer(3, ops.zeros(1)),
        lambda: net.register_buffer("x", 3),
        lambda: net.register_buffer("x", Parameter(1.0)),
        lambda: setattr(net, "total", 3),
        lambda: Buffer(3),
        lambda: net.state_dict(destination=[]),
        lambda: net.state_dict(prefix=3),
        lambda: net.load_state_dict([]),
        lambda: net.register_state_dict_pre_hook(3),
    ):
        with pytest.raises(OpTypeError):
            make()
    for ask in (lambda: net.get_buffer("scale"), lambda: net.get_buffer("gone"), lambda: net.get_sub_cell("scale")):
        with pytest.raises(AttributeError):
            ask()
    assert net.total.tolist() == [0.0, 0.0]
