"""The list of passes, and what becomes of the graph of a piece in them.

    PASSES                      name -> pass, in the order in which they run
    LOWERING                    name -> what is decided behind them, where the graph becomes native code (lower, run)
    register_pass(function)     one more pass, behind the others
    without_passes(*names)      a block in which some of both are left out: no bit changes

A piece is recorded as a graph of operators (ir/planned.py). Before it is lowered, each pass gets a copy of that graph and
gives one that means the same. What it gives is looked at, and refused as a whole if it is not well formed, gives other
types, or reads memory that is written in place where the program does not. Gradients are those of the piece as it was
recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from anfora.core.abstract import Layout
from anfora.core.errors import AnforaError, OpTypeError
from anfora.core.settings import log, logs
from anfora.eager.entry import entry_for
from anfora.graph.ir import FuncGraph
from anfora.graph.ir.nodes import AnfNode, GraphError
from anfora.graph.ir.planned import OperatorCall, effects_of, finish, planned_calls, results_of
from anfora.graph.ir.verify import verify
from anfora.graph.passes.constants import fold_constants
from anfora.graph.passes.edges import copied, roots_of, written_of
from anfora.graph.passes.norms import write_out_norms
from anfora.graph.passes.planning import layout_of, plan
from anfora.graph.passes.same_calls import merge_same_calls
from anfora.ops import copy

__all__ = ["LOWERING", "PASSES", "Pass", "after_each", "is_on", "optimised", "register_pass", "tell", "without_passes"]

Pass = Callable[[FuncGraph], "FuncGraph | None"]

#: By name, in the order in which they run. What a pass gives is checked, unless it is one of `_TRUSTED`.
PASSES: dict[str, Pass] = {
    "write_out_norms": write_out_norms,
    "fold_constants": fold_constants,
    "merge_same_calls": merge_same_calls,
}
#: By name, what lowering decides of a graph; these change no node.
LOWERING: dict[str, str] = {
    "fuse_loops": "elementwise calls that follow from each other share a loop",
    "fuse_ends": "a product or convolution does with its sums what follows element by element",
    "share_memory": "what lies between calls shares the bytes of an arena with what lives at other times",
    "native_loops": "a piece that leads back to its own start goes round natively",
    "native_control": "branches, loops and recursion between pieces run natively, as an automaton",
}
#: These show by their tests that they keep memory apart that somebody sees (`edges.kept_of`).
_TRUSTED = frozenset({write_out_norms, fold_constants, merge_same_calls})
_OF_LIBRARY = frozenset({*PASSES, *LOWERING})
_left_out: set[str] = set()


def register_pass(function: Pass, *, name: str | None = None) -> Pass:
    """Let a pass of one's own run behind the others, on every piece that is compiled from now on.

    Args:
        function: gets an `ir.FuncGraph` of operators, without branches and loops, whose output is a tuple. It changes the
            graph through an `ir.Manager` and gives None, or gives another graph. It has to keep the bits of every result.
            It is not told of the gradient, which is that of the program as it was written.
        name: what it is called; the function's own name if it is not given. A pass of one's own of that name is replaced.
    Returns:
        the function: `register_pass` can stand in front of it as a decorator.
    Raises:
        OpTypeError: it cannot be called.
        GraphError: a pass of this library has that name.
    Example:
        >>> from anfora import Tensor, ir, jit, ops
        >>> @ir.register_pass
        ... def double_negation(graph):
        ...     edits = ir.Manager(graph)
        ...     for call in ir.calls_of(graph, ops.neg):
        ...         if ir.is_call(call.args[0], ops.neg):
        ...             edits.replace(call, call.args[0].args[0])
        >>> jit(lambda x: -(-x) * 2)(Tensor([1.0, -2.0]))
        Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00, -4.00000000e+00])
        >>> _ = ir.PASSES.pop("double_negation")
    """
    if not callable(function):
        raise OpTypeError(f"a pass is a function of a graph, and not a {type(function).__name__}")
    name = name or function.__name__
    if name in _OF_LIBRARY:
        raise GraphError(f"a pass of this library is called {name!r}", help="`name=` gives yours another one.")
    PASSES[name] = function
    return function


@contextmanager
def without_passes(*names: str) -> Iterator[None]:
    """Leave out some passes, or all, in what is compiled meanwhile: no bit of a result changes.

    Args:
        names: of passes and of decisions of lowering, the keys of `PASSES` and `LOWERING`; all of them if there is none.
    Raises:
        GraphError: there is no such pass.
    Example:
        >>> from anfora import Tensor, ir, jit, ops
        >>> with ir.without_passes("merge_same_calls"):
        ...     jit(lambda x: ops.exp(x) + ops.exp(x))(Tensor(0.0))
        Tensor(shape=[], dtype=Float32, value= 2)
    """
    for name in names:
        if name not in PASSES and name not in LOWERING:
            raise GraphError(f"there is no pass {name!r}", help=f"there are {', '.join([*PASSES, *LOWERING])}.")
    before = set(_left_out)
    _left_out.update(names or (*PASSES, *LOWERING))
    try:
        yield
    finally:
        _left_out.clear()
        _left_out.update(before)


def is_on(name: str) -> bool:
    """Whether a decision of lowering is not left out."""
    return name not in _left_out


def optimised(graph: FuncGraph, layouts: Sequence[Layout]) -> FuncGraph:
    """The graph of a piece behind all passes; it may be changed on the way.

    Args:
        layouts: of its parameters, in their order.
    Raises:
        GraphError: a registered pass has made what is no graph, or what gives other types.
    """
    count = len(planned_calls(graph)) if logs("passes") else 0
    found = graph
    for name, found in after_each(graph, layouts):
        if logs("passes"):
            before, count = count, len(planned_calls(found))
            tell(name, found.name, f"{before:,} calls → {count:,}")
    return found


def after_each(graph: FuncGraph, layouts: Sequence[Layout]) -> Iterator[tuple[str, FuncGraph]]:
    """The graph of a piece behind each pass, with the name of that; the next one may change it."""
    for name, function in list(PASSES.items()):
        if name not in _left_out:
            graph = _after(function, name, graph, layouts)
            yield name, graph


def _after(function: Pass, name: str, graph: FuncGraph, layouts: Sequence[Layout]) -> FuncGraph:
    """What a pass makes of a graph."""
    given = graph if function in _TRUSTED else copied(graph)
    try:
        found = function(given) or given
    except Exception as error:
        raise GraphError(f"the pass {name!r} has raised {type(error).__name__}: {error}") from error
    if function in _TRUSTED:
        return found
    for each in (given, found):
        if each.manager is not None:
            each.manager.close()
    try:
        verify(found)
        plan(found, dict(zip(found.parameters, layouts)))
    except AnforaError as error:
        raise GraphError(
            f"the pass {name!r} has made what is no graph of a piece: {error.message}", help=error.help
        ) from error
    if len(found.parameters) != len(layouts):
        raise GraphError(f"the pass {name!r} has changed the parameters of a piece")
    before, after = _Memory(graph, layouts), _Memory(found, layouts)
    if [layout.type for layout in after.layouts] != [layout.type for layout in before.layouts]:
        raise GraphError(f"the pass {name!r} has changed the types of what a piece gives")
    after.part(before)
    if not after.is_as(before):
        log.info("pass %s: not in @%s, where it would touch memory that others see", name, graph.name)
        return graph
    return found


class _Memory:
    """Where what a piece gives lies, and who touches memory that is written in place."""

    def __init__(self, graph: FuncGraph, layouts: Sequence[Layout]) -> None:
        self.graph = graph
        of: dict[AnfNode, Layout] = dict(zip(graph.parameters, layouts))
        self.layouts: list[Layout] = [layout_of(node, of) for node in results_of(graph)]  # type: ignore[misc]
        self._look()

    def _look(self) -> None:
        graph = self.graph
        self.calls = planned_calls(graph)
        self.roots = roots_of(graph, self.calls)
        self._position: dict[AnfNode, Any] = {parameter: i for i, parameter in enumerate(graph.parameters)}
        self.results = [self._name(self.roots.get(node, node)) for node in results_of(graph)]

    def _name(self, root: AnfNode) -> Any:
        """What memory is called before and behind a pass alike, if it comes in: a number."""
        return self._position.get(root, root)

    def part(self, before: _Memory) -> None:
        """Give results that had memory of their own it back, by a copy, and all their layouts."""
        results = list(results_of(self.graph))
        owners: dict[Any, Any] = {}
        for i, (now, then) in enumerate(zip(self.results, before.results)):
            shares = owners.setdefault(now, then) is not then or (type(now) is int and now is not then)
            if shares or self.layouts[i] is not before.layouts[i]:
                layout = self.layouts[i]
                results[i] = OperatorCall(self.graph, entry_for(copy, (layout,), ()), (results[i],))
        finish(self.graph, results, effects_of(self.graph))
        self._look()

    def is_as(self, before: _Memory) -> bool:
        """Whether results share memory with what comes in as they did, and memory that is written in place is read and
        written as it was, in the same order."""
        shared = [(root if type(root) is int else None) for root in self.results]
        return (
            shared == [(r if type(r) is int else None) for r in before.results] and self._touches() == before._touches()
        )

    def _touches(self) -> list[tuple]:
        written = written_of(self.graph, self.calls, self.roots)
        found = []
        for call in self.calls if written else ():
            names = [self._name(root) for node in call.operands if (root := self.roots.get(node)) in written]
            if names:
                found.append((call.entry, call.place, [name if type(name) is int else -1 for name in names]))
        return found


def tell(name: str, graph: str, what: str) -> None:
    """Log what a pass, or a decision of lowering, has done to a graph, if that is asked for."""
    if logs("passes"):
        log.log(30, "pass %s: %s in @%s", name, what, graph)
