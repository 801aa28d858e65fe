"""Functions whose source stands in no file are compiled as well, where their text is still in memory."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import types

import pytest
from outcomes import hops

import anfora as ms
from anfora import Tensor
from anfora.graph.source import unfiled


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    monkeypatch.setattr(unfiled, "_kept", [])


def is_compiled(function) -> bool:
    assert function(Tensor([1.0])).tolist() == [3.0]
    return function.program.native is None and not hops(function)


def test_a_constant():
    names: dict = {"ms": ms}
    exec("@ms.jit\ndef f(x):\n    return x + 2\n\ng = ms.jit(lambda x: x + 2)\nh = lambda x: x * 3", names)
    assert is_compiled(names["f"]) and is_compiled(names["g"])
    assert is_compiled(ms.jit(names["h"]))


def test_one_line():
    names: dict = {"ms": ms}
    exec("f, g = ms.jit(lambda x: x * 3), ms.jit(lambda x: x + 2)", names)
    assert is_compiled(names["f"]) and is_compiled(names["g"])


def made(factor: int) -> types.FunctionType:
    text = f"""
        import anfora as ms

        def helper(x):
            return x * {factor}

        @ms.jit
        def f(x):
            if x.sum() > 100:
                return x
            return helper(x)
    """
    names: dict = {}
    exec(textwrap.dedent(text), names)
    return names["f"]


def test_texts_that_are_gone_when_the_function_is_called():
    """And the helper is in the text where the function was found."""
    others = [made(n) for n in (2, 4, 5)]
    assert is_compiled(made(3))
    assert [other(Tensor([1.0])).tolist() for other in others] == [[2.0], [4.0], [5.0]]
    assert all(other.program.native is None for other in others)


def test_a_class_whose_cells_are_called_in_graph_mode():
    text = "from anfora import nn\nclass Net(nn.Cell):\n    def construct(self, x):\n        return x + 2\n"
    names: dict = {"__name__": "made"}
    exec(text, names)
    net = names["Net"]()
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        report = ms.explain(net)(Tensor([1.0]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert report.result.tolist() == [3.0] and report.fallback is None


def test_another_text_is_not_taken_for_the_source():
    other = "def f(x):\n    return x * 4"
    names: dict = {}
    exec(other.replace("4", "3"), names)
    compiled = ms.jit(names["f"])
    assert compiled(Tensor([1.0])).tolist() == [3.0] and other
    assert compiled.program.native == "the source of f cannot be found"


HISTORY = [
    "x = 1",
    "def f(x): return x * 4",
    "def f(x):",
    "    y = x + 1",
    "    return y + 1",
    "@decorate",
    "@decorate",
    "def g(x):",
    "    if len(x) > 3:",
    "        return x",
    "    else:",
    "        return x * 3",
    "print(f, g)",
    "h = [",
    "    decorate(lambda x: x + 2),",
    "    decorate(lambda x: x * 3),",
    "]",
]
STATEMENTS = [(0, 1), (1, 2), (2, 5), (5, 12), (13, 17)]


def test_what_was_typed_into_the_shell(monkeypatch):
    history = types.SimpleNamespace(
        get_current_history_length=lambda: len(HISTORY), get_history_item=lambda number: HISTORY[number - 1]
    )
    monkeypatch.setitem(sys.modules, "readline", history)
    names: dict = {"decorate": lambda function: function}
    for start, end in STATEMENTS:  # a function that gives the text of a statement, and forgets it
        exec(compile("\n".join(HISTORY[start:end]) + "\n", "<stdin>", "single"), names)
    assert is_compiled(ms.jit(names["f"])) and is_compiled(ms.jit(names["g"]))
    assert all(is_compiled(ms.jit(h)) for h in names["h"])


@pytest.mark.parametrize("option", ["-c", "-Bc"])
def test_the_command_line(option):
    program = (
        "import anfora as ms\n@ms.jit\ndef f(x): return x + 2\nprint(f(ms.Tensor([1.0])).tolist(), f.program.native)\n"
        "exec('@ms.jit\\ndef g(x): return x * 3')\nprint(g(ms.Tensor([1.0])).tolist(), g.program.native)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", option, program],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    assert done.stdout == "[3.0] None\n" * 2
