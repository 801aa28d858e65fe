"""From operators to native code: a segment is one program that one call runs from end to end.

Operators are done in order, with the bits, effects and errors of PyNative mode. What PyNative mode does at each call is
done here once: views become places in the memory of what they view, intermediates get their part of an arena, and the steps
of all operators are joined into one program of the executor. Machine code belongs to element types, not to shapes: lowering
the operators for another shape compiles nothing.

An operator that runs in Python divides the program into stages. Operators run one by one, as PyNative mode runs them, where
the joined program would be wrong: inputs that share memory, of which one is written, or an operator that PyNative mode
refuses.
"""

from __future__ import annotations

import ast
import functools
import gc
import sys
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from anfora.core import memory
from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import as_dtype
from anfora.core.errors import AnforaError, OpValueError
from anfora.core.span import Span, cell_path
from anfora.core.tensor import Tensor, as_numpy, convert, view_array, wrap
from anfora.eager import dispatch, tape
from anfora.eager.entry import Entry, freeze
from anfora.graph.ir.nodes import AnfNode, Graph, ValueNode, known_value
from anfora.graph.ir.planned import OperatorCall, is_scalar, operands_from, planned_calls, results_of
from anfora.graph.lower.arena import Kind, Place, Root, Task, arrange, extent
from anfora.graph.lower.blocks import LEAST, blocks
from anfora.graph.lower.fusion import can_be_scalar, can_fail, fuse
from anfora.graph.passes.pipeline import is_on, tell
from anfora.graph.source.tracebacks import code_behind
from anfora.kernel import glue
from anfora.kernel.build import compile_ahead, is_asking, is_cold
from anfora.kernel.executor import LINE, TAG, Part, Program
from anfora.kernel.loops import plan_copy
from anfora.kernel.overlap import plan_overlap
from anfora.kernel.plan import Buffer, Plan, Planner

__all__ = ["Door", "Lowering", "Segment", "buffer_of", "placed", "plan_of_copy"]


class Segment:
    """Operators as one native program. Immutable: any number of threads may run it at once.

    Args:
        graph: of a piece: calls of operators, and its results, of which views share memory as in PyNative mode. An operator
            that runs in Python must get numbers that are known: it computes with the Python number itself. Tensors that are
            known stay as they are: who writes to one, or gets one back, has a copy.
        layouts: of its parameters; a Python number that varies is a 0-d array of the layout of the operand.
    """

    def __init__(self, graph: Graph, layouts: Sequence[Layout]) -> None:
        self.graph = graph
        self.calls = tuple(planned_calls(graph))
        self.inputs = tuple(zip(graph.parameters, layouts))
        self.outputs = results_of(graph)
        # All that is made lives on: to walk over it again and again takes longer than to make it.
        collects_later = len(self.calls) > _SHORT and gc.isenabled()
        if collects_later:
            gc.disable()
        try:
            self._lower()
        finally:
            if collects_later:
                gc.enable()
        #: Run the operators on the inputs (arrays of exactly their layouts, in their order); gives the outputs. An error is
        #: the one that PyNative mode raises, with the index of the operator that failed as its attribute `index`.
        self.run: Callable[[Sequence[np.ndarray]], list[np.ndarray]] = self._short_run() or self._run

    def _lower(self) -> None:
        lowering = Lowering(self.inputs, self.calls, self.outputs)
        self._is_fused = is_on("fuse_loops")
        tasks = self._fused(lowering.tasks) if self._is_fused else lowering.tasks
        self._singles = lowering.tasks if can_be_scalar(lowering.tasks) else None
        arena, workspaces = arrange(tasks, self.graph.name)  # the roots of the arena know their places now
        self._is_refused = lowering.is_refused
        self._kept = lowering.kept  #: arrays whose addresses are in the programs
        self._constant_layouts = lowering.constant_layouts
        self._operands = lowering.operands
        self._written = [i for i, root in enumerate(lowering.given) if root.is_written]
        self._fresh, coming, self._arena = lowering.number(arena)
        self._coming = (None,) * coming
        self._made = lowering.fresh_roots()
        #: How many bytes of the arena are taken from those that are kept, in each call: it is the last of the fresh arrays.
        self._borrowed = arena + LINE if arena >= LEAST else 0
        if self._borrowed:
            blocks.expect(self, self._borrowed)
        self._stages = self._join(tasks, workspaces, _check_of_overlap(lowering.given))
        self._handed = [_handed(lowering.values[value]) for value in self.outputs]
        self.arena = arena  #: bytes for what lies between the operators

    @property
    def loops(self) -> list[tuple[OperatorCall, ...]]:
        """What each kernel and loop computes, in their order; nothing where it copies a constant."""
        of = [[(0, stage.calls)] if isinstance(stage, Task) else stage.computes for stage in self._stages]
        return [tuple(dict.fromkeys(calls)) for computes in of for _, calls in computes if calls is not None]

    def places(self) -> dict[AnfNode, Place]:
        """Where each value lies: found once more, since no run asks for it."""
        lowering = Lowering(self.inputs, self.calls, self.outputs)
        arrange(fuse(lowering.tasks) if self._is_fused else lowering.tasks)
        return lowering.values

    def _fused(self, tasks: list[Task]) -> list[Task]:
        if is_cold():
            compile_ahead(lambda: fuse(tasks))
        fused = fuse(tasks)
        tell("fuse_loops", self.graph.name, f"{len(tasks):,} loops → {len(fused):,}")
        return fused

    def door(self) -> Door | None:
        """What a native loop around the program needs; None where there is more to a run than one native program."""
        if len(self._stages) != 1 or self._coming or self._is_refused or self._written:
            return None
        program = self._stages[0]
        assert isinstance(program, Program)
        count = len(self.inputs)
        may_fail = any(can_fail(task) for task in self._singles or ())
        return Door(
            program, count, self._fresh, self._handed, self._failure, self._singles, may_fail, self._made, self._kept
        )

    def _join(self, tasks: list[Task], workspaces: list[list[int]], check: Plan | None) -> list[Program | Task]:
        """The stages: native programs, and operators that run in Python."""
        count = len(self.inputs) + len(self._fresh) + len(self._coming)
        arena = self._arena
        number: dict[OperatorCall | None, int] = {call: i for i, call in enumerate(self.calls)}
        stages: list[Program | Task] = []
        parts: list[Part] = []
        if check is not None:
            parts.append(Part(check, [(i, 0) for i in range(len(self.inputs))], len(self.calls)))

        def finish() -> None:
            if parts:
                stages.append(Program.joined(parts, count, arena))
                parts.clear()

        for task, spaces in zip(tasks, workspaces):
            if task.plan is None:
                finish()
                stages.append(task)
                continue
            places = [buffer_of(place, arena) for place in (*task.inputs, *task.outputs)]
            places += [(arena, offset) for offset in spaces]
            parts.append(Part(task.plan, places, number.get(task.call, 0), task.calls))
        finish()
        return stages

    # -- running ------------------------------------------------------------------------------------------------------

    def _run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        if self._is_refused or not all(arrays[i].flags.writeable for i in self._written):
            return self._run_one_by_one(arrays)
        own = self._fresh[:-1] if self._borrowed else self._fresh
        buffers: list[Any] = [*arrays, *[np.empty(shape, dtype) for shape, dtype in own]]
        if self._borrowed:
            buffers.append(blocks.take(self._borrowed))
        buffers += self._coming
        for stage in self._stages:
            if isinstance(stage, Task):
                self._run_python(stage, buffers)
                continue
            code = glue.launch(stage, *buffers)
            if code >> TAG == len(self.calls) and code:  # an input that is written shares memory with another
                return self._run_one_by_one(arrays)
            if code:
                raise self._failure(code, buffers)
        if self._borrowed:  # where something was raised, whoever sees that may look at what lies in it
            blocks.put_back(buffers[self._arena])
        return [buffers[i] if layout is None else view_array(buffers[i], layout, at) for i, layout, at in self._handed]

    def _short_run(self) -> Callable | None:
        """The same for a single program that writes no input and gives new arrays, without a look at what is known."""
        first, count = len(self.inputs), len(self.outputs)
        is_plain = self._handed == [(first + i, None, 0) for i in range(count)] and not self._coming
        if not is_plain or len(self._stages) != 1 or self._is_refused or self._written:
            return None
        given = first if first <= _MOST_NAMED else None
        factory = _short_run_factory(given, len(self._fresh), count, bool(self._borrowed))
        return factory(np.empty, glue.launcher(), self._stages[0], self._raise, blocks, *self._fresh)

    def _raise(self, code: int, *buffers: np.ndarray) -> None:
        raise self._failure(code, list(buffers))

    def _run_python(self, task: Task, buffers: list) -> None:
        """Run an operator in Python; its results become arguments of the stages that follow."""
        call = task.call
        assert call is not None
        entry = call.entry
        rule = entry.op.python_rule
        assert rule is not None
        values = [None if x is None else np.asarray(x) for x in self._values(call, buffers)]
        try:
            with np.errstate(all="ignore"):
                results = rule(*(values[group] for group in entry.groups), **entry.attributes)
        except Exception as error:
            raise placed(error, self.calls.index(call), call) from error.__cause__
        for place, layout, result in zip(task.outputs, entry.outputs, results if entry.is_tuple else (results,)):
            result = np.asarray(result)
            buffers[place.root.number] = convert(result, as_dtype(result.dtype), layout.dtype)

    def _failure(self, code: int, buffers: list) -> Exception:
        """The error behind the failure of an operator."""
        index, position = code >> TAG, (code & (1 << TAG) - 1) - 1
        call = self.calls[index]
        rule = call.entry.op.fault_rule
        assert rule is not None, f"{call.entry.op.name} failed at {position}, and has no fault rule"
        values = self._values(call, buffers)
        error = rule(position, *(values[group] for group in call.entry.groups), **call.entry.attributes)
        return placed(error, index, call)

    def _values(self, call: OperatorCall, buffers: list) -> list:
        """The operands of an operator as numpy shows them."""
        values: list[Any] = []
        for operand, place in zip(call.operands, self._operands[call]):
            if place is None or is_scalar(operand):
                values.append(known_value(operand))
                continue
            array = self._array(place, buffers)
            values.append(as_numpy(array, place.layout.dtype))
        return values

    def _array(self, place: Place, buffers: list) -> np.ndarray:
        """What lies at a place."""
        root, offset, layout = place
        if root.kind is Kind.CONSTANT:
            return view_array(self._kept[root.number], layout, offset)
        offset += root.origin
        if root.kind is not Kind.ARENA:
            return view_array(buffers[root.number], layout, offset)
        if self._arena < 0:  # all that would lie there is empty
            return np.empty(layout.shape, layout.dtype.storage)
        arena = buffers[self._arena]
        start = -arena.__array_interface__["data"][0] % LINE + root.at
        return np.ndarray(layout.shape, layout.dtype.storage, arena, start + offset, layout.strides)

    def _run_one_by_one(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The same, an operator at a time in PyNative mode: slow, and right for memory that is shared in any way."""
        tensors: dict[AnfNode, Any] = {
            value: wrap(array, layout) for (value, layout), array in zip(self.inputs, arrays)
        }
        for value, layout in self._constant_layouts.items():
            tensors[value] = wrap(memory.twin(value.value._array), layout)
        with tape.recording(False):
            for index, call in enumerate(self.calls):
                flat = operands_from(tensors, call.operands)
                try:
                    result = dispatch.run(call.entry, flat)
                except Exception as error:
                    raise placed(error, index, call) from error.__cause__
                if call.entry.op.writes is None:
                    tensors.update(zip(call.results, result if call.entry.is_tuple else (result,)))
        return [tensors[value]._array for value in self.outputs]


class Door(NamedTuple):
    """A segment that is one native program, seen by a loop around it (loops.py)."""

    program: Program
    inputs: int  #: arguments of the program: inputs, then fresh arrays
    fresh: Sequence[tuple[tuple[int, ...], np.dtype]]  #: shapes and types of those; the arena may be the last
    handed: Sequence[tuple[int, Layout | None, int]]  #: for each output: argument, layout and offset of a view
    failure: Callable[[int, list], Exception]  #: from a failure code and the arguments, the error of an operator
    singles: list[Task] | None  #: the tasks, unfused, where all work on single elements
    may_fail: bool  #: whether one of those may
    made: dict[int, Root]  #: the memory of the fresh arrays that are outputs
    kept: list[np.ndarray]  #: the constants


@functools.cache
def _short_run_factory(given: int | None, fresh: int, count: int, borrows: bool) -> Callable:
    """A function that makes the shortest `run` of a program that gets and needs so many arrays, some of them outputs; the
    last may be borrowed."""
    names = ["*arrays"] if given is None else [f"x{i}" for i in range(given)]
    made = [f"a{i}" for i in range(fresh)]
    shapes = "".join(f", s{i}" for i in range(fresh))
    lines = [
        f"def factory(empty, launch, program, fail, blocks{shapes}):",
        *(f"    shape{i}, dtype{i} = s{i}" for i in range(fresh)),
        "    address = program.address",
        "    def run(arrays):",
        *([f"        {', '.join(names)}, = arrays"] if given else []),
        *(f"        a{i} = empty(shape{i}, dtype{i})" for i in range(fresh - borrows)),
        *([f"        a{fresh - 1} = blocks.take(shape{fresh - 1}[0])"] if borrows else []),
        f"        code = launch(address, {', '.join([*names, *made])})",
        f"        if code: fail(code, {', '.join([*names, *made])})",
        *([f"        blocks.put_back(a{fresh - 1})"] if borrows else []),
        f"        return [{', '.join(made[:count])}]",
        "    return run",
    ]
    scope: dict[str, Any] = {}
    exec(compile("\n".join(lines), __file__, "exec"), scope)  # frames of this package are no place of the user's
    return scope["factory"]


class Lowering:
    """The walk over the operators: in which memory each value lies, and the tasks that remain to be done.

    Args:
        inputs: what comes in, and its layouts.
        calls: of operators, in their order.
        outputs: what is wanted of them.
    """

    def __init__(
        self, inputs: Sequence[tuple[AnfNode, Layout]], calls: Sequence[OperatorCall], outputs: Sequence[AnfNode]
    ) -> None:
        self.is_refused = False  #: PyNative mode refuses an operator, whatever the data
        self.kept: list[np.ndarray] = []
        self.constant_layouts: dict[ValueNode, Layout] = {}
        self.tasks: list[Task] = []
        self.operands: dict[OperatorCall, list[Place | None]] = {}  #: of operators that may fail
        self.given = [Root(Kind.INPUT, layout, 0) for _, layout in inputs]
        self.values: dict[AnfNode, Place] = {
            value: Place(root, 0, layout) for (value, layout), root in zip(inputs, self.given)
        }
        self._numbers: dict[Any, Root] = {}
        self._made: list[Root] = []  #: of constants
        for call in calls:
            self._lower(call)
        returned = [self._value(value, None).root for value in outputs]
        self._settle(returned)

    def _value(self, value: AnfNode, layout: Layout | None) -> Place:
        """The place of a value; a constant is met as an operand of this layout, or not as an operand at all."""
        place = self.values.get(value)
        if place is None:
            assert isinstance(value, ValueNode), f"{value!r} is not there"
            array = value.value._array
            if layout is None:
                layout = Layout(TensorType(as_dtype(array.dtype), array.shape), array.strides)
            assert layout.shape == array.shape and layout.dtype.storage == array.dtype
            assert Layout(layout.type, array.strides) is layout, f"a constant lies otherwise than {layout!r}"
            self.constant_layouts[value] = layout
            place = self.values[value] = Place(self._constant(array, layout), 0, layout)
        return place

    def _constant(self, array: np.ndarray, layout: Layout) -> Root:
        root = Root(Kind.CONSTANT, layout, 0, array.__array_interface__["data"][0])
        root.number = len(self.kept)
        self.kept.append(array)
        self._made.append(root)
        return root

    def _operand(self, entry: Entry, i: int, operand: AnfNode) -> Place | None:
        layout = entry.inputs[i]
        if not is_scalar(operand):
            assert layout is not None
            return self._value(operand, layout)
        assert isinstance(operand, ValueNode)
        number = operand.value
        if number is None:
            return None
        assert layout is not None
        key = (layout.dtype, freeze(number))
        root = self._numbers.get(key)
        if root is None:
            try:
                array = dispatch.number_array(number, layout.dtype, entry.op)
            except OpValueError:
                self.is_refused = True
                array = np.zeros((), layout.dtype.storage)
            root = self._numbers[key] = self._constant(array, layout)
        return Place(root, 0, layout)

    def _lower(self, call: OperatorCall) -> None:
        entry = call.entry
        inputs = [self._operand(entry, i, operand) for i, operand in enumerate(call.operands)]
        if entry.view is not None:
            layout, offset = entry.view
            source = inputs[0]
            assert source is not None
            self.values[call] = Place(source.root, source.offset + offset, layout)
            return
        if entry.may_fail:
            self.operands[call] = list(inputs)
        if entry.op.writes is not None:
            self._write(call, inputs)
            return
        kind = Kind.ARENA if entry.program is not None else Kind.PYTHON
        outputs = []
        for value, layout in zip(call.results, entry.outputs):
            place = Place(Root(kind, layout, layout.size * layout.dtype.itemsize), 0, layout)
            self.values[value] = place
            outputs.append(place)
        self.tasks.append(Task(None if entry.program is None else entry.program.plan, inputs, outputs, call))

    def _write(self, call: OperatorCall, inputs: list[Place | None]) -> None:
        """An operator that writes in place: what overlaps its targets is read before."""
        targets = [place for i in call.entry.written if (place := inputs[i]) is not None]
        written: dict[Root, list[Place]] = {}
        for target in targets:
            layout = target.layout
            if any(step == 0 and length > 1 for step, length in zip(layout.strides, layout.shape)):
                self.is_refused = True
            target.root.is_written = True
            written.setdefault(target.root, []).append(target)
        for i, place in enumerate(inputs):
            if place is None or i in call.entry.written:
                continue
            if any(_overlap(place, target) for target in written.get(place.root, ())):
                inputs[i] = self._copy(place, call)
        assert call.entry.program is not None
        self.tasks.append(Task(call.entry.program.plan, inputs, targets, call))

    def _copy(self, place: Place, call: OperatorCall) -> Place:
        """The task of copying a value, its elements at the same distances."""
        copy = Place(_room_for(Kind.ARENA, place.layout), 0, place.layout)
        self.tasks.append(Task(plan_of_copy(place.layout, place.layout), [place], [copy], call))
        return copy

    def _settle(self, returned: Sequence[Root]) -> None:
        """What is returned gets an array of its own; constants that are written or returned are copied first."""
        copies = []
        wanted = set(returned)
        for root in self._made:
            if root.is_written or root in wanted:
                layout = root.layout
                assert layout is not None
                source = Root(Kind.CONSTANT, layout, 0, root.at)
                room = _room_for(Kind.ARENA, layout)
                root.kind, root.layout, root.nbytes, root.at, root.origin = (
                    room.kind, room.layout, room.nbytes, 0, room.origin,
                )  # fmt: skip
                source.number, root.number = root.number, -1
                places = (Place(source, 0, layout), Place(root, 0, layout))
                copies.append(Task(plan_of_copy(layout, layout), places[:1], places[1:], None))
        self.tasks[:0] = copies
        for root in returned:
            if root.kind is Kind.ARENA:
                root.kind = Kind.FRESH
        self._returned = returned

    def fresh_roots(self) -> dict[int, Root]:
        """By their numbers, the roots of outputs that get an array in each call."""
        return {root.number: root for root in self._returned if root.kind is Kind.FRESH}

    def number(self, arena: int) -> tuple[list, int, int]:
        """Number the arguments of the native programs: inputs, arrays made for a call, the arena, results of Python.

        Gives the shapes and types of the arrays to be made, how many are to come from Python, and the arena's number.
        """
        for number, root in enumerate(self.given):
            root.number = number
        count = len(self.given)
        fresh: list[tuple[tuple[int, ...], np.dtype]] = []
        for root in self._returned:
            if root.kind is Kind.FRESH and root.number < 0:
                root.number = count + len(fresh)
                layout = root.layout
                fresh.append(((root.nbytes,), _BYTE) if layout is None else (layout.shape, layout.dtype.storage))
        where = -1
        if arena:
            where = count + len(fresh)
            fresh.append(((arena + LINE,), _BYTE))
        coming = 0
        for task in self.tasks:
            if task.plan is None:
                for place in task.outputs:
                    place.root.number = count + len(fresh) + coming
                    coming += 1
        return fresh, coming, where


_BYTE = np.dtype(np.uint8)
_SHORT = 100  #: operators that are lowered before the next collection would come
_MOST_NAMED = 16  #: arrays that are handed over name by name, which is faster than from a tuple


def _overlap(a: Place, b: Place) -> bool:
    """Whether two places of one root may have bytes in common."""
    (low, high), (other_low, other_high) = extent(a.layout), extent(b.layout)
    return a.offset + low < b.offset + other_high and b.offset + other_low < a.offset + high


def _room_for(kind: Kind, layout: Layout) -> Root:
    """A root for a copy of an array, its elements at the same distances."""
    low, high = extent(layout)
    root = Root(kind, layout if layout.is_contiguous else None, high - low)
    root.origin = -low
    return root


def plan_of_copy(source: Layout, target: Layout) -> Plan:
    """The plan that copies an array to one that lies otherwise."""
    return _plan_copy(source, target) if is_asking() else _kept_plan_of_copy(source, target)


def _plan_copy(before: Layout, after: Layout) -> Plan:
    planner = Planner((before,), (after,))
    source, target = planner.operands
    assert source is not None and target is not None
    plan_copy(planner, source, target)
    return planner.finish()


_kept_plan_of_copy = functools.lru_cache(1024)(_plan_copy)


def _check_of_overlap(given: Sequence[Root]) -> Plan | None:
    """The plan that fails if an input that is written shares memory with another."""
    layouts = tuple(root.layout for root in given)
    buffers = [Buffer.of(i, layout) for i, layout in enumerate(layouts) if layout is not None and layout.size]
    written = [buffer for buffer in buffers if given[buffer.index].is_written]
    if not written or len(buffers) < 2:
        return None
    planner = Planner(layouts, ())
    plan_overlap(planner, written, [buffer for buffer in buffers if not given[buffer.index].is_written])
    return planner.finish()


def buffer_of(place: Place | None, arena: int) -> tuple[int, int]:
    """Where a native program finds the first element: an argument and an offset, or -1 and an address."""
    if place is None:
        return -1, 0
    root, offset, _ = place
    offset += root.at + root.origin
    if root.kind is Kind.CONSTANT:
        return -1, offset
    return (arena if root.kind is Kind.ARENA else root.number), offset


def _handed(place: Place) -> tuple[int, Layout | None, int]:
    """How an output is taken from the arguments: which one, and the layout and offset of a view, or None for it all."""
    root, offset, layout = place
    if not offset and layout is root.layout:
        return root.number, None, 0
    return root.number, layout, root.origin + offset


# -- errors -----------------------------------------------------------------------------------------------------------


def placed(error: Exception, index: int, call: OperatorCall) -> Exception:
    """The error of an operator, with its number and, in the words of PyNative mode, its place."""
    error.index = index  # type: ignore[attr-defined]
    if isinstance(error, AnforaError) and error.place is None:
        code, at = call.place
        lines = []
        if code is not None:
            span = Span.of(code, at)
            names: Any = _Names(code, span)
            lines += [f"  {span}", *span.pointing_at(error.arg, call.entry.op.order, names).show()]
        path = cell_path(sys._getframe(1), call.cells.cell_calls() if call.cells is not None else ())
        if path:
            lines.append(f"  in {path}")
        error.place = "\n".join(lines) or None
    return error


def _variables_of(code: CodeType) -> set[str]:
    """The names of the local variables of a function, and of its comprehensions: before Python 3.12 these are functions."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType) and each.co_name.endswith("comp>")]
    return {*code.co_varnames, *code.co_cellvars, *code.co_freevars}.union(*map(_variables_of, inner))


class _Names:
    """What stands for the frame that is gone when a caret is placed: it is asked whether the owner of a method is a
    tensor. A local variable is taken for one if it is called by the name of a method of tensors."""

    def __init__(self, code: CodeType, span: Span) -> None:
        self.f_locals: dict[str, Any] = {}
        self.f_globals: dict[str, Any] = {}
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", None) == code.co_filename:
                self.f_globals = vars(module)
        try:
            source = span.text.encode()[span.column : span.end_column].decode(errors="replace")
            tree = ast.parse(source.strip(), mode="eval").body
        except SyntaxError:
            return
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
            owner = tree.func.value
            code = code_behind(code)
            local = _variables_of(code)
            if isinstance(owner, ast.Name) and owner.id in local and hasattr(Tensor, tree.func.attr):
                self.f_locals[owner.id] = Tensor.__new__(Tensor)
