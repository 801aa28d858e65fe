"""What a line says about itself, without regard to cells: operations, counts, kinds, literals, gradient names.

The order of the checks is the order in which errors are reported when several apply.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from anfora.core.dtype import DType
from anfora.deepx import table as table  # fills FORMS
from anfora.deepx.errors import DeepxError, Fault
from anfora.deepx.forms import FORMS, Form, Place
from anfora.deepx.program import DTYPES, Instruction, Operand

__all__ = ["assigned", "converted_literals", "fail", "fit", "form_of", "verify", "verify_gradients"]

_KINDS = {"t": "a tensor", "a": "an argument", "v": "a vector"}
_LETTERS = {"t": "t", "a": "a", "v": "v", "x": "av"}


def fail(
    instruction: Instruction, code: str, message: str, operand: Operand | None = None, help: str | None = None
) -> DeepxError:
    """The error at an operand of an instruction, or at the instruction."""
    column = operand.column if operand is not None and operand.column else instruction.column
    source = instruction.source
    if source is None:
        column, source = None, instruction.text()
    message = f"{instruction.op}: {message}"
    return DeepxError(code, message, line=instruction.line, column=column, source=source, help=help)


def form_of(instruction: Instruction) -> Form:
    form = FORMS.get(instruction.op)
    if form is None:
        from anfora.deepx.suggestions import suggestion  # for an error only

        raise DeepxError(
            "E-OP", f"there is no instruction {instruction.op!r}", line=instruction.line, column=instruction.column,
            source=instruction.source or instruction.text(), help=suggestion(instruction.op, FORMS),
        )  # fmt: skip
    return form


def assigned(form: Form, instruction: Instruction) -> list[tuple[Place, Operand]]:
    """Each operand with its place; a place that takes many occurs several times.

    Raises:
        DeepxError: there are too few operands, or too many.
    """
    given, places = instruction.operands, form.operands
    least = sum(not place.optional and place.kind != "l" for place in places)
    many = any(place.many for place in places)
    if len(given) < least or (len(given) > len(places) and not many):
        count = str(least) if least == len(places) else f"{least} to {len(places)}"
        wanted = f"at least {least}" if many else count
        at = given[len(places)] if len(given) > len(places) else None
        raise fail(
            instruction,
            "E-ARITY",
            f"{wanted} operands are needed, but there are {len(given)}",
            at,
            f"write {form.usage}",
        )
    if many:
        after = len(places) - 1
        split = len(given) - after
        return [(places[0], operand) for operand in given[:split]] + list(zip(places[1:], given[split:]))
    return list(zip(places, given))


def verify(instruction: Instruction, naming: str) -> None:
    """Refuse a line that no cells could make right, but for its gradient names.

    Raises:
        DeepxError: E-OP, E-NOGRAD, E-ARITY, E-NAME, E-OPERAND, E-DTYPE, E-LITERAL.
    """
    form = form_of(instruction)
    if instruction.backward and not form.gradients:
        raise fail(
            instruction, "E-NOGRAD", "this instruction has no backward", help="<- is for instructions that have one"
        )
    pairs = assigned(form, instruction)
    wanted = 0 if form.result is None else 1
    if len(instruction.results) != wanted:
        count = "no result" if not wanted else "1 result"
        at = instruction.results[wanted] if len(instruction.results) > wanted else None
        raise fail(
            instruction, "E-ARITY", f"{count} is needed, but there are {len(instruction.results)}", at,
            f"write {form.usage}",
        )  # fmt: skip
    if form.result is not None:
        pairs.append((form.result, instruction.results[0]))
    for place, operand in pairs:
        _verify_kind(instruction, place, operand, naming)
    if instruction.op == "argset":
        target = str(instruction.results[0].value)
        if naming == "strict" and target[0] == "a" and len(instruction.operands) != 1:
            raise fail(
                instruction, "E-ARITY", f"{target} is an argument and takes 1 literal, not {len(instruction.operands)}",
                instruction.results[0], "vectors have names that start with v",
            )  # fmt: skip
    if instruction.dtype is None:
        if instruction.op in ("argset", "newtensor"):
            raise fail(instruction, "E-DTYPE", f"an element type is needed: {instruction.op}@float32, say")
    elif instruction.dtype not in DTYPES:
        raise fail(
            instruction, "E-DTYPE", f"there is no element type {instruction.dtype!r}", help="one of " + " ".join(DTYPES)
        )
    if instruction.op == "argset":
        converted_literals(instruction)


def _verify_kind(instruction: Instruction, place: Place, operand: Operand, naming: str) -> None:
    value = operand.value
    if place.kind == "l":
        if not isinstance(value, (int, float)):
            what = "a vector" if isinstance(value, tuple) else f"the name {value}"
            raise fail(instruction, "E-OPERAND", f"a literal is needed, not {what}", operand)
        return
    if isinstance(value, str):
        if value == "_" or (naming == "strict" and value[0] not in _LETTERS[place.kind]):
            letters = " or ".join(_LETTERS[place.kind])
            kinds = " or ".join(_KINDS[letter] for letter in _LETTERS[place.kind])
            raise fail(
                instruction,
                "E-NAME",
                f"{kinds} is needed, whose name starts with {letters}, but it is {value!r}",
                operand,
            )
        grad = operand.grad
        if grad is not None and grad != "_" and naming == "strict" and grad[0] != "t":
            raise fail(
                instruction, "E-NAME", f"a gradient is a tensor, whose name starts with t, but it is {grad!r}", operand
            )
        return
    fits = isinstance(value, tuple) if place.kind == "v" else place.kind == "a" and not isinstance(value, tuple)
    if not fits or place.name == "out":
        what = "a list" if isinstance(value, tuple) else "a literal"
        need = " or ".join(_KINDS[letter] for letter in _LETTERS[place.kind])
        raise fail(instruction, "E-OPERAND", f"{need} is needed, not {what}", operand)


def verify_gradients(instruction: Instruction) -> None:
    """Refuse wrong gradient names, and an operand that backward needs and that its own line has overwritten.

    Raises:
        DeepxError: E-GRADNAME, E-INPLACE.
    """
    form = form_of(instruction)
    everything = (*instruction.operands, *instruction.results)
    if not instruction.backward:
        for operand in everything:
            if operand.grad is not None:
                raise fail(instruction, "E-GRADNAME", f"{operand} has a gradient name on a line with ->", operand)
        return
    [result] = instruction.results
    pairs = assigned(form, instruction)
    for place, operand in pairs:
        if place.kind != "t":
            if operand.grad is not None:
                raise fail(instruction, "E-GRADNAME", f"{operand.value} is no tensor and has no gradient", operand)
        elif operand.grad is None:
            raise fail(
                instruction, "E-GRADNAME", f"the gradient of {operand.value} has no name", operand,
                f"write {operand.value}({operand.value}_grad), or {operand.value}(_) when none is wanted",
            )  # fmt: skip
        elif place.name not in form.gradients and operand.grad != "_":
            raise fail(
                instruction, "E-GRADNAME", f"{operand.value} has no gradient here, its numbers only choose", operand,
                f"write {operand.value}(_)",
            )  # fmt: skip
    if result.grad is None or result.grad == "_":
        raise fail(
            instruction, "E-GRADNAME", f"the gradient of the result {result.value} has no name", result,
            f"write {result.value}({result.value}_grad)",
        )  # fmt: skip
    for place, operand in pairs:
        if place.kind == "t" and place.name in form.reads and operand.value == result.value:
            raise fail(
                instruction, "E-INPLACE",
                f"backward reads {operand.value}, which the forward line has overwritten with its result", operand,
                "let the forward line write to another tensor",
            )  # fmt: skip


def converted_literals(instruction: Instruction) -> Instruction:
    """`argset` with its literals as numbers of its type."""
    if instruction.op != "argset":
        return instruction
    dtype = DTYPES[str(instruction.dtype)]
    operands = []
    for operand in instruction.operands:
        try:
            value = fit(operand.value, dtype, "E-LITERAL")
        except Fault as fault:
            raise fail(instruction, fault.code, fault.message, operand, fault.help) from None
        operands.append(dataclasses.replace(operand, value=value))
    return dataclasses.replace(instruction, operands=tuple(operands))


def fit(value: Any, dtype: DType, code: str) -> int | float:
    """A number as one of an element type.

    Raises:
        Fault: with `code`; a float is given where an integer is needed, or it does not fit.
    """
    name = dtype.name.rstrip("_")
    if dtype.is_float:
        try:
            with np.errstate(over="ignore"):
                converted = float(dtype.numpy.type(value))
        except OverflowError:
            converted = math.inf
        if code == "E-LITERAL" and not math.isfinite(converted):
            raise Fault(code, f"{value} does not fit into {name}")
        return converted
    if isinstance(value, float):
        raise Fault(code, f"{value!r} is a float, and {name} needs integers")
    low, high = (0, 1) if dtype.is_bool else (np.iinfo(dtype.numpy).min, np.iinfo(dtype.numpy).max)
    if not low <= value <= high:
        raise Fault(code, f"{value} does not fit into {name}, which holds {low} to {high}")
    return int(value)
