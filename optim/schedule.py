"""Learning rates that change with the step, as Cells.

A LearningRateSchedule takes the number of steps done (an integer tensor of one element, from 0) and gives the rate of the
next. Give one to an optimizer as its `learning_rate`. All are computed in float32, by tensor operators, so that a
schedule may be part of a compiled step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.optim.checks import flag, positive_int, real

__all__ = [
    "CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "LearningRateSchedule", "NaturalExpDecayLR",
    "PolynomialDecayLR", "RateList", "WarmUpLR",
]  # fmt: skip


class LearningRateSchedule(Cell):
    """Base of schedules: `construct(global_step)` gives the learning rate.

    Example:
        >>> class Halving(optim.LearningRateSchedule):
        ...     def construct(self, global_step):
        ...         return 0.1 / (global_step + 1)
        >>> step = optim.SGD([Parameter([1.0], name="w")], learning_rate=Halving())
        >>> step.get_lr().item()
        0.10000000149011612
    """

    def construct(self, global_step: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no construct(global_step)")


class RateList(LearningRateSchedule):
    """The schedule behind a list of learning rates: one a step; the last one stays."""

    def __init__(self, rates: list[float], name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(Tensor(np.array(rates, np.float32)), name=name, requires_grad=False)

    def at(self, step: int) -> float:
        """The rate after `step` steps."""
        return self.learning_rate._array.item(min(step, self.learning_rate.size - 1))

    def construct(self, global_step: Any) -> Tensor:
        return Tensor(self.at(int(global_step)), float32)


class WarmUpLR(LearningRateSchedule):
    """Grows in a straight line from 0 to a rate, and stays there: r min(t, n) / n.

    Args:
        learning_rate: r >= 0, a float.
        warmup_steps: n > 0.
    Raises:
        OpTypeError, OpValueError: an argument is of another type or out of range (so for all schedules).
    Example:
        >>> optim.WarmUpLR(0.1, 2)(Tensor(1)).item()
        0.05000000074505806
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate = real("WarmUpLR", "learning_rate", learning_rate, least=0.0)
        self.warmup_steps = positive_int("WarmUpLR", "warmup_steps", warmup_steps)

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate * (ops.minimum(_step(global_step), self.warmup_steps) / self.warmup_steps)


class _Decay(LearningRateSchedule):
    """What the schedules with a decay rate have in common."""

    def __init__(self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False) -> None:
        super().__init__()
        label = type(self).__name__
        self.decay_steps = positive_int(label, "decay_steps", decay_steps)
        self.learning_rate = real(label, "learning_rate", learning_rate, above=0.0)
        self.decay_rate = real(label, "decay_rate", decay_rate, above=0.0)
        self.is_stair = flag(label, "is_stair", is_stair)

    def periods(self, global_step: Any) -> Any:
        """t / n, or the whole number below."""
        periods = _step(global_step) / self.decay_steps
        return ops.floor(periods) if self.is_stair else periods


class ExponentialDecayLR(_Decay):
    """r d ** (t / n).

    Args:
        learning_rate: r > 0, a float.
        decay_rate: d > 0, a float.
        decay_steps: n > 0.
        is_stair: use the whole number below t / n.
    Example:
        >>> round(optim.ExponentialDecayLR(0.1, 0.5, 2)(Tensor(2)).item(), 6)
        0.05
    """

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate * self.decay_rate ** self.periods(global_step)


class NaturalExpDecayLR(_Decay):
    """r e ** (-d t); as a stair r e ** (-d n floor(t / n)).

    Args:
        learning_rate: r > 0, a float.
        decay_rate: d > 0, a float: the decay in one step, not in `decay_steps` of them.
        decay_steps: n > 0.
        is_stair: change every n steps only.
    Example:
        >>> round(optim.NaturalExpDecayLR(0.1, 0.5, 2, True)(Tensor(3)).item(), 6)
        0.036788
    """

    def construct(self, global_step: Any) -> Any:
        steps = self.periods(global_step) * self.decay_steps if self.is_stair else _step(global_step)
        return self.learning_rate * ops.exp(-self.decay_rate * steps)


class InverseDecayLR(_Decay):
    """r / (1 + d t / n).

    Args:
        learning_rate: r > 0, a float.
        decay_rate: d > 0, a float.
        decay_steps: n > 0.
        is_stair: use the whole number below t / n.
    Example:
        >>> round(optim.InverseDecayLR(0.1, 1.0, 4)(Tensor(4)).item(), 6)
        0.05
    """

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate / (1.0 + self.decay_rate * self.periods(global_step))


class CosineDecayLR(LearningRateSchedule):
    """Half a wave from a largest to a smallest rate: a + (b - a) (1 + cos(π min(t, n) / n)) / 2.

    Args:
        min_lr: a >= 0, a float.
        max_lr: b > a, a float.
        decay_steps: n > 0.
    Source:
        Loshchilov & Hutter, SGDR, ICLR 2017, without restarts.
    Example:
        >>> round(optim.CosineDecayLR(0.0, 0.1, 4)(Tensor(2)).item(), 6)
        0.05
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        self.min_lr = real("CosineDecayLR", "min_lr", min_lr, least=0.0)
        self.max_lr = real("CosineDecayLR", "max_lr", max_lr, above=0.0)
        self.decay_steps = positive_int("CosineDecayLR", "decay_steps", decay_steps)
        if min_lr >= max_lr:
            raise OpValueError(f"CosineDecayLR needs min_lr < max_lr, but got {min_lr} and {max_lr}", arg="min_lr")

    def construct(self, global_step: Any) -> Any:
        done = ops.minimum(_step(global_step), self.decay_steps) / self.decay_steps
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * (1.0 + ops.cos(math.pi * done))


class PolynomialDecayLR(LearningRateSchedule):
    """From a first to a last rate along a power: (a - b) (1 - min(t, n) / n) ** k + b.

    Args:
        learning_rate: a > 0, a float.
        end_learning_rate: b >= 0, a float.
        decay_steps: n > 0.
        power: k > 0, a float.
        update_decay_steps: instead of staying at b, start again at n, 2 n, …, each time with n longer by the first n.
    Example:
        >>> round(optim.PolynomialDecayLR(0.1, 0.0, 4, 1.0)(Tensor(1)).item(), 6)
        0.075
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        label = "PolynomialDecayLR"
        self.start_learning_rate = real(label, "learning_rate", learning_rate, above=0.0)
        self.end_learning_rate = real(label, "end_learning_rate", end_learning_rate, least=0.0)
        self.decay_steps = positive_int(label, "decay_steps", decay_steps)
        self.power = real(label, "power", power, above=0.0)
        self.update_decay_steps = flag(label, "update_decay_steps", update_decay_steps)

    def construct(self, global_step: Any) -> Any:
        step = _step(global_step)
        if self.update_decay_steps:
            done = step / (self.decay_steps * ops.maximum(ops.ceil(step / self.decay_steps), 1.0))
        else:
            done = ops.minimum(step, self.decay_steps) / self.decay_steps
        return (self.start_learning_rate - self.end_learning_rate) * (1.0 - done) ** self.power + self.end_learning_rate


def _step(global_step: Any) -> Any:
    """The step in float32."""
    if isinstance(global_step, Tensor):
        return global_step.astype(float32)
    if isinstance(global_step, (int, float)):
        return Tensor(float(global_step), float32)
    raise OpTypeError(f"a schedule needs the step as a tensor, but got {type(global_step).__name__}", arg="global_step")
