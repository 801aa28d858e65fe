"""Machine code for loop nests, and the plan that runs a kernel.

One kernel for each nest: its units are tiles of elements (`schedule.py`). All sizes are constants of the text, so
they are constants of the code. Sums are added in the order of the loops; a product that is added is one fused
multiply-add. words: lo hi scratch | the tensors of the nest, the target first | 0

The last word is a zero that the compiler does not know. It is added to the number of elements at the end of a row: where
LLVM (22, for machines with AVX2) knows which lanes of a masked load are off, it may load them all the same.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from anfora.core import dtype as dt
from anfora.kernel import bodies
from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module, Type, Var
from anfora.kernel.emit import Value as Word
from anfora.kernel.loops import HEADER, contiguous
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.target import target
from anfora.tensor_expression.affine import Affine, Atom, Condition
from anfora.tensor_expression.ir import Access, Binary, Constant, Kernel, Select, Unary, Value, is_gather
from anfora.tensor_expression.schedule import LANES, Part, Schedule, schedule, work_of

__all__ = ["plan_kernel"]


@functools.cache
def _source() -> str:
    """The code of this package: kernels made by other code are other kernels."""
    digest = hashlib.sha256()
    for name in ("affine.py", "ir.py", "schedule.py", "machine.py"):
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()


def plan_kernel(p: Planner, kernel: Kernel, inputs: list[Buffer], outputs: list[Buffer]) -> None:
    """Add the steps of a kernel to a plan."""
    buffers = {v.name: contiguous(p, b) for v, b in zip(kernel.inputs, inputs)}
    buffers |= {v.name: b for v, b in zip(kernel.outputs, outputs)}
    dtype = {"float32": dt.float32, "float64": dt.float64, "int32": dt.int32}[kernel.dtype]
    for variable in kernel.temps:
        buffers[variable.name] = p.workspace(dtype, *variable.shape)
    for nest in kernel.body:
        plan = schedule(work_of(kernel, nest), target().vector_bytes, target().registers)
        address = nest_kernel.address(plan, _source())
        words = [buffers[name] for name in plan.work.names]
        p.step(address, *words, 0, units=plan.units, grain=split(plan.units, plan.nanoseconds))
        assert is_gather(nest) or plan.work.form == "add"


@recipe
def nest_kernel(plan: Schedule, source: str) -> Module:
    """The kernel of one nest."""
    fn = Function("kernel", [("ptr", "words")])
    _Nest(fn, plan).write()
    fn.ret(0)
    return fn.module


class _Nest:
    """Writes the code of a nest."""

    def __init__(self, fn: Function, plan: Schedule) -> None:
        self.fn, self.plan, self.work = fn, plan, plan.work
        self.kind = Type(plan.work.elem, LANES)
        self.pointers = {name: fn.word(HEADER + i).pointer() for i, name in enumerate(plan.work.names)}
        self.zero = fn.word(HEADER + len(plan.work.names))
        self.env: dict[str, Word] = {}  #: variables that loops have set
        self.lane = plan.lane[0]
        self.tile = [name for name, _, _ in plan.tile]

    def write(self) -> None:
        fn, plan = self.fn, self.plan
        with fn.loop(fn.word(0), fn.word(1)) as unit:
            rest = unit
            group, rest = self._digit(rest, plan.groups)
            for name, extent, count in reversed(plan.tile):
                digit, rest = self._digit(rest, extent // count)
                self.env[name] = digit * count
            for name, extent in reversed(plan.outer):
                self.env[name], rest = self._digit(rest, extent)
            if plan.work.form == "add":
                self._scatter()
            elif plan.is_partial:
                self._partial()
            else:
                self._blocks(group)

    def _digit(self, number: Word, base: int) -> tuple[Word, Word]:
        if base == 1:
            return self.fn.const(0), number
        rest = number // base
        return number - rest * base, rest

    # -- the three forms -------------------------------------------------------------------------------------------

    def _blocks(self, group: Word) -> None:
        """Elements along the lanes: whole blocks, then what is left."""
        fn, plan = self.fn, self.plan
        extent, block = plan.lane[1], LANES * plan.unroll
        whole = extent // block
        left = extent - whole * block
        first = group * plan.blocks
        last = first + plan.blocks
        if whole:
            stop = fn.select(last < whole, last, fn.const(whole))
            if whole == 1 and plan.groups == 1:
                self._tile_of_elements(fn.const(0), plan.unroll, 0)
            else:
                with fn.loop(first * block, stop * block, block) as base:
                    self._tile_of_elements(base, plan.unroll, 0)
        if left:
            vectors, tail = -(-left // LANES), left % LANES
            with ExitStack() as stack:
                if plan.groups > 1:
                    stack.enter_context(fn.when(last > whole))
                self._tile_of_elements(fn.const(whole * block), vectors, tail)

    def _tile_of_elements(self, base: Word, vectors: int, tail: int) -> None:
        """Compute and store a tile of `vectors` vectors, the last of which has `tail` elements if that is not 0."""
        fn, work = self.fn, self.work
        self.env[self.lane] = base
        cells = list(itertools.product(self._offsets(), range(vectors)))
        tails = {vectors - 1: self._first_lanes(tail)} if tail else {}
        if work.form == "direct":
            body = _Body(self, tails)
            for offset, u in cells:
                value = body.value(work.parts[0].value, offset, u) if work.parts else fn.const(0, self.kind)
                self._store(value, offset, u, tails.get(u))
            return
        sums = {cell: fn.var(fn.const(0, self.kind)) for cell in map(_key, cells)}
        for part in work.parts:
            inner = [guard for guard in part.guards if self.lane in guard.names()]
            outer = [guard for guard in part.guards if self.lane not in guard.names()]

            def add(part: Part = part, inner: list[Condition] = inner) -> None:
                masks = {u: self._mask(inner, u, tails.get(u)) for u in range(vectors)}
                body = _Body(self, masks)
                for offset, u in cells:
                    body.add(sums[_key((offset, u))], part.value, offset, u, masks[u] if inner else None)

            self._loops(part.loops, outer, add)
        for offset, u in cells:
            self._store(sums[_key((offset, u))].value, offset, u, tails.get(u))

    def _partial(self) -> None:
        """Elements whose summed variable lies along the lanes."""
        fn, [part] = self.fn, self.work.parts
        extent = self.plan.lane[1]
        offsets = list(self._offsets())
        sums = {_key((offset, 0)): fn.var(fn.const(0, self.kind)) for offset in offsets}
        inner = [guard for guard in part.guards if self.lane in guard.names()]
        outer = [guard for guard in part.guards if self.lane not in guard.names()]

        def add(tail: Word | None) -> None:
            mask = self._mask(inner, 0, tail)
            body = _Body(self, {0: mask})
            for offset in offsets:
                body.add(sums[_key((offset, 0))], part.value, offset, 0, mask)

        self._loops(tuple(loop for loop in part.loops if loop[0] != self.lane), outer, lambda: self._along(extent, add))
        for offset in offsets:
            total = sums[_key((offset, 0))].value
            while total.type.lanes > 1:
                low, high = fn.halves(total)
                total = low + high
            place = self._position(self.work.place, offset)
            fn.store(fn.lane(total, 0), self.pointers[self.work.target], place)

    def _scatter(self) -> None:
        """Add to elements, lane by lane different ones."""
        fn, [part] = self.fn, self.work.parts
        inner = [guard for guard in part.guards if self.lane in guard.names()]
        outer = [guard for guard in part.guards if self.lane not in guard.names()]

        def add(tail: Word | None) -> None:
            mask = self._mask(inner, 0, tail)
            body = _Body(self, {0: mask})
            held = fn.var(body.load(Access(self.work.target, (self.work.place,)), {}, 0))
            body.add(held, part.value, {}, 0, None)
            self._store(held.value, {}, 0, mask)

        loops = tuple(loop for loop in part.loops if loop[0] != self.lane)
        self._loops(loops, outer, lambda: self._along(self.plan.lane[1], add))

    def _along(self, extent: int, add: Callable[[Word | None], None]) -> None:
        """All lanes of the lane variable: whole vectors, then the rest under a mask."""
        whole = extent - extent % LANES
        if whole == LANES:
            self.env[self.lane] = self.fn.const(0)
            add(None)
        elif whole:
            with self.fn.loop(0, whole, LANES) as base:
                self.env[self.lane] = base
                add(None)
        if whole < extent:
            self.env[self.lane] = self.fn.const(whole)
            add(self._first_lanes(extent - whole))

    # -- loops and conditions --------------------------------------------------------------------------------------

    def _loops(self, loops: tuple[tuple[str, int], ...], guards: list[Condition], body: Callable[[], None]) -> None:
        """Loops in the order given. A guard that is linear in a loop's variable narrows the loop; others are branches,
        each as soon as its variables are set."""
        fn = self.fn
        names = {name for name, _ in loops}
        ready = [guard for guard in guards if not guard.names() & names]
        later = [guard for guard in guards if guard not in ready]
        with ExitStack() as stack:
            for guard in ready:
                stack.enter_context(fn.when(self._holds(guard)))
            if not loops:
                body()
                return
            (name, extent), inner = loops[0], loops[1:]
            start, stop = fn.const(0), fn.const(extent)
            for guard in [g for g in later if not g.names() & {n for n, _ in inner}]:
                step = guard.left.coefficient(name)
                if guard.op != ">=" or step not in (1, -1):
                    continue
                later.remove(guard)
                rest = self._scalar(guard.left.plus(Affine.variable(name), -step))
                if step == 1:  # name >= -rest
                    start = fn.select(-rest > start, -rest, start)
                else:  # name < rest + 1
                    stop = fn.select(rest + 1 < stop, rest + 1, stop)
            with fn.loop(start, stop) as i:
                self.env[name] = i
                self._loops(inner, later, body)

    def _holds(self, guard: Condition) -> Word:
        value = self._scalar(guard.left)
        return value == 0 if guard.op == "==" else value >= 0

    def _mask(self, guards: list[Condition], u: int, tail: Word | None) -> Word | None:
        """The lanes of vector `u` where all guards hold, and which exist; None for all."""
        mask = tail
        for guard in guards:
            value = self._vector(guard.left, u)
            holds = value == 0 if guard.op == "==" else value >= 0
            mask = holds if mask is None else mask & holds
        return mask

    def _first_lanes(self, count: int) -> Word:
        return self.fn.mask(self.zero + count, LANES)

    def _offsets(self) -> Iterator[dict[str, int]]:
        """The places in a tile, relative to its first."""
        for place in itertools.product(*(range(count) for _, _, count in self.plan.tile)):
            yield dict(zip(self.tile, place))

    # -- index expressions -----------------------------------------------------------------------------------------

    def _scalar(self, affine: Affine, offset: Mapping[str, int] = {}) -> Word:
        """The value where every variable is what its loop has set, the lane variable that of lane 0."""
        total: Word = self.fn.const(affine.constant)
        for atom, c in affine.terms:
            part = self._atom(atom, offset)
            total = total + (part if c == 1 else part * c)
        return total

    def _atom(self, atom: Atom, offset: Mapping[str, int]) -> Word:
        if isinstance(atom, str):
            value = self.env[atom]
            return value + offset[atom] if offset.get(atom) else value
        body = self._scalar(atom.body, offset)
        quotient = _floor(body, atom.by)
        return quotient if atom.kind == "//" else body - quotient * atom.by

    def _position(self, affine: Affine, offset: Mapping[str, int]) -> Word:
        """`_scalar`, written so that places of one tile differ by constants."""
        steps = {name: affine.coefficient(name) for name in offset}
        if any(step is None for step in steps.values()):
            return self._scalar(affine, offset)
        base = self._scalar(affine)
        apart = sum(n * (steps[name] or 0) for name, n in offset.items())
        return base + apart if apart else base

    def _vector(self, affine: Affine, u: int, offset: Mapping[str, int] = {}) -> Word:
        """The values in the lanes of vector `u`."""
        fn = self.fn
        step = affine.coefficient(self.lane)
        if step is not None:
            first = self._scalar(affine, offset) + u * LANES * step
            return fn.splat(first, LANES) + fn.constants([step * lane for lane in range(LANES)], "i64")
        total = fn.splat(fn.const(affine.constant), LANES)
        for atom, c in affine.terms:
            if isinstance(atom, str):
                part = self._vector(Affine.variable(atom), u, offset)
            else:
                body = self._vector(atom.body, u, offset)
                quotient = _floor(body, atom.by)
                part = quotient if atom.kind == "//" else body - quotient * atom.by
            total = total + (part if c == 1 else part * c)
        return total

    def _store(self, value: Word, offset: Mapping[str, int], u: int, mask: Word | None) -> None:
        fn, place = self.fn, self.work.place
        pointer = self.pointers[self.work.target]
        step = place.coefficient(self.lane)
        if step == 1:
            at = self._position(place, offset) + u * LANES
            if mask is None:
                fn.store(value, pointer, at)
            else:
                fn.masked_store(value, pointer, mask, at)
            return
        name = f"llvm.masked.scatter.{value.type.suffix}.v{LANES}p0"
        fn.module.declare(name, f"declare void @{name}({value.type}, <{LANES} x ptr>, i32, <{LANES} x i1>)")
        places = _addresses(fn, pointer, value.type, self._vector(place, u, offset))
        mask = _all_lanes(fn) if mask is None else mask
        fn.line(f"call void @{name}({value.typed()}, {places.typed()}, i32 {value.type.bytes}, {mask.typed()})")


def _all_lanes(fn: Function) -> Word:
    return fn.constants([True] * LANES, "i1")


def _key(cell: tuple[dict[str, int], int]) -> tuple:
    return (*cell[0].values(), cell[1])


def _floor(value: Word, by: int) -> Word:
    """The floored quotient by a positive constant."""
    quotient = value // by
    return bodies.select(value - quotient * by < 0, quotient - 1, quotient)


def _addresses(fn: Function, pointer: Word, kind: Type, index: Word) -> Word:
    return fn.emit(Type("ptr", LANES), f"getelementptr {kind.scalar}, ptr {pointer.text}, {index.type} {index.text}")


class _Body:
    """Evaluates values for the vectors of a tile; each element of a tensor is loaded once."""

    def __init__(self, nest: _Nest, masks: Mapping[int, Word | None]) -> None:
        self.nest, self.fn, self.kind = nest, nest.fn, nest.kind
        self.masks = masks
        self.loaded: dict[tuple, Word] = {}

    def add(self, total: Var, value: Value, offset: dict[str, int], u: int, mask: Word | None) -> None:
        """total += value, where the mask holds."""
        old = total.value
        negative = isinstance(value, Unary) and value.op == "-"
        inner = value.a if isinstance(value, Unary) and negative else value
        if isinstance(inner, Binary) and inner.op == "*" and self.kind.is_float:
            a = self.value(inner.a, offset, u)
            new = bodies.fma(-a if negative else a, self.value(inner.b, offset, u), old)
        elif negative:
            new = old - self.value(inner, offset, u)
        else:
            new = old + self.value(value, offset, u)
        total.set(new if mask is None else self.fn.select(mask, new, old))

    def value(self, node: Value, offset: dict[str, int], u: int) -> Word:
        if isinstance(node, Constant):
            return self.fn.const(node.value, self.kind)
        if isinstance(node, Access):
            return self.load(node, offset, u)
        if isinstance(node, Select):
            a, b, yes, no = (self.value(part, offset, u) for part in (node.a, node.b, node.yes, node.no))
            return self.fn.select(_COMPARE[node.compare](a, b), yes, no)
        if isinstance(node, Unary):
            return _UNARY[node.op](self.value(node.a, offset, u))
        assert isinstance(node, Binary)
        a, b = self.value(node.a, offset, u), self.value(node.b, offset, u)
        if not self.kind.is_float and node.op in ("/", "//", "%"):
            is_zero = b == 0
            result = _WHOLE[node.op](a, self.fn.select(is_zero, self.fn.const(1, self.kind), b))
            return self.fn.select(is_zero, self.fn.const(0, self.kind), result)
        return _BINARY[node.op](a, b)

    def load(self, access: Access, offset: dict[str, int], u: int) -> Word:
        nest, fn, [place] = self.nest, self.fn, access.indices
        step = place.coefficient(nest.lane)
        moved = tuple(n for name, n in offset.items() if place.coefficient(name) != 0)
        key = (access, moved, 0 if step == 0 else u)
        known = self.loaded.get(key)
        if known is not None:
            return known
        pointer, mask = nest.pointers[access.name], self.masks.get(u)
        if step == 0:
            value = fn.splat(fn.load(pointer, self.kind.scalar, nest._position(place, offset)), LANES)
        elif step == 1:
            at = nest._position(place, offset) + u * LANES
            value = fn.load(pointer, self.kind, at) if mask is None else fn.masked_load(pointer, self.kind, mask, at)
        else:
            kind = self.kind
            name = f"llvm.masked.gather.{kind.suffix}.v{LANES}p0"
            fn.module.declare(name, f"declare {kind} @{name}(<{LANES} x ptr>, i32, <{LANES} x i1>, {kind})")
            places = _addresses(fn, pointer, kind, nest._vector(place, u, offset))
            mask = _all_lanes(fn) if mask is None else mask
            rest = fn.const(0, kind)
            value = fn.emit(
                kind, f"call {kind} @{name}({places.typed()}, i32 {kind.bytes}, {mask.typed()}, {rest.typed()})"
            )
        self.loaded[key] = value
        return value


_COMPARE: dict[str, Callable[[Word, Word], Word]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip
_UNARY: dict[str, Callable[[Word], Word]] = {
    "-": lambda a: -a, "exp": bodies.exp, "log": bodies.log, "sqrt": bodies.sqrt, "tanh": bodies.tanh,
    "abs": bodies.absolute,
}  # fmt: skip
_BINARY: dict[str, Callable[[Word, Word], Word]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": bodies.floor_divide, "%": bodies.remainder, "max": bodies.maximum, "min": bodies.minimum,
}  # fmt: skip
_WHOLE: dict[str, Callable[[Word, Word], Word]] = {
    "/": bodies.integer_trunc_divide, "//": bodies.integer_floor_divide, "%": bodies.integer_remainder,
}  # fmt: skip
