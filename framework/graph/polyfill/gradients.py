"""Gradients in pieces: those that the program takes of a function in which pieces end.

A gradient is a part of one piece, its walk back included, as long as its function needs nothing but operators. Where a
tensor is asked for its truth in there, or Python must do something, the tape has to be a real one: what it holds cannot be
put down, but it need not be either. The function's pieces run under it as those of a compiled function do whose gradient
PyNative mode takes: each leaves one node (taped.py). The gradient itself is two *steps* between pieces:

    follow      the tape starts: what is differentiated by is passed on as aliases with a history of their own
    walk_back   the tape is walked back, and ends
    leave       the same for an exception: it only ends

A step is done as a hop is, with tensors coming in and going out, but nothing of the program is in it, so it is none.
Between two steps there is no more to it than one value, the `Run`, in a slot. Everything that arranges arguments, results
and gradients is a part of the pieces around.

An exception that no handler of the program sees comes out of a piece without its frames: who calls the pieces ends what has
been left open then, see `leave_behind`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anfora.api import GradientFunction
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors, tree_map
from anfora.eager import transform
from anfora.graph.machine.running import running
from anfora.graph.machine.signals import holds
from anfora.graph.state.images import is_plain_object

__all__ = [
    "ARRANGING", "GRADIENTS", "STEPS", "UNSEEN", "WALKED_BACK", "can_walk", "differentiate_in_pieces", "leave_behind",
    "outcome_of_step", "outermost",
]  # fmt: skip


def differentiate_in_pieces(gradient, call, has_hooks):
    """The call of a gradient function, for the machine to run.

    Args:
        call: a list of its arguments and those by name; emptied, so that they are not held longer than needed.
        has_hooks: whether functions of the program will be called on the way back.
    """
    inputs, trees, present, sens = laid_out(gradient, call)
    found = follow(inputs, gradient.parameters)
    run = found[0]
    try:
        pass_on(call, present, found[1:])
        del inputs, found
        output = gradient.fn(*call.pop(0), **call.pop())
        results = flattened(gradient, output)
        found = walk_back(run, sens, results, has_hooks)
    except BaseException:
        leave(run)
        raise
    return arranged(gradient, output, trees, present, found)


# -- steps ------------------------------------------------------------------------------------------------------------


class Run(transform.Differentiation):
    """A gradient in pieces that has begun, and not ended.

    Args:
        inputs: the tensors that are differentiated by.
        weights: the parameters.
    """

    def __init__(self, inputs: tuple[Tensor, ...], weights: Sequence[Parameter]) -> None:
        self.inputs, self.weights, self.create_graph = list(inputs), weights, transform.is_inside()
        followed = [transform.follow(tensor) for tensor in inputs]
        self.args = tuple([handle for handle, _, _ in followed])
        self.slots = [[slot] for _, slot, _ in followed]
        self.create_graph = self.create_graph or any(is_tracked for _, _, is_tracked in followed)
        #: How many compiled calls were running, and how many were waited for.
        self.depth, self.pending = running.depth, running.pending

    def begin(self) -> None:
        """Turn on the tape."""
        self.__enter__()
        running.gradients.append(self)

    @holds
    def end(self) -> None:
        """Turn off the tape."""
        running.gradients.remove(self)
        self.__exit__()

    def leave(self) -> None:
        """An exception ends it, unless it has ended."""
        if self in running.gradients:
            self.end()
            transform.forget_touched_at_the_end()


@holds
def follow(inputs: tuple[Tensor, ...], weights: Sequence[Parameter]) -> tuple:
    """Start a gradient: its run, and the tensors to be given to the function in the place of the inputs."""
    run = Run(inputs, weights)
    run.begin()
    return (run, *run.args)


@holds
def leave(run: Run) -> None:
    """An exception has come out of the function, or of the walk back."""
    run.leave()


def walk_back(run: Run, sens: tuple | None, results: tuple[tuple, int, bool], has_hooks: bool) -> tuple:
    """The function has returned: walk back.

    Args:
        sens: the gradients of what counts among the results; None for ones.
        results: see `flattened`.
    Returns:
        tuple: the gradients by the inputs, those by the weights, the results without the history that they have in here,
        and whether another gradient is being taken around, which needs that history.
    """
    run.end()
    given, count, are_wanted = results
    line = run.done(given)
    try:
        by_input, by_weight = line.gradients(sens, line.output[:count])
    finally:
        transform.forget_touched_at_the_end()
    is_inside = transform.is_inside()
    released = transform.released(line.output) if are_wanted and not is_inside else ()
    return tuple(by_input), tuple(by_weight), released, is_inside


def outcome_of_step(value: Any) -> str:
    """What of the result of a step decides how the program goes on: the last part of what `walk_back` gives."""
    return "inside of another gradient" if type(value) is tuple and value[-1] is True else "done"


def leave_behind(pending: int = 0) -> None:
    """End the gradients that were begun in the compiled call which is running, since an exception comes out of it.

    Args:
        pending: only those that were begun while so many calls were waited for.
    """
    begun = running.gradients
    while begun and begun[-1].depth >= running.depth and begun[-1].pending >= pending:
        leave(begun[-1])


def outermost(machine: Any) -> tuple | None:
    """The call of the outermost gradient in pieces that a machine stands in, as (code, instruction); None for none."""
    for caller, frame in zip(machine.frames, machine.frames[1:]):
        if frame.function is differentiate_in_pieces:
            return caller.code.python, caller.pc
    return None


# -- what follows from how things are arranged ------------------------------------------------------------------------


def laid_out(gradient: GradientFunction, call: list) -> tuple:
    """The tensors that are differentiated by; the arguments that they are in, unless each is one itself; their positions;
    the gradients of the results, or None. What comes with the arguments and is none of the function's is taken off."""
    args, kwargs, present, sens = gradient.taken_apart(*call)
    given = (*args, *kwargs.values())
    for position in present:
        transform.check_position(position, given)
    call[:] = args, kwargs
    trees = tuple([given[position] for position in present])
    flat = tuple(tensors(trees))
    return flat, None if _are_tensors(trees) else trees, present, None if sens is None else tuple(tensors(sens))


def pass_on(call: list, present: tuple[int, ...], inputs: tuple[Tensor, ...]) -> None:
    """Put the tensors that are followed in their places among the arguments."""
    args, kwargs = call
    passed = [*args, *kwargs.values()]
    handles = iter(inputs)
    for position in present:
        passed[position] = tree_map(lambda _: next(handles), passed[position])
    call[:] = tuple(passed[: len(args)]), dict(zip(kwargs, passed[len(args) :]))


def flattened(gradient: GradientFunction, output: Any) -> tuple[tuple, int, bool]:
    """The tensors that a function has returned; how many of them, from the first, are differentiated; whether they are a
    part of what the call gives."""
    count = sum(1 for _ in tensors(gradient.counted(output)))
    return tuple(tensors(output)), count, gradient.gives_results


def arranged(
    gradient: GradientFunction, output: Any, trees: tuple | None, present: tuple[int, ...], found: tuple
) -> Any:
    """What the call gives; `found` is what `walk_back` gave."""
    by_input, by_weight, released, is_inside = found
    if trees is not None:
        gradients = iter(by_input)
        by_input = [tree_map(lambda _: next(gradients), tree) for tree in trees]
    if gradient.gives_results and not is_inside:
        results = iter(released)
        output = tree_map(lambda _: next(results), output)
    return gradient.arranged(output, list(by_input), list(by_weight), present)


def _are_tensors(values: tuple) -> bool:
    return all(isinstance(value, Tensor) for value in values)


#: Functions that only arrange things: which argument they walk over that may be of the program's making.
ARRANGING: dict[Callable, int | None] = {laid_out: None, pass_on: None, flattened: 1, arranged: 1}


# -- for the recorder -------------------------------------------------------------------------------------------------

_FOLLOWED = "the tape of a gradient starts"
WALKED_BACK = "the tape of a gradient is walked back"
_LEFT = "the tape of a gradient ends with an exception"
#: The reasons of ends of pieces at which nothing of the program is done: see `Hop.is_step`.
STEPS = frozenset([_FOLLOWED, WALKED_BACK, _LEFT])


def _follow(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    machine.push(recorder.do_between(machine, follow, args, kwargs, _FOLLOWED))
    return True


def _walk_back(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    has_hooks = args[-1]
    if has_hooks:
        machine.push(recorder.interpret(machine, walk_back, args, kwargs, "hooks on what a gradient is taken by"))
    else:
        machine.push(recorder.do_between(machine, walk_back, args, kwargs, WALKED_BACK))
    return True


def _leave(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Where the program may go on behind the exception this is a step; else nothing is compiled that would come there."""
    if any(map(_may_catch, (frame for each in machine.chain() for frame in each.frames))):
        machine.push(recorder.do_between(machine, leave, args, kwargs, _LEFT))
    else:
        machine.push(machine.natively(leave, args, kwargs))
    return True


def _may_catch(frame: Any) -> bool:
    """Whether an exception may end in a frame, but for those that pass it on. Iterators end with exceptions too."""
    passes_on = frame.function is differentiate_in_pieces
    return bool(frame.handlers and not passes_on) or frame.deliver not in ("value", "drop", "truth", "object")


def _computed(function: Callable, tree: int | None) -> Callable:
    """For a function whose result follows from its arguments; see `ARRANGING`."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        args = tuple(map(recorder.force, args))
        if tree is None or can_walk(recorder, args[tree]):
            machine.push(recorder.compute(machine, function, args, kwargs))
        else:
            machine.push(recorder.interpret(machine, function, args, kwargs, UNSEEN))
        return True

    return special


UNSEEN = "a gradient with tensors in containers that the compiler cannot look into"


def can_walk(recorder: Any, tree: Any, depth: int = 0) -> bool:
    """Whether the functions of `core/tree.py` find nothing in a nesting that is not known, and call nothing of the program;
    what they find is guarded."""
    kind = type(tree)
    if kind in (tuple, list, dict) or (isinstance(tree, tuple) and hasattr(kind, "_fields")):
        recorder.look(tree)
        return depth < 20 and all(can_walk(recorder, x, depth + 1) for x in (tree.values() if kind is dict else tree))
    if isinstance(tree, (tuple, list, Mapping)):
        return False
    if not dataclasses.is_dataclass(tree) or isinstance(tree, type):
        return True
    names = [field.name for field in dataclasses.fields(tree)]
    made_by = getattr(kind.__init__, "__code__", None)
    is_plain = made_by is not None and made_by.co_filename == "<string>" and not hasattr(kind, "__post_init__")
    if depth >= 20 or not is_plain or not is_plain_object(kind) or not all(name in tree.__dict__ for name in names):
        return False
    if recorder.is_outside(tree):
        for name in names:
            recorder.look(recorder.force(recorder.getattr_plain(tree, name)))
    return all(can_walk(recorder, tree.__dict__[name], depth + 1) for name in names)


#: What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done.
GRADIENTS: dict[Any, Callable] = {
    follow: _follow,
    walk_back: _walk_back,
    leave: _leave,
    **{function: _computed(function, tree) for function, tree in ARRANGING.items()},
}
