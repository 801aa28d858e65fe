"""Administrative normal form: the program as nested `let`, the way papers write it.

    lambda (x, y)
        let a = x - 1 in
        let func = lambda (x, y)
            let ret = x / y in
            ret end in
        let c = func(a, y) in
        c end

A function stands in the function that all its uses go through, just before the first of them there. Functions that need
each other, or themselves, are bound together by `letrec … and …`. A name is the program's variable; what has none is `ret`
where it is returned and `%1`, `%2` … elsewhere. An inner function may use an outer name anew where it does not need the
outer one; otherwise a number is added.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from anfora.graph.ir.nodes import AnfNode, CNode, Graph, ValueNode
from anfora.graph.ir.primitives import Primitive, return_
from anfora.graph.ir.structure import Structure, graph_of
from anfora.graph.ir.values import value_text

__all__ = ["anf"]

_INDENT = "    "


def anf(root: Graph) -> str:
    """The let form of a program."""
    return _LetForm(Structure(root)).text()


class _LetForm:
    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.homes = _homes(structure)
        self.inner: dict[Graph, list[Graph]] = {graph: [] for graph in structure.graphs}
        for graph in structure.graphs[1:]:
            self.inner[self.homes[graph]].append(graph)
        self.mentions = self._mentions()
        self.names: dict[AnfNode | Graph, str] = {}

    def text(self) -> str:
        root = self.structure.root
        if root not in self.mentions[root]:
            return "\n".join(self.function("", root, "", ""))
        self.names[root] = root.name
        return "\n".join([*self.function(f"letrec {root.name} = ", root, "", " in"), f"{root.name} end"])

    def _mentions(self) -> dict[Graph, dict[Graph, None]]:
        """The functions that the text of each function mentions, those of inner functions included."""
        mentions = {graph: dict.fromkeys(self.structure.used[graph]) for graph in self.structure.graphs}
        for graph in _inside_out(self.structure.root, self.inner):
            if graph in self.homes:
                mentions[self.homes[graph]].update(mentions[graph])
        return mentions

    # -- text ---------------------------------------------------------------------------------------------------------

    def function(self, head: str, graph: Graph, indent: str, end: str) -> list[str]:
        """`lambda (…)` and the lines of its body, the first behind `head`, the last before `end`."""
        bind, numbers = self.binder(graph)
        parameters = ", ".join([bind(parameter, parameter.name or "_") for parameter in graph.parameters])
        lines = [f"{indent}{head}lambda ({parameters})"]
        inside = indent + _INDENT
        waiting = self.groups(graph)
        for call in self.structure.schedules[graph]:
            needed = self.needed(call, graph)
            for group in [group for group in waiting if needed.intersection(group)]:
                waiting.remove(group)
                lines += self.bind_group(group, bind, inside)
            if call.calls(return_):
                lines.append(f"{inside}{self.atom(call.args[0])} end{end}")
            else:
                expression = self.expression(call)
                is_result = call is graph.output
                name = bind(call, call.name or ("ret" if is_result else f"%{next(numbers)}"))
                lines.append(f"{inside}let {name} = {expression} in")
        return lines

    def binder(self, graph: Graph):
        """What gives names inside a function: different from each other and from the outer ones it needs."""
        outer = [*self.structure.free[graph], *(g for g in self.mentions[graph] if g in self.names)]
        taken = {self.names[item] for item in outer if item in self.names}

        def bind(item: AnfNode | Graph, wish: str) -> str:
            tries = itertools.chain([wish], (f"{wish}_{number}" for number in itertools.count(2)))
            name = self.names[item] = next(name for name in tries if name not in taken)
            taken.add(name)
            return name

        return bind, itertools.count(1)

    def bind_group(self, group: list[Graph], bind, indent: str) -> list[str]:
        for graph in group:
            bind(graph, graph.name)
        is_recursive = any(graph in self.mentions[other] for graph in group for other in group)
        lines: list[str] = []
        for number, graph in enumerate(group):
            word = "and" if number else "letrec" if is_recursive else "let"
            end = " in" if graph is group[-1] else ""
            lines += self.function(f"{word} {self.names[graph]} = ", graph, indent, end)
        return lines

    def groups(self, home: Graph) -> list[list[Graph]]:
        """The functions that stand in `home`, in an order in which each comes behind those it needs; those that need
        each other together."""
        inner = self.inner[home]
        reach: dict[Graph, set[Graph]] = {graph: {g for g in self.mentions[graph] if g in inner} for graph in inner}
        for middle in inner:
            for graph in inner:
                if middle in reach[graph]:
                    reach[graph] |= reach[middle]
        groups: list[list[Graph]] = []
        for graph in sorted(inner, key=lambda graph: len(reach[graph] | {graph})):
            if not any(graph in group for group in groups):
                groups.append([g for g in inner if g is graph or (g in reach[graph] and graph in reach[g])])
        return groups

    def needed(self, call: CNode, home: Graph) -> set[Graph]:
        """The functions of `home` that must be bound before a call: those it uses, and those that these need."""
        inner = self.inner[home]
        found = {graph for graph in map(graph_of, call.inputs) if graph is not None and graph in inner}
        pending = list(found)
        while pending:
            new = {g for g in self.mentions[pending.pop()] if g in inner} - found
            found |= new
            pending += new
        return found

    def expression(self, call: CNode) -> str:
        atoms = [self.atom(node) for node in call.args]
        function = call.fn.value if isinstance(call.fn, ValueNode) else None
        if isinstance(function, Primitive) and function.form and len(atoms) == function.least:
            return function.form.format(*atoms)
        return f"{self.atom(call.fn)}({', '.join(atoms)})"

    def atom(self, node: AnfNode) -> str:
        if not isinstance(node, ValueNode):
            return self.names[node]
        if isinstance(node.value, Graph):
            return self.names[node.value]
        return value_text(node.value, {}, complete=False)


def _inside_out(root: Graph, inner: dict[Graph, list[Graph]]) -> Iterator[Graph]:
    """The functions of a tree, each behind those inside it."""
    order = [root]
    for graph in order:
        order += inner[graph]
    return reversed(order)


def _homes(structure: Structure) -> dict[Graph, Graph]:
    """For each function but the root, the innermost one that all its uses go through: its dominator.

    Cooper, Harvey & Kennedy, A Simple, Fast Dominance Algorithm (2001).
    """
    order = _reverse_postorder(structure)
    rank = {graph: number for number, graph in enumerate(order)}
    users: dict[Graph, list[Graph]] = {graph: [] for graph in order}
    for graph in order:
        for used in structure.used[graph]:
            users[used].append(graph)
    home: dict[Graph, Graph] = {structure.root: structure.root}
    changed = True
    while changed:
        changed = False
        for graph in order[1:]:
            known = [user for user in users[graph] if user in home]
            best = known[0]
            for user in known[1:]:
                while user is not best:
                    if rank[user] > rank[best]:
                        user = home[user]
                    else:
                        best = home[best]
            if home.get(graph) is not best:
                home[graph] = best
                changed = True
    del home[structure.root]
    return home


def _reverse_postorder(structure: Structure) -> list[Graph]:
    order: list[Graph] = []
    seen = {structure.root}
    pending = [(structure.root, iter(structure.used[structure.root]))]
    while pending:
        graph, rest = pending[-1]
        following = next((g for g in rest if g not in seen), None)
        if following is None:
            order.append(graph)
            pending.pop()
        else:
            seen.add(following)
            pending.append((following, iter(structure.used[following])))
    return order[::-1]
