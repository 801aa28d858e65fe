"""The IR of native writes, where the like has been seen before: the whole of a call that computes into the memory of its
first argument (`write_change`), and of `x[key] = value` (`write_set_item`).

All is refused before anything changes, and whatever is not plain is left to Python:

- what the tape follows, or what is a view of such a tensor: a write gives these a new history;
- memory that a node of the tape holds still: the tensor moves to a copy first (core/tensor.py, `leave_to_tape`). Here it
  is only seen that nobody else holds the memory, and then the mark goes;
- an operand that shares memory with the target, and is not read element by element just where the result goes.
"""

from __future__ import annotations

from anfora.kernel.emit import I32, I64, PTR, Function, Module, Value
from anfora.kernel.fields import Fields
from anfora.kernel.given import ARGUMENTS, PROGRAM, SCALARS, WRITEABLE, Given, run, same

__all__ = [
    "ABSENT", "ANYWHERE", "APART", "ARRAY", "DOTS", "HAZARDS", "IN_STEP", "ITEMS", "ITEM_WORDS", "NEW_AXIS", "NUMBER",
    "SLICE", "TAPED", "UNTAPED", "UNTAPED_TO_PARAMETERS", "write_change", "write_set_item",
]  # fmt: skip

# an entry, beside what all have (given.py)
(
    _LOW,  # of what is written, in bytes from its first element: where it begins …
    _HIGH,  # … and ends
    _UNTAPED,  # TAPED, UNTAPED or UNTAPED_TO_PARAMETERS
    _OFFSET,  # bytes from the data of the first argument to the first element
    _KEY,  # of a key that names what is written: its words, see `write_set_item` …
    _AXES,  # … and for each whole number in it, length and stride of its axis
) = range(5, 11)
HAZARDS = 16  # for each argument: where its elements begin and end, and how it may lie to what is written
#: Whose writes leave no step of a history: nobody's, those to any tensor, those of values without a history to Parameters
#: and their views.
TAPED, UNTAPED, UNTAPED_TO_PARAMETERS = range(3)
#: An operand that shares memory with what is written: goes the Python way; may be the very same elements; may be any.
APART, IN_STEP, ANYWHERE = 0, 1, 2

#: What a key is made of: a whole number, None, ..., a slice with its three bounds, a tensor.
NUMBER, NEW_AXIS, DOTS, SLICE, ARRAY = range(1, 6)
ITEMS = 4  #: of a key, at most
ITEM_WORDS = 4
ABSENT = -(2**62)  #: a bound that is None
_MOST = 2**60


def write_change(where: Fields, python: tuple[int, int]) -> Module:
    """`kernel(site, args, count)`: compute into the first argument, and give it."""
    fn = Function("kernel", [("ptr", "site"), ("ptr", "args"), ("i64", "count")], "ptr")
    given = Given(fn, where, python)
    with fn.when(given.count == 0):
        given.slow()
    _begin(given)
    given.read()
    entry = given.entry()
    _compute(given, entry, fn.load(given.data, I64) + fn.load(entry, I64, _OFFSET))
    fn.ret(given.incref(fn.load(given.args, PTR)))
    return fn.module


def write_set_item(where: Fields, python: tuple[int, int]) -> Module:
    """`kernel(site, args, count)`: write a value into what a key names of a tensor; args are tensor, key, value.

    Whole numbers may be others in each call; for the rest of the key there is an entry. What is read of the arguments is
    tensor, value, and the tensors of the key in order.
    """
    fn = Function("kernel", [("ptr", "site"), ("ptr", "args"), ("i64", "count")], "ptr")
    given = Given(fn, where, python)
    with fn.when(given.count != 3):
        given.slow()
    _begin(given)
    tensor, whole, value = (fn.load(given.args, PTR, i) for i in range(3))
    is_tuple = same(fn.load(whole + where.object_type, PTR), fn.symbol("PyTuple_Type"))
    items = fn.var(1)
    with fn.when(is_tuple):
        items.set(fn.call(I64, "PyTuple_Size", whole))
    with fn.when(items.value > ITEMS):
        given.slow()
    flat, numbers = fn.buffer(8 * ARGUMENTS), fn.buffer(8 * ITEMS)
    words = fn.buffer(8 * ITEM_WORDS * ITEMS)
    fn.store(tensor, flat, 0)
    fn.store(value, flat, 1)
    count, found = fn.var(2), fn.var(0)

    def number(item: Value) -> Value:
        overflow = fn.buffer(8, 8)
        value = fn.call(I64, "PyLong_AsLongLongAndOverflow", item, overflow)
        with fn.when((fn.load(overflow, I32) != 0) | (value > _MOST) | (value < -_MOST)):
            given.slow()
        return value

    with fn.loop(0, items.value) as i:
        item = fn.var(whole)
        with fn.when(is_tuple):
            item.set(fn.call(PTR, "PyTuple_GetItem", whole, i))
        kind = fn.load(item.value + where.object_type, PTR)
        tag, bounds = fn.var(0), [fn.var(0) for _ in range(3)]
        tag.set(0)
        for bound in bounds:
            bound.set(0)
        with fn.when(same(kind, fn.symbol("PyLong_Type"))):
            tag.set(NUMBER)
            fn.store(number(item.value), numbers, found.value)
            found.add(1)
        with fn.when(same(item.value, given.none)):
            tag.set(NEW_AXIS)
        with fn.when(same(item.value, fn.symbol("_Py_EllipsisObject"))):
            tag.set(DOTS)
        with fn.when(same(kind, fn.symbol("PySlice_Type"))):
            tag.set(SLICE)
            for bound, field in zip(bounds, (where.slice_start, where.slice_stop, where.slice_step)):
                stated = fn.load(item.value + field, PTR)
                bound.set(ABSENT)
                with fn.unless(same(stated, given.none)):
                    with fn.unless(same(fn.load(stated + where.object_type, PTR), fn.symbol("PyLong_Type"))):
                        given.slow()
                    bound.set(number(stated))
        with fn.when(given.is_tensor(kind)):
            tag.set(ARRAY)
            with fn.when(count.value == ARGUMENTS):
                given.slow()
            fn.store(item.value, flat, count.value)
            count.add(1)
        with fn.when(tag.value == 0):
            given.slow()
        for j, part in enumerate((tag, *bounds)):
            fn.store(part.value, words, i * ITEM_WORDS + j)
            given.add_key(part.value)
    given.args, given.count = flat, count.value
    given.read()

    def has_key(entry: Value) -> Value:
        """Whether the key of an entry is this one. It ends with a zero, which is no item."""
        key = fn.load(entry, PTR, _KEY)
        equal = fn.var(fn.load(key, I64, items.value * ITEM_WORDS) == 0)
        with fn.loop(0, items.value) as i, fn.when(equal.value), fn.loop(0, ITEM_WORDS) as j:
            at = i * ITEM_WORDS + j
            equal.set(equal.value & (fn.load(key, I64, at) == fn.load(words, I64, at)))
        return equal.value

    entry = given.entry(has_key)
    start = fn.var(fn.load(given.data, I64) + fn.load(entry, I64, _OFFSET))
    axes = fn.load(entry, PTR, _AXES)
    with fn.loop(0, found.value) as i:
        index, length = fn.load(numbers, I64, i), fn.load(axes, I64, i * 2)
        with fn.when((index >= length) | (index < -length)):
            given.slow()
        start.add(fn.select(index < 0, index + length, index) * fn.load(axes, I64, i * 2 + 1))
    _compute(given, entry, start.value)
    fn.ret(given.incref(given.none))
    return fn.module


def _begin(given: Given) -> None:
    given.begin()
    with given.fn.when(given.fn.load(given.fn.symbol("anfora_state"), I64, 2) != 0):
        given.slow()


def _compute(given: Given, entry: Value, start: Value) -> None:
    """Run the program of an entry, if nothing is in the way; `start` is the address of the first element written."""
    fn, where, none, args, count = given.fn, given.where, given.none, given.args, given.count
    target = fn.load(args, PTR)
    owner = given.owner_of(target)

    # Does a tape follow it?
    untaped = fn.load(entry, I64, _UNTAPED)
    parameter = fn.symbol("anfora_parameter")
    is_parameter = same(fn.load(owner + where.object_type, PTR), parameter)
    is_parameter = is_parameter | same(fn.load(target + where.object_type, PTR), parameter)
    is_effect = (untaped == UNTAPED_TO_PARAMETERS) & is_parameter & ((given.mask.value & ~1) == 0)
    with fn.when(((given.switch & 1) != 0) & (untaped != UNTAPED)):
        has_history = (given.mask.value != 0) | ~same(fn.load(owner + where.tensor_node, PTR), none)
        with fn.when(has_history & ~is_effect):
            given.slow()
        path = fn.load(target + where.tensor_path, PTR)
        with fn.loop(0, fn.call(I64, "PyTuple_Size", path)) as i:
            attributes = fn.call(PTR, "PyTuple_GetItem", fn.call(PTR, "PyTuple_GetItem", path, i), fn.const(1))
            with fn.when(same(fn.load(attributes + where.object_type, PTR), fn.symbol("anfora_followed"))):
                given.slow()

    # May it be written to, and do others read it?
    array = fn.load(target + where.tensor_array, PTR)
    with fn.when((fn.load(array + where.array_flags, I32) & WRITEABLE) == 0):
        given.slow()
    low, high = start + fn.load(entry, I64, _LOW), start + fn.load(entry, I64, _HIGH)
    with fn.loop(1, count) as i:
        at = i * 3 + HAZARDS
        begin = fn.load(given.data, I64, i)
        first, last = begin + fn.load(entry, I64, at), begin + fn.load(entry, I64, at + 1)
        may = fn.load(entry, I64, at + 2)
        with fn.when((first < high) & (low < last) & (may != ANYWHERE) & ((may != IN_STEP) | (first != low))):
            given.slow()
    with fn.when(same(fn.load(owner + where.tensor_mark, PTR), fn.symbol("anfora_saved"))):
        held = fn.load(owner + where.tensor_array, PTR)
        is_alone = (fn.load(held + where.references, I32) == 1) & (fn.load(held + where.array_base, I64) == 0)
        with fn.unless(is_alone):
            given.slow()
        fn.store(given.incref(none), owner + where.tensor_mark)
        fn.call(None, "Py_DecRef", fn.symbol("anfora_saved"))

    fn.store(start, given.data, count)
    code = run(fn, fn.load(entry, PTR, PROGRAM), given.data, given.hold)
    with fn.when(code != 0):
        given.slow()  # does it again, and explains: a program that fails has not written yet


assert HAZARDS >= SCALARS + ARGUMENTS
