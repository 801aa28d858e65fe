"""Values of Python's library that the program makes of known ones: `Decimal("1.5")`, `date(2020, 1, 2)`.

What one is follows from what it is made of, and it never changes; so Python makes it once, while it is recorded, and says
what its attributes and methods give (rows/constructed.py). Where it lives on it is part of images, which hold what it is
made of: each call has an object of its own. One from elsewhere, and one made of numbers that vary, are left to the
interpreter.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from datetime import date, datetime, time, timezone
from decimal import Context
from typing import Any

from anfora.graph.facts import known
from anfora.graph.facts.classes import class_attribute
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.rows.constructed import ASKED, FUNCTIONS, NAMES, OF_CONTEXT
from anfora.graph.machine.operations import FORMATS

__all__ = ["adopt_constructed", "asks_surroundings", "built_value", "constructs", "is_constructed", "value_image"]

_MAKERS = frozenset([*NAMES, *FUNCTIONS])
_FORMATTING = frozenset({format, FORMATS[""], str.format, str.format_map})
#: What `strftime` writes in every locale and time zone alike.
_NUMERIC = re.compile("%[GHMSUVWYZdfjmuwyz%]")


def is_constructed(value: Any) -> bool:
    """Whether it is of a class of which each object is what it is made of."""
    return type(value) in NAMES


def constructs(recorder: Any, operation: Any, args: tuple, kwargs: dict) -> bool:
    """Whether something makes such a value of known ones, or asks one for what follows from it."""
    values = (*args, *kwargs.values())
    if asks_surroundings(operation, values):
        return False
    if known.is_among(operation, _MAKERS):
        is_free = operation not in OF_CONTEXT or _is_without_context(operation, args, kwargs)
        return is_free and all(_is_known(recorder, value) for value in values)
    if type(operation) is types.BuiltinMethodType and not is_a(operation.__self__, types.ModuleType):
        return _is_method(recorder, operation.__self__, operation.__name__, values)
    if type(operation) in (types.FunctionType, types.MethodDescriptorType) and args:
        found = class_attribute(_class_of(args[0]), operation.__name__)
        is_own = operation in (found, getattr(found, "__func__", None))
        return is_own and _is_method(recorder, args[0], operation.__name__, values[1:])
    asked = [ASKED[type(value)] for value in args if type(value) in NAMES]
    is_asked = bool(asked) and known.is_among(operation, frozenset.intersection(*asked))
    return is_asked and all(_is_known(recorder, value) for value in values)


def asks_surroundings(operation: Any, values: tuple) -> bool:
    """Whether a date is written as the locale or the time zone of the process says: `f"{day:%A}"`."""
    is_of_text = type(operation) is types.BuiltinMethodType and type(operation.__self__) is str
    if not (known.is_among(operation, _FORMATTING) or (is_of_text and operation.__name__ in ("format", "format_map"))):
        return False
    texts = [text for text in (*values, operation.__self__ if is_of_text else "") if type(text) is str]
    return any("%" in _NUMERIC.sub("", text) for text in texts) and _holds_date(values)


def _holds_date(value: Any, depth: int = 0) -> bool:
    if type(value) in (tuple, list, dict):
        items = value.values() if type(value) is dict else value
        return depth >= 20 or any(_holds_date(item, depth + 1) for item in items)
    return type(value) in (date, datetime, time)


def _is_without_context(kind: type, args: tuple, kwargs: dict) -> bool:
    """Whether a Decimal is made without a word to the context, which says what comes of a text that is no number."""
    context = Context(traps=[])
    try:
        kind(*args, **{"context": context, **kwargs})
    except (TypeError, ValueError):
        pass  # in each context
    return "context" not in kwargs and len(args) < 2 and not any(context.flags.values())


def _class_of(value: Any) -> type:
    return value if is_a(value, type) else type(value)


def _is_method(recorder: Any, owner: Any, name: str, values: tuple) -> bool:
    """Whether it is a method of such a value, or of its class, on known values."""
    names = NAMES.get(_class_of(owner))
    is_own = names is not None and name in names and (is_a(owner, type) or recorder.owns_constructed(owner))
    return is_own and all(_is_known(recorder, value) for value in values)


def _is_known(recorder: Any, value: Any, depth: int = 0) -> bool:
    if type(value) in (tuple, list):
        return depth < 20 and all(_is_known(recorder, item, depth + 1) for item in value)
    return type(value) in SIMPLE or value is timezone.utc or recorder.owns_constructed(value)


def adopt_constructed(recorder: Any, value: Any) -> None:
    """Know what follows from known values."""
    if type(value) in (tuple, list):
        for item in value:
            adopt_constructed(recorder, item)
    elif type(value) in NAMES:
        recorder.own[id(value)] = value
        for part in _made_of(value)[1]:
            adopt_constructed(recorder, part)


def _made_of(value: Any) -> tuple[Callable, tuple, dict[str, Any]]:
    """What is called to copy a value, with what, and what it is told then."""
    function, args, *more = value.__reduce_ex__(4)
    return function, args, (more[0] if more else None) or {}


# -- images -----------------------------------------------------------------------------------------------------------


def value_image(value: Any, image: Callable[[Any], tuple]) -> tuple:
    """The image of such a value: what it is made of, as it tells it to be copied."""
    function, args, attributes = _made_of(value)
    return "constructed", function, tuple(map(image, args)), tuple([(name, image(x)) for name, x in attributes.items()])


def built_value(image: tuple, build: Callable[[tuple], Any]) -> Any:
    """The value of an image."""
    made = image[1](*map(build, image[2]))
    if image[3]:
        made.__setstate__({name: build(part) for name, part in image[3]})
    return made
