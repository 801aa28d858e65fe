"""What functions that are written in operators take, and how they refuse the rest."""

from __future__ import annotations

import numpy as np
import pytest

from anfora import Tensor, ops


@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda: ops.gather([5, 6, 7], [2, 0], 0), [7, 5]),
        (lambda: ops.flip(np.array([1, 2]), 0), [2, 1]),
        (lambda: ops.flip(dims=0, input=[1, 2]), [2, 1]),
        (lambda: ops.nonzero([0, 3]), [[1]]),
        (lambda: ops.squeeze(3), 3),
        (lambda: ops.expand_dims(2.5, 0), [2.5]),
        (lambda: ops.concat(Tensor([[1], [2]])), [1, 2]),
        (lambda: ops.stack(Tensor([1, 2])), [1, 2]),
        (lambda: ops.cartesian_prod([1], [2]), [[1, 2]]),
    ],
)
def test_arrays_lists_and_numbers_are_tensors(call, wanted):
    assert call().tolist() == wanted


@pytest.mark.parametrize("value", [None, "text", 3.0, object()])
def test_what_is_no_tensor_is_refused_in_words(value):
    with pytest.raises(TypeError, match="dropout needs a tensor for `input`"):
        ops.dropout(value)


def test_an_error_of_the_function_itself_stays():
    from anfora.ops.composite import composite

    @composite
    def broken(x: Tensor) -> Tensor:
        return x.nothing

    with pytest.raises(AttributeError, match="nothing"):
        broken(Tensor(1))
