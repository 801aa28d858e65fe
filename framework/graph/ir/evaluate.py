"""The meaning of a program: run it, slowly and plainly, call after call.

    evaluate(graph, *arguments)        the value of the graph
    function(graph)                    the graph as a Python function

Each call of a graph has its own values; its calls are computed in the order of its schedule (structure.py). Operators are
the ones that PyNative mode runs, on our Tensors, so results are its bits and a tape sees the order of the program. A graph
used as a value becomes a `Closure`, which holds the values it takes from outside, and is an ordinary function to Python:
`GradOperation`, `HyperMap` and users call it.

Calls from graph to graph need no Python stack: a call in tail position takes the place of its caller, so loops, which are
tail calls, run in constant space; other calls may be as deep as Python's limit on recursion says, and end in the same
RecursionError.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from anfora.core.errors import AnforaError
from anfora.core.op import Op
from anfora.core.span import Span
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, ValueNode
from anfora.graph.ir.primitives import PRIMITIVES, Monad, Primitive, return_
from anfora.graph.ir.structure import Structure
from anfora.graph.machine.running import running

__all__ = ["Closure", "evaluate", "function"]


def evaluate(graph: Graph, *arguments: Any) -> Any:
    """Run a graph.

    Args:
        graph: a closed graph.
        arguments: one value for each parameter.
    Returns:
        the value of its output; a graph among the results can be called.
    Raises:
        GraphError: the program is not well formed.
        TypeError: the number of arguments is wrong.
        Exception: what the program raises. Errors of operators name the line of the program, if it is known.
    Example:
        >>> from anfora.ir import evaluate, parse
        >>> evaluate(parse(lambda x: x * 2), 21)
        42
    """
    return function(graph)(*arguments)


def function(graph: Graph) -> Closure:
    """A closed graph as a Python function. It means the program as it is now: after edits, ask again."""
    structure = Structure(graph)
    structure.see_closed()
    return Closure(graph, {}, structure)


class Closure:
    """A graph and the values that it takes from outside.

    Args:
        graph: what to run.
        held: the values of its free nodes.
        structure: of the program that it belongs to.
    """

    def __init__(self, graph: Graph, held: dict[AnfNode, Any], structure: Structure) -> None:
        self.graph, self.held, self.structure = graph, held, structure
        self.__name__ = graph.name
        self.__qualname__ = graph.span.function if graph.span is not None else graph.name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if not named:
            return _run(self, arguments)
        form = tuple(str(parameter.name) for parameter in self.graph.parameters)
        return PRIMITIVES["signed"].function(self, form)(*arguments, **named)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<closure @{self.graph.name}>"


class _Frame:
    """One call of a graph: the values so far, and which call is next."""

    __slots__ = ("structure", "schedule", "position", "values")

    def __init__(self, closure: Closure, arguments: tuple) -> None:
        parameters = closure.graph.parameters
        if len(arguments) != len(parameters):
            raise TypeError(
                f"{closure.graph.name}() takes {len(parameters)} positional argument{'s' * (len(parameters) != 1)} but "
                f"{len(arguments)} {'was' if len(arguments) == 1 else 'were'} given"
            )
        self.structure = closure.structure
        self.schedule = closure.structure.schedules[closure.graph]
        self.position = 0
        self.values: dict[AnfNode, Any] = {**closure.held, **dict(zip(parameters, arguments))}

    @property
    def call(self) -> CNode:
        return self.schedule[self.position]

    def value(self, node: AnfNode) -> Any:
        if not isinstance(node, ValueNode):
            return self.values[node]
        if isinstance(node.value, Graph):
            held = {free: self.values[free] for free in self.structure.free[node.value]}
            return Closure(node.value, held, self.structure)
        return node.value

    def is_last(self) -> bool:
        """Whether the graph returns what its next call gives."""
        following = self.schedule[self.position + 1]
        return following.calls(return_) and following.args[0] is self.call


def _run(closure: Closure, arguments: tuple) -> Any:
    begun = len(running.gradients)
    try:
        return _called(closure, arguments)
    except BaseException:
        while len(running.gradients) > begun:  # gradients in pieces, which nobody else ends
            running.gradients[-1].leave()
        raise


def _called(closure: Closure, arguments: tuple) -> Any:
    stack = [_Frame(closure, arguments)]
    while True:
        frame = stack[-1]
        call = frame.call
        called, *given = map(frame.value, call.inputs)
        while type(called) is functools.partial and not called.keywords:
            given = [*called.args, *given]
            called = called.func
        if isinstance(called, Closure):
            if frame.is_last():
                stack.pop()
            elif len(stack) >= sys.getrecursionlimit():
                raise RecursionError("maximum recursion depth exceeded")
            stack.append(_Frame(called, tuple(given)))
            continue
        if called is return_:
            stack.pop()
            if not stack:
                return given[0]
            result = given[0]
            frame = stack[-1]
        else:
            result = _plain(called, given, call.span)
        frame.values[frame.call] = result
        frame.position += 1


def _plain(called: Any, given: list, span: Span | None) -> Any:
    """Call what is no graph."""
    try:
        if not (isinstance(called, Primitive) and called.handles_states):
            given = [value for value in given if not isinstance(value, Monad)]
        return (called.function if isinstance(called, Primitive) else called)(*given)
    except AnforaError as error:
        if span is not None and not _is_shown(called, given):
            error.place = _place(span, error.arg, called)
        raise


def _is_shown(called: Any, given: list) -> bool:
    """Whether it was the program's source that has run, so that the error tells the place by itself."""
    return called is PRIMITIVES["interpret"] and isinstance(given[3], (types.FunctionType, Primitive))


def _place(span: Span, argument: str | None, called: Callable) -> str:
    order = called.order if isinstance(called, Op) else ("input", "other")
    return "\n".join([f"  {span}", *span.pointing_at(argument, order).show()])
