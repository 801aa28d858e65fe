"""Operators as operators: what each reads, which random numbers it draws, what the tape keeps of it."""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable
from typing import Any

from anfora.batching import at_once
from anfora.core import memory, slots
from anfora.core.abstract import Layout
from anfora.core.cell import hooks_of
from anfora.core.errors import AnforaError
from anfora.core.op import Op
from anfora.core.parameter import Parameter
from anfora.core.random import Generator as RandomGenerator
from anfora.core.random import default_generator, signed
from anfora.core.refusal import INNER
from anfora.core.span import CellCall
from anfora.core.tensor import Tensor, current
from anfora.eager import dispatch, tape
from anfora.eager.cells import call_cell
from anfora.eager.entry import Entry
from anfora.graph.facts.origins import Number
from anfora.graph.ir.nodes import AnfNode, ValueNode
from anfora.graph.ir.planned import ABSENT, NO_CALLS, CellCalls, OperatorCall, is_inner
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.machine import Machine
from anfora.graph.polyfill.making import note_parameter
from anfora.graph.polyfill.traced import Traced, keep_traced
from anfora.graph.record.forgetting import forget_alone
from anfora.graph.record.leaves import Leaves
from anfora.graph.source.tracebacks import place_at
from anfora.graph.state.moments import DATA, EXCHANGE, Draw
from anfora.graph.state.sharing import history_behind, is_view_of_parameter
from anfora.kernel import glue
from anfora.ops.methods import OPERATORS

__all__ = ["Operators"]


class Operators(Leaves):
    """Runs the operators of the program, and writes them down."""

    def note_read(self, tensor: Tensor) -> None:
        """Somebody looks at the data of a tensor."""
        if self.memory.value_of(tensor) not in self.piece.constants and not self.is_known_now(tensor):
            self.touched = DATA

    def is_known_now(self, tensor: Tensor) -> bool:
        """Whether a tensor was made of known values just now."""
        is_new = self.memory.value_of(tensor) is None and id(tensor) not in self.origins
        return is_new and not self.memory.is_of_ours(tensor._array)

    def note_draw(self, generator: RandomGenerator, counters: int, seed: int, offset: int) -> None:
        """Random numbers are drawn. Operators that read there can be told where in each call; if one of the operators
        before may fail, the draw might not come, so it is made in a piece behind."""
        may_fail = any(call.entry.may_fail for call in self.piece.calls)
        if generator is default_generator and may_fail:
            drawn, generator._offset = generator._offset, offset
            self.start_anew("random numbers")
            generator._offset = drawn
        if generator is not default_generator:
            self.touched = "random numbers"
            return
        self.piece.draws.append(Draw(counters, (signed(seed), signed(offset))))

    def _of_draw(self, name: str, value: int, layout: Any, op: Op) -> AnfNode:
        """The value of an operand of a random operator that says where to read."""
        for draw in reversed(self.piece.draws):
            if draw.place[name] == value:
                if name not in draw.values:
                    origin = draw.seed if name == "seed" else draw.offset
                    draw.values[name] = self.piece.number(int, origin, layout, op)
                return draw.values[name]
        return ABSENT

    def note_base(self, tensor: Any) -> None:
        """Somebody asks whether a tensor is a view of a Parameter: of those from outside it is asked in later calls too."""
        if isinstance(tensor, Tensor) and tensor._array is not None:
            for came in self.memory.sharing.in_memory_of(current(tensor)._array):
                is_view = is_view_of_parameter(came.lying.tensor)
                self.guard("is", self.derive(is_view_of_parameter, came.origin), is_view)

    def note_foreign(self, what: str) -> None:
        """The library calls code of the program from within."""
        self.touched = what

    def note_parameter(self, parameter: Parameter, value: Any) -> None:
        """A Parameter has been made of a value, unwatched."""
        note_parameter(self, parameter, value)

    def operator_of(self, operation: Callable, args: tuple) -> tuple[Op, list] | None:
        """What Python computes for one of its operators, and of what; None where no tensor is among the operands, or
        operators call something of the program."""
        op = _OPERATORS_OF.get(id(operation))
        kinds = tuple(map(type, args))
        if op is None or kinds not in _OF_TENSORS or self.lent or dispatch.observer is not None:
            return None
        if len(args) != len(op.tensors):  # a TypeError, which Python raises
            return None
        for kind, value in zip(kinds, args):
            if (kind is Tensor or kind is Parameter) and self.has_methods(value):
                return None
        if kinds in _ASKED_FIRST and operation in _MIRRORED:
            left, right = args
            return _OPERATORS_OF[id(_MIRRORED[operation])], [right, left]
        return op, list(args)

    def apply_operator(self, machine: Machine, op: Op, inputs: list, operation: Callable, args: tuple) -> Any:
        """What is behind one of Python's operators, without the way there."""
        place = place_at(*machine.place[:2])
        if place is not None:
            watcher = slots.watcher
            outer, watcher.place = watcher.place, place
            try:
                return dispatch.apply(op, inputs, ())
            except (AnforaError, *INNER):  # Python tells it, with the line
                pass
            finally:
                watcher.place = outer
        return machine.natively(operation, args, {})

    def run(self, entry: Entry, flat: list) -> Any:
        """Run a planned call, and write it down."""
        if self.memory.is_full:
            forget_alone(self.local_functions)
            forget_alone(self.local_cells)
            self.memory.forget_what_is_free()
        operands = self._operands(entry, flat)
        followed = self._followed(flat) if glue.is_recording() else 0
        if followed or self.turned:
            self._see_to_history(entry, operands, followed)
        if entry.op.writes is not None or self.piece.writes:
            self._see_to_writes(entry, flat, followed)
        self.memory.has_moved = False
        is_effect = glue.is_recording() and dispatch.writes_a_leaf(entry, flat)
        result = self._run(entry, flat)
        if self.memory.has_moved:
            operands = tuple(
                self._operand(x, layout, entry.op) if i in entry.written else operand
                for i, (x, layout, operand) in enumerate(zip(flat, entry.inputs, operands))
            )
        if entry.may_fail and self._is_in_a_try():
            self._let_fail(entry)
        self._write_down(entry, flat, operands, 0 if is_effect else followed & entry.followed, result, not is_effect)
        return result

    def _operands(self, entry: Entry, flat: list) -> tuple[AnfNode, ...]:
        """What a call takes, as nodes."""
        op = entry.op
        operands = tuple([self._operand(x, layout, op) for x, layout in zip(flat, entry.inputs)])
        if op.is_random:
            operands = tuple(
                self._of_draw(name, x, entry.inputs[i], op)
                if name in ("seed", "offset") and type(x) is int
                else operand
                for i, (name, x, operand) in enumerate(zip(entry.owners(), flat, operands))
            )
            if any(operand is ABSENT and x is not None for operand, x in zip(operands, flat)) and not self.is_unkept:
                self.touched = "random numbers"
        return operands

    def _followed(self, flat: list) -> int:
        """The mask of the operands that have a history."""
        mask = 0
        for i, value in enumerate(flat):
            if isinstance(value, Tensor) and value._node is not None:
                mask |= 1 << i
            if self.unseen and id(value) in self.unseen:
                origin, has_history_now = self.unseen.pop(id(value))
                self.guard("history", origin, has_history_now)
        return mask

    def _see_to_history(self, entry: Entry, operands: tuple[AnfNode, ...], followed: int) -> None:
        """The tape may follow the call: the piece says so, or another one begins in front of it."""
        op, piece = entry.op, self.piece
        if followed and not self.region and followed & (entry.followed if op.writes is None or op.is_untaped else -1):
            if piece.gradients and any(followed >> i & 1 and is_inner(x) for i, x in enumerate(operands)):
                self.start_anew("the history that a tensor has in a gradient")
            piece.is_taped = True
        if self.turned:
            self.start_anew("an operator behind a change of `requires_grad`")

    def _see_to_writes(self, entry: Entry, flat: list, followed: int) -> None:
        """The call may write in place, or stand behind changes of something outside."""
        op, piece = entry.op, self.piece
        if op.writes is not None:
            self._refuse_write(entry, flat)
        if piece.writes and followed & entry.followed and not self.region:
            self.begin_forward()
        if op.writes is not None:
            if glue.is_recording() and not op.is_untaped:
                self._look_behind([flat[i] for i in entry.written])
            if self.memory.copies:
                for i in entry.written:
                    self.memory.leave_copies(flat[i])
        if piece.writes and entry.may_fail and not self.only_clears():
            self.start_anew(f"an error of {op.name} behind a change of something outside")

    def _run(self, entry: Entry, flat: list) -> Any:
        """Run it, as PyNative mode does."""
        touched = self.touched  # operators that run in Python look at data on their own account
        try:
            result = dispatch.run_now(entry, [x.number.value if isinstance(x, Traced) else x for x in flat])
            self.touched = touched
        except AnforaError:
            self.touched = touched
            if entry.may_fail:
                self.touched = f"an error of {entry.op.name} that depends on data"
            raise
        if entry.op.is_effect:
            self.touched = EXCHANGE
        return result

    def _let_fail(self, entry: Entry) -> None:
        """The program would catch an error of the call, in a later run."""
        piece = self.piece
        if self.keeper.leaves_tries or piece.draws or any(call.entry.written for call in piece.calls):
            self.touched = f"an error of {entry.op.name} would be caught"
        else:
            piece.is_tried = True

    def _write_down(
        self, entry: Entry, flat: list, operands: tuple[AnfNode, ...], mask: int, result: Any, is_seen: bool
    ) -> None:
        """Add the call to the piece.

        Args:
            mask: which operands the tape followed, of those that gradients can flow to.
            is_seen: whether a tape that is on sees the call; see `dispatch.is_effect`.
        """
        piece = self.piece
        cells = self.calls_of_cells()
        back = self._back() if self.region or self.machine is None else None
        call = OperatorCall(piece, entry, operands, self._here(), mask, bool(self.region), cells, back)
        call.is_taped = is_seen and glue.is_recording() and not self.region
        call.is_untaped = glue.switch.blocks > 0
        if mask and self.region:
            keep_traced(result, flat)
        elif mask:
            self.note_node(result, call, flat)
        if entry.op.writes is None:
            if call.parts is None:
                self.memory.know(result, call)
            else:
                for tensor, value in zip(result, call.parts):
                    self.memory.know(tensor, value)
        if entry.view is not None:
            self.memory.view_calls[call] = call
            if isinstance(flat[0], Tensor):
                self.sources[id(result)] = (result, flat[0])
        node = tape.node_of(result) if mask else None
        if node is not None:
            self.cells_at[node.tick] = cells
        if len(piece.calls) == _LONG:
            self._collect_later()
        piece.calls.append(call)

    def _refuse_write(self, entry: Entry, flat: list) -> None:
        """Start a piece in front of a change in place that cannot stand in this one."""
        if self.piece.is_tried:
            self.start_anew("a write behind an error that would be caught")
        if self.kept_by_nodes and any(id(memory.root(flat[i]._array)) in self.kept_by_nodes for i in entry.written):
            self.start_anew("a change in place of what a gradient of the program's own is told of")
        if self.hooked and not entry.op.is_untaped:
            self.start_anew("a change in place behind a hook")

    def _look_behind(self, targets: list[Tensor]) -> None:
        """What is written may have a history from outside, or be a view without one of what has: that learns of it, and has
        none behind a gradient that the write was in."""
        for target in targets:
            for came in self.memory.sharing.in_memory_of(current(target)._array):
                self.guard("is", self.derive(history_behind, came.origin), came.history)
                if came.history is True and self.region:
                    self.touched = "a change in place of what a tape outside follows"
                elif came.history is True and came.lying.tensor._node is None:
                    self.piece.is_taped = self.piece.is_mixed = True

    def _is_in_a_try(self) -> bool:
        """Whether the program would go on after an exception."""
        machines = self.machine.chain() if self.machine is not None else ()
        return any(_catches(frame) for machine in machines for frame in machine.frames)

    def _back(self) -> tuple[tuple[Any, int], CellCalls | None] | None:
        """Of which call the gradient is that is being computed, as operators keep it."""
        node = tape.node_walked_back(sys._getframe(2))
        return None if node is None else ((node.code, node.at), self.cells_at.get(node.tick))

    def _here(self) -> tuple:
        """Where the program stands, as operators keep it; the frame that shows an instruction is always the same."""
        if self.machine is None or not self.machine.frames:
            return dispatch.here()
        place = slots.watcher.place
        if place is None:
            at = self.machine.place[:2]
            place = self.places_at.get(at)
            if place is None:
                place = self.places_at[at] = dispatch.here()
        return place

    def _number(self, number: Number, layout: Layout, op: Op) -> AnfNode:
        """A number that varies as an operand."""
        if op.python_rule is not None:  # which computes with the number itself
            return ValueNode(self.force(number))
        value = self.piece.number(type(number.value), number.origin, layout, op)
        self.guard("number", number.origin, type(number.value))
        return value

    def _operand(self, value: Any, layout: Any, op: Op) -> AnfNode:
        if isinstance(value, Tensor):
            return self.value_of(value)
        if isinstance(value, Traced):
            return self._number(value.number, layout, op)
        return ABSENT if value is None else ValueNode(value)

    def value_of(self, tensor: Tensor) -> AnfNode:
        """The value of the piece that an operand holds."""
        value = current(tensor)
        number = self.memory.value_of(value)
        if number is None:
            number = self.input(value)
        if number is not None:
            return number
        if self.memory.is_of_ours(value._array):
            self.touched = "memory of a tensor, seen in another way"
        return self.memory.constant(value)

    def calls_of_cells(self) -> CellCalls:
        """The calls of Cells that are going on; operators of the same calls share one."""
        machine = self.machine
        if machine is not None and machine.below is None and not machine.is_in_cells:
            return NO_CALLS
        calls: list[CellCall] = []
        while machine is not None:
            if machine.is_in_cells:
                calls[:0] = machine.cell_calls()
            machine = machine.below
        if not self.last_calls.are(calls):
            self.last_calls = CellCalls(calls)
        return self.last_calls


def _catches(frame: Frame) -> bool:
    """Whether code of the program is run after an exception; this package's own handlers only pass it on, but for hooks
    that are always called, and for `vmap`."""
    if frame.function is call_cell:
        return bool(frame.handlers) and any(always for _, _, always in hooks_of(frame.locals["cell"], "forward"))
    if frame.function is at_once:  # the function is called for each example then
        return bool(frame.handlers)
    return bool(frame.handlers) and not frame.code.is_internal


#: Types of operands among which is a tensor.
_OF_TENSORS = frozenset(
    kinds
    for count in (1, 2)
    for kinds in itertools.product((Tensor, Parameter, float, int, bool), repeat=count)
    if Tensor in kinds or Parameter in kinds
)
#: Of these, where Python asks the right operand first how they compare: a subclass, or what numbers know nothing of.
_ASKED_FIRST = frozenset(
    kinds for kinds in _OF_TENSORS
    if len(kinds) == 2 and (kinds[0] not in (Tensor, Parameter) or kinds == (Tensor, Parameter))
)  # fmt: skip
#: By the identity of Python's operators.
_OPERATORS_OF = {id(getattr(operator, name)): op for name, op in OPERATORS.items() if isinstance(op, Op)}
_OPERATORS_OF |= {
    id(in_place): _OPERATORS_OF[id(operations.OPERATIONS[name])] for name, in_place in operations.IN_PLACE.items()
}  # tensors have no methods of their own for these
_MIRRORED = {
    operator.lt: operator.gt, operator.gt: operator.lt, operator.le: operator.ge, operator.ge: operator.le,
    operator.eq: operator.eq, operator.ne: operator.ne,
}  # fmt: skip

_LONG = 1000  #: operators of a piece from which on collections are put off
