"""No function loses imaginary parts without a word: each of the op table, each way to write to a real tensor, each
conversion for which a program asks. numpy refuses such numbers, torch such tensors; what is asked for warns, as numpy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from test_table import ROWS

import anfora as ms
from anfora import AnforaError, AnforaWarning, Parameter, Tensor, mint, nn, ops

# -- each function ----------------------------------------------------------------------------------------------------


def _with_complex(row, sample, which, made):
    """A call in which one of the floating arrays or numbers is another value; how many of them there are."""
    count = 0

    def put(value):
        nonlocal count
        if isinstance(value, (tuple, list)):
            return type(value)(map(put, value))
        is_array = isinstance(value, np.ndarray)
        if type(value) is float or (is_array and value.dtype == np.float64):
            count += 1
            if count - 1 == which:
                return made(value)
        return value if not is_array else Tensor(value, ms.float32 if value.dtype == np.float64 else None)

    args, kwargs = put(list(sample.args)), {name: put(value) for name, value in sample.kwargs.items()}
    ms.set_seed(1)
    results = []
    if which >= 0:
        _flatten(row.op(*args, **kwargs), results)
    return results, count


def _flatten(tree, results):
    if isinstance(tree, (tuple, list)):
        for item in tree:
            _flatten(item, results)
    else:
        results.append((tree.asnumpy().tobytes(), tree.dtype) if isinstance(tree, Tensor) else repr(tree))


def _complex(real, imag):
    def made(value):
        if not isinstance(value, np.ndarray):
            return complex(value * real, imag)
        parts = np.square(np.arange(value.size, dtype=np.float64)).reshape(value.shape) + 1
        return Tensor((value * real + 1j * imag * parts).astype(np.complex64))

    return made


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_no_function_loses_them(row):
    """What depends on the real part of an argument and not on the imaginary one has lost it; or it says so."""
    for sample in row.samples[:3]:
        for which in range(_with_complex(row, sample, -1, None)[1]):
            found = []
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                try:
                    for made in (_complex(1, 1), _complex(1, 2), _complex(0.5, 1)):
                        found.append(_with_complex(row, sample, which, made)[0])
                except (AnforaError, TypeError):
                    continue  # it takes none there
            lost = [a == b and a != c for a, b, c in zip(*found)]
            assert not any(lost) or any("imaginary parts are lost" in str(each.message) for each in told), sample


# -- writes -----------------------------------------------------------------------------------------------------------

NUMBER = 1 + 2j
ARRAY = np.array([1 + 2j, 3 + 4j, 5 + 6j], np.complex64)
PLACES, POINTS, MASK = np.array([0, 1], np.int32), np.array([[0], [1]], np.int32), np.array([True, False, True])


def _set(key):
    def write(x, z):
        x[key(x) if callable(key) else key] = z

    return write


def _parameter(change):
    return lambda x, z: change(Parameter(x, name="p"), z)


#: By what comes: a number or an array of three (None: either).
WRITES = {
    "x[0] = z": (_set(0), "number"),
    "x[:] = z": (_set(slice(None)), None),
    "x[...] = z": (_set(...), None),
    "x[mask] = z": (_set(lambda x: Tensor(MASK)), "number"),
    "x[places] = z": (_set(lambda x: Tensor(PLACES)), "number"),
    "x[places] = tensor": (lambda x, z: _set(Tensor(PLACES))(x, z[:2]), "array"),
    "x[[0, 1]] = z": (_set([0, 1]), "number"),
    "copy_": (lambda x, z: x.copy_(z), None),
    "fill_": (lambda x, z: x.fill_(z), "number"),
    "add_": (lambda x, z: x.add_(z), None),
    "mul_": (lambda x, z: x.mul_(z), None),
    "masked_fill_": (lambda x, z: x.masked_fill_(Tensor(MASK), z), "number"),
    "index_fill_": (lambda x, z: x.index_fill_(0, Tensor(PLACES), z), "number"),
    "index_put_": (lambda x, z: x.index_put_((Tensor(PLACES),), z[:2]), "array"),
    "put_": (lambda x, z: x.put_(Tensor(PLACES), z[:2]), "array"),
    "scatter_": (lambda x, z: x.scatter_(0, Tensor(PLACES), z), None),
    "assign": (_parameter(ops.assign), None),
    "assign of a tensor": (ops.assign, None),
    "assign_add": (_parameter(ops.assign_add), None),
    "assign_sub": (_parameter(ops.assign_sub), None),
    "Assign": (_parameter(ops.Assign()), "array"),
    "set_data": (_parameter(lambda p, z: p.set_data(z)), "array"),
    "assign_value": (_parameter(lambda p, z: p.assign_value(z)), "array"),
    "load_param_into_net": (
        lambda x, z: ms.load_param_into_net(_Net(x), {"p": Parameter(z, name="p")}), "array",
    ),
    "scatter_update": (_parameter(lambda p, z: ops.scatter_update(p, Tensor(PLACES), z[:2])), "array"),
    "scatter_add in place": (_parameter(lambda p, z: ops.scatter_add(p, Tensor(PLACES), z[:2])), "array"),
    "scatter_nd_update": (_parameter(lambda p, z: ops.scatter_nd_update(p, Tensor(POINTS), z[:2])), "array"),
    "index_add of a Parameter": (_parameter(lambda p, z: ops.index_add(p, Tensor(PLACES), z[:2], 0)), "array"),
    "full": (lambda x, z: ops.full((2,), z, dtype=x.dtype), "number"),
    "mint.full": (lambda x, z: mint.full((2,), z, dtype=x.dtype), "number"),
    "full_like": (ops.full_like, "number"),
    "new_full": (lambda x, z: x.new_full((2,), z), "number"),
    "fill": (lambda x, z: ops.fill(x.dtype, (2,), z), "number"),
    "fills": (ops.fills, "number"),
    "index_fill": (lambda x, z: ops.index_fill(x, 0, Tensor(PLACES), z), "number"),
    "tensor_scatter_update": (lambda x, z: ops.tensor_scatter_update(x, Tensor(POINTS), z[:2]), "array"),
    "tensor_scatter_elements": (lambda x, z: ops.tensor_scatter_elements(x, Tensor(PLACES), z[:2]), "array"),
    "scatter": (lambda x, z: ops.scatter(x, 0, Tensor(PLACES), z), None),
    "index_put": (lambda x, z: x.index_put((Tensor(PLACES),), z[:2]), "array"),
    "inplace_update": (lambda x, z: ops.inplace_update(x, z[:2], (0, 1)), "array"),
    "masked_scatter": (lambda x, z: x.masked_scatter(Tensor(MASK), z), "array"),
    "slice_scatter": (lambda x, z: ops.slice_scatter(x, z[:2], 0, 0, 2), "array"),
    "select_scatter": (lambda x, z: ops.select_scatter(ops.stack((x, x)), z, 0, 0), "array"),
    "diagonal_scatter": (lambda x, z: ops.diagonal_scatter(ops.stack((x, x, x)), z), "array"),
    "pad": (lambda x, z: ops.pad(x, (1, 1), value=z), "number"),
    "mint pad": (lambda x, z: mint.nn.functional.pad(x, (1, 1), value=z), "number"),
    "new_tensor": (lambda x, z: x.new_tensor(z), "number"),
    "Tensor(number, float32)": (lambda x, z: Tensor(z, x.dtype), "number"),
    "Tensor([number], float32)": (lambda x, z: Tensor([z, 1.0], x.dtype), "number"),
    "tensor(number, float32)": (lambda x, z: ms.tensor(z, x.dtype), "number"),
}  # fmt: skip


class _Net(nn.Cell):
    def __init__(self, x):
        super().__init__()
        self.p = Parameter(x, name="p")


GIVEN = {
    "number": [("complex", lambda: NUMBER), ("numpy's", lambda: np.complex64(NUMBER))],
    "array": [("tensor", lambda: Tensor(ARRAY))],
}


def _cases():
    for name, (write, takes) in WRITES.items():
        for kind in GIVEN if takes is None else (takes,):
            for word, make in GIVEN[kind]:
                yield pytest.param(write, make, id=f"{name}-{word}")


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("write, make", list(_cases()))
def test_no_write_loses_them(write, make, compile):
    """It is refused, in each call, and nothing has been written."""
    function = compile(lambda x, z: write(x, z))
    for kind in (ms.float32, ms.float32, ms.int32):
        x = Tensor([1, 2, 3], kind)
        with pytest.raises((TypeError, RuntimeError), match=r"complex|Complex"):
            function(x, make())
        assert x.tolist() == [1, 2, 3]


def test_they_are_written_to_complex_and_to_truths():
    """A truth has no parts: a number is false where both of its are zero, as in Python."""
    x = Tensor([True, True, True])
    x[0] = 0j
    x[1:] = Tensor(np.array([2j, 0], np.complex64))
    assert x.tolist() == [False, True, False]
    z = Tensor(np.zeros(3, np.complex64))
    z[0], z[1:] = NUMBER, Tensor(ARRAY[1:])
    assert z.tolist() == ARRAY.tolist()
    assert ops.full((1,), 1j, dtype=ms.bool_).tolist() == [True] and Tensor(1j, ms.bool_).item() is True


# -- what is asked for ------------------------------------------------------------------------------------------------

ASKED = {
    "astype": lambda z: z.astype(ms.float32),
    "astype integer": lambda z: z.astype(ms.int32),
    "to": lambda z: z.to(ms.float64),
    "cast": lambda z: ops.cast(z, ms.float16),
    "float": lambda z: z.float(),
    "int": lambda z: z.int(),
    "half": lambda z: z.half(),
    "type_as": lambda z: z.type_as(Tensor([1.0])),
    "Tensor(tensor)": lambda z: Tensor(z, ms.float32),
    "Tensor(array)": lambda z: Tensor(z.asnumpy(), ms.float32),
    "sum": lambda z: ops.sum(z, dtype=ms.float32),
    "mint.sum": lambda z: mint.sum(z, dtype=ms.float32),
    "mean": lambda z: mint.mean(z, dtype=ms.float32),
    "prod": lambda z: ops.prod(z, dtype=ms.float32),
    "cumsum": lambda z: ops.cumsum(z, 0, dtype=ms.float32),
    "cumprod": lambda z: ops.cumprod(z, 0, dtype=ms.float32),
}
SAME = {"sum": np.sum, "mint.sum": np.sum, "mean": np.mean, "prod": np.prod, "cumsum": np.cumsum, "cumprod": np.cumprod}


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("name", ASKED)
def test_who_asks_for_a_real_type_is_warned(name, compile):
    """The real part stays, as numpy's, and each line is told once."""
    function, expected = compile(ASKED[name]), SAME.get(name, lambda x: x)(ARRAY.real)
    with pytest.warns(AnforaWarning, match="imaginary parts are lost") as told:
        assert function(Tensor(ARRAY)).tolist() == expected.tolist()
    assert [each.filename for each in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnforaWarning)
        for z in (2 * ARRAY, 4 * ARRAY, ARRAY):
            assert function(Tensor(z)).tolist() == SAME.get(name, lambda x: x)(z.real).tolist()


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["plain", "jit"])
def test_gradients_of_real_numbers_are_real_without_a_word(compile):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_x = compile(ms.grad(lambda x, z: abs(x * z).sum()))
        for x in (np.array([1.0, 2.0, 3.0], np.float32), np.array([4.0, -5.0, 6.0], np.float32)) * 2:
            np.testing.assert_allclose(by_x(Tensor(x), Tensor(ARRAY)).asnumpy(), np.sign(x) * abs(ARRAY), rtol=1e-6)
