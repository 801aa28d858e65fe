"""Guards as text: what must hold for a piece to be run again.

A guard is (kind, origin, what is wanted). `write_guards` adds to a function of the slots the lines that return None where
one does not hold; what is asked of several objects, or of one class, is asked at once where that takes fewer looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from anfora.core.abstract import Layout
from anfora.eager.tape import Leaf, Output
from anfora.graph.facts.classes import Facts, class_attribute, defines, has_tag, never_changes
from anfora.graph.facts.known import is_attribute_of_ours, overrides
from anfora.graph.facts.makers import maker
from anfora.graph.facts.origins import Emitter, Origin
from anfora.graph.facts.values import exact, is_told_by_equality
from anfora.graph.machine.operations import has_own
from anfora.graph.polyfill.special import behind, called_to_set
from anfora.graph.polyfill.surroundings import hooks_on
from anfora.ops.bound import Bound

__all__ = ["told_apart_at_once", "write_guard", "write_guards"]


def write_guards(emit: Emitter, guards: Iterable[tuple]) -> None:
    """Add the lines that return None where one of some guards does not hold."""
    for kind, origin, wanted in _of_classes(list(told_apart_at_once(list(guards)))):
        _WRITERS[kind](emit, origin, wanted)


def write_guard(emit: Emitter, kind: str, origin: Origin, wanted: Any) -> None:
    """The same for one of them."""
    _WRITERS[kind](emit, origin, wanted)


def told_apart_at_once(guards: Sequence[tuple]) -> Iterator[tuple]:
    """The guards, but objects all of which are told apart from each other by one: where a loop reads and writes n objects
    there are n² / 2 pairs of them."""
    pairs = [{origin, other} for kind, origin, other in guards if kind == "not same"]
    if len(pairs) < _MOST_PAIRS:
        yield from guards
        return
    others: dict[Origin, set[Origin]] = {}
    for origin, other in pairs:
        others.setdefault(origin, set()).add(other)
        others.setdefault(other, set()).add(origin)
    groups: list[list[Origin]] = []
    group_of: dict[Origin, int] = {}
    for origin, different in others.items():
        fitting = (k for k, group in enumerate(groups) if all(other in different for other in group))
        group_of[origin] = k = next(fitting, len(groups))
        groups[k : k + 1] = [[*groups[k], origin] if k < len(groups) else [origin]]
    for kind, origin, payload in guards:
        if kind != "not same" or group_of[origin] != group_of[payload]:
            yield kind, origin, payload
    for group in groups:
        if len(group) > 1:
            yield "distinct", group[0], tuple(group)


def _of_classes(guards: list[tuple]) -> Iterator[tuple]:
    """The guards, but what is asked of one class is asked at once, where that takes fewer looks; and what is asked of a
    class that never changes is not asked again."""
    found = [_question_to_class(*guard) if guard[0] == "is" else None for guard in guards]
    questions: dict[type, list[tuple]] = {}
    for question in found:
        if question is not None:
            questions.setdefault(question[0], []).append(question[1])
    for guard, question in zip(guards, found):
        if question is not None and never_changes(question[0]):
            continue
        if question is None or (len(questions[question[0]]) == 1 and question[1][0] is getattr):
            yield guard
        elif questions[question[0]][0] is question[1]:
            yield "class", guard[1], Facts(question[0], questions[question[0]])


def _question_to_class(_: str, origin: Origin, answer: Any) -> tuple[type, tuple] | None:
    """The class that a guard asks, with function, arguments and answer; None if it asks something else, or more."""
    if origin.kind == "attr":
        function, base, more = getattr, origin.base, (origin.key,)
    elif origin.kind == "number" and any(origin.key is each for each in _OF_CLASSES):
        function, (base, *more) = origin.key, origin.base
    else:
        return None
    if base.kind != "known" or not (has_tag(base.key) or never_changes(base.key)):
        return None
    if any(isinstance(part, Origin) for part in more):
        return None
    return base.key, (function, (base.key, *more), answer)


def _guard_class(emit: Emitter, _: Origin, facts: Facts) -> None:
    held, tag = emit.constant(facts), emit.constant(facts.tag)
    emit.lines.append(f"if {tag}.value != {held}.seen and not {held}.hold(): return None")


def _guard_type(emit: Emitter, origin: Origin, kind: type) -> None:
    emit.lines.append(f"if type({emit.name(origin)}) is not {emit.constant(kind)}: return None")


def _guard_is(emit: Emitter, origin: Origin, value: Any) -> None:
    text = repr(value) if value is None or type(value) is bool else emit.constant(value)
    emit.lines.append(f"if {emit.name(origin)} is not {text}: return None")


def _guard_operator(emit: Emitter, origin: Origin, value: Bound) -> None:
    name = emit.name(origin)
    own, same = emit.constant(value), emit.constant(_is_same_operator)
    emit.lines.append(f"if {name} is not {own} and not {same}({name}, {own}): return None")


def _is_same_operator(one: Any, other: Bound) -> bool:
    """Whether two are one operator with the same attributes."""
    return one.__class__ is Bound and one.op is other.op and repr(one.attributes) == repr(other.attributes)


def _guard_equal(emit: Emitter, origin: Origin, value: Any) -> None:
    if value is None or type(value) is bool:
        _guard_is(emit, origin, value)
        return
    if type(value) in (float, complex) and value != value:  # a nan: equal to itself alone
        _guard_is(emit, origin, value)
        return
    if is_told_by_equality(value):  # it is the very object, most often, and then nothing else is asked
        name, kind, wanted = emit.name(origin), emit.constant(type(value)), emit.constant(value)
        is_other = f" and (type({name}) is not {kind} or {name} != {wanted})" if not _is_one(value) else ""
        emit.lines.append(f"if {name} is not {wanted}{is_other}: return None")
        return
    _guard_type(emit, origin, type(value))
    _guard_value(emit, emit.name(origin), value)


def _is_one(value: Any) -> bool:
    """Whether CPython has a single object of a value."""
    return type(value) is int and -5 <= value <= 256


def _guard_value(emit: Emitter, name: str, value: Any) -> None:
    """A variable holds what cannot be told from a value, of whose type it is."""
    if is_told_by_equality(value):
        emit.lines.append(f"if {name} != {emit.constant(value)}: return None")
    else:
        emit.lines.append(f"if {emit.constant(exact)}({name}) != {emit.constant(exact(value))}: return None")


def _guard_same(emit: Emitter, origin: Origin, other: Origin) -> None:
    emit.lines.append(f"if {emit.name(origin)} is not {emit.name(other)}: return None")


def _guard_not_same(emit: Emitter, origin: Origin, other: Origin) -> None:
    emit.lines.append(f"if {emit.name(origin)} is {emit.name(other)}: return None")


def _guard_layout(emit: Emitter, origin: Origin, layout: Layout) -> None:
    name = emit.name(origin)
    emit.lines.append(f"if {name}._base is not None: current({name})")
    emit.lines.append(f"if {name}._layout is not {emit.constant(layout)}: return None")


def _guard_history(emit: Emitter, origin: Origin, has: bool) -> None:
    emit.lines.append(f"if {emit.name(origin)}._node is {'None' if has else 'not None'}: return None")


def _guard_leaf(emit: Emitter, origin: Origin, has: bool) -> None:
    is_other = f"__class__ is not {emit.constant(Leaf)}" if has else " is not None"
    emit.lines.append(f"if {emit.name(origin)}._node{'.' if has else ''}{is_other}: return None")


def _guard_no_leaf(emit: Emitter, origin: Origin, _: None) -> None:
    emit.lines.append(f"if {emit.name(origin)}.is_leaf: return None")


def _guard_distinct(emit: Emitter, _: Origin, origins: tuple[Origin, ...]) -> None:
    names = ", ".join(map(emit.name, origins))
    emit.lines.append(f"if len({emit.constant(_identities)}(({names}))) != {len(origins)}: return None")


def _identities(objects: tuple) -> set[int]:
    return set(map(id, objects))


def _guard_no_hooks(emit: Emitter, origin: Origin, _: None) -> None:
    name = emit.name(origin)
    emit.constants["Output"] = Output
    history = f"{name}._node.__class__ is Output or {name}._node.hooks"
    tables = f"{name}.__dict__.get('_hooks') if {name}._node is None else {history}"
    emit.lines.append(f"if ({tables}) and {emit.constant(hooks_on)}({name}): return None")


def _guard_length(emit: Emitter, origin: Origin, length: int) -> None:
    emit.lines.append(f"if len({emit.name(origin)}) != {length}: return None")


def _guard_keys(emit: Emitter, origin: Origin, keys: tuple) -> None:
    emit.constants.setdefault("tuple", tuple)
    _guard_value(emit, f"tuple({emit.name(origin)})", keys)


def _guard_no_key(emit: Emitter, origin: Origin, key: str) -> None:
    emit.lines.append(f"if {key!r} in {emit.name(origin)}: return None")


def _guard_not_own(emit: Emitter, origin: Origin, name: str) -> None:
    emit.lines.append(f"if {name!r} in {emit.name(origin)}.__dict__: return None")


def _guard_method(emit: Emitter, origin: Origin, function: Any) -> None:
    emit.lines.append(f"if {emit.name(origin)}.__func__ is not {emit.constant(function)}: return None")


#: Questions of which the answers follow from what stands in a class and its bases.
_OF_CLASSES = (
    hasattr, defines, class_attribute, behind, has_own, overrides, is_attribute_of_ours, maker, called_to_set,
)  # fmt: skip
_MOST_PAIRS = 6  #: of objects, each with a guard of its own
_WRITERS: dict[str, Callable[[Emitter, Origin, Any], None]] = {
    "type": _guard_type, "is": _guard_is, "equal": _guard_equal, "same": _guard_same, "not same": _guard_not_same,
    "layout": _guard_layout, "history": _guard_history, "length": _guard_length, "keys": _guard_keys,
    "no key": _guard_no_key, "method": _guard_method, "number": _guard_type, "no hooks": _guard_no_hooks,
    "operator": _guard_operator, "class": _guard_class, "leaf": _guard_leaf, "no leaf": _guard_no_leaf,
    "distinct": _guard_distinct, "not own": _guard_not_own,
}  # fmt: skip
