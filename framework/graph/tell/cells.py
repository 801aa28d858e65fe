"""Cells in GRAPH_MODE: the outermost call of a Cell is compiled, with everything that it calls."""

from __future__ import annotations

from typing import Any

from anfora.api import GradientFunction
from anfora.core import slots
from anfora.core.settings import GRAPH_MODE, get_context
from anfora.graph.facts.classes import defines
from anfora.graph.machine.running import running
from anfora.graph.polyfill.polyfills import call, call_as_cell
from anfora.graph.tell.watched import Watched, kind_of_program, strictness

__all__ = ["call_compiled", "program_of"]

_NO_OPTIONS: dict = {}


def program_of(cell: Any) -> Watched:
    """The program of the calls of a Cell, with the options of its JitConfig, or of a function that `grad` has made.

    It lies in the object itself: the guards of a program hold what it is of, so nothing else may hold the program.
    """
    attributes = cell.__dict__
    options = attributes.get("_jit_options", _NO_OPTIONS)
    program: Watched | None = attributes.get("_program")
    if program is None or program.options is not options:
        kind = kind_of_program(options)
        function = call if isinstance(cell, GradientFunction) else call_as_cell
        program = attributes["_program"] = kind(function, cell, strictness(options))
        program.options = options
    return program


def call_compiled(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Run a Cell in GRAPH_MODE; inside of a compiled call, and of what the interpreter does for one, it just runs."""
    if isinstance(cell, GradientFunction):
        if running.depth or get_context("mode") != GRAPH_MODE:
            return cell.call_plainly(args, kwargs)
        return program_of(cell).call((cell, *args), kwargs)
    if running.depth or not (get_context("mode") == GRAPH_MODE or cell in slots.compiled_cells):
        if not (cell.__dict__["_hooks"] or cell.__dict__["_compute_type"] or defines(type(cell), "bprop")):
            return cell.construct(*args, **kwargs)
        return slots.call_cell(cell, args, kwargs)
    return program_of(cell).call((cell, *args), kwargs)


slots.call_compiled = call_compiled
