"""Callbacks that act on a training: end it, change its learning rate, call functions of the program."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.settings import log
from anfora.core.tensor import Tensor, current, from_buffer
from anfora.nn.checks import choice, flag, integer, number
from anfora.train.callback.base import Callback, RunContext, loss_of

__all__ = ["EarlyStopping", "LambdaCallback", "LearningRateScheduler", "ReduceLROnPlateau"]

#: What is better when it is less, with mode "auto".
_LESS_IS_BETTER = (
    "hausdorff_distance", "mae", "mse", "loss", "perplexity", "mean_surface_distance", "root_mean_square_distance",
    "eval_loss",
)  # fmt: skip


class _Watching(Callback):
    """What watches one value from epoch to epoch.

    Args:
        monitor: "loss", the loss of the last step of the epoch; or a value of the evaluation in `Model.fit`: "eval_loss" or
            the name of a metric.
        mode: "min" or "max" for what is better; "auto" by the name.
        min_delta: what is better by no more than this is not better.
    """

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        super().__init__()
        name = type(self).__name__
        if not isinstance(monitor, str):
            raise OpTypeError(f"{name} needs a string for `monitor`, but got {monitor!r}", arg="monitor")
        self.monitor = monitor
        self.mode = choice(name, "mode", mode, ("auto", "min", "max"))
        self.min_delta = abs(number(name, "min_delta", min_delta))
        self._falls = self.mode == "min" or (self.mode == "auto" and monitor in _LESS_IS_BETTER)
        self.best = math.inf if self._falls else -math.inf

    def is_improvement(self, value: float, than: float) -> bool:
        """Whether a value is better than another one."""
        return bool(value < than - self.min_delta if self._falls else value > than + self.min_delta)

    def _value(self, now: Any) -> float | None:
        """The value at the end of an epoch; None where there is none."""
        found = now.get("eval_results", {})
        value = loss_of(now.get("net_outputs")) if self.monitor == "loss" else found.get(self.monitor)
        if value is None:
            log.warning(
                "%s watches %r, which is not there; there are %s",
                type(self).__name__, self.monitor, sorted({"loss", *found}),
            )  # fmt: skip
            return None
        array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
        if array.ndim:
            raise OpValueError(
                f"{type(self).__name__} needs a single number, but {self.monitor!r} has the shape {array.shape}",
                arg="monitor",
            )
        return float(array)


class EarlyStopping(_Watching):
    """Ends a training when a value has not got better for some epochs.

    Args:
        monitor: "eval_loss", the name of a metric, or "loss" (of the last step of an epoch).
        min_delta: what is better by no more than this is not better.
        patience: after how many epochs without anything better; 0 ends it after the first one.
        verbose: whether it prints when it ends a training.
        mode: "min", "max" or "auto".
        baseline: what must be surpassed to count as better.
        restore_best_weights: whether the parameters of the best epoch are put back.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range.
    Example:
        >>> EarlyStopping("acc", patience=3).best
        -inf
    """

    kept = ("wait", "stopped_epoch", "best", "best_weights_param_dict")

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience = integer("EarlyStopping", "patience", patience, least=0)
        self.verbose = flag("EarlyStopping", "verbose", verbose)
        self.baseline = None if baseline is None else number("EarlyStopping", "baseline", baseline)
        self.restore_best_weights = flag("EarlyStopping", "restore_best_weights", restore_best_weights)
        self.wait = self.stopped_epoch = 0
        self.best_weights_param_dict: dict[str, Tensor] | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        self.wait = self.stopped_epoch = 0
        self.best = math.inf if self._falls else -math.inf
        self.best_weights_param_dict = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        value = self._value(now)
        if value is None:
            return
        if self.restore_best_weights and self.best_weights_param_dict is None:
            self.best_weights_param_dict = _copied(now.train_network)
        self.wait += 1
        if self.is_improvement(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self.best_weights_param_dict = _copied(now.train_network)
            if self.baseline is None or self.is_improvement(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = now.cur_epoch_num
            run_context.request_stop()
            if self.best_weights_param_dict is not None:
                from anfora.interop.checkpoint import load_param_into_net

                if self.verbose:
                    print("Restoring model weights from the end of the best epoch.", flush=True)
                load_param_into_net(now.train_network, self.best_weights_param_dict)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)


def _copied(network: Any) -> dict[str, Tensor]:
    """The parameters of a network as they are now."""
    return {p.name: from_buffer(np.array(current(p)._array), p.dtype) for p in network.get_parameters()}


def _fixed_rate(owner: str, now: Any) -> Parameter:
    """The learning rate of a training, which must be one number."""
    rate = now.optimizer.learning_rate if now.get("optimizer") is not None else None
    if not isinstance(rate, Parameter):
        raise OpValueError(
            f"{owner} needs an optimizer with one fixed learning rate, but got "
            + ("no optimizer" if now.get("optimizer") is None else f"a {type(rate).__name__} of rates"),
            help="give the optimizer a number as learning rate, and no rates of groups.",
        )
    return rate


class ReduceLROnPlateau(_Watching):
    """Multiplies the learning rate by a factor when a value has not got better for some epochs.

    Args:
        monitor: "eval_loss", the name of a metric, or "loss" (of the last step of an epoch).
        factor: in (0, 1).
        patience: after how many epochs without anything better.
        verbose: whether it prints when it changes the rate.
        mode: "min", "max" or "auto".
        min_delta: what is better by no more than this is not better.
        cooldown: for how many epochs after a change nothing is counted.
        min_lr: no rate is less.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range; at the end of an epoch: the optimizer
            has more than one fixed rate.
    Example:
        >>> ReduceLROnPlateau("loss", factor=0.5, patience=2).factor
        0.5
    """

    kept = ("wait", "cooldown_counter", "best")

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        name = "ReduceLROnPlateau"
        self.factor = number(name, "factor", factor, above=0.0, below=1.0)
        self.patience = integer(name, "patience", patience, least=0)
        self.verbose = flag(name, "verbose", verbose)
        self.cooldown = integer(name, "cooldown", cooldown, least=0)
        self.min_lr = number(name, "min_lr", min_lr)
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        self.wait = self.cooldown_counter = 0
        self.best = math.inf if self._falls else -math.inf

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        rate = _fixed_rate("ReduceLROnPlateau", now)
        value = self._value(now)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.is_improvement(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                if rate.item() > self.min_lr:
                    new = max(np.float32(rate.item()) * np.float32(self.factor), np.float32(self.min_lr))
                    rate.set_data(Tensor(new, float32))
                    if self.verbose:
                        print(
                            f"Epoch {now.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to {new!s}.",
                            flush=True,
                        )
                self.cooldown_counter, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step.

    Args:
        learning_rate_function: from (the rate now, the number of the step, from 1) to the rate of the steps that follow.
    Raises:
        OpTypeError: it cannot be called.   OpValueError, at a step: the optimizer has more than one fixed rate.
    Example:
        >>> LearningRateScheduler(lambda rate, step: rate * 0.1 if step % 1000 == 0 else rate).state_dict()
        {}
    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        super().__init__()
        if not callable(learning_rate_function):
            raise OpTypeError(
                f"LearningRateScheduler needs a function, but got {learning_rate_function!r}",
                arg="learning_rate_function",
            )
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        rate = _fixed_rate("LearningRateScheduler", now)
        held = float(str(np.float32(rate.item())))  # 0.1, not 0.10000000149
        new = self.learning_rate_function(held, now.cur_step_num)
        if not math.isclose(held, new, rel_tol=1e-10):
            rate.set_data(Tensor(new, float32))
            log.info("at step %s the learning rate becomes %s", now.cur_step_num, new)


class LambdaCallback(Callback):
    """Functions of the program as a callback: each is called with the RunContext, at the moment of its name.

    Args:
        on_train_begin, on_train_epoch_begin, …: the functions; nothing is done where there is none.
    Raises:
        OpTypeError: one of them cannot be called.
    Example:
        >>> LambdaCallback(on_train_end=lambda run_context: print("done")).on_train_end(None)
        done
    """

    def __init__(
        self,
        on_train_epoch_begin: Callable | None = None,
        on_train_epoch_end: Callable | None = None,
        on_train_step_begin: Callable | None = None,
        on_train_step_end: Callable | None = None,
        on_train_begin: Callable | None = None,
        on_train_end: Callable | None = None,
        on_eval_epoch_begin: Callable | None = None,
        on_eval_epoch_end: Callable | None = None,
        on_eval_step_begin: Callable | None = None,
        on_eval_step_end: Callable | None = None,
        on_eval_begin: Callable | None = None,
        on_eval_end: Callable | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name.startswith("on_")}
        super().__init__()
        for name, function in given.items():
            if function is not None and not callable(function):
                raise OpTypeError(f"LambdaCallback needs a function for `{name}`, but got {function!r}", arg=name)
            self.__dict__[name] = function or _nothing


def _nothing(run_context: RunContext) -> None:
    """What is done at a moment that nobody wants."""
