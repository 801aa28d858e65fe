"""What surrounds the user's code where a Cell is called, or a gradient is the program's own.

The functions that do this in PyNative mode (eager/cells.py, eager/custom.py) are programs which the machine goes into. Here
stands what it cannot see there: which hooks there are, so that later calls look whether there still are these; parameters
of a Cell that is computed in another type; nodes of the tape whose rule is a function of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core import slots
from anfora.core.cell import Cell, converted, hooks_of
from anfora.core.dtype import DType, float32, int64
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors
from anfora.eager import cells, custom
from anfora.eager.recompute import recomputed
from anfora.eager.tape import Block, Node, Output, key_of
from anfora.graph.facts.kinds import module_of
from anfora.graph.facts.known import is_of_layers
from anfora.graph.facts.origins import Number
from anfora.graph.polyfill.making import cells_among, is_made_here, names_plainly, settle
from anfora.kernel import glue
from anfora.ops import ones

__all__ = ["SURROUNDINGS", "do_natively", "hooks_on", "initialise_here", "look_at_hooks", "make_here"]


def hooks_on(tensor: Tensor) -> tuple:
    """The hooks on the gradient of a tensor, in the order in which they are called."""
    node = tensor._node
    if node is None:
        table = tensor.__dict__.get("_hooks")
    else:
        owner, index = node.key if type(node) is Output and type(node.key) is tuple else (key_of(node), 0)
        table = None if type(owner) is Block else (owner.hooks or {}).get(index)
    return tuple(table.values()) if table else ()


def look_at_hooks(recorder: Any, tensor: Tensor) -> bool:
    """Let later calls see to it that a tensor from outside has the hooks on its gradient that it has now; whether there
    are any."""
    found = recorder.origins.get(id(tensor))
    origin = recorder.origin("known", tensor) if found is None else found[1]
    if not hooks_on(tensor):
        recorder.guard("no hooks", origin)
        return False
    recorder.look(recorder.register(hooks_on(tensor), recorder.derive(hooks_on, origin)))
    return True


def do_natively(recorder: Any, machine: Any, function: Callable, args: tuple, kwargs: dict) -> bool:
    """Do it by Python: what comes of it follows from the arguments, and the operators in it are seen."""
    args = tuple(map(recorder.force, args))
    kwargs = {name: recorder.force(value) for name, value in kwargs.items()}
    machine.push(recorder.compute(machine, function, args, kwargs))
    return True


def _natively(function: Callable) -> Callable:
    """For functions that are only done by Python."""
    return lambda recorder, machine, args, kwargs: do_natively(recorder, machine, function, args, kwargs)


def _look_at_hooks(recorder: Any, cell: Cell, kind: str) -> Any:
    """The hooks of a Cell, guarded."""
    hooks = hooks_of(cell, kind)
    if not recorder.is_outside(cell):
        return hooks
    return recorder.register(hooks, recorder.derive(hooks_of, recorder.origins[id(cell)][1], kind))


def _hooks_of(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    machine.push(_look_at_hooks(recorder, *args))
    return True


def _compute(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Leave a Cell in another computing type to the interpreter where that is needed somewhere inside."""
    cell = args[0]
    is_lowered = isinstance(cell.__dict__["_compute_type"], DType)
    if not is_lowered or (recorder.is_outside(cell) and ("lowered", id(cell)) not in recorder.keeper.divided):
        return False
    machine.push(recorder.interpret(machine, cells.compute, args, kwargs, _reason_to_compute(cell)))
    return True


def _reason_to_compute(cell: Any) -> str:
    return f"{type(cell).__name__} computes in another type, and what it does needs the interpreter"


def _lower(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Put converted tensors in the place of parameters, for the time of the frame that asks for it."""
    cell, dtype = args
    if not recorder.region:
        machine.frames[-1].whole = "lowered", id(cell)
        if recorder.is_outside(cell):
            recorder.indivisible["lowered", id(cell)] = machine.place, _reason_to_compute(cell)
    if not any(low.cell is cell for low in recorder.lowered):
        names = cells.names_to_lower(cell, dtype)
        recorder.guard("equal", recorder.derive(cells.names_to_lower, recorder.origins[id(cell)][1], dtype), names)
        for name in names:
            recorder.getattr_plain(cell, name)
    do_natively(recorder, machine, cells.lower, args, kwargs)
    recorder.lowered.append(machine.frames[-1].stack[-1])
    return True


def _put_back(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    recorder.lowered.remove(args[0])
    return do_natively(recorder, machine, cells.Lowered.put_back, args, kwargs)


def _converted(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Convert the tensors of a nesting, if no code of the program is called for it."""
    args = tuple(map(recorder.force, args))
    if kwargs or any(map(recorder.opaque, args)) or not all(map(recorder.natural, args)):
        machine.push(recorder.interpret(machine, converted, args, kwargs, "a conversion of an object of the program"))
        return True
    return do_natively(recorder, machine, converted, args, kwargs)


def _call_construct(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`super().__call__(…)` in a Cell that is called in a way of its own."""
    if not args or not isinstance(args[0], Cell):
        return False
    return recorder.calls.call_construct(machine, args[0], args[1:], kwargs)


def make_here(recorder: Any, machine: Any, kind: type, args: tuple, kwargs: dict) -> bool:
    """Make a layer of this library, or a Parameter: it is what its attributes are, numbers and parameters."""
    args = tuple(map(recorder.force, args))
    kwargs = {name: recorder.force(value) for name, value in kwargs.items()}
    given = (*args, *kwargs.values())
    if any(map(recorder.opaque, given)):
        return False
    if not all(recorder.natural(x) or recorder.owns_array(x) or is_made_here(recorder, x) for x in given):
        return False
    if not all(is_made_here(recorder, cell) for cell in cells_among(given)):
        return False  # it would name their parameters
    return do_natively(recorder, machine, _made, (kind, args, kwargs), {})


def _made(kind: type, args: tuple, kwargs: dict) -> Any:
    return _settled(kind(*args, **kwargs))


def _settled(made: Any) -> Any:
    """What has been made, whose parameters are known to be the program's; or it is said that they are not."""
    recorder = slots.watcher.recorder
    if recorder is not None:
        if is_made_here(recorder, made):
            settle(recorder, made)
        else:
            recorder.note_foreign(f"a new {type(made).__name__}, with what it holds")
    return made


def initialise_here(recorder: Any, machine: Any, function: Callable, args: tuple, kwargs: dict) -> bool:
    """`super().__init__(…)` in a Cell of the program that is a layer of this library's."""
    if function.__name__ != "__init__" or not is_of_layers(module_of(function)):
        return False
    if not args or not isinstance(args[0], Cell):
        return False
    args = tuple(map(recorder.force, args))
    kwargs = {name: recorder.force(value) for name, value in kwargs.items()}
    given = (*args[1:], *kwargs.values())
    if recorder.is_outside(args[0]) or any(map(recorder.opaque, given)) or not all(map(recorder.natural, given)):
        return False
    if not all(is_made_here(recorder, cell) for cell in cells_among(given)):
        return False
    return do_natively(recorder, machine, _initialised, (function, args, kwargs), {})


def _initialised(function: Callable, args: tuple, kwargs: dict) -> None:
    function(*args, **kwargs)
    _settled(args[0])


def _parameter(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Make a Parameter; of a number that varies, by an operator."""
    if args and type(args[0]) is Number and type(args[0].value) in (int, float):
        dtype = int64 if type(args[0].value) is int else float32
        recorder.enter(machine, parameter_of_number, (args[0], dtype, args[1:], kwargs), {})
        return True
    return make_here(recorder, machine, Parameter, args, kwargs)


def parameter_of_number(value, dtype, args, kwargs):
    return Parameter(ones((), dtype) * value, *args, **kwargs)


def _of_made_cell(function: Callable) -> Callable:
    """For methods of Cells that look at what these hold, or set `training`: Python calls them on a layer that the program
    has made."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if not args or not isinstance(args[0], Cell):
            return False
        if not names_plainly(type(args[0])):
            return False
        cells = [cell for _, cell in args[0].cells_and_names()]
        is_known = all(names_plainly(type(cell)) for cell in cells) and not any(map(recorder.is_outside, cells))
        if not is_known or any(type(value) is Number for value in (*args, *kwargs.values())):
            return False
        for parameter in args[0].get_parameters():
            _is_followed(recorder, parameter)
        return do_natively(recorder, machine, function, args, kwargs)

    return special


# -- gradients of the program's own -----------------------------------------------------------------------------------


def _recorded(
    function: Callable,
    inputs: Callable[[tuple], Any],
    reason: str,
    on: Callable | None = None,
    flat: Callable = tensors,
) -> Callable:
    """For what leaves a node on the tape, whose rule is a function of the program: inside of a gradient that is taken by
    the program, the walk back is recorded with all it calls. For a tape outside the node is left when the piece has run, or
    by the interpreter.

    Args:
        inputs: from the arguments of `function` to the tensors that the node would follow.
        on: from the same to what its results have the memory of, if a node can be left later.
        flat: from such a nesting, and from the result, to the tensors.
    """

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        args = tuple(map(recorder.force, args))
        followed = glue.is_recording() and any(_is_followed(recorder, t) for t in inputs(args))
        if not followed:
            for tensor in inputs(args):
                recorder.note_asked(tensor)
        if followed and not recorder.region:
            if on is not None and recorder.leave_node(machine, function, args, lambda a: flat(on(a)), flat, reason):
                return True
            machine.push(recorder.interpret(machine, function, args, kwargs, reason))
            return True
        return do_natively(recorder, machine, function, args, kwargs)

    return special


def _only_tensors(values: tuple) -> list[Tensor]:
    return [value for value in values if isinstance(value, Tensor)]


def _followed_by_own(args: tuple) -> list[Tensor]:
    """What a node with a rule of the program's own would follow."""
    return _only_tensors(args[2])


def _is_followed(recorder: Any, tensor: Tensor) -> bool:
    """Whether the tape follows a tensor, which later calls look at too."""
    if recorder.is_outside(tensor):
        recorder.guard("history", recorder.origins[id(tensor)][1], tensor._node is not None)
    return tensor._node is not None


def _watch(function: Callable, flat: Callable) -> Callable:
    reason = "backward hooks, under a tape outside"
    special = _recorded(function, lambda args: flat(args[1]), reason, lambda args: args[1], flat)

    def watch(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        for kind in ("backward_pre", "backward"):
            recorder.look(_look_at_hooks(recorder, args[0], kind))
        return special(recorder, machine, args, kwargs)

    return watch


def _recomputed(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """What nodes inside of a Cell have kept is dropped by the interpreter. There are none where no tape is on, and before a
    run: the Cell is called like any other then."""
    if glue.is_recording() and not recorder.is_before_run:
        machine.push(
            recorder.interpret(machine, recomputed, args, kwargs, "a Cell that is computed again on the way back")
        )
        return True
    cell, given, named, run, *_ = args
    recorder.call(machine, run, (cell, given, named), {})
    return True


def _apply(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Go into a Function of the program. What it keeps for the way back cannot be put down, so either all of it is one
    piece, or the interpreter does it."""
    name = "function", id(args[0])
    reason = f"{args[0].__name__}.apply, in which the interpreter is needed"
    apply = vars(custom.Function)["apply"].__func__
    if name in recorder.keeper.divided:
        machine.push(recorder.interpret(machine, apply, args, kwargs, reason))
        return True
    recorder.indivisible[name] = machine.place, reason
    recorder.enter(machine, apply, args, kwargs)
    if not recorder.region:
        machine.frames[-1].whole = name
    return True


def _register_hook(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """A hook on a tensor inside of a gradient is gone with the tape of this gradient, if the program has made the
    tensor."""
    if kwargs or len(args) != 2 or type(args[0]) is not Tensor:
        return False
    if not recorder.region:
        return bool(recorder.put_hook(machine, *args))
    tensor, hook = args  # one that a tape outside follows cannot leave a gradient, see `Escaped`
    if not recorder.region or recorder.is_outside(tensor) or type(hook) is Number or recorder.opaque(hook):
        return False
    is_alias = type(tensor._node) is Node and tensor._node.recipe.entry.op.name == "alias"
    if tensor.is_leaf or (hooks_on(tensor) and is_alias):
        return False  # an argument shares its table of hooks with the tensor outside
    recorder.look(hook)
    machine.push(machine.natively(Tensor.register_hook, args, {}))
    return True


def _backward(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`tensor.backward()`."""
    given = dict(zip(("gradient", "retain_graph", "create_graph"), args[1:]))
    if not 0 < len(args) < 5 or not given.keys().isdisjoint(kwargs) or not isinstance(args[0], Tensor):
        return False
    given = {"gradient": None, "retain_graph": None, "create_graph": False, **given, **kwargs}
    return len(given) == 3 and recorder.walk_back(machine, args[0], **given)


def _require_gradient(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`tensor.requires_grad_()`."""
    given = (*args[1:], *(kwargs[name] for name in kwargs if name == "requires_grad"))
    if not args or len(args) + len(kwargs) != 1 + len(given) or len(given) > 1 or not isinstance(args[0], Tensor):
        return False
    return bool(recorder.require_gradient(machine, args[0], given[0] if given else True))


_OWN_GRADIENT = "a gradient of the program's own, under a tape outside"
#: What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done.
SURROUNDINGS: dict[Any, Callable] = {
    Cell.__call__: _call_construct,
    Parameter: _parameter,
    **{
        function: _of_made_cell(function)
        for function in (Cell.set_train, Cell.set_grad, Cell.trainable_params, Cell.untrainable_params)
    },
    hooks_of: _hooks_of,
    converted: _converted,
    recomputed: _recomputed,
    cells.compute: _compute,
    cells.lower: _lower,
    cells.Lowered.put_back: _put_back,
    cells.watch_inputs: _watch(cells.watch_inputs, _only_tensors),
    cells.watch_output: _watch(cells.watch_output, tensors),
    custom.differentiable: _recorded(custom.differentiable, _followed_by_own, _OWN_GRADIENT, lambda args: args[3]),
    custom.recorded_function: _recorded(custom.recorded_function, _followed_by_own, _OWN_GRADIENT),
    vars(custom.Function)["apply"].__func__: _apply,
    custom.keep: _natively(custom.keep),
    custom.given_back: _natively(custom.given_back),
    Tensor.backward: _backward,
    Tensor.register_hook: _register_hook,
    Tensor.requires_grad_: _require_gradient,
}
