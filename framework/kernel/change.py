"""The IR of native writes: `change(site, args, count)`, the whole of a call that computes into the memory of its first
argument, where the arguments have been seen before.

All is refused before anything changes, and whatever is not plain is left to Python:

- what the tape follows, or what is a view of such a tensor: a write gives these a new history;
- memory that a node of the tape holds still: the tensor moves to a copy first (core/tensor.py, `leave_to_tape`). Here it
  is only seen that nobody else holds the memory, and then the mark goes;
- an operand that shares memory with the target, and is not read element by element just where the result goes.
"""

from __future__ import annotations

from anfora.kernel.emit import I32, I64, PTR, Function, Module
from anfora.kernel.fields import Fields
from anfora.kernel.given import ARGUMENTS, PROGRAM, WRITEABLE, Given, run, same

__all__ = ["ANYWHERE", "APART", "HAZARDS", "IN_STEP", "write_change"]

# an entry, beside what all have (given.py)
(
    _LOW,  # of what is written, in bytes from the data of the first argument: where it begins …
    _HIGH,  # … and ends
    _UNTAPED,  # whether it is no step of a history: of any tensor (1), of Parameters and their views (2)
    _GIVES_NONE,
) = range(5, 9)
HAZARDS = 16  # for each argument: where its elements begin and end, and how it may lie to what is written
#: An operand that shares memory with what is written: goes the Python way; may be the very same elements; may be any.
APART, IN_STEP, ANYWHERE = 0, 1, 2


def write_change(module: Module, where: Fields, python: tuple[int, int]) -> None:
    fn = Function("change", [("ptr", "site"), ("ptr", "args"), ("i64", "count")], "ptr", module)
    given = Given(fn, where, python)
    args, count, none = given.args, given.count, given.none
    with fn.when((count == 0) | (fn.load(fn.symbol("anfora_state"), I64, 2) != 0)):
        given.slow()
    given.read()
    entry = given.entry()
    target = fn.load(args, PTR)
    kind = fn.load(target + where.object_type, PTR)
    owner = given.owner_of(target)

    # Does a tape follow it?
    untaped = fn.load(entry, I64, _UNTAPED)
    parameter = fn.symbol("anfora_parameter")
    is_parameter = same(fn.load(owner + where.object_type, PTR), parameter) | same(kind, parameter)
    with fn.when(((given.switch & 1) != 0) & (untaped != 1) & ((untaped != 2) | ~is_parameter)):
        with fn.when((given.mask.value != 0) | ~same(fn.load(owner + where.tensor_node, PTR), none)):
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
    start = fn.load(given.data, I64)
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
    result = fn.select(fn.load(entry, I64, _GIVES_NONE) != 0, none, target)
    fn.ret(given.incref(result))


assert HAZARDS >= PROGRAM + ARGUMENTS
