"""Cells whose insides are computed again on the way back, instead of being kept.

The call runs without the tape and leaves one node, which keeps the arguments. On the way back the Cell is run again with
the tape on, from what there was at the first time: the values of its parameters and running moments, the random numbers,
whether it trains, mixed precision. So gradients are the same bits. What there is now is put back behind it: running moments
move once. Other effects of `construct`, a `print` say, come twice.

Graph mode leaves such a call to the interpreter; what it calls is compiled as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from anfora.core import random, slots
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError
from anfora.core.tensor import Tensor, current
from anfora.core.tree import tensors, tree_map
from anfora.eager import autocast, operators, tape
from anfora.eager.custom import Kept, record_python
from anfora.kernel.glue import is_recording

__all__ = ["recompute", "recomputed"]


def recompute(
    block: Cell,
    *args: Any,
    use_reentrant: bool = True,
    output_recompute: bool = False,
    early_stop: bool = True,
    context_fn: Callable[[], tuple] | None = None,
    **kwargs: Any,
) -> Any:
    """Call a Cell whose insides are not kept for the gradient, but computed again: it takes less memory and more time.

    Args:
        block: the Cell.
        args, kwargs: what it is called with: tensors, in any nesting, and other values.
        use_reentrant, output_recompute, early_stop: accepted for MindSpore programs; what is kept is what the arguments
            hold, always.
        context_fn: gives two context managers, one for the call and one for the second call on the way back.
    Returns:
        what the Cell gives.
    Raises:
        OpTypeError: `block` is no Cell, or `context_fn` gives no pair.
    Gradient:
        that of the Cell, in the same bits; of any order.
    Example:
        >>> net = nn.SequentialCell(nn.Dense(2, 2), nn.Tanh())
        >>> x = Tensor([[1., 2.]])
        >>> kept, again = grad(lambda x: net(x).sum())(x), grad(lambda x: recompute(net, x).sum())(x)
        >>> kept.tolist() == again.tolist()
        True
    """
    if not isinstance(block, Cell):
        raise OpTypeError(f"recompute needs a Cell, but got {type(block).__name__}", arg="block")
    return recomputed(block, args, kwargs, _call, context_fn)


def _call(cell: Cell, args: tuple, kwargs: dict) -> Any:
    return cell(*args, **kwargs)


def recomputed(
    cell: Cell, args: tuple, kwargs: dict, run: Callable[[Cell, tuple, dict], Any], context_fn: Callable | None = None
) -> Any:
    """What `run(cell, args, kwargs)` gives, with the gradient of it computed again."""
    inputs = list(tensors((args, kwargs)))
    weights = [p for p in cell.get_parameters() if p.requires_grad]
    if not is_recording() or all(current(t)._node is None for t in (*inputs, *weights)):
        return run(cell, args, kwargs)
    first, second = _contexts(context_fn)
    past = _Past(cell)
    with first, tape.recording(False):
        output = run(cell, args, kwargs)

    def back(gradients: tuple, given: list, _: list) -> list:
        is_followed = is_recording()
        with past.again(), second, tape.recording(True):
            handles = [operators.alias(value) for value in given[: len(inputs)]]
            handle_of = iter(handles)
            results = tensors(run(cell, *tree_map(lambda _: next(handle_of), (args, kwargs))))
            slots_of = [current(each)._node for each in (*handles, *weights)]
            pairs = [(current(result)._node, g) for result, g in zip(results, gradients)]
            seeds = [(slot, g) for slot, g in pairs if slot is not None and g is not None]
            wanted = [slot for slot in slots_of if slot is not None]
            found = tape.backward(seeds, wanted, is_followed, is_followed)
        return [None if slot is None else found.get(tape.key_of(slot)) for slot in slots_of]

    return record_python(f"{type(cell).__name__}.recompute()", [*inputs, *weights], output, back, keeps=inputs)


def _contexts(context_fn: Callable | None) -> tuple[AbstractContextManager, AbstractContextManager]:
    pair = (nullcontext(), nullcontext()) if context_fn is None else context_fn()
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise OpTypeError(f"`context_fn` must give two context managers, but gave {pair!r:.80}", arg="context_fn")
    return pair


class _Past:
    """What a call of a Cell depends on beside its arguments, as it is when this is made."""

    def __init__(self, cell: Cell) -> None:
        self.parameters = [(parameter, Kept(parameter)) for parameter in cell.get_parameters()]
        self.training = [(each, each.training) for _, each in cell.cells_and_names()]
        self.streams = [(each, each.__getstate__()) for each in random.generators()]
        self.half = autocast.state.dtype

    @contextmanager
    def again(self) -> Iterator[None]:
        """For a while all is as it was."""
        now = (
            [(each, each.training) for each, _ in self.training],
            [(each, each.__getstate__()) for each, _ in self.streams],
        )
        changed = [(p, kept) for p, kept in self.parameters if current(p)._array is not kept._array]
        values = [(parameter, Kept(parameter)) for parameter, _ in changed]
        before = autocast.enter(self.half)
        try:
            self._put(self.training, self.streams, changed)
            yield
        finally:
            self._put(*now, values)
            autocast.leave(before)

    @staticmethod
    def _put(training: list, streams: list, parameters: Sequence[tuple[Tensor, Kept]]) -> None:
        for cell, is_training in training:
            cell.__dict__["training"] = is_training
        for generator, state in streams:
            generator.__setstate__(state)
        for parameter, kept in parameters:
            slots.assign(parameter, kept.detached())
