"""Recorded programs run by the evaluator, on the graphs that graph mode makes of them.

`check_evaluated(program)` lets a program be compiled by all its calls, and then makes the calls again, each as an
evaluation of the graph that was recorded: values, gradients and effects must be those of Python.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness import Program, check_rounds

from anfora.graph.ir.evaluate import Closure, function
from anfora.graph.machine.switches import switches
from anfora.graph.run import compiled
from anfora.graph.run.points import Point
from anfora.graph.tell.typed import typed
from anfora.graph.tell.wording import first_failing

__all__ = ["check_evaluated"]

_by_the_executor = compiled.RecordedProgram.call


class _NotRecorded(BaseException):
    """Neither a program nor the harness takes it for a result."""


def check_evaluated(program: Program) -> Counter[str]:
    """Compare a program whose graphs are evaluated with Python; of errors what they say first, without places.

    Returns:
        how many calls were evaluated, and how many could not be: they were `new` from the start on, or `ended` on the way
        in what had not been recorded (an exception, a class or another object that is made anew), or in what the
        evaluator does not know (a node of the program's own on a tape outside).
    Raises:
        AssertionError: at the first difference.
    """
    found: Counter[str] = Counter()
    graphs: dict[compiled.RecordedProgram, tuple[int, list[Closure]]] = {}

    def graph_at(program: compiled.RecordedProgram, point: Point) -> Closure:
        recordings, functions = graphs.get(program, (0, []))
        if recordings != program.recordings:
            functions = [function(made.graph) for made in typed(program, guarded=True)]
            graphs[program] = program.recordings, functions
        return functions[list(program.entries.values()).index(point)]

    @contextlib.contextmanager
    def evaluating() -> Iterator[None]:
        def call(self: compiled.RecordedProgram, args: tuple, kwargs: dict) -> Any:
            if self.native is not None:
                return _by_the_executor(self, args, kwargs)
            point, values = self._entry(args, kwargs, switches()), [*args, *kwargs.values()]
            if all(first_failing(variant.piece.guards, values) is not None for variant in point.variants):
                found["new"] += 1
                return _by_the_executor(self, args, kwargs)
            try:
                result = graph_at(self, point)(*values)
            except RuntimeError as error:  # NotImplementedError too
                if "has not been recorded here" not in str(error) and type(error) is not NotImplementedError:
                    raise
                found["ended"] += 1
                raise _NotRecorded from None
            found["evaluated"] += 1
            return result

        compiled.RecordedProgram.call = call  # type: ignore[method-assign]
        try:
            yield
        finally:
            compiled.RecordedProgram.call = _by_the_executor  # type: ignore[method-assign]

    with contextlib.suppress(_NotRecorded):
        check_rounds(program, (contextlib.nullcontext, evaluating))
    return found
