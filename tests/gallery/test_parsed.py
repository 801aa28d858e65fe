"""Every program of the gallery, and random ones, as MindIR parsed from the source: evaluated, it gives the same values,
gradients and effects."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pathlib
import types

import pytest
from harness import PROGRAMS, check_inner
from random_python import program as random_program

from anfora import nn
from anfora.graph.ir.evaluate import function
from anfora.graph.ir.interpreted import signature_form
from anfora.graph.ir.parser import parse
from anfora.graph.ir.primitives import PRIMITIVES
from anfora.graph.ir.verify import verify
from anfora.graph.source.sources import definition_of

for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
    importlib.import_module(path.stem)


def parsed(program):
    """A function, or a Cell's `construct`, as its graph."""
    if isinstance(program, nn.Cell):
        return functools.partial(_call_cell, program)
    if isinstance(program, types.MethodType):
        return functools.partial(parsed(program.__func__), program.__self__)
    if not isinstance(program, types.FunctionType) or hasattr(program, "__wrapped__"):
        return program  # it is no function of its own, or has been parsed
    graph = parse(program)
    verify(graph)
    assert graph.anf()
    keywords = program.__kwdefaults__ or {}
    form = signature_form(definition_of(program).node.args)
    defaults = (
        *(program.__defaults__ or ()),
        *(keywords[x[:-1]] for x in form if x.endswith("=") and x[:-1] in keywords),
    )
    return functools.wraps(program)(PRIMITIVES["signed"].function(function(graph), form, *defaults))


def _call_cell(cell, *args, **kwargs):
    cell.__dict__["construct"] = parsed(cell.construct)
    try:
        return cell(*args, **kwargs)
    finally:
        cell.__dict__.pop("construct", None)


#: Programs that give a function away: it is the closure of a graph then.
GIVING_FUNCTIONS = {"returns_a_closure_that_is_called_outside", "function_held_by_a_list_is_replaced"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    if name in GIVING_FUNCTIONS:
        with pytest.raises(AssertionError, match=r"compiled: 'anfora\.graph\.ir\.evaluate\.Closure'"):
            check_inner(PROGRAMS[name], _parsed_function, parsed)
    else:
        check_inner(PROGRAMS[name], _parsed_function, parsed)


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_random_programs(first):
    """Nothing is replaced between two calls: what a text means is what it meant when it was read."""
    for seed in range(first, first + 20):
        each = dataclasses.replace(random_program(seed, grad=seed % 5 == 0), between=None)
        check_inner(each, _parsed_function, parsed)


def _parsed_function(program):
    return program if isinstance(program, nn.Cell) else parsed(program)
