"""Cross entropy: what rows of the op table cannot say."""

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_one_row_without_a_batch(reduction):
    x = np.random.default_rng(1).standard_normal(3)
    result = ops.cross_entropy(Tensor(x), Tensor(1), reduction=reduction)
    assert result.shape == ()
    np.testing.assert_allclose(result.asnumpy(), np.log(np.exp(x).sum()) - x[1], rtol=1e-12)
    gradient = anfora.grad(lambda t: ops.cross_entropy(t, Tensor(1), reduction=reduction))(Tensor(x))
    np.testing.assert_allclose(gradient.asnumpy(), np.exp(x) / np.exp(x).sum() - np.eye(3)[1], atol=1e-12)


def test_the_error_names_the_first_bad_label_whatever_the_threads():
    labels = np.zeros(200_000, np.int32)
    labels[[70_001, 150_000]] = 99
    x = Tensor(np.zeros((200_000, 4), np.float32))
    for threads in (1, 2, 3, 8):
        anfora.set_num_threads(threads)
        with pytest.raises(IndexError, match="label 99 of row 70001 is not one of the 4 classes"):
            ops.cross_entropy(x, Tensor(labels))
    anfora.set_num_threads(2)


@pytest.mark.parametrize("function", [ops.cross_entropy, ops.nll_loss])
def test_lists_are_taken_and_what_is_no_tensor_is_refused(function):
    x = Tensor(np.zeros((2, 3)))
    assert function(x, [0, 1]).item() == function(x, Tensor([0, 1])).item()
    with pytest.raises(TypeError, match="needs a tensor for `target`, but got 'text'"):
        function(x, "text")
    with pytest.raises(TypeError, match=f"{function.__name__} needs a tensor for `inputs?`, but got 1.0"):
        function(1.0, [0])


def test_an_ignored_row_gets_no_gradient_even_where_it_is_not_a_number():
    x = Tensor(np.array([[np.nan, np.inf], [0.0, 0.0]]))
    gradient = anfora.grad(lambda t: ops.cross_entropy(t, Tensor([-100, 0])))(x)
    np.testing.assert_array_equal(gradient.asnumpy(), [[0.0, 0.0], [-0.5, 0.5]])
