"""Sites and fronts: builtin functions for operators, and the calls they know.

`Site(slow).call(*args)` is the whole of a call whose arguments have been seen before: native code finds the entry of
these layouts, allocates the output, runs the kernel, makes the Tensor and, under the tape, the Node. Whatever it does not
know, it leaves to the Python function `slow`, which may add an entry.

A site is an operator with fixed attributes. `Front(slow, count).call(*args)` is one without: it knows sites by the objects
that are given as attributes. They are compared by identity, which needs no look into them: small integers, words and the
constants of a function are the same objects in each call. `KeptFront` does so for functions that are written in operators.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from anfora.core.abstract import Layout
from anfora.core.dtype import DType
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.kernel import executor, glue
from anfora.kernel.call import ATTRIBUTES, CALLS, FRONT, GIVEN, NOT_RECORDED, PYTHON, SLOTS
from anfora.kernel.change import APART
from anfora.kernel.given import ARGUMENTS, CONVERSIONS, OUTPUTS, PLACES, SCALAR_CODES, WAYS

__all__ = ["Front", "KeptFront", "NativeChange", "NativeEntry", "Site"]

_methods_made: list[Site] = []


@dataclass
class NativeEntry:
    """What a site needs to know of a call with given layouts."""

    keys: tuple[Any, ...]  #: for each argument its Layout, the type of a number, or None
    program: executor.Program | None  #: None for a view
    layouts: tuple[Layout, ...]  #: of the outputs
    scalar_codes: tuple[str | None, ...]  #: for each argument that is a number, the code it is passed as
    followed: int  #: mask of the arguments that a gradient can flow to
    recipes: dict[int, Any]  #: for each set of followed arguments the recipe, which says what to save
    offset: int = 0  #: of a view: bytes from its source
    step: tuple = ()  #: of a view: its step in the path, as a tuple of one
    is_tuple: bool = False  #: whether it gives a tuple, be it of one

    @property
    def place(self) -> int:
        return _place([id(key) >> 5 for key in self.keys])

    def words(self) -> array | None:
        """The native form, or None where the fast path does not reach."""
        codes = _codes(self.keys, self.scalar_codes)
        if codes is None or len(self.layouts) > OUTPUTS:
            return None
        none = [0] * (ARGUMENTS - len(self.keys))
        self._dims = [array("q", layout.shape or (0,)) for layout in self.layouts]
        words = [id(key) for key in self.keys] + none
        self._strides = array("q", self.layouts[0].strides or (0,))
        program = self.program.address if self.program is not None else 0
        strides = self._strides.buffer_info()[0] if self.program is None else 0
        outputs = [
            (id(layout), id(layout.dtype.storage), len(layout.shape), dims.buffer_info()[0])
            for layout, dims in zip(self.layouts, self._dims)
        ]
        self._outputs = array("q", [word for output in outputs for word in output])
        words += [program, *outputs[0], strides, self.offset, id(self.step), *codes]
        words += [len(outputs) if self.is_tuple else 0, self._outputs.buffer_info()[0]]
        for mask in range(1 << ARGUMENTS):
            followed = mask & self.followed
            recipe = self.recipes.get(followed)
            if not followed:
                words += [NOT_RECORDED, 0, 0] + [0] * SLOTS
            elif recipe is None or len(recipe.saves) > SLOTS:
                words += [PYTHON, 0, 0] + [0] * SLOTS
            else:
                saves = recipe.saves
                words += [len(saves), followed, id(recipe), *saves] + [0] * (SLOTS - len(saves))
        return array("q", words)


@dataclass
class NativeChange:
    """What a site that writes in place needs to know of a call with given layouts."""

    keys: tuple[Any, ...]  #: as of a `NativeEntry`; the first is the layout of what is written to
    program: executor.Program  #: its last buffer is the memory of the first argument
    scalar_codes: tuple[str | None, ...]
    hazards: tuple[int, ...]  #: for each argument, how it may lie to what is written
    untaped: int = 0  #: see change.py
    part: tuple[Layout, int] | None = None  #: what is written, and at which byte of the target it begins; None for all
    item_words: tuple[int, ...] = ()  #: of the key that names the part
    axes: tuple[tuple[int, int], ...] = ()  #: for each whole number in that, length and stride of its axis

    @property
    def place(self) -> int:
        return _place([*self.item_words, *(id(key) >> 5 for key in self.keys)])

    def words(self) -> array | None:
        """The native form, or None where the fast path does not reach."""
        codes = _codes(self.keys, self.scalar_codes)
        if codes is None:
            return None
        none = [0] * (ARGUMENTS - len(self.keys))
        layout, offset = self.part or (self.keys[0], 0)
        self._key = array("q", (*self.item_words, 0))
        self._axes = array("q", [word for axis in self.axes for word in axis] or (0,))
        words = [*map(id, self.keys), *none, self.program.address, *layout.extent, self.untaped, offset]
        words += [self._key.buffer_info()[0], self._axes.buffer_info()[0], 0, *codes]
        for key, may in zip(self.keys, self.hazards):
            words += [*(key.extent if isinstance(key, Layout) else (0, 0)), may]
        return array("q", words + [0, 0, APART] * len(none))


def _codes(keys: tuple, scalar_codes: tuple) -> list[int] | None:
    """The codes of ARGUMENTS arguments; None where one is brought into a form that native code does not know."""
    numbers = [(key, code) for key, code in zip(keys, scalar_codes) if code is not None]
    if len(keys) > ARGUMENTS or any(code not in CONVERSIONS.get(key, ()) for key, code in numbers):
        return None
    codes = [0 if code is None else SCALAR_CODES[code] for code in scalar_codes]
    return codes + [0] * (ARGUMENTS - len(codes))


class _SiteWords(np.ndarray):
    """The native part of a site: an array, since native code finds its data, that can hold a reference."""

    site: Site


class Site:
    """A builtin function for one operator (with fixed attributes), and the entries it knows.

    `call` is the builtin. `slow(*args, **kwargs)` is called for everything that is not in the table; it may `add` what
    it has found out.

    Args:
        writes: whether calls write into their first argument (1), or into what a key, the second, names of that (2); its
            entries are NativeChanges then.
    """

    def __init__(self, slow: Callable, writes: int = 0) -> None:
        assert isinstance(slow, FunctionType), "native code calls it as a plain function"
        self._slow = slow
        self._table = array("q", [0] * (PLACES * WAYS))
        self._kept: dict[int, tuple] = {}
        self._turn = 0
        self._replaced: deque = deque(maxlen=1000)  # another thread may still be in a call that uses one
        words = [id(slow), self._table.buffer_info()[0], glue.serving(writes)]
        self._words = np.array(words, np.int64).view(_SiteWords)
        self._words.site = self  # the builtin holds the words, and so all that they point to
        self.call = glue.builtin(glue.addresses()["kernel"], slow, self._words)

    @property
    def address(self) -> int:
        """Of its words."""
        return int(self._words.__array_interface__["data"][0])

    def method(self, owner: type) -> Any:
        """A method of a class that calls the site with the instance as first argument."""
        number = len(_methods_made)
        if number == len(glue.sites):
            return None
        glue.sites[number] = self.address
        _methods_made.append(self)
        definition = glue.definition(glue.method(number), self._slow)
        make = ctypes.pythonapi.PyDescr_NewMethod
        make.restype, make.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
        return make(owner, ctypes.addressof(definition))

    def add(self, entry: NativeEntry | NativeChange) -> None:
        """Let the native path serve calls with the keys of `entry`."""
        words = entry.words()
        if words is None:
            return
        first = entry.place * WAYS
        for place in range(first, first + WAYS):
            if self._table[place] == 0:
                break
        else:
            place = first + self._turn % WAYS
            self._turn += 1
        address = words.buffer_info()[0]
        if place in self._kept:
            self._replaced.append(self._kept[place])
        self._kept[place] = (entry, words)
        self._table[place] = address


class _Front:
    """A builtin function, and the calls that it knows: what it looks at, and what serves them. `slow(*args, **kwargs)` is
    called for everything else.

    Args:
        address: of the native function.
        word: what is of its kind, the fourth of its words.
        size: how many words a call has.
    """

    def __init__(self, address: int, slow: Callable, word: int, size: int) -> None:
        assert isinstance(slow, FunctionType), "native code calls it as a plain function"
        self._held: list[Any] = [slow]  # what the words hold addresses of
        self._size = size
        self._table = array("q", bytes(8 * size * _FEW_CALLS))
        self._words = np.array([id(slow), 0, self._table.buffer_info()[0], word, 0], np.int64).view(_FrontWords)
        assert len(self._words) == FRONT
        self._words.front = self
        self.call = glue.builtin(address, slow, self._words)
        self._last: tuple = (None, None)
        self._patience = CALLS

    @property
    def known(self) -> int:
        """How many calls it knows."""
        return int(self._words[1])

    def _comes_again(self, keys: list[int], held: tuple) -> bool:
        """Whether what a call is looked at for is the same objects as the last time, and so will be again: what is made for
        each call anew is not, and after many of these nothing more is learnt, nor if there is no place for it.

        Args:
            held: the objects, so that nothing else gets their addresses.
        """
        last, self._last = self._last, (keys, held)
        is_again = last[0] == keys
        self._patience = CALLS if is_again else self._patience - 1
        return is_again

    def _add(self, words: Sequence[int], held: tuple) -> None:
        self._held.append(held)
        known = self.known  # another thread may add one at the same time: one of the two takes the place of the other
        table, first = self._table, known * self._size
        if first >= len(table):
            table = table + array("q", bytes(8 * len(table)))
        table[first : first + len(words)] = array("q", words)
        self._table = table
        self._words[1:3] = known + 1, table.buffer_info()[0]  # both at once, for whoever calls meanwhile
        if known + 1 == CALLS:
            self._patience = 0


class Front(_Front):
    """Of an operator: finds the site that serves its attributes.

    Args:
        tensors: how many arguments stand in front of the attributes.
    """

    def __init__(self, slow: Callable, tensors: int) -> None:
        super().__init__(glue.addresses()["front"], slow, tensors, ATTRIBUTES + 2)

    def learn(self, attributes: tuple, function: Callable) -> None:
        """Let a function of the tensors serve calls with these attributes, if they come a second time.

        Args:
            attributes: those that a call was given by position.
            function: the `call` of a site; of other functions nothing is learnt.
        """
        if not self._patience:
            return
        keys = list(map(id, attributes))
        if self._comes_again(keys, attributes) and len(keys) <= ATTRIBUTES and all(map(_is_fixed, attributes)):
            site = getattr(getattr(function, "__self__", None), "site", None)
            if site is not None:
                none = [0] * (ATTRIBUTES - len(keys))
                self._add([len(keys), *keys, *none, site.address], (attributes, function))


class KeptFront(_Front):
    """Of a function that is written in operators: finds what is kept of a call with these layouts and other arguments.

    Args:
        slow: looks for it in Python.
        version: the address of a version that becomes another one when what is kept may not be taken.
    """

    def __init__(self, slow: Callable, version: int) -> None:
        super().__init__(glue.addresses()["kept"], slow, version, GIVEN + 3)

    def learn(self, args: tuple, is_recording: bool, function: Callable, seen: int) -> None:
        """Let a function of the tensors serve calls like one with these arguments, if it comes a second time.

        Args:
            is_recording: whether the tape is on.
            seen: the version with which it may be taken.
        """
        if not self._patience:
            return
        if self._words[4] != seen:
            self._words[4] = seen
        keys: list[int] = []
        tensors: list[Tensor] = []
        for value in args:
            if not _add_keys(value, keys, tensors):
                self._patience -= 1
                return
        layouts = [x._layout for x in tensors]
        if self._comes_again(keys, (layouts, [value for value in args if _is_fixed(value)])) and len(keys) <= GIVEN:
            self._add([len(keys), is_recording, id(function), *keys], (self._last, function))


_FEW_CALLS = 4  #: for which a front has a place at first


class _FrontWords(np.ndarray):
    """The native part of a front, as that of a site."""

    front: _Front


def _add_keys(value: Any, keys: list[int], tensors: list[Tensor]) -> bool:
    """What native code takes for the keys of an argument (see call.py); False for one that it leaves to Python."""
    if value.__class__ is Tensor:
        if isinstance(value._base, Parameter):  # which is kept apart
            return False
        number = next((i for i, other in enumerate(tensors) if other is value), None)
        keys.append(id(value._layout) if number is None else id(None) + 1 + number)
        tensors.append(value)
        return True
    if value.__class__ in (tuple, list) and value and value[0].__class__ is Tensor:
        keys.append(id(value.__class__) + len(value))
        return all(item.__class__ is Tensor and _add_keys(item, keys, tensors) for item in value)
    keys.append(id(value))
    return _is_fixed(value)


def _is_fixed(value: Any) -> bool:
    """Whether an object stays what it is as long as it is there."""
    if type(value) is tuple:
        return all(map(_is_fixed, value))
    return value is None or type(value) in _FIXED


_FIXED = frozenset({bool, int, float, str, DType})


def _place(words: list[int]) -> int:
    total = 0
    for word in words:
        total = (total * 31 + word) & (2**63 - 1)
    return total & (PLACES - 1)
