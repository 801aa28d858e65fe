"""Every example of the specification: interpreted, run as machine code, printed as C and as C++; both lowerings."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from c_compiler import call, compile_library
from cases import EXAMPLES, Example, arrays_for

import anfora
from anfora import Tensor
from anfora.tensor_expression import KernelWarning, kernel
from anfora.tensor_expression.interpreter import interpret

TYPES = {"float": 2e-6, "double": 1e-12}
LOWERINGS = ["gather", "scatter"]


def build(example: Example, data_type: str, lowering: str, **more):
    case = {**example.case, "data_type": data_type, **more}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelWarning)
        return kernel(case, lowering=lowering)


def expected(example: Example, arrays: dict[str, np.ndarray], d: np.ndarray) -> dict[str, np.ndarray]:
    names = SimpleNamespace(**arrays, d=d)
    return {"": example.forward(names), **{name: f(names) for name, f in example.gradients.items()}}


def inputs_of(made, seed: int = 0):
    dtype = made.forward.dtype
    arrays = arrays_for(made.forward.inputs, dtype, seed)
    [out] = made.forward.outputs
    return arrays, np.random.default_rng(seed + 1).standard_normal(out.shape).astype(dtype)


def check(example, made, results: dict[str, np.ndarray], arrays, d) -> None:
    tolerance = TYPES[made.case.data_type]
    for name, value in expected(example, arrays, d).items():
        np.testing.assert_allclose(results[name], value, rtol=tolerance * 5, atol=tolerance * 5, err_msg=f"d{name}")


@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize("data_type", TYPES)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_machine_code(example, data_type, lowering):
    made = build(example, data_type, lowering)
    arrays, d = inputs_of(made)
    tensors = [Tensor(array) for array in arrays.values()]
    out, back = anfora.vjp(made, *tensors)
    gradients = back(Tensor(d))
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    results = {"": out.asnumpy(), **{n: g.asnumpy() for n, g in zip(arrays, gradients)}}
    check(example, made, results, arrays, d)
    for name in set(arrays) - set(made.case.grad_to):
        assert not results[name].any(), "no gradient flows to what grad_to does not name"


@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_interpreter(example, lowering):
    made = build(example, "double", lowering)
    arrays, d = inputs_of(made)
    forward = {v.name: arrays[v.given] for v in made.forward.inputs}
    [out] = interpret(made.forward, forward).values()
    gradient = made.gradient()
    given = {v.name: d if v.role == "cotangent" else forward[v.name] for v in gradient.inputs}
    found = interpret(gradient, given)
    results = {"": out, **dict(zip(made.case.grad_to, found.values()))}
    check(example, made, results, arrays, d)


@pytest.mark.parametrize("language", ["c", "c++", "c as c++"])
@pytest.mark.parametrize("data_type", TYPES)
def test_printed(tmp_path, data_type, language):
    """All examples in one file, gathered and scattered, without a warning."""
    printed = language if language == "c++" else "c"
    kernels = []
    for example in EXAMPLES:
        for lowering in LOWERINGS:
            made = build(example, data_type, lowering, name=f"{example.name}_{lowering}")
            kernels.append((example, made))
    text = "\n".join(made.c_source(printed) + "\n" + made.grad_c_source(printed) for _, made in kernels)
    library = compile_library(tmp_path, text, language)
    for example, made in kernels:
        arrays, d = inputs_of(made)
        results = {"": run_forward(library, made, arrays)}
        results |= dict(zip(made.case.grad_to, run_gradient(library, made, arrays, d)))
        check(example, made, results, arrays, d)


def run_forward(library, made, arrays) -> np.ndarray:
    """Call the C function; every buffer that it writes has canaries on both sides."""
    forward = made.forward
    [out] = forward.outputs
    guarded = Guarded(out.shape, forward.dtype)
    arguments = []
    for variable in forward.inputs:
        if variable.given == out.given:
            guarded.array[...] = arrays[variable.given]
            arguments.append(guarded.array)
        else:
            arguments.append(arrays[variable.given] if variable.shape else arrays[variable.given][()])
    if not any(variable.given == out.given for variable in forward.inputs):
        arguments.append(guarded.array)
    call(library, made.name, arguments)
    guarded.check()
    return guarded.array


def run_gradient(library, made, arrays, d) -> list[np.ndarray]:
    gradient = made.gradient()
    given = {**{v.name: arrays[v.given] for v in made.forward.inputs}}
    inputs = [d if v.role == "cotangent" else given[v.name] for v in gradient.inputs]
    arguments = [a if v.shape else a[()] for v, a in zip(gradient.inputs, inputs)]
    outs = [Guarded(v.shape, gradient.dtype) for v in gradient.outputs]
    call(library, gradient.name, [*arguments, *(out.array for out in outs)])
    for out in outs:
        out.check()
    return [out.array for out in outs]


class Guarded:
    """An array between elements that must stay as they are."""

    def __init__(self, shape, dtype) -> None:
        size = int(np.prod(shape, dtype=int))
        self.whole = np.full(size + 16, 77, dtype)
        self.array = self.whole[8 : 8 + size].reshape(shape)

    def check(self) -> None:
        assert (self.whole[:8] == 77).all() and (self.whole[-8:] == 77).all(), "written beside the array"


def test_whole_numbers(tmp_path):
    case = {
        "name": "x16_int", "ins": ["A", "B"], "outs": ["Q", "F", "M"], "data_type": "int",
        "kernel": "Q<6>[i] = A<6>[i] / B<6>[i]; F<6>[i] = A<6>[i] // B<6>[i]; M<6>[i] = A<6>[i] % B<6>[i];",
    }  # fmt: skip
    a = np.array([7, -7, 7, -7, 5, -(2**31)], np.int32)
    b = np.array([2, 2, -2, -2, 0, -1], np.int32)
    wanted = [[3, -3, -3, 3, 0, -(2**31)], [3, -4, -4, 3, 0, -(2**31)], [1, 1, -1, -1, 0, 0]]  # by 0 it is 0
    made = kernel(case)
    assert [out.tolist() for out in made(Tensor(a), Tensor(b))] == wanted
    assert [out.tolist() for out in interpret(made.forward, {"A": a, "B": b}).values()] == wanted
    outs = [np.zeros(6, np.int32) for _ in range(3)]
    call(compile_library(tmp_path, made.c_source(), "c"), "x16_int", [a, b, *outs])
    assert [out.tolist() for out in outs] == wanted


def test_group_warns():
    [example] = [e for e in EXAMPLES if e.warns]
    with pytest.warns(KernelWarning, match="rarely meant"):
        kernel(example.case)
