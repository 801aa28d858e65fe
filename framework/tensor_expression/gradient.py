"""The gradient of a kernel, as a kernel: walk each nest backwards, give each access its contribution.

For `O[l] += T` over a domain D and the gradient dO of the target, an access `X[e(v)]` in T with the partial derivative p
contributes `dX[e(v)] += dO[l] · p` over the same D, guards included. How the contributions become nests is the choice
between two lowerings:

*scatter*  loop over D and add to `dX[e(v)]`: right for every index expression; only loops whose variable is a plain
           coordinate of dX are independent of each other.
*gather*   loop over the elements of dX, and over the points of D that reach each (`solve.py`): independent elements.

Nests are walked from the last to the first. A tensor is assigned by one nest (or set to 0 and added to by several that
follow each other), so when the walk reaches it, all its contributions are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anfora.tensor_expression.affine import Affine
from anfora.tensor_expression.ir import (
    Access,
    Binary,
    Constant,
    Index,
    Kernel,
    LoopNest,
    Move,
    Renamed,
    Select,
    Term,
    Unary,
    Value,
    Variable,
    gather_nest,
    reads,
    scatter_nest,
    target_of,
    terms_of,
)  # fmt: skip
from anfora.tensor_expression.lower import Names
from anfora.tensor_expression.solve import to_gather

__all__ = ["LOWERINGS", "differentiate"]

LOWERINGS = ("auto", "gather", "scatter")


def differentiate(kernel: Kernel, to: tuple[str, ...], lowering: str = "auto", name: str | None = None) -> Kernel:
    """The kernel that computes the gradients to some inputs.

    Args:
        kernel: of floating-point type.
        to: names of inputs, in the order of the results.
        lowering: `gather`; `scatter`; or `auto`: gather, but scatter for tensors whose contributions cannot be solved.
        name: of the new kernel; None for the old one's with `_grad` behind it.
    Returns:
        a kernel from the inputs whose values the gradient reads, then the gradients of the results, to the gradients.
    """
    return _Gradient(kernel, to, lowering).kernel(name or f"{kernel.name}_grad")


class _Gradient:
    def __init__(self, kernel: Kernel, to: tuple[str, ...], lowering: str) -> None:
        self.forward, self.to, self.lowering = kernel, to, lowering
        self.names = Names(kernel.names())
        self.own = {loop.name for nest in kernel.body for term in terms_of(nest) for loop in term.loops}
        self.local = self.names.fresh("grad")
        self.matters = self._active()
        self.contributions: dict[str, list[Term]] = {}
        self.gradients: dict[str, str] = {}  #: of a tensor, the name of its gradient
        self.temps: list[Variable] = []
        self.body: list[LoopNest] = []

    def _active(self) -> set[str]:
        """The tensors that depend on what is differentiated to."""
        active = set(self.to)
        for nest in self.forward.body:
            if any(access.name in active for access in reads(nest)):
                active.add(target_of(nest).name)
        return active

    def kernel(self, name: str) -> Kernel:
        forward = self.forward
        cotangents = {v.name: replace(v, name=self.names.fresh(f"d{v.given}"), role="cotangent", given=f"d{v.given}")
                      for v in forward.outputs}  # fmt: skip
        done: set[str] = set()
        for nest in reversed(forward.body):
            target = target_of(nest).name
            if target not in self.matters:
                continue
            if target not in done:
                done.add(target)
                self._finish(forward.variables[target], cotangents.get(target))
            if target in self.gradients:
                for term in terms_of(nest):
                    self._contribute(term)
        results = []
        for source in self.to:
            variable = forward.variables[source]
            given = f"d{variable.given}" + ("_init" if variable.role == "init" else "")
            result = replace(variable, name=self.names.fresh(given), role="out", given=given)
            self._emit(result, self.contributions.get(source, []))
            results.append(result)
        needed, temps = self._values()
        body = (*needed, *self.body)
        read = {access.name for access in reads(body)}
        values = tuple(replace(v, role="in") for v in forward.inputs if v.name in read)
        given_gradients = tuple(cotangents.values())
        return Kernel(name, forward.dtype, (*values, *given_gradients, *results),
                      (*temps, *self.temps), body)  # fmt: skip

    def _finish(self, variable: Variable, cotangent: Variable | None) -> None:
        """All contributions to a computed tensor are known: compute its gradient, unless it has none."""
        own = self.contributions.get(variable.name, [])
        if cotangent is not None and not own:
            self.gradients[variable.name] = cotangent.name
            return
        if not own:
            return
        total = Variable(self.names.fresh(f"d{variable.name}"), variable.shape, "temp", f"d{variable.name}")
        if cotangent is not None:  # a result that later statements read
            own = [*own, self._passed_on(cotangent)]
        self.temps.append(total)
        self.gradients[variable.name] = total.name
        self._emit(total, own)

    def _passed_on(self, cotangent: Variable) -> Term:
        loops = tuple(Index(self.names.fresh(f"e{axis}"), n, "spatial") for axis, n in enumerate(cotangent.shape))
        access = Access(cotangent.name, tuple(Affine.variable(loop.name) for loop in loops))
        return Term(access, access, loops)

    def _values(self) -> tuple[list[LoopNest], list[Variable]]:
        """The forward nests whose values the gradient reads, and what they compute, now temporary."""
        wanted = {access.name for access in reads(tuple(self.body))}
        nests = []
        for nest in reversed(self.forward.body):
            if target_of(nest).name in wanted:
                nests.append(nest)
                wanted |= {access.name for access in reads(nest)}
        computed = {target_of(nest).name for nest in nests}
        return nests[::-1], [replace(v, role="temp") for v in self.forward.variables.values() if v.name in computed]

    # -- contributions ---------------------------------------------------------------------------------------------

    def _contribute(self, term: Term) -> None:
        incoming = Access(self.gradients[term.target.name], term.target.indices)
        for access, gradient in self._walk(term.value, incoming):
            self.contributions.setdefault(access.name, []).append(
                Term(access, gradient, term.loops, term.guards)
            )  # fmt: skip

    def _walk(self, node: Value, g: Value) -> Iterator[tuple[Access, Value]]:
        """The accesses below a node that matter, with the gradients that reach them."""
        if isinstance(node, Access):
            if node.name in self.matters:
                yield node, g
        elif isinstance(node, (Unary, Binary, Select)) and any(a.name in self.matters for a in reads(node)):
            for part, gradient in _partials(node, g):
                yield from self._walk(part, gradient)

    # -- nests -----------------------------------------------------------------------------------------------------

    def _heads(self, variable: Variable) -> tuple[Index, ...]:
        names = Names(self.names.taken)
        return tuple(Index(names.fresh(f"h{axis}"), n, "spatial") for axis, n in enumerate(variable.shape))

    def _emit(self, result: Variable, terms: list[Term]) -> None:
        """The nests that compute a gradient from its contributions, with the author's names for its coordinates."""
        heads = self._heads(result)
        start = len(self.body)
        self._emit_over(heads, result, terms)
        for number in range(start, len(self.body)):
            self.body[number] = self._with_own_names(self.body[number], heads, terms)

    def _with_own_names(self, nest: LoopNest, heads: tuple[Index, ...], terms: list[Term]) -> LoopNest:
        """A coordinate that some access has as a plain index bears its name, where nothing else in the nest does."""
        taken = Kernel("", "", (), (), (nest,)).names()
        names: dict[str, str] = {}
        for axis, head in enumerate(heads):
            plain = (term.target.indices[axis].plain for term in terms)
            own = next((name for name in plain if name in self.own and name not in taken), None)
            if own is not None:
                names[head.name] = own
                taken.add(own)
        return Renamed(names).mutate(nest)

    def _emit_over(self, heads: tuple[Index, ...], result: Variable, terms: list[Term]) -> None:
        taken = Names({*self.names.taken, *(head.name for head in heads)})
        target = Access(result.name, tuple(Affine.variable(head.name) for head in heads))
        if self.lowering != "scatter":
            solved = [to_gather(term, heads, result.name, taken.fresh) for term in terms]
            if self.lowering == "gather" or all(exact for _, exact in solved):
                kept = [term for term, _ in solved if term is not None]
                self.body.append(gather_nest(target, heads, kept, self.local))
                return
        self.body.append(LoopNest(heads, (Move(target, Constant(0), "="),)))
        for term in terms:
            self.body.append(scatter_nest(_ordered(replace(term, target=Access(result.name, term.target.indices)))))


def _ordered(term: Term) -> Term:
    """Loops whose variable is a plain coordinate of the target come first and are independent."""
    plain = {index.plain for index in term.target.indices}
    independent = [replace(loop, kind="spatial") for loop in term.loops if loop.name in plain]
    others = [replace(loop, kind="reduce") for loop in term.loops if loop.name not in plain]
    return replace(term, loops=(*independent, *others))


# -- partial derivatives -----------------------------------------------------------------------------------------------


def _partials(node: Unary | Binary | Select, g: Value) -> list[tuple[Value, Value]]:
    """For each operand of a node the gradient that reaches it; left out where it is 0."""
    if isinstance(node, Select):
        zero = Constant(0.0)
        return [
            (node.yes, Select(node.compare, node.a, node.b, g, zero)),
            (node.no, Select(node.compare, node.a, node.b, zero, g)),
        ]
    a = node.a
    if isinstance(node, Unary):
        if node.op == "-":
            return [(a, _negative(g))]
        if node.op == "exp":
            return [(a, _times(g, node))]
        if node.op == "log":
            return [(a, Binary("/", g, a))]
        if node.op == "sqrt":
            return [(a, Binary("/", g, Binary("*", Constant(2.0), node)))]
        if node.op == "tanh":
            return [(a, _times(g, Binary("-", Constant(1.0), Binary("*", node, node))))]
        zero = Constant(0.0)  # abs
        return [(a, Select(">", a, zero, g, Select("<", a, zero, _negative(g), zero)))]
    b = node.b
    if node.op == "+":
        return [(a, g), (b, g)]
    if node.op == "-":
        return [(a, g), (b, _negative(g))]
    if node.op == "*":
        return [(a, _times(g, b)), (b, _times(g, a))]
    if node.op == "/":
        quotient = Binary("/", _times(g, a), Binary("*", b, b))
        return [(a, Binary("/", g, b)), (b, _negative(quotient))]
    if node.op == "//":
        return []
    if node.op == "%":
        return [(a, g), (b, _negative(_times(g, Binary("//", a, b))))]
    compare = ">" if node.op == "max" else "<"  # a tie gives half to each
    half = Select("==", a, b, _times(g, Constant(0.5)), Constant(0.0))
    other = "<" if compare == ">" else ">"
    return [(a, Select(compare, a, b, g, half)), (b, Select(other, a, b, g, half))]


def _times(a: Value, b: Value) -> Value:
    if b == Constant(1.0):
        return a
    return b if a == Constant(1.0) else Binary("*", a, b)


def _negative(value: Value) -> Value:
    return value.a if isinstance(value, Unary) and value.op == "-" else Unary("-", value)
