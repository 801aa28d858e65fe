"""Schedulers: objects that change the learning rates of an optimizer when their `step()` is called.

They have the names and arguments of those of PyTorch and of `mindspore.experimental.optim.lr_scheduler`, and work with
every optimizer whose rates are fixed numbers: each group of `optimizer.param_groups` holds its rate in a Parameter, which
is written to. r₀ is the rate that a group has when the scheduler is made, t counts calls of `step()` from 0 (the
constructor makes the first call).
"""

from __future__ import annotations

import math
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from anfora.core import exact
from anfora.core.arguments import answers
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.optim.checks import number, positive_int
from anfora.optim.groups import UnknownSetting, value_of
from anfora.optim.optimizer import Optimizer, put

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler",
    "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
    "StepLR",
]  # fmt: skip


#: The schedulers of each optimizer, in the order in which they were made: a checkpoint of its training holds them.
_all: weakref.WeakKeyDictionary[Optimizer, list[weakref.ref]] = weakref.WeakKeyDictionary()


def schedulers_of(optimizer: Optimizer) -> list[Any]:
    """The schedulers that change the rates of an optimizer."""
    return [scheduler for held in _all.get(optimizer, ()) if (scheduler := held()) is not None]


@answers
class LRScheduler:
    """Base of schedulers. Subclasses set their attributes, call `super().__init__`, and write `get_lr`.

    Args:
        optimizer: whose rates are changed.
        last_epoch: t of the last call; -1 to start. To go on elsewhere the groups must have "initial_lr".

    Attributes:
        last_epoch: t.
        base_lrs: r₀ of each group.

    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range (so for all schedulers).
    Example:
        >>> class Halving(optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [rate / 2 ** self.last_epoch for rate in self.base_lrs]
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=0.5)
        >>> scheduler = Halving(optimizer)
        >>> scheduler.step(); float(optimizer.learning_rate)
        0.25
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls)

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        label = type(self).__name__
        _check_optimizer(label, optimizer)
        if isinstance(last_epoch, bool) or not isinstance(last_epoch, int):
            raise OpTypeError(f"{label} needs an int for `last_epoch`, but got {last_epoch!r}", arg="last_epoch")
        if last_epoch < -1:
            raise OpValueError(f"{label} needs an int >= -1 for `last_epoch`, but got {last_epoch}", arg="last_epoch")
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", value_of(group["lr"]))
            elif "initial_lr" not in group:
                raise UnknownSetting(
                    f"{label}: group {index} has no 'initial_lr', which is needed to go on", arg="last_epoch"
                )
        self.optimizer = optimizer
        _all.setdefault(optimizer, []).append(weakref.ref(self))
        self.last_epoch = last_epoch
        self.base_lrs = [float(group["initial_lr"]) for group in optimizer.param_groups]
        self.step()

    @property
    def _last_lr(self) -> list[Parameter]:
        """The Parameters that hold the rates."""
        return [group["lr"] for group in self.optimizer.param_groups]

    @property
    def _rates(self) -> list[float]:
        return [value_of(rate) for rate in self._last_lr]

    def get_lr(self) -> Sequence[Any]:
        """The rates of the groups at t = `last_epoch`, perhaps from those at t - 1."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr()")

    def get_last_lr(self) -> list[Tensor]:
        """The rates that are set now, one a group."""
        return [Tensor(rate, float32) for rate in self._rates]

    def step(self, epoch: Any = None) -> None:
        """Set the rates of the next t, or of the given one."""
        if epoch is None:
            self.last_epoch += 1
            rates = self.get_lr()
        else:
            self.last_epoch = int(epoch)
            rates = (getattr(self, "_get_closed_form_lr", None) or self.get_lr)()
        _write(self.optimizer, rates)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and functions."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer" and not _has_code(value)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave; rates are the optimizer's business."""
        self.__dict__.update(state_dict)


def _check_optimizer(label: str, optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise OpTypeError(f"{label} needs an optimizer, but got {type(optimizer).__name__}", arg="optimizer")
    for group in optimizer.param_groups:
        if not isinstance(group["lr"], Parameter):
            raise OpTypeError(
                f"{label} needs an optimizer with fixed rates, but its rate is a {type(group['lr']).__name__}",
                arg="optimizer",
                help="give it a number as learning rate.",
            )


def _write(optimizer: Optimizer, rates: Sequence[Any]) -> None:
    """Set the rates of the groups, some of which may share theirs."""
    numbers = [float(rate) for rate in rates]
    seen: dict[int, float] = {}
    for group, rate in zip(optimizer.param_groups, numbers):
        if seen.setdefault(id(group["lr"]), rate) != rate:
            raise OpValueError(
                "a scheduler gives two groups different rates, but they share one",
                help='give each group a rate of its own: {"params": …, "lr": …}.',
            )
    for group, rate in zip(optimizer.param_groups, numbers):
        put(group["lr"], rate)


def _has_code(value: Any) -> bool:
    return callable(value) or (isinstance(value, list) and any(callable(item) for item in value))


def _per_group(label: str, name: str, value: Any, optimizer: Optimizer) -> list[Any]:
    """One value for each group."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise OpValueError(f"{label} needs one value a group ({count}) for `{name}`, but got {len(value)}", arg=name)
    return list(value)


# -- multiples of what was ----------------------------------------------------------------------------------------------


class StepLR(LRScheduler):
    """The rate times γ every so many steps: r₀ γ ** floor(t / n).

    Args:
        optimizer, last_epoch: see LRScheduler.
        step_size: n > 0.
        gamma: γ.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(4)]
        [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = positive_int("StepLR", "step_size", step_size)
        self.gamma = number("StepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        is_due = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return [rate * self.gamma for rate in self._rates] if is_due else self._rates

    def _get_closed_form_lr(self) -> list[float]:
        return [base * exact.power(self.gamma, self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The rate times γ at each milestone.

    Args:
        optimizer, last_epoch: see LRScheduler.
        milestones: list of t; one that stands there twice counts twice.
        gamma: γ.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.5)
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(3)]
        [0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer: Optimizer, milestones: list[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        if not isinstance(milestones, (list, tuple)):
            raise OpTypeError(f"MultiStepLR needs a list for `milestones`, but got {milestones!r}", arg="milestones")
        if any(isinstance(item, bool) or not isinstance(item, int) for item in milestones):
            raise OpTypeError(f"MultiStepLR needs ints in `milestones`, but got {milestones}", arg="milestones")
        self.milestones = Counter(milestones)
        self.gamma = number("MultiStepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [rate * exact.power(self.gamma, self.milestones[self.last_epoch]) for rate in self._rates]

    def _get_closed_form_lr(self) -> list[float]:
        passed = sum(count for milestone, count in self.milestones.items() if milestone <= self.last_epoch)
        return [base * exact.power(self.gamma, passed) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """r₀ γ ** t.

    Args:
        optimizer, last_epoch: see LRScheduler.
        gamma: γ.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(3)]
        [0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = number("ExponentialLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [rate * self.gamma for rate in self._rates] if self.last_epoch else self._rates

    def _get_closed_form_lr(self) -> list[float]:
        return [base * exact.power(self.gamma, self.last_epoch) for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """r₀ times a factor for the first steps, then r₀.

    Args:
        optimizer, last_epoch: see LRScheduler.
        factor: in [0, 1].
        total_iters: how many steps.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(3)]
        [0.5, 1.0, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        self.factor = number("ConstantLR", "factor", factor, least=0.0, most=1.0)
        self.total_iters = positive_int("ConstantLR", "total_iters", total_iters)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [rate * self.factor for rate in self._rates]
        if self.last_epoch != self.total_iters:
            return self._rates
        return [rate / self.factor for rate in self._rates] if self.factor else self.base_lrs

    def _get_closed_form_lr(self) -> list[float]:
        return [base * (self.factor if self.last_epoch < self.total_iters else 1.0) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """r₀ times a factor that goes from a to b in a straight line within n steps, and stays.

    Args:
        optimizer, last_epoch: see LRScheduler.
        start_factor: a in (0, 1].
        end_factor: b in [0, 1].
        total_iters: n > 0.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(3)]
        [0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor = number("LinearLR", "start_factor", start_factor, above=0.0, most=1.0)
        self.end_factor = number("LinearLR", "end_factor", end_factor, least=0.0, most=1.0)
        self.total_iters = positive_int("LinearLR", "total_iters", total_iters)
        super().__init__(optimizer, last_epoch)

    def _factor(self, t: int) -> float:
        return self.start_factor + (self.end_factor - self.start_factor) * min(self.total_iters, t) / self.total_iters

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._rates]
        if self.last_epoch > self.total_iters:
            return self._rates
        return [rate * (self._factor(self.last_epoch) / self._factor(self.last_epoch - 1)) for rate in self._rates]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self._factor(self.last_epoch) for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """r₀ (1 - min(t, n) / n) ** k.

    Args:
        optimizer, last_epoch: see LRScheduler.
        total_iters: n > 0.
        power: k >= 0.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4)
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(2)]
        [0.75, 0.5]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = positive_int("PolynomialLR", "total_iters", total_iters)
        self.power = number("PolynomialLR", "power", power, least=0.0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return self._rates
        left = self.total_iters - self.last_epoch
        return [rate * exact.power(left / (left + 1), self.power) for rate in self._rates]

    def _get_closed_form_lr(self) -> list[float]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * exact.power(left, self.power) for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """r₀ f(t).

    Args:
        optimizer, last_epoch: see LRScheduler.
        lr_lambda: f, or a list with one function a group.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda t: 1 / (t + 1))
        >>> scheduler.step(); float(optimizer.learning_rate)
        0.5
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        _check_optimizer("LambdaLR", optimizer)
        self.lr_lambdas: list[Callable] = _per_group("LambdaLR", "lr_lambda", lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [base * function(self.last_epoch) for base, function in zip(self.base_lrs, self.lr_lambdas)]


class MultiplicativeLR(LRScheduler):
    """The rate times f(t), at every t > 0.

    Args:
        optimizer, last_epoch: see LRScheduler.
        lr_lambda: f, or a list with one function a group.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.MultiplicativeLR(optimizer, lambda t: 0.5)
        >>> scheduler.step(); scheduler.step(); float(optimizer.learning_rate)
        0.25
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        _check_optimizer("MultiplicativeLR", optimizer)
        self.lr_lambdas: list[Callable] = _per_group("MultiplicativeLR", "lr_lambda", lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._rates
        return [rate * function(self.last_epoch) for rate, function in zip(self._rates, self.lr_lambdas)]


# -- waves --------------------------------------------------------------------------------------------------------------


class CosineAnnealingLR(LRScheduler):
    """A wave between r₀ and a smallest rate: a + (r₀ - a) (1 + cos(π t / T)) / 2.

    Args:
        optimizer, last_epoch: see LRScheduler.
        T_max: T > 0, half a period.
        eta_min: a.
    Source:
        Loshchilov & Hutter, SGDR, ICLR 2017, without restarts.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
        >>> [(scheduler.step(), round(float(optimizer.learning_rate), 6))[1] for _ in range(4)]
        [0.5, 0.0, 0.5, 1.0]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = positive_int("CosineAnnealingLR", "T_max", T_max)
        self.eta_min = number("CosineAnnealingLR", "eta_min", eta_min)
        super().__init__(optimizer, last_epoch)

    def _height(self, t: int) -> float:
        return (1.0 + exact.cos(math.pi * t / self.T_max)) / 2.0

    def get_lr(self) -> list[float]:
        t = self.last_epoch
        if t == 0:
            return self._rates
        if (t - 1 - self.T_max) % (
            2 * self.T_max
        ) == 0:  # the rate before is the smallest, of which no multiple is more
            step = self._height(self.T_max - 1)
            return [rate + (base - self.eta_min) * step for base, rate in zip(self.base_lrs, self._rates)]
        ratio = self._height(t) / self._height(t - 1)
        return [self.eta_min + (rate - self.eta_min) * ratio for rate in self._rates]

    def _get_closed_form_lr(self) -> list[float]:
        height = self._height(self.last_epoch)
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half waves from r₀ to a smallest rate, one after the other: a + (r₀ - a) (1 + cos(π s / T)) / 2, where s counts
    from the last restart, and T grows by a factor with each.

    Args:
        optimizer, last_epoch: see LRScheduler.
        T_0: the first T, > 0.
        T_mult: the factor, an int >= 1.
        eta_min: a.

    `step(epoch)` takes fractions of an epoch too.

    Source:
        Loshchilov & Hutter, SGDR, ICLR 2017.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> [(scheduler.step(), round(float(optimizer.learning_rate), 6))[1] for _ in range(3)]
        [0.5, 1.0, 0.5]
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1
    ) -> None:
        label = "CosineAnnealingWarmRestarts"
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise OpValueError(f"{label} needs an int > 0 for `{name}`, but got {value!r}", arg=name)
        self.T_0, self.T_mult = T_0, T_mult
        self.eta_min = number(label, "eta_min", eta_min)
        self.T_i, self.T_cur = T_0, float(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        height = (1.0 + exact.cos(math.pi * self.T_cur / self.T_i)) / 2.0
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Set the rates of the next t, or of the given one, which may be a fraction."""
        if epoch is None and self.last_epoch >= 0:
            self.last_epoch += 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            at = 0.0 if epoch is None else float(epoch)
            if at < 0:
                raise OpValueError(f"CosineAnnealingWarmRestarts.step() needs a number >= 0, but got {at}", arg="epoch")
            self.last_epoch = math.floor(at)
            self.T_i, self.T_cur = self.T_0, at
            if self.T_mult == 1:
                self.T_cur = at % self.T_0
            else:
                while self.T_cur >= self.T_i:
                    self.T_cur -= self.T_i
                    self.T_i *= self.T_mult
        _write(self.optimizer, self.get_lr())


class CyclicLR(LRScheduler):
    """Up and down between two rates in straight lines.

    Args:
        optimizer, last_epoch: see LRScheduler.
        base_lr, max_lr: the two rates, or lists with one a group.
        step_size_up: steps up, > 0.
        step_size_down: steps down; as many as up when not given.
        mode: "triangular"; "triangular2", in which the height is halved with each cycle; or "exp_range", in which it is
            multiplied by `gamma` with each step.
        gamma: for "exp_range".
        scale_fn: factor of the height as a function; then `mode` does not matter.
        scale_mode: whether `scale_fn` gets the number of the "cycle" (from 1) or of the step ("iterations").
    Source:
        Smith, WACV 2017.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(4)]
        [0.5, 1.0, 0.5, 0.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        label = "CyclicLR"
        _check_optimizer(label, optimizer)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise OpValueError(f"{label} has no mode {mode!r}, and got no `scale_fn`", arg="mode")
        if scale_mode not in ("cycle", "iterations"):
            raise OpValueError(f"{label} needs 'cycle' or 'iterations' for `scale_mode`, but got {scale_mode!r}")
        bases, self.max_lrs = (
            [number(label, name, rate, least=0.0) for rate in _per_group(label, name, given, optimizer)]
            for name, given in (("base_lr", base_lr), ("max_lr", max_lr))
        )
        self.mode, self.gamma = mode, number(label, "gamma", gamma)
        self.step_size_up = number(label, "step_size_up", step_size_up, above=0.0)
        down = step_size_up if step_size_down is None else step_size_down
        self.step_size_down = number(label, "step_size_down", down, above=0.0)
        self.scale_fn, self.scale_mode = scale_fn, scale_mode
        if last_epoch == -1:
            _write(optimizer, bases)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def _scale(self, cycle: int) -> float:
        if self.scale_fn is not None:
            return self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.mode == "exp_range":
            return exact.power(self.gamma, self.last_epoch)
        return 0.5 ** (cycle - 1) if self.mode == "triangular2" else 1.0

    def get_lr(self) -> list[float]:
        period = self.step_size_up + self.step_size_down
        cycle = math.floor(1 + self.last_epoch / period)
        at = self.last_epoch - (cycle - 1) * period
        height = at / self.step_size_up if at <= self.step_size_up else (period - at) / self.step_size_down
        height *= self._scale(cycle)
        return [base + (top - base) * height for base, top in zip(self.base_lrs, self.max_lrs)]


# -- schedulers of schedulers, and of results ---------------------------------------------------------------------------


@answers
class SequentialLR:
    """One scheduler after the other.

    Args:
        optimizer: that of all the schedulers.
        schedulers: the schedulers, in order.
        milestones: at which steps the second, third … begins, from its own t = 0.
        last_epoch: t of the last call; -1 to start.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> warm = optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
        >>> cool = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> scheduler = optim.lr_scheduler.SequentialLR(optimizer, [warm, cool], [2])
        >>> [(scheduler.step(), float(optimizer.learning_rate))[1] for _ in range(4)]
        [0.75, 1.0, 0.5, 0.25]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        _check_optimizer("SequentialLR", optimizer)
        for index, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise OpValueError(f"SequentialLR: scheduler {index} is of another optimizer", arg="schedulers")
        if len(milestones) != len(schedulers) - 1:
            raise OpValueError(
                f"SequentialLR needs one milestone less than schedulers ({len(schedulers)}), but got {len(milestones)}",
                arg="milestones",
            )
        self.optimizer = optimizer
        _all.setdefault(optimizer, []).append(weakref.ref(self))
        self._schedulers, self.milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        _write(optimizer, [group["initial_lr"] for group in optimizer.param_groups])
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0].step()

    def step(self) -> None:
        """Set the rates of the next t."""
        self.last_epoch += 1
        index = bisect_right(self.milestones, self.last_epoch)
        if index > 0 and self.milestones[index - 1] == self.last_epoch:
            self._schedulers[index].step(0)
        else:
            self._schedulers[index].step()

    def get_last_lr(self) -> list[Tensor]:
        """The rates that are set now, one a group."""
        return self._schedulers[0].get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        states = [scheduler.state_dict() for scheduler in self._schedulers]
        return {"last_epoch": self.last_epoch, "milestones": self.milestones, "_schedulers": states}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave."""
        self.last_epoch, self.milestones = state_dict["last_epoch"], list(state_dict["milestones"])
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


@answers
class ReduceLROnPlateau:
    """The rate times a factor when a number has not become better for a while.

    Args:
        optimizer: whose rates are changed.
        mode: "min" where smaller is better, else "max".
        factor: < 1.
        patience: steps without improvement that are let pass.
        threshold: what counts as better: by this share ("rel") or by this much ("abs").
        threshold_mode: "rel" or "abs".
        cooldown: steps after a reduction in which nothing is counted.
        min_lr: the smallest rate, or a list with one a group.
        eps: smaller changes are not made.
    Example:
        >>> optimizer = optim.SGD([Parameter([1.0], name="w")], learning_rate=1.0)
        >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
        >>> [(scheduler.step(loss), float(optimizer.learning_rate))[1] for loss in (3.0, 2.0, 2.0, 2.0)]
        [1.0, 1.0, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        label = "ReduceLROnPlateau"
        _check_optimizer(label, optimizer)
        if mode not in ("min", "max"):
            raise OpValueError(f"{label} needs 'min' or 'max' for `mode`, but got {mode!r}", arg="mode")
        if threshold_mode not in ("rel", "abs"):
            raise OpValueError(f"{label} needs 'rel' or 'abs' for `threshold_mode`, but got {threshold_mode!r}")
        self.optimizer = optimizer
        _all.setdefault(optimizer, []).append(weakref.ref(self))
        self.factor = number(label, "factor", factor, below=1.0)
        self.min_lrs = [number(label, "min_lr", low) for low in _per_group(label, "min_lr", min_lr, optimizer)]
        self.mode, self.patience, self.cooldown, self.eps = mode, patience, cooldown, number(label, "eps", eps)
        self.threshold, self.threshold_mode = number(label, "threshold", threshold), threshold_mode
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.wait = self.cooldown_counter = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether nothing is counted now."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any) -> None:
        """Look at the number after another step, or epoch."""
        current = float(metrics)
        self.last_epoch += 1
        if self._is_better(current):
            self.best, self.wait = current, 0
        else:
            self.wait += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.wait > self.patience:
            self._reduce()
            self.cooldown_counter, self.wait = self.cooldown, 0

    def _is_better(self, current: float) -> bool:
        sign = 1.0 if self.mode == "min" else -1.0
        if self.threshold_mode == "abs":
            return sign * current < sign * self.best - self.threshold
        return sign * current < sign * self.best * (1.0 - sign * self.threshold)

    def _reduce(self) -> None:
        rates = []
        for group, low in zip(self.optimizer.param_groups, self.min_lrs):
            old = value_of(group["lr"])
            new = max(old * self.factor, low)
            rates.append(new if old - new > self.eps else old)
        _write(self.optimizer, rates)

    def get_last_lr(self) -> list[Tensor]:
        """The rates that are set now, one a group."""
        return [Tensor(value_of(group["lr"]), float32) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave."""
        self.__dict__.update(state_dict)


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
