"""Recorded programs as typed MindIR, and the files of `save_graphs`."""

from __future__ import annotations

import functools
import logging
import queue
import re

import numpy as np
import pytest
from graph_difference import difference

import anfora as ms
from anfora import Parameter, Tensor, ir, jit, nn, ops
from anfora.graph.ir import FuncGraph, GraphError, text
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.reading import read
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.verify import verify
from anfora.graph.tell import dumps
from anfora.graph.tell.typed import typed
from anfora.models import LeNet5

SCALE = 3.0
SHIFT = 1.0


def straight(x, rate):
    y = x * rate - 1
    return (y * y).sum() * SCALE, y


def branch(x):
    if x.sum() > 0:
        return x * 2
    return -x


def loop(x):
    count = 0
    while x.sum() < 20:
        x = x * 2
        count += 1
    return x, count


def effects(x, log):
    log.append(x.shape)
    x[0] = 5.0
    print("size", x.size, sep="=")
    return {"x": x, "log": log}


def handled(x, key):
    table = {"a": 1}
    try:
        value = int(table[key] * x.sum())
    except KeyError:
        value = -1
    return value


def shared(x):
    rows = [x, x + 1]
    both = [rows, rows]
    if x.sum() > 0:
        both[0].append(x)
    return both, len(rows)


@functools.cache
def pair_of(scale):
    return "pair", scale


def remembered(x):
    name, scale = pair_of(2.5)
    return x * scale, name


def objects(x):
    total = 0.0
    for value in x.tolist():
        total = total + value
    return total, x * total


def random(x):
    return x + ops.rand(2), ops.randn(2)


def fused(x):
    y = ops.relu(x * 2 + 1)
    z = y.reshape(2, 1).sum(0)
    return (ops.exp(y) - z) * y


def call_all(function, calls):
    compiled = jit(function)
    for make in calls:
        compiled(*make())
    return compiled.program


def tensor(*numbers):
    return lambda: (Tensor(list(numbers)),)


PROGRAMS = {
    straight: [lambda: (Tensor([1.0, 2.0]), 0.5), lambda: (Tensor([1.0, 2.0]), 0.25)],
    branch: [tensor(1.0, 2.0), tensor(-1.0, -2.0)],
    loop: [tensor(1.0, 2.0), tensor(9.0, 9.0), tensor(30.0)],
    effects: [lambda: (Tensor([1.0, 2.0]), []), lambda: (Tensor([1.0, 2.0]), [1])],
    handled: [lambda: (Tensor([1.0]), "a"), lambda: (Tensor([1.0]), "b")],
    shared: [tensor(1.0, 2.0), tensor(-1.0, -2.0)],
    objects: [tensor(1.0, 2.0), tensor(3.0, 4.0)],
    remembered: [tensor(1.0, 2.0), tensor(3.0, 4.0)],
    random: [tensor(1.0, 2.0)],
    fused: [tensor(1.0, 2.0), tensor(-3.0, 2.0)],
}


def values(result):
    """What can be compared of a result."""
    if isinstance(result, Tensor):
        return str(result.dtype), result.tolist()
    if isinstance(result, dict):
        return {key: values(value) for key, value in result.items()}
    return type(result), [values(item) for item in result] if isinstance(result, (list, tuple)) else result


@pytest.mark.parametrize("is_fused", [False, True], ids=["recorded", "lowered"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_a_recorded_program_is_a_graph(function, is_fused, capsys):
    """It is well formed, reads back, can be drawn, and means what the program means, effects included."""
    program = call_all(function, PROGRAMS[function])
    [made] = typed(program, fused=is_fused)
    verify(made.graph)
    objects: dict = {}
    exact = text.complete(made.graph, objects)
    assert difference(made.graph, read(exact, objects), complete=True) is None
    assert made.graph.dot().startswith("digraph") and str(made).startswith("# IR entry")
    for make in PROGRAMS[function]:
        arguments, others = make(), make()
        ms.set_seed(7)
        capsys.readouterr()
        expected, printed = function(*arguments), capsys.readouterr().out
        ms.set_seed(7)
        found = evaluate(made.graph, *others)
        assert values(found) == values(expected) and values(others) == values(arguments)
        assert capsys.readouterr().out == printed


def test_a_hop_carries_source_reason_and_line():
    [made] = typed(call_all(objects, PROGRAMS[objects]))
    assert re.search(
        r"  # .*test_dumps.py:\d+: for value in x.tolist\(\):\n"
        r'  %0 = interpret\("x.tolist\(\)", "the data of a tensor", \(\), object\("anfora[\w.]+.tolist"\), %para1_x\)\n',
        str(made.graph),
    )


def test_a_branch_chooses_by_the_tensor():
    [made] = typed(call_all(branch, PROGRAMS[branch]))
    shown = str(made.graph)
    assert re.search(
        r"  # .*test_dumps.py:\d+: if x.sum\(\) > 0:\n  %0 = ops.reduce_sum\(.*\n  %1 = ops.greater\(%0, 0\) -> .*\n"
        r"  %2 = partial\(@✓branch, %para1_x\)\n  %3 = partial\(@✗branch, %para1_x\)\n  %4 = switch\(%1, %2, %3\)",
        shown,
    )
    assert {graph.name for graph in Structure(made.graph).graphs} == {"branch", "✓branch", "✗branch"}


def fibonacci(n):
    if n < 1:
        return 0
    elif n == 1:
        return 1
    else:
        return fibonacci(n - 1) + fibonacci(n - 2)


def test_recursion_is_five_functions(monkeypatch):
    compiled = jit(fibonacci)
    monkeypatch.setitem(globals(), "fibonacci", compiled)
    assert [compiled(Tensor(n)) for n in (5, 12)] == [5, 144]
    [made] = typed(compiled.program)
    shown = str(made.graph)
    names = [graph.name for graph in Structure(made.graph).graphs]
    assert names == ["fibonacci", "✓fibonacci", "✗fibonacci", "✓fibonacci", "✗fibonacci"]
    assert "interpret" not in shown and shown.count("switch(%0, ") == 2 and shown.count("call @fibonacci(") == 2
    assert evaluate(made.graph, Tensor(15)) == 610


def test_the_training_step_of_lenet_can_be_read(into):
    net, loss = LeNet5(10, 1), nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params())

    @jit
    def step(x, y):
        value, gradients = gradient(x, y)
        optimizer(gradients)
        return value

    step(Tensor(np.ones((4, 1, 32, 32), np.float32)), Tensor(np.zeros(4, np.int32)))
    [file] = into.glob("01_specialise_*.ir")
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 100 and max(map(len, lines)) <= 120
    assert "_conv1.weight: <Tensor[Float32], (6, 1, 5, 5)>" in "\n".join(lines)
    exact = into / file.name.replace(".ir", ".dat")
    assert sum(f"see {exact.name}" in line for line in lines) == 1
    again = dumps.read(exact)
    verify(again)
    assert text.complete(again) == exact.read_text(encoding="utf-8")


def test_what_has_not_happened_is_said():
    [made] = typed(call_all(branch, PROGRAMS[branch][:1]))
    assert re.search(r"switch\(%\d+, %\d+, record\)", str(made.graph))
    assert evaluate(made.graph, Tensor([1.0, 2.0])).tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="has not been recorded here"):
        evaluate(made.graph, Tensor([-1.0, -2.0]))


def test_variants_are_graphs_of_their_own():
    program = call_all(branch, [tensor(1.0), tensor(1.0, 2.0)])
    [made] = typed(program)
    shown = str(made)
    assert "by_guards" in shown and "# guard: x: float32[1]" in shown and "# guard: x: float32[2]" in shown
    assert evaluate(made.graph, Tensor([3.0, 4.0])).tolist() == [6, 8]
    with pytest.raises(RuntimeError):
        evaluate(made.graph, Tensor([1.0, 2.0, 3.0]))


def test_variables_and_arguments_keep_their_names():
    [made] = typed(call_all(straight, PROGRAMS[straight]))
    [x, rate] = made.graph.parameters
    assert (x.name, rate.name) == ("x", "rate") and str(rate.abstract) == "the Python float"
    assert made.graph.guards[-1] == "SCALE == 3.0" or "SCALE" in " ".join(made.graph.guards)


def chosen(x, source):
    """Of many numbers each is soon one that varies; None is an outcome beside them."""
    found = source.get()
    return x * 2 if found is None else x * found + 1


def test_outcomes_are_told_apart_where_numbers_have_come_to_vary():
    def given(value):
        source: queue.SimpleQueue = queue.SimpleQueue()
        source.put(value)
        return Tensor([3.0]), source

    values = (None, 1, 7, 8, 9, 11, 13, 14)
    [made] = typed(call_all(chosen, [functools.partial(given, value) for value in values * 2]))
    assert '"None | a int"' in str(made.graph)
    for value in values:
        assert evaluate(made.graph, *given(value)).item() == (6 if value is None else 3 * value + 1)


def shifted(x):
    return x * SCALE + SHIFT


def test_the_variables_of_a_module_are_one_object():
    [made] = typed(call_all(shifted, [tensor(1.0)]))
    names: dict = {}
    shown = text.complete(made.graph, names)
    assert shown.count("the variables of") == 2 and sum("the variables of" in name for name in names) == 1


def test_a_loop_leads_back_to_itself():
    [made] = typed(call_all(loop, PROGRAMS[loop]))
    structure = Structure(made.graph)
    assert len(structure.graphs) < 12


def test_loops_of_several_operators_are_functions():
    [made] = typed(call_all(fused, PROGRAMS[fused]), fused=True)
    graphs = Structure(made.graph).graphs
    assert [g.name for g in graphs][1:] == ["fused_3", "fused_3"]
    assert re.search(r"# \d+ kernels and loops, \d+ bytes of arena", str(made))
    assert re.search(r"# pass fold_constants: (\d+) calls → \1\n", str(made)) and "# pass merge_same_calls: " in str(
        made
    )
    assert "# %para1_x: input" in str(made) and "new array" in str(made) and "arena 0 …" in str(made)


def test_what_is_shown_is_what_was_lowered():
    with ir.without_passes("fuse_loops"):
        compiled = jit(fused)
        report = ms.explain(compiled)(Tensor([1.0, 2.0]))
        [made] = typed(compiled.program, fused=True)
    assert report.groups == []
    assert [g.name for g in Structure(made.graph).graphs] == ["fused"] and "7 kernels and loops" in str(made)


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def into(tmp_path):
    """Texts and drawings go here."""
    with ms.context(save_graphs=3, save_graphs_path=str(tmp_path / "graphs")):
        yield tmp_path / "graphs"


def stages(folder):
    """The files by stage and ending, numbers left out."""
    return sorted(re.sub(r"_\d{4}", "", file.name) for file in folder.iterdir())


def test_every_stage_has_its_files(into):
    compiled = jit(branch)
    compiled(Tensor([1.0, 2.0]))
    assert stages(into) == [
        f"{stage}.{ending}" for stage in ("00_parse", "01_specialise", "02_lower") for ending in ("dat", "dot", "ir")
    ]
    numbers = [int(file.stem[-4:]) for file in sorted(into.glob("*.ir"))]
    assert numbers == sorted(numbers)
    before = len(stages(into))
    compiled(Tensor([1.0, 2.0]))  # nothing new is compiled
    assert len(stages(into)) == before
    compiled(Tensor([1.0, 2.0, 3.0]))
    assert len(stages(into)) == 2 * before


def test_files_read_back_to_equal_graphs(into):
    program = call_all(loop, PROGRAMS[loop][:1])
    [made] = typed(program)
    objects: dict = {}
    text.complete(made.graph, objects)
    [file] = into.glob("01_specialise_*.dat")
    assert difference(made.graph, dumps.read(file, objects), complete=True) is None
    for file in into.glob("00_parse_*.dat"):
        assert isinstance(dumps.read(file), FuncGraph)
    assert all(file.read_text(encoding="utf-8").startswith("digraph") for file in into.glob("*.dot"))


def test_what_has_no_graph_form_is_an_interpret_node(into):
    call_all(handled, PROGRAMS[handled][:1])
    [file] = into.glob("00_parse_*.ir")
    text = file.read_text(encoding="utf-8")
    assert 'interpret("try: value = int(table[key] * x.sum()) except KeyError' in text
    assert '"`try` has no graph form"' in text
    assert len(list(into.glob("00_parse_*.dat"))) == 1


def test_cells_and_gradients_write_files_too(into):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name="w")

        def construct(self, x):
            return (self.w * x).sum()

    net = Net()
    with ms.context(mode=ms.GRAPH_MODE):
        net(Tensor([1.0]))
        ms.grad(net, None, net.trainable_params())(Tensor([1.0]))
    texts = [file.read_text(encoding="utf-8") for file in sorted(into.glob("01_specialise_*.ir"))]
    assert len(texts) == 2 and "# IR entry: @Net" in texts[0] and "self.w" in texts[0]


@pytest.mark.parametrize("wanted", [0, False])
def test_nothing_is_written_unasked(wanted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ms.context(save_graphs=wanted, save_graphs_path=str(tmp_path)):
        jit(branch)(Tensor([1.0]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("wanted", [1, 2, True])
def test_drawings_come_at_level_3(wanted, tmp_path):
    with ms.context(save_graphs=wanted, save_graphs_path=str(tmp_path)):
        jit(branch)(Tensor([1.0]))
    assert list(tmp_path.glob("*.dat")) and not list(tmp_path.glob("*.dot"))


def test_the_environment_asks_for_files(tmp_path, monkeypatch):
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "1")
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(tmp_path / "there"))
    jit(branch)(Tensor([1.0]))
    assert list((tmp_path / "there").glob("01_specialise_*.ir"))


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.ERROR, "anfora"), ms.context(save_graphs=1, save_graphs_path=str(tmp_path / "file")):
        assert jit(branch)(Tensor([1.0])).item() == 2
    assert "save_graphs" in caplog.text


def test_files_are_written_when_the_program_raises(into):
    def failing(x):
        if x.sum() > 0:
            raise ValueError("positive")
        return x

    with pytest.raises(ValueError, match="positive"):
        jit(failing)(Tensor([1.0]))
    [file] = into.glob("01_specialise_*.ir")
    shown = file.read_text(encoding="utf-8")
    assert re.search(r"switch\(%1, %2, record\)[\s\S]*subgraph @✓failing.*\n  %0 = record", shown)


def test_a_damaged_file_says_where(tmp_path):
    (tmp_path / "bad.dat").write_text("subgraph @f(%para1_x) {\n  %0 = nonsense(%para1_x)\n")
    with pytest.raises(GraphError, match="line"):
        dumps.read(tmp_path / "bad.dat")


def test_guards_are_a_part_of_the_graph(tmp_path):
    """A graph of a program has them in words; its text shows one line, and what reads back has them all. A file that is
    exported has none: there is no program any more that could change."""
    scale = 2.0
    graph = ms.ir.lower(lambda x: x * scale, Tensor([1.0])).graph
    assert any("float32[1]" in guard for guard in graph.guards) and "x is not on the tape" in graph.guards
    assert re.findall("  # .*guards.*", str(graph)) == [f"  # {len(graph.guards)} guards: see `guards` of the graph"]
    again = ms.ir.read(ms.ir.complete(graph, names := {}), names)
    assert again.guards == graph.guards and difference(again, graph, complete=True) is None
    again.guards.pop()
    assert "other guards" in difference(again, graph, complete=True) and difference(again, graph) is None
    assert ms.ir.FuncGraph("f").guards == []
    ms.export(nn.Dense(2, 1), Tensor([[1.0, 2.0]]), file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert ms.load(str(tmp_path / "net.mindir")).guards == []
