"""Instructions one by one: against plain numpy, gradients against differences, and what the tables say of corners."""

from __future__ import annotations

import numpy as np
import pytest
from plain import RULES, interpret

from anfora import Tensor, deepx, from_numpy
from anfora.deepx.forms import FORMS

RNG = np.random.default_rng(5)
POSITIVE, OTHER = RNG.uniform(0.5, 2, (2, 3)), RNG.uniform(0.5, 2, (2, 3))
SIGNED, MORE = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))
MASK, INDEX = np.array([[1, 0, 1], [0, 0, 1]], "int8"), np.array([2, 0, 0, 1])
CUBE = RNG.normal(size=(2, 3, 2))

#: A line, what is bound, and the shape of its result. Gradients are those of the tensors with a name in brackets.
LINES = [
    ("add t1(tg) t2(th)", {"t1": SIGNED, "t2": MORE}, (2, 3)),
    ("add_scalar t1(tg) -2.5", {"t1": SIGNED}, (2, 3)),
    ("sub t1(tg) t2(th)", {"t1": SIGNED, "t2": MORE}, (2, 3)),
    ("mul t1(tg) t2(th)", {"t1": SIGNED, "t2": MORE}, (2, 3)),
    ("mul t1(tg) t1(tg)", {"t1": SIGNED}, (2, 3)),
    ("mul_scalar t1(tg) 3", {"t1": SIGNED}, (2, 3)),
    ("div t1(tg) t2(th)", {"t1": SIGNED, "t2": POSITIVE}, (2, 3)),
    ("div_scalar t1(tg) -0.7", {"t1": SIGNED}, (2, 3)),
    ("mod t1(tg) t2(th)", {"t1": SIGNED, "t2": POSITIVE}, (2, 3)),
    ("mod t1(tg) t2(th)", {"t1": 5 * SIGNED, "t2": -POSITIVE}, (2, 3)),
    ("mod_scalar t1(tg) -1.3", {"t1": 5 * SIGNED}, (2, 3)),
    ("exp t1(tg)", {"t1": SIGNED}, (2, 3)),
    ("sqrt t1(tg)", {"t1": POSITIVE}, (2, 3)),
    ("log t1(tg)", {"t1": POSITIVE}, (2, 3)),
    ("sum t1(tg) [1]", {"t1": SIGNED}, (2,)),
    ("sum t1(tg) [-2]", {"t1": SIGNED}, (1, 3)),
    ("sum t1(tg) [1 -1 1]", {"t1": SIGNED}, (2, 1)),
    ("sum t1(tg) []", {"t1": SIGNED}, ()),
    ("sum t1(tg) []", {"t1": SIGNED}, (1,)),
    ("sum t1(tg) [0 1]", {"t1": SIGNED}, (1, 1)),
    ("sum t1(tg) []", {"t1": np.array(3.0)}, ()),
    ("max t1(tg) t2(th)", {"t1": SIGNED, "t2": MORE}, (2, 3)),
    ("max_scalar t1(tg) 0.1", {"t1": SIGNED}, (2, 3)),
    ("min t1(tg) t2(th)", {"t1": SIGNED, "t2": MORE}, (2, 3)),
    ("min_scalar t1(tg) 0.1", {"t1": SIGNED}, (2, 3)),
    ("copytensor t1(tg)", {"t1": SIGNED}, (2, 3)),
    ("sub_scalar t1(tg) 2.5", {"t1": SIGNED}, (2, 3)),
    ("rsub_scalar t1(tg) 2.5", {"t1": SIGNED}, (2, 3)),
    ("rdiv_scalar t1(tg) 2.5", {"t1": POSITIVE}, (2, 3)),
    ("pow t1(tg) t2(th)", {"t1": POSITIVE, "t2": MORE}, (2, 3)),
    ("pow_scalar t1(tg) 3.0", {"t1": SIGNED}, (2, 3)),
    ("pow_scalar t1(tg) -0.5", {"t1": POSITIVE}, (2, 3)),
    ("sin t1(tg)", {"t1": SIGNED}, (2, 3)),
    ("cos t1(tg)", {"t1": SIGNED}, (2, 3)),
    ("tanh t1(tg)", {"t1": SIGNED}, (2, 3)),
    ("prod t1(tg) [1]", {"t1": SIGNED}, (2,)),
    ("prod t1(tg) [0 2]", {"t1": CUBE}, (3,)),
    ("prod t1(tg) []", {"t1": np.array([2.0, 0.0, 3.0])}, ()),
    ("prod t1(tg) [1]", {"t1": np.array([[2.0, 0.0, 0.0], [1.0, 2.0, 3.0]])}, (2, 1)),
    ("reducemax t1(tg) [1]", {"t1": SIGNED}, (2,)),
    ("reducemin t1(tg) [0 2]", {"t1": CUBE}, (1, 3, 1)),
    ("matmul t1(tg) t2(th)", {"t1": SIGNED, "t2": MORE.T.copy()}, (2, 2)),
    ("matmul t1(tg) t2(th)", {"t1": CUBE, "t2": RNG.normal(size=(2, 2, 4))}, (2, 3, 4)),
    ("reshape t1(tg) [3 -1]", {"t1": SIGNED}, (3, 2)),
    ("transpose t1(tg) [2 0 -2]", {"t1": CUBE}, (2, 2, 3)),
    ("broadcastTo t1(tg) [4 2 3]", {"t1": SIGNED[:, :1].copy()}, (4, 2, 3)),
    ("broadcastTo t1(tg) [2]", {"t1": np.array(3.0)}, (2,)),
    ("concat t1(tg) t2(th) t1(tg) -1", {"t1": SIGNED, "t2": MORE[:, :2].copy()}, (2, 8)),
    ("indexselect t1(tg) t2(_) 1", {"t1": SIGNED, "t2": INDEX}, (2, 4)),
    ("indexselect t1(tg) t2(_) 0", {"t1": CUBE, "t2": np.array([[1, 0], [1, 1]])}, (2, 2, 3, 2)),
    ("repeat t1(tg) [2 3]", {"t1": SIGNED}, (4, 9)),
    ("where t1(_) t2(tg) t3(th)", {"t1": MASK, "t2": SIGNED, "t3": MORE}, (2, 3)),
    ("todtype t1(tg)", {"t1": SIGNED}, (2, 3)),
]


def both_lines(line: str, bound: dict, shape: tuple) -> tuple[str, dict, dict]:
    """The forward line and then the backward line; what is bound; by name of a gradient, the tensor."""
    op, *words = line.split(" ")
    text = " ".join([f"{op}@float64", *words])
    forward = " ".join([f"{op}@float64", *(word.partition("(")[0] for word in words)])
    grads = {word.partition("(")[2][:-1]: word.partition("(")[0] for word in words if "(" in word and "(_)" not in word}
    inputs = bound | {"ty": np.zeros(shape), "ty_grad": RNG.normal(size=shape)}
    inputs |= {grad: RNG.normal(size=bound[name].shape) for grad, name in grads.items()}
    return f"{forward}->ty\n{text}<-ty(ty_grad)\n", inputs, grads


@pytest.mark.parametrize(("line", "bound", "shape"), LINES, ids=[f"{line}->{list(shape)}" for line, _, shape in LINES])
def test_values_and_gradients(line, bound, shape):
    text, inputs, grads = both_lines(line, bound, shape)
    memory = deepx.run(text, inputs)
    expected = interpret(text, dict(inputs))
    for name in ["ty", *grads]:
        np.testing.assert_allclose(memory[name].asnumpy(), expected[name], 1e-12, 1e-12, err_msg=name)
    for grad, name in grads.items():
        slope = differences(text.splitlines()[0], inputs, name)
        np.testing.assert_allclose(memory[grad].asnumpy() - inputs[grad], slope, 1e-6, 1e-6)


def differences(line: str, inputs: dict, name: str, step: float = 1e-6) -> np.ndarray:
    """The gradient of sum(ty · ty_grad) by central differences."""
    slope = np.empty_like(inputs[name])
    for place in np.ndindex(slope.shape):
        sides = []
        for move in (step, -step):
            moved = inputs[name].copy()
            moved[place] += move
            sides.append((deepx.run(line, inputs | {name: moved})["ty"].asnumpy() * inputs["ty_grad"]).sum())
        slope[place] = (sides[0] - sides[1]) / (2 * step)
    return slope


def test_every_instruction_is_tested():
    tested = {line.split()[0] for line, *_ in LINES}
    with_backward = {name for name, form in FORMS.items() if form.gradients}
    assert with_backward - tested == {"dropout"}
    others = [
        "argset",
        "argdel",
        "newtensor",
        "deltensor",
        "constant",
        "arange",
        "uniform",
        "normal",
        "fromvec",
        "print",
        "save",
        "load",
    ]
    assert FORMS.keys() - with_backward - set(others) == {name for name, rule in RULES.items() if rule[1] is None}


#: What backward reads (specification, table of section 4): places, and whether the result is.
READS = {
    "add": "", "add_scalar": "", "sub": "", "mul": "t1 t2", "mul_scalar": "a1", "div": "t2 out", "div_scalar": "a1",
    "mod": "t1 t2", "mod_scalar": "", "exp": "out", "sqrt": "out", "log": "t1", "max": "t1 t2", "max_scalar": "t1 a1",
    "min": "t1 t2", "min_scalar": "t1 a1",
}  # fmt: skip


@pytest.mark.parametrize("name", READS)
def test_backward_reads_what_the_table_says(name):
    assert FORMS[name].reads == set(READS[name].split())


@pytest.mark.parametrize(
    "line", ["add t1(tg) t2(th)", "exp t1(tg)", "sqrt t1(tg)", "mul_scalar t1(tg) 3", "div t1(tg) t2(th)"]
)
def test_in_place_gradients_are_replaced(line):
    """With t1 as result and tg as its gradient, tg becomes g · slope, not g + g · slope."""
    bound = {"t1": POSITIVE, "t2": OTHER, "tg": RNG.normal(size=(2, 3)), "th": np.zeros((2, 3))}
    op, *words = line.split(" ")
    forward = " ".join([f"{op}@float64", *(word.partition("(")[0] for word in words)])
    text = f"{forward}->t1\n" + " ".join([f"{op}@float64", *words]) + "<-t1(tg)\n"
    memory = deepx.run(text, bound)
    expected = interpret(text, dict(bound))
    for name in ("t1", "tg", "th"):
        np.testing.assert_allclose(memory[name].asnumpy(), expected[name], 1e-12)


def grad_of(line: str, **tensors) -> np.ndarray:
    given = {name: np.array(value, np.float64) for name, value in tensors.items()}
    size = given["t1"].shape
    grads = {"tg": np.zeros(size), "ty_grad": np.ones(size)}
    return deepx.run(line, given | {"ty": np.zeros(size)} | grads)["tg"].asnumpy()


def test_ties():
    assert grad_of("max t1(tg) t2(_)<-ty(ty_grad)", t1=[1, 2, 3], t2=[2, 2, 2]).tolist() == [0, 0.5, 1]
    assert grad_of("min t1(tg) t2(_)<-ty(ty_grad)", t1=[1, 2, 3], t2=[2, 2, 2]).tolist() == [1, 0.5, 0]
    memory = deepx.run(
        "reducemax t1 [1]->ty\nreducemax t1(tg) [1]<-ty(ty_grad)",
        {
            "t1": np.array([[2.0, 5, 5], [1, 1, 1]]),
            "tg": np.zeros((2, 3)),
            "ty": np.zeros(2),
            "ty_grad": np.array([4.0, 3]),
        },
    )
    assert memory["tg"].tolist() == [[0, 2, 2], [1, 1, 1]]


def test_powers_of_nothing():
    text = "pow t1 t2->ty\npow t1(tg) t2(th)<-ty(ty_grad)"
    given = {"t1": [0.0, 0.0, 4.0], "t2": [2.0, 0.0, 0.0], "tg": np.zeros(3), "th": np.zeros(3), "ty": np.zeros(3)}
    memory = deepx.run(text, given | {"ty_grad": np.ones(3)})
    assert memory["tg"].tolist() == [0, 0, 0]
    assert memory["th"].tolist() == [0, -np.inf, np.log(4.0)]


def test_ieee():
    memory = deepx.run(
        "div t1 t2->t3\nlog t1->t4\nmod t1 t2->t5\nmax t1 t6->t7",
        {"t1": np.array([1.0, -1, 0]), "t2": np.zeros(3), "t6": np.full(3, np.nan)}
        | {f"t{i}": np.zeros(3) for i in (3, 4, 5, 7)},
    )
    np.testing.assert_array_equal(memory["t3"].asnumpy(), [np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(memory["t4"].asnumpy(), [0, np.nan, -np.inf])
    assert np.isnan(memory["t5"].asnumpy()).all()
    assert np.isnan(memory["t7"].asnumpy()).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "int32", "int16", "int8"])
def test_types(dtype):
    text = f"""\
    argset@int32 2 2->v1
    argset@int8 3->a1
    argset@int8 -7->a2
    newtensor@{dtype} v1->t1
    newtensor@{dtype} v1->t2
    arange a2 a1->t1
    mod_scalar t1 a1->t2
    mul t1 t1->t1
    max_scalar t1 10->t1
    """
    memory = deepx.run(text)
    assert memory["t1"].asnumpy().dtype == dtype
    assert memory["t1"].tolist() == [[49, 16], [10, 10]]
    assert memory["t2"].tolist() == [[2, 2], [2, 2]]


def test_integers_wrap_around():
    memory = deepx.run("mul_scalar t1 100->t1", {"t1": np.array([3, -3], "int8")})
    assert memory["t1"].tolist() == [44, -44]


def test_bools_and_masks():
    text = """\
    argset@bool 1->a1
    newtensor@bool [3]->t1
    newtensor@int8 [3]->tm
    less@float64 tx ty->t1
    greater_scalar@float64 tx 2->tm
    where@float64 t1 tx ty->tx
    newtensor@int32 [3]->ti
    todtype@int32 t1->ti
    newtensor@bool [3]->t2
    equal@bool t1 t2->t2
    """
    memory = deepx.run(text, {"tx": np.array([1.0, 2, 3]), "ty": np.array([2.0, 2, 2])})
    assert memory["t1"].tolist() == [True, False, False]
    assert memory["tm"].tolist() == [0, 0, 1]
    assert memory["tx"].tolist() == [1, 2, 2]
    assert memory["ti"].tolist() == [1, 0, 0]
    assert memory["t2"].tolist() == [False, True, True]


def test_chance():
    text = """\
    argset@int64 {}->aseed
    newtensor@float32 [1000]->tu
    newtensor@int8 [1000]->ti
    newtensor@float64 [1000]->tn
    uniform@float32 -1.0 3.0 aseed->tu
    uniform@int8 -2 2 aseed->ti
    normal@float64 5.0 0.5 aseed->tn
    """
    one, again, other = (deepx.run(text.format(seed)) for seed in (7, 7, -8))
    for name in ("tu", "ti", "tn"):
        assert one[name].tolist() == again[name].tolist() != other[name].tolist()
    u, i, n = (one[name].asnumpy() for name in ("tu", "ti", "tn"))
    assert -1 <= u.min() < -0.9 and 2.9 < u.max() < 3 and abs(u.mean() - 1) < 0.2
    assert set(i.tolist()) == {-2, -1, 0, 1}
    assert abs(n.mean() - 5) < 0.1 and abs(n.std() - 0.5) < 0.05
    free = deepx.Machine()
    free.execute("newtensor@float64 [8]->t1\nnewtensor@float64 [8]->t2\nuniform 0 1->t1\nuniform 0 1->t2")
    assert free["t1"].tolist() != free["t2"].tolist()


def test_dropout_keeps_its_mask():
    text = "dropout@float64 t1 0.25 11->t2\ndropout@float64 t1(tg) 0.25 11<-t2(th)"
    ones = np.ones(4000)
    memory = deepx.run(text, {"t1": 3 * ones, "t2": ones, "tg": 0 * ones, "th": 5 * ones})
    out, grad = memory["t2"].asnumpy(), memory["tg"].asnumpy()
    assert set(np.round(out, 12)) == {0, 4}
    np.testing.assert_allclose(grad * 3, out * 5, 1e-6)
    assert abs((out == 0).mean() - 0.25) < 0.03


def test_input_and_output(tmp_path, capsys):
    memory = deepx.run("print t1\nsave t1\nadd t1 t1->t1", {"t1": [1.5, 2.0]}, files=tmp_path, echo=True)
    assert capsys.readouterr().out == "t1: float64[2] [1.5, 2.0]\n"
    assert np.load(tmp_path / "t1.npy").tolist() == [1.5, 2.0]
    assert memory["t1"].tolist() == [3.0, 4.0]
    assert deepx.run("load t1", {"t1": np.zeros(2)}, files=tmp_path)["t1"].tolist() == [1.5, 2.0]
    for wrong, code in ((np.zeros(3), "E-SHAPE"), (np.zeros(2, "float32"), "E-DTYPE")):
        with pytest.raises(deepx.DeepxError, match=code):
            deepx.run("load t1", {"t1": wrong}, files=tmp_path)
    with pytest.raises(deepx.DeepxError, match="E-UNDEF"):
        deepx.run("load t2", {"t2": np.zeros(3)}, files=tmp_path)


def test_binding():
    array, tensor = np.arange(3.0), Tensor(np.arange(3.0))
    deepx.run("exp tx->tx\nexp ty->ty", {"tx": array, "ty": tensor})
    assert array.tolist() == tensor.tolist() == [0, 1, 2]
    memory = deepx.run("exp tx->tx\nexp ty->ty", {"tx": array, "ty": tensor}, copy=False)
    assert memory["ty"] is tensor
    np.testing.assert_allclose(array, np.exp(np.arange(3)), 1e-12)
    np.testing.assert_allclose(tensor.asnumpy(), np.exp(np.arange(3)), 1e-12)
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    with pytest.raises(deepx.DeepxError, match="read-only"):
        deepx.run("exp tx->tx", {"tx": fixed}, copy=False)
    with pytest.raises(deepx.DeepxError, match="E-OPERAND"):  # many elements in one place
        deepx.run("exp tx->tx", {"tx": Tensor([1.0]).broadcast_to((3,))}, copy=False)


@pytest.mark.parametrize("line", [
    "transpose tx [1 0]->tx", "reshape tx [2 2]->tx", "copytensor tx->ty", "add tx ty->ty", "sub tx ty->tx",
    "matmul tx ty->tx", "transpose tx [1 0]->ty",
])  # fmt: skip
def test_results_may_alias_operands(line):
    """Also where two cells see one memory: ty is tx turned."""
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    given = {"tx": array, "ty": array.T}
    expected = interpret(line.replace(" ", "@float64 ", 1), {name: value.copy() for name, value in given.items()})
    memory = deepx.run(line, {"tx": from_numpy(array), "ty": from_numpy(array.T)}, copy=False)
    result = line[-2:]
    assert memory[result].tolist() == expected[result].tolist()


def test_a_line_is_looked_at_again_when_its_cells_have_changed():
    program = deepx.parse("add_scalar@float64 tx a1->tx")
    machine = deepx.Machine({"tx": np.zeros(2)})
    machine.execute("argset@float64 1->a1")
    machine.execute(program * 2)
    machine.execute("argset@int32 10->a1")
    machine.execute(program)
    assert machine["tx"].tolist() == [12, 12]
    machine.execute("deltensor tx\nnewtensor@float64 [1 3]->tx")
    machine.execute(program)
    assert machine["tx"].tolist() == [[10, 10, 10]]
    machine.execute("argdel a1")
    with pytest.raises(deepx.DeepxError, match="E-UNDEF"):
        machine.execute(program)
