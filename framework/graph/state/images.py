"""Images: the state of the machine, or any value of the program, as a pattern with slots.

What the program has made itself (lists, dicts, objects, inner functions, generators, frames) is part of the pattern, and is
built afresh when the pattern is; what came from outside, and tensors and numbers that vary, stand in slots. Two moments
of a program with equal patterns go on in the same way: that is how a loop finds back to its start.
"""

from __future__ import annotations

import abc
import collections
import contextlib
import functools
import gc
import operator
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.op import Op
from anfora.graph.facts.arrays import array_image, built_array, is_array
from anfora.graph.facts.classes import class_attribute, defines
from anfora.graph.facts.collected import built_container, container_image
from anfora.graph.facts.compiled_functions import built_compiled, compiled_image, is_compiled
from anfora.graph.facts.constructed import built_value, is_constructed, value_image
from anfora.graph.facts.kinds import is_a, reduced
from anfora.graph.facts.known import (
    GETTERS,
    SIMPLE,
    VIEWS,
    bound_to,
    descriptor_of,
    is_bound,
    is_hashed_by_program,
    viewed,
)
from anfora.graph.facts.operator_classes import built_operator, is_operator, operator_image
from anfora.graph.facts.origins import Number
from anfora.graph.facts.values import exact
from anfora.graph.lower.ranges import Counter, images_in
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator, bound
from anfora.graph.machine.operations import is_of_python, mro_of, table_of
from anfora.graph.machine.set_orders import fill, order_of_making
from anfora.graph.machine.walks import Walk
from anfora.graph.source.quiet import quietly
from anfora.graph.source.tracebacks import Lines

__all__ = [
    "ORDINARY", "Imager", "NoImage", "build", "builder", "is_of_parts", "is_plain_object", "signature", "slots_in",
]  # fmt: skip

ORDINARY = (type, abc.ABCMeta)  #: classes of classes that add nothing to what an object is, and how it is made
#: Types of what is made of its parts, and never changes; and the images of all that is.
_FIXED_PARTS = (tuple, frozenset, types.MethodType, slice)
_FIXED = ("tuple", "tuple of", "frozenset", "bound", "slice", "view", "method")
FIXED = (type, types.ModuleType, types.BuiltinFunctionType, Op, DType)

Image = tuple  #: (kind, …); see Imager._image


class NoImage(Exception):
    """A value that no pattern can be made of; the argument says what."""


def _see_keys(keys: Iterable[Any]) -> None:
    """Refuse what would call the program where it is made anew."""
    if any(map(is_hashed_by_program, keys)):
        raise NoImage("a dict or set of objects with a `__hash__` or `__eq__` of their own")


class Imager:
    """Makes images of values; an object that is met again is the same object in the image.

    Args:
        slot: gives the number of the slot that a value stands in, or None if it is part of the pattern.
        is_known: whether an object is the same one in every call, so that it stands for itself.
        own: what of types written in C, and of operators, the program has made, by identity.
        settled: pairs by identity: of the first one the image is that of the other.
    """

    def __init__(
        self,
        slot: Callable[[Any], int | None],
        is_known: Callable[[Any], bool],
        own: dict[int, Any] | None = None,
        settled: dict[int, tuple[Any, Any]] | None = None,
    ) -> None:
        self._slot, self._is_known, self._own, self._settled = slot, is_known, own or {}, settled or {}
        self._seen: dict[int, int] = {}
        self._open: set[int] = set()  #: tuples and iterators that are being gone through
        self._is_leaving = False
        self._kept: list[Any] = []
        self.made: list[Any] = []  #: the objects that the image makes, in the order of their numbers

    def image(self, value: Any, is_leaving: bool = False) -> Image:
        """The pattern of a value.

        Args:
            is_leaving: it may be built for Python, where other iterators stand in the places of the machine's.
        """
        self._is_leaving = is_leaving
        try:
            return self._image(value)
        except RecursionError:
            raise NoImage("something that is nested too deep") from None

    def _image(self, value: Any) -> Image:
        kind = type(value)
        if kind in SIMPLE:
            return "is", value
        if kind is Number:
            number = self._slot(value)
            if number is None:
                raise NoImage("a number of which nothing is known")
            return "number", number
        if id(value) in self._settled:
            value = self._settled[id(value)][1]
        number = self._slot(value)
        if number is not None:
            return "slot", number
        if kind is types.TracebackType:
            return "traceback", Lines(value)
        is_derived = kind in VIEWS or is_bound(value)
        if not is_derived and (issubclass(kind, FIXED) or self._is_known(value)):
            return "is", value
        known = self._seen.get(id(value))
        if known is not None:
            if id(value) in self._open:  # what stands in its place is not there yet where its parts are made
                raise NoImage("an iterator that holds itself")
            return ("again", known, value.pc, value.code) if kind is Frame else ("again", known)
        if is_derived or issubclass(kind, _FIXED_PARTS):
            return self._fixed(value, kind)
        self._number(value)
        return _IMAGES.get(kind, Imager._other)(self, value)

    def _fixed(self, value: Any, kind: type) -> Image:
        """The image of something that is made of its parts: these are there before it."""
        if id(value) in self._open:
            raise NoImage(f"a {kind.__name__} that holds itself")
        self._open.add(id(value))
        image: Image
        if kind in VIEWS:
            image = "view", kind.__name__.removeprefix("o").removeprefix("dict_"), self._image(viewed(value))
        elif is_bound(value):
            made_by = descriptor_of(value)
            image = "method", value.__name__ if made_by is None else made_by, self._image(value.__self__)
        elif kind is types.MethodType:
            image = "bound", self._image(value.__func__), self._image(value.__self__)
        elif kind is tuple:
            image = "tuple", tuple(map(self._image, value))
        elif kind is frozenset:
            image = self._set(value)
        elif kind is slice:
            image = "slice", tuple(map(self._image, (value.start, value.stop, value.step)))
        elif is_a(value, tuple) and getattr(value, "__dict__", None):
            raise NoImage(f"a {kind.__name__} with attributes")
        elif is_a(value, tuple):  # a named one
            image = "tuple of", kind, tuple(map(self._image, value))
        else:
            raise NoImage(f"an object of type {kind.__name__}")
        self._open.discard(id(value))
        self._number(value)
        return image

    def _items(self, value: list) -> Image:
        return "list", tuple(map(self._image, value))

    def _set(self, value: set | frozenset) -> Image:
        _see_keys(value)
        made: tuple[Collection[Any], int] | None = order_of_making(value)
        if made is None:
            if not any(map(_is_hashed_by_address, value)):
                raise NoImage("a set whose order another one would not have")
            made = value, 0  # the addresses, and with them the order, are others in each call
        order, room = made
        return type(value).__name__, room, tuple(map(self._image, order))

    def _dict(self, value: dict) -> Image:
        _see_keys(value)
        return "dict", tuple((self._image(k), self._image(v)) for k, v in value.items())

    def _function(self, value: types.FunctionType) -> Image:
        cells = tuple(map(self._cell, value.__closure__ or ()))  # all are there before one is looked into
        inside = tuple(self._inside(cell) if image[0] == "new" else image for cell, image in cells)
        told = value.__doc__, value.__module__
        parts = (value.__defaults__, value.__kwdefaults__, value.__annotations__, value.__dict__, *told)
        names = value.__name__, value.__qualname__
        return "function", value.__code__, value.__globals__, names, inside, tuple(map(self._image, parts))

    def _generator(self, value: Generator) -> Image:
        if value.real is not None:
            raise NoImage("a generator of Python's")
        if value.is_running:
            call = None if value.original is None else value.call
            return "running generator", self._image(value.frame), self._image(call), value.kind
        if self._is_leaving:
            self._open.add(id(value))
        image = "generator", self._image(value.frame), self._image(value.call), value.kind
        self._open.discard(id(value))
        return image

    def _counter(self, value: Counter) -> Image:
        return "counter", self._image(value.item), self._image(value.stop), value.step, value.site

    def _partial(self, value: functools.partial) -> Image:
        function: Any = value.func
        is_of_another = type(function) is functools.partial
        if operations.attributes_of_partial(value) or (is_of_another and operations.stays_whole(function)):
            raise NoImage("a partial function with attributes")
        return "partial", self._image(value.func), self._image(value.args), self._image(value.keywords)

    def _namespace(self, value: types.SimpleNamespace) -> Image:
        return "namespace", self._image(value.__dict__)

    def _other(self, value: Any) -> Image:
        """The image of an object of a type that is not in the table."""
        kind = type(value)
        if issubclass(kind, BaseException):
            return self._exception(value, kind)
        if kind in GETTERS or (defines(kind, "__next__") and not is_of_python(kind)):
            return self._iterator(value)
        if id(value) in self._own:
            found = _image_of_own(value)(value, self._image)
            if found is not None:
                return found
        table = operations.dict_of(value) if is_of_python(kind) and is_plain_object(kind) else None
        if table is not None:
            return "object", kind, self._image(table)
        raise NoImage(f"an object of type {kind.__name__}")

    def _cell(self, cell: types.CellType) -> tuple[types.CellType, Image]:
        """A cell of a function, and its image; `new` stands for one that is met for the first time."""
        is_new = self._slot(cell) is None and not self._is_known(cell) and id(cell) not in self._seen
        if not is_new:
            return cell, self._image(cell)
        self._number(cell)
        return cell, ("new",)

    def _inside(self, cell: types.CellType) -> Image:
        try:
            return "cell", self._image(cell.cell_contents)
        except ValueError:
            return ("empty cell",)

    def _number(self, value: Any) -> None:
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        self.made.append(value)

    def _frame(self, frame: Frame) -> Image:
        values = (
            frame.function, tuple(frame.stack), dict(frame.locals), dict(frame.cells), tuple(frame.caught), frame.target,
            frame.cell_call,
        )  # fmt: skip
        return "frame", frame.pc, tuple(frame.handlers), frame.deliver, frame.code, tuple(map(self._image, values))

    def _exception(self, error: BaseException, kind: type) -> Image:
        fields = _fields_of(kind)
        values = [getattr(error, name, None) for name in fields]
        parts = (error.args, error.__dict__, error.__cause__, error.__context__, error.__suppress_context__, *values)
        lines = "traceback", Lines(error.__traceback__)
        return "exception", self._image(kind), fields, tuple(map(self._image, parts)), lines

    def _iterator(self, value: Any) -> Image:
        try:
            parts = reduced(value)
        except TypeError:
            raise NoImage(f"an iterator of type {type(value).__name__}") from None
        if type(value) is _OVER_SETS:
            walked = gc.get_referents(value)
            if walked:  # there are more items
                return "iterator over a set", self._image(walked[0]), tuple(map(self._image, parts[1][0]))
        if type(value) in _OVER_DICTS and parts[1][0]:  # it tells what is still to come, and not that it is of a dict
            parts = self._walk(value, parts[1][0])
        if is_a(parts, str) or type(value).__name__ in ("generator", "coroutine"):
            raise NoImage(f"an iterator of type {type(value).__name__}")
        if len(parts) == 2 and type(value) in _ENDED:
            parts = _ENDED[type(value)], ()
        function, args, *state = parts
        self._open.add(id(value))
        image = "iterator", function, self._image(tuple(args)), self._image(state[0] if state else None), bool(state)
        self._open.discard(id(value))
        return image

    def _walk(self, value: Any, rest: list) -> tuple:
        """What makes an iterator that tells where it is, in the place of one of Python's over a dict."""
        [table] = [held for held in gc.get_referents(value) if is_a(held, dict)]
        self._kept.append(table)
        way = _OVER_DICTS[type(value)]
        base = way(table) if way is not None else None
        if base is not None:
            is_reversed = "reverse" in type(value).__name__
            items = [*(reversed(base) if is_reversed else base)]
            index = len(items) - len(rest)
            if index >= 0 and all(map(_is_the_same, items[index:], rest)):
                base = table if type(base) is type(table.keys()) else base
                return Walk, (base, index, is_reversed)
        raise NoImage("an iterator over a dict whose place only Python knows")


def _is_the_same(one: Any, other: Any) -> bool:
    """Whether two items are, or, of the pairs that each look makes anew, their parts."""
    return one is other or (type(one) is type(other) is tuple and len(one) == 2 and all(map(operator.is_, one, other)))


#: How the image of what the program makes is made, by its type.
_IMAGES: dict[type, Callable[[Imager, Any], Image]] = {
    list: Imager._items,
    dict: Imager._dict,
    set: Imager._set,
    types.CellType: Imager._inside,
    types.FunctionType: Imager._function,
    Frame: Imager._frame,
    Generator: Imager._generator,
    Counter: Imager._counter,
    functools.partial: Imager._partial,
    types.SimpleNamespace: Imager._namespace,
    Walk: Imager._iterator,
}


def _image_of_own(value: Any) -> Callable[[Any, Callable[[Any], Image]], Image | None]:
    """What makes the image of something of a type written in C, or of an operator, that the program has made."""
    if is_array(value):
        return array_image
    if is_constructed(value):
        return value_image
    if is_compiled(value):
        return compiled_image
    return operator_image if is_operator(value) else container_image


def _is_hashed_by_address(key: Any) -> bool:
    if type(key) in (tuple, frozenset):
        return any(map(_is_hashed_by_address, key))
    return class_attribute(type(key), "__hash__") is object.__hash__


def is_of_parts(value: Any) -> bool:
    """Whether it is made of its parts, and never changes: a tuple, a slice, a method of an object, a view of a dict."""
    return is_a(value, _FIXED_PARTS) or type(value) in VIEWS or is_bound(value)


def is_plain_object(kind: type) -> bool:
    """Whether objects of a Python class are what their attributes are."""
    return (
        type(kind) in ORDINARY
        and kind.__new__ is object.__new__
        and getattr(kind, "__reduce_ex__", None) is object.__reduce_ex__
        and not any("__slots__" in table_of(base) and table_of(base)["__slots__"] for base in mro_of(kind)[:-1])
    )


@functools.lru_cache(maxsize=1024)
def _fields_of(kind: type) -> tuple[str, ...]:
    """The attributes of exceptions of a class that do not lie in their dicts: `errno`, `code`, slots."""
    found: list[str] = []
    for base in mro_of(kind)[: mro_of(kind).index(BaseException)]:
        found += (name for name, what in table_of(base).items() if is_a(what, types.MemberDescriptorType))
    return tuple(found)


def build(
    image: Image, slots: Sequence[Any] | Mapping[int, Any], made: list[Any] | None = None, is_leaving: bool = False
) -> Any:
    """The value of an image, its objects made afresh.

    Args:
        made: gets these objects.
        is_leaving: the value leaves the machine for good: iterators in it are Python's.
    """
    return _Builder(slots, [] if made is None else made, is_leaving).build(image)


def builder(image: Image) -> Callable[[Sequence[Any]], Any] | None:
    """What `build` does for one image, as a function of the slots; None unless the image is made of nothing but slots,
    constants, and containers of them that nothing else shares."""
    constants: dict[str, Any] = {}
    text = _text(image, constants)
    return None if text is None else eval(f"lambda slots: {text}", constants)


def _text(image: Image, constants: dict[str, Any]) -> str | None:
    """An image as a Python expression."""
    kind = image[0]
    if kind == "is":
        name = f"c{len(constants)}"
        constants[name] = image[1]
        return name
    if kind in ("slot", "number"):
        return f"slots[{image[1]}]"
    if kind in ("tuple", "list"):
        parts = [_text(part, constants) for part in image[1]]
        if None in parts:
            return None
        inside = "".join(f"{part}, " for part in parts)
        return f"({inside})" if kind == "tuple" else f"[{inside}]"
    if kind == "dict":
        pairs = [(_text(key, constants), _text(value, constants)) for key, value in image[1]]
        if any(None in pair for pair in pairs):
            return None
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"
    return None


class _Builder:
    def __init__(self, slots: Sequence[Any] | Mapping[int, Any], made: list[Any], is_leaving: bool) -> None:
        self.slots, self.made, self.is_leaving = slots, made, is_leaving

    def build(self, image: Image) -> Any:
        kind = image[0]
        if kind == "is":
            return image[1]
        if kind == "traceback":
            return image[1].traceback()
        if kind == "slot" or kind == "number":
            return self.slots[image[1]]
        if kind in _FIXED:
            value = self._fixed(image, kind)
            self.made.append(value)
            return value
        if kind == "again":
            return self.made[image[1]]
        place = len(self.made)
        self.made.append(None)
        return _BUILT[kind](self, image, place)

    def _fixed(self, image: Image, kind: str) -> Any:
        if kind == "view":
            return getattr(self.build(image[2]), image[1])()
        if kind == "method":
            owner = self.build(image[2])
            return getattr(owner, image[1]) if type(image[1]) is str else bound_to(owner, image[1])
        if kind == "bound":
            return bound(self.build(image[1]), self.build(image[2]))
        items = [self.build(item) for item in image[-1]]
        if kind == "tuple of":
            return tuple.__new__(image[1], items)
        if kind == "tuple":
            return tuple(items)
        if kind == "slice":
            return slice(*items)
        return frozenset(dict.fromkeys(items) if image[1] else items)

    # Objects that their parts may hold: each is in its place before the parts are made.

    def _list(self, image: Image, place: int) -> list:
        items: list[Any] = []
        self.made[place] = items
        items.extend(self.build(item) for item in image[1])
        return items

    def _dict(self, image: Image, place: int) -> dict:
        table: dict[Any, Any] = {}
        self.made[place] = table
        self._fill_dict(table, image)
        return table

    def _set(self, image: Image, place: int) -> set:
        found: set[Any] = set()
        self.made[place] = found
        fill(found, [self.build(item) for item in image[2]], image[1])
        return found

    def _new_cell(self, image: Image, place: int) -> types.CellType:
        self.made[place] = cell = types.CellType()
        self._fill(cell, image)
        return cell

    def _container(self, image: Image, place: int) -> Any:
        built_container(image, self.build, lambda value: self.made.__setitem__(place, value))
        return self.made[place]

    def _generator(self, image: Image, place: int) -> Any:
        self.made[place] = generator = Generator.__new__(Generator)
        generator.world, generator.is_running = None, image[0] != "generator"  # type: ignore[assignment]
        generator.frame = self.build(image[1])
        generator.call, generator.kind, generator.real = self.build(image[2]), image[3], None
        if self.is_leaving:
            self.made[place] = generator.python(for_good=True)
        return self.made[place]

    def _object(self, image: Image, place: int) -> Any:
        self.made[place] = value = object.__new__(image[1])
        if image[2][0] == "dict":  # it is in the object, as Python makes it
            self.made.append(operations.dict_of(value))
            self._fill_dict(self.made[-1], image[2])
        else:  # the program holds it too
            operations.give_dict(value, self.build(image[2]))
        return value

    def _namespace(self, image: Image, place: int) -> types.SimpleNamespace:
        self.made[place] = space = types.SimpleNamespace()
        space.__dict__.update(self.build(image[1]))
        return space

    def _from_parts(self, image: Image, place: int) -> Any:
        """What none of its parts holds."""
        self.made[place] = value = _FROM_PARTS[image[0]](image, self.build)
        return value

    def _iterator(self, image: Image, place: int) -> Any:
        self.made[place] = value = image[1](*self.build(image[2]))
        if self.is_leaving and type(value) is Walk:
            self.made[place] = value.python(for_good=True)
        state = self.build(image[3])
        if image[4] and state is not None:
            quietly(value.__setstate__, state)
            if type(value) in _BACKWARDS and reduced(value)[2:] != (state,):
                quietly(value.__setstate__, -1)  # it stands behind the end of what is shorter now: no item comes
        return self.made[place]

    def _fill_dict(self, table: dict, image: Image) -> None:
        for key, value in image[1]:
            built = self.build(key)
            table[built] = self.build(value)

    def _exception(self, image: Image, place: int) -> BaseException:
        _, kind, fields, parts, (_, lines) = image
        kind, args = self.build(kind), self.build(parts[0])
        self.made[place] = error = kind.__new__(kind, *args)
        error.args = args
        error.__dict__.update(self.build(parts[1]))
        error.__cause__, error.__context__ = self.build(parts[2]), self.build(parts[3])
        error.__suppress_context__ = self.build(parts[4])
        for name, part in zip(fields, parts[5:]):
            value = self.build(part)
            if value is not None:
                with contextlib.suppress(AttributeError):  # it follows from the arguments
                    setattr(error, name, value)
        return error.with_traceback(lines.traceback())

    def _function(self, image: Image, place: int) -> types.FunctionType:
        _, code, scope, (name, qualified), inside, parts = image
        # The cells may hold the function itself, or others that share them: all are there before one is filled.
        cells = tuple([self._cell(part) for part in inside])
        self.made[place] = function = types.FunctionType(code, scope, name, None, cells or None)
        for cell, part in zip(cells, inside):
            self._fill(cell, part)
        defaults, kwdefaults = self.build(parts[0]), self.build(parts[1])
        function.__defaults__, function.__kwdefaults__ = defaults, kwdefaults
        function.__qualname__ = qualified
        function.__annotations__ = self.build(parts[2])
        function.__dict__.update(self.build(parts[3]))
        function.__doc__, function.__module__ = self.build(parts[4]), self.build(parts[5])
        return function

    def _cell(self, image: Image) -> types.CellType:
        """A cell of a function, which may not be filled yet."""
        if image[0] not in ("cell", "empty cell"):
            return self.build(image)
        self.made.append(types.CellType())
        return self.made[-1]

    def _fill(self, cell: types.CellType, image: Image) -> None:
        if image[0] == "cell":
            cell.cell_contents = self.build(image[1])

    def _frame(self, image: Image, place: int) -> Frame:
        _, pc, handlers, deliver, code, parts = image
        frame = Frame.__new__(Frame)
        self.made[place] = frame
        frame.pc, frame.handlers, frame.deliver, frame.code = pc, list(handlers), deliver, code
        frame.function = self.build(parts[0])
        frame.stack = list(self.build(parts[1]))
        frame.locals, frame.cells = self.build(parts[2]), self.build(parts[3])
        frame.caught = list(self.build(parts[4]))
        frame.target, frame.cell_call, frame.whole = self.build(parts[5]), self.build(parts[6]), None
        frame.turns = {}
        return frame


def _built_counter(image: Image, build: Callable[[Image], Any]) -> Counter:
    counter = Counter(build(image[1]), build(image[2]), image[3], image[4])
    counter.is_rolled = True
    return counter


def _built_partial(image: Image, build: Callable[[Image], Any]) -> functools.partial:
    return functools.partial(build(image[1]), *build(image[2]), **build(image[3]))


def _rest_of_set(image: Image, build: Callable[[Image], Any]) -> Any:
    """The iterator over a set that has these items before it; over a list of them where the set has another order now."""
    items, rest = build(image[1]), [build(item) for item in image[2]]
    found = list(items)
    if any(one is not other for one, other in zip(found[len(found) - len(rest) :], rest)):
        return iter(rest)
    made = iter(items)
    for _ in range(len(found) - len(rest)):
        next(made)
    return made


#: How the objects of an image are made afresh, by the first word of what it says of them.
_FROM_PARTS: dict[str, Callable[[Image, Callable[[Image], Any]], Any]] = {
    "array": built_array, "part of an array": built_array, "number of an array": built_array,
    "constructed": built_value, "operator": built_operator, "compiled": built_compiled, "counter": _built_counter,
    "partial": _built_partial, "iterator over a set": _rest_of_set,
}  # fmt: skip
_BUILT: dict[str, Callable[[_Builder, Image, int], Any]] = {
    "list": _Builder._list, "dict": _Builder._dict, "set": _Builder._set, "cell": _Builder._new_cell,
    "empty cell": _Builder._new_cell, "deque": _Builder._container, "dict of": _Builder._container,
    "function": _Builder._function, "frame": _Builder._frame, "generator": _Builder._generator,
    "running generator": _Builder._generator, "exception": _Builder._exception, "iterator": _Builder._iterator,
    "object": _Builder._object, "namespace": _Builder._namespace,
    **dict.fromkeys(_FROM_PARTS, _Builder._from_parts),
}  # fmt: skip

_OVER_SETS: type = type(iter(set()))
#: The iterators of Python's over dicts, and what of a dict they go over; None where their type does not tell.
_OVER_DICTS: dict[type, Callable[[dict], Any] | None] = {
    **{type(iter(way({}))): way for way in (dict.keys, dict.values, dict.items)},
    **{type(reversed(way({}))): way for way in (dict.keys, dict.values, dict.items)},
    type(iter(collections.OrderedDict())): None,
}


def _ended(way: Callable[[Any], Any], over: Any) -> Any:
    """An iterator that has no more items."""
    made = way(over)
    for _ in made:
        pass
    return made


#: Ways to get iterators, and over what, of which Python says, once they have ended, that they go over a list or a tuple.
_WAYS: list[tuple[Callable[[Any], Any], Any]] = [
    (reversed, []),
    (iter, set()),
    (iter, b""),
    (iter, bytearray()),
    (iter, "\u00e9"),
]
_ENDED: dict[type, Callable[[], Any]] = {type(way(over)): functools.partial(_ended, way, over) for way, over in _WAYS}
_BACKWARDS: tuple[type, ...] = (type(reversed([])), reversed)


def slots_in(image: Image, kinds: tuple[str, ...] = ("slot", "number")) -> set[int]:
    """The slots of an image, or those that are numbers which vary."""
    found = [part[1] for part in images_in(image) if part[0] in kinds and len(part) == 2]
    return {slot for slot in found if type(slot) is int}  # a function may be called `number`


def signature(image: Any) -> Any:
    """An image as a key: equal for patterns that no program can tell apart, see `exact`."""
    if type(image) is tuple:
        if len(image) == 2 and image[0] == "traceback":
            return "traceback", image[1].key
        if len(image) == 2 and image[0] == "is":
            return exact(image[1])
        return tuple(map(signature, image))
    if is_a(image, (str, int)) or image is None:
        return image
    return id(image)
