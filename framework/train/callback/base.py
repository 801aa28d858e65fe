"""Callbacks: what a program wants done at the moments of a training or an evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpAttributeError, OpTypeError
from anfora.core.tensor import Tensor

__all__ = ["Callback", "CallbackManager", "InternalCallbackParam", "RunContext", "loss_of"]


class Callback:
    """Base of callbacks. Subclasses write the methods of the moments that they want.

    | moment | method in training | in evaluation | in both |
    | --- | --- | --- | --- |
    | at the very begin and end | on_train_begin, on_train_end | on_eval_begin, on_eval_end | begin, end |
    | around an epoch | on_train_epoch_begin, …_end | on_eval_epoch_begin, …_end | epoch_begin, epoch_end |
    | around a step | on_train_step_begin, …_end | on_eval_step_begin, …_end | step_begin, step_end |

    Each gets a `RunContext`, and a method of the last column is called where there is none of the others. Callbacks are
    context managers too: entered before the first moment and left after the last one, also when an error ends the run.

    What a callback must remember for a training that is stopped and resumed, it gives in `state_dict` and takes in
    `load_state_dict`; the simplest way is to name its attributes in `kept`.

    Example:
        >>> class Count(Callback):
        ...     kept = ("steps",)
        ...     def on_train_begin(self, run_context):
        ...         self.steps = 0
        ...     def on_train_step_end(self, run_context):
        ...         self.steps += 1
        ...         if run_context.original_args().net_outputs.item() > 1e3:
        ...             run_context.request_stop()
        >>> count = Count(); count.on_train_begin(None); count.state_dict()
        {'steps': 0}
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls)

    kept: tuple[str, ...] = ()  #: attributes that belong to a checkpoint

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *err: object) -> Any:
        return None

    def state_dict(self) -> dict[str, Any]:
        """What belongs to a checkpoint: numbers, strings, arrays and tensors in any nesting."""
        return {name: getattr(self, name) for name in self.kept}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take what `state_dict` gave, after `on_train_begin`."""
        for name in self.kept:
            if name in state:
                setattr(self, name, state[name])

    def begin(self, run_context: RunContext) -> None:
        """Before the first epoch."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """After each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Before each step."""

    def step_end(self, run_context: RunContext) -> None:
        """After each step."""

    def end(self, run_context: RunContext) -> None:
        """After the last epoch."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Before the first epoch of a training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch of a training."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """After each epoch of a training, and its evaluation."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Before each step of a training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """After each step of a training."""
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """After the last epoch of a training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Before the data of an evaluation."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """After the data of an evaluation; the metrics are not there yet."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Before each step of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """After each step of an evaluation."""
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """After an evaluation; `metrics` are there."""
        self.end(run_context)


class InternalCallbackParam(dict):
    """What is known at a moment, as attributes and as a dict. Names are MindSpore's: `loss_scale_mananger` too.

    Raises:
        OpAttributeError, for an attribute: it is not known at this moment.
    Example:
        >>> InternalCallbackParam(cur_step_num=3).cur_step_num
        3
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise OpAttributeError(
                f"there is no {name!r} at this moment", help=f"there are {', '.join(sorted(self))}."
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """What a callback is given at a moment.

    Args:
        original_args: a dict of what is known; see `InternalCallbackParam`.
    Raises:
        OpTypeError: it is no dict.
    Example:
        >>> context = RunContext({"cur_step_num": 1})
        >>> context.original_args()["cur_step_num"], context.get_stop_requested()
        (1, False)
    """

    def __init__(self, original_args: dict[str, Any]) -> None:
        if not isinstance(original_args, dict):
            raise OpTypeError(f"RunContext needs a dict, but got {type(original_args).__name__}", arg="original_args")
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> Any:
        """What is known: `cur_epoch_num`, `cur_step_num`, `batch_num` (steps an epoch), `net_outputs`, `network`, …"""
        return self._original_args

    def request_stop(self) -> None:
        """Let the run end after this step, and its epoch after its evaluation."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Whether somebody has asked for the end."""
        return self._stop_requested


class CallbackManager(Callback):
    """Callbacks as one: each moment goes to all of them, in their order.

    Args:
        callbacks: a callback, some of them, or None.
    Raises:
        OpTypeError: something among them is no callback.
    """

    def __init__(self, callbacks: Any) -> None:
        self._callbacks = as_list("callbacks", callbacks)
        self._stack = ExitStack()

    def __enter__(self) -> CallbackManager:
        self._stack = ExitStack()
        with ExitStack() as entering:  # what was entered is left again if a later one fails
            entered = [entering.enter_context(callback) for callback in self._callbacks]
            self._stack = entering.pop_all()
        self._callbacks = [
            new if isinstance(new, Callback) else old for new, old in zip(entered, self._callbacks, strict=True)
        ]
        return self

    def __exit__(self, *err: Any) -> Any:  # noqa: PYI036
        return self._stack.__exit__(*err)

    def __iter__(self) -> Any:
        return iter(self._callbacks)

    def after(self, callback: Callback) -> list[Callback]:
        """Those that come behind one of them."""
        return self._callbacks[[held is callback for held in self._callbacks].index(True) + 1 :]


def _pass_on(name: str) -> Any:
    def moment(self: CallbackManager, run_context: RunContext) -> None:
        for callback in self._callbacks:
            getattr(callback, name)(run_context)

    moment.__name__ = name
    return moment


#: The methods of all moments.
MOMENTS = [
    f"{prefix}{what}"
    for prefix in ("", "on_train_", "on_eval_")
    for what in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]
for _name in MOMENTS:
    setattr(CallbackManager, _name, _pass_on(_name))


def as_list(name: str, callbacks: Any) -> list[Callback]:
    """One callback, some of them, or None, as a list."""
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback):
        return [callbacks]
    if not isinstance(callbacks, Iterable):
        raise OpTypeError(f"`{name}` must be a Callback or a list of them, but got {callbacks!r}", arg=name)
    found = list(callbacks)
    for callback in found:
        if isinstance(callback, type) and issubclass(callback, Callback):
            raise OpTypeError(
                f"`{name}` must hold callbacks, but got the class {callback.__name__}",
                help=f"make one: {callback.__name__}().", arg=name,
            )  # fmt: skip
        if not isinstance(callback, Callback):
            raise OpTypeError(f"`{name}` must hold callbacks, but got {callback!r}", arg=name)
    return found


def loss_of(outputs: Any) -> Any:
    """The loss among what a step gives: of several values the first, as it is; of a tensor the mean, as a float."""
    if isinstance(outputs, (tuple, list)) and outputs and isinstance(outputs[0], Tensor):
        return outputs[0]
    if isinstance(outputs, Tensor):
        return float(outputs.item() if outputs.size == 1 else np.mean(outputs.asnumpy()))
    return outputs
