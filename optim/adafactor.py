"""Adafactor: second moments of matrices kept as those of their rows and columns."""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anfora.core import exact
from anfora.core.dtype import DType, float16, float32, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.loops import plan_elementwise
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.kernel.sweep import Row, plan_sweep
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section, value_of
from anfora.optim.optimizer import Optimizer
from anfora.optim.update import Before, Member, Rule

__all__ = ["AdaFactor"]


class AdaFactor(Optimizer):
    """Adaptive rates whose memory is that of rows and columns.

        s = g² + ε1,  β = 1 - t ** -d                                   at step t = 1, 2, …
        R ← β R + (1 - β) mean of s over columns,  C ← β C + (1 - β) mean of s over rows       (two axes or more)
        u = g / √(R C / mean R),  or with fewer axes  V ← β V + (1 - β) s,  u = g / √V
        r = lr max(ε2, rms p)                                           (lr without scale_parameter)
        u ← r u / max(1, rms u / c)
        m ← β1 m + (1 - β1) u,  u ← m                                   (with β1 > 0)
        p ← p - r λ p - u

    rms is the root of the mean square. With relative_step lr is min(0.01, 1 / √t), with warmup_init
    min(t / 10⁶, 1 / √t).

    Args:
        params: Parameters, or groups of them without rates of their own; see Optimizer.
        learning_rate: None with relative_step, else see Optimizer; with a rate that changes scale_parameter is off.
        eps: (ε1, ε2), >= 0.
        clip_threshold: c > 0.
        decay_rate: d, between 0 and 1.
        beta1: β1 in [0, 1), or None for 0.
        weight_decay: λ in [0, 1); here it goes for all parameters, whatever their names.
        scale_parameter, relative_step, warmup_init: see above.
        compression: keep V in float16.
        loss_scale: see Optimizer.

    States: `exp_avg` is m; `exp_avg_sq_row`, `exp_avg_sq_col` and `exp_avg_sq` are R, C and V (of one element where they
    are not used); `afactor_step` is t.

    Source:
        Shazeer & Stern, ICML 2018.
    Example:
        >>> w = Parameter([[1.0, 1.0]], name="w")
        >>> step = optim.AdaFactor([w], learning_rate=0.5, relative_step=False, scale_parameter=False, beta1=0.0)
        >>> _ = step((Tensor([[3.0, 3.0]]),)); w.tolist()
        [[0.5, 0.5]]
    """

    decoupled_decay = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = None,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float | None = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        label = "AdaFactor"
        for name, value in (
            ("scale_parameter", scale_parameter), ("relative_step", relative_step), ("warmup_init", warmup_init),
            ("compression", compression),
        ):  # fmt: skip
            flag(label, name, value)
        if (learning_rate is None) is not relative_step:
            raise OpValueError(f"{label} needs either a learning rate or relative_step=True", arg="learning_rate")
        if warmup_init and not relative_step:
            raise OpValueError(f"{label}: warmup_init needs relative_step=True", arg="warmup_init")
        if not isinstance(eps, (list, tuple)):
            raise OpTypeError(f"{label} needs two numbers for `eps`, but got {eps!r}", arg="eps")
        if len(eps) != 2:
            raise OpValueError(f"{label} needs two numbers for `eps`, but got {len(eps)}", arg="eps")
        small = (number(label, "eps[0]", eps[0], least=0.0), number(label, "eps[1]", eps[1], least=0.0))
        clip_threshold = number(label, "clip_threshold", clip_threshold, above=0.0)
        decay_rate = number(label, "decay_rate", decay_rate, above=0.0, below=1.0)
        beta1 = number(label, "beta1", 0.0 if beta1 is None else beta1, least=0.0, below=1.0)
        number(label, "weight_decay", weight_decay, least=0.0, below=1.0)
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        if self.is_group_lr:
            raise OpValueError(f"{label} takes one learning rate for all groups", arg="params")
        fixed = learning_rate is None or isinstance(learning_rate, numbers.Real)
        self.eps, self.clip_threshold, self.decay_rate, self.beta1 = small, clip_threshold, decay_rate, beta1
        self.scale_parameter = scale_parameter and fixed
        self.relative_step, self.warmup_init, self.compression = relative_step, warmup_init, compression
        self._make_states()
        self.afactor_step = Parameter(Tensor([0.0], float32), name="afactor_step", requires_grad=False)

    def _make_states(self) -> None:
        if self.beta1 > 0.0:
            self.new_state("exp_avg")
        kinds: dict[str, list[Parameter]] = {"exp_avg_sq_row": [], "exp_avg_sq_col": [], "exp_avg_sq": []}
        for parameter in self.parameters:
            shape = parameter.shape
            dtype = float64 if parameter.dtype is float64 else float32
            factored = len(shape) > 1
            shapes = (shape[:-1], (*shape[:-2], *shape[-1:]), (1,)) if factored else ((1,), (1,), shape)
            dtypes = (dtype, dtype, float16 if self.compression and not factored else dtype)
            for (name, made), own, kind in zip(kinds.items(), shapes, dtypes):
                made.append(_zeros(own, kind, f"{name}_{parameter.name}"))
        for name, made in kinds.items():
            setattr(self, name, ParameterTuple(made))
            self._states[name] = (name, 0.0)

    def _decays(self, name: str) -> bool:
        return True

    def rule(self, section: Section) -> Rule:
        return _rule(self.beta1 > 0.0, self.scale_parameter)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        t = value_of(self.afactor_step) + 1.0
        if self.relative_step:
            rate = min(1e-6 * t if self.warmup_init else 1e-2, 1.0 / math.sqrt(t))
        beta2 = 1.0 - exact.power(t, -self.decay_rate)
        first, second = self.eps
        return [rate, second, self.clip_threshold, self.beta1, 1.0 - self.beta1, decay, beta2, 1.0 - beta2, first]

    def counters(self, step: int) -> dict[str, float]:
        return {"afactor_step": value_of(self.afactor_step) + 1.0}


def _zeros(shape: tuple[int, ...], dtype: DType, name: str) -> Parameter:
    return Parameter(Tensor(np.zeros(shape, dtype.storage)), name=name, requires_grad=False)


# -- the rule -----------------------------------------------------------------------------------------------------------


@functools.cache
def _rule(has_moment: bool, is_scaled: bool) -> Rule:
    moment = ("exp_avg",) if has_moment else ()
    return _AdaFactor(
        _step(has_moment, is_scaled), ("exp_avg_sq_row", "exp_avg_sq_col", "exp_avg_sq", *moment), 0.3, is_scaled
    )


@dataclass(frozen=True)
class _AdaFactor(Rule):
    """First u for each parameter, then the lengths, then the steps. The numbers: those of `_step`, then β, 1 - β, ε1."""

    is_scaled: bool = False

    def plan(self, p: Planner, members: Sequence[Member], numbers: Sequence[Buffer], before: Before) -> None:
        rows = []
        for member in members:
            if member.parameter.size == 0:
                continue
            u = p.workspace(member.dtype, *member.parameter.shape)
            (_plan_factored if member.parameter.ndim > 1 else _plan_direct)(p, member, u, numbers[6:], before)
            squares = p.workspace(member.dtype, *member.parameter.shape)
            lengths = [_mean_square(p, member, u, squares)]
            if self.is_scaled:
                lengths.append(_mean_square(p, member, member.parameter, squares))
            moment = member.states[3:]
            rows.append(Row((member.parameter, u, *moment), (member.parameter, *moment), member.elem, tuple(lengths)))
        plan_sweep(p, self.body, rows, numbers[:6], self.nanoseconds)


def _plan_direct(p: Planner, member: Member, u: Buffer, numbers: Sequence[Buffer], before: Before) -> None:
    squares = member.states[2]
    _each(p, member, before.body(_direct), (member.parameter, member.gradient, squares, *numbers), (u, squares))


def _plan_factored(p: Planner, member: Member, u: Buffer, numbers: Sequence[Buffer], before: Before) -> None:
    rows, columns = member.states[:2]
    *lead, height, width = member.parameter.shape
    ndim = member.parameter.ndim
    beta, rest, eps, *scale = numbers
    _each(p, member, before.body(_square), (member.parameter, member.gradient, eps, *scale), (u,))
    for state, axis in ((rows, ndim - 1), (columns, ndim - 2)):
        mean = p.workspace(member.dtype, *state.shape)
        plan_reduce(p, "mean", u, mean, (axis,))
        _each(p, member, _average, (state, mean, beta, rest), (state,))
    whole = p.workspace(member.dtype, *lead)
    plan_reduce(p, "mean", rows, whole, (ndim - 2,))
    parts = (rows.reshaped(*lead, height, 1), columns.reshaped(*lead, 1, width), whole.reshaped(*lead, 1, 1))
    _each(p, member, before.body(_factored), (member.parameter, member.gradient, *parts, *scale), (u,))


def _mean_square(p: Planner, member: Member, x: Buffer, squares: Buffer) -> Buffer:
    mean = p.workspace(member.dtype)
    _each(p, member, _multiply, (x, x), (squares,))
    plan_reduce(p, "mean", squares, mean, tuple(range(x.ndim)))
    return mean


def _each(p: Planner, member: Member, body: Callable, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> None:
    plan_elementwise(p, body, [(b, member.elem) for b in inputs], [(b, member.elem) for b in outputs])


# -- bodies -------------------------------------------------------------------------------------------------------------


def _square(p: Value, g: Value, eps: Value) -> Value:
    return g * g + eps


def _average(state: Value, mean: Value, beta: Value, rest: Value) -> Value:
    return beta * state + rest * mean


def _factored(p: Value, g: Value, row: Value, column: Value, whole: Value) -> Value:
    return g / (bodies.sqrt(row / whole) * bodies.sqrt(column))


def _direct(p: Value, g: Value, state: Value, beta: Value, rest: Value, eps: Value) -> tuple[Value, Value]:
    state = beta * state + rest * (g * g + eps)
    return g / bodies.sqrt(state), state


def _multiply(x: Value, y: Value) -> Value:
    return x * y


@functools.cache
def _step(has_moment: bool, is_scaled: bool) -> Callable:
    def body(p: Value, u: Value, *others: Value) -> tuple[Value, ...]:
        *singles, lr, eps, clip, beta1, rest1, decay = others
        moment = [singles.pop(0)] if has_moment else []
        size = lr * bodies.maximum(eps, bodies.sqrt(singles[1])) if is_scaled else lr
        step = size * u / bodies.maximum(bodies.sqrt(singles[0]) / clip, 1.0)
        if has_moment:
            step = beta1 * moment[0] + rest1 * step
        return (p - size * decay * p - step, *([step] if has_moment else []))

    return body
