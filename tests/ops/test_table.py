"""One row, many tests: value, type, strides, threads, gradients, errors of every operator."""

from __future__ import annotations

import importlib
import pathlib

import numpy as np
import pytest
from row import TOLERANCE, Row, S

import anfora
from anfora import Tensor, ops
from anfora.core.op import registry

ROWS: list[Row] = [
    row
    for file in sorted(pathlib.Path(__file__).parent.glob("rows_*.py"))
    for row in importlib.import_module(file.stem).ROWS
]


def _cases(pick=lambda row: True, dtypes=False, smooth=False) -> list:
    cases = []
    for row in filter(pick, ROWS):
        for number, sample in enumerate(row.samples):
            if smooth and not sample.smooth:
                continue
            label = f"{row.name}-{number}"
            if dtypes:
                cases += [pytest.param(row, sample, dtype, id=f"{label}-{dtype}") for dtype in row.dtypes]
            else:
                cases.append(pytest.param(row, sample, id=label))
    return cases


def _map(function, tree):
    """Apply to every array of a nesting."""
    if isinstance(tree, np.ndarray):
        return function(tree)
    if isinstance(tree, (tuple, list)):
        return type(tree)(_map(function, item) for item in tree)
    return tree


def _tensor(array: np.ndarray, dtype: str) -> Tensor:
    return Tensor(array, getattr(anfora, dtype)) if array.dtype == np.float64 else Tensor(array)


def _call(row: Row, sample: S, make):
    args = _map(make, list(sample.args))
    kwargs = {name: _map(make, value) for name, value in sample.kwargs.items()}
    return row.op(*args, **kwargs)


def _results(tree) -> list:
    return [r for item in tree for r in _results(item)] if isinstance(tree, (tuple, list)) else [tree]


@pytest.mark.parametrize("row, sample, dtype", _cases(dtypes=True))
def test_value_is_numpys(row, sample, dtype):
    results = _results(_call(row, sample, lambda a: _tensor(a, dtype)))

    def seen(array):
        return _tensor(array, dtype).asnumpy().astype(np.float64) if array.dtype == np.float64 else array

    with np.errstate(all="ignore"):
        expected = _results(
            row.ref(*_map(seen, list(sample.args)), **{k: _map(seen, v) for k, v in sample.kwargs.items()})
        )
    assert len(results) == len(expected)
    for result, wanted in zip(results, expected):
        if not isinstance(result, Tensor):
            assert result == wanted
            continue
        wanted = np.asarray(wanted)
        assert result.shape == wanted.shape
        value = result.asnumpy()
        kinds = {dtype, result.dtype.name} if result.dtype.is_float else {dtype}  # integers may be computed as float32
        tol = max(row.tol.get(kind, TOLERANCE[kind]) for kind in kinds)
        if row.exact or not result.dtype.is_float:
            np.testing.assert_array_equal(value, wanted.astype(value.dtype))
        else:
            np.testing.assert_allclose(value, wanted, rtol=tol, atol=tol)


@pytest.mark.parametrize("row, sample", _cases(lambda row: row.strided))
def test_strides_change_no_bit(row, sample):
    def strided(array):
        wide = np.zeros((*array.shape, 2), array.dtype)
        wide[..., 0] = array
        return anfora.from_numpy(np.asfortranarray(wide[..., 0]) if array.ndim == 2 else wide[..., 0])

    def plain(array):
        return anfora.from_numpy(np.array(array, order="C"))

    for one, other in zip(_results(_call(row, sample, plain)), _results(_call(row, sample, strided))):
        if isinstance(one, Tensor):
            np.testing.assert_array_equal(_bits(one), _bits(other))


def _bits(tensor: Tensor) -> np.ndarray:
    array = np.ascontiguousarray(tensor.asnumpy())
    return array.view(f"u{array.itemsize}") if array.dtype.kind == "f" else array


def _flat_inputs(row: Row, sample: S):
    """The floating arrays of a sample, and a function of tensors for them that gives the floating results."""
    arrays: list[np.ndarray] = []
    _map(lambda a: arrays.append(a) if a.dtype == np.float64 else None, [*sample.args, *sample.kwargs.values()])

    def function(*tensors):
        given = iter(tensors)
        out = _call(row, sample, lambda a: next(given) if a.dtype == np.float64 else Tensor(a))
        return tuple(r for r in _results(out) if isinstance(r, Tensor) and r.dtype.is_float)

    return arrays, function


def _weighted(function, weights):
    """The results of a function as one number: their sum, weighted."""

    def total(*tensors):
        terms = [(r * Tensor(w)).sum() for r, w in zip(function(*tensors), weights)]
        result = terms[0]
        for term in terms[1:]:
            result = result + term
        return result

    return total


gradients = anfora.GradOperation(get_all=True)


def _numeric_gradient(function, arrays, step=1e-6):
    gradients = []
    for i, array in enumerate(arrays):
        gradient = np.zeros_like(array)
        for index in np.ndindex(array.shape):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in arrays]
                moved[i][index] += sign * step
                ends.append(float(function(*map(Tensor, moved))))
            gradient[index] = (ends[0] - ends[1]) / (2 * step)
        gradients.append(gradient)
    return gradients


@pytest.mark.parametrize("row, sample", _cases(lambda row: row.grad, smooth=True))
def test_gradients_are_finite_differences(row, sample):
    arrays, function = _flat_inputs(row, sample)
    if not arrays or not all(a.size for a in arrays):
        return
    random = np.random.default_rng(7)
    weights = [random.standard_normal(r.shape) for r in function(*map(Tensor, arrays))]
    total = _weighted(function, weights)
    found = gradients(total)(*map(Tensor, arrays))
    expected = _numeric_gradient(total, arrays)
    for gradient, array, wanted in zip(found, arrays, expected):
        assert gradient.shape == array.shape and gradient.dtype is anfora.float64
        np.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=2e-5, atol=2e-6)
    if row.second:
        directions = [random.standard_normal(a.shape) for a in arrays]

        def slope(*tensors):
            terms = [(g * Tensor(d)).sum() for g, d in zip(gradients(total)(*tensors), directions)]
            result = terms[0]
            for term in terms[1:]:
                result = result + term
            return result

        found = gradients(slope)(*map(Tensor, arrays))
        for gradient, wanted in zip(found, _numeric_gradient(slope, arrays, 1e-5)):
            np.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    "row, bad", [pytest.param(row, bad, id=f"{row.name}-{i}") for row in ROWS for i, bad in enumerate(row.errors)]
)
def test_bad_calls_are_refused(row, bad):
    with pytest.raises(bad.error, match=bad.match):
        _call(row, bad, Tensor)


def test_every_operator_has_a_row():
    tested = {row.name for row in ROWS} | {name for row in ROWS for name in row.covers}
    missing = sorted(set(registry) - tested)
    assert not missing, f"no row in the op table for {missing}"


def test_every_row_that_leaves_something_out_says_why():
    silent = [row.name for row in ROWS if not (row.grad and row.second and row.strided) and not row.why]
    assert not silent


def test_public_operators_are_documented():
    bare = [name for name in ops.__all__ if not (getattr(ops, name).__doc__ or "").strip()]
    assert not bare
