"""The IR of native calls: `launch`, which runs a program on arrays; `invoke`, the whole of a call whose arguments have been
seen before; and what leads to it from Python. `glue.py` makes builtin functions of them, `site.py` fills the tables they
read; `given.py` has what calls have in common with those that write in place (`change.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from anfora.kernel.emit import I32, I64, PTR, Function, Module, Value
from anfora.kernel.executor import NO_MEMORY
from anfora.kernel.fields import Fields
from anfora.kernel.given import ARGUMENTS, PROGRAM, SITE_SERVED_BY, WRITEABLE, Given, call_python, call_slow, run, same

__all__ = [
    "ATTRIBUTES", "CALLS", "FRONT", "GIVEN", "METHODS", "NOT_RECORDED", "PYTHON", "SLOTS", "write_call", "write_launch",
    "write_methods",
]  # fmt: skip

SLOTS = 8  #: what a node may save: at most so many arrays
METHODS = 16  #: native methods of Tensor whose code is made at once
ATTRIBUTES = 5  #: a front looks at so many objects behind the tensors
CALLS = 64  #: that a front knows
# a front: what to call when in doubt, how many calls it knows, their table, how many tensors they have; for each call …
_KNOWN, _TABLE_OF_CALLS, _TENSORS = 1, 2, 3
_CALL = ATTRIBUTES + 2  # … how many attributes it has, their addresses, and the site that serves it
# a front of a function: the same, then where the version of the classes of tensors lies, and what it was when all in them
# was ours; for each call how many keys it has, whether the tape is on, the function of the tensors, and the keys
_VERSION, _SEEN = 3, 4
_KEPT = 3
FRONT = 5  #: words of a front
GIVEN = 8  #: a front of a function looks at so many keys
# an entry, beside what all have (given.py)
(
    _LAYOUT,
    _,  # the type of numpy's
    _,  # number of axes
    _,  # and lengths
    _STRIDES,  # of a view, else 0
    _OFFSET,  # of a view: bytes from its source
    _STEP,  # of a view: a tuple with its step in the path
) = range(5, 12)
_OUTPUTS = 16  #: how many there are in the tuple that it gives, 0 if it gives none …
_TABLE = 17  # … and of each the four words that begin with _LAYOUT
_SAVES = 18  #: 2 ** ARGUMENTS rows of: count (see NOT_RECORDED, PYTHON), followed inputs, the recipe, SLOTS indices
_SAVE_ROW = SLOTS + 3
PYTHON, NOT_RECORDED = -1, -2


def write_launch(data_offset: int) -> Module:
    """kernel(self, args, count): PyLong of the code of running args[0] on the arrays args[1:]; this is where a program
    that found no memory becomes a MemoryError, for all who call programs."""
    fn = Function("kernel", [("ptr", "self"), ("ptr", "args"), ("i64", "count")], "ptr")
    _, args, count = fn.args
    program = fn.call(I64, "PyLong_AsLongLong", fn.load(args, PTR)).pointer()
    data = fn.array(count)
    none = fn.symbol("_Py_NoneStruct")
    with fn.loop(1, count) as i:
        item = fn.load(args, PTR, i)
        fn.store(fn.const(0), data, i - 1)
        with fn.when(item.address() != none.address()):
            fn.store(fn.load(item + data_offset, I64), data, i - 1)
    code = run(fn, program, data)
    with fn.when(code == NO_MEMORY):
        fn.call(None, "PyErr_SetString", fn.load(fn.symbol("PyExc_MemoryError"), PTR), fn.symbol("anfora_no_memory"))
        fn.ret(fn.const(0, PTR))
    fn.ret(fn.call(PTR, "PyLong_FromLongLong", code))
    return fn.module


# -- a call -----------------------------------------------------------------------------------------------------------


def write_call(where: Fields, python: tuple[int, int]) -> Module:
    """`kernel(self, args, count, keywords)`: a vectorcall function whose self is an array that holds the site; `front` and
    `kept`, whose self holds a front; `invoke(site, args, count)`, which serves sites that make new tensors; and `wrap`."""
    module = Module()
    _write_make(module, where)
    _write_invoke(module, where, python)
    fn = Function("kernel", [("ptr", "self"), ("ptr", "args"), ("i64", "count"), ("ptr", "names")], "ptr", module)
    self, args, count, names = fn.args
    site = fn.load(self + where.array_data, PTR)
    with fn.when(names.address() != 0):
        fn.ret(call_slow(fn, python, site, args, count, names))
    fn.ret(_served(fn, site, args, count))
    _write_front(module, where, python)
    _write_kept(module, where, python)
    return module


def _write_front(module: Module, where: Fields, python: tuple[int, int]) -> None:
    """`front(self, args, count, keywords)`: finds the site of an operator by the objects that stand behind the tensors."""
    fn = Function("front", [("ptr", "self"), ("ptr", "args"), ("i64", "count"), ("ptr", "names")], "ptr", module)
    self, args, count, names = fn.args
    front = fn.load(self + where.array_data, PTR)
    tensors = fn.load(front, I64, _TENSORS)
    attributes = args + tensors * 8
    given = count - tensors
    is_watched = fn.load(fn.symbol("anfora_state"), I64, 1) != 0
    with fn.when((names.address() != 0) | (given < 0) | (given > ATTRIBUTES) | is_watched):
        fn.ret(call_slow(fn, python, front, args, count, names))
    with fn.loop(0, fn.load(front, I64, _KNOWN)) as i:
        call = fn.load(front, PTR, _TABLE_OF_CALLS) + i * _CALL * 8
        equal = fn.var(fn.load(call, I64) == given)
        with fn.when(equal.value), fn.loop(0, given) as j:
            equal.set(equal.value & (fn.load(call, I64, j + 1) == fn.load(attributes, I64, j)))
        with fn.when(equal.value):
            fn.ret(_served(fn, fn.load(call, PTR, ATTRIBUTES + 1), args, tensors))
    fn.ret(call_slow(fn, python, front, args, count, names))


def _write_kept(module: Module, where: Fields, python: tuple[int, int]) -> None:
    """`kept(self, args, count, keywords)`: finds what is kept of a call (eager/kept.py), and calls that with the tensors.

    Keys are the layouts of tensors, and the number of one that has come before; of a tuple or list that begins with tensors
    the type and the length, and then those of what is inside; and other objects themselves.
    """
    parameters = [("ptr", "self"), ("ptr", "args"), ("i64", "count"), ("ptr", "names")]
    fn = Function("kept", parameters, "ptr", module)
    self, args, count, names = fn.args
    front = fn.load(self + where.array_data, PTR)
    cells, none = fn.symbol("anfora_state"), fn.symbol("_Py_NoneStruct")
    is_tensor, is_parameter = fn.symbol("anfora_tensor"), fn.symbol("anfora_parameter")
    switch = fn.load(cells, I64)

    def slow() -> None:
        fn.ret(call_slow(fn, python, front, args, count, names))

    is_foreign = (switch >> 1) != fn.call(I64, "PyThread_get_thread_ident")
    is_watched = (fn.load(cells, I64, 1) != 0) | (fn.load(cells, I64, 2) != 0)
    is_changed = fn.load(fn.load(front, PTR, _VERSION), I32) != fn.load(front + _SEEN * 8, I32)
    with fn.when((names.address() != 0) | (count > GIVEN) | is_foreign | is_watched | is_changed):
        slow()
    keys, tensors = fn.buffer(8 * GIVEN), fn.buffer(8 * GIVEN)
    keyed, number = fn.var(0), fn.var(0)

    def add_key(word: Value) -> None:
        fn.store(word, keys, keyed.value)
        keyed.add(1)

    def add_tensor(item: Value) -> None:
        base = fn.load(item + where.tensor_base, PTR)
        with fn.unless(same(base, none)):
            is_stale = fn.load(item + where.tensor_epoch, I64) != fn.load(base + where.tensor_epoch, I64)
            with fn.when(same(fn.load(base + where.object_type, PTR), is_parameter) | is_stale):
                slow()
        key = fn.var(fn.load(item + where.tensor_layout, I64))
        with fn.loop(0, number.value) as j, fn.when(same(fn.load(tensors, PTR, j), item)):
            key.set(none.address() + 1 + j)
        add_key(key.value)
        fn.store(item, tensors, number.value)
        number.add(1)

    with fn.loop(0, count) as i:
        item = fn.load(args, PTR, i)
        kind = fn.load(item + where.object_type, PTR)
        is_plain = same(kind, is_tensor)
        with fn.when(same(kind, is_parameter) | (keyed.value >= GIVEN)):
            slow()
        with fn.when(is_plain):
            add_tensor(item)
        with fn.unless(is_plain):
            length = fn.var(0)
            for name, size, get in (
                ("PyTuple_Type", "PyTuple_Size", "PyTuple_GetItem"),
                ("PyList_Type", "PyList_Size", "PyList_GetItem"),
            ):
                with fn.when(same(kind, fn.symbol(name))):
                    held = fn.call(I64, size, item)
                    with fn.when(held > 0):
                        first = fn.call(PTR, get, item, fn.const(0))
                        with fn.when(same(fn.load(first + where.object_type, PTR), is_tensor)):
                            length.set(held)
                            with fn.when(keyed.value + held >= GIVEN):
                                slow()
                            add_key(kind.address() + held)
                            with fn.loop(0, held) as j:
                                inner = fn.call(PTR, get, item, j)
                                with fn.unless(same(fn.load(inner + where.object_type, PTR), is_tensor)):
                                    slow()
                                add_tensor(inner)
            with fn.when(length.value == 0):
                add_key(item.address())
    with fn.loop(0, fn.load(front, I64, _KNOWN)) as i:
        call = fn.load(front, PTR, _TABLE_OF_CALLS) + i * (_KEPT + GIVEN) * 8
        equal = fn.var((fn.load(call, I64) == keyed.value) & (fn.load(call, I64, 1) == (switch & 1)))
        with fn.when(equal.value), fn.loop(0, keyed.value) as j:
            equal.set(equal.value & (fn.load(call, I64, j + _KEPT) == fn.load(keys, I64, j)))
        with fn.when(equal.value):
            fn.ret(call_python(fn, python, fn.load(call, PTR, 2), tensors, number.value))
    slow()


def write_methods(first: int, python: tuple[int, int]) -> Module:
    """`method0` …: method functions (self, args, count, keywords), for places in the table of sites, from `first` on. A
    method has no object of its own where it could find its site, so each has its own code: a jump to the common part."""
    fn = Function("method", [("ptr", n) for n in ("site", "self", "args")] + [("i64", "count"), ("ptr", "names")],
                  "ptr", linkage="internal")  # fmt: skip
    site, self, args, count, names = fn.args
    total = fn.var(count)
    with fn.when(names.address() != 0):
        total.add(fn.call(I64, "PyTuple_Size", names))
    with_self = fn.array(total.value + 1)
    fn.store(self, with_self)
    fn.copy_bytes(with_self + 8, args, total.value * 8)
    with fn.when((names.address() != 0) | (count >= ARGUMENTS)):
        fn.ret(call_slow(fn, python, site, with_self, count + 1, names))
    fn.ret(_served(fn, site, with_self, count + 1))
    module = fn.module
    parameters = [("ptr", "self"), ("ptr", "args"), ("i64", "count"), ("ptr", "names")]
    for number in range(METHODS):
        fn = Function(f"method{number}", parameters, "ptr", module)
        place = fn.load(fn.symbol("anfora_sites"), PTR, first + number)
        fn.ret(fn.call(PTR, "method", place, *fn.args))
    return module


def _served(fn: Function, site: Value, args: Value, count: Value) -> Value:
    return fn.call_pointer(PTR, fn.load(site, PTR, SITE_SERVED_BY), site, args, count)


def _write_make(module: Module, where: Fields) -> None:
    """`make_tensor(array, layout)`: a tensor that takes over the array and wants its `_node`; and `wrap`, the builtin
    (array, layout, node) -> tensor."""
    fn = Function("make_tensor", [("ptr", "array"), ("ptr", "layout")], "ptr", module, linkage="internal")
    array, layout = fn.args
    none = fn.symbol("_Py_NoneStruct")
    result = fn.call(PTR, "PyType_GenericAlloc", fn.symbol("anfora_tensor"), fn.const(0))
    with fn.when(result.address() == 0):
        fn.call(None, "Py_DecRef", array)
        fn.ret(result)
    fn.store(array, result + where.tensor_array)
    fn.call(None, "Py_IncRef", layout)
    fn.store(layout, result + where.tensor_layout)
    for field in (where.tensor_base, where.tensor_epoch, where.tensor_mark):
        fn.call(None, "Py_IncRef", none)
        fn.store(none, result + field)
    empty = fn.symbol("anfora_empty_tuple")
    fn.call(None, "Py_IncRef", empty)
    fn.store(empty, result + where.tensor_path)
    fn.ret(result)

    fn = Function("wrap", [("ptr", "self"), ("ptr", "args"), ("i64", "count")], "ptr", module)
    array, layout, node = (fn.load(fn.args[1], PTR, i) for i in range(3))
    fn.call(None, "Py_IncRef", array)
    result = fn.call(PTR, "make_tensor", array, layout)
    with fn.when(result.address() != 0):
        fn.call(None, "Py_IncRef", node)
        fn.store(node, result + where.tensor_node)
    fn.ret(result)


def _write_invoke(module: Module, where: Fields, python: tuple[int, int]) -> None:
    fn = Function("invoke", [("ptr", "site"), ("ptr", "args"), ("i64", "count")], "ptr", module)
    given = Given(fn, where, python)
    args, count, none = given.args, given.count, given.none
    incref, slow = given.incref, given.slow
    given.begin()
    given.read()
    entry = given.entry()
    switch, data, mask = given.switch, given.data, given.mask

    # What the tape will save, and whether it may.
    row = entry + (mask.value * _SAVE_ROW + _SAVES) * 8
    saves = fn.load(row, I64)
    recording = fn.var(((switch & 1) != 0) & (saves != NOT_RECORDED))
    mask.set(fn.load(row, I64, 1))
    with fn.when(recording.value & (saves == PYTHON)):
        slow()
    saved_mark = fn.symbol("anfora_saved")

    # What the tape keeps of the arguments is taken before the lock may be released: another thread that writes moves first.
    kept = fn.var(fn.const(0, PTR))
    with fn.when(recording.value):
        made = fn.call(PTR, "PyTuple_New", saves)
        with fn.when(made.address() == 0):
            fn.ret(made)
        kept.set(made)
        with fn.loop(0, saves) as i:
            which = fn.load(row, I64, i + 3)
            with fn.when(which < count):
                item = fn.load(args, PTR, which)
                array = given.array_of(item)
                with fn.unless(same(array, item)):
                    owner = given.owner_of(item)
                    mark = fn.load(owner + where.tensor_mark, PTR)
                    with fn.unless(same(mark, saved_mark)):
                        with fn.unless(same(mark, none)):
                            fn.call(None, "Py_DecRef", made)
                            slow()
                        fn.store(incref(saved_mark), owner + where.tensor_mark)
                        fn.call(None, "Py_DecRef", mark)
                fn.call(I32, "PyTuple_SetItem", made, i, incref(array))

    def leave(result: Value) -> None:
        fn.call(None, "Py_DecRef", kept.value)  # may be null
        fn.ret(result)

    def array_like(words: Value, strides: Value, buffer: Value, flags: Value) -> Value:
        """A new array, of the four words that say of which kind."""
        return fn.call_pointer(
            PTR, fn.symbol("anfora_new_array"), fn.symbol("anfora_array_type"), incref(fn.load(words, PTR, 1)),
            fn.load(words, I64, 2).to("i32"), fn.load(words, PTR, 3), strides, buffer, flags, fn.const(0, PTR),
        )  # fmt: skip

    # Several results.
    outputs = fn.load(entry, I64, _OUTPUTS)
    with fn.when(outputs != 0):
        results = fn.call(PTR, "PyTuple_New", outputs)
        with fn.when(results.address() == 0):
            leave(fn.const(0, PTR))

        def drop() -> None:
            fn.call(None, "Py_DecRef", results)

        with fn.loop(0, outputs) as i:
            words = fn.load(entry, PTR, _TABLE) + i * 32
            made = array_like(words, fn.const(0, PTR), fn.const(0, PTR), fn.const(0, I32))
            with fn.when(made.address() == 0):
                drop()
                leave(fn.const(0, PTR))
            fn.store(fn.load(made + where.array_data, I64), data, count + i)
            tensor = fn.call(PTR, "make_tensor", made, fn.load(words, PTR))
            with fn.when(tensor.address() == 0):
                drop()
                leave(fn.const(0, PTR))
            fn.store(incref(none), tensor + where.tensor_node)
            fn.call(I32, "PyTuple_SetItem", results, i, tensor)
        code = run(fn, fn.load(entry, PTR, PROGRAM), data, given.hold)
        with fn.when(code != 0):
            drop()
            fn.call(None, "Py_DecRef", kept.value)
            slow()
        with fn.unless(recording.value):
            fn.ret(results)
        result_of = functools.partial(fn.call, PTR, "PyTuple_GetItem", results)
        of_tuple = _write_node(given, python, row, kept.value, results, result_of)
        with fn.loop(0, outputs) as i:
            history = fn.call(PTR, "PyType_GenericAlloc", fn.symbol("anfora_output"), fn.const(0))
            key = fn.call(PTR, "PyTuple_New", fn.const(2))
            index = fn.call(PTR, "PyLong_FromLongLong", i)
            with fn.when((history.address() == 0) | (key.address() == 0) | (index.address() == 0)):
                for left in (history, key, index, of_tuple, results):
                    fn.call(None, "Py_DecRef", left)
                fn.ret(fn.const(0, PTR))
            fn.call(I32, "PyTuple_SetItem", key, fn.const(0), incref(of_tuple))
            fn.call(I32, "PyTuple_SetItem", key, fn.const(1), index)
            fn.store(key, history + where.output_key)
            fn.call(None, "Py_DecRef", none)
            fn.store(history, fn.call(PTR, "PyTuple_GetItem", results, i) + where.tensor_node)
        fn.call(None, "Py_DecRef", of_tuple)
        fn.ret(results)

    # Compute, or take a view.
    null, no_flags = fn.const(0, PTR), fn.const(0, I32)
    strides = fn.load(entry, PTR, _STRIDES)
    is_view = strides.address() != 0
    first = fn.load(args, PTR)
    buffer, flags = fn.var(null), fn.var(no_flags)
    with fn.when(is_view):
        source = fn.load(first + where.tensor_array, PTR)
        buffer.set((fn.load(data, I64) + fn.load(entry, I64, _OFFSET)).pointer())
        flags.set(fn.load(source + where.array_flags, I32) & WRITEABLE)
    out = array_like(entry + _LAYOUT * 8, strides, buffer.value, flags.value)
    with fn.when(out.address() == 0):
        leave(null)
    with fn.when(is_view):
        source = incref(fn.load(first + where.tensor_array, PTR))
        with fn.when(fn.call_pointer(I32, fn.symbol("anfora_set_base"), out, source) != 0):
            fn.call(None, "Py_DecRef", out)
            leave(null)
    with fn.unless(is_view):
        fn.store(fn.load(out + where.array_data, I64), data, count)
        code = run(fn, fn.load(entry, PTR, PROGRAM), data, given.hold)
        with fn.when(code != 0):
            fn.call(None, "Py_DecRef", out)
            fn.call(None, "Py_DecRef", kept.value)
            slow()  # does it again, and explains

    # Wrap.
    result = fn.call(PTR, "make_tensor", out, fn.load(entry, PTR, _LAYOUT))
    with fn.when(result.address() == 0):
        leave(null)
    with fn.when(is_view):
        base = given.owner_of(first)
        path = fn.call(PTR, "PySequence_Concat", fn.load(first + where.tensor_path, PTR), fn.load(entry, PTR, _STEP))
        with fn.when(path.address() == 0):
            fn.store(incref(none), result + where.tensor_node)
            fn.call(None, "Py_DecRef", result)
            leave(null)
        for field, new in (
            (where.tensor_base, incref(base)),
            (where.tensor_epoch, incref(fn.load(base + where.tensor_epoch, PTR))),
            (where.tensor_path, path),
        ):
            old = fn.load(result + field, PTR)
            fn.store(new, result + field)
            fn.call(None, "Py_DecRef", old)
    with fn.unless(recording.value):
        fn.store(incref(none), result + where.tensor_node)
        fn.ret(result)

    fn.store(_write_node(given, python, row, kept.value, result, lambda _: result), result + where.tensor_node)
    fn.ret(result)


def _write_node(
    given: Given, python: tuple[int, int], row: Value, kept: Value, made: Value, result: Callable[[Value], Value]
) -> Value:
    """Record a call: its node.

    Args:
        row: of the entry, for the inputs that are followed.
        kept: the tuple of what is saved, of which the results are missing; the node gets it.
        made: what the call gives, dropped where there is no memory.
        result: gives the tensor that is result i.
    """
    fn, where, args, count, none, incref = given.fn, given.where, given.args, given.count, given.none, given.incref
    saves, saved_mark = fn.load(row, I64), fn.symbol("anfora_saved")
    code, at = _write_place(fn, where, python, (made, kept), incref)
    node = fn.call(PTR, "PyType_GenericAlloc", fn.symbol("anfora_node"), fn.const(0))
    parents = fn.call(PTR, "PyTuple_New", count)
    clock = fn.symbol("anfora_clock")
    now = fn.load(clock, I64) + 1
    tick = fn.call(PTR, "PyLong_FromLongLong", now)
    with fn.when((node.address() == 0) | (parents.address() == 0) | (tick.address() == 0)):
        for left in (tick, parents, node, code, at, made, kept):
            fn.call(None, "Py_DecRef", left)  # which takes null
        fn.ret(fn.const(0, PTR))
    with fn.loop(0, count) as i:
        parent = fn.var(none)
        parent.set(none)
        with fn.when(((given.mask.value >> i) & 1) != 0):
            parent.set(fn.load(fn.load(args, PTR, i) + where.tensor_node, PTR))
        fn.call(I32, "PyTuple_SetItem", parents, i, incref(parent.value))
    with fn.loop(0, saves) as i, fn.when(fn.load(row, I64, i + 3) >= count):
        tensor = result(fn.load(row, I64, i + 3) - count)
        mark = fn.load(tensor + where.tensor_mark, PTR)
        fn.store(incref(saved_mark), tensor + where.tensor_mark)
        fn.call(None, "Py_DecRef", mark)
        fn.call(I32, "PyTuple_SetItem", kept, i, incref(fn.load(tensor + where.tensor_array, PTR)))
    fn.store(now, clock)
    fn.store(incref(fn.load(row, PTR, 2)), node + where.node_recipe)
    fn.store(parents, node + where.node_parents)
    fn.store(kept, node + where.node_saved)
    fn.store(tick, node + where.node_tick)
    fn.store(incref(none), node + where.node_hooks)
    fn.store(code, node + where.node_code)
    fn.store(at, node + where.node_at)
    return node


def _write_place(
    fn: Function, where: Fields, python: tuple[int, int], made: tuple[Value, ...], incref: Callable[[Value], Value]
) -> tuple[Value, Value]:
    """The code object and position of the innermost frame of the user's program, where this call is found to come from: the
    line is worked out when somebody asks. Frames of this package's files are gone out of."""
    none, null = fn.symbol("_Py_NoneStruct"), fn.const(0).pointer()
    code, at = fn.var(none), fn.var(none)
    frame = fn.var(fn.call(PTR, "PyEval_GetFrame"))
    with fn.when(frame.value.address() != 0):
        incref(frame.value)
    with fn.forever() as found:
        found.when(frame.value.address() == 0)
        own = fn.call(PTR, "PyFrame_GetCode", frame.value)
        code.set(own)
        internal = fn.call(PTR, "PyObject_GetItem", fn.symbol("anfora_files"), fn.load(own + where.code_filename, PTR))
        with fn.when(internal.address() == 0):  # interrupted
            for leaving in (own, frame.value, *made):
                fn.call(None, "Py_DecRef", leaving)
            fn.ret(null)
        fn.call(None, "Py_DecRef", internal)
        found.when(internal.address() != fn.symbol("_Py_TrueStruct").address())
        code.set(none)
        fn.call(None, "Py_DecRef", own)
        inner = frame.value
        frame.set(fn.call(PTR, "PyFrame_GetBack", inner))
        fn.call(None, "Py_DecRef", inner)
    with fn.when(frame.value.address() != 0):
        position = fn.call(I32, "PyFrame_GetLasti" if python >= (3, 11) else "PyFrame_GetLineNumber", frame.value)
        at.set(fn.call(PTR, "PyLong_FromLongLong", position.to("i64")))
        fn.call(None, "Py_DecRef", frame.value)
    with fn.when(frame.value.address() == 0):
        incref(none)
        incref(none)
        # There is no frame further out, or no memory to make the object that stands for it.
        at.set(fn.select(fn.call(PTR, "PyErr_Occurred").address() == 0, none, null))
    with fn.when(at.value.address() == 0):
        for leaving in (code.value, *made):
            fn.call(None, "Py_DecRef", leaving)
        fn.ret(null)
    return code.value, at.value
