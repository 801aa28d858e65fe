"""Rates for whole layers: the step of a parameter is scaled by the length of the parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anfora.core import exact
from anfora.core.cell import Cell
from anfora.core.dtype import float32, float64
from anfora.core.errors import OpTypeError
from anfora.core.parameter import Parameter
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.kernel.sweep import Row, plan_sweep
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section
from anfora.optim.optimizer import Optimizer, is_of_this_package
from anfora.optim.update import Before, Member, Rule, Wrapper

__all__ = ["LARS", "Lamb"]


class Lamb(Optimizer):
    """Adam whose step is as long as the parameter, times the rate: for large batches.

        m ← β1 m + (1 - β1) g
        v ← β2 v + (1 - β2) g²
        u = m / (1 - β1 ** t) / (√(v / (1 - β2 ** t)) + ε) + λ p       at step t = 1, 2, …
        p ← p - lr u ‖p‖ / ‖u‖                                         (‖p‖ / ‖u‖ is 1 where either is 0)

    Args:
        params, learning_rate: see Optimizer.
        beta1, beta2: β1 and β2, between 0 and 1.
        eps: ε > 0.
        weight_decay: λ; which parameters have it is said in Optimizer.

    States: `moments1` is m, `moments2` is v; their Parameters are called lamb_m.…, lamb_v.…

    Source:
        You et al., ICLR 2020, algorithm 2, with φ(z) = z.
    Example:
        >>> w = Parameter([3.0, 4.0], name="w")
        >>> step = optim.Lamb([w], learning_rate=0.1)
        >>> _ = step((Tensor([0.0, 1.0]),)); [round(x, 5) for x in w.tolist()]
        [3.0, 3.5]
    """

    decoupled_decay = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        beta1 = number("Lamb", "beta1", beta1, above=0.0, below=1.0)
        beta2 = number("Lamb", "beta2", beta2, above=0.0, below=1.0)
        eps = number("Lamb", "eps", eps, above=0.0)
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.new_state("moments1", "lamb_m")
        self.new_state("moments2", "lamb_v")

    def rule(self, section: Section) -> Rule:
        return _LAMB

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        first, second = (1.0 / (1.0 - exact.whole_power(beta, step)) for beta in (self.beta1, self.beta2))
        return [rate, self.beta1, 1.0 - self.beta1, self.beta2, 1.0 - self.beta2, first, second, self.eps, decay]


class LARS(Optimizer):
    """Another optimizer, each gradient scaled by the length of its parameter: for large batches.

        g ← (g + λ p) r  with  r = c ‖p‖ / (‖g‖ + λ ‖p‖ + ε)       (r is 1 where ‖p‖ or ‖g‖ is 0)

    The loss scale and weight decay λ are those of the wrapped optimizer, which uses neither itself then.

    Args:
        optimizer: the one to wrap.
        epsilon: ε >= 0.
        coefficient: c >= 0.
        use_clip: take min(r / lr, 1) for r, so that the layer's rate is the smaller of r and the learning rate.
        lars_filter: says of a Parameter whether its gradient is treated so; others pass unchanged, without weight decay.
            When not given: those without "LayerNorm" and "bias" in their names.

    Source:
        You, Gitman & Ginsburg, arXiv 1708.03888.
    Example:
        >>> w = Parameter([3.0, 4.0], name="w")
        >>> step = optim.LARS(optim.SGD([w], learning_rate=0.1), epsilon=0.0, coefficient=1.0)
        >>> _ = step((Tensor([0.0, 2.0]),)); [round(x, 5) for x in w.tolist()]
        [3.0, 3.5]
    """

    _path = ("opt",)

    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-05,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Parameter], bool] | None = None,
    ) -> None:
        if not isinstance(optimizer, Optimizer) or isinstance(optimizer, LARS):
            raise OpTypeError(f"LARS needs an optimizer to wrap, but got {type(optimizer).__name__}", arg="optimizer")
        Cell.__init__(self, auto_prefix=False)
        self.epsilon = number("LARS", "epsilon", epsilon, least=0.0)
        self.coefficient = number("LARS", "coefficient", coefficient, least=0.0)
        self.use_clip = flag("LARS", "use_clip", use_clip)
        self.opt = optimizer
        wanted = lars_filter or _is_weight
        self.lars_flag = tuple(bool(wanted(parameter)) for parameter in optimizer.parameters)
        self._states: dict[str, tuple[str, float]] = {}
        for name in (
            "global_step",
            "loss_scale",
            "is_group",
            "is_group_lr",
            "is_group_params_ordered",
            "learning_rate",
        ):
            setattr(self, name, getattr(optimizer, name))
        self.param_groups, self.parameters = optimizer.param_groups, optimizer.parameters
        self.shapes = optimizer.shapes
        self._forget()

    def _decays(self, name: str) -> bool:
        return self.opt._decays(name)

    def _update(self, gradients: Any, sections: list[Section], wrapper: Callable | None = None) -> None:
        self.opt._update(gradients, sections, self._wrapped)

    def _ahead(self, sections: list[Section]) -> tuple[tuple, list[float]]:
        return self.opt._work_out(sections, self._wrapped)

    def sources(self) -> Iterator[Parameter]:
        return self.opt.sources()

    def _is_predictable(self) -> bool:
        return super()._is_predictable() and is_of_this_package(type(self.opt)) and self.opt._is_predictable()

    def _wrapped(self, section: Section) -> tuple:
        """What is done to the gradients of a section of the wrapped optimizer, and its numbers."""
        decay = self._decay(section.group) if section.decays else 0.0
        rate = self._rate(section.group) if self.use_clip else 1.0
        treated = tuple(i for i in section.indices if self.lars_flag[i])
        return (
            _Scaling(treated, self.use_clip, self.loss_scale != 1.0),
            [1.0 / self.loss_scale, decay, self.coefficient, self.epsilon, rate],
        )


def _is_weight(parameter: Parameter) -> bool:
    return "LayerNorm" not in parameter.name and "bias" not in parameter.name


# -- Lamb -------------------------------------------------------------------------------------------------------------


def _moments(
    p: Value, g: Value, m: Value, v: Value,
    beta1: Value, rest1: Value, beta2: Value, rest2: Value, first: Value, second: Value, eps: Value, decay: Value,
) -> tuple[Value, Value, Value]:  # fmt: skip
    m = beta1 * m + rest1 * g
    v = beta2 * v + rest2 * (g * g)
    return m, v, m * first / (bodies.sqrt(v * second) + eps) + decay * p


def _layer_step(p: Value, u: Value, p_squares: Value, u_squares: Value, lr: Value) -> Value:
    ratio = bodies.sqrt(p_squares) / bodies.sqrt(u_squares)
    return p - lr * bodies.select((p_squares > 0.0) & (u_squares > 0.0), ratio, 1.0) * u


class _Lamb(Rule):
    """The moments and u, then the lengths, then the step."""

    def plan(self, p: Planner, members: Sequence[Member], numbers: Sequence[Buffer], before: Before) -> None:
        steps = [p.workspace(m.dtype, *m.parameter.shape) for m in members]
        first = [Row((m.parameter, m.gradient, *m.states), (*m.states, u), m.elem) for m, u in zip(members, steps)]
        plan_sweep(p, before.body(self.body), first, numbers[1:], self.nanoseconds)
        lengths = [(_squares(p, m.parameter), _squares(p, u)) for m, u in zip(members, steps)]
        rows = [Row((m.parameter, u), (m.parameter,), m.elem, both) for m, u, both in zip(members, steps, lengths)]
        plan_sweep(p, _layer_step, rows, numbers[:1], 0.12)


_LAMB = _Lamb(_moments, ("moments1", "moments2"), 0.3)


def _squares(p: Planner, x: Buffer) -> Buffer:
    """Add the steps that sum the squares of the elements."""
    total = p.workspace(float64 if x.dtype is float64 else float32)
    plan_reduce(p, "sum_of_squares", x, total, tuple(range(x.ndim)))
    return total


# -- LARS -------------------------------------------------------------------------------------------------------------


def _rate_of(p_squares: Value, g_squares: Value, scale: Value, decay: Value, c: Value, eps: Value) -> Value:
    p, g = bodies.sqrt(p_squares), bodies.sqrt(g_squares) * scale
    return bodies.select((p > 0.0) & (g > 0.0), c * p / (g + decay * p + eps), 1.0)


def _scaled(p: Value, g: Value, *rest: Value) -> Value:
    scale, decay = rest[2:4]
    return (g * scale + decay * p) * _rate_of(*rest[:-1])


def _clipped(p: Value, g: Value, *rest: Value) -> Value:
    scale, decay = rest[2:4]
    return (g * scale + decay * p) * bodies.minimum(_rate_of(*rest[:-1]) / rest[-1], 1.0)


def _only_scaled(g: Value, scale: Value) -> Value:
    return g * scale


@dataclass(frozen=True)
class _Scaling(Wrapper):
    """Scale the gradients of some parameters by their lengths, and those of the rest by the loss scale only. The numbers:
    factor of the gradient, weight decay, coefficient, ε, rate."""

    treated: tuple[int, ...]
    clips: bool
    scales: bool

    def plan(self, p: Planner, members: Sequence[Member], numbers: Sequence[Buffer]) -> list[Member]:
        long, short, made = [], [], []
        for member in members:
            new, source = member, (member.parameter, member.gradient)
            if member.index in self.treated:
                new = replace(member, gradient=p.workspace(member.dtype, *member.parameter.shape))
                long.append(Row(source, (new.gradient,), member.elem, tuple(_squares(p, x) for x in source)))
            elif self.scales:
                new = replace(member, gradient=p.workspace(member.dtype, *member.parameter.shape))
                short.append(Row(source[1:], (new.gradient,), member.elem))
            made.append(new)
        plan_sweep(p, _clipped if self.clips else _scaled, long, numbers)
        plan_sweep(p, _only_scaled, short, numbers[:1])
        return made
