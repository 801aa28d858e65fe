"""What a user reads: the line, a caret under the argument at fault, what was expected, what came, where in the network."""

from __future__ import annotations

import linecache
import pickle
import re
import sys
import textwrap

import numpy as np
import pytest

import anfora
from anfora import Tensor, nn, ops

WORLD = """
x, y, four = ops.ones((2, 3)), ops.ones((4, 5)), ops.ones(4)
labels, zeros, far = Tensor([1, 2]), Tensor([1, 0]), Tensor([0, 9])
"""

DIVIDE = "divide floating-point tensors for inf and NaN, or use where() to put another divisor in."

# A call with its caret below, the message, and the help.
CALLS = [
    (
        """
        x + four
            ^^^^
        """,
        "OpValueError: add: the shapes input [2, 3] and other [4] cannot be broadcast: 3 != 4",
    ),
    (
        """
        ops.add(x, four)
                   ^^^^
        """,
        "OpValueError: add: the shapes input [2, 3] and other [4] cannot be broadcast: 3 != 4",
    ),
    (
        """
        x.add(four)
              ^^^^
        """,
        "OpValueError: add: the shapes input [2, 3] and other [4] cannot be broadcast: 3 != 4",
    ),
    (
        """
        ops.Add()(x, four)
                     ^^^^
        """,
        "OpValueError: add: the shapes input [2, 3] and other [4] cannot be broadcast: 3 != 4",
    ),
    (
        """
        ops.add(other=four, input=x)
                      ^^^^
        """,
        "OpValueError: add: the shapes input [2, 3] and other [4] cannot be broadcast: 3 != 4",
    ),
    (
        """
        x @ y
            ^
        """,
        "OpValueError: matmul: the shapes [2, 3] and [4, 5] do not fit: axis -1 of `input` has length 3, "
        "but axis -2 of `other` has length 4",
    ),
    (
        """
        ops.MatMul()(x, y)
                        ^
        """,
        "OpValueError: matmul: the shapes [2, 3] and [4, 5] do not fit: axis -1 of `input` has length 3, "
        "but axis -2 of `other` has length 4",
    ),
    (
        """
        x.matmul(y)
                 ^
        """,
        "OpValueError: matmul: the shapes [2, 3] and [4, 5] do not fit: axis -1 of `input` has length 3, "
        "but axis -2 of `other` has length 4",
    ),
    (
        """
        labels.log_softmax(0)
        ^^^^^^
        """,
        "OpTypeError: log_softmax needs a floating-point tensor for `logits`, but got int64[2]\n"
        "  help: convert it first, e.g. x.astype(float32).",
    ),
    (
        """
        ops.mean(x, 5)
                    ^
        """,
        "OpValueError: mean: `axis` must be in [-2, 1] for a tensor of 2 axes, but got 5",
    ),
    (
        """
        ops.ReduceMean()(x, 5)
                            ^
        """,
        "OpValueError: mean: `axis` must be in [-2, 1] for a tensor of 2 axes, but got 5",
    ),
    (
        """
        x.mean(axis=5)
                    ^
        """,
        "OpValueError: mean: `axis` must be in [-2, 1] for a tensor of 2 axes, but got 5",
    ),
    (
        """
        ops.softmax(x, axs=1)
                           ^
        """,
        "OpTypeError: softmax has no argument `axs`; it takes input, axis, dtype\n  help: did you mean `axis`?",
    ),
    (
        """
        x.sum(axs=1)
        ^^^^^^^^^^^^
        """,
        "OpTypeError: sum has no argument `axs`; it takes axis and keepdims, or dim and keepdim",
    ),
    (
        """
        ops.matmul(x)
        ^^^^^^^^^^^^^
        """,
        "OpTypeError: matmul needs the argument `other`\n"
        "  help: its form is matmul(input, other, transpose_a=False, transpose_b=False).",
    ),
    (
        """
        ops.exp(x, 1)
        ^^^^^^^^^^^^^
        """,
        "OpTypeError: exp takes 1 argument, but got 2",
    ),
    (
        """
        ops.add(x, None)
                   ^^^^
        """,
        "OpTypeError: add needs a tensor for `other`, but got None",
    ),
    (
        """
        ops.reshape(x, (4, 2))
                       ^^^^^^
        """,
        "OpValueError: reshape: float32[2, 3] has 6 elements, but (4, 2) has 8",
    ),
    (
        """
        ops.concat((x, y))
                   ^^^^^^
        """,
        "OpValueError: concat along axis 0: tensor 1 has shape [4, 5], the first [2, 3]",
    ),
    (
        """
        ops.where(x > 0, four, x)
                         ^^^^
        """,
        "OpValueError: where: the shapes condition [2, 3] and input [4] and other [2, 3] cannot be broadcast: 3 != 4",
    ),
    (
        """
        x[7]
        ^^^^
        """,
        "OpIndexError: index 7 is out of bounds for axis 0 with length 2",
    ),
    (
        """
        y[far]
        ^^^^^^
        """,
        "OpIndexError: index 9 is out of bounds for axis 0 with length 4, at [1] of the indices",
    ),
    (
        """
        ops.gather(y, far, 0)
        ^^^^^^^^^^^^^^^^^^^^^
        """,
        "OpIndexError: index 9 is out of bounds for axis 0 with length 4, at [1] of the indices",
    ),
    (
        """
        labels // zeros
                  ^^^^^
        """,
        f"OpZeroDivisionError: floor_div: an integer is divided by zero, at [1]\n  help: {DIVIDE}",
    ),
    (
        """
        ops.FloorDiv()(labels, zeros)
                               ^^^^^
        """,
        f"OpZeroDivisionError: floor_div: an integer is divided by zero, at [1]\n  help: {DIVIDE}",
    ),
    (
        """
        labels % 0
                 ^
        """,
        f"OpZeroDivisionError: remainder: an integer is divided by zero, at [0]\n  help: {DIVIDE}",
    ),
    (
        """
        ops.cross_entropy(x, far)
                             ^^^
        """,
        "OpIndexError: cross_entropy: the label 9 of row 1 is not one of the 3 classes\n"
        "  help: labels count from 0; `ignore_index` marks those to leave out.",
    ),
    (
        """
        bool(x)
        ^^^^^^^
        """,
        "OpValueError: Only one element tensors can be converted to Python scalars: bool() of a tensor needs one "
        "element, but got float32[2, 3]\n  help: reduce it first, e.g. x.sum(), x.any() or x.all().",
    ),
    (
        """
        Tensor([[1], [1, 2]])
        ^^^^^^^^^^^^^^^^^^^^^
        """,
        "OpValueError: a tensor is made of nested lists of equal lengths, but got list [[1], [1, 2]]",
    ),
    (
        """
        nn.Dense(0, 3)
        ^^^^^^^^^^^^^^
        """,
        "OpValueError: Dense needs an int > 0 for `in_channels`, but got 0",
    ),
]


HAS_COLUMNS = sys.version_info >= (3, 11)  # Python 3.10 knows the line of a call, and no more


def _run(source: str, file: str) -> None:
    """Run a program that has lines to show."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), {"ops": ops, "nn": nn, "Tensor": Tensor, "np": np, "anfora": anfora})


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[call.strip().split("\n")[0] for call, _ in CALLS])
@pytest.mark.parametrize("times", [1, 3])
def test_a_message_is_complete(number, times):
    """Also when the call comes again, by way of what is kept of the first."""
    call, expected = CALLS[number]
    line, caret = textwrap.dedent(call).strip("\n").rstrip().split("\n")
    file = f"program_{number}.py"
    source = f"{WORLD}\ndef f():\n    result = {line}\n    return result\n"
    source += f"for _ in range({times - 1}):\n    try: f()\n    except Exception: pass\nf()\n"
    with pytest.raises(anfora.core.errors.AnforaError) as caught:
        _run(source, file)
    message, *help = expected.split("\n")
    wanted = [message, f"  {file}:6, in f", f"      result = {line}"]
    if HAS_COLUMNS:
        wanted.append("      " + " " * len("result = ") + caret)
    wanted += help
    found = f"{caught.type.__name__}: {caught.value}".split("\n")
    found[1] = re.sub(r"^  .*(program_\d+\.py)", r"  \1", found[1])
    assert found == wanted
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value) and type(copy) is caught.type


NETWORK = """
class Head(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3)

    def construct(self, x):
        return self.fc(x)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(5, 5), nn.ReLU())
        self.head = Head()
        self.table = nn.Embedding(5, 3)

    def construct(self, x):
        if x.dtype == anfora.int64:
            return self.table(x)
        return self.head(self.body(x))

net = Net()
"""


@pytest.mark.parametrize(
    "call, where, caret, path",
    [
        ("net(ops.ones((2, 5)))", 8, "self.fc(x)", "Net.head.fc: Dense(input_channels=4, output_channels=3,"),
        ("net(ops.ones((2, 7)))", 20, "self.body(x)", "Net.body.0: Dense(input_channels=5, output_channels=5,"),
        ("net(Tensor([2, 9]))", 19, "self.table(x)", "Net.table: Embedding("),
        ("nn.Dense(4, 3)(ops.ones((2, 5)))", 24, "nn.Dense(4, 3)(ops.ones((2, 5)))", "Dense got (2, 5)"),
    ],
)  # fmt: skip
def test_the_place_in_the_network(call, where, caret, path):
    with pytest.raises((ValueError, IndexError)) as caught:
        _run(f"{NETWORK}\n{call}\n", "network.py")
    text = str(caught.value).split("\n")
    assert re.search(rf"network\.py:{where}\b", text[1])
    if HAS_COLUMNS:
        start = text[3].index("^")
        assert text[2][start : start + text[3].count("^")] == caret
    assert text[3 + HAS_COLUMNS].startswith(f"  in {path}")


LINES = """
class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.apply = nn.Dense(4, 2), nn.SequentialCell(nn.ReLU())

    @property
    def broken(self):
        return self.other

    def construct(self, x, act):
        return act(self, x)

class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x, act):
        y = x * 2
        return self.inner(y, act)

def f(cell, x):
    return {line}

Outer()(ops.ones((3, 4)), f)
"""


@pytest.mark.parametrize("mode", [anfora.GRAPH_MODE, anfora.PYNATIVE_MODE])
@pytest.mark.parametrize(
    "line, caret, message, help",
    [
        ("cell.dens(x)", "cell.dens", "'Inner' object has no attribute 'dens'", "did you mean dense?"),
        ("cell.dense.wieght", "cell.dense.wieght", "'Dense' object has no attribute 'wieght'", "did you mean weight?"),
        ("cell.parameters()", "cell.parameters", "'Inner' object has no attribute 'parameters'",
         "what PyTorch calls parameters is get_parameters() or trainable_params() here."),
        ("cell.other", "cell.other", "'Inner' object has no attribute 'other'", None),
        ("cell.broken", "cell.broken", "'Inner' object has no attribute 'broken'",
         "broken is there, but reading it raised an AttributeError."),
        ("x.item()", "x.item()", "item() needs a tensor of one element, but got float32[3, 4]",
         "give the index of an element, or use tolist()."),
        ("nn.Dense(4, 2, bias=False)(x)", "False", "Dense has no argument `bias`; it takes ",
         "what PyTorch calls bias is has_bias here."),
        ("nn.Embedding(5, 3)(x)", "nn.Embedding(5, 3)(x)", "gather needs integers as indices, but got float32[3, 4]",
         "convert them first, e.g. index.astype(int64)."),
    ],
)  # fmt: skip
def test_the_place_is_the_innermost_line_of_the_program(line, caret, message, help, mode):
    before = anfora.get_context("mode")
    anfora.set_context(mode=mode)
    try:
        with pytest.raises(anfora.core.errors.AnforaError) as caught:
            _run(LINES.format(line=line), "lines.py")
    finally:
        anfora.set_context(mode=before)
    text = str(caught.value).split("\n")
    assert text[0].startswith(message) and text[1].endswith(".py:24, in f") and text[2] == f"      return {line}"
    if HAS_COLUMNS:
        start = text[3].index("^")
        assert text[2][start : start + text[3].count("^")] == caret
    assert text[-1] == f"  help: {help}" if help else text[-1].startswith("  in Outer.inner")


def test_an_error_on_the_way_back_names_both_lines():
    program = """
x = Tensor([[1.0, 2.0], [2.0, 4.0]]).requires_grad_()
y = ops.logdet(x)
y.backward()
"""
    with pytest.raises(ValueError) as caught:
        _run(program, "back.py")
    text = str(caught.value).split("\n")
    assert re.search(r"back\.py:4$", text[1]) and text[2] == "      y.backward()"
    assert re.match(r"  in the gradient of .*, recorded at .*back\.py:3: y = ops\.logdet\(x\)", text[-1])


def test_another_process_gets_the_help():
    with pytest.raises(AttributeError) as caught:
        nn.Dense(2, 2).wieght  # noqa: B018
    assert str(pickle.loads(pickle.dumps(caught.value))).endswith("  help: did you mean weight?")
