"""Who holds the same part of a parameter, counted by cutting an array."""

import itertools

import numpy as np
import pytest

from anfora import nn
from anfora.communication.redundancy import get_parameter_redundancy, remove_param_redundancy


def parts(matrix, cuts, shape):
    """The part of an array that each device holds, cut as the layout says."""
    array = np.arange(np.prod(shape)).reshape(shape)
    held = {}
    for rank, place in enumerate(itertools.product(*map(range, matrix))):
        part = array
        for axis, cut in enumerate(cuts):
            if cut != -1:
                part = np.split(part, matrix[-1 - cut], axis)[place[-1 - cut]]
        held[rank] = part.tobytes()
    return held


@pytest.mark.parametrize("cuts", [*itertools.permutations(range(3), 2), (-1, 0), (2, -1), (-1, -1)])
def test_processes_of_a_group_hold_the_same_part(cuts):
    matrix = [2, 3, 4]
    held = parts(matrix, cuts, (12, 24))
    groups = get_parameter_redundancy({"w": (matrix, list(cuts))}, initial_rank=0)["w"]
    assert sorted(itertools.chain(*groups)) == list(range(24))
    assert [len({held[rank] for rank in ranks}) for ranks in groups] == [1] * len(groups)
    assert len({held[ranks[0]] for ranks in groups}) == len(groups) == len(set(held.values()))


def test_an_optimizer_shares_out_what_a_group_holds():
    layout = {"w": ([4, 4], [0, -1], [640, 2560], 0, True, "4-11650191013956257822")}
    groups = get_parameter_redundancy(layout, initial_rank=16)["w"]
    assert groups == tuple((rank,) for column in range(4) for rank in range(16 + column, 32, 4))
    with pytest.raises(ValueError, match="w: 4 processes hold the same part, which 3 cannot share evenly"):
        get_parameter_redundancy({"w": ([4, 4], [0], [8], 0, True, "3-1")}, initial_rank=0)


def test_each_part_is_written_as_often_as_asked():
    layouts = {f"p{i}": ([2, 4], cuts) for i, cuts in enumerate([[0], [1], [-1], [0, 1], [-1], [-1]])}
    redundancy = get_parameter_redundancy(layouts, initial_rank=0)
    for copies in (1, 2, 9):
        writes = remove_param_redundancy(redundancy, copies)
        for name, groups in redundancy.items():
            for ranks in groups:
                assert sum(name in writes.get(rank, ()) for rank in ranks) == min(copies, len(ranks)), (name, ranks)


def test_what_is_no_layout_is_refused():
    with pytest.raises(TypeError, match="needs a dict of layouts or a Cell, but got str"):
        get_parameter_redundancy("strategy.ckpt")
    with pytest.raises(ValueError, match=r"w is cut along \[2\], but the matrix \[2, 2\] of devices has 2 axes"):
        get_parameter_redundancy({"w": ([2, 2], [2])}, initial_rank=0)
    assert get_parameter_redundancy(nn.Dense(1, 1)) == {"bias": ((0,),), "weight": ((0,),)}
