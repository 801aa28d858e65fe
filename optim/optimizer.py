"""What all optimizers share: groups of parameters, learning rates, states, the step."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import Layout
from anfora.core.cell import Cell
from anfora.core.dtype import float32, float64, int32
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.memory import Export
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor, current, leave_to_tape, wrap
from anfora.eager.updating import Place, Update, Updater, found_at
from anfora.optim.checks import number
from anfora.optim.groups import Group, Section, read_decay, read_parameters, read_rate, value_of
from anfora.optim.schedule import RateList
from anfora.optim.update import Before, Form, Part, Plan, Rule

__all__ = ["Optimizer", "opt_init_args_register"]


class computed:
    """A property in whose place subclasses may put a value of their own."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else self.function(owner)


def opt_init_args_register(fn: Callable) -> Callable:
    """A decorator of an optimizer's `__init__`: what it is called with is kept in `init_params`, `init_learning_rate` and
    `init_args`, from which MindSpore programs make it again.

    Example:
        >>> from anfora.optim.optimizer import opt_init_args_register
        >>> class Plain(optim.SGD):
        ...     @opt_init_args_register
        ...     def __init__(self, params, learning_rate=0.1, momentum=0.0):
        ...         super().__init__(params, learning_rate, momentum)
        >>> step = Plain([Parameter(Tensor([1.0]), name="w")], momentum=0.5)
        >>> step.init_learning_rate, step.init_args, list(step.init_params)
        (0.1, {'momentum': 0.5}, ['params'])
    """
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        for name in ("params", "optimizer"):
            if name in given:
                value = given.pop(name)
                self.__dict__["init_params"] = {"params": value} if name == "params" else value.init_params
        if "learning_rate" in given:
            rate = given.pop("learning_rate")
            rate = rate.tolist() if isinstance(rate, Tensor) else rate
            self.__dict__["init_learning_rate"] = None if isinstance(rate, Cell) else rate
        self.__dict__["init_args"] = given
        fn(self, *args, **kwargs)

    return init


class Optimizer(Updater):
    """Base of optimizers. Called with the gradients, in the order of `parameters`, it updates these in place.

    Args:
        learning_rate: a number; a list, tuple, 1-d array or tensor with one rate a step (the last stays); or a
            LearningRateSchedule.
        parameters: Parameters, or dicts {"params": [...], "lr": …, "weight_decay": …, "grad_centralization": …} that give
            some of them their own settings; a dict {"order_params": [...]} says in which order gradients come.
        weight_decay: λ >= 0: λ·p is added to the gradient of p; a number or a Cell from the step to a number. Without
            groups, parameters with "beta" or "gamma" in their names (those of normalisations) have none.
        loss_scale: > 0: gradients are divided by it.

    Gradients are treated in this order: divided by the loss scale, weight decay added, with `grad_centralization` the mean
    over all axes but the first subtracted (of those with two or more axes, whatever their lengths; MindSpore leaves out
    some for its hardware's sake). States of half-precision parameters are float32. A step is one native call; it happens
    as a whole or, when something is refused, not at all.

    Subclasses make their states with `new_state` and define `rule` and `hyperparameters`, or write `construct`
    themselves, with `decay_weight`, `gradients_centralization`, `scale_grad`, `get_lr` and `global_step`.

    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range.
        OpRuntimeError: a parameter comes twice, or two have one name.
    Example:
        >>> class Descent(optim.Optimizer):
        ...     def construct(self, gradients):
        ...         for parameter, gradient in zip(self.parameters, self.decay_weight(gradients)):
        ...             parameter.set_data(parameter - self.get_lr() * gradient)
        >>> w = Parameter([1.0], name="w")
        >>> Descent(0.5, [w], weight_decay=0.5)((Tensor([1.0]),)); w.tolist()
        [0.25]
    """

    decoupled_decay = False  #: whether the rule applies the weight decay itself
    group_options: tuple[str, ...] = ()  #: what else a group may set

    _path: tuple[str, ...] = ()  #: where the optimizer stands whose Parameters are written
    _plan: Plan | None
    _outline: tuple
    _sections: list[Section] | None
    _held: dict[int, Parameter] | None

    _habits = ("Optimizer", "Cell")

    def __init__(
        self, learning_rate: Any, parameters: Iterable[Any], weight_decay: Any = 0.0, loss_scale: float = 1.0
    ) -> None:
        label = type(self).__name__
        groups, is_group, order = read_parameters(label, parameters, self.group_options)
        rate = read_rate(label, learning_rate, "learning_rate")
        decay = read_decay(label, weight_decay)
        made = []
        for index, given in enumerate(groups):
            own = read_rate(label, given["lr"], f"learning_rate_group_{index}") if "lr" in given else rate
            own_decay = read_decay(label, given["weight_decay"]) if "weight_decay" in given else decay
            made.append(Group({**given, "lr": own, "weight_decay": own_decay}))
        super().__init__(auto_prefix=False)
        self.loss_scale = number(label, "loss_scale", loss_scale, above=0.0)
        self.global_step = Parameter(Tensor([0], int32), name="global_step", requires_grad=False)
        self.is_group = is_group
        self.is_group_lr = any("lr" in given for given in groups)
        self.is_group_params_ordered = order is not None
        self._states: dict[str, tuple[str, float]] = {}
        self._take_groups(made, order)

    def _take_groups(self, groups: list[Group], order: list[Parameter] | None) -> None:
        """Take over the groups: set what follows from them."""
        parameters = order if order is not None else [p for group in groups for p in group["params"]]
        index = {id(parameter): i for i, parameter in enumerate(parameters)}
        for group in groups:
            group.indices = [index[id(parameter)] for parameter in group["params"]]
        self.param_groups = groups
        if self.is_group_lr:
            for group in groups:
                self._attach("_rate", group["lr"])
        Cell.__setattr__(self, "learning_rate", self._by_parameter("lr") if self.is_group_lr else groups[0]["lr"])
        for decay in (group["weight_decay"] for group in groups):
            self._attach("_decay", decay)
        self.parameters = ParameterTuple(parameters)
        self.shapes = tuple(parameter.shape for parameter in parameters)
        self._forget()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "learning_rate" and name in self.__dict__:
            self._set_rate(value)
        else:
            super().__setattr__(name, value)

    def _set_rate(self, value: Any) -> None:
        """`optimizer.learning_rate = …`: a number or tensor goes into the Parameter, anything else takes its place."""
        if self.is_group_lr:
            raise OpValueError(
                f"{type(self).__name__} has a learning rate for each group",
                help='set that of a group: optimizer.param_groups[0]["lr"] = …',
                arg="learning_rate",
            )
        held = self.param_groups[0]["lr"]
        is_own = isinstance(value, Parameter) and value.size == 1
        rate = value if is_own else read_rate(type(self).__name__, value, "learning_rate")
        if isinstance(held, Parameter) and isinstance(rate, Parameter) and not is_own:
            held.set_data(rate)
            return
        for group in self.param_groups:
            dict.__setitem__(group, "lr", rate)
        Cell.__setattr__(self, "learning_rate", rate)

    def _attach(self, prefix: str, value: Any) -> None:
        """Make a rate or decay an attribute, so that its Parameters are among those of the optimizer."""
        if isinstance(value, (Parameter, Cell)) and not any(value is held for held in self.__dict__.values()):
            count = sum(name.startswith(prefix) for name in self.__dict__)
            setattr(self, f"{prefix}{count}", value)

    def _by_parameter(self, setting: str) -> Any:
        """A setting for each parameter, as a tuple."""
        by_index = {i: group[setting] for group in self.param_groups for i in group.indices}
        values = [by_index[i] for i in sorted(by_index)]
        return ParameterTuple(values) if all(isinstance(v, Parameter) for v in values) else tuple(values)

    def new_state(self, attribute: str, prefix: str | None = None, value: float = 0.0) -> None:
        """Make a state: `self.<attribute>` becomes a tuple of Parameters `<prefix>.<name>`, one for each parameter, that
        start with a value. The prefix is the attribute's name when it is not given."""
        prefix = prefix or attribute
        self._states[attribute] = (prefix, value)
        setattr(self, attribute, ParameterTuple(state_of(parameter, prefix, value) for parameter in self.parameters))

    # -- a step -------------------------------------------------------------------------------------------------------

    def rule(self, section: Section) -> Rule:
        """What is done to the parameters of a section."""
        raise NotImplementedError(f"{type(self).__name__} has no update rule")

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> Sequence[float]:
        """The numbers that the rule takes. `step` counts from one; `decay` matters where it is decoupled."""
        raise NotImplementedError(f"{type(self).__name__} has no hyperparameters")

    def counters(self, step: int) -> dict[str, Any]:
        """What else is written at the end of step number `step`: by attribute, the number that its Parameter holds from
        then on, or a list of them for a tuple of Parameters."""
        return {}

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters with their gradients, given in the order of `parameters`.

        Raises:
            OpTypeError, OpValueError: a gradient is no tensor of numbers, or their number or a shape does not fit;
                nothing has changed then.
        """
        self._update(gradients, self._all_sections())
        return _DONE

    def prepare_update(self, given: Any, is_partial: bool = False) -> Update | None:
        """The step that a call would do, for graph mode; None where something that it asks is the program's own.

        Raises:
            OpTypeError, OpValueError, OpRuntimeError: what a call would raise.
        """
        if not is_of_this_package(type(self)) or not self._is_predictable():
            return None
        present = _present(given) if is_partial else frozenset(range(len(self.parameters)))
        sections = self._sections_of(present)
        gradients = self._checked(given, {i for section in sections for i in section.indices})
        outline, numbers = self._ahead(sections)
        form = self._form(outline)
        if len(present) < len(self.parameters):
            rest = form.only(tuple(sorted(present)))
            if rest is None:
                return None
            form, gradients = rest, [gradient for gradient in gradients if gradient is not None]
        places = [(*self._path, *place) for place in form.places()]
        holders = [current(found_at(self, place))._layout for place in places]
        entry = form.entry(holders, [None if gradient is None else current(gradient)._layout for gradient in gradients])
        again = Numbers(outline, form.numbers, present)
        return Update(entry, places, gradients, again.tensor(numbers), again, _DONE)

    def _ahead(self, sections: list[Section]) -> tuple[tuple, list[float]]:
        """An outline and the numbers of what the next step on the parameters of some sections will do."""
        return self._work_out(sections)

    def sources(self) -> Iterator[Parameter]:
        for name, value in self.__dict__.items():
            if isinstance(value, Parameter):
                yield value
            elif isinstance(value, Cell):
                yield from value.get_parameters()
            elif isinstance(value, ParameterTuple) and name != "parameters":
                yield from value
        for rate in (group["lr"] for group in self.param_groups):
            if isinstance(rate, Parameter):
                yield rate
            elif isinstance(rate, Cell):
                yield from rate.get_parameters()

    def _is_predictable(self) -> bool:
        """Whether the numbers of a step follow from what this package does, so that they may be asked for ahead."""
        if not self.__dict__.keys().isdisjoint(_OVERRIDABLE):
            return False
        settings = (group[name] for group in self.param_groups for name in ("lr", "weight_decay"))
        return all(
            type(setting).__module__.startswith("anfora.") and setting.__dict__["_hooks"] is None
            for setting in settings
            if isinstance(setting, Cell)
        )

    def update_present(self, gradients: Sequence[Tensor | None]) -> None:
        self._update(gradients, self._sections_of(_present(gradients)))

    def _sections_of(self, present: frozenset[int]) -> list[Section]:
        """The sections, with no other parameters than these."""
        sections = self._all_sections()
        if len(present) == len(self.parameters):
            return sections
        return [rest for section in sections if (rest := section.only(present)).indices]

    def _all_sections(self) -> list[Section]:
        if self._sections is None:
            flags = self.__dict__.get("_flags")
            decaying = flags or tuple(self.is_group or self._decays(parameter.name) for parameter in self.parameters)
            self._sections = [section for group in self.param_groups for section in group.sections(decaying)]
        return self._sections

    def _decays(self, name: str) -> bool:
        """Whether the weight decay goes for a parameter that is in no group."""
        return "beta" not in name and "gamma" not in name

    def _update(
        self, gradients: Any, sections: list[Section], wrapper: Callable[[Section], tuple] | None = None
    ) -> None:
        """One step on the parameters of the sections; see `_work_out` for the wrapper."""
        arrays, layouts = self._accept(gradients, sections)
        outline, numbers = self._work_out(sections, wrapper)
        plan = self._plan
        if plan is None or self._outline != outline or plan.gradients != layouts or not plan.is_current(self):
            plan = self._plan = Plan(self, self._form(outline), layouts)
            self._outline = outline
        plan.run(arrays, numbers)

    def _work_out(
        self, sections: list[Section], wrapper: Callable[[Section], tuple] | None = None
    ) -> tuple[tuple, list[float]]:
        """An outline of the next step on the parameters of the sections, and its numbers. Nothing changes.

        Args:
            wrapper: sees to loss scale and weight decay itself: for a section it gives what is done to the gradients, and
                the numbers of that.
        """
        step = value_of(self.global_step) + 1
        scales = self.loss_scale != 1.0 and wrapper is None
        parts: list[tuple] = []
        numbers: list[float] = []
        group, rate, decay = None, 0.0, 0.0
        for section in sections:
            if section.group is not group:
                group = section.group
                rate, decay = self._rate(group), self._decay(group)
            own_decay = decay if section.decays and wrapper is None else 0.0
            decays = own_decay != 0.0 and not self.decoupled_decay
            own = self.hyperparameters(group, rate, own_decay, step)
            numbers += own
            if decays:
                numbers.append(own_decay)
            if scales:
                numbers.append(1.0 / self.loss_scale)
            wraps, others = _UNWRAPPED if wrapper is None else wrapper(section)
            numbers += others
            negates = group.get("maximize") is True
            centralizes = group.get("grad_centralization") is True
            parts.append(
                (
                    self.rule(section),
                    scales,
                    negates,
                    decays,
                    centralizes,
                    section.indices,
                    len(own),
                    wraps,
                    len(others),
                )
            )
        counters: list[Place] = [("global_step",)]
        numbers.append(step)
        for name, value in self.counters(step).items():
            if isinstance(value, list):
                counters += [(name, i) for i in range(len(value))]
                numbers += value
            else:
                counters.append((name,))
                numbers.append(value)
        return (parts, counters), numbers

    def _form(self, outline: tuple) -> Form:
        """The step behind an outline.

        Raises:
            OpRuntimeError: a parameter has another shape than when the optimizer was made.
        """
        for parameter, shape in zip(self.parameters, self.shapes):
            if parameter.shape != shape:
                raise OpRuntimeError(
                    f"{parameter.name} had shape {shape} when the optimizer was made, but has {parameter.shape} now",
                    help="make a new optimizer.",
                )
        parts, counters = outline
        made = tuple(Part(rule, Before(s, n, d), c, i, k, (w, m)) for rule, s, n, d, c, i, k, w, m in parts)
        return Form.of(made, len(self.parameters), tuple(counters))

    def _accept(self, gradients: Any, sections: list[Section]) -> tuple[list, list]:
        """The arrays and layouts of the gradients, after they have been checked."""
        plan = self._plan
        if plan is not None and gradients.__class__ in (tuple, list) and len(gradients) == len(plan.gradients):
            arrays = []
            for gradient, layout in zip(gradients, plan.gradients):  # the same kinds as last time?
                if (
                    gradient.__class__ is not Tensor
                    or gradient._layout is not layout
                    or gradient._base is not None
                    or gradient._mark.__class__ is Export
                ):
                    break
                arrays.append(gradient._array)
            else:
                return arrays, plan.gradients
        return self._check(gradients, {i for section in sections for i in section.indices})

    def _check(self, gradients: Any, wanted: set[int]) -> tuple[list, list]:
        arrays: list[np.ndarray | None] = []
        layouts: list[Layout | None] = []
        for gradient in self._checked(gradients, wanted):
            if gradient is None:
                arrays.append(None)
                layouts.append(None)
                continue
            array, layout = current(gradient)._array, gradient._layout
            if self._is_written(gradient):  # it would change while it is read
                array, layout = np.array(array, order="C"), layout.type.contiguous
            arrays.append(array)
            layouts.append(layout)
        return arrays, layouts

    def _checked(self, gradients: Any, wanted: set[int]) -> list[Tensor | None]:
        """The gradients, which must be there for the `wanted` parameters."""
        label = type(self).__name__
        if isinstance(gradients, Tensor):
            gradients = (gradients,)
        if not isinstance(gradients, Iterable):
            raise OpTypeError(f"{label} needs a tuple of gradients, but got {type(gradients).__name__}")
        gradients = list(gradients)
        if len(gradients) != len(self.parameters):
            raise OpValueError(f"{label} has {len(self.parameters)} parameters, but got {len(gradients)} gradients")
        for i, (parameter, gradient) in enumerate(zip(self.parameters, gradients)):
            if gradient is None and i not in wanted:
                continue
            if not isinstance(gradient, Tensor):
                raise OpTypeError(f"the gradient of {parameter.name} is a {type(gradient).__name__}, not a tensor")
            if gradient.shape != parameter.shape:
                raise OpValueError(
                    f"the gradient of {parameter.name} has shape {gradient.shape}, the parameter {parameter.shape}"
                )
            if gradient.dtype.is_bool:
                raise OpTypeError(f"the gradient of {parameter.name} is {gradient.dtype}, not a number")
        return gradients

    def _is_written(self, gradient: Tensor) -> bool:
        """Whether a gradient shares memory with a parameter or a state: it is one or a view of one, or numpy had both."""
        if self._held is None:
            held = [*self.parameters, *(state for name in self._states for state in getattr(self, name))]
            self._held = {id(parameter): parameter for parameter in held}
        base = gradient if gradient._base is None else gradient._base
        if id(base) in self._held:
            return True
        if base._mark.__class__ is not Export:
            return False
        return any(np.may_share_memory(gradient._array, parameter._array) for parameter in self._held.values())

    # -- rates --------------------------------------------------------------------------------------------------------

    def _rate(self, group: Group) -> float:
        """The learning rate of the next step."""
        rate = group["lr"]
        if isinstance(rate, Parameter):
            return value_of(rate)
        if isinstance(rate, RateList):
            return rate.at(value_of(self.global_step))
        return float(rate(self.global_step) if isinstance(rate, Cell) else rate)

    def _decay(self, group: Group) -> float:
        """The weight decay of the next step."""
        decay = group["weight_decay"]
        return float(decay(self.global_step) if isinstance(decay, Cell) else decay)

    @computed
    def dynamic_lr(self) -> bool:
        """Whether a learning rate changes by itself."""
        return any(isinstance(group["lr"], Cell) for group in self.param_groups)

    @computed
    def dynamic_weight_decay(self) -> bool:
        """Whether a weight decay changes by itself."""
        return any(isinstance(group["weight_decay"], Cell) for group in self.param_groups)

    def get_lr(self) -> Any:
        """The learning rate of the next step: the Parameter that holds a fixed one, else a tensor; where groups have
        their own, a tuple with one for each parameter."""
        if not self.dynamic_lr:
            return self.learning_rate
        rates = [Tensor(self._rate(group), float32) for group in self.param_groups]
        return self._spread(rates) if self.is_group_lr else rates[0]

    def get_weight_decay(self) -> Any:
        """The weight decay of the next step, as a tensor; with groups a tuple with one for each parameter, unless one was
        set for all."""
        decays = [Tensor(self._decay(group), float32) for group in self.param_groups]
        return decays[0] if self._has_one_decay() else self._spread(decays)

    def _has_one_decay(self) -> bool:
        """Whether there are no groups, or `optimizer.weight_decay = …` has set one for all of them, and still holds."""
        if not self.is_group:
            return True
        one = self.__dict__.get("_one_decay")
        return one is not None and all(group["weight_decay"] is one for group in self.param_groups)

    @property
    def weight_decay(self) -> Any:
        """The weight decay, a tensor or a Cell; with groups a tuple, one for each parameter, unless one was set for all."""
        decays = [
            d if isinstance(d := group["weight_decay"], Cell) else Tensor(d, float32) for group in self.param_groups
        ]
        return decays[0] if self._has_one_decay() else self._spread(decays)

    @weight_decay.setter
    def weight_decay(self, value: Any) -> None:
        decay = read_decay(type(self).__name__, value.item() if isinstance(value, Tensor) else value)
        self._attach("_decay", decay)
        self.__dict__["_one_decay"] = decay
        for group in self.param_groups:
            group["weight_decay"] = decay

    def _spread(self, values: list[Any]) -> tuple:
        """One value a group as one a parameter."""
        by_index = {i: value for group, value in zip(self.param_groups, values) for i in group.indices}
        return tuple(by_index[i] for i in range(len(self.parameters)))

    @property
    def decay_flags(self) -> tuple[bool, ...]:
        """For each parameter, whether the weight decay goes for it. May be set."""
        if "_flags" in self.__dict__:
            return self.__dict__["_flags"]
        if self.is_group:
            return self._spread([isinstance(d := group["weight_decay"], Cell) or d > 0 for group in self.param_groups])
        return tuple(self._decays(parameter.name) for parameter in self.parameters)

    @decay_flags.setter
    def decay_flags(self, flags: Sequence[bool]) -> None:
        if len(flags) != len(self.parameters):
            raise OpValueError(f"{type(self).__name__} needs {len(self.parameters)} decay_flags, but got {len(flags)}")
        self.__dict__["_flags"] = tuple(bool(flag) for flag in flags)
        self._sections = None

    def get_lr_parameter(self, param: Parameter | Sequence[Parameter]) -> Any:
        """The Parameter or schedule behind the learning rate of a parameter (a list for a list of them).

        Raises:
            OpTypeError: `param` is neither a Parameter nor a list or tuple of them.
            OpValueError: it is none of the optimizer's.
        """
        if isinstance(param, (list, tuple)):
            return [self.get_lr_parameter(item) for item in param]
        if not isinstance(param, Parameter):
            raise OpTypeError(
                f"get_lr_parameter needs a Parameter or a list, but got {type(param).__name__}", arg="param"
            )
        for group in self.param_groups:
            if any(self.parameters[i] is param for i in group.indices):
                rate = group["lr"]
                return rate.learning_rate if isinstance(rate, RateList) else rate
        raise OpValueError(f"{type(self).__name__} has no parameter {param.name}", arg="param")

    # -- for optimizers that users write ------------------------------------------------------------------------------

    @property
    def _parameters(self) -> ParameterTuple:
        return self.parameters

    def decay_weight(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """The gradients with the weight decay added (times the loss scale, since `scale_grad` comes later)."""
        decays = self._spread([self._decay(group) * self.loss_scale for group in self.param_groups])
        return tuple(
            gradient + parameter * decay if decay and decays_too else gradient
            for gradient, parameter, decay, decays_too in zip(gradients, self.parameters, decays, self.decay_flags)
        )

    def gradients_centralization(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """The gradients less their means over all axes but the first, in groups that ask for it."""
        wanted = self._spread([group.get("grad_centralization") is True for group in self.param_groups])
        return tuple(
            gradient - gradient.mean(tuple(range(1, gradient.ndim)), True)
            if is_wanted and gradient.ndim > 1
            else gradient
            for gradient, is_wanted in zip(gradients, wanted)
        )

    def scale_grad(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """The gradients divided by the loss scale."""
        if self.loss_scale == 1.0:
            return tuple(gradients)
        return tuple(gradient * (1.0 / self.loss_scale) for gradient in gradients)

    def flatten_gradients(self, gradients: Sequence[Tensor]) -> Sequence[Tensor]:
        """The gradients themselves, for programs written for MindSpore."""
        return gradients

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        """Whether a rate or decay follows `global_step`, which an optimizer of the program's own then counts."""
        return bool(self.dynamic_lr or self.dynamic_weight_decay)

    def _grad_sparse_indices_deduplicate(self, gradients: Sequence[Any]) -> Sequence[Any]:
        """The gradients themselves, as there are no sparse ones."""
        return gradients

    @computed
    def param_length(self) -> int:
        """The number of parameters."""
        return len(self.parameters)

    @computed
    def optim_filter(self) -> tuple[bool, ...]:
        """For each parameter, whether this process updates it: always so, as there is one process."""
        return (True,) * len(self.parameters)

    use_parallel = False  #: whether processes share the update

    def broadcast_params(self, optim_result: Any) -> Any:
        """The result itself, as there is one process."""
        return optim_result

    @computed
    def need_scale(self) -> bool:
        """Whether gradients are divided by a loss scale."""
        return self.loss_scale != 1.0

    @computed
    def reciprocal_scale(self) -> float:
        """What gradients are multiplied by for the loss scale."""
        return 1.0 / self.loss_scale

    @computed
    def global_step_increase_tensor(self) -> Tensor:
        """One: what a step adds to `global_step`."""
        return Tensor([1], int32)

    def assignadd(self, parameter: Parameter, value: Any) -> Parameter:
        """Add to a Parameter in place."""
        slots.assign(parameter, parameter + value)
        return parameter

    def map_(self, function: Callable, *sequences: Sequence) -> tuple:
        """`function` of the first items, of the second items, …"""
        return tuple(function(*items) for items in zip(*sequences))

    def hyper_map(self, function: Callable, *trees: Any) -> Any:
        """`function` of the items in the same place of nested tuples or lists."""
        if any(isinstance(tree, (tuple, list)) for tree in trees):
            return tuple(self.hyper_map(function, *items) for items in zip(*trees))
        return function(*trees)

    @property
    def target(self) -> str:
        """Where parameters are updated: always "CPU"."""
        return "CPU"

    @target.setter
    def target(self, value: str) -> None:
        if not isinstance(value, str):
            raise OpTypeError(f"`target` must be a string, but got {value!r}")
        if value != "CPU":
            raise OpValueError(f"`target` must be 'CPU', but got {value!r}")

    @property
    def unique(self) -> bool:
        """Accepted for MindSpore programs; gradients are dense here."""
        return self.__dict__.get("_unique", True)

    @unique.setter
    def unique(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise OpTypeError(f"`unique` must be a bool, but got {value!r}")
        self.__dict__["_unique"] = value

    # -- saving, copying, showing -------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:  # type: ignore[override]  # that of optimizers, as in PyTorch
        """Copies of the states by name ("state"), and the settings of the groups ("param_groups").

        What the Parameters of the network hold is not in it.
        """
        own = {id(parameter) for parameter in self.parameters}
        state = {p.name: Tensor(p) for p in self.get_parameters() if id(p) not in own}
        groups = []
        for group in self.param_groups:
            plain = {name: _plain(value) for name, value in group.items() if not isinstance(value, Cell)}
            groups.append({**plain, "params": [parameter.name for parameter in group["params"]]})
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:  # type: ignore[override]
        """Go on from what `state_dict` gave.

        Raises:
            OpValueError: the names or shapes of states, or the groups, differ; nothing has changed then.
        """
        label = type(self).__name__
        if not isinstance(state_dict, dict) or not {"state", "param_groups"} <= set(state_dict):
            raise OpValueError(f"{label} needs what state_dict() gave", arg="state_dict")
        own = {id(parameter) for parameter in self.parameters}
        held = {p.name: p for p in self.get_parameters() if id(p) not in own}
        state, groups = state_dict["state"], state_dict["param_groups"]
        if set(state) != set(held):
            odd = sorted(set(state) ^ set(held))[0]
            raise OpValueError(f"{label}: only one side has the state {odd!r}", arg="state_dict")
        for name, value in state.items():
            if tuple(np.shape(value)) != held[name].shape:
                raise OpValueError(
                    f"{label}: the state {name!r} has shape {held[name].shape}, but the new one {np.shape(value)}",
                    arg="state_dict",
                )
        if [len(given["params"]) for given in groups] != [len(group["params"]) for group in self.param_groups]:
            raise OpValueError(f"{label}: the groups have other numbers of parameters", arg="state_dict")
        state = {name: Tensor(value, held[name].dtype) for name, value in state.items()}
        for name, value in state.items():
            held[name].set_data(value)
        for group, given in zip(self.param_groups, groups):
            for name, value in given.items():
                if name != "params" and not (name == "lr" and isinstance(group["lr"], (Parameter, Cell))):
                    group[name] = value  # a rate in a Parameter has come with the states

    def _forget(self) -> None:
        """Drop what was prepared for steps."""
        self._plan = None
        self._outline = ()
        self._sections = None
        self._held = None

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_plan": None, "_outline": (), "_sections": None, "_held": None}

    def __repr__(self) -> str:
        groups = []
        for index, group in enumerate(self.param_groups):
            settings = {name: value for name, value in sorted(group.items()) if name != "params"}
            shown = (f"    {name}: {_shortest(value)}\n" for name, value in settings.items())
            groups.append(f"Parameter Group {index}\n{''.join(shown)}")
        return f"{type(self).__name__} (\n{chr(10).join(groups)})"


class Numbers:
    """The numbers of the next step of an optimizer, as long as it is a step of a certain form: on the parameters at
    `present`."""

    __name__ = "numbers_of_step"

    def __init__(self, outline: tuple, layout: Layout, present: frozenset[int]) -> None:
        self.outline, self.layout, self.present = outline, layout, present

    def tensor(self, numbers: list[float]) -> Tensor:
        return wrap(np.array(numbers, np.float64), self.layout)

    def __call__(self, optimizer: Optimizer) -> Tensor:
        if not optimizer._is_predictable():
            raise OpRuntimeError("its rates are the program's own now")
        outline, numbers = optimizer._ahead(optimizer._sections_of(self.present))
        if outline != self.outline:
            raise OpRuntimeError("it is a step of another form")
        return self.tensor(numbers)


def _present(gradients: Sequence[Tensor | None]) -> frozenset[int]:
    """Where there are gradients."""
    return frozenset(i for i, gradient in enumerate(gradients) if gradient is not None)


def is_of_this_package(kind: type) -> bool:
    """Whether all that a step calls is this package's: subclasses of programs may have an `__init__` of their own, and
    what optimizers do not have."""
    own = [base for base in kind.__mro__ if base.__module__.startswith("anfora.")]
    others = (name for base in kind.__mro__ if base not in (*own, object) for name in vars(base))
    return not any(
        name in _CALLED if name.startswith("__") else any(hasattr(base, name) for base in own) for name in others
    )


_CALLED = ("__call__", "__getattr__", "__getattribute__", "__setattr__")
_OVERRIDABLE = ("construct", "rule", "hyperparameters", "counters")
_DONE = Tensor(True)
_UNWRAPPED: tuple = (None, ())


def put(parameter: Parameter, value: float) -> None:
    """Write a number into a Parameter."""
    leave_to_tape(current(parameter))
    parameter._array[...] = value


def state_of(parameter: Parameter, prefix: str, value: float) -> Parameter:
    dtype = float64 if parameter.dtype is float64 else float32
    return Parameter(Tensor(np.full(parameter.shape, value, dtype.storage)), f"{prefix}.{parameter.name}", False)


def _shortest(value: Any) -> str:
    """A setting as it was written: 0.01, not the float64 of the float32 that the step counts with."""
    plain = _plain(value)
    return str(float(str(np.float32(plain))) if isinstance(plain, float) and plain == np.float32(plain) else plain)


def _plain(value: Any) -> Any:
    """A setting as it is saved and shown: a rate in a Parameter as a number."""
    return value_of(value) if isinstance(value, Parameter) else value
