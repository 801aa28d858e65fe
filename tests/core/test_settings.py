"""Settings of the process, seeds, and what programs ask about other processes."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import communication, context
from anfora.core import random
from anfora.core.errors import OpTypeError, OpValueError


def test_settings_are_kept_for_a_block():
    before = anfora.get_context("max_call_depth")
    with context(max_call_depth=17, save_graphs=True):
        assert anfora.get_context("max_call_depth") == 17 and anfora.get_context("save_graphs") == 2
    assert anfora.get_context("max_call_depth") == before


@pytest.mark.parametrize(
    "given, error, match",
    [
        ({"moed": 0}, OpValueError, "did you mean `mode`"),
        ({"mode": 7}, OpValueError, "GRAPH_MODE"),
        ({"device_target": "TPU"}, OpValueError, "must be one of"),
        ({"save_graphs": 9}, OpValueError, "save_graphs"),
        ({"max_call_depth": "deep"}, OpTypeError, "int"),
        ({"max_call_depth": 0}, OpValueError, "less"),
        ({"deterministic": "MAYBE"}, OpValueError, "deterministic"),
        ({"jit_syntax_level": 5}, OpValueError, "jit_syntax_level"),
    ],
    ids=repr,
)
def test_bad_settings_change_nothing(given, error, match):
    before = anfora.get_context("debug_level")
    with pytest.raises(error, match=match):
        anfora.set_context(debug_level=before + 1, **given)
    assert anfora.get_context("debug_level") == before
    with pytest.raises(OpValueError, match="not recognized"):
        anfora.get_context("nothing")


def test_devices_are_the_cpu():
    with pytest.warns(anfora.AnforaWarning, match="no Ascend here: programs run on the CPU") as found:
        anfora.set_device("Ascend", 3)
    assert found[0].filename == __file__
    with anfora.context(device_id=1, enable_graph_kernel=True, jit_syntax_level=anfora.LAX):
        assert anfora.get_context("device_target") == "CPU" and anfora.get_context("jit_syntax_level") == "LAX"


def test_seeds_fix_all_random_numbers():
    anfora.set_seed(5)
    first = anfora.ops.rand(3).tolist(), np.random.rand()
    assert anfora.get_seed() == 5
    anfora.set_seed(5)
    assert (anfora.ops.rand(3).tolist(), np.random.rand()) == first
    for bad, error in ((-1, OpValueError), (2.5, OpTypeError), (True, OpTypeError)):
        with pytest.raises(error):
            anfora.set_seed(bad)


def test_generators_continue_where_they_stand():
    generator = random.Generator().manual_seed(3)
    generator.draw(2)
    state = generator.get_state()
    assert generator.draw(4) == (3, 2) and generator.draw() == (3, 6)
    generator.set_state(state)
    assert generator.draw() == (3, 2)
    with pytest.raises(OpValueError, match="16 numbers"):
        generator.set_state(np.zeros(3, np.uint8))
    state = anfora.get_rng_state()
    first = anfora.ops.rand(2).tolist()
    anfora.set_rng_state(state)
    assert anfora.ops.rand(2).tolist() == first


def test_there_is_one_process():
    communication.init("hccl")
    assert communication.get_rank() == communication.get_local_rank() == 0
    assert communication.get_group_size(communication.HCCL_WORLD_COMM_GROUP) == communication.get_local_rank_size() == 1
    communication.release()
    with pytest.raises(OpTypeError):
        communication.init(3)
    context.set_auto_parallel_context(parallel_mode=context.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    assert anfora.get_auto_parallel_context("parallel_mode") == "data_parallel"
    assert anfora.get_auto_parallel_context("gradients_mean") is True
    for bad, match in (
        ({"parallel_mod": 1}, "did you mean"),
        ({"parallel_mode": "x"}, "one of"),
        ({"device_num": 8}, "one process"),
    ):
        with pytest.raises(OpValueError, match=match):
            anfora.set_auto_parallel_context(**bad)
    anfora.reset_auto_parallel_context()
    assert anfora.get_auto_parallel_context("parallel_mode") == "stand_alone"
