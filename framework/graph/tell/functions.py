"""Functions of MindIR that recorded programs have, beside those of every program.

    interpret(text, reason, names, f, …)  f(…) by Python; `names` are those of the last arguments
    attempt(text, reason, names, f, …)    the same, and gives an Outcome: the program goes on behind an exception, too
    spread((f, args, kwargs))             f(*args, **kwargs); kwargs may be missing
    by_outcome(outcome, cases, …)         the function behind an outcome
    by_guards(values, guards, …)          the function whose guards hold for the values
    draw(n)                               seed and offset for random numbers; the stream moves on by n counters
    under(switches, f, …)                 f(…), with the tape on or off, and mixed precision as it was there
    untaped(f, …)                         f(…), without the tape
    attempted(f, …)                       f(…), an operator whose error the program would catch; that is not recorded
    leaf(x)                               x, which requires a gradient from here on
    results_by(f, x)                      what f finds in x, in a row: the results of what leaves a node on the tape
    no_history(x)                         x, of which the program has asked whether a tape follows it, and none does

An outcome is chosen by what a hop has seen (`Cases`), a variant by what its guards ask for (`Guards`); what a program puts
together of its values in one go is an `Arrangement`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.errors import AnforaError, OpRuntimeError
from anfora.core.tensor import Tensor
from anfora.eager.tape import no_grad
from anfora.graph.ir.primitives import PRIMITIVES, Primitive
from anfora.graph.machine.switches import Switches, switches
from anfora.graph.run.leaving import released
from anfora.graph.run.points import Hop, Same
from anfora.graph.state.images import Image, build
from anfora.graph.state.moments import Outcome, Piece, drawn
from anfora.graph.tell.wording import first_failing, outcome_text

__all__ = ["Arrangement", "Cases", "Globals", "Guards"]

_RECORD = PRIMITIVES["record"]


def _attempt(text: str, reason: str, names: tuple, function: Callable, *args: Any) -> Outcome:
    try:
        return Outcome(PRIMITIVES["interpret"].function(text, reason, names, function, *args))
    except BaseException as error:
        return Outcome(error=error)


def _spread(call: tuple) -> Any:
    function, args, *more = call
    return function(*args, **(more[0] if more else {}))


def _by_outcome(outcome: Any, cases: Cases, *functions_and_values: Any) -> Callable:
    functions, values = functions_and_values[: len(cases.keys)], functions_and_values[len(cases.keys) :]
    live: Any = dict(zip(cases.slots, values))
    outcome = outcome if type(outcome) is Outcome else Outcome(outcome)
    key, _ = cases.hop.edge(live, outcome)
    if key not in cases.keys and type(outcome.value) is tuple:  # who else holds it cannot be told here
        outcome.held = (id(outcome.value),)
        key, _ = cases.hop.edge(live, outcome)
    return functions[cases.keys.index(key)] if key in cases.keys else _RECORD.function


def _by_guards(values: tuple, guards: Guards, *functions: Callable) -> Callable:
    for piece, function in zip(guards.pieces, functions):
        if first_failing(piece.guards, values) is None:
            return function
    return _RECORD.function


def _under(switch: Switches, function: Callable, *args: Any) -> Any:
    before = switches()
    switch.turn()
    try:
        return (function.function if isinstance(function, Primitive) else function)(*args)
    finally:
        before.turn()


def _untaped(function: Callable, *args: Any) -> Any:
    with no_grad():
        return function(*args)


def _attempted(function: Callable, *args: Any) -> Any:
    try:
        return function(*args)
    except AnforaError:
        return _RECORD.function()


def _results_by(function: Callable, value: Any) -> tuple:
    return tuple(function(value))


def _no_history(x: Tensor) -> Tensor:
    if x._node is not None:
        raise OpRuntimeError(
            "the program asks whether a tape follows this value, and goes another way then: this graph is of the case that "
            "none does",
            help="lower the program with arguments that require gradients, or take the gradient of its parsed graph.",
        )
    return x


for _primitive in (
    Primitive("attempt", _attempt, 4, None),
    Primitive("spread", _spread, 1, 1),
    Primitive("by_outcome", _by_outcome, 2, None),
    Primitive("by_guards", _by_guards, 2, None),
    Primitive("draw", drawn, 1, 1),
    Primitive("under", _under, 2, None),
    Primitive("untaped", _untaped, 1, None),
    Primitive("attempted", _attempted, 1, None),
    Primitive("leaf", Tensor.requires_grad_, 1, 1),
    Primitive("results_by", _results_by, 2, 2),
    Primitive("no_history", _no_history, 1, 1),
):
    PRIMITIVES[_primitive.name] = _primitive


class Cases:
    """Outcomes of a hop; `slots` hold values that were one object with others."""

    def __init__(self, hop: Hop, keys: list[Any]) -> None:
        self.hop, self.keys = hop, keys
        pairs = [pair for key in keys if type(key) is Same for pair in key.pairs]
        self.slots = sorted({place for pair in pairs for place in pair if type(place) is int})

    def __repr__(self) -> str:
        return " | ".join(map(outcome_text, self.keys))


class Guards:
    """The guards of pieces that start from one moment."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = list(pieces)

    def __repr__(self) -> str:
        return f"guards of {len(self.pieces)} variants"


class Arrangement:
    """Objects that a program makes of its values: lists that it shares, functions, objects of its classes.

    Args:
        image: the pattern.
        slots: which of its slots the arguments stand in.
        wanted: by number, which of the objects that are made are given too, behind the whole.
    """

    def __init__(self, image: Image, slots: Sequence[int], wanted: Sequence[int] = ()) -> None:
        self.image, self.slots, self.wanted = image, tuple(slots), tuple(wanted)

    def __call__(self, *values: Any) -> Any:
        made: list[Any] = []
        whole = released(build(self.image, dict(zip(self.slots, values)), made), made)
        return (whole, *(made[number] for number in self.wanted)) if self.wanted else whole

    def __repr__(self) -> str:
        return f"arrangement: {self.image[0]}"


class Globals:
    """The variables of a module that is known by them alone."""

    def __init__(self, variables: dict) -> None:
        self.variables = variables

    def __getitem__(self, name: Any) -> Any:
        return self.variables[name]

    def __repr__(self) -> str:
        return f"the variables of {self.variables.get('__name__', 'a module')}"
