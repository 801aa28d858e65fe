"""`differentiate`: gradients against differences, which lines it writes, and what it refuses or moves."""

from __future__ import annotations

import random

import numpy as np
import pytest
from plain import interpret

from anfora import deepx

RNG = np.random.default_rng(9)
X, Y, Z = RNG.uniform(0.5, 2, 3), RNG.uniform(0.5, 2, 3), RNG.uniform(0.5, 2, 3)

NEW = "".join(f"newtensor@float64 [3]->t{name}\n" for name in "abcd") + "newtensor@float64 []->tl\n"


def values(program, inputs, **settings):
    return {name: tensor.asnumpy() for name, tensor in deepx.run(program, inputs, **settings).tensors.items()}


def agrees_with_differences(text, loss, wrt, inputs, **settings):
    """Differentiate a program; its gradients are the slopes of the sum of the loss, and its values those it had."""
    program = deepx.differentiate(text, loss, wrt, inputs, **settings)
    deepx.check(program, inputs, check_stale=True)
    assert deepx.parse(deepx.format(program)) == program
    found = values(program, inputs, check_stale=True)
    before = values(text, inputs)
    for name in before.keys() & found.keys():
        np.testing.assert_array_equal(found[name], before[name], err_msg=name)
    for name in [wrt] if isinstance(wrt, str) else wrt:
        slope = np.empty_like(inputs[name])
        for place in np.ndindex(slope.shape):
            sides = []
            for move in (1e-6, -1e-6):
                moved = inputs[name].copy()
                moved[place] += move
                sides.append(values(text, inputs | {name: moved})[loss].sum())
            slope[place] = (sides[0] - sides[1]) / 2e-6
        np.testing.assert_allclose(found[f"{name}_grad"], slope, 1e-6, 1e-7, err_msg=f"{name}\n{program}")
    return program


#: Lines after NEW that compute tl from tx, ty and tz.
PROGRAMS = {
    "a chain": "exp tx->ta\nmul ta ty->tb\nsum tb []->tl",
    "one tensor twice": "mul tx tx->ta\nmul ta ta->tb\nsum tb []->tl",
    "a fork": "sin tx->ta\ncos tx->tb\nmul ta tb->tc\nadd tc tx->td\nsum td []->tl",
    "in place where backward allows it": "mul tx ty->ta\nadd ta ty->ta\nmul_scalar ta 0.5->ta\nexp ta->ta\nsum ta []->tl",
    "a result written again": (
        "mul tx ty->ta\nadd ta tx->tb\nadd ty ty->ta\nmul_scalar ta 3->tc\nadd tc tb->td\nsum td []->tl"
    ),
    "not on the path": "exp tz->ta\nlog ta->ta\nmul tx ta->tb\nsum tb []->tl",
    "a dead end": "exp tx->ta\nmul tx ty->tb\nsum tb []->tl",
    "arguments that change": (
        "argset@float64 3->a1\nmul_scalar tx a1->ta\nargset@float64 5->a1\nmul_scalar ta a1->tb\nargdel a1\nsum tb []->tl"
    ),
    "vectors that change": (
        "argset@int32 0->v1\nargset@int32 3 1->v2\nnewtensor@float64 v2->te\nreshape tx v2->te\nnewtensor@float64 [1]->tf\n"
        "newtensor@float64 v2->tg\nmul te te->tg\nsum tg v1->tf\nargset@int32 1->v1\nargdel v2\nsum tf []->tl"
    ),
    "tensors that are removed": "exp tx->ta\nmul ta ty->tb\ndeltensor ta\nsum tb []->tl\ndeltensor tb",
    "a choice": (
        "newtensor@int8 [3]->tm\nless tx tz->tm\nmul tx tx->ta\nexp tx->tb\nwhere@float64 tm ta tb->tc\nsum tc []->tl"
    ),
    "through another type": "newtensor@float32 [3]->te\ntodtype@float64 tx->ta\nmul ta ta->tb\nsum tb []->tl",
    "no path": "exp ty->ta\nsum ta []->tl",
    "a loss that is no number": "mul tx ty->tb\nsum tb []->tl\nadd_scalar tb 1->tb",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients(name):
    agrees_with_differences(NEW + PROGRAMS[name], "tl", ["tx", "ty"], {"tx": X, "ty": Y, "tz": Z})


#: The same, but backward needs what was overwritten: refused, or moved.
OVERWRITTEN = {
    "an operand": ("exp tx->ta\nmul ta ty->tb\nconstant@float64 2->ta\nsum tb []->tl", 7, 8),
    "in its own line": ("exp tx->ta\nmul ta ty->ta\nsum ta []->tl", 7, 7),
    "a result": ("exp tx->ta\nadd ta ty->tb\nconstant@float64 2->ta\nsum tb []->tl", 6, 8),
    "twice": ("sin tx->ta\nmul ta ta->ta\nmul ta ty->ta\nlog ta->ta\nsum ta []->tl", 9, 9),
    "what is bound": ("mul tx ty->tb\nconstant@float64 2->tx\nmul tx tb->tc\nsum tc []->tl", 6, 7),
    "by another of its name": (
        "exp tx->ta\nmul ta ty->tb\ndeltensor ta\nnewtensor@float64 [1]->ta\nsum tb []->tl", 7, 9
    ),
    "zeros of a new tensor": ("add tx ta->tb\nmul tb ta->tc\nexp tc->ta\nmul ta tx->tc\nsum tc []->tl", 7, 8),
}  # fmt: skip


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_overwritten_values(name):
    text, needs, overwrites = OVERWRITTEN[name]
    inputs = {"tx": X, "ty": Y}
    with pytest.raises(deepx.DeepxError) as found:
        deepx.differentiate(NEW + text, "tl", ["tx", "ty"], inputs)
    assert found.value.code == "E-INPLACE"
    assert f"line {overwrites} overwrites" in found.value.message
    assert f"backward of line {needs} " in found.value.message
    agrees_with_differences(NEW + text, "tl", ["tx", "ty"], inputs, rename=True)


def test_the_text_of_a_small_program():
    text = """\
argset@int32 2->v1
argset@float64 3->a1
newtensor@float64 v1->ty
newtensor@float64 v1->tz
mul_scalar@float64 tx a1->ty
mul@float64 ty tc->tz
deltensor ty
"""
    program = deepx.differentiate(text, "tz", "tx", {"tx": ("float64", (2,)), "tc": ("float64", (2,))})
    assert deepx.format(program) == """\
argset@int32 2->v1
argset@float64 3.0->a1
newtensor@float64 v1->ty
newtensor@float64 v1->tz
mul_scalar@float64 tx a1->ty
mul@float64 ty tc->tz
argset@int64 2->vgrad_2
newtensor@float64 vgrad_2->tx_grad
newtensor@float64 vgrad_2->tz_grad
newtensor@float64 vgrad_2->ty_grad
argset@float64 1.0->agrad_1
constant@float64 agrad_1->tz_grad
mul@float64 ty(ty_grad) tc(_)<-tz(tz_grad)
mul_scalar@float64 tx(tx_grad) a1<-ty(ty_grad)
deltensor ty
"""  # fmt: skip


def test_names_that_are_taken():
    text = "mul tx tx_grad->tx_grad"
    program = deepx.differentiate(text, "tx_grad", "tx", {"tx": X, "tx_grad": Y}, rename=True)
    memory = deepx.run(program, {"tx": X, "tx_grad": Y})
    np.testing.assert_allclose(memory["tx_grad"].asnumpy(), X * Y)
    np.testing.assert_allclose(memory["tx_grad_1"].asnumpy(), Y)


def test_the_loss_for_itself():
    assert deepx.run(deepx.differentiate("exp tx->tx", "tx", "tx", {"tx": X}), {"tx": X})["tx_grad"].shape == (3,)


def test_lines_that_go_back_already_are_kept():
    text = NEW + "newtensor@float64 [3]->tg\nmul tx ty->ta\nmul tx(tg) ty(_)<-ta(tz)\nsum ta []->tl"
    inputs = {"tx": X, "ty": Y, "tz": Z}
    memory = deepx.run(deepx.differentiate(text, "tl", "tx", inputs), inputs)
    np.testing.assert_allclose(memory["tg"].asnumpy(), Y * Z)
    np.testing.assert_allclose(memory["tx_grad"].asnumpy(), Y)


@pytest.mark.parametrize(("loss", "wrt", "code"), [
    ("t9", "tx", "E-UNDEF"),
    ("tx", "t9", "E-UNDEF"),
    ("ti", "tx", "E-DTYPE"),
    ("tx", "ti", "E-DTYPE"),
])  # fmt: skip
def test_refusals(loss, wrt, code):
    with pytest.raises(deepx.DeepxError) as found:
        deepx.differentiate("", loss, wrt, {"tx": X, "ti": np.arange(3)})
    assert found.value.code == code


def random_lines(seed: int) -> str:
    """Lines that read and overwrite a few cells in any order, and keep values near 1."""
    chance = random.Random(seed)
    lines = []
    for _ in range(chance.randrange(2, 12)):
        op = chance.choice(["add", "mul", "sub", "sin", "tanh", "mul_scalar", "max", "div", "copytensor"])
        operands = [chance.choice(["tx", "ty", "ta", "tb", "tc", "td"]) for _ in range(2)]
        result = chance.choice(["ta", "tb", "tc", "td", "tx"])
        if op in ("sin", "tanh", "copytensor"):
            lines.append(f"{op}@float64 {operands[0]}->{result}")
        elif op == "mul_scalar":
            lines.append(f"{op}@float64 {operands[0]} 0.75->{result}")
        elif op == "div":
            lines += [f"exp@float64 {operands[1]}->td", f"div@float64 {operands[0]} td->{result}"]
        else:
            lines.append(f"{op}@float64 {' '.join(operands)}->{result}")
        lines.append(f"sin@float64 {result}->{result}")
    return NEW + "\n".join([*lines, "mul@float64 tx ta->td", "add@float64 td tb->td", "sum@float64 td []->tl"])


@pytest.mark.parametrize("group", range(4))
def test_random_lines(group):
    """Renamed where it must be, the gradient is that of the program; refused is only what renaming changes."""
    inputs = {"tx": X, "ty": Y}
    for seed in range(10 * group, 10 * group + 10):
        text = random_lines(seed)
        if near_a_tie(text, inputs):
            continue
        renamed = agrees_with_differences(text, "tl", ["tx", "ty"], inputs, rename=True)
        try:
            program = deepx.differentiate(text, "tl", ["tx", "ty"], inputs)
        except deepx.DeepxError as error:
            assert error.code == "E-INPLACE"
        else:
            assert program == renamed


def near_a_tie(text: str, inputs: dict) -> bool:
    """Whether an extreme is so close that a difference would step over it, or is one: its slope is no difference then."""
    cells = dict(inputs)
    for line in text.splitlines():
        if line.startswith("max"):
            one, two = (cells[name] for name in line.partition("->")[0].split()[1:])
            if (abs(one - two) < 1e-4).any():
                return True
        interpret(line, cells)
    return False
