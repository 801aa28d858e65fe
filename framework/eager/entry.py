"""Entries: everything about a call that follows from its operator, layouts and attributes.

The first call with new layouts infers the result, plans the kernels and keeps both; later calls find the entry by the
identities of the layouts. What the tape keeps, and how the gradient rules get it back, is worked out here too, once for
each set of arguments that are followed.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import DType, as_dtype, float32, float64
from anfora.core.errors import OpTypeError, lost_parts, no_complex
from anfora.core.op import Gradient, Op, Weak, leaves, pass_gradient, registry
from anfora.core.own_builtins import undisturbed
from anfora.core.tensor import Tensor, wrap
from anfora.kernel import glue
from anfora.kernel.build import compile_ahead, is_cold
from anfora.kernel.compose import Composed
from anfora.kernel.ends import End
from anfora.kernel.executor import Program
from anfora.kernel.plan import Buffer, Plan, Planner

__all__ = ["Call", "Entry", "Recipe", "entry_for", "freeze", "plain_number", "tensor_maker", "thaw"]

_MOST_ENTRIES = 4096  #: an operator forgets all its entries beyond so many

Key = Any  #: a Layout, the type of a Python number, None, or a tuple of keys for a sequence of tensors


class Call:
    """One gradient rule of a recorded call.

    `run(saved, g)` calls it with what the tape has saved; `run_with_history(node, saved, g)` does so with tensors that
    can be differentiated again. Both are small functions put together once, since the walk back calls little else.
    """

    __slots__ = ("is_of_program", "is_tuple", "part", "passes", "run", "run_with_history", "targets")

    def __init__(
        self, rule: Callable, arguments: list[Argument], targets: list[tuple[int, Layout]], is_tuple: bool
    ) -> None:
        #: Of index_view, where the gradient is a part and zero elsewhere: the shape of the whole, and the items.
        self.part: tuple[tuple[int, ...], tuple] | None = None
        self.passes = rule is pass_gradient
        self.is_of_program = False  #: whether the rule is a function of the program
        self.targets = tuple(targets)  #: the inputs that its results belong to
        self.is_tuple = is_tuple  #: whether the rule gives one result for each target
        self.run: Callable = _runner(rule, arguments, False)
        self.run_with_history = _runner(rule, arguments, True)


def kept_rule(call: Call, plain: Callable, layouts: list[Layout | None]) -> Callable:
    """A rule that is looked at when it is called often. Filled by `kept.py`."""
    return plain


class Argument:
    """An argument of a gradient rule: a constant, something saved, or a sequence of saved tensors."""

    __slots__ = ("layout", "members", "name", "slot", "value", "where")

    def __init__(
        self,
        name: str | None,
        value: Any = None,
        where: int = -1,
        slot: int = -1,
        layout: Layout | None = None,
        members: list[Argument] | None = None,
    ) -> None:
        self.name = name  #: None if it is passed by position
        self.value = value  #: of a constant
        self.where = where  #: position among what the node has saved
        self.slot = slot  #: the input or (after the inputs) result that it was
        self.layout = layout  #: None for a Python number
        self.members = members

    def source(self, constants: list, with_history: bool) -> str:
        """The expression for it in a runner; adds the objects it refers to."""
        if self.members is not None:
            return "[" + ", ".join(member.source(constants, with_history) for member in self.members) + "]"
        if self.where < 0:
            constants.append(self.value)
            return f"c{len(constants) - 1}"
        if self.layout is None:
            return f"saved[{self.where}]"
        constants.append(self.layout)
        history = f"node.recipe.history(node, {self.slot})" if with_history else "None"
        return f"make(saved[{self.where}], c{len(constants) - 1}, {history})"


def _conjugate(rule: Callable) -> Callable:
    """The gradient rule of a function with a complex derivative d: it gives g · d, and a gradient is g · conj(d)."""

    def conjugated(*args: Any, g: Any, **kwargs: Any) -> Any:
        g = tuple(map(_conjugated, g)) if isinstance(g, tuple) else _conjugated(g)
        found = rule(*args, g=g, **kwargs)
        return type(found)(map(_conjugated, found)) if isinstance(found, (tuple, list)) else _conjugated(found)

    return conjugated


def _conjugated(x: Tensor | None) -> Tensor | None:
    return x if x is None or not x.dtype.is_complex else registry["conjugate"](x)


def _runner(rule: Callable, arguments: list[Argument], with_history: bool) -> Callable:
    constants: list[Any] = []
    parts = []
    for argument in arguments:
        source = argument.source(constants, with_history)
        parts.append(source if argument.name is None else f"{argument.name}={source}")
    call = f"rule({', '.join([*parts, 'g=g'])})"
    names = [f"c{i}" for i in range(len(constants))]
    return _factory(call, tuple(names), with_history)(rule, tensor_maker(), *constants)


@functools.cache
def _factory(call: str, names: tuple[str, ...], with_history: bool) -> Callable:
    """A function that makes a runner of a rule and its constants; rules called alike share one."""
    parameters = "node, saved, g" if with_history else "saved, g"
    source = f"def factory({', '.join(('rule', 'make', *names))}):\n    return lambda {parameters}: {call}\n"
    scope: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), scope)  # frames of this package are no place of the user's
    return scope["factory"]


class Recipe:
    """What a recorded call keeps, and what is done to walk back over it, when certain inputs are followed."""

    __slots__ = ("calls", "entry", "is_tuple", "results", "saves")

    def __init__(self, entry: Entry, saves: list[int], calls: list[Call]) -> None:
        self.entry = entry
        self.saves = tuple(saves)  #: slots: inputs, then results
        self.calls = tuple(calls)
        #: Whether gradients come for (node, i), be there one result or more, or for the node.
        self.is_tuple = entry.is_tuple
        self.results = len(entry.outputs)

    def history(self, node: Any, slot: int) -> Any:
        """The history of the value in a slot of a node."""
        count = len(self.entry.inputs)
        if slot < count:
            return node.parents[slot]
        return node.output(slot - count) if self.entry.is_tuple else node


@functools.cache
def tensor_maker() -> Callable[[np.ndarray, Layout, Any], Tensor]:
    """The fastest way to make a tensor from (array, layout, node). Asking for it loads the native code."""
    return glue.native_wrap() or wrap


class Entry:
    """A planned call."""

    __slots__ = (
        "op", "attributes", "groups", "inputs", "outputs", "_program", "view", "is_tuple", "_recipes",
        "followed", "may_fail", "numbers", "written", "advice", "widens", "is_advised", "caller", "sentence",
        "__weakref__",
    )  # fmt: skip

    op: Op
    attributes: dict[str, Any]  #: normalised
    groups: tuple[int | slice, ...]  #: for each tensor parameter, its place among the flat inputs
    inputs: tuple[Layout | None, ...]
    outputs: tuple[Layout, ...]
    view: tuple[Layout, int] | None
    is_tuple: bool  #: whether the operator gives a tuple
    followed: int  #: mask of the inputs that a gradient can flow to
    numbers: frozenset[int]  #: which inputs are Python numbers
    may_fail: bool  #: whether it depends on the data whether a run raises an error
    written: tuple[int, ...]  #: which inputs are written in place; the outputs are these, in this order
    advice: str | None  #: what the caller is warned of
    widens: bool  #: whether float64 data makes the result of float32 ones float64
    is_advised: bool  #: whether it is one of these two
    sentence: Callable | None  #: what is called instead, of the arguments of the call: then nothing else here is known
    caller: Any  #: the function of its inputs that runs it, where a kept call needs one (kept.py)

    def __init__(self, op: Op, keys: Sequence[Key], attributes: dict[str, Any]) -> None:
        self.op = op
        abstracts = [_abstract(key) for key in keys]
        self.sentence = _of_eight_bits(op, abstracts, attributes) or _of_complex(op, abstracts, attributes)
        if self.sentence is not None:
            return
        self.attributes = op.complete(abstracts, attributes)
        assert op.infer_rule is not None, f"{op.name} has no infer rule"
        result = op.infer_rule(*abstracts, **self.attributes)
        self.is_tuple = isinstance(result, tuple)
        types: tuple[TensorType, ...] = result if isinstance(result, tuple) else (result,)
        if op.keeps_parts:
            _keep_parts(op, abstracts, types[0].dtype)
        self._lay_out(keys, abstracts)
        self.outputs = tuple(kind.contiguous for kind in types)
        self.written = ()
        if op.writes is not None:
            group = self.groups[op.tensors.index(op.writes)]
            self.written = tuple(range(group.start, group.stop)) if isinstance(group, slice) else (group,)
            self.outputs = tuple(self.inputs[i] for i in self.written)  # type: ignore[misc]
        is_safe = op.faults_are_of_integers and all(layout.dtype.is_float for layout in self.outputs)
        self.may_fail = op.python_rule is not None or (op.fault_rule is not None and not is_safe)
        self._recipes: dict[int, Recipe] = {}
        self.caller = None
        self.advice = None if op.advice_rule is None else op.advice_rule(*abstracts, **self.attributes)
        floats = {layout.dtype for layout in self.inputs if layout is not None and layout.shape}
        self.widens = float32 in floats and float64 in floats and any(x.dtype is float64 for x in self.outputs)
        self.is_advised = self.advice is not None or self.widens
        self.followed = sum(1 << i for i, name in enumerate(self.owners()) if name in op.gradients)
        self.view = op.view_rule(self.inputs[0], **self.attributes) if op.view_rule else None
        self._program: Program | None = None
        if self.view is not None:
            self.outputs = (self.view[0],)
        elif op.view_rule and any(x.dtype.is_eight_bits for x in leaves(abstracts)):
            raise _no_eight_bits(op, abstracts)
        elif slots.watcher.planned is None:
            self._make_program()

    @property
    def program(self) -> Any:
        """A Program; None for a view, and for an operator that runs in Python."""
        if self._program is None:
            self._make_program()
        return self._program

    @property
    def needs_program(self) -> bool:
        return self._program is None and self.view is None and self.op.python_rule is None

    def _make_program(self) -> None:
        """Plan it, and compile its kernels, if that is to be done and not done yet."""
        if self.needs_program:
            if is_cold():
                compile_ahead(self.plan)
            self._program = Program(self.plan(), computes=self.op)

    def _lay_out(self, keys: Sequence[Key], abstracts: list) -> None:
        """Flatten the arguments; Python numbers become 0-d buffers."""
        flat: list[Layout | None] = []
        groups: list[int | slice] = []
        numbers: list[int] = []
        dtypes: Any = None

        def add(key: Key, parameter: int) -> None:
            nonlocal dtypes
            if isinstance(key, type):
                numbers.append(len(flat))
                if dtypes is None:
                    dtypes = self.op.scalar_rule(*abstracts, **self.attributes)
                dtype = dtypes[parameter] if isinstance(dtypes, tuple) else dtypes
                flat.append(TensorType(dtype, ()).contiguous)
            else:
                flat.append(key)

        for parameter, key in enumerate(keys):
            start = len(flat)
            if isinstance(key, tuple):
                for item in key:
                    add(item, parameter)
                groups.append(slice(start, len(flat)))
            else:
                add(key, parameter)
                groups.append(start)
        self.inputs, self.groups, self.numbers = tuple(flat), tuple(groups), frozenset(numbers)

    def owners(self) -> list[str]:
        """For each flat input, the parameter it belongs to."""
        names = [""] * len(self.inputs)
        for name, group in zip(self.op.tensors, self.groups):
            for i in range(group.start, group.stop) if isinstance(group, slice) else (group,):
                names[i] = name
        return names

    def reordered(self, order: tuple[int, ...]) -> Entry:
        """The same call when argument `order[i]` of the caller is input i of the operator: a reflected operator."""
        assert self.program is not None
        twin = object.__new__(Entry)
        for name in ("op", "attributes", "outputs", "is_tuple", "view", "written", "may_fail", "sentence"):
            setattr(twin, name, getattr(self, name))
        twin.groups = order
        twin.inputs = tuple(self.inputs[order.index(i)] for i in range(len(order)))
        twin._program = Program(self.program.plan, order, self.op)
        twin._recipes = {}
        twin.numbers = frozenset(order[i] for i in self.numbers)
        twin.followed = sum(1 << order[i] for i in range(len(order)) if self.followed >> i & 1)
        return twin

    def plan(self) -> Plan:
        """What its kernels do."""
        planner = Planner(self.inputs, self.outputs)
        self._add_steps(planner)
        return planner.finish()

    def _add_steps(self, planner: Planner, **end: End) -> None:
        operands = planner.operands
        arguments = [operands[group] for group in self.groups]
        results = operands[len(planner.inputs) :]
        assert self.op.kernel_rule is not None, f"{self.op.name} has no kernel rule"
        self.op.kernel_rule(planner, *arguments, *results, **self.attributes, **end)

    @property
    def end_axis(self) -> int | None:
        """The axis of `Op.ends`; None where nothing more can be done with what it makes."""
        rule = self.op.end_rule
        if rule is None:
            return None
        types = [None if layout is None else layout.type for layout in self.inputs]
        return rule(*(types[group] for group in self.groups), **self.attributes)

    def plan_with_end(self, body: Composed, operands: Sequence[tuple[Layout, Buffer]]) -> Plan:
        """What its kernels do where they apply a body to each element of the output too.

        Args:
            body: see `kernel.ends.End`.
            operands: of the body: further inputs, and how the body walks each, in the shape of the output.
        """
        count = len(self.inputs)
        planner = Planner((*self.inputs, *(layout for layout, _ in operands)), self.outputs)
        end = End(body, tuple(buffer.at(i) for i, (_, buffer) in enumerate(operands, count)))
        self._add_steps(planner, end=end)
        return planner.finish()

    # -- what the tape keeps --------------------------------------------------------------------------------------

    def recipe(self, mask: int) -> Recipe:
        """What to keep, and to do, when the inputs in `mask` are followed."""
        known = self._recipes.get(mask)
        if known is None:
            known = self._recipes[mask] = self._make_recipe(mask)
        return known

    @undisturbed
    def _make_recipe(self, mask: int) -> Recipe:
        owners = self.owners()
        wanted = {name for i, name in enumerate(owners) if mask >> i & 1}
        rules: list[Gradient] = []
        for name in self.op.tensors:
            gradient = self.op.gradients.get(name)
            if gradient is not None and wanted & set(gradient.targets) and gradient not in rules:
                rules.append(gradient)
        slots: list[int] = []
        calls = [self._make_call(gradient, slots) for gradient in rules]
        return Recipe(self, slots, calls)

    def _make_call(self, gradient: Gradient, slots: list[int]) -> Call:
        """Work out where a rule's arguments come from; adds to `slots` what must be saved."""
        op = self.op
        arguments = self._arguments(gradient, slots)
        targets = []
        for name in gradient.targets:
            group = self.groups[op.tensors.index(name)]
            flat = range(group.start, group.stop) if isinstance(group, slice) else [group]
            targets += [(i, self.inputs[i]) for i in flat]
        is_tuple = len(gradient.targets) > 1 or not op.variadic.isdisjoint(gradient.targets)
        call = Call(self._rule(gradient), arguments, targets, is_tuple)  # type: ignore[arg-type]
        call.is_of_program = gradient.is_of_program
        is_kept = op.is_basic and not call.passes and not call.is_of_program
        if is_kept and all(slot not in self.numbers for slot in slots):
            kept = [each for argument in arguments for each in argument.members or (argument,) if each.where >= 0]
            layouts = {each.where: each.layout for each in kept}
            call.run = kept_rule(call, call.run, [layouts.get(i) for i in range(max(layouts, default=-1) + 1)])
        if op.part_rule is not None:
            call.part = op.part_rule(self.inputs[0], **self.attributes)
        return call

    def _rule(self, gradient: Gradient) -> Callable:
        """The rule of a gradient, for the element types of this call."""
        is_complex = any(x is not None and x.dtype.is_complex for x in self.inputs)
        # A view only moves elements: what it puts among zeros must not turn their signs.
        is_moved = gradient.rule is pass_gradient or self.op.view_rule is not None
        return _conjugate(gradient.rule) if is_complex and self.op.is_holomorphic and not is_moved else gradient.rule

    def _arguments(self, gradient: Gradient, slots: list[int]) -> list[Argument]:
        """What a rule is called with besides the gradient; adds to `slots` what must be saved."""
        op = self.op
        parameters = inspect.signature(gradient.rule).parameters

        def saved(name: str | None, slot: int) -> Argument:
            if slot not in slots:
                slots.append(slot)
            layout = None if slot in self.numbers else (*self.inputs, *self.outputs)[slot]
            return Argument(name, None, slots.index(slot), slot, layout)

        def argument(name: str | None, want: str) -> Argument:
            if want in op.tensors:
                group = self.groups[op.tensors.index(want)]
                if isinstance(group, slice):
                    return Argument(name, members=[saved(None, i) for i in range(group.start, group.stop)])
                return Argument(name) if self.inputs[group] is None else saved(name, group)
            if want.startswith("out") and want not in op.attributes and not want.endswith("_type"):
                return saved(name, len(self.inputs) + int(want[3:] or 0))
            return Argument(name, self._value(want))

        by_name = inspect.Parameter.KEYWORD_ONLY
        return [argument(want if parameters[want].kind is by_name else None, want) for want in gradient.wants]

    def _value(self, want: str) -> Any:
        """An attribute, or the type of an argument or result."""
        if want in self.attributes:
            return self.attributes[want]
        if want.endswith("_type"):
            name = want.removesuffix("_type")
            if name in self.op.tensors:
                group = self.groups[self.op.tensors.index(name)]
                if isinstance(group, slice):
                    return tuple(layout.type for layout in self.inputs[group] if layout is not None)
                given = self.inputs[group]
                return None if given is None else given.type
            if name.startswith("out"):
                return self.outputs[int(name[3:] or 0)].type
        raise TypeError(f"{self.op.name}: a gradient rule asks for {want!r} by keyword, which is no attribute")


def _of_eight_bits(op: Op, abstracts: list, attributes: dict[str, Any]) -> Callable | None:
    """What is called in place of an operator because of floating-point numbers of eight bits, which few take."""
    dtype = attributes.get("dtype")
    if not any(x.dtype.is_eight_bits for x in leaves(abstracts)) and (
        dtype is None or not as_dtype(dtype).is_eight_bits
    ):
        return None
    if op.eight_bits_rule is None and (op.view_rule is None or op.writes is not None):
        raise _no_eight_bits(op, abstracts)
    return op.eight_bits_rule if callable(op.eight_bits_rule) else None


def _no_eight_bits(op: Op, abstracts: list) -> OpTypeError:
    found = next((x for x in leaves(abstracts) if x.dtype.is_eight_bits), None)
    return OpTypeError(
        f"{op.name} takes no floating-point numbers of eight bits" + (f", but got {found!r}" if found else ""),
        arg=next((name for name, x in zip(op.tensors, abstracts) if x is found and x is not None), "dtype"),
        help="compute in another type, x.astype(float32) say, and convert what comes of it.",
    )


def _of_complex(op: Op, abstracts: list, attributes: dict[str, Any]) -> Callable | None:
    """What is called in place of an operator because of complex numbers, which it may not take at all."""
    found = next((x for x in leaves(abstracts) if x.dtype.is_complex), None)
    if found is None:
        dtype = attributes.get("dtype")
        if dtype is None or not as_dtype(dtype).is_complex:
            return None
    if op.complex_rule is None and op.view_rule is None:
        given = as_dtype(attributes["dtype"]) if found is None else found
        raise no_complex(op.name, given, next((name for name, x in zip(op.tensors, abstracts) if x is found), "dtype"))
    return op.complex_rule if callable(op.complex_rule) else None


def _keep_parts(op: Op, abstracts: list, dtype: DType) -> None:
    """Refuse to move complex numbers to where real ones lie. What is true or false has no parts."""
    if dtype.is_complex or dtype.is_bool:
        return
    for name, given in zip(op.tensors, abstracts):
        found = next((x for x in leaves([given]) if x.dtype.is_complex), None)
        if found is not None:
            raise lost_parts(dtype, name, found.dtype.name)


def _abstract(key: Key) -> Any:
    if isinstance(key, tuple):
        return tuple(_abstract(item) for item in key)
    if isinstance(key, Layout):
        return key.type
    return None if key is None else Weak(key)


def entry_for(op: Op, keys: tuple[Key, ...], given: tuple[tuple[str, Any], ...]) -> Entry:
    """The entry of a call with these keys and attributes (frozen, in the order of the signature)."""
    entries = op.caches.get("eager")
    if entries is None:
        entries = op.caches["eager"] = {}
    entry = entries.get((keys, given))
    if entry is None:
        if len(entries) >= _MOST_ENTRIES:
            entries.clear()
        # An operator of the program's own asks functions of that, which mean the builtins that it has put.
        make = _made if registry.get(op.name) is op else Entry
        entry = entries[keys, given] = make(op, keys, {name: thaw(value) for name, value in given})
    return entry


_made = undisturbed(Entry)
_NUMBERS = (int, float, bool)


def freeze(value: Any) -> Any:
    """An attribute as a key: lists become tuples, numpy numbers Python's; 1, 1.0 and True stay apart, 0.0 and -0.0
    too."""
    kind = value.__class__
    if kind is int or kind is bool:
        return kind, kind(value)
    if kind is float:
        return float, value.hex()
    if kind is tuple or kind is list:
        return tuple(map(freeze, value))
    if isinstance(value, np.generic):
        return freeze(value.item())
    if isinstance(value, (tuple, list)):
        return tuple(map(freeze, value))
    if isinstance(value, _NUMBERS):
        return freeze(plain_number(value))
    return _Data(value) if isinstance(value, Tensor) else value


class _Data:
    """A tensor that is given as an attribute: what counts is what lies in it now."""

    __slots__ = ("bits", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        array = tensor._plain()  # somebody looks at the data, in each call
        self.tensor = wrap(tensor._array.copy(), tensor._layout.type.contiguous)
        self.bits = (tensor._layout.type, array.tobytes())

    def __eq__(self, other: object) -> bool:
        return type(other) is _Data and self.bits == other.bits

    def __hash__(self) -> int:
        return hash(self.bits)


def plain_number(value: Any) -> int | float:
    """Python's own number with the value of one of a subclass (an enumeration, say), whatever that makes of itself."""
    return int.__int__(value) if isinstance(value, int) else float.__float__(value)


def thaw(value: Any) -> Any:
    """The attribute that was frozen."""
    if value.__class__ is tuple:
        if len(value) == 2 and value[0].__class__ is type and issubclass(value[0], _NUMBERS):
            return float.fromhex(value[1]) if value[0] is float else value[1]
        return tuple(map(thaw, value))
    return value.tensor if value.__class__ is _Data else value
