"""Groups of parameters, their learning rates and weight decays: what optimizers are given, checked and in one form."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from anfora.core.cell import Cell
from anfora.core.dtype import float32, int32
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.optim.checks import flag, number
from anfora.optim.schedule import LearningRateSchedule, RateList

__all__ = ["Group", "Section", "UnknownSetting", "read_decay", "read_parameters", "read_rate", "value_of"]

_SETTINGS = ("params", "lr", "weight_decay", "grad_centralization")


class UnknownSetting(OpValueError, KeyError):
    """A group of parameters has a key that the optimizer does not know."""


class Group(dict):
    """The settings that some parameters share, by name.

    `params` is the list of Parameters; `lr` a Parameter (a fixed rate, which may be set) or a LearningRateSchedule;
    `weight_decay` a number or a Cell from the step to a number; `grad_centralization` a bool. Optimizers that take more
    settings for a group have them here too. What is written here counts from the next step on: a number for `lr` goes
    into the Parameter.

    Example:
        >>> step = optim.Momentum([Parameter([1.0], name="w")], learning_rate=0.1, momentum=0.9)
        >>> step.param_groups[0]["lr"] = 0.01
        >>> float(step.learning_rate)
        0.009999999776482582
    """

    indices: list[int]  #: of its parameters among those of the optimizer

    def __setitem__(self, name: str, value: Any) -> None:
        held = self.get(name)
        if name == "lr" and isinstance(held, Parameter) and not isinstance(value, (Parameter, Cell)):
            held.set_data(read_rate("a group of parameters", value, held.name))
        else:
            super().__setitem__(name, value)

    def sections(self, flags: tuple[bool, ...]) -> list[Section]:
        """Its parameters that have a weight decay, and those that have none."""
        both = [Section(self, tuple(i for i in self.indices if flags[i] is kind), kind) for kind in (True, False)]
        return [section for section in both if section.indices]


class Section:
    """Parameters of one group that are treated alike in a step.

    Attributes:
        group: their group.
        indices: which of the optimizer's parameters they are.
        decays: whether the weight decay of the group goes for them.
    """

    __slots__ = ("group", "indices", "decays")

    def __init__(self, group: Group, indices: tuple[int, ...], decays: bool) -> None:
        self.group, self.indices, self.decays = group, indices, decays

    def only(self, present: Collection[int]) -> Section:
        """The section without the parameters that are not present."""
        return Section(self.group, tuple(i for i in self.indices if i in present), self.decays)


def read_parameters(
    label: str, given: Any, options: Iterable[str] = (), may_be_empty: bool = False
) -> tuple[list[dict], bool, list | None]:
    """What came as parameters, checked; `may_be_empty` says whether groups without parameters are let pass.

    Returns:
        The groups, as dicts with a list of Parameters under "params" (one without further settings where plain
        parameters came); whether groups came; the list under "order_params" where there was one.
    """
    if given is None:
        raise OpValueError(f"{label} needs parameters, but got None", arg="params")
    if isinstance(given, Tensor) or not isinstance(given, Iterable):
        raise OpTypeError(f"{label} needs a list of Parameters, but got {type(given).__name__}", arg="params")
    items = list(given)
    if not items:
        raise OpValueError(
            f"For 'Optimizer', the argument parameters must not be empty ({label} got none)",
            help="does the network hold Parameters, and are some of them trainable?",
            arg="params",
        )
    grouped = isinstance(items[0], dict)
    if any(isinstance(item, dict) is not grouped for item in items):
        raise OpTypeError(f"{label} takes Parameters or groups of them (dicts), but not both", arg="params")
    if not grouped:
        groups, order = [{"params": items}], None
    else:
        groups, order = _read_dicts(label, items, (*_SETTINGS, *options), may_be_empty)
    _check_parameters(label, [parameter for group in groups for parameter in group["params"]], order)
    return groups, grouped, order


def _read_dicts(
    label: str, items: list[dict], known: tuple[str, ...], may_be_empty: bool
) -> tuple[list[dict], list | None]:
    groups, order = [], None
    for item in items:
        if "order_params" in item:
            if len(item) > 1:
                raise OpValueError(f"{label}: 'order_params' must be alone in its dict, but stands with {sorted(item)}")
            if not isinstance(item["order_params"], Iterable):
                raise OpTypeError(f"{label} needs a list of Parameters for 'order_params'")
            order = list(item["order_params"])
            continue
        if "params" not in item:
            raise UnknownSetting(f"{label}: a group of parameters needs the key 'params', but has {sorted(item)}")
        unknown = [name for name in item if name not in known]
        if unknown:
            raise UnknownSetting(
                f"{label}: a group of parameters has no setting {unknown[0]!r}", help=f"it takes {', '.join(known)}."
            )
        params = item["params"]
        params = [params] if isinstance(params, Parameter) else params
        if not isinstance(params, Iterable) or isinstance(params, (set, Tensor)):
            raise OpTypeError(f"{label} needs a list of Parameters for 'params', but got {type(params).__name__}")
        group = {**item, "params": list(params)}
        if not group["params"] and not may_be_empty:
            raise OpValueError(f"For 'Optimizer', the argument group `params` must not be empty ({label} got none)")
        if "grad_centralization" in group:
            flag(label, "grad_centralization", group["grad_centralization"])
        groups.append(group)
    if not groups:
        raise OpValueError(f"{label} got no group of parameters beside 'order_params'")
    return groups, order


def _check_parameters(label: str, found: list[Any], order: list[Any] | None) -> None:
    seen: dict[str, Parameter] = {}
    for parameter in found:
        if not isinstance(parameter, Parameter):
            raise OpTypeError(f"{label} needs Parameters, but got {type(parameter).__name__}", arg="params")
        if not parameter.dtype.is_float:
            raise OpTypeError(f"{label} needs floating-point parameters, but {parameter.name} is {parameter.dtype}")
        other = seen.setdefault(parameter.name, parameter)
        if len(seen) and other is not parameter:
            raise OpRuntimeError(
                f"{label} got two parameters of the name '{parameter.name}'",
                help="give them names of their own: Parameter(..., name=...).",
            )
    if len(seen) != len(found):
        twice = next(p.name for i, p in enumerate(found) if any(p is q for q in found[:i]))
        raise OpRuntimeError(f"{label} got the parameter {twice} twice")
    if order is not None and (len(order) != len(found) or {id(p) for p in order} != {id(p) for p in found}):
        raise OpValueError(f"{label}: 'order_params' must hold each parameter of the groups once, and no other")


def read_rate(label: str, value: Any, name: str) -> Any:
    """A learning rate in the form in which groups hold it; a Parameter or a list of rates is called `name`."""
    if isinstance(value, LearningRateSchedule):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return Parameter(Tensor(number(label, "learning_rate", value, least=0.0), float32), name, requires_grad=False)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        if value.ndim > 1:
            raise OpValueError(
                f"{label} needs a learning rate of 0 or 1 axes, but got one of shape {value.shape}", arg="learning_rate"
            )
        return read_rate(label, value.tolist(), name)
    if isinstance(value, (str, dict, bool)) or not isinstance(value, Iterable):
        raise OpTypeError(
            f"{label} needs a number, a list of numbers or a LearningRateSchedule for `learning_rate`, "
            f"but got {repr(value) if isinstance(value, (str, bool)) else type(value).__name__}",
            arg="learning_rate",
        )
    rates = [number(label, "learning_rate", rate, least=0.0) for rate in value]
    if not rates:
        raise OpValueError(f"{label} got a list of learning rates that is empty", arg="learning_rate")
    return RateList(rates, name)


def read_decay(label: str, value: Any) -> Any:
    """A weight decay: a float, or a Cell from the step to a number."""
    return value if isinstance(value, Cell) else number(label, "weight_decay", value, least=0.0)


def value_of(held: Any) -> Any:
    """The Python number in a Parameter of one element, or the number that a program has put in its place."""
    if not isinstance(held, Tensor):
        return held
    return held._array.item() if held.dtype in (float32, int32) else held.item()
