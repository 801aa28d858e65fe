"""`loss.backward()` in a program, and what it leaves at tensors: `.grad`, `requires_grad`.

    loss = f(x)              operators that the tape follows        natively
    loss.backward()    as    the operators of the walk back    so   natively
    w.grad = None            w.grad = …                        by Python, at the end of the piece

The walk itself is PyNative mode's. It goes over the nodes that the operators of the piece have left, and its operators are
recorded like others. So it must find nothing but these nodes, and leaves behind them of which it is known where they come
from; where it would go on into what was recorded outside, or in front of a hop, the interpreter does the call.

`.grad` of several tensors is one write, however often it is set: nobody sees it before the piece ends. Behind a change of
`requires_grad` the next operator starts a piece, so that what it follows is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anfora.core import memory
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current
from anfora.core.tree import tensors
from anfora.eager import batched, tape
from anfora.eager.dispatch import entry_of_alias, here
from anfora.eager.tape import Leaf, Node, Output
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.origins import Origin
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.ir.planned import OperatorCall
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.requests import Pause
from anfora.graph.polyfill.surroundings import look_at_hooks
from anfora.graph.polyfill.traced import Traced, keep_traced_in
from anfora.graph.record.forgetting import place_in_memory
from anfora.graph.record.notebook import UNKNOWN
from anfora.graph.record.writes import Write, Writes, leave_block, set_gradients
from anfora.graph.state.moments import Cut

__all__ = ["Leaves"]


class Leaves(Writes):
    """Does what the program does to gradients that tensors hold."""

    # What the layers above do.
    value_of: Callable[[Tensor], AnfNode]  #: the value of the piece that a tensor holds
    _traced: Callable[..., Any]  #: do something by Python, whose operators are recorded

    def begin(self, origins: dict[int, tuple[Any, Origin]]) -> None:
        super().begin(origins)
        #: What the operators of the piece have left on the tape, by identity: the node, the operator, and its operands.
        self.nodes: dict[int, tuple[Node, OperatorCall | None, list]] = {}
        #: Memory that nodes which call Python keep: these are made at the end of the piece.
        self.kept_by_nodes: dict[int, Any] = {}
        self.left: dict[int, tuple[Tensor, Tensor | None]] = {}  #: tensors whose `.grad` was set, and to what
        self.turned: dict[int, Tensor] = {}  #: tensors from outside whose `requires_grad` was set
        self.hooked: set[int] = set()  #: nodes and leaves of the piece that the program has put hooks on; perhaps None
        self.is_walking = False  #: whether a walk back is going on that cannot be done over

    def note_node(self, result: Any, call: OperatorCall, flat: list) -> None:
        """An operator has left something on the tape."""
        slot = (result[0] if type(result) is tuple else result)._node
        node = slot.node if type(slot) is Output else slot
        self.nodes[id(node)] = node, call, flat

    def guard(self, kind: str, origin: Origin, payload: Any = None) -> None:
        if kind == "history" and any(self.origin_of_value(tensor) is origin for tensor in self.turned.values()):
            raise Pause  # it is not what it was where the piece starts
        super().guard(kind, origin, payload)

    def start_anew(self, what: str) -> None:
        if self.is_walking:
            self.touched = what
        else:
            super().start_anew(what)

    def only_clears(self) -> bool:
        """Whether nothing was changed outside but that gradients were forgotten: if an operator fails, that is done too."""
        if any(write.operation is not set_gradients and not write.is_node for write in self.piece.writes):
            return False
        if any(gradient is not None or not self.is_outside(owner) for owner, gradient in self.left.values()):
            return False
        cleared = tuple(self.origin_of_value(owner) for owner, _ in self.left.values())
        self.piece.cleared = self.piece.cleared or cleared
        return self.piece.cleared == cleared

    def begin_forward(self) -> None:
        """An operator that the tape follows comes behind a change of something outside. Where the program calls
        `backward()`, what that walks over begins a piece, so that none need end before it."""
        is_new = all(node.saved is None for node, _, _ in self.nodes.values())
        if is_new and self.keeper.walks_back and not self.only_clears():
            self.start_anew("an operator that the tape follows behind a change of something outside")

    def note_change(self, owner: Tensor, name: str) -> None:
        """An attribute of a tensor is about to change, and nobody else writes down what it was."""

    # -- attributes ---------------------------------------------------------------------------------------------------

    def _set_attribute(self, machine: Machine, operation: Callable, owner: Any, name: Any, value: Any) -> Any:
        if is_a(owner, Tensor) and type(name) is str:
            if name == "grad":
                return self._set_gradient(machine, owner, value)
            return self._set_required(machine, owner, value) if name == "requires_grad" else UNKNOWN
        return super()._set_attribute(machine, operation, owner, name, value)

    def _set_gradient(self, machine: Machine, owner: Tensor, value: Any) -> Any:
        """`p.grad = …`."""
        is_placed = self.is_outside(owner) or id(owner) in self.memory.tensors
        if not is_placed or not (value is None or type(value) is Tensor) or not self.can_be_put_down((owner, value)):
            return UNKNOWN
        self.note_change(owner, "grad")
        machine.natively(setattr, (owner, "grad", value), {})
        self._leave_gradients(machine, [owner])
        return None

    def _leave_gradients(self, machine: Machine, owners: Sequence[Tensor]) -> None:
        """Write down what `.grad` of some tensors is now."""
        for owner in owners:
            self.left[id(owner)] = owner, owner.grad
            if self.is_outside(owner):
                origin = self.origin_of_value(owner)
                self.overlay.note_attribute("grad", origin, owner, owner.grad)
        holders, gradients = zip(*self.left.values())
        others = [write for write in self.piece.writes if write.operation is not set_gradients]
        write = Write(set_gradients, (holders, gradients), machine.place, "a change of `.grad`")
        self.piece.writes = [*others, write]

    def require_gradient(self, machine: Machine, tensor: Tensor, value: Any) -> bool:
        """Do `tensor.requires_grad_(value)`; False, and nothing has been done, if the interpreter must."""
        if self._set_required(machine, tensor, value) is UNKNOWN:
            return False
        machine.push(tensor)
        return True

    def _set_required(self, machine: Machine, owner: Tensor, value: Any) -> Any:
        """`x.requires_grad = …`."""
        is_plain = type(value) is bool and type(owner) in (Tensor, Parameter) and owner.is_leaf
        if not is_plain or self.region or self.given is not None or not self.keeper.puts_writes_off():
            return UNKNOWN
        if not self.is_outside(owner):
            return self._start_history(machine, owner, value)
        if not self.can_be_put_down((owner,)):
            return UNKNOWN
        origin = self.origin_of_value(owner)
        if id(owner) not in self.turned:
            self._guard_leaf(owner, origin)
        self.note_change(owner, "requires_grad")
        self.put_off(machine, setattr, (owner, "requires_grad", value), "a change of `requires_grad`")
        self.overlay.note_attribute("requires_grad", origin, owner, value)
        self.turned[id(owner)] = owner
        return None

    def _start_history(self, machine: Machine, owner: Tensor, value: bool) -> Any:
        """A tensor that the program has made is a leaf from now on."""
        if owner.requires_grad is value:
            return None
        origin = self.origin_of(owner) if value else None
        if origin is None or id(owner) not in self.memory.tensors:
            return UNKNOWN
        number = self.memory.tensors[id(owner)][1]
        self.note_change(owner, "requires_grad")
        machine.natively(setattr, (owner, "requires_grad", value), {})
        self.piece.leaves[number] = self.piece.last(), origin
        return None

    def _guard_leaf(self, tensor: Tensor, origin: Origin) -> None:
        """A tensor from outside is no operator's result, in later calls too."""
        self.guard("leaf", origin, tensor._node is not None)

    def _tensor_attribute(self, machine: Machine, value: Tensor, name: str) -> Any:
        if name in ("requires_grad", "is_leaf") and self.is_outside(value):
            if id(value) in self.turned:
                return machine.natively(getattr, (value, name), {})
            origin = self.origins[id(value)][1]
            if self.turned:  # it is none of those that were changed
                self.overlay.note_read("attr", "requires_grad", origin)
            if name == "is_leaf" and value._node is not None:
                if value.is_leaf:
                    self._guard_leaf(value, origin)
                else:
                    self.guard("no leaf", origin)
        elif name == "grad" and self.is_outside(value):
            written = self.overlay.attribute(value, name)
            if written is not UNKNOWN:
                return written
        return super()._tensor_attribute(machine, value, name)

    # -- hooks --------------------------------------------------------------------------------------------------------

    def put_hook(self, machine: Machine, tensor: Tensor, hook: Any) -> bool:
        """Do `tensor.register_hook(hook)` for a tensor of the program's making, where nobody wants the handle; False, and
        nothing has been done, if the interpreter must. The hook is on the tensor at the end of the piece, for walks from
        outside; a walk in the piece calls it as the program would."""
        frame = machine.frames[-1]
        is_plain = type(tensor) is Tensor and not self.opaque(hook) and frame.code.opcodes[frame.pc] == "POP"
        if not is_plain or self.region or self.given is not None or not self.keeper.puts_writes_off():
            return False
        if self.is_outside(tensor) or id(tensor) not in self.memory.tensors or not self.can_be_put_down((tensor, hook)):
            return False
        self.look(hook)
        handle = self.put_off(machine, Tensor.register_hook, (tensor, hook), "a hook on a tensor")
        slot = tensor._node
        self.hooked.add(id(slot.node if type(slot) is Output else slot))
        machine.push(handle)
        return True

    def leave_node(
        self, machine: Machine, function: Callable, args: tuple, tensors_of: Callable, results_of: Callable, reason: str
    ) -> bool:
        """Do what leaves a node on the tape whose rule is a function of the program; False, and nothing has been done, if
        the interpreter must. In later calls it is left there when the operators have run, between the blocks that they
        leave.

        Args:
            function: puts results under handles with that history; those that it is to use may be its last argument.
            tensors_of, results_of: what the handles are on, from `args`, and the handles, from the result.
        """
        site = ("node", *machine.place[:2])
        if self.given is not None or site in self.keeper.divided or not self.keeper.puts_writes_off():
            return False
        if not self.can_be_put_down(args):
            return False
        before, self.touched = self.touched, None
        sources = list(tensors_of(args))
        values = [self.value_of(source) for source in sources]
        is_known, self.touched = self.touched is None, before
        if not is_known:
            return False
        for value in args:
            self.look(value)
        with self.unwatched():
            result, place = machine.natively(_done_here, (function, args), {})
        piece = self.piece
        handles = tuple(results_of(result))
        machine.push(result)
        if not handles or handles[0] is sources[0]:
            return True
        node = handles[0]._node.node
        for tensor in (*tensors(args), *sources):
            owner = memory.root(current(tensor)._array)
            self.kept_by_nodes[id(owner)] = owner
        self.nodes[id(node)] = node, None, [handles[0]]
        for handle, value in zip(handles, values):
            call = OperatorCall(piece, entry_of_alias(handle._layout)[0], (value,), place)
            piece.calls.append(call)
            self.memory.know(handle, call)
        origins: list[Any] = []
        for handle in handles:
            origins.append(self.origin_of(handle))
            piece.leaves[self.memory.tensors[id(handle)][1]] = call, origins[-1]
        pairs = tuple(zip(origins, map(self.origin_of, sources)))
        piece.cuts.append(Cut(call, pairs, site, results_of))  # type: ignore[arg-type]
        piece.writes.append(Write(function, (*args, handles), machine.place, reason, True))
        piece.writes.append(Write(leave_block, (len(piece.cuts) - 1,), machine.place, reason, True))
        piece.is_taped = True
        return True

    # -- walking back -------------------------------------------------------------------------------------------------

    def walk_back(self, machine: Machine, tensor: Tensor, gradient: Any, retain_graph: Any, create_graph: Any) -> bool:
        """Do `tensor.backward(…)`; False, and nothing has been done, if the interpreter must."""
        frame = machine.frames[-1]
        site = frame.code.python, frame.pc
        is_plain = create_graph is False and (retain_graph is None or type(retain_graph) is bool)
        if not is_plain or type(current(tensor)) is not Tensor or not self._may_walk_back(site):
            return False
        if self.is_unkept:  # it need not find anything of the piece
            with self.unwatched():
                machine.push(machine.natively(Tensor.backward, (tensor, gradient, retain_graph), {}))
            return True
        node = tensor._node
        if not _is_seed(gradient, tensor) or node is None or node.is_leaf:
            return False
        order, _ = tape.order_of_visits([node], None)
        leaves = [each for each in order if type(each) is Leaf]
        owners: list[Any] = [leaf.tensor() for leaf in leaves]
        if not all(type(each) is Leaf or self._is_kept(each) for each in order):
            return self._walk_over_pieces(machine, (tensor, gradient, retain_graph))
        if not all(map(self._is_known_leaf, leaves, owners)):
            return False
        if not self.can_be_put_down((tensor, gradient, tuple(owners))):
            return False
        self._guard_leaves([owner for owner in owners if self.is_outside(owner)])
        before = [self._tensor_attribute(machine, owner, "grad") for owner in owners]
        for owner in owners:
            self.note_change(owner, "grad")
        nodes = [self.nodes[id(each)] for each in order if type(each) is Node]
        self._walk(machine, site, tensor, (gradient, retain_graph), nodes)
        if machine.world is self and self.hop is None:
            changed = [owner for owner, held in zip(owners, before) if owner.grad is not held]
            if changed:
                self._leave_gradients(machine, changed)
        machine.push(None)
        return True

    def _may_walk_back(self, site: tuple) -> bool:
        """Whether a walk back may be part of a piece where the program stands."""
        if self.given is not None or self.region or site in self.keeper.divided or self.turned:
            return False
        return self.keeper.puts_writes_off() and not tape.transforms.depth and not batched.state.depth

    def _walk_over_pieces(self, machine: Machine, args: tuple) -> bool:
        """Let Python walk back through what earlier pieces have computed, in this call: the pieces of the next one begin in
        other places. False if they do already."""
        if self.keeper.walks_back or self.point is None or self.point.frames == ("entry",):
            return False
        self.keeper.walks_back = True
        self.keeper.forget()
        self.stop_keeping(machine, for_good=True)
        machine.push(machine.natively(Tensor.backward, args, {}))
        return True

    def _guard_leaves(self, owners: list[Tensor]) -> None:
        """Let later calls see to it that tensors from outside that get gradients are the leaves that they are now."""
        for owner in owners:
            self._guard_leaf(owner, self.origin_of_value(owner))
            look_at_hooks(self, owner)
        if len(owners) > 1:
            self.guard("distinct", self.origin_of_value(owners[0]), tuple(map(self.origin_of_value, owners)))

    def _walk(self, machine: Machine, site: tuple, tensor: Tensor, args: tuple, nodes: list[tuple]) -> None:
        """Walk back, with numbers that vary in the places where nodes have kept their values."""
        piece = self.piece
        shown: list[tuple[Node, tuple, tuple]] = []
        for node, _, flat in nodes:
            if any(is_a(x, Traced) for x in flat):
                kept = node.saved
                keep_traced_in(node, flat)
                shown.append((node, kept, node.saved))  # type: ignore[arg-type]
        self.region.append(site)
        self.is_walking = True
        try:
            self._traced(machine, Tensor.backward, (tensor, *args), {})
        finally:
            self.is_walking = False
            self.region.pop()
            for node, kept, given in shown:
                if node.saved is given:
                    node.saved = kept
            if self.hop is None:
                used = [(call, flat) for node, call, flat in nodes if node.saved is None]
                for call, flat in used:
                    if call is not None:
                        call.is_used = True
                    else:
                        write = Write(use_up, tuple(flat), machine.place, "its gradient has been taken", True)
                        piece.writes.append(write)

    def _is_kept(self, node: Any) -> bool:
        """Whether a node is that of an operator of the piece, with nothing on it that the recorder has not seen, and not
        used up."""
        if id(node) not in self.nodes or node.saved is None:
            return False
        if node.hooks and id(node) not in self.hooked:
            return False
        arrays = [value for value in node.saved if hasattr(value, "base")]
        return all(map(self._is_of_piece, arrays))

    def _is_of_piece(self, array: Any) -> bool:
        """Whether it is known which value of the piece an array is."""
        if id(array) in self.memory.arrays:
            return True
        self.memory.note_places()
        place = place_in_memory(array)
        found = self.memory.places.get(place)
        owner = self.memory.owners.get(place)
        held = found[0] if found is not None else None if owner is None else owner._array
        return held is not None and memory.root(held) is memory.root(array)

    def _is_known_leaf(self, leaf: Leaf, owner: Tensor | None) -> bool:
        """Whether it is known which tensor a leaf is of."""
        if owner is None or owner._node is not leaf or type(owner) not in (Tensor, Parameter):
            return False
        if self.is_outside(owner):
            return owner.grad is None or type(owner.grad) is Tensor
        return id(owner) in self.memory.tensors and self.memory.tensors[id(owner)][1] in self.piece.leaves


def _done_here(function: Callable, args: tuple) -> tuple[Any, tuple]:
    """What a function gives, and where the program stands, as operators keep it."""
    return function(*args), here()


def _is_seed(gradient: Any, tensor: Tensor) -> bool:
    """Whether a gradient is one that `backward` takes for a tensor."""
    if gradient is None:
        return tensor.size == 1
    return type(gradient) is Tensor and gradient.shape == tensor.shape


def use_up(result: Tensor) -> None:
    """The gradient of a node that calls Python has been taken."""
    result._node.node.saved = None
