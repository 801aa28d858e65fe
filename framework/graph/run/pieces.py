"""Pieces made runnable: the guards as one Python function, the rows as one native program.

`Runner(piece, origins).run(slots)` gives the values of the origins, or None where a guard does not hold. Nothing has been
done in that case. A piece that a tape follows leaves one node on it (taped.py); where that cannot be, since something that
is followed is written in place, say, its rows are run one by one as in PyNative mode.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core import memory, slots
from anfora.core.abstract import Layout
from anfora.core.random import default_generator, signed
from anfora.core.tensor import Tensor, current, leave_to_tape, wrap
from anfora.eager import dispatch
from anfora.eager.entry import tensor_maker
from anfora.eager.tape import Block, Leaf, Output, keep, second_handle
from anfora.graph.facts.classes import Facts, has_tag
from anfora.graph.facts.known import is_attribute_of_ours, overrides
from anfora.graph.facts.makers import maker
from anfora.graph.facts.origins import Emitter, Origin
from anfora.graph.facts.values import exact, is_told_by_equality
from anfora.graph.lower.ahead import Ahead, Column
from anfora.graph.lower.loops import Closed, Loop
from anfora.graph.lower.lower import Door, Segment, _placed
from anfora.graph.lower.rows import Number, Row
from anfora.graph.machine.operations import has_own
from anfora.graph.polyfill.special import behind, called_to_set, class_attribute
from anfora.graph.polyfill.surroundings import hooks_on
from anfora.graph.run.taped import Taped, taped
from anfora.graph.state.moments import Piece
from anfora.kernel import glue
from anfora.ops.bound import Bound

__all__ = ["GUARDS", "Runner", "told_apart_at_once"]

_lock = threading.Lock()
_NO_LEAF = (0, None)


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

    @functools.cached_property
    def parts(self) -> list[Taped] | None:
        """What the tape sees of the piece, where that is one node, or one in front of, between and behind nodes that call
        Python."""
        return taped(self.piece, list(self.wanted)) if self.piece.is_taped else None

    @property
    def is_one_by_one(self) -> bool:
        """Whether the rows are run as PyNative mode runs them."""
        return self.piece.is_taped and self.parts is None

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
        """The rows as one native program, if they are no more than that, and write to nothing from outside."""
        with _lock:
            return self._lowered().door()

    def _lowered(self) -> Segment:
        if self._segment is None:
            piece = self.piece
            layouts = [(value, layout) for value, (_, layout) in piece.inputs.items()]
            layouts += [(value, layout) for value, (_, layout, _) in piece.numbers.items()]
            outputs = dict.fromkeys(self.wanted)
            for part in self.parts or ():
                outputs.update(dict.fromkeys(value for value in part.kept if value not in piece.inputs))
            self._outputs = {value: i for i, value in enumerate(outputs)}
            self._segment = Segment(piece.rows, layouts, piece.constants, list(outputs))
        return self._segment

    @property
    def does_nothing(self) -> bool:
        """Whether the rows need not be run: nothing that they make is wanted, and they have no effect."""
        return not self.wanted and not any(_has_effect(row) for row in self.piece.rows)

    def _first(self, values: list[Any]) -> list[Any] | None:
        with _lock:
            if self.run == self._first:
                self.run = self._compile()
                self.lowered_at = time.perf_counter()
        return self.run(values)

    def _compile(self) -> Callable[[list[Any]], list[Any] | None]:
        piece = self.piece
        emit = Emitter()
        for kind, origin, payload in of_classes(list(told_apart_at_once(piece.guards))):
            GUARDS[kind](emit, origin, payload)
        made = self._made()
        for origin in self.origins:
            if origin.kind not in ("made", "built", "result", "kept"):
                emit.name(origin)
        for i, draw in enumerate(piece.draws):
            emit.reserve(draw.seed, f"seed{i}")
            emit.reserve(draw.offset, f"offset{i}")
        inputs = [(value, emit.name(origin), layout) for value, (origin, layout) in piece.inputs.items()]
        numbers = [(v, emit.name(origin), layout, op) for v, (origin, layout, op) in piece.numbers.items()]
        for origin in made:
            if origin.base is not None and origin.base[0].kind != "made":
                emit.name(origin.base[0])
        cleared = "".join(f"{emit.name(origin)}, " for origin in piece.cleared)
        arrays: dict[int, str] = {}
        if not self.is_one_by_one:  # what does not fit is an error, which the machine raises where the program stands
            emit.constants["number"] = _number
            for value, name, layout, op in numbers:
                arrays[value] = f"number({name}, {emit.constant(layout.dtype)}, {emit.constant(op)})"
                if piece.numbers[value][0].kind != "draw":
                    emit.lines.append(f"n{value} = {arrays[value]}")
                    arrays[value] = f"n{value}"
        guards = [f"        {line}" for line in emit.lines] or ["        pass"]
        emit.lines = [f"seed{i}, offset{i} = draw({draw.counters})" for i, draw in enumerate(piece.draws)]
        emit.constants["draw"] = _draw
        if self.is_one_by_one:
            self._emit_rows(emit, inputs, numbers, made)
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
        self, emit: Emitter, inputs: list, numbers: list, values: dict[int, str], made: list[Origin]
    ) -> None:
        piece = self.piece
        wanted = self.wanted
        if self.does_nothing:
            if self._loop is not None and not self._loop.sources:
                self._emit_count(emit, self._loop)
            return
        segment = self._lowered()
        emit.constants.update(
            segment=segment.run,
            make=tensor_maker(),
            handle=second_handle,
            marked=_marked,
            view=_view,
            leaf=Leaf,
        )
        self._emit_door(emit, inputs)
        arrays = [f"{name}._array" for _, name, _ in inputs] + [values[value] for value, *_ in numbers]
        given = f"({''.join(a + ', ' for a in arrays)})"
        if self._loop is None or not self._emit_loop(emit, self._loop, segment, wanted, given):
            emit.lines.append(f"outs = segment({given})")
        shared = {origin.key[0] for origin in piece.handles}
        for part in self.parts or ():
            shared.update(value for value in wanted if part.roots[value] in part.shared)
        sources = dict(pair for cut in piece.cuts for pair in cut.handles)
        for origin in sorted(made, key=functools.partial(_depth, sources=sources)):
            if not emit.is_defined(origin):
                if origin in sources:
                    emit.define(origin, f"handle({emit.name(sources[origin])}, None)")
                    continue
                array = f"outs[{wanted[origin.key[0]]}]"
                layout = emit.constant(origin.key[1])
                if origin in piece.handles and origin.key[0] in piece.inputs:
                    emit.define(origin, f"handle({emit.name(piece.inputs[origin.key[0]][0])}, None)")
                elif origin.base is None and origin.key[0] in shared:
                    emit.define(origin, f"marked({array}, {layout})")
                elif origin.base is None:
                    emit.define(origin, f"make({array}, {layout}, None)")
                else:
                    base, path = origin.base
                    emit.define(origin, f"view({array}, {layout}, {emit.name(base)}, {emit.constant(path)})")
                if piece.leaves.get(origin.key[0], _NO_LEAF)[1] is origin:
                    emit.lines.append(f"{emit.name(origin)}._node = leaf({emit.name(origin)})")

    def _emit_door(self, emit: Emitter, inputs: list) -> None:
        """Leave to the tape what living nodes hold of the memory that rows write."""
        written = self.piece.written_inputs()
        names = [name for value, name, _ in inputs if value in written]
        if names:
            emit.constants.update(leave=_leave_to_tape)
            emit.lines.append(f"leave(({', '.join(names)},), ({', '.join(name for _, name, _ in inputs)},))")

    def _emit_loop(self, emit: Emitter, closed: Closed, segment: Segment, wanted: dict[int, int], given: str) -> bool:
        """Run the rows as a loop; slots that change hold, from here on, what they held at the start of the last
        iteration. False if the segment cannot be run so."""
        shown = [origin for origin in self.origins if origin.kind == "slot" and origin.key in closed.sources]
        inputs = [origin.key if origin.kind == "slot" else -1 for origin, _ in self.piece.inputs.values()]
        numbers = _numbers_behind(self.origins, closed)
        shown += [origin for origin in numbers if origin.kind == "slot"]
        door = segment.door()
        if door is None:
            return False
        ahead = self._ahead(closed)
        loop = Loop(closed, door, inputs, wanted, [origin.key for origin in shown], ahead)
        if not loop.is_possible:
            return False
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
            Column(i, origin, layout, op)
            for i, (origin, layout, op) in enumerate(piece.numbers.values(), len(piece.inputs))
            if closed.depends(origin)
        ]
        emit = Emitter()
        for kind, origin, payload in closed.guards:
            GUARDS[kind](emit, origin, payload)
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
                parents.append(f"{emit.name(piece.inputs[value][0])}._node")
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
                saved.append(f"keep({emit.name(piece.inputs[value][0])})")
            else:
                array = f"outs[{self._outputs[value]}]"
                saved.append(array if root is None else f"keep_view({array}, {emit.name(root[0])})")
        numbers = [emit.name(piece.numbers[value][0]) for value in part.numbers]
        groups = ", ".join(f"({''.join(f'{x}, ' for x in group)})" for group in (parents, saved, numbers))
        block = f"block[{parts.index(part)}]" if len(parts) > 1 else "block"
        lines = [f"{block} = Block({emit.constant(part)}, {groups})"]
        return lines + [f"{emit.name(o)}._node = Output({block}, {part.index[o.key[0]]})" for o in tensors]

    # -- one by one ---------------------------------------------------------------------------------------------------

    def _emit_rows(self, emit: Emitter, inputs: list, numbers: list, made: list[Origin]) -> None:
        coming = [value for value, *_ in inputs] + [value for value, *_ in numbers]
        rows = _Rows(self.piece, coming, self.piece.idle(self.wanted))
        emit.constants.update(rows=rows.run, handle=second_handle)
        names = [name for _, name, *_ in (*inputs, *numbers)]
        emit.lines.append(f"tensors = rows(({''.join(name + ', ' for name in names)}))")
        for origin in made:
            if not emit.is_defined(origin):
                tensor = f"tensors[{origin.key[0]}]"
                emit.define(origin, f"handle({tensor}, None)" if origin in self.piece.handles else tensor)


class _Rows:
    """Rows that are run one by one on tensors, so that the tape sees each."""

    def __init__(self, piece: Piece, coming: list[int], idle: set[int]) -> None:
        self.piece, self.coming, self.idle = piece, coming, idle

    def run(self, given: tuple) -> list[Any]:
        values: list[Any] = [None] * self.piece.values
        for value, tensor in zip(self.coming, given):
            values[value] = tensor
        for value, array in self.piece.constants.items():
            values[value] = _fresh(array, self.piece.layouts[value])
        watcher = slots.watcher
        before = watcher.place
        start = on = glue.is_recording()
        piece = self.piece
        leaves: dict[int, list[int]] = {}
        for value, (index, _) in piece.leaves.items():
            leaves.setdefault(index, []).append(value)
        used = []
        try:
            for index, (row, switch) in enumerate(zip(piece.rows, piece.switches)):
                for value in leaves.get(index, ()):
                    values[value].requires_grad = True
                if index in self.idle:
                    continue
                switch = switch and not row.is_inner
                if switch is not on:
                    glue.set_recording(on := switch)
                flat = [values[x] if type(x) is int else x.value if type(x) is Number else None for x in row.inputs]
                watcher.place = row.place
                result = _run_row(row, flat)
                if index in piece.used:
                    used.append((result[0] if row.entry.is_tuple else result)._node)
                if row.outputs:
                    if row.entry.is_tuple:
                        for value, tensor in zip(row.outputs, result):
                            values[value] = tensor
                    else:
                        values[row.outputs[0]] = result
        finally:
            watcher.place = before
            if on is not start:
                glue.set_recording(start)
        for value in leaves.get(len(piece.rows), ()):
            values[value].requires_grad = True
        for slot in used:
            (slot.node if type(slot) is Output else slot).saved = None
        return values


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


def _run_row(row: Row, flat: list) -> Any:
    for x in flat:
        if isinstance(x, Tensor):
            current(x)
    try:
        return dispatch.run_now(row.entry, flat)
    except Exception as error:
        raise _placed(error, -1, row) from error.__cause__


def _fresh(array: np.ndarray, layout: Layout) -> Tensor:
    return wrap(array.copy(), layout)


def _number(value: Any, dtype: Any, op: Any) -> np.ndarray:
    return dispatch.number_array(value, dtype, op)


def _draw(counters: int) -> tuple[int, int]:
    seed, offset = default_generator.draw(counters)
    return signed(seed), signed(offset)


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


def _depth(origin: Origin, sources: dict[Origin, Origin]) -> int:
    """How many other tensors must be there before one."""
    depth = 0
    while origin.base is not None or origin in sources:
        origin = sources[origin] if origin in sources else origin.base[0]
        depth += 1
        if origin.kind != "made":
            break
    return depth


def _has_effect(row: Row) -> bool:
    return row.entry.op.writes is not None or row.entry.may_fail


# -- guards: each adds lines that return None where it does not hold --------------------------------------------------


def told_apart_at_once(guards: list[tuple]) -> Iterator[tuple]:
    """The guards, but objects all of which are told apart from each other by one: where a loop reads and writes n objects
    there are n² / 2 pairs of them."""
    pairs = [{origin, other} for kind, origin, other in guards if kind == "not same"]
    if len(pairs) < _MOST_PAIRS:
        yield from guards
        return
    others: dict[Origin, set[Origin]] = {}
    for origin, other in pairs:
        others.setdefault(origin, set()).add(other)
        others.setdefault(other, set()).add(origin)
    groups: list[list[Origin]] = []
    group_of: dict[Origin, int] = {}
    for origin, different in others.items():
        fitting = (k for k, group in enumerate(groups) if all(other in different for other in group))
        group_of[origin] = k = next(fitting, len(groups))
        groups[k : k + 1] = [[*groups[k], origin] if k < len(groups) else [origin]]
    for kind, origin, payload in guards:
        if kind != "not same" or group_of[origin] != group_of[payload]:
            yield kind, origin, payload
    for group in groups:
        if len(group) > 1:
            yield "distinct", group[0], tuple(group)


def of_classes(guards: list[tuple]) -> Iterator[tuple]:
    """The guards, but what is asked of one class is asked at once, where that takes fewer looks."""
    found = [_question_to_class(*guard) for guard in guards]
    questions: dict[type, list[tuple]] = {}
    for question in found:
        if question is not None:
            questions.setdefault(question[0], []).append(question[1])
    for guard, question in zip(guards, found):
        if question is None or (len(questions[question[0]]) == 1 and question[1][0] is getattr):
            yield guard
        elif questions[question[0]][0] is question[1]:
            yield "class", guard[1], Facts(question[0], questions[question[0]])


def _question_to_class(kind: str, origin: Origin, answer: Any) -> tuple[type, tuple] | None:
    """The class that a guard asks, with function, arguments and answer; None if it asks something else, or more."""
    if kind != "is":
        return None
    if origin.kind == "attr":
        function, base, more = getattr, origin.base, (origin.key,)
    elif origin.kind == "number" and any(origin.key is each for each in _OF_CLASSES):
        function, (base, *more) = origin.key, origin.base
    else:
        return None
    if base.kind != "known" or not has_tag(base.key) or any(isinstance(part, Origin) for part in more):
        return None
    return base.key, (function, (base.key, *more), answer)


def _guard_class(emit: Emitter, _: Origin, facts: Facts) -> None:
    held, tag = emit.constant(facts), emit.constant(facts.tag)
    emit.lines.append(f"if {tag}.value != {held}.seen and not {held}.hold(): return None")


def _guard_type(emit: Emitter, origin: Origin, kind: type) -> None:
    emit.lines.append(f"if {emit.name(origin)}.__class__ is not {emit.constant(kind)}: return None")


def _guard_is(emit: Emitter, origin: Origin, value: Any) -> None:
    text = repr(value) if value is None or type(value) is bool else emit.constant(value)
    emit.lines.append(f"if {emit.name(origin)} is not {text}: return None")


def _guard_operator(emit: Emitter, origin: Origin, value: Bound) -> None:
    name = emit.name(origin)
    own, same = emit.constant(value), emit.constant(_is_same_operator)
    emit.lines.append(f"if {name} is not {own} and not {same}({name}, {own}): return None")


def _is_same_operator(one: Any, other: Bound) -> bool:
    """Whether two are one operator with the same attributes."""
    return one.__class__ is Bound and one.op is other.op and repr(one.attributes) == repr(other.attributes)


def _guard_equal(emit: Emitter, origin: Origin, value: Any) -> None:
    if value is None or type(value) is bool:
        _guard_is(emit, origin, value)
        return
    if type(value) in (float, complex) and value != value:  # a nan: equal to itself alone
        _guard_is(emit, origin, value)
        return
    _guard_type(emit, origin, type(value))
    _guard_value(emit, emit.name(origin), value)


def _guard_value(emit: Emitter, name: str, value: Any) -> None:
    """A variable holds what cannot be told from a value, of whose type it is."""
    if is_told_by_equality(value):
        text = repr(value) if type(value) in (int, str) else emit.constant(value)
        emit.lines.append(f"if {name} != {text}: return None")
    else:
        emit.lines.append(f"if {emit.constant(exact)}({name}) != {emit.constant(exact(value))}: return None")


def _guard_same(emit: Emitter, origin: Origin, other: Origin) -> None:
    emit.lines.append(f"if {emit.name(origin)} is not {emit.name(other)}: return None")


def _guard_not_same(emit: Emitter, origin: Origin, other: Origin) -> None:
    emit.lines.append(f"if {emit.name(origin)} is {emit.name(other)}: return None")


def _guard_layout(emit: Emitter, origin: Origin, layout: Layout) -> None:
    name = emit.name(origin)
    emit.lines.append(f"if {name}._base is not None: current({name})")
    emit.lines.append(f"if {name}._layout is not {emit.constant(layout)}: return None")


def _guard_history(emit: Emitter, origin: Origin, has: bool) -> None:
    emit.lines.append(f"if {emit.name(origin)}._node is {'None' if has else 'not None'}: return None")


def _guard_leaf(emit: Emitter, origin: Origin, has: bool) -> None:
    is_other = f"__class__ is not {emit.constant(Leaf)}" if has else " is not None"
    emit.lines.append(f"if {emit.name(origin)}._node{'.' if has else ''}{is_other}: return None")


def _guard_no_leaf(emit: Emitter, origin: Origin, _: None) -> None:
    emit.lines.append(f"if {emit.name(origin)}.is_leaf: return None")


def _guard_distinct(emit: Emitter, _: Origin, origins: tuple[Origin, ...]) -> None:
    names = ", ".join(map(emit.name, origins))
    emit.lines.append(f"if len({emit.constant(_identities)}(({names}))) != {len(origins)}: return None")


def _identities(objects: tuple) -> set[int]:
    return set(map(id, objects))


def _guard_no_hooks(emit: Emitter, origin: Origin, _: None) -> None:
    name = emit.name(origin)
    emit.constants["Output"] = Output
    history = f"{name}._node.__class__ is Output or {name}._node.hooks"
    tables = f"{name}.__dict__.get('_hooks') if {name}._node is None else {history}"
    emit.lines.append(f"if ({tables}) and {emit.constant(hooks_on)}({name}): return None")


def _guard_length(emit: Emitter, origin: Origin, length: int) -> None:
    emit.lines.append(f"if len({emit.name(origin)}) != {length}: return None")


def _guard_keys(emit: Emitter, origin: Origin, keys: tuple) -> None:
    emit.constants.setdefault("tuple", tuple)
    _guard_value(emit, f"tuple({emit.name(origin)})", keys)


def _guard_no_key(emit: Emitter, origin: Origin, key: str) -> None:
    emit.lines.append(f"if {key!r} in {emit.name(origin)}: return None")


def _guard_method(emit: Emitter, origin: Origin, found: Any) -> None:
    name = emit.name(origin)
    function = getattr(found, "__func__", None)
    if function is None:
        emit.lines.append(f"if {name} is not {emit.constant(found)}: return None")
    else:
        emit.lines.append(f"if {name}.__func__ is not {emit.constant(function)}: return None")


#: Questions of which the answers follow from what stands in a class and its bases.
_OF_CLASSES = (hasattr, class_attribute, behind, has_own, overrides, is_attribute_of_ours, maker, called_to_set)
_MOST_PAIRS = 6  #: of objects, each with a guard of its own
GUARDS: dict[str, Callable[[Emitter, Origin, Any], None]] = {
    "type": _guard_type, "is": _guard_is, "equal": _guard_equal, "same": _guard_same, "not same": _guard_not_same,
    "layout": _guard_layout, "history": _guard_history, "length": _guard_length, "keys": _guard_keys,
    "no key": _guard_no_key, "method": _guard_method, "number": _guard_type, "no hooks": _guard_no_hooks,
    "operator": _guard_operator, "class": _guard_class, "leaf": _guard_leaf, "no leaf": _guard_no_leaf,
    "distinct": _guard_distinct,
}  # fmt: skip
