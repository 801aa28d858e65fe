"""Lists of learning rates, one a step, that change with the epoch. Give one to an optimizer as its `learning_rate`.

In the formulas e = floor(i / step_per_epoch) is the epoch of step i. Rates must be floats and counts ints, as in MindSpore.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from anfora.core import exact
from anfora.core.errors import OpTypeError, OpValueError
from anfora.optim.checks import flag, positive_int, real

__all__ = [
    "cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr",
    "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip


def _by_epoch(label: str, total_step: int, step_per_epoch: int, rate: Callable[[int], float]) -> list[float]:
    """The rates of `total_step` steps from a function of the epoch."""
    steps = positive_int(label, "total_step", total_step)
    length = positive_int(label, "step_per_epoch", step_per_epoch)
    rates = [rate(epoch) for epoch in range(-(-steps // length))]
    return [rates[i // length] for i in range(steps)]


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """Rates that stay until a milestone: rate k from step milestone[k - 1] up to milestone[k].

    Args:
        milestone: steps, in rising order.
        learning_rates: as many floats.
    Returns:
        list of milestone[-1] rates.
    Raises:
        OpTypeError, OpValueError: an argument is of another type or out of range (so for all of these).
    Example:
        >>> optim.piecewise_constant_lr([1, 3], [0.1, 0.01])
        [0.1, 0.01, 0.01]
    """
    label = "piecewise_constant_lr"
    for name, given in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(given, (tuple, list)):
            raise OpTypeError(f"{label} needs a list for `{name}`, but got {given!r}", arg=name)
    if len(milestone) != len(learning_rates):
        raise OpValueError(
            f"{label} needs as many milestones as rates, but got {len(milestone)} and {len(learning_rates)}",
            arg="milestone",
        )
    rates: list[float] = []
    for i, (step, rate) in enumerate(zip(milestone, learning_rates)):
        positive_int(label, f"milestone[{i}]", step)
        if step < len(rates):
            raise OpValueError(f"{label} needs milestones in rising order, but got {list(milestone)}", arg="milestone")
        rates += [real(label, f"learning_rates[{i}]", rate)] * (step - len(rates))
    return rates


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """r d ** (e / n).

    Args:
        learning_rate: r > 0.
        decay_rate: d > 0.
        total_step: length of the list.
        step_per_epoch: steps in an epoch.
        decay_epoch: n > 0.
        is_stair: use the whole number below e / n.
    Example:
        >>> optim.exponential_decay_lr(1.0, 0.5, 3, 1, 1)
        [1.0, 0.5, 0.25]
    """
    r, d, periods = _decay("exponential_decay_lr", learning_rate, decay_rate, decay_epoch, is_stair)
    return _by_epoch("exponential_decay_lr", total_step, step_per_epoch, lambda e: r * exact.power(d, periods(e)))


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """r exp(-d e); as a stair r exp(-d n floor(e / n)).

    Args:
        learning_rate: r > 0.
        decay_rate: d > 0.
        total_step: length of the list.
        step_per_epoch: steps in an epoch.
        decay_epoch: n > 0.
        is_stair: change every n epochs only.
    Example:
        >>> [round(rate, 4) for rate in optim.natural_exp_decay_lr(1.0, 0.5, 3, 1, 2, True)]
        [1.0, 1.0, 0.3679]
    """
    label = "natural_exp_decay_lr"
    r, d, _ = _decay(label, learning_rate, decay_rate, decay_epoch, is_stair)
    return _by_epoch(
        label, total_step, step_per_epoch, lambda e: r * exact.exp(-d * (e - e % decay_epoch if is_stair else e))
    )


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """r / (1 + d e / n).

    Args:
        learning_rate: r > 0.
        decay_rate: d > 0.
        total_step: length of the list.
        step_per_epoch: steps in an epoch.
        decay_epoch: n > 0.
        is_stair: use the whole number below e / n.
    Example:
        >>> optim.inverse_decay_lr(1.0, 1.0, 4, 1, 1)
        [1.0, 0.5, 0.3333333333333333, 0.25]
    """
    r, d, periods = _decay("inverse_decay_lr", learning_rate, decay_rate, decay_epoch, is_stair)
    return _by_epoch("inverse_decay_lr", total_step, step_per_epoch, lambda e: r / (1.0 + d * periods(e)))


def _decay(
    label: str, learning_rate: float, decay_rate: float, decay_epoch: int, is_stair: bool
) -> tuple[float, float, Callable[[int], float]]:
    """r, d, and the number of periods until an epoch."""
    n = positive_int(label, "decay_epoch", decay_epoch)
    r = real(label, "learning_rate", learning_rate, above=0.0)
    d = real(label, "decay_rate", decay_rate, above=0.0)
    return r, d, (lambda e: e // n) if flag(label, "is_stair", is_stair) else (lambda e: e / n)


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Half a wave from a largest to a smallest rate: a + (b - a) (1 + cos(π min(e, n) / n)) / 2.

    Args:
        min_lr: a >= 0.
        max_lr: b > a.
        total_step: length of the list.
        step_per_epoch: steps in an epoch.
        decay_epoch: n > 0.
    Source:
        Loshchilov & Hutter, SGDR, ICLR 2017, without restarts.
    Example:
        >>> [round(rate, 4) for rate in optim.cosine_decay_lr(0.0, 1.0, 4, 1, 2)]
        [1.0, 0.5, 0.0, 0.0]
    """
    label = "cosine_decay_lr"
    a, b = real(label, "min_lr", min_lr, least=0.0), real(label, "max_lr", max_lr, above=0.0)
    n = positive_int(label, "decay_epoch", decay_epoch)
    if a >= b:
        raise OpValueError(f"{label} needs min_lr < max_lr, but got {a} and {b}", arg="min_lr")
    return _by_epoch(
        label, total_step, step_per_epoch, lambda e: a + 0.5 * (b - a) * (1.0 + exact.cos(math.pi * min(e, n) / n))
    )


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """From a first to a last rate along a power: (a - b) (1 - min(e, n) / n) ** k + b.

    Args:
        learning_rate: a > 0.
        end_learning_rate: b >= 0.
        total_step: length of the list.
        step_per_epoch: steps in an epoch.
        decay_epoch: n > 0.
        power: k > 0.
        update_decay_epoch: instead of staying at b, start again at n, 2 n, …, each time with n longer by the first n.
    Example:
        >>> optim.polynomial_decay_lr(1.0, 0.0, 4, 1, 2, 1.0)
        [1.0, 0.5, 0.0, 0.0]
    """
    label = "polynomial_decay_lr"
    a = real(label, "learning_rate", learning_rate, above=0.0)
    b = real(label, "end_learning_rate", end_learning_rate, least=0.0)
    k, n = real(label, "power", power, above=0.0), positive_int(label, "decay_epoch", decay_epoch)
    is_longer = flag(label, "update_decay_epoch", update_decay_epoch)

    def rate(e: int) -> float:
        done = e / (n * max(math.ceil(e / n), 1)) if is_longer else min(e, n) / n
        return (a - b) * exact.power(1.0 - done, k) + b

    return _by_epoch(label, total_step, step_per_epoch, rate)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """Grows in a straight line from 0 to a rate, and stays there: r min(e, n) / n.

    Args:
        learning_rate: r >= 0.
        total_step: length of the list.
        step_per_epoch: steps in an epoch.
        warmup_epoch: n > 0.
    Example:
        >>> optim.warmup_lr(1.0, 4, 1, 2)
        [0.0, 0.5, 1.0, 1.0]
    """
    r, n = (
        real("warmup_lr", "learning_rate", learning_rate, least=0.0),
        positive_int("warmup_lr", "warmup_epoch", warmup_epoch),
    )
    return _by_epoch("warmup_lr", total_step, step_per_epoch, lambda e: r * min(e, n) / n)
