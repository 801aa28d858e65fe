"""One row, many tests: value, type, strides, threads, gradients, errors of every operator."""

from __future__ import annotations

import importlib
import inspect
import pathlib
import warnings

import numpy as np
import pytest
from row import MARKS, TOLERANCE, Row, S

import anfora
from anfora import Tensor, ops
from anfora.core.errors import AnforaError
from anfora.core.op import Op, registry
from anfora.kernel import glue
from anfora.ops import methods
from anfora.ops.families import by_element

ROWS: list[Row] = [
    row
    for file in sorted(pathlib.Path(__file__).parent.glob("rows_*.py"))
    for row in importlib.import_module(file.stem).ROWS
]

pytestmark = MARKS


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


def _fits(result, kind: str) -> bool:
    """Whether a result is of a kind, as an annotation says it."""
    if kind.startswith("tuple["):
        kinds = kind[len("tuple[") : -1].split(", ")
        kinds = [kinds[0]] * len(result) if kinds[-1] == "..." else kinds
        return isinstance(result, tuple) and len(result) == len(kinds) and all(map(_fits, result, kinds))
    return type(result).__name__ == kind


@pytest.mark.parametrize("row, sample", _cases(lambda row: row.op in methods.functions.values()))
def test_result_is_what_the_annotation_says(row, sample):
    """Type checkers take an operator without an annotation as one that gives a tensor."""
    told = inspect.signature(row.op).return_annotation
    told = "Tensor" if told is inspect.Signature.empty else told
    if told not in ("Any", "DType"):
        result = _call(row, sample, lambda a: _tensor(a, row.dtypes[0]))
        assert any(_fits(result, kind) for kind in told.split(" | "))


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


def _outcome(row: Row, sample: S, turned: bool) -> list:
    """What a call gives, and the gradients by its floating arguments: as bytes, or the error. `turned`: on other data."""
    leaves = []

    def given(array):
        array = np.roll(array.ravel()[::-1], 1).reshape(array.shape) if turned else array
        tensor = _tensor(array, row.dtypes[0])
        if tensor.dtype.is_float:
            tensor.requires_grad = True
            leaves.append(tensor)
        return tensor

    def seen(tensor):
        if not isinstance(tensor, Tensor):
            return tensor
        array = tensor.asnumpy()
        return tensor.dtype, tensor.shape, np.where(array != array, np.nan, array).tobytes()

    anfora.set_seed(7)
    try:
        results = _results(_call(row, sample, given))
        found = [seen(result.detach() if isinstance(result, Tensor) else result) for result in results]
        for number, result in enumerate(results):
            if isinstance(result, Tensor) and result.requires_grad and result.dtype.is_float:
                result.backward(result.detach() * 0 + (number + 1.5), retain_graph=True)
        return [*found, *(None if leaf.grad is None else seen(leaf.grad) for leaf in leaves)]
    except (AnforaError, NotImplementedError) as error:
        return [type(error), str(error).splitlines()[0]]


@pytest.mark.parametrize("row, sample", _cases())
def test_calls_that_come_again_give_the_bits_of_the_first(row, sample):
    """A call that is kept, and its gradient rules, do on other data what the long way does (eager/kept.py)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", anfora.AnforaWarning)
        for _ in range(2):
            _outcome(row, sample, False)
        found = _outcome(row, sample, True)
        glue.watch("a test", True)
        try:
            assert found == _outcome(row, sample, True)
        finally:
            glue.watch("a test", False)


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


def _close(found, wanted, rtol=1e-9, atol=1e-9):
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol, atol)


@pytest.mark.parametrize("row, sample", _cases(lambda row: row.grad and row.second, smooth=True))
def test_forward_mode_is_finite_differences_and_the_transposed_gradient(row, sample, monkeypatch):
    """The tangents by the rules of the operators are those by their gradients applied twice, and so are those of each
    argument alone, where the tape keeps less."""
    arrays, function = _flat_inputs(row, sample)
    if not arrays or not all(a.size for a in arrays):
        return
    random = np.random.default_rng(8)
    directions = [random.standard_normal(a.shape) for a in arrays]

    def along(count: int, first: int = 0):
        chosen = range(first, first + count)

        def of_chosen(*moved):
            given = list(map(Tensor, arrays))
            given[first : first + count] = moved
            return function(*given)

        return anfora.jvp(of_chosen, *(tuple(Tensor(all_[i]) for i in chosen) for all_ in (arrays, directions)))[1]

    def turn():
        """How the gradient changes in the directions: the rules of the operators that gradient rules are made of."""
        weights = [Tensor(np.cos(np.arange(r.size)).reshape(r.shape)) for r in function(*map(Tensor, arrays))]
        points = (tuple(map(Tensor, each)) for each in (arrays, directions))
        return anfora.jvp(gradients(_weighted(function, weights)), *points)[1]

    found = along(len(arrays))
    turned = turn()
    step = 1e-6
    ends = [function(*(Tensor(a + s * d) for a, d in zip(arrays, directions))) for s in (step, -step)]
    wanted = [(one - other) / (2 * step) for one, other in zip(*ends)]
    _close(found, wanted, 2e-5, 2e-6)
    alone = [along(1, i) for i in range(len(arrays))] if len(arrays) > 1 else []
    with monkeypatch.context() as default:
        for operator in registry.values():
            default.setattr(operator, "jvp_rule", None)
        _close(found, along(len(arrays)))
        _close(turned, turn())
        for i, tangents in enumerate(alone):
            _close(tangents, along(1, i))


#: Where operators move elements or work on each alone, so that a batching rule changes no bit.
_EXACT = {
    f"anfora.ops.{name}" for name in ("comparison", "arithmetic", "mathematics", "activation", "shape", "copying")
}


def _batch_of(array: np.ndarray, count: int) -> np.ndarray:
    """Examples that are like an array, but different: scaled down, or with elements that have changed places."""
    if array.dtype == np.float64:
        return np.stack([array * (1 - i / 8) for i in range(count)])
    return np.stack([np.roll(array, i, 0) if array.ndim else array for i in range(count)])


@pytest.mark.parametrize("row, sample", _cases())
def test_vmap_is_a_loop(row, sample, monkeypatch):
    """With examples along the first axis and along the last, of all tensors and of each alone."""
    arrays: list[np.ndarray] = []
    _map(lambda a: arrays.append(a), [*sample.args, *sample.kwargs.values()])
    calls = 0

    def function(*tensors):
        nonlocal calls
        calls += 1
        given = iter(tensors)
        return tuple(r for r in _results(_call(row, sample, lambda a: next(given))) if isinstance(r, Tensor))

    count = 3
    batches = [_batch_of(a, count) for a in arrays]
    every = range(len(arrays))
    chosen = [(every, 0), (every, -1), *(([i], 0) for i in every if len(arrays) > 1)] if arrays else []
    is_operator = isinstance(row.op, Op) and bool(row.op.tensors)
    is_operator = is_operator and not (row.op.writes or row.op.is_random or row.op.is_effect)
    for which, axis in chosen:
        try:
            shared = list(map(Tensor, arrays))  # also by effects: what is written in place stays for the next example
            wanted = [
                function(*(Tensor(batches[i][k]) if i in which else shared[i] for i in every)) for k in range(count)
            ]
            parts = [np.stack([part.asnumpy() for part in parts]) for parts in zip(*wanted)]
        except (AnforaError, ValueError):  # examples that are refused, or whose results differ in shape
            continue
        given = [Tensor(np.moveaxis(batches[i], 0, axis) if i in which else arrays[i]) for i in every]
        calls = 0
        found = anfora.vmap(function, tuple(axis if i in which else None for i in every))(*given)
        assert calls == 1 or not is_operator
        for one, other, like in zip(found, parts, wanted[0]):
            assert one.is_contiguous() and one.dtype is like.dtype
            if is_operator and row.op.__module__ in _EXACT:
                np.testing.assert_array_equal(one.asnumpy(), other)
            else:
                np.testing.assert_allclose(one.asnumpy(), other, 1e-9, 1e-9)


def _pieces(shape: tuple[int, ...], count: int) -> list[np.ndarray]:
    return [np.random.default_rng(i).uniform(0.5, 1.5, shape) for i in range(count)]


_INTERNAL = [
    o
    for o in registry.values()
    if getattr(o.jvp_rule, "func", None) is by_element and o.name not in ops.__all__ and "reduction" not in o.attributes
]


@pytest.mark.parametrize("op", _INTERNAL)
@pytest.mark.parametrize("axis", [0, -1])
def test_batching_changes_no_bit_element_by_element(op, axis):
    """Of the members of the family that are no functions for users, and are mostly called by gradient rules."""
    arrays = _pieces((3, 2, 3) if axis == 0 else (2, 3, 3), len(op.tensors))
    attributes = {name: {"approximate": "tanh"}.get(name, 1) for name in op.attributes}
    for dtype in (anfora.float64, anfora.int32, anfora.bool_):
        try:
            op(*(Tensor(a, dtype) for a in arrays), **attributes)
        except AnforaError:
            continue
        break
    for alone in (None, *range(len(arrays))):
        is_mapped = [alone is None or i == alone for i in range(len(arrays))]
        given = [Tensor(a if mapped else a.take(0, axis), dtype) for a, mapped in zip(arrays, is_mapped)]
        found = anfora.vmap(
            lambda *tensors: op(*tensors, **attributes), tuple(axis if mapped else None for mapped in is_mapped)
        )(*given)
        each = [[x.asnumpy().take(k, axis) if m else x for x, m in zip(given, is_mapped)] for k in range(3)]
        wanted = [op(*map(Tensor, one), **attributes).asnumpy() for one in each]
        np.testing.assert_array_equal(found.asnumpy(), np.stack(wanted))


@pytest.mark.parametrize("op", [op for op in _INTERNAL if op.gradients])
def test_forward_mode_of_internal_operators(op, monkeypatch):
    arrays, directions = _pieces((2, 3), len(op.tensors)), _pieces((2, 3), 2 * len(op.tensors))[len(op.tensors) :]
    attributes = {name: {"approximate": "tanh"}.get(name, 1) for name in op.attributes}

    def along():
        points = (tuple(map(Tensor, each)) for each in (arrays, directions))
        return [anfora.jvp(lambda *tensors: op(*tensors, **attributes), *points)[1]]

    found = along()
    monkeypatch.setattr(op, "jvp_rule", None)
    _close(found, along())


_POOL = {"kernel_size": (2, 2), "stride": (2, 2), "padding": (0, 0, 0, 0), "ceil_mode": False}
#: Taps of five places among four elements, of which some lie outside.
_PLACES = Tensor([[[0, 1, 3, -1, 2], [1, 1, 4, 0, 2], [3, -7, 0, 2, 2]], [[2, 0, 9, 3, 1], [0] * 5, [3, 2, 1, 0, -1]]])


@pytest.mark.parametrize(
    "name, shapes, attributes",
    [
        ("softmax_gradient", [(3, 4), (3, 4)], {"axis": 0}),
        ("log_softmax_gradient", [(3, 4), (3, 4)], {"axis": 1}),
        ("shift", [(3, 4)], {"axis": 1, "back": True}),
        ("avg_pool2d_gradient", [(2, 1, 2, 3)],
         {"size": (4, 6), **_POOL, "count_include_pad": True, "divisor_override": 0}),
        ("max_pool2d_gradient", [(2, 1, 4, 6), (2, 1, 2, 3)], {**_POOL, "dilation": (1, 1)}),
        ("adaptive_avg_pool2d_gradient", [(2, 1, 2, 3)], {"size": (4, 6)}),
        ("adaptive_max_pool2d_gradient", [(2, 1, 4, 6), (2, 1, 2, 3)], {}),
        ("resample_back", [(2, 3)],
         {"places": Tensor([[0, 1], [1, 2], [3, 0]]), "weights": Tensor(np.array([[0.5, 1], [2, 3], [1, 4]])), "axis": 1,
          "size": 4}),
        ("tap_sums", [(2, 2, 4), (2, 3, 5)], {"places": _PLACES}),
        ("tap_sums_back", [(2, 2, 5), (2, 3, 5)], {"places": _PLACES, "size": 4}),
        ("tap_products", [(2, 2, 4), (2, 2, 5)], {"places": _PLACES}),
    ],
)  # fmt: skip
def test_rules_of_operators_that_gradients_are_made_of(name, shapes, attributes, monkeypatch):
    op = registry[name]
    arrays = [_pieces((3, *shape), 1)[0] for shape in shapes]
    monkeypatch.setattr(anfora.eager.batched, "_for_each", None)  # the rule serves every call
    for alone in (None, *range(len(arrays) if len(arrays) > 1 else 0)):
        given = [Tensor(a if alone in (None, i) else a[0]) for i, a in enumerate(arrays)]
        axes = tuple(0 if alone in (None, i) else None for i in range(len(arrays)))
        found = anfora.vmap(lambda *tensors: op(*tensors, **attributes), axes)(*given).asnumpy()
        for k in range(3):
            example = [Tensor(x.asnumpy()[k]) if axis == 0 else x for x, axis in zip(given, axes)]
            np.testing.assert_allclose(found[k], op(*example, **attributes).asnumpy(), rtol=1e-12, atol=1e-12)
    for i, array in enumerate(arrays):
        if op.tensors[i] in op.gradients:

            def at(moved, i=i):
                return op(*(moved if j == i else Tensor(a[0]) for j, a in enumerate(arrays)), **attributes)

            step = 1e-6 * array[1]
            wanted = (at(Tensor(array[0] + step)) - at(Tensor(array[0] - step))) / 2e-6
            _close([anfora.jvp(at, Tensor(array[0]), Tensor(array[1]))[1]], [wanted], 1e-6, 1e-8)


@pytest.mark.parametrize(
    "row, bad", [pytest.param(row, bad, id=f"{row.name}-{i}") for row in ROWS for i, bad in enumerate(row.errors)]
)
def test_bad_calls_are_refused(row, bad):
    """In the same words each time, and in both modes."""
    args, kwargs = _map(Tensor, list(bad.args)), {name: _map(Tensor, value) for name, value in bad.kwargs.items()}

    def refused():
        return row.op(*args, **kwargs)

    told = []
    for call in (refused, refused, compiled := anfora.jit(refused), compiled):
        with pytest.raises(bad.error, match=bad.match) as caught:
            call()
        told.append(str(caught.value))
    assert told[1:] == told[:1] * 3


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
