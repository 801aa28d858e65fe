"""Pieces made runnable: the guards as one Python function, the operators as one native program.

`Runner(piece, origins).run(slots)` gives the values of the origins, or None where a guard does not hold. Nothing has been
done in that case. A piece that a tape follows leaves one node on it (taped.py); where that cannot be, since something that
is followed is written in place, say, its operators are run one by one as in PyNative mode.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

import numpy as np

from anfora.core import memory
from anfora.core.abstract import Layout
from anfora.core.tensor import Tensor, current, leave_to_tape, wrap
from anfora.eager import dispatch, operators
from anfora.eager.entry import tensor_maker
from anfora.eager.tape import Block, Followed, Leaf, Output, keep, second_handle
from anfora.graph.facts.origins import Emitter, Origin
from anfora.graph.ir import FuncGraph
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.ir.planned import planned_calls
from anfora.graph.lower.ahead import Ahead, Column
from anfora.graph.lower.loops import Closed, Loop
from anfora.graph.lower.lower import Door, Segment
from anfora.graph.passes.edges import function_of
from anfora.graph.passes.pipeline import after_each, is_on, optimised, tell
from anfora.graph.run.guards import write_guards
from anfora.graph.run.one_by_one import OneByOne
from anfora.graph.run.taped import Taped, taped
from anfora.graph.state.moments import Piece, drawn

__all__ = ["FAILED", "RESTS", "Runner"]

#: What a piece gives whose guards hold, and that has not been run: since it gains nothing, see `Runner.rest`; since an
#: operator has failed in a `try`.
RESTS, FAILED = object(), object()

_lock = threading.Lock()
_NO_LEAF = (None, None)


class Runner:
    """A piece that can be run.

    Args:
        piece: what was recorded.
        origins: what is wanted at its end: of slots, of what the piece has read, of tensors that it makes.
    """

    def __init__(self, piece: Piece, origins: Sequence[Origin]) -> None:
        self.piece, self.origins = piece, origins
        self.run: Callable[[list[Any]], list[Any] | None] = self._first
        self.lowered_at = -math.inf  #: when `run` was made ready, by `time.perf_counter`
        self._segment: Segment | None = None
        #: By value of the piece that is wanted: its number among the outputs of the segment.
        self.wanted = {value: i for i, value in enumerate(dict.fromkeys(o.key[0] for o in self._made()))}
        self._loop: Closed | None = None
        self._native_loop: Loop | None = None

    @property
    def is_loop(self) -> bool:
        """Whether it leads back to its own start."""
        return self._loop is not None

    @property
    def rounds(self) -> int:
        """How often it has gone round natively."""
        return 0 if self._native_loop is None else self._native_loop.rounds

    @functools.cached_property
    def parts(self) -> list[Taped] | None:
        """What the tape sees of the piece, where that is one node, or one in front of, between and behind nodes that call
        Python."""
        return taped(self.piece, list(self.wanted)) if self.piece.is_taped else None

    @property
    def is_one_by_one(self) -> bool:
        """Whether the operators are run as PyNative mode runs them."""
        return self.piece.is_taped and self.parts is None

    def rest(self) -> None:
        """Until `wake`, say only whether the piece would be run: it is not lowered."""
        self.run = self._first_at_rest

    def wake(self) -> None:
        self.run = self._first

    def _first_at_rest(self, values: list[Any]) -> Any:
        emit = Emitter()
        write_guards(emit, self.piece.guards)
        self.run = emit.function(emit.constant(RESTS))
        return self.run(values)

    def close(self, loop: Closed) -> None:
        """From now on run the piece as a loop: again and again, until its condition changes, or for a while."""
        with _lock:
            self._loop = loop
            if self.run != self._first:
                self.run = self._compile()

    def _made(self) -> list[Origin]:
        """The wanted tensors of the piece's making; a view brings the tensor that it is a view of."""
        made = [origin for origin in self.origins if origin.kind == "made"]
        for origin in list(made):
            while origin.base is not None and origin.base[0].kind == "made":
                origin = origin.base[0]
                made.append(origin)
        return made

    def door(self) -> Door | None:
        """The operators as one native program, if they are no more than that, and write to nothing from outside."""
        with _lock:
            return self._lowered().door()

    def _lowered(self) -> Segment:
        if self._segment is None:
            piece = self.piece
            layouts = [each.layout for each in (*piece.inputs.values(), *piece.numbers.values())]
            outputs = dict.fromkeys(self.wanted)
            for part in self.parts or ():
                outputs.update(dict.fromkeys(value for value in part.kept if value not in piece.inputs))
            self._outputs = {value: i for i, value in enumerate(outputs)}
            self._segment = Segment(optimised(self._function(), layouts), layouts)
        return self._segment

    def _function(self) -> FuncGraph:
        """The operators as a function of what comes in, which gives what is wanted."""
        piece = self.piece
        return function_of(_name_of(piece), piece.calls, [*piece.inputs, *piece.numbers], list(self._outputs))

    def passes(self) -> list[str]:
        """What each pass does to the operators, in words."""
        with _lock:
            layouts = [layout for _, layout in self._lowered().inputs]
            graph = self._function()
            told, count = [], len(planned_calls(graph))
            for name, changed in after_each(graph, layouts):
                before, count = count, len(planned_calls(changed))
                told.append(f"{name}: {before} calls → {count}")
            return told

    def segment(self) -> tuple[Segment, list[AnfNode]]:
        """The piece as native code, and which values of the piece it gives."""
        with _lock:
            return self._lowered(), list(self._outputs)

    @property
    def does_nothing(self) -> bool:
        """Whether the operators need not be run: nothing that they make is wanted, and they have no effect."""
        return not self.wanted and not any(call.acts for call in self.piece.calls)

    def compile(self) -> None:
        """Make what a call runs, if that is not there yet."""
        with _lock:
            if self.run == self._first:
                self.run = self._compile()
                self.lowered_at = time.perf_counter()

    def _first(self, values: list[Any]) -> list[Any] | None:
        self.compile()
        return self.run(values)

    def _compile(self) -> Callable[[list[Any]], list[Any] | None]:
        piece = self.piece
        emit = Emitter()
        write_guards(emit, piece.guards)
        made = self._made()
        for origin in self.origins:
            if origin.kind not in ("made", "built", "result", "kept"):
                emit.name(origin)
        for i, draw in enumerate(piece.draws):
            emit.reserve(draw.seed, f"seed{i}")
            emit.reserve(draw.offset, f"offset{i}")
        inputs = [(each, emit.name(each.origin), each.layout) for each in piece.inputs.values()]
        numbers = [(each, emit.name(each.origin), each.layout, each.op) for each in piece.numbers.values()]
        for origin in made:
            if origin.base is not None and origin.base[0].kind != "made":
                emit.name(origin.base[0])
        cleared = "".join(f"{emit.name(origin)}, " for origin in piece.cleared)
        arrays: dict[AnfNode, str] = {}
        if not self.is_one_by_one:  # what does not fit is an error, which the machine raises where the program stands
            emit.constants["number"] = dispatch.number_array
            for i, (value, name, layout, op) in enumerate(numbers):
                arrays[value] = f"number({name}, {emit.constant(layout.dtype)}, {emit.constant(op)})"
                if piece.numbers[value].origin.kind != "draw":
                    emit.lines.append(f"n{i} = {arrays[value]}")
                    arrays[value] = f"n{i}"
        guards = [f"        {line}" for line in emit.lines] or ["        pass"]
        emit.lines = [f"seed{i}, offset{i} = draw({draw.counters})" for i, draw in enumerate(piece.draws)]
        emit.constants["draw"] = drawn
        if self.is_one_by_one:
            self._emit_one_by_one(emit, inputs, numbers, made)
        else:
            self._emit_native(emit, inputs, numbers, arrays, made)
            if self.parts is not None:
                self._emit_blocks(emit, self.parts, made)
        blocks = "".join(f", block{k}" for k in range(1, len(piece.cuts) + 1))
        if cleared:  # in front of what may fail
            emit.constants["clear"] = _clear
            handler = ["except BaseException:", f"    clear(({cleared}))", "    raise"]
            emit.lines = ["try:", *(f"    {line}" for line in emit.lines), *handler]
        results = ", ".join("None" if o.kind in ("built", "result", "kept") else emit.name(o) for o in self.origins)
        lines = [
            "def run(slots):", "    try:", *guards, "    except Exception:", "        return None",
            *(f"    {line}" for line in emit.lines), f"    return [{results}{blocks}]",
        ]  # fmt: skip
        scope = dict(emit.constants)
        exec(compile("\n".join(lines), __file__, "exec"), scope)
        return scope["run"]

    # -- natively -----------------------------------------------------------------------------------------------------

    def _emit_native(
        self, emit: Emitter, inputs: list, numbers: list, values: dict[AnfNode, str], made: list[Origin]
    ) -> None:
        piece = self.piece
        wanted, loop = self.wanted, self._loop if is_on("native_loops") else None
        if self.does_nothing:
            if loop is not None and not loop.sources:
                self._emit_count(emit, loop)
            return
        segment = self._lowered()
        emit.constants.update(
            segment=segment.run,
            make=tensor_maker(),
            handle=second_handle,
            marked=_marked,
            view=_view,
            standing=_standing,
            leaf=Leaf,
        )
        self._emit_door(emit, inputs)
        arrays = [f"{name}._array" for _, name, _ in inputs] + [values[value] for value, *_ in numbers]
        given = f"({''.join(a + ', ' for a in arrays)})"
        if loop is None or not self._emit_loop(emit, loop, segment, wanted, given):
            emit.lines.append(f"outs = segment({given})")
        shared = {origin.key[0] for origin in piece.handles}
        for part in self.parts or ():
            shared.update(value for value in wanted if part.roots[value] in part.shared)
        sources = dict(pair for cut in piece.cuts for pair in cut.handles)
        for origin in sorted(made, key=functools.partial(_depth, sources=sources)):
            if emit.is_defined(origin):
                continue
            if origin in sources:
                emit.define(origin, f"handle({emit.name(sources[origin])}, None)")
                continue
            emit.define(origin, self._expression(emit, origin, f"outs[{wanted[origin.key[0]]}]", shared))
            if piece.leaves.get(origin.key[0], _NO_LEAF)[1] is origin:
                emit.lines.append(f"{emit.name(origin)}._node = leaf({emit.name(origin)})")

    def _expression(self, emit: Emitter, origin: Origin, array: str, shared: set) -> str:
        """The expression that makes a tensor of what the program has computed."""
        value, layout = origin.key[0], emit.constant(origin.key[1])
        if origin in self.piece.handles and value in self.piece.inputs:
            return f"handle({emit.name(self.piece.inputs[value].origin)}, None)"
        if origin.base is None:
            return f"marked({array}, {layout})" if value in shared else f"make({array}, {layout}, None)"
        base, path = origin.base
        make = "standing" if _is_followed(path) else "view"
        return f"{make}({array}, {layout}, {emit.name(base)}, {emit.constant(path)})"

    def _emit_door(self, emit: Emitter, inputs: list) -> None:
        """Leave to the tape what living nodes hold of the memory that operators write."""
        written = self.piece.written_inputs()
        names = [name for value, name, _ in inputs if value in written]
        if names:
            emit.constants.update(leave=_leave_to_tape)
            emit.lines.append(f"leave(({', '.join(names)},), ({', '.join(name for _, name, _ in inputs)},))")

    def _emit_loop(
        self, emit: Emitter, closed: Closed, segment: Segment, wanted: dict[AnfNode, int], given: str
    ) -> bool:
        """Run the operators as a loop; slots that change hold, from here on, what they held at the start of the last
        iteration. False if the segment cannot be run so."""
        shown = [origin for origin in self.origins if origin.kind == "slot" and origin.key in closed.sources]
        inputs = [each.origin.key if each.origin.kind == "slot" else -1 for each in self.piece.inputs.values()]
        numbers = _numbers_behind(self.origins, closed)
        shown += [origin for origin in numbers if origin.kind == "slot"]
        door = segment.door()
        if door is None:
            return False
        ahead = self._ahead(closed)
        loop = Loop(closed, door, inputs, wanted, [origin.key for origin in shown], ahead)
        if not loop.is_possible:
            return False
        self._native_loop = loop
        tell("native_loops", segment.graph.name, "goes round natively")
        emit.constants["loop"] = loop.run
        same = [f"slots[{slot}] is {emit.name(origin)}" for slot, origin in closed.same]
        if same:  # else they are once the piece has run
            emit.lines += [f"if not ({' and '.join(same)}):", f"    outs, before = segment({given}), None", "else:"]
        emit.lines.append(f"{'    ' if same else ''}outs, before = loop({given}, slots) or (segment({given}), None)")
        if shown:
            names = "".join(f"{emit.name(origin)}, " for origin in shown)
            emit.lines += ["if before is not None:", f"    {names} = before"]
            emit.lines += [f"    {emit.again(origin)}" for origin in numbers if origin.kind == "number"]
        return True

    def _emit_count(self, emit: Emitter, closed: Closed) -> None:
        """Go round a loop of numbers alone."""
        ahead = self._ahead(closed)
        numbers = _numbers_behind(self.origins, closed)
        shown = [origin for origin in numbers if origin.kind == "slot"]
        if ahead is None or not shown:
            return
        emit.constants["count"] = ahead.last
        names = "".join(f"{emit.name(origin)}, " for origin in shown)
        emit.lines.append(f"{names} = count(slots, ({''.join(f'{origin.key}, ' for origin in shown)}))")
        emit.lines += [emit.again(origin) for origin in numbers if origin.kind == "number"]

    def _ahead(self, closed: Closed) -> Ahead | None:
        """The numbers that change in a loop."""
        if not closed.numbers:
            return None
        piece = self.piece
        columns = [
            Column(i, each.origin, each.layout, each.op)
            for i, each in enumerate(piece.numbers.values(), len(piece.inputs))
            if closed.depends(each.origin)
        ]
        emit = Emitter()
        write_guards(emit, closed.guards)
        results = [emit.name(origin) for origin in (*closed.numbers.values(), *(column.origin for column in columns))]
        return Ahead(closed.numbers, closed.guards, columns, emit.function(f"({', '.join(results)},)"))

    def _emit_blocks(self, emit: Emitter, parts: list[Taped], made: list[Origin]) -> None:
        """Leave nodes with what the walk back needs: those behind one that calls Python when that is there, by functions
        that stand behind the results."""
        if self.does_nothing:
            return
        emit.constants.update(Block=Block, Output=Output, keep=keep, keep_view=_keep_view, dead_leaf=_dead_leaf)
        if len(parts) > 1:
            emit.lines.append(f"block = [None] * {len(parts)}")
        for k, part in enumerate(parts):
            lines = self._block(emit, parts, part, made)
            emit.lines += lines if not k else [f"def block{k}():", *(f"    {line}" for line in lines or ["pass"])]

    def _block(self, emit: Emitter, parts: list[Taped], part: Taped, made: list[Origin]) -> list[str]:
        piece = self.piece
        tensors = [origin for origin in made if origin.key[0] in part.index and origin not in piece.handles]
        if not part.index or (len(parts) == 1 and not tensors):
            return []
        parents = []
        for value in part.parents:
            if value in piece.inputs:
                parents.append(f"{emit.name(piece.inputs[value].origin)}._node")
            elif value in piece.leaves:
                origin = piece.leaves[value][1]
                parents.append(f"{emit.name(origin)}._node" if emit.is_defined(origin) else "dead_leaf()")
            else:
                [(j, other)] = [(j, other) for j, other in enumerate(parts) if value in other.index]
                parents.append(f"Output(block[{j}], {other.index[value]})")
        saved = []
        for value in part.kept:
            root = piece.inputs.get(part.roots[value])
            if value in piece.inputs:
                saved.append(f"keep({emit.name(piece.inputs[value].origin)})")
            else:
                array = f"outs[{self._outputs[value]}]"
                saved.append(array if root is None else f"keep_view({array}, {emit.name(root.origin)})")
        numbers = [emit.name(piece.numbers[value].origin) for value in part.numbers]
        groups = ", ".join(f"({''.join(f'{x}, ' for x in group)})" for group in (parents, saved, numbers))
        block = f"block[{parts.index(part)}]" if len(parts) > 1 else "block"
        lines = [f"{block} = Block({emit.constant(part)}, {groups})"]
        lines += [f"{emit.name(o)}._node = Output({block}, {part.index[o.key[0]]})" for o in tensors]
        emit.constants["follow"] = _follow
        return lines + [
            f"follow({emit.name(o)})" for o in tensors if o.base is not None and _is_followed(o.base[1][-1:])
        ]

    # -- one by one ---------------------------------------------------------------------------------------------------

    def _emit_one_by_one(self, emit: Emitter, inputs: list, numbers: list, made: list[Origin]) -> None:
        coming = [value for value, *_ in inputs] + [value for value, *_ in numbers]
        operators = OneByOne(self.piece, coming, self.wanted)
        emit.constants.update(operators=operators.run, handle=second_handle)
        names = [name for _, name, *_ in (*inputs, *numbers)]
        emit.lines.append(f"tensors = operators(({''.join(name + ', ' for name in names)}))")
        for origin in made:
            if not emit.is_defined(origin):
                tensor = f"tensors[{emit.constant(origin.key[0])}]"
                emit.define(origin, f"handle({tensor}, None)" if origin in self.piece.handles else tensor)


def _name_of(piece: Piece) -> str:
    """The function of the program in which a piece starts."""
    codes = (call.place[0] for call in piece.calls)
    return next((code.co_name for code in codes if isinstance(code, CodeType)), "piece")


def _numbers_behind(origins: Sequence[Origin], closed: Closed) -> list[Origin]:
    """The numbers that change and which some origins follow from: each behind those that it follows from itself."""
    found: dict[int, Origin] = {}

    def visit(origin: Any) -> None:
        if not isinstance(origin, Origin) or id(origin) in found:
            return
        if origin.kind == "number" and closed.depends(origin):
            for part in origin.base:
                visit(part)
            found[id(origin)] = origin
        elif origin.kind == "slot" and origin.key in closed.numbers:
            found[id(origin)] = origin

    for origin in origins:
        visit(origin)
    return list(found.values())


def _clear(tensors: tuple[Tensor, ...]) -> None:
    """Forget gradients."""
    for tensor in tensors:
        tensor.grad = None


def _leave_to_tape(written: tuple[Tensor, ...], inputs: tuple[Tensor, ...]) -> None:
    """The door in front of writes to some of the inputs, of which others may be views."""
    has_moved = False
    for tensor in written:
        base = tensor._base
        if (tensor if base is None else base)._mark is memory.SAVED:
            has_moved |= leave_to_tape(tensor)
    if has_moved:
        for tensor in inputs:
            current(tensor)


def _dead_leaf() -> Leaf:
    """The leaf of a tensor that is there no more."""
    return Leaf(Tensor(0.0))


def _marked(array: np.ndarray, layout: Layout) -> Tensor:
    """One of several tensors on the same memory, see `second_handle`."""
    tensor = wrap(array, layout)
    tensor._mark = memory.SAVED
    return tensor


def _keep_view(array: np.ndarray, tensor: Tensor) -> np.ndarray:
    """What the tape keeps of a part of the memory of a tensor."""
    return array if keep(tensor) is tensor._array else memory.twin(array)


def _view(array: np.ndarray, layout: Layout, base: Tensor, path: tuple) -> Tensor:
    """A tensor on a part of the memory of another one."""
    view = wrap(array, layout)
    owner = base if base._base is None else base._base
    view._base, view._epoch, view._path = owner, owner._epoch, (*base._path, *path)
    return view


def _is_followed(path: tuple) -> bool:
    """Whether a view has a history beside that of what it is a view of."""
    return any(op is operators.standing_for for op, _ in path)


def _standing(array: np.ndarray, layout: Layout, base: Tensor, path: tuple) -> Tensor:
    """The same, with such a history."""
    return _view(array, layout, base, Followed.renewed(path))


def _follow(view: Tensor) -> None:
    """The history of such a view is what is followed."""
    view._path[-1][1].node = view._node


def _depth(origin: Origin, sources: dict[Origin, Origin]) -> int:
    """How many other tensors must be there before one."""
    depth = 0
    while origin.base is not None or origin in sources:
        origin = sources[origin] if origin in sources else origin.base[0]
        depth += 1
        if origin.kind != "made":
            break
    return depth
