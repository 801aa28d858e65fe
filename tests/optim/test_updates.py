"""Optimizers against numpy, over several steps."""

from __future__ import annotations

import numpy as np
import pytest
import update_rules as ref
from update_table import CASES, SHAPES, arrays, label, new, parameters, some, tensors, values

import anfora
from anfora import Tensor, optim

STEPS = 4


@pytest.mark.parametrize("dtype, rtol, atol", [("f8", 1e-6, 1e-7), ("f4", 2e-5, 2e-6), ("f2", 2e-3, 2e-3)])
@pytest.mark.parametrize("case", CASES, ids=label)
def test_follows_its_rule(case, dtype, rtol, atol):
    """Rates are kept in float32, so float64 parameters follow to that precision."""
    start = arrays(SHAPES, 0, dtype)
    gradients = [arrays(SHAPES, 1 + step, dtype) for step in range(STEPS)]
    held = parameters(start)
    optimizer = case.make(held)
    want = [ref.train(case.rule, p, [step[i] for step in gradients], **case.options) for i, p in enumerate(start)]
    for step, given in enumerate(gradients):
        optimizer(tensors(given))
        for got, expected in zip(values(held), want):
            assert got.dtype == expected[step].dtype
            np.testing.assert_allclose(got, expected[step], rtol, atol, err_msg=f"step {step + 1}")


@pytest.mark.parametrize("case", some("Momentum", "Adam", "Lamb"), ids=label)
def test_bfloat16(case):
    start = [np.float32([0.5, -1.0, 2.0])]
    gradients = [[np.float32([0.25, 0.5, -1.0])]] * 3
    held = parameters(start, anfora.bfloat16)
    optimizer = case.make(held)
    for given in gradients:
        optimizer(tensors(given, anfora.bfloat16))
    want = ref.train(case.rule, start[0], [given[0] for given in gradients], **case.options)[-1]
    np.testing.assert_allclose(values(held)[0], want, 2e-2)
    assert held[0].dtype is anfora.bfloat16


def test_gradients_of_another_type():
    """Half-precision gradients for float32 parameters, and the other way round."""
    for own, other in (("f4", "f2"), ("f2", "f4")):
        (start,), (gradient,) = arrays([(5,)], 0, own), arrays([(5,)], 1, other)
        held = parameters([start])
        optim.Momentum(held, 0.1, 0.9)(tensors([gradient]))
        want = ref.train(ref.momentum, start, [gradient], lr=0.1, mu=0.9)[-1]
        np.testing.assert_allclose(values(held)[0], want, 1e-3)


@pytest.mark.parametrize("make", [new(optim.Adam), new(optim.Lamb, learning_rate=0.1), new(optim.AdaFactor)])
def test_empty_parameters(make):
    held = parameters([np.zeros((0, 3), np.float32), np.ones(2, np.float32)])
    make(held)(tensors([np.zeros((0, 3), np.float32), np.ones(2, np.float32)]))
    assert held[0].shape == (0, 3) and (values(held)[1] < 1).all()


def test_strided_gradients():
    (start,), (gradient,) = arrays([(4, 6)], 0), arrays([(6, 4)], 1)
    held = parameters([start])
    optim.SGD(held, 0.5)((Tensor(gradient).T,))
    np.testing.assert_allclose(values(held)[0], start - 0.5 * gradient.T, 1e-6)


def test_special_values_stay_in_their_elements():
    held = parameters([np.ones(4, np.float32)])
    optim.Adam(held, 0.1)(tensors([np.float32([np.nan, np.inf, 0.0, 1.0])]))
    got = values(held)[0]
    assert np.isnan(got[:2]).all() and got[2] == 1.0 and abs(got[3] - 0.9) < 1e-6


@pytest.mark.parametrize("case", some("Momentum", "Adam", "Lamb", "AdaFactor", "LARS"), ids=label)
def test_any_number_of_threads(case):
    """The same bits, for parameters that are dealt to threads."""
    shapes = [(300, 700), (11,), (150_001,)]
    start = arrays(shapes, 0)
    gradients = [arrays(shapes, 1 + step) for step in range(2)]
    before = anfora.get_num_threads()
    results = []
    try:
        for threads in (1, 2, 3, 8):
            anfora.set_num_threads(threads)
            held = parameters(start)
            optimizer = case.make(held)
            for given in gradients:
                optimizer(tensors(given))
            results.append([value.tobytes() for value in values(held)])
    finally:
        anfora.set_num_threads(before)
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("case", some("Momentum", "Adam", "Lamb", "AdaFactor", "X.Adam amsgrad"), ids=label)
def test_parameters_of_many_sizes_and_types(case):
    """Blocks, rests of vectors and element types side by side in one call."""
    shapes = [(n,) for n in (1, 3, 15, 16, 17, 63, 2047, 2048, 2049, 5000)] + [(41, 107), (2, 1), (1, 7)]
    types = ["f4", "f2", "f8"]
    start = [arrays([shape], i, types[i % 3])[0] for i, shape in enumerate(shapes)]
    gradients = [[arrays([shape], 50 * t + i, types[i % 3])[0] for i, shape in enumerate(shapes)] for t in (1, 2)]
    held = parameters(start)
    optimizer = case.make(held)
    for given in gradients:
        optimizer(tensors(given))
    for i, (got, p) in enumerate(zip(values(held), start)):
        want = ref.train(case.rule, p, [given[i] for given in gradients], **case.options)[-1]
        tolerance = 2e-3 if got.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(got, want, tolerance, tolerance, err_msg=f"{shapes[i]} {got.dtype}")
