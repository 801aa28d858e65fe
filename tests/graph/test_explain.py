"""What graph mode tells about programs: reports, recompilations, refusals, comparisons with Python."""

from __future__ import annotations

import linecache
import logging
import re
import statistics
import types

import numpy as np
import pytest
from outcomes import bits

import anfora as ms
from anfora import JitConfig, Parameter, Tensor, explain, jit, nn, ops
from anfora.graph.tell.watched import FallbackError

RATE = 3


def line_of(function, text: str) -> int:
    """The number of the line of a function that holds a text."""
    lines = linecache.getlines(function.__code__.co_filename)
    return next(n for n in range(function.__code__.co_firstlineno, len(lines)) if text in lines[n - 1])


def branching(x, rate):
    y = x * rate + 1
    if y.sum() > 0:
        print("above", y.shape)
        return ops.relu(y) * 2 * RATE
    return -y


@pytest.fixture
def told(caplog):
    """What is logged, from INFO on."""
    caplog.set_level(logging.INFO, "anfora")
    return lambda: [record.getMessage() for record in caplog.records]


# -- explain ----------------------------------------------------------------------------------------------------------


def test_a_report_tells_what_was_left_to_the_interpreter_and_why(capsys):
    report = explain(jit(branching))(Tensor([1.0, 2.0]), 0.5)
    assert report.result.tolist() == [9.0, 12.0] and capsys.readouterr().out == "above (2,)\n"  # once, with its effects
    [branch], [hop] = report.branches, report.hops
    assert (branch.text, branch.span.line, dict(branch.outcomes)) == (
        "y.sum() > 0", line_of(branching, "if y.sum"), {"True": 1},
    )  # fmt: skip
    assert (hop.text, hop.span.line, dict(hop.outcomes)) == (
        'print("above", y.shape)', line_of(branching, "print("), {"None": 1},
    )  # fmt: skip
    assert "print" in hop.reason and branch.is_branch and not hop.is_branch
    assert report.pieces == report.recorded == 3 and report.fallback is None and report.recompiles == []


def test_a_report_tells_numbers_guards_rows_and_loops():
    compiled = jit(branching)
    compiled(Tensor([1.0, 2.0]), 0.5)
    report = explain(compiled)(Tensor([3.0, 4.0]), 0.25)
    assert report.varying == ["rate"] and report.baked == [f"RATE = {RATE}"]
    assert "x: float32[2]" in report.guards and "type(rate) is float" in report.guards
    rows = {place.rpartition(":")[2]: dict(names) for place, names in report.operators.items()}
    assert rows[str(line_of(branching, "y = x * rate"))] == {"mul": 1, "add": 1}
    assert rows[str(line_of(branching, "ops.relu"))] == {"relu": 1, "mul": 2}
    assert sorted(report.groups) == [2, 3] and report.arena > 0 and report.taped == 0
    assert report.recorded == 0 and 0 < report.seconds < 20


def fibonacci(n):
    if n < 1:
        return 0
    elif n == 1:
        return 1
    return fibonacci(n - 1) + fibonacci(n - 2)


def test_the_parts_of_a_call_take_no_longer_than_the_call(monkeypatch):
    compiled = jit(fibonacci)
    monkeypatch.setitem(globals(), "fibonacci", compiled)
    for _ in range(3):
        compiled(Tensor(10))
    for _ in range(3):
        report = explain(compiled)(Tensor(10))
        assert report.pieces > 100 and 0 < report.native + report.python + report.lowering <= report.seconds


def test_a_report_reads_well():
    text = str(explain(jit(branching))(Tensor([1.0, 2.0]), 0.5))
    assert text.startswith("branching: 3 pieces, 3 compiled in this call\n")
    assert re.search(r"left to the interpreter \(1\):\n.*print", text) and re.search(
        r"of a tensor \(1\):\n.*: True", text
    )
    for part in ("numbers that vary (1):\n    rate", "fused: 5 operators in 2 loops"):
        assert part in text


@pytest.mark.parametrize(
    "first, second, change",
    [
        ((Tensor([1.0]), 2), (Tensor([1.0, 2.0]), 2), "x: float32[1] -> float32[2]"),
        ((Tensor([1.0]), 2), (Tensor([1.0]), 2.5), "type(n): int -> float"),
        ((Tensor([1.0]), "a"), (Tensor([1.0]), "b"), "n: 'a' -> 'b'"),
        (([Tensor([1.0])], 1), ([Tensor([1.0])] * 2, 1), "len(x): 1 -> 2"),
        (({"a": 1}, 1), ({"b": 1}, 1), "the keys of x: 'a' -> 'b'"),
    ],
)
def test_a_recompilation_says_what_changed(first, second, change):
    @jit
    def program(x, n):
        if isinstance(x, list):
            return [item * 2 for item in x]
        if isinstance(x, dict):
            return sorted(x)
        return (x, n) if isinstance(n, str) else x.reshape((-1,) * (1 if n else 0)) * n

    program(*first)
    assert explain(program)(*second).recompiles == [change]


def test_attributes_globals_and_closures_are_named(monkeypatch):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = 2

        def construct(self, x):
            return x * self.scale * RATE

    net, x = Net(), Tensor([1.0])
    explain(net)(x)
    net.scale = 4
    assert explain(net)(x).recompiles == ["self.scale: 2 -> 4"]
    monkeypatch.setitem(globals(), "RATE", 5)
    assert explain(net)(x).recompiles == [f"RATE: {3} -> 5"]

    def outer():
        power = 2

        def inner(x):
            return x**power

        def change():
            nonlocal power
            power = 3

        return jit(inner), change

    inner, change = outer()
    inner(x)
    change()
    [what] = explain(inner)(x).recompiles
    assert what.endswith(": 2 -> 3")


def test_a_new_outcome_is_told():
    compiled = jit(branching)
    compiled(Tensor([1.0, 2.0]), 0.5)
    [what] = explain(compiled)(Tensor([-9.0, -9.0]), 0.5).recompiles
    assert what.endswith("y.sum() > 0 gives False, for the first time")
    assert explain(compiled)(Tensor([-9.0, -9.0]), 0.5).recompiles == []


def test_native_loops_are_told():
    @jit
    def grow(x):
        while x.sum() < 1000:
            x = x * 1.5
        return x

    for _ in range(2):
        grow(Tensor([1.0, 2.0]))
    report = explain(grow)(Tensor([1.0, 2.0]))
    assert report.result.tolist() == grow.__wrapped__(Tensor([1.0, 2.0])).tolist()
    assert [place.rpartition(":")[2] for place in report.loops] == [str(report.branches[0].span.line)]


def test_functions_of_every_kind_are_explained():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name="w")

        @jit
        def construct(self, x):
            return self.w * x

        @jit
        def twice(self, x):
            return 2 * self.construct(x)

    net, x = Net(), Tensor([3.0])
    assert explain(net)(x).result.item() == 6 and explain(net.twice)(x).result.item() == 12
    assert explain(lambda x: x + 1)(x).result.item() == 4 and explain(net)(x).name == "Net"
    gradient = ms.grad(net, None, net.trainable_params())
    assert explain(gradient)(x).result[0].item() == 3
    with pytest.raises(ms.core.errors.OpTypeError, match="explain needs a function"):
        explain(3)


def test_what_python_runs_as_a_whole_is_told():
    scope: dict = {}
    exec("async def later(x):\n    return x", scope)  # no source, and not in the language of the machine
    report = explain(jit(scope["later"]))(Tensor([1.0]))
    report.result.close()
    assert report.fallback and "run by Python as it is" in str(report) and "not compiled" in str(report)


def test_an_error_of_the_program_is_raised():
    def failing(x):
        raise KeyError("missing")

    with pytest.raises(KeyError, match="missing"):
        explain(jit(failing))(Tensor([1.0]))


def test_rows_that_are_run_one_by_one_for_the_tape_are_told():
    def written(x):
        y = x * x
        y[0] = x[1]
        return y.sum()

    x = Parameter(Tensor([1.0, 2.0]), name="x")
    report = explain(jit(written))(x)
    assert report.taped == 5 and report.groups == []
    assert explain(jit(lambda x: (x * x).sum()))(x).taped == 0


# -- the log ----------------------------------------------------------------------------------------------------------


def test_recompilations_are_logged(told):
    compiled = jit(branching)
    compiled(Tensor([1.0, 2.0]), 0.5)
    assert told() == []
    compiled(Tensor([1.0, 2.0, 3.0]), 0.5)
    assert told()[0] == "branching is compiled anew: x: float32[2] -> float32[3]"
    compiled(Tensor([-9.0, 2.0]), 0.5)
    assert "branching goes on in a new way" in told()[-1] and "y.sum() > 0 gives False" in told()[-1]


def test_the_environment_asks_for_them(caplog, monkeypatch):
    caplog.set_level(logging.WARNING, "anfora")
    monkeypatch.setenv("ANFORA_LOG", "recompiles")
    monkeypatch.setenv("MS_JIT_DISPLAY_PROGRESS", "1")
    compiled = jit(lambda x: x + 1)
    compiled(Tensor([1.0]))
    compiled(Tensor([1.0, 2.0]))
    levels = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert levels[1] == ("WARNING", "<lambda> is compiled anew: x: float32[1] -> float32[2]")
    assert "was compiled while it ran" in levels[0][1] and len(levels) == 3


# -- fullgraph --------------------------------------------------------------------------------------------------------


def looks_then_prints(x, log):
    if x.sum() > 0:  # a branch, compiled as such
        x = x * min(x)
    if max(x) > 1.5:
        x = x * 2
    log.append(1)
    print(x)
    return x


@pytest.mark.parametrize("mark", [jit(fullgraph=True), jit(jit_config=JitConfig(fullgraph=True))])
def test_fullgraph_lists_what_needs_the_interpreter(mark, capsys):
    strict = mark(looks_then_prints)
    log: list[int] = []
    for _ in range(2):  # nothing is kept of a refused run
        with pytest.raises(FallbackError) as caught:
            strict(Tensor([1.0, 2.0]), log)
        text = str(caught.value)
        assert "3 things need the interpreter" in text and text.count("the data of a tensor") == 2
        assert f":{line_of(looks_then_prints, 'max(x) > 1.5')}, in looks_then_prints" in text
        assert "print(x)" in text and "a change of a list" not in text  # that is done behind the native operators
    assert log == [] and capsys.readouterr().out == ""  # refused before anything was done


def test_fullgraph_takes_what_is_compiled_whole():
    strict = jit(lambda x, n: sum([x * k for k in range(n)]), fullgraph=True)
    assert [strict(Tensor([1.0]), n).item() for n in (3, 4, 3)] == [3, 6, 3]


def test_a_second_report_on_a_strict_function_has_nothing_left_to_compile():
    strict = jit(looks_then_prints, fullgraph=True)
    assert [explain(strict)(Tensor([1.0]), []).recorded > 0 for _ in range(2)] == [True, False]


def test_fullgraph_takes_numbers_from_tensors():
    @jit(fullgraph=True)
    def scaled(x, log):
        log.append(float(x.sum()))
        return x * x.max().item() + int(x.argmin()) if bool(x[0] > 0) else x

    @jit(fullgraph=True)
    def refused(x):
        return x * int(x.sum())

    log: list[float] = []
    for values in ([1.0, 2.0], [3.0, -2.0], [-1.0, 5.0]):
        array = np.array(values, np.float32)
        want = array * array.max() + array.argmin() if values[0] > 0 else array
        assert (scaled(Tensor(values), log).asnumpy() == want).all()
    assert log == [3.0, 1.0, 4.0]
    report = explain(scaled)(Tensor([1.0, 2.0]), log)
    assert not report.hops and len(report.reads) == 3 and len(report.branches) == 1
    assert "numbers taken from tensors (3)" in str(report) and "float(x.sum()): 3.0" in str(report)
    assert [refused(Tensor([value])).item() for value in (2.0, 3.0)] == [4, 9]
    with pytest.raises(ValueError, match="NaN"):  # an error of the program, not of the compiler
        refused(Tensor([np.nan]))


def test_fullgraph_takes_operators_whose_shapes_depend_on_data():
    @jit(fullgraph=True)
    def parts(x, n):
        kept = x[x > 0]
        return kept * 2, ops.nonzero(x), x.unique(), x.reshape(n, -1), sum([kept.sum() for _ in range(n)]), x.tolist()

    for values, n in (([1.0, -2.0, 3.0, 3.0], 2), ([-1.0, 0.0, 5.0, 6.0], 4), ([1.0, 2.0, 3.0, 4.0], 1)):
        array = np.array(values, np.float32)
        kept, places, *others, items = parts(Tensor(values), Tensor(n))
        assert (kept.asnumpy() == array[array > 0] * 2).all() and (places.asnumpy() == np.argwhere(array)).all()
        unique, shaped, total = others
        assert sorted(unique[0].tolist()) == np.unique(array).tolist() and shaped.shape == (n, 4 // n)
        assert total.item() == array[array > 0].sum() * n and items == values
    report = explain(parts)(Tensor(values), Tensor(n))
    assert not report.hops and [hop.text for hop in report.shapes] == [
        "x[x > 0]", "ops.nonzero(x)", "x.unique()", "x.reshape(n, -1)",
    ]  # fmt: skip
    assert [hop.text for hop in report.reads] == ["range(n)", "x.tolist()"]
    assert "operators whose shapes depend on data (4)" in str(report)


def test_operators_that_are_objects_are_among_them():
    """They have no `__name__`, which was an AttributeError."""
    unique = ops.Unique()
    strict = jit(lambda x: unique(x)[0], fullgraph=True)
    for values in ([1.0, 1.0, 2.0], [3.0, 4.0, 5.0]):
        assert strict(Tensor(values)).shape == (len(set(values)),)


def test_texts_of_tensors_are_not_among_them():
    compiled = jit(lambda x: (str(x), repr(x), f"{x}", max(x)))
    assert {hop.reason for hop in explain(compiled)(Tensor([1.0, 2.0])).hops} == {"the data of a tensor"}
    assert len(explain(compiled)(Tensor([1.0, 2.0])).hops) == 4


def test_fullgraph_takes_branches_and_loops_on_data():
    @jit(fullgraph=True)
    def collatz(n):
        steps = Tensor(0)
        while n != 1:
            n = n // 2 if n % 2 == 0 else n * 3 + 1
            steps = steps + 1
        return steps

    assert [collatz(Tensor(n)).item() for n in (6, 27, 1, 6)] == [8, 111, 0, 8]


def test_no_handler_of_the_program_hides_a_refusal():
    @jit(fullgraph=True)
    def careful(x):
        try:
            print(x)
        except Exception:
            return None
        return x

    with pytest.raises(RuntimeError, match="print"):
        careful(Tensor([1.0]))


def test_fullgraph_refuses_what_python_must_run_as_it_is():
    scope: dict = {}
    exec("async def later(x):\n    return x", scope)
    with pytest.raises(FallbackError, match="one thing needs"):
        jit(scope["later"], fullgraph=True)(Tensor([1.0]))


class Doubled(nn.Cell):
    def construct(self, x):
        return x * 2


def uses_the_library(x):
    """Things of this library that the interpreter helps with, all legal in MindSpore's strict syntax."""
    while x.sum() < 5:
        x = Doubled()(x)
    print("sum")
    return ms.vmap(lambda row: row + 1)(x).tolist(), float(x.sum())


def calls_others(x):
    return x + statistics.fmean([1.0, 2.0])


def changes_outside(x, log):
    log.append(1)
    return x


STRICT = [jit(jit_syntax_level="STRICT"), jit(jit_config=JitConfig(jit_syntax_level="STRICT"))]


@pytest.mark.parametrize("mark", STRICT)
def test_strict_syntax_takes_what_the_library_does(mark, capsys):
    strict = mark(uses_the_library)
    for _ in range(3):
        assert strict(Tensor([1.0, 2.0])) == uses_the_library(Tensor([1.0, 2.0]))
    assert capsys.readouterr().out == "sum\n" * 6


class LooksUp(types.ModuleType):
    """A module that looks its names up when they are asked for."""

    def __getattr__(self, name):
        return getattr(ops, name)


LAZY = LooksUp("lazy")
ASKED = types.ModuleType("asked")
ASKED.__getattr__ = lambda name: getattr(ops, name)


@pytest.mark.parametrize("mark", STRICT)
@pytest.mark.parametrize("module", [LAZY, ASKED], ids=lambda module: module.__name__)
def test_strict_syntax_takes_names_that_a_module_looks_up(mark, module):
    strict = mark(lambda x: module.exp(x) + module.grad(module.sin)(x))
    for k in range(3):
        assert bits(strict(Tensor([k, 2.0]))) == bits(ops.exp(Tensor([k, 2.0])) + ops.cos(Tensor([k, 2.0])))


@pytest.mark.parametrize("mark", STRICT)
def test_strict_syntax_refuses_what_is_foreign(mark):
    for _ in range(2):
        with pytest.raises(FallbackError, match="fmean") as caught:
            mark(calls_others)(Tensor([1.0]))
        assert f":{line_of(calls_others, 'fmean')}, in calls_others" in str(caught.value)
    log: list[int] = []
    with pytest.raises(FallbackError, match="a change of a list from outside"):
        mark(changes_outside)(Tensor([1.0]), log)
    assert log == []


def test_strict_syntax_takes_an_optimizer():
    net = nn.Dense(2, 1, weight_init=Tensor([[0.1, 0.2]]), bias_init=Tensor([0.0]))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.1))
    with ms.context(mode=ms.GRAPH_MODE, jit_syntax_level="STRICT"):
        losses = [step(Tensor([[1.0, 2.0]]), Tensor([[3.0]])).item() for _ in range(5)]
    assert losses == sorted(losses, reverse=True)


def test_the_setting_makes_all_programs_strict(monkeypatch):
    with ms.context(jit_syntax_level="STRICT"), pytest.raises(FallbackError, match="one thing needs"):
        jit(calls_others)(Tensor([1.0]))
    assert jit(calls_others)(Tensor([1.0])).item() == 2.5
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "0")
    with pytest.raises(FallbackError):
        jit(calls_others)(Tensor([1.0]))


def test_a_place_is_told_once():
    @jit(fullgraph=True)
    def loop(x):
        while max(x) < 5:
            x = x * 2
        return x

    with pytest.raises(FallbackError, match="one thing needs"):
        loop(Tensor([1.0, 0.5]))


def test_a_strict_cell():
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2 if max(x) > 0 else x

    marked = jit(Net(), fullgraph=True)
    with pytest.raises(FallbackError, match="data of a tensor"):
        marked(Tensor([1.0, 0.5]))
    net = Net().set_jit_config(JitConfig(fullgraph=True))
    assert net(Tensor([1.0, 0.5]))[0].item() == 2  # PyNative mode compiles nothing
    assert jit(Net(), check=True)(Tensor([1.0, 0.5]))[0].item() == 2
    with ms.context(mode=ms.GRAPH_MODE), pytest.raises(FallbackError, match="Net must be compiled as a whole"):
        net(Tensor([1.0, 0.5]))


def test_explain_of_a_strict_function_does_not_refuse():
    strict = jit(looks_then_prints, fullgraph=True)
    report = explain(strict)(Tensor([1.0, 2.0]), [])
    assert [hop.text for hop in report.hops][-1] == "print(x)"
    with pytest.raises(FallbackError):
        strict(Tensor([1.0, 2.0]), [])
