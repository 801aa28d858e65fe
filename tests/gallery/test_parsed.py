"""Every program of the gallery, and random ones, as MindIR parsed from the source: evaluated, it gives the same values,
gradients and effects; as Python functions, and evaluated node by node."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pathlib
import types

import pytest
from harness import PROGRAMS, check_inner
from random_python import program as random_program

from anfora import jit, nn
from anfora.graph.ir.evaluate import function
from anfora.graph.ir.instructions import signature_form
from anfora.graph.ir.parser import parse
from anfora.graph.ir.primitives import PRIMITIVES
from anfora.graph.ir.python_form import python_function
from anfora.graph.ir.verify import verify

for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
    importlib.import_module(path.stem)


#: How a graph is run.
WAYS = {"compiled": lambda graph: jit(python_function(graph)), "functions": python_function, "evaluated": function}


def parsed(way, program):
    """A function, or a Cell's `construct`, as its graph."""
    if isinstance(program, nn.Cell):
        return functools.partial(_call_cell, way, program)
    if isinstance(program, types.MethodType):
        return functools.partial(parsed(way, program.__func__), program.__self__)
    if not isinstance(program, types.FunctionType) or hasattr(program, "__wrapped__"):
        return program  # it is no function of its own, or has been parsed
    graph = parse(program)
    verify(graph)
    assert graph.anf()
    keywords = program.__kwdefaults__ or {}
    form = signature_form(program.__code__, len(program.__defaults__ or ()), keywords)
    defaults = (
        *(program.__defaults__ or ()),
        *(keywords[x[:-1]] for x in form if x.endswith("=") and x[:-1] in keywords),
    )
    return functools.wraps(program)(PRIMITIVES["signed"].function(WAYS[way](graph), form, *defaults))


def _call_cell(way, cell, *args, **kwargs):
    cell.__dict__["construct"] = parsed(way, cell.construct)
    try:
        return cell(*args, **kwargs)
    finally:
        cell.__dict__.pop("construct", None)


#: Programs that give a function away: evaluated, it is the closure of a graph.
GIVING_FUNCTIONS = {"returns_a_closure_that_is_called_outside", "function_held_by_a_list_is_replaced"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, way):
    if way == "evaluated" and name in GIVING_FUNCTIONS:
        with pytest.raises(AssertionError, match=r"compiled: 'anfora\.graph\.ir\.evaluate\.Closure'"):
            check(PROGRAMS[name], way)
    else:
        check(PROGRAMS[name], way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_random_programs(first, way):
    """Nothing is replaced between two calls: what a text means is what it meant when it was read."""
    for seed in range(first, first + 20):
        check(dataclasses.replace(random_program(seed, grad=seed % 5 == 0), between=None), way)


def check(program, way):
    inner = functools.partial(parsed, way)
    check_inner(program, lambda each: each if isinstance(each, nn.Cell) else inner(each), inner)
