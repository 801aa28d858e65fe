"""A tensor of one axis stands for the list of its numbers wherever windows are described, as in MindSpore's `fold`."""

from __future__ import annotations

import numpy as np
import pytest

from anfora import Tensor, jit, ops

IMAGES = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))
COLUMNS = Tensor(np.arange(32, dtype=np.float32).reshape(1, 8, 4))

CALLS = {
    "fold": lambda size: ops.fold(COLUMNS, size([3, 3]), 2),
    "fold, window": lambda size: ops.fold(COLUMNS, 3, size([2, 2])),
    "unfold": lambda size: ops.unfold(IMAGES, size([2, 3])),
    "unfold, stride": lambda size: ops.unfold(IMAGES, 2, stride=size([2, 1])),
    "max_pool2d": lambda size: ops.max_pool2d(IMAGES, size([2, 2])),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_a_tensor_counts_as_its_numbers(name, compiled):
    call = CALLS[name]
    given, wanted = (jit(lambda: call(Tensor))() if compiled else call(Tensor)), call(tuple)
    assert given.shape == wanted.shape
    assert given.asnumpy().tobytes() == wanted.asnumpy().tobytes()


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="needs one element, but got int64"):
        ops.fold(COLUMNS, Tensor([[3, 3]]), 2)
