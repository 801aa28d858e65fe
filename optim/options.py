"""The base of optimizers whose every setting may differ from group to group, as PyTorch's.

They are called like those of PyTorch and of `mindspore.experimental.optim`, take `lr`, `betas` … and are used with the
schedulers of `lr_scheduler`. `anfora.optim.experimental` has them all.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

from anfora.core.cell import Cell
from anfora.core.dtype import int32
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor
from anfora.optim import optimizer as base
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, read_decay, read_parameters, read_rate

__all__ = ["Optimizer", "betas_of", "check_betas"]


class Optimizer(base.Optimizer):
    """Base of optimizers with options: `param_groups` is a list of dicts that hold the Parameters and every setting.

    Args:
        params: Parameters, or dicts with a list of them under "params" and some of the settings.
        defaults: the settings and what they are where a group does not say; "lr" must be among them.

    Settings may be changed between steps: `optimizer.param_groups[0]["lr"] = 0.01`. Each group's "lr" is a Parameter.
    With "maximize" the gradient's sign is changed, "weight_decay" is added to the gradient.

    Raises:
        OpTypeError, OpValueError: a setting has another type or is out of range (so for all of them).
        OpRuntimeError: a parameter comes twice, or two have one name.
    Example:
        >>> class Descent(optim.experimental.Optimizer):
        ...     def __init__(self, params, lr):
        ...         super().__init__(params, {"lr": lr})
        ...     def construct(self, gradients):
        ...         for start, group in zip(self.group_start_id, self.param_groups):
        ...             for i, parameter in enumerate(group["params"], start):
        ...                 parameter.set_data(parameter - group["lr"] * gradients[i])
        >>> w = Parameter([1.0], name="w")
        >>> Descent([w], 0.5)((Tensor([1.0]),)); w.tolist()
        [0.5]
    """

    step_name = "global_step"  #: what the Parameter that counts steps is called

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        label = type(self).__name__
        groups, _, order = read_parameters(label, params, (*defaults, "initial_lr", "name"), may_be_empty=True)
        if order is not None:
            raise OpValueError(
                f"{label} takes no 'order_params': gradients come in the order of the groups", arg="params"
            )
        made = [self._complete(group, defaults, index) for index, group in enumerate(groups)]
        Cell.__init__(self, auto_prefix=False)
        self.defaults = dict(defaults)
        self.state: dict[Any, Any] = {}  #: for what subclasses of users want to keep
        self.loss_scale = 1.0
        self.global_step = Parameter(Tensor(0, int32), name=self.step_name, requires_grad=False)
        self.is_group = self.is_group_lr = True
        self.is_group_params_ordered = False
        self._states = {}
        self._take_groups(made, None)

    def _complete(self, given: dict[str, Any], defaults: dict[str, Any], index: int) -> Group:
        label = type(self).__name__
        group = Group({**given, **{name: value for name, value in defaults.items() if name not in given}})
        if "lr" not in group:
            raise OpValueError(f"{label} needs a learning rate among its defaults", arg="defaults")
        rate = group["lr"]
        if not isinstance(rate, numbers.Real) and not (isinstance(rate, Tensor) and rate.ndim == 0):
            raise OpTypeError(f"{label} needs a number for `lr`, but got {type(rate).__name__}", arg="lr")
        dict.__setitem__(group, "lr", read_rate(label, rate, f"learning_rate_group_{index}"))
        group["weight_decay"] = read_decay(label, group.get("weight_decay", 0.0))
        if isinstance(group["weight_decay"], Cell):
            raise OpTypeError(f"{label} needs a number for `weight_decay`, but got a Cell", arg="weight_decay")
        flag(label, "maximize", group.get("maximize", False))
        self.check(group)
        return group

    def check(self, group: Group) -> None:
        """Refuse settings of another type or out of range; `lr`, `weight_decay` and `maximize` have been checked."""

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, whose gradients come after those of the others."""
        label = type(self).__name__
        if not isinstance(param_group, dict):
            raise OpTypeError(f"{label} needs a dict for `param_group`, but got {type(param_group).__name__}")
        (given,), _, _ = read_parameters(
            label, [param_group], (*self.defaults, "initial_lr", "name"), may_be_empty=True
        )
        names = {parameter.name for parameter in self.parameters}
        for parameter in given["params"]:
            if parameter.name in names:
                raise OpRuntimeError(f"{label} has a parameter of the name '{parameter.name}' already")
        group = self._complete(given, self.defaults, len(self.param_groups))
        self._take_groups([*self.param_groups, group], None)
        for attribute, (prefix, value) in self._states.items():
            made = [base.state_of(parameter, prefix, value) for parameter in given["params"]]
            setattr(self, attribute, ParameterTuple([*getattr(self, attribute), *made]))
        self.extend(group)

    def extend(self, group: Group) -> None:
        """Make what only this group needs. Called for groups that are added; subclasses call it for the first ones."""

    def _index(self, group: Group) -> int:
        return next(i for i, other in enumerate(self.param_groups) if other is group)

    def need(self, attribute: str, value: float = 0.0) -> None:
        """Make a state where there is none yet: for those that only some settings need."""
        if attribute not in self._states:
            self.new_state(attribute, value=value)
            self._held = None

    @property
    def lrs(self) -> list[Parameter]:
        """The learning rates of the groups."""
        return [group["lr"] for group in self.param_groups]

    @property
    def group_start_id(self) -> list[int]:
        """Where the parameters of each group start, and the number of all."""
        starts = [0]
        for group in self.param_groups:
            starts.append(starts[-1] + len(group["params"]))
        return starts


def check_betas(label: str, group: Group) -> None:
    """Refuse `betas` that are not two numbers in [0, 1)."""
    betas = group["betas"]
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise OpTypeError(f"{label} needs two numbers for `betas`, but got {betas!r}", arg="betas")
    for index, beta in enumerate(betas):
        number(label, f"betas[{index}]", beta, least=0.0, below=1.0)


def betas_of(group: Group) -> tuple[float, float, float, float]:
    """β1, 1 - β1, β2, 1 - β2."""
    first, second = group["betas"]
    return first, 1.0 - first, second, 1.0 - second
