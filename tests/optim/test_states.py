"""States: what is saved goes on exactly as if nothing had happened."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from update_table import CASES, SHAPES, arrays, label, parameters, some, states, tensors, values

from anfora import Tensor, optim
from anfora.core.errors import OpValueError
from anfora.interop.checkpoint import load_checkpoint, load_param_into_net, save_checkpoint

GRADIENTS = [tensors(arrays(SHAPES, 1 + step)) for step in range(4)]


def trained(case):
    """An optimizer after two steps, and its twin after four."""
    pair = [case.make(parameters(arrays(SHAPES, 0))) for _ in range(2)]
    for optimizer in pair:
        for gradients in GRADIENTS[:2]:
            optimizer(gradients)
    for gradients in GRADIENTS[2:]:
        pair[1](gradients)
    return pair


def goes_on(optimizer, twin):
    for gradients in GRADIENTS[2:]:
        optimizer(gradients)
    assert states(optimizer) == states(twin)


@pytest.mark.parametrize("copied", [lambda o: pickle.loads(pickle.dumps(o)), copy.deepcopy], ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("case", CASES, ids=label)
def test_copies_go_on(case, copied):
    optimizer, twin = trained(case)
    before = states(optimizer)
    goes_on(copied(optimizer), twin)
    assert states(optimizer) == before


@pytest.mark.parametrize("kind", ["ckpt", "safetensors"])
@pytest.mark.parametrize("case", CASES, ids=label)
def test_checkpoints_go_on(case, kind, tmp_path):
    optimizer, twin = trained(case)
    file = str(tmp_path / f"state.{kind}")
    save_checkpoint(optimizer, file)
    fresh = case.make(parameters(arrays(SHAPES, 9)))
    assert load_param_into_net(fresh, load_checkpoint(file), strict_load=True) == ([], [])
    goes_on(fresh, twin)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_state_dicts_go_on(case):
    optimizer, twin = trained(case)
    saved = optimizer.state_dict()
    fresh = case.make([*optimizer.parameters])
    fresh.load_state_dict(saved)
    goes_on(fresh, twin)


def test_a_state_dict_is_a_copy():
    optimizer = optim.Momentum(parameters(arrays(SHAPES, 0)), 0.1, 0.9)
    saved = optimizer.state_dict()
    optimizer(GRADIENTS[0])
    assert not saved["state"]["moments.p0"].asnumpy().any()


def test_a_state_dict_that_does_not_fit_changes_nothing():
    optimizer = optim.Momentum(parameters(arrays(SHAPES, 0)), 0.1, 0.9)
    optimizer(GRADIENTS[0])
    before, good = states(optimizer), optimizer.state_dict()
    moments = {**good["state"], "moments.p0": Tensor(np.zeros(2, np.float32))}
    fewer = {name: value for name, value in good["state"].items() if name != "moments.p1"}
    groups = [{**good["param_groups"][0], "params": ["p0"]}]
    for bad, words in [
        ({}, "what state_dict"),
        ({**good, "state": moments}, "has shape"),
        ({**good, "state": fewer}, "only one side has the state 'moments.p1'"),
        ({**good, "param_groups": groups}, "other numbers of parameters"),
        ({**good, "param_groups": []}, "other numbers of parameters"),
    ]:
        with pytest.raises(OpValueError, match=words):
            optimizer.load_state_dict(bad)
        assert states(optimizer) == before


NAMES = {  # as MindSpore calls the states, so that its checkpoints can be read
    "Momentum": ["moments.p0"],
    "SGD momentum": ["accum.p0", "stat.p0"],
    "Adam": ["beta1_power", "beta2_power", "moment1.p0", "moment2.p0"],
    "AdamWeightDecay": ["adam_m.p0", "adam_v.p0"],
    "Lamb": ["lamb_m.p0", "lamb_v.p0"],
    "Adagrad": ["accum.p0"],
    "RMSProp centered": ["mean_grad.p0", "mean_square.p0", "moment.p0"],
    "FTRL": ["linear.p0", "moments.p0"],
}


@pytest.mark.parametrize("case", some(*NAMES), ids=label)
def test_names(case):
    optimizer = case.make(parameters(arrays(((2,),), 0)))
    common = {"p0", "global_step", "learning_rate", "momentum"}
    assert sorted(p.name for p in optimizer.get_parameters() if p.name not in common) == NAMES[case.label]
    assert {"p0", "global_step", "learning_rate"} <= {p.name for p in optimizer.get_parameters()}
    assert not any(p.requires_grad for p in optimizer.get_parameters() if p.name != "p0")


def test_states_of_half_precision_parameters_are_float32():
    optimizer = optim.Adam(parameters(arrays(SHAPES, 0, "f2")))
    assert {str(state.dtype) for state in optimizer.moment1} == {"Float32"}


def test_small_steps_add_up_in_the_states_of_half_precision():
    """1000 gradients of 2⁻²⁰: the sum in float16 would stay where increments are below half a unit."""
    held = parameters([np.zeros(1, np.float16)])
    optimizer = optim.Momentum(held, 0.0, 1.0)
    for _ in range(1000):
        optimizer(tensors([np.float16([2.0**-20])]))
    np.testing.assert_allclose(values(optimizer.moments)[0], 1000 * 2.0**-20, 1e-6)


@pytest.mark.parametrize(
    "copied", [lambda pair: pickle.loads(pickle.dumps(pair)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
def test_copies_of_parameters_and_optimizer_stay_together(copied):
    held = parameters(arrays(SHAPES, 0))
    twins, optimizer = copied((held, optim.Momentum(held, 0.1, 0.9)))
    before = values(twins)
    optimizer(GRADIENTS[0])
    assert all((a != b).all() for a, b in zip(before, values(twins)))
    assert all((a == b).all() for a, b in zip(before, values(held)))
