"""What native calls have in common: the arguments of a call, the entry that is known of them, and how a program is run.

A *site* stands for one operator with fixed attributes. It has a table of *entries*, one for each combination of layouts.
"""

from __future__ import annotations

from collections.abc import Callable

from anfora.kernel.emit import F64, I32, I64, PTR, Function, Type, Value
from anfora.kernel.fields import Fields

__all__ = [
    "ARGUMENTS", "CONVERSIONS", "KEYS", "OUTPUTS", "PLACES", "PROGRAM", "SCALARS", "SCALAR_CODES", "SITE_SERVED_BY",
    "SITE_SLOW", "SITE_TABLE", "WAYS", "WRITEABLE", "Given", "call_python", "call_slow", "run", "same",
]  # fmt: skip

ARGUMENTS = 4  #: a site takes at most so many tensors and numbers
OUTPUTS = 8  #: and an operator that gives a tuple gives at most so many
WAYS = 4  #: entries that share a place in a site's table
PLACES = 64  #: in the table of a site
WRITEABLE = 0x400  # numpy's flag

# a site: what to call when in doubt, the table of entries, and which native function (site, args, count) serves it
SITE_SLOW, SITE_TABLE, SITE_SERVED_BY = 0, 1, 2
# what all entries have: ARGUMENTS object addresses (a layout, a number's type, None; 0 for no argument), the program, and
# ARGUMENTS codes, see SCALAR_CODES
KEYS, PROGRAM, SCALARS = 0, 4, 12

SCALAR_CODES = {"b1": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5, "u8": 6, "f32": 7, "f64": 8}
#: Which of Python's numbers native code brings into which form, with the bits of `dispatch.number_array`. It makes no other
#: conversion: calls with other kinds of numbers, subclasses of these among them, and forms go the Python way each time.
CONVERSIONS = {bool: frozenset(SCALAR_CODES), int: frozenset(SCALAR_CODES), float: frozenset({"f32", "f64"})}
_RANGES = {1: (0, 1), 2: (-128, 127), 3: (-(2**15), 2**15 - 1), 4: (-(2**31), 2**31 - 1), 6: (0, 255)}


def run(fn: Function, program: Value, data: Value, hold: Callable[[], Callable] | None = None) -> Value:
    """Run a program; a shared one without the interpreter lock.

    Args:
        hold: writes what is done before the lock is released, and gives what is to be written for behind it.
    """
    code = fn.var(0)
    shared = fn.load(program, I64, 5) != 0
    with fn.when(shared):
        let_go = hold() if hold is not None else None
        thread = fn.call(PTR, "PyEval_SaveThread")
        code.set(fn.call(I64, "run", program, data))
        fn.call(None, "PyEval_RestoreThread", thread)
        if let_go is not None:
            let_go()
    with fn.unless(shared):
        code.set(fn.call(I64, "serial", program, data))
    return code.value


def call_slow(fn: Function, python: tuple[int, int], site: Value, args: Value, count: Value, names: Value) -> Value:
    """Call the Python function of a site, or of a front."""
    return call_python(fn, python, fn.load(site, PTR, SITE_SLOW), args, count, names)


def call_python(
    fn: Function, python: tuple[int, int], function: Value, args: Value, count: Value, names: Value | None = None
) -> Value:
    """Call a plain function of Python's."""
    # Up to 3.10 the general form is no symbol but an inline function of a header.
    name = "PyObject_Vectorcall" if python >= (3, 11) else "_PyFunction_Vectorcall"
    return fn.call(PTR, name, function, args, count, fn.const(0, PTR) if names is None else names)


class Given:
    """What native code finds out about the arguments of a call: written in front of what is done with them.

    Args:
        fn: a function of (site, args, count).
    """

    def __init__(self, fn: Function, where: Fields, python: tuple[int, int]) -> None:
        self.fn, self.where, self.python = fn, where, python
        self.site, self.args, self.count = fn.args
        self._call = (self.args, self.count)
        self.none = fn.symbol("_Py_NoneStruct")
        self.total = fn.var(0)

    def incref(self, obj: Value) -> Value:
        self.fn.call(None, "Py_IncRef", obj)
        return obj

    def slow(self) -> None:
        """Leave the call to Python."""
        self.fn.ret(call_slow(self.fn, self.python, self.site, *self._call, self.fn.const(0, PTR)))

    def is_tensor(self, kind: Value) -> Value:
        return same(kind, self.fn.symbol("anfora_tensor")) | same(kind, self.fn.symbol("anfora_parameter"))

    def array_of(self, item: Value) -> Value:
        """The array of a tensor; anything else itself."""
        found = self.fn.var(self.none)
        found.set(item)
        with self.fn.when(self.is_tensor(self.fn.load(item + self.where.object_type, PTR))):
            found.set(self.fn.load(item + self.where.tensor_array, PTR))
        return found.value

    def owner_of(self, tensor: Value) -> Value:
        """What a tensor is a view of, or the tensor itself."""
        base = self.fn.load(tensor + self.where.tensor_base, PTR)
        return self.fn.select(same(base, self.none), tensor, base)

    def begin(self) -> None:
        """Leave calls to Python that native code must not serve."""
        fn = self.fn
        cells = fn.symbol("anfora_state")
        self.switch = fn.load(cells, I64, 0)
        is_foreign = (self.switch >> 1) != fn.call(I64, "PyThread_get_thread_ident")
        with fn.when((self.count > ARGUMENTS) | is_foreign | (fn.load(cells, I64, 1) != 0)):
            self.slow()

    def read(self) -> None:
        """What each argument is: its key, the address of its data, whether the tape follows it."""
        fn, where, none = self.fn, self.where, self.none
        self.keys, self.numbers = fn.buffer(8 * ARGUMENTS), fn.buffer(8 * ARGUMENTS)
        self.data = fn.buffer(8 * (ARGUMENTS + OUTPUTS))
        self.mask = fn.var(0)
        with fn.loop(0, self.count) as i:
            item = fn.load(self.args, PTR, i)
            kind = fn.load(item + where.object_type, PTR)
            is_tensor = self.is_tensor(kind)
            key = fn.var(kind)
            with fn.when(is_tensor):
                base = fn.load(item + where.tensor_base, PTR)
                with (
                    fn.unless(same(base, none)),
                    fn.unless(same(fn.load(item + where.tensor_epoch, PTR), fn.load(base + where.tensor_epoch, PTR))),
                ):
                    self.slow()
                key.set(fn.load(item + where.tensor_layout, PTR))
                fn.store(fn.load(fn.load(item + where.tensor_array, PTR) + where.array_data, I64), self.data, i)
                with fn.unless(same(fn.load(item + where.tensor_node, PTR), none)):
                    self.mask.set(self.mask.value | (fn.const(1) << i))
            with fn.unless(is_tensor):
                fn.store((self.numbers + i * 8).address(), self.data, i)
                with fn.when(same(item, none)):
                    key.set(none)
                    fn.store(fn.const(0), self.data, i)
            fn.store(key.value.address(), self.keys, i)
            self.add_key(key.value.address() >> 5)

    def add_key(self, word: Value) -> None:
        """Let a word, which must not differ between calls of one entry, decide where in the table that stands."""
        self.total.set((self.total.value * 31 + word) & (2**63 - 1))

    def entry(self, also: Callable[[Value], Value] | None = None) -> Value:
        """The entry of the call, among those that share a place; numbers are brought into the form of its kernel.

        Args:
            also: whether an entry with the keys of the call is the one.
        """
        fn = self.fn
        place = fn.load(self.site, PTR, SITE_TABLE) + (self.total.value & (PLACES - 1)) * (8 * WAYS)
        found = fn.var(0)
        with fn.loop(0, WAYS) as way:
            entry = fn.load(place, I64, way)
            with fn.when(entry != 0):
                equal = fn.var(fn.const(1, Type("i1")))
                with fn.loop(0, ARGUMENTS) as i:
                    key = fn.var(0)
                    key.set(0)
                    with fn.when(i < self.count):
                        key.set(fn.load(self.keys, I64, i))
                    equal.set(equal.value & (fn.load(entry.pointer(), I64, i + KEYS) == key.value))
                if also is not None:
                    with fn.when(equal.value):
                        equal.set(also(entry.pointer()))
                with fn.when(equal.value):
                    found.set(entry)
        with fn.when(found.value == 0):
            self.slow()
        entry = found.value.pointer()
        with fn.loop(0, self.count) as i:
            code = fn.load(entry, I64, i + SCALARS)
            with fn.when(code != 0):
                _convert(fn, self.where, fn.load(self.args, PTR, i), code, self.numbers + i * 8, self.slow)
        return entry

    def hold(self) -> Callable[[], None]:
        """Another thread may move the tensors to other memory meanwhile: their arrays must not die."""
        fn = self.fn
        held = fn.buffer(8 * ARGUMENTS)
        with fn.loop(0, self.count) as i:
            fn.store(self.incref(self.array_of(fn.load(self.args, PTR, i))), held, i)

        def let_go() -> None:
            with fn.loop(0, self.count) as i:
                fn.call(None, "Py_DecRef", fn.load(held, PTR, i))

        return let_go


def same(a: Value, b: Value) -> Value:
    """Whether two pointers are one."""
    return a.address() == b.address()


def _convert(fn: Function, where: Fields, item: Value, code: Value, slot: Value, slow: Callable) -> None:
    """Store the Python number `item` at `slot` in the form `code`; what does not fit goes the Python way."""
    kind = fn.load(item + where.object_type, PTR)
    is_float = kind.address() == fn.symbol("PyFloat_Type").address()
    real, whole = fn.var(fn.const(0.0, F64)), fn.var(0)
    with fn.when(is_float):
        real.set(fn.load(item + where.float_value, F64))
    with fn.unless(is_float):
        overflow = fn.buffer(8, 8)
        whole.set(fn.call(I64, "PyLong_AsLongLongAndOverflow", item, overflow))
        with fn.when(fn.load(overflow, I32) != 0):
            slow()
        real.set(whole.value.to("f64"))
    for number, (low, high) in _RANGES.items():
        with fn.when((code == number) & ((whole.value < low) | (whole.value > high))):
            slow()
    fn.store(whole.value, slot)  # little endian: the low bytes are the narrower integers
    with fn.when(code == SCALAR_CODES["f32"]):
        fn.store(real.value.to("f32"), slot)
    with fn.when(code == SCALAR_CODES["f64"]):
        fn.store(real.value, slot)
