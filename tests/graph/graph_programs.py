"""Programs built by hand, and random ones beside the Python source that they mean."""

from __future__ import annotations

from hypothesis import strategies as st

from anfora.graph.ir import PRIMITIVES, FuncGraph

P = PRIMITIVES


def test_f() -> FuncGraph:
    """def func(x, y): return x / y
    def test_f(x, y):
        a = x - 1
        b = a + y
        c = b * func(a, b)
        return c
    """
    func = FuncGraph("func")
    func.output = func.apply(P["truediv"], func.parameter("x"), func.parameter("y"))
    graph = FuncGraph("test_f")
    x, y = graph.parameter("x"), graph.parameter("y")
    a = graph.apply(P["sub"], x, 1, name="a")
    b = graph.apply(P["add"], a, y, name="b")
    graph.output = graph.apply(P["mul"], b, graph.apply(func, a, b), name="c")
    return graph


def hof() -> FuncGraph:
    """def hof(x):
    def f(x): return x + 3
    def g(function, x): return function(x) * function(x)
    res = g(f, x)
    return res
    """
    f = FuncGraph("f")
    f.output = f.apply(P["add"], f.parameter("x"), 3)
    g = FuncGraph("g")
    function, x = g.parameter("function"), g.parameter("x")
    g.output = g.apply(P["mul"], g.apply(function, x), g.apply(function, x))
    graph = FuncGraph("hof")
    graph.output = graph.apply(g, f, graph.parameter("x"), name="res")
    return graph


def fibonacci() -> FuncGraph:
    """def fibonacci(n):
    if n < 1: return 0
    elif n == 1: return 1
    else: return fibonacci(n-1) + fibonacci(n-2)
    """
    graph = FuncGraph("fibonacci")
    n = graph.parameter("n")
    below, above, one, more = (FuncGraph(name) for name in ("✓fibonacci", "✗fibonacci", "✓✗fibonacci", "✗✗fibonacci"))
    below.output = 0
    one.output = 1
    last = more.apply(graph, more.apply(P["sub"], n, 1))
    more.output = more.apply(P["add"], last, more.apply(graph, more.apply(P["sub"], n, 2)))
    chosen = above.apply(P["switch"], above.apply(P["eq"], n, 1), one, more)
    above.output = above.apply(chosen)
    graph.output = graph.apply(graph.apply(P["switch"], graph.apply(P["lt"], n, 1), below, above))
    return graph


def func_outer() -> FuncGraph:
    """def func_outer(a, b):
    def func_inner(c): return a + b + c
    return func_inner
    """
    graph = FuncGraph("func_outer")
    a, b = graph.parameter("a"), graph.parameter("b")
    inner = FuncGraph("func_inner")
    inner.output = inner.apply(P["add"], inner.apply(P["add"], a, b), inner.parameter("c"))
    graph.output = inner
    return graph


def ms_closure() -> FuncGraph:
    """def ms_closure():
    closure = func_outer(1, 2)
    out1 = closure(1); out2 = closure(2)
    return out1, out2
    """
    graph = FuncGraph("ms_closure")
    closure = graph.apply(func_outer(), 1, 2, name="closure")
    outs = [graph.apply(closure, number, name=f"out{number}") for number in (1, 2)]
    graph.output = graph.apply(P["make_tuple"], *outs)
    return graph


def loop() -> FuncGraph:
    """def total(n):
    s, i = 0, 0
    while i < n:
        s, i = s + i, i + 1
    return s

    A loop as blocks: the header takes the variables that change, and body and exit are closures in it.
    """
    graph = FuncGraph("total")
    n = graph.parameter("n")
    header, body, after = FuncGraph("↵total"), FuncGraph("↻total"), FuncGraph("↓total")
    s, i = header.parameter("s"), header.parameter("i")
    body.output = body.apply(header, body.apply(P["add"], s, i), body.apply(P["add"], i, 1))
    after.output = s
    header.output = header.apply(header.apply(P["switch"], header.apply(P["lt"], i, n), body, after))
    graph.output = graph.apply(header, 0, 0)
    return graph


def even_and_odd() -> FuncGraph:
    """def parity(n): even and odd call each other, and both are closures of the outer function's k."""
    graph = FuncGraph("parity")
    n, k = graph.parameter("n"), graph.parameter("k")
    even, odd = FuncGraph("even"), FuncGraph("odd")
    for this, other, answer in ((even, odd, True), (odd, even, False)):
        m = this.parameter("m")
        stop, go = FuncGraph("stop"), FuncGraph("go")
        stop.output = answer
        go.output = go.apply(other, go.apply(P["sub"], m, k))
        this.output = this.apply(this.apply(P["switch"], this.apply(P["eq"], m, 0), stop, go))
    graph.output = graph.apply(P["make_tuple"], graph.apply(even, n), graph.apply(odd, n))
    return graph


ALL = (test_f, hof, fibonacci, func_outer, ms_closure, loop, even_and_odd)

#: Primitives on integers that are defined everywhere and keep numbers short, and how Python writes them.
_SIGNS = {"add": "+", "sub": "-", "bitxor": "^", "bitand": "&", "lt": "<", "eq": "==", "ne": "!="}


class _Random:
    """A random program and its source: a node and the Python variable that stands for it are made together."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.count = 0
        self.left = 25  # calls still to be made

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def function(self, depth: int, outside: list, functions: list) -> FuncGraph:
        """A function of one or two numbers that may use the numbers and functions around it."""
        graph = FuncGraph(self.fresh("f"))
        names = [self.fresh("p") for _ in range(self.draw(st.integers(1, 2)))]
        parameters = [(graph.parameter(name), name) for name in names]
        self.lines.append(f"{'    ' * depth}def {graph.name}({', '.join(names)}):")
        self.body(graph, depth + 1, [*outside, *parameters], list(functions))
        return graph

    def body(self, graph: FuncGraph, depth: int, numbers: list, functions: list) -> None:
        """Statements, then a result that uses the last of them."""
        indent = "    " * depth
        made: list = []
        for _ in range(self.draw(st.integers(1, 4))):
            kinds = ["binary", "binary", "neg", "pair"] + (["call", "partial", "choice"] if functions else [])
            kind = self.draw(st.sampled_from([*kinds, "def"] if depth < 3 and self.left > 0 else kinds))
            self.left -= 1
            one, two = self.draw(st.sampled_from(numbers)), self.draw(st.sampled_from(numbers))
            if kind == "def":
                functions.append(self.function(depth, numbers, functions))
                continue
            name = self.fresh("v")
            if kind == "binary":
                sign = self.draw(st.sampled_from(sorted(_SIGNS)))
                constant = self.draw(st.none() | st.integers(-9, 9))
                right = two if constant is None else (constant, f"({constant})")
                node = graph.apply(P[sign], one[0], right[0], name=name)
                text = f"{one[1]} {_SIGNS[sign]} {right[1]}"
            elif kind == "neg":
                node, text = graph.apply(P["neg"], one[0], name=name), f"-{one[1]}"
            elif kind == "pair":
                which = self.draw(st.integers(0, 1))
                pair = graph.apply(P["make_tuple"], one[0], two[0])
                node, text = graph.apply(P["getitem"], pair, which, name=name), f"({one[1]}, {two[1]})[{which}]"
            else:
                function = self.draw(st.sampled_from(functions))
                given = [self.draw(st.sampled_from(numbers)) for _ in function.parameters]
                values, texts = [g[0] for g in given], ", ".join(g[1] for g in given)
                if kind == "call":
                    node = graph.apply(function, *values, name=name)
                    text = f"{function.name}({texts})"
                elif kind == "partial":
                    bound = graph.apply(P["partial"], function, values[0])
                    node, text = graph.apply(bound, *values[1:], name=name), f"{function.name}({texts})"
                else:
                    other = self.draw(st.sampled_from([f for f in functions if len(f.parameters) == len(values)]))
                    chosen = graph.apply(P["switch"], one[0], function, other)
                    node = graph.apply(chosen, *values, name=name)
                    text = f"({function.name} if {one[1]} else {other.name})({texts})"
            self.lines.append(f"{indent}{name} = {text}")
            numbers.append((node, name))
            made.append((node, name))
        if not made:
            made = numbers[-1:]
        graph.output = graph.apply(P["make_tuple"], *(node for node, _ in made)) if depth == 1 else made[-1][0]
        result = f"({', '.join(name for _, name in made)},)" if depth == 1 else made[-1][1]
        self.lines.append(f"{indent}return {result}")


@st.composite
def random_programs(draw) -> tuple[FuncGraph, str]:
    """A closed graph, and the source of a Python function of the same name that means the same."""
    maker = _Random(draw)
    graph = maker.function(0, [], [])
    return graph, "\n".join(maker.lines)
