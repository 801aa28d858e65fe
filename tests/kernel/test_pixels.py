"""Images of bytes as planes of float32: values as numpy computes them, and no byte outside the arrays."""

from __future__ import annotations

import numpy as np
import pytest
from guarded import guarded

from anfora.kernel.pixels import normal_planes


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("channels", [2, 3, 4])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 5), (1, 4, 4), (3, 17, 19), (2, 32, 24), (0, 3, 3), (2, 0, 4)])
def test_planes_are_those_of_numpy(shape, channels, at_end):
    draw = np.random.RandomState(0)
    images = guarded(draw.randint(0, 256, (*shape, channels)).astype(np.uint8), at_end)
    mean, std = (guarded((draw.rand(channels) * 255 + 0.1).astype(np.float32), at_end) for _ in range(2))
    out = guarded(np.zeros((shape[0], channels, *shape[1:]), np.float32), at_end)
    normal_planes(images, mean, std, out)
    expected = (images.astype(np.float32) - mean) / std
    assert np.array_equal(out.view(np.uint32), expected.transpose(0, 3, 1, 2).copy().view(np.uint32))
