"""Gradients of functions on the tape: the one place where `grad`, `value_and_grad`, `vjp` and `backward` meet.

A function is run once with the tape on. The arguments that gradients are wanted for are passed as aliases: the same
memory under new handles, each with a Leaf of its own, so that what the function does to them is its own affair and a
tensor it also captures stays a constant. Transforms nest: an inner one records its walk back, so that the outer one can
differentiate it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anfora.core import slots
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.memory import Epoch, root
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current, wrap
from anfora.core.tree import has_tensors, tensors, tree_map
from anfora.eager import operators, tape
from anfora.eager.dispatch import entry_of_alias
from anfora.eager.tape import Followed, Leaf
from anfora.kernel import glue

__all__ = ["Differentiation", "Linearized", "backward", "follow", "is_followed", "is_inside", "linearize"]


class Linearized:
    """A function's results, and the map from their gradients to those of its arguments and weights."""

    def __init__(
        self,
        output: Any,
        inputs: Sequence[Any],
        slots: Sequence[Any],
        weights: Sequence[Parameter],
        weight_slots: Sequence[Any],
        create_graph: bool,
    ) -> None:
        self.output = output
        self.inputs, self.slots = inputs, slots  #: what is differentiated by, and what the tape knows it by
        self._weights, self._weight_slots = weights, weight_slots
        #: What leads to each result, whatever happens to its memory until its gradient is asked for: to a weight that is
        #: a result itself, what the tape knew it by while the function ran.
        leaves = {id(weight): slot for weight, slot in zip(weights, weight_slots)}
        self._history = {id(result): leaves.get(id(result), current(result)._node) for result in tensors(output)}
        self._create_graph = create_graph

    def gradients(self, sens: Any = None, outputs: Any = None) -> tuple[list[Any], list[Tensor]]:
        """The gradients to the inputs (in their nesting) and to the weights.

        Args:
            sens: the gradient of the output, in its nesting; ones when not given.
            outputs: the part of the output that counts; all of it when not given.
        """
        counted = list(tensors(self.output if outputs is None else outputs))  # of `output` itself, see `_history`
        given = [None] * len(counted) if sens is None else list(tensors(sens))
        if len(given) != len(counted):
            raise OpValueError(f"the function gives {len(counted)} tensors, but {len(given)} gradients came for them")
        seeds = []
        for result, gradient in zip(counted, given):
            history = self._history[id(result)]
            if history is None:
                continue
            if gradient is None:
                gradient = _ones_like(result)
            elif gradient.shape != result.shape:
                raise OpValueError(f"a gradient of shape {gradient.shape} came for a result of shape {result.shape}")
            seeds.append((history, tape.fit(gradient, result._layout.type)))
        targets = [*(slot for group in self.slots for slot in group), *self._weight_slots]
        found = tape.backward(seeds, targets, self._create_graph) if seeds else {}
        seen = {id(memory_of(t)): owner_of(t) for t in given if t is not None}

        def deliver(slot: Any, like: Tensor) -> Tensor:
            gradient = found.get(tape.key_of(slot))
            if gradient is None:
                return zeros_like(like)
            return _own(gradient, seen)

        by_input = []
        for tree, group in zip(self.inputs, self.slots):
            slots = iter(group)
            by_input.append(tree_map(lambda t: deliver(next(slots), t), tree))  # noqa: B023
        return by_input, [deliver(slot, w) for slot, w in zip(self._weight_slots, self._weights)]


class Differentiation:
    """One run of a function with the tape on, so that it can be differentiated by the arguments at `positions` and by
    `weights`; with `create_graph` more than once. Arguments that are given by name count after the others.

        run = Differentiation(args, kwargs, positions, weights)
        with run:
            output = function(*run.args, **run.kwargs)
        run.done(output)

    The steps can be taken one by one as well, by who calls the function in another way: graph mode does.
    """

    def __init__(
        self,
        args: tuple,
        kwargs: dict,
        positions: Sequence[int],
        weights: Sequence[Parameter],
        create_graph: bool = False,
    ) -> None:
        self.create_graph = create_graph or is_inside()
        self.weights = weights
        given = (*args, *kwargs.values())
        passed = list(given)
        self.inputs: list[Any] = []
        self.slots: list[list] = []
        for position in positions:
            check_position(position, given)
            group: list[Any] = []

            def handle_of(tensor: Tensor, group: list = group) -> Tensor:
                handle, slot, tracked = follow(tensor)
                self.create_graph = self.create_graph or tracked
                group.append(slot)
                return handle

            self.inputs.append(given[position])
            passed[position] = tree_map(handle_of, given[position])
            self.slots.append(group)
        self.args = tuple(passed[: len(args)])
        self.kwargs = dict(zip(kwargs, passed[len(args) :]))
        #: Weights, what their history was, and their leaf inside.
        self._replaced: list[tuple[Parameter, Any, Leaf]] = []
        self._before = glue.is_recording()
        self._is_open = False

    def __enter__(self) -> None:
        try:
            self._open()
        except BaseException:  # of a signal, say: who calls this has nothing to leave yet
            self.__exit__()
            raise

    def _open(self) -> None:
        self._replaced = []
        followed = {id(weight) for run in tape.transforms.running for weight in run.weights}
        for weight in self.weights:
            if id(weight) not in followed:  # what an outer transform follows leads there as well
                self._replace(weight)
        tape.transforms.depth += 1
        self._is_open = True
        tape.transforms.running.append(self)
        self._before = glue.set_recording(True)

    def _replace(self, weight: Parameter) -> None:
        """Give a weight a leaf for the time of the run: what was computed from it before is a constant, as a tensor is that
        the function captures."""
        before = weight._node
        if before is not None and not before.is_leaf:
            return
        leaf = Leaf(weight)
        if before is not None:
            leaf.hooks = before.hooks
        elif "_hooks" in weight.__dict__:
            leaf.hooks = {0: weight.__dict__["_hooks"]}
        self._replaced.append((weight, before, leaf))
        weight._node = leaf

    def __exit__(self, *exc: object) -> None:
        try:
            glue.set_recording(self._before)
        finally:  # whatever a signal cuts short
            tape.transforms.depth -= self._is_open
            self._is_open = False
            try:
                if self in tape.transforms.running:
                    tape.transforms.running.remove(self)
            finally:
                self._weight_slots = [w._node for w in self.weights]
                while self._replaced:
                    weight, before, leaf = self._replaced.pop()
                    if before is None:
                        weight._node = None
                    elif weight._node is leaf:
                        before.hooks = leaf.hooks
                        weight._node = before

    def done(self, output: Any) -> Linearized:
        """The function has returned, and the tape is off again: its results, and the map of gradients."""
        if tape.transforms.depth == 0 and tape.transforms.touched:
            output = tree_map(_with_history, output)
        return Linearized(output, self.inputs, self.slots, list(self.weights), self._weight_slots, self.create_graph)

    def leave(self) -> None:
        """The function has raised an exception: turn the tape off."""
        self.__exit__()
        forget_touched_at_the_end()

    def finish(self, output: Any) -> Linearized:
        """The function has returned: turn the tape off."""
        self.__exit__()
        try:
            return self.done(output)
        finally:
            forget_touched_at_the_end()


def is_inside() -> bool:
    """Whether a transform follows what is computed now: one is running, and this is no block of `no_grad` inside it."""
    return tape.transforms.depth > 0 and glue.is_recording()


def check_position(position: int, given: tuple) -> None:
    """Refuse a position at which there is nothing to differentiate by."""
    if not -len(given) <= position < len(given):
        raise OpValueError(f"grad_position is {position}, but the function got {len(given)} arguments")
    if not has_tensors(given[position]):
        raise OpTypeError(
            f"the gradient by argument {position} needs a tensor or a container of tensors, "
            f"but got {type(given[position]).__name__}"
        )


def forget_touched_at_the_end() -> None:
    """Outside of all transforms, what was written in place inside has no history."""
    while tape.transforms.depth == 0 and tape.transforms.touched:
        tensor = tape.transforms.touched.pop()
        if tensor._base is not None:
            tensor._epoch = Epoch()  # it is refreshed again: from its base, which may have none any more
        elif not tensor.is_leaf:
            tensor._node, tensor._epoch = None, Epoch()  # its views ask again, the one that was written among them


def start(args: tuple, kwargs: dict, positions: Sequence[int], weights: Sequence[Parameter]) -> Differentiation:
    """Turn the tape on for a function, until `leave` or `finish`."""
    run = Differentiation(args, kwargs, positions, weights)
    run.__enter__()
    return run


def linearize(
    function: Callable, args: tuple, kwargs: dict, positions: Sequence[int], weights: Sequence[Parameter]
) -> Linearized:
    """Run a function with the tape on; see `Differentiation`. The compiler goes into this as into the program."""
    run = start(args, kwargs, positions, weights)
    try:
        output = function(*run.args, **run.kwargs)
    except BaseException:
        run.leave()
        raise
    return run.finish(output)


def _with_history(tensor: Tensor) -> Tensor:
    """A result under a handle that keeps its history, when what was written in place inside the transform loses it."""
    tensor = current(tensor)
    if tensor._node is None or tensor._node.is_leaf:
        return tensor  # there is none, or it keeps it: it is the program's own, as where nothing is written
    if tensor._base is None:
        return tape.second_handle(tensor, tensor._node)
    twin = wrap(tensor._array, tensor._layout, tensor._node)
    twin._base, twin._epoch, twin._path, twin._mark = tensor._base, tensor._epoch, tensor._path, tensor._mark
    return twin


def is_followed(tensor: Tensor) -> bool:
    """Whether what is computed from a tensor now has a gradient to it. A Parameter could always be trained: it counts while
    a gradient by it is taken."""
    if not glue.is_recording():
        return False
    node = current(tensor)._node
    if node is None or not (node.is_leaf and isinstance(tensor, Parameter)):
        return node is not None
    return any(weight is tensor for run in tape.transforms.running for weight in run.weights)


def follow(tensor: Tensor) -> tuple[Tensor, Any, bool]:
    """A handle on the same memory that the tape follows from here on; its slot; whether an outer tape follows it."""
    tensor = current(tensor)
    tracked = glue.is_recording() and tensor._node is not None and not isinstance(tensor, Parameter)
    handle = wrap(tensor._array, tensor._layout)
    base = tensor if tensor._base is None else tensor._base
    handle._base, handle._epoch = base, base._epoch
    own = Followed()
    entry = entry_of_alias(tensor._layout)[0]
    handle._path = (*tensor._path, (entry.op, own))
    start = wrap(tensor._array, tensor._layout, tensor._node if tensor._node is not None else Leaf(handle))
    handle._node = own.node = tape.record(entry, 1, (start,), (), (None, 0))
    if tensor.is_leaf and ("_hooks" in tensor.__dict__ or (tensor._node is not None and tensor._node.hooks)):
        handle._node.hooks = {0: tensor._hook_table()}  # the walk ends here: it does not come to the tensor's own leaf
    return handle, handle._node, tracked


def released(output: Any) -> Any:
    """The results of a transform for its caller: without history, unless an outer transform needs it."""
    if is_inside():
        return output
    return tree_map(lambda t: t if t.is_leaf else _detached(t), output)


def _detached(tensor: Tensor) -> Tensor:
    """A tensor without history on the same memory, that keeps no history alive but that of what it is a view of."""
    if tensor._base is None:
        return tape.second_handle(tensor, None)
    view = operators.stop_gradient(tensor)
    view._path = Followed.forgotten(view._path)
    return view


def memory_of(tensor: Tensor) -> Any:
    return root(tensor._array)


def owner_of(tensor: Tensor) -> Tensor:
    """What a tensor is a view of, or the tensor itself."""
    return tensor if tensor._base is None else tensor._base


def _own(gradient: Tensor, seen: dict[int, Tensor]) -> Tensor:
    """A gradient for the user: contiguous, and in memory that nothing else the user holds shares; or that whoever writes
    to it first leaves to the others.

    Args:
        seen: memory that the user holds, by its identity, and the tensor that moves when it is written to; added to.
    """
    key, owner = id(memory_of(gradient)), owner_of(gradient)
    if seen.get(key, owner) is not owner or not gradient._layout.is_contiguous:
        return operators.copy(gradient)
    is_alone = key not in seen and gradient._base is None
    seen[key] = owner
    if is_alone:
        return gradient
    if slots.watcher.recorder is not None:  # the copy is a part of the program
        return operators.copy(gradient)
    return tape.second_handle(gradient, gradient._node if glue.is_recording() else None)


def zeros_like(tensor: Tensor) -> Tensor:
    return operators.zeros_of(tensor._layout.type)


def _ones_like(tensor: Tensor) -> Tensor:
    return operators.full(tensor.shape, 1, dtype=tensor.dtype)


# -- tensor.backward() ------------------------------------------------------------------------------------------------


def backward(
    tensor: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False
) -> None:
    """Add the gradients of a tensor to `.grad` of every leaf that it was computed from.

    Args:
        tensor: the result, of one element unless `gradient` is given.
        gradient: the gradient of the result; of its shape.
        retain_graph: keep what is needed to do it again; as `create_graph` when not given.
        create_graph: record the walk, so that `.grad` can be differentiated.
    Raises:
        OpRuntimeError: nothing that the tensor was computed from requires a gradient; the graph has been used up.
    """
    tensor = current(tensor)
    if tensor._node is None:
        raise OpRuntimeError(
            "backward() needs a tensor that was computed from one that requires a gradient",
            help="set x.requires_grad = True before computing, and look for no_grad() around it.",
        )
    if gradient is None:
        if tensor.size != 1:
            raise OpRuntimeError(
                f"backward() without a gradient needs one element, but got {tensor._layout.type}",
                help="call it on y.sum(), or give the gradient of y.",
            )
        seed = _ones_like(tensor)
    else:
        seed = gradient if isinstance(gradient, Tensor) else Tensor(gradient)
        if seed.shape != tensor.shape:
            raise OpValueError(f"a gradient of shape {seed.shape} came for a tensor of shape {tensor.shape}")
        seed = tape.fit(seed, tensor._layout.type)
    retain = create_graph if retain_graph is None else retain_graph
    found = tape.backward([(tensor._node, seed)], None, create_graph, retain)
    seen = {id(memory_of(seed)): owner_of(seed)} if gradient is not None else {}
    with tape.recording(create_graph):
        for leaf, new in found.items():
            owner = leaf.tensor()
            if owner is not None:
                new = _own(new, seen)
                owner.grad = new if owner.grad is None else owner.grad + new
