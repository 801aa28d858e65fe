"""Copies between layouts: axes permuted, reversed and both, at sizes with every kind of edge, against numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops

SHAPES = [(1, 1), (3, 5), (2, 40), (40, 2), (16, 16), (17, 33), (130, 129), (5, 260), (3, 20, 18), (18, 3, 20)]


def arrangements(axes: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each order of the axes, with each set of them reversed."""
    sets = [found for n in range(1, axes + 1) for found in itertools.combinations(range(axes), n)]
    return list(itertools.product(itertools.permutations(range(axes)), sets))


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_permuted_and_reversed(shape, kind):
    x = (np.random.default_rng(0).standard_normal(shape) * 50).astype(kind)
    for order, axes in arrangements(len(shape)):
        found = ops.flip(ops.transpose(Tensor(x), order), axes).asnumpy()
        assert np.array_equal(found, np.flip(x.transpose(order), axes)), (order, axes)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_goes_back_to_where_an_element_came_from(shape):
    random = np.random.default_rng(1)
    x = Tensor(random.standard_normal(shape).astype(np.float32))
    for order, axes in arrangements(len(shape)):
        g = random.standard_normal([shape[i] for i in order]).astype(np.float32)
        pull = ms.grad(lambda x, g, order=order, axes=axes: (ops.flip(ops.transpose(x, order), axes) * g).sum())
        wanted = np.flip(g, axes).transpose(np.argsort(order))
        assert np.array_equal(pull(x, Tensor(g)).asnumpy(), wanted), (order, axes)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("turns", [-1, 0, 1, 2, 3])
def test_rotations(shape, turns):
    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    for axes in itertools.permutations(range(len(shape)), 2):
        assert np.array_equal(ops.rot90(Tensor(x), turns, axes).asnumpy(), np.rot90(x, turns, axes)), axes
