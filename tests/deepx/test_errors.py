"""Every error: its code, its line, the column of the caret, and which step finds it."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from anfora import deepx
from anfora.deepx import suggestions
from anfora.deepx.errors import CODES
from anfora.deepx.forms import FORMS

#: Cells that the lines below work on: tensors t f i (ints) s (another shape), gradients, arguments and vectors.
CELLS = """\
argset@int32 2 3->v1
argset@int32 3->v2
argset@int32 5->v5
argset@int32->v0
argset@float32 0.5 1->vf
argset@float32 2->a1
argset@int32 2->a2
argset@int32 0->a0
argset@int32 300->a3
newtensor@float32 v1->t1
newtensor@float32 v1->t2
newtensor@float32 v1->t3
newtensor@float32 v2->ts
newtensor@float64 v1->td
newtensor@int32 v1->ti
newtensor@int32 v1->tj
newtensor@int8 v1->tm
newtensor@float32 v1->t1_grad
newtensor@float32 v1->t2_grad
newtensor@float32 v1->t3_grad
"""

PARSE = [
    ("add@float32 t1 t2>t3>t1", "E-SYNTAX", 21, "unexpected '>'"),
    ("add@float32 t1 t2<t3", "E-SYNTAX", 18, "did you mean <-"),
    ("add@float32 t1 t2=>t3", "E-SYNTAX", 18, "did you mean ->"),
    ("add@float32 t1 t2 t3", "E-SYNTAX", 21, "arrow is missing"),
    ("add@float32 t1 t2 t3  // a comment", "E-SYNTAX", 21, "arrow is missing"),
    ("nothing t1", "E-SYNTAX", 11, "arrow is missing"),
    ("add@float32 t1 t2->t3->t1", "E-SYNTAX", 22, "unexpected '->'"),
    ("add@float32 t1 t2;->t3", "E-SYNTAX", 18, "unexpected ';'"),
    ("exp@float32 té->t1", "E-SYNTAX", 14, "unexpected 'é'"),
    ("exp@float32 t1(t1_grad<-t1(t1_grad)", "E-SYNTAX", 23, "unexpected '<-'"),
    ("exp@float32 t1(t1_grad)<-t1(t1_grad", "E-SYNTAX", 28, "never closed"),
    ("exp@float32 t1()<-t1(t1_grad)", "E-SYNTAX", 16, "name of a gradient"),
    ("sum@float32 t1 [0 1->ts", "E-SYNTAX", 20, "a number or ]"),
    ("sum@float32 t1 [0 1", "E-SYNTAX", 16, "never closed"),
    ("add@float32 t1(t1_grad) t2->t3", "E-SYNTAX", 13, "gradient name on a line with ->"),
    ("add@float32 t1 t2->t3(t3_grad)", "E-SYNTAX", 20, "gradient name on a line with ->"),
    ("add@", "E-SYNTAX", 5, "an element type"),
    ("1->a1", "E-SYNTAX", 1, "name of an instruction"),
    ("->a1", "E-SYNTAX", 1, "name of an instruction"),
    ("t.x a->b", "E-SYNTAX", 1, "cannot name an instruction"),
    ("argset@int32 1-2->v1", "E-SYNTAX", 15, "blank is missing"),
    ("argset@int32 1x->v1", "E-SYNTAX", 15, "blank is missing"),
    ("ad@float32 t1 t2->t3", "E-OP", 1, "did you mean add"),
    ("maxscalar@float32 t1 a1->t3", "E-OP", 1, "did you mean max_scalar"),
    ("relu@float32 t1->t3", "E-OP", 1, "did you mean max_scalar: max_scalar t1 0->t2"),
    ("Relu@float32 t1->t3", "E-OP", 1, "did you mean max_scalar: max_scalar t1 0->t2"),
    ("rellu@float32 t1->t3", "E-OP", 1, "did you mean max_scalar: max_scalar t1 0->t2"),
    ("mean@float32 t1 v1->t3", "E-OP", 1, "did you mean sum, div_scalar"),
    ("maximum@float32 t1 t2->t3", "E-OP", 1, "did you mean max: max t1 t2->t3"),
    ("  broadcastto@float32 t1 v1->t3", "E-OP", 3, "did you mean broadcastTo"),
    ("add@float32 t1->t3", "E-ARITY", 1, "2 operands are needed, but there are 1"),
    ("add@float32 t1 t2 t3->t3", "E-ARITY", 19, "there are 3"),
    ("add@float32 t1 t2->", "E-ARITY", 1, "1 result"),
    ("add@float32 t1 t2->t3 t1", "E-ARITY", 23, "1 result"),
    ("uniform@float32 a1->t1", "E-ARITY", 1, "2 to 3 operands"),
    ("concat@float32 a1->t1", "E-ARITY", 1, "at least 2"),
    ("deltensor t1->t2", "E-ARITY", 15, "no result"),
    ("argdel", "E-ARITY", 1, "1 operands"),
    ("argset@int32 1 2->a1", "E-ARITY", 19, "takes 1 literal, not 2"),
    ("argset@int32->a1", "E-ARITY", 15, "not 0"),
    ("add@float32 t1 a1->t3", "E-NAME", 16, "starts with t"),
    ("add_scalar@float32 t1 t2->t3", "E-NAME", 23, "starts with a"),
    ("add@float32 t1 x2->t3", "E-NAME", 16, "'x2'"),
    ("add@float32 t1 _->t3", "E-NAME", 16, "'_'"),
    ("newtensor@float32 t1->t3", "E-NAME", 19, "starts with v"),
    ("newtensor@float32 v1->x3", "E-NAME", 23, "starts with t"),
    ("argset@float32 1->t3", "E-NAME", 19, "a or v"),
    ("deltensor a1", "E-NAME", 11, "starts with t"),
    ("argdel t1", "E-NAME", 8, "a or v"),
    ("exp@float32 t1(x)<-t2(t2_grad)", "E-NAME", 13, "a gradient is a tensor"),
    ("add@float32 t1 2->t3", "E-OPERAND", 16, "a tensor is needed, not a literal"),
    ("add@float32 t1 [2]->t3", "E-OPERAND", 16, "not a list"),
    ("add@float32 t1 t2->3", "E-OPERAND", 20, "not a literal"),
    ("sum@float32 t1 2->t3", "E-OPERAND", 16, "a vector is needed, not a literal"),
    ("add_scalar@float32 t1 [2]->t3", "E-OPERAND", 23, "an argument is needed, not a list"),
    ("argset@int32 a1->v1", "E-OPERAND", 14, "a literal is needed"),
    ("argset@int32 [1 2]->v1", "E-OPERAND", 14, "a literal is needed, not a vector"),
    ("add@float16x t1 t2->t3", "E-DTYPE", 1, "no element type 'float16x'"),
    ("argset 1->a1", "E-DTYPE", 1, "an element type is needed"),
    ("newtensor v1->t9", "E-DTYPE", 1, "an element type is needed"),
    ("argset@int32 1.5->a1", "E-LITERAL", 14, "is a float"),
    ("argset@int32 1.->a1", "E-LITERAL", 14, "is a float"),
    ("argset@int32 1e3->a1", "E-LITERAL", 14, "is a float"),
    ("argset@int8 1 300->v1", "E-LITERAL", 15, "-128 to 127"),
    ("argset@int64 9223372036854775808->a1", "E-LITERAL", 14, "does not fit"),
    ("argset@float32 1e39->a1", "E-LITERAL", 16, "does not fit into float32"),
    ("argset@float64 1e400->a1", "E-LITERAL", 16, "does not fit into float64"),
    (f"argset@int64 {'9' * 5000}->a1", "E-LITERAL", 14, ""),
    ("constant@float32 a1<-t1(t1_grad)", "E-NOGRAD", 1, "no backward"),
    ("argset@float32 1<-a1", "E-NOGRAD", 1, "no backward"),
    ("deltensor t1<-", "E-NOGRAD", 1, "no backward"),
    ("equal@float32 t1(_) t2(_)<-tm(t1_grad)", "E-NOGRAD", 1, "no backward"),
    ("add@float32 t1 t2(t2_grad)<-t3(t3_grad)", "E-GRADNAME", 13, "the gradient of t1 has no name"),
    ("add@float32 t1(t1_grad) t2(t2_grad)<-t3", "E-GRADNAME", 38, "result t3"),
    ("add@float32 t1(t1_grad) t2(t2_grad)<-t3(_)", "E-GRADNAME", 38, "result t3"),
    ("mul_scalar@float32 t1(t1_grad) a1(t2_grad)<-t3(t3_grad)", "E-GRADNAME", 32, "no tensor"),
    ("where@float32 tm(t1_grad) t1(_) t2(_)<-t3(t3_grad)", "E-GRADNAME", 15, "only choose"),
    ("mul@float32 t1(t1_grad) t2(t2_grad)<-t1(t1_grad)", "E-INPLACE", 13, "backward reads t1"),
    ("div@float32 t1(t1_grad) t2(t2_grad)<-t2(t2_grad)", "E-INPLACE", 25, "backward reads t2"),
    ("log@float32 t1(t1_grad)<-t1(t1_grad)", "E-INPLACE", 13, "backward reads t1"),
]

CHECK = [
    ("add@float32 t1 t9->t3", "E-UNDEF", 16, "t9 does not exist"),
    ("add@float32 t1 t2->t9", "E-UNDEF", 20, "newtensor makes it"),
    ("add_scalar@float32 t1 a9->t2", "E-UNDEF", 23, "argset makes it"),
    ("sum@float32 t1 v9->t2", "E-UNDEF", 16, "v9"),
    ("argdel a9", "E-UNDEF", 8, "a9"),
    ("deltensor t9", "E-UNDEF", 11, "t9"),
    ("deltensor t1\nexp@float32 t1->t2", "E-UNDEF", 13, "t1"),
    ("argdel a1\nadd_scalar@float32 t1 a1->t2", "E-UNDEF", 23, "a1"),
    ("exp@float32 t1(t9_grad)<-t2(t2_grad)", "E-UNDEF", 13, "gradient t9_grad of t1"),
    ("exp@float32 t1(t1_grad)<-t2(t9_grad)", "E-UNDEF", 26, "gradient t9_grad of t2"),
    ("newtensor@float32 v1->t1", "E-EXISTS", 23, "float32[2, 3]"),
    ("add@float64 t1 t2->t3", "E-DTYPE", 13, "t1 is float32[2, 3], but float64"),
    ("add@float32 t1 td->t3", "E-DTYPE", 16, "td is float64[2, 3]"),
    ("add@float32 t1 t2->td", "E-DTYPE", 20, "td is float64"),
    ("exp@int32 ti->tj", "E-DTYPE", 1, "floating-point type"),
    ("div ti tj->tj", "E-DTYPE", 1, "floating-point type"),
    ("add_scalar@int32 ti a1->tj", "E-DTYPE", 21, "a1 is float32"),
    ("add_scalar@int8 tm a3->tm", "E-DTYPE", 20, "300 does not fit into int8"),
    ("sum@float32 t1 vf->t2", "E-DTYPE", 16, "vf is float32"),
    ("concat@float32 t1 t2 a1->t3", "E-DTYPE", 22, "an integer is needed"),
    ("add@int32 ti(ti) tj(tj)<-tj(ti)", "E-DTYPE", 1, "backward needs"),
    ("exp@float32 t1(td)<-t2(t2_grad)", "E-DTYPE", 13, "gradient td is float64"),
    ("where@float32 ti t1 t2->t3", "E-DTYPE", 15, "int8 or bool"),
    ("indexselect@float32 t1 t2 a0->t3", "E-DTYPE", 24, "an integer type"),
    ("todtype@float32 ti(_)<-t1(t1_grad)", "E-DTYPE", 17, "floating-point"),
    ("deltensor@int32 t1", "E-DTYPE", 17, "int32"),
    ("pow_scalar@int32 ti -1->tj", "E-DTYPE", 21, "float type is needed"),
    ("add_scalar@int32 ti 1.5->tj", "E-LITERAL", 21, "is a float"),
    ("add_scalar@int8 tm 300->tm", "E-LITERAL", 20, "does not fit"),
    ("add@float32 t1 ts->t3", "E-SHAPE", 16, "float32[2, 3] and float32[3]"),
    ("add@float32 t1 t2->ts", "E-SHAPE", 20, "must be [2, 3]"),
    ("sum@float32 t1 v0->ts", "E-SHAPE", 20, "must be [] or [1, 1] or [1]"),
    ("sum@float32 t1 [2]->ts", "E-SHAPE", 16, "axis 2 is out of range for 2 axes"),
    ("sum@float32 t1 [-3]->ts", "E-SHAPE", 16, "axis -3"),
    ("newtensor@float32 [-1]->t9", "E-SHAPE", 19, "not negative"),
    ("newtensor@float32 [4000000000 4000000000]->t9", "E-SHAPE", 19, "larger than any memory"),
    ("exp@float32 t1(ts)<-t2(t2_grad)", "E-SHAPE", 13, "gradient ts is float32[3]"),
    ("matmul@float32 t1 t2->t3", "E-SHAPE", 19, "(…, m, k)"),
    ("reshape@float32 t1 [4 2]->t3", "E-SHAPE", 20, "6 elements"),
    ("reshape@float32 t1 [-1 4]->t3", "E-SHAPE", 20, "no length fits"),
    ("reshape@float32 t1 [-1 -1]->t3", "E-SHAPE", 20, "no shape"),
    ("transpose@float32 t1 [0 0]->t3", "E-SHAPE", 22, "no order"),
    ("broadcastTo@float32 ts [3 2]->t3", "E-SHAPE", 24, "does not broadcast"),
    ("concat@float32 t1 ts 0->t3", "E-SHAPE", 16, "do not fit together"),
    ("repeat@float32 t1 [2]->t3", "E-SHAPE", 19, "how often"),
    ("fromvec@float32 vf->t1", "E-SHAPE", 17, "2 numbers cannot fill"),
    ("mod_scalar@int32 ti a0->tj", "E-ZERODIV", 21, "modulo 0"),
]

RUN = [
    ("mod@int32 ti tj->tj", "E-ZERODIV", 1, "zero"),
    ("constant@int32 7->tj\nindexselect@float32 ts ti 0->t3\nindexselect@float32 ts tj 0->t3", "E-SHAPE", 1, "7"),
    ("constant@int32 -1->tj\npow@int32 ti tj->tj", "E-DTYPE", 1, "negative"),
    ("uniform@float32 2.0 1.0->t1", "E-OPERAND", 21, "no number in [2.0, 1.0)"),
    ("dropout@float32 t1 1.0 7->t2", "E-OPERAND", 20, "[0, 1)"),
    ("print t1", "E-OP", 1, "echo=True"),
    ("save t1", "E-OP", 1, "files=FOLDER"),
    ("load t1", "E-OP", 1, "files=FOLDER"),
    ("newtensor@int8 [1000000000 1000000000]->t9", "E-SHAPE", 1, "memory"),
]  # fmt: skip


def caught(step, *args, **settings):
    with pytest.raises(deepx.DeepxError) as found:
        step(*args, **settings)
    return found.value


def agrees(error, text, code, column, words):
    assert error.code == code in CODES
    assert error.line == text.count("\n") + 1
    assert error.column == column
    assert words in str(error)
    assert str(error).startswith(code)
    source, caret = str(error).splitlines()[2:4]
    assert source[4:] == text.splitlines()[-1]
    assert caret.index("^") == 4 + error.column - 1


@pytest.mark.parametrize(("line", "code", "column", "words"), PARSE, ids=[line[:40] for line, *_ in PARSE])
def test_what_a_line_alone_shows_is_found_by_parse(line, code, column, words):
    text = "\n// two lines above\n" + line
    agrees(caught(deepx.parse, text), text, code, column, words)


@pytest.mark.parametrize(("line", "code", "column", "words"), CHECK, ids=[line for line, *_ in CHECK])
def test_what_the_text_shows_is_found_by_check(line, code, column, words):
    text = CELLS + line
    program = deepx.parse(text)
    agrees(caught(deepx.check, program), text, code, column, words)
    agrees(caught(deepx.run, program), text, code, column, words)
    # A machine that runs line by line finds the same, and the lines before have run.
    machine = deepx.Machine()
    agrees(caught(machine.execute, program), text, code, column, words)
    assert "t3_grad" in machine


@pytest.mark.parametrize(("line", "code", "column", "words"), RUN, ids=[line for line, *_ in RUN])
def test_what_only_data_shows_is_found_by_running(line, code, column, words):
    text = CELLS + line
    deepx.check(text)
    agrees(caught(deepx.run, text), text, code, column, words)


def test_what_is_suggested_for_a_meaning_are_instructions():
    """Each, as it is written there, is an instruction with its operands; and no name with a meaning is one itself."""
    names = [name for names in suggestions.MEANINGS for name in names.split()]
    assert len(set(names)) == len(names) and not {name.lower() for name in FORMS} & set(names)
    for instead, form in suggestions.MEANINGS.values():
        for name in instead.split(", "):
            assert name in FORMS and name in form
        for text in re.findall(r"(?:then )?([a-z][\w@]* [^,:]*->\w+)", form):
            deepx.parse(text.replace("@T", "@float32"))


def test_every_code_is_raised_by_a_line_above():
    assert {code for table in (PARSE, CHECK, RUN) for _, code, *_ in table} | {"E-STALE"} == set(CODES)


def test_a_failed_line_changes_nothing():
    machine = deepx.Machine({"ti": np.array([7, 8]), "tj": np.array([1, 0])})
    caught(machine.execute, "add@int64 ti tj->ti\nmod@int64 ti tj->ti")
    assert machine["ti"].tolist() == [8, 8]  # the first line's
    assert machine["tj"].tolist() == [1, 0]


ORDER = [
    ("unknown t1", "E-SYNTAX"),
    ("unknown@float99 t1->x", "E-OP"),
    ("add@float99 x->t9", "E-ARITY"),
    ("add@float99 x t9->t8", "E-NAME"),
    ("add@float32 t1 t9->td", "E-UNDEF"),
    ("add@float32 td ts->t3", "E-DTYPE"),
    ("mul@float32 t1 ts(_)<-t3", "E-SHAPE"),
    ("mul@float32 t1 t9(_)<-t3", "E-UNDEF"),
    ("mul@float32 t1 t2(t9)<-t3(t3_grad)", "E-GRADNAME"),
    ("exp@int32 t9->t3", "E-UNDEF"),
]


@pytest.mark.parametrize(("line", "code"), ORDER)
def test_of_several_errors_the_first_in_order_is_told(line, code):
    assert caught(deepx.check, CELLS + line).code == code


STALE = (
    CELLS
    + """\
mul@float32 t1 t2->t3
{}
mul@float32 t1(t1_grad) t2({})<-t3(t3_grad)"""
)


@pytest.mark.parametrize(("between", "grad", "stale"), [
    ("constant@float32 a1->t2", "t2_grad", True),
    ("constant@float32 a1->t1", "t2_grad", True),
    ("constant@float32 a1->t1", "_", False),  # the gradient of t1 does not read t1
    ("constant@float32 a1->t3", "t2_grad", False),  # nothing reads the result
    ("deltensor t2\nnewtensor@float32 v1->t2", "t2_grad", True),
    ("constant@float32 a1->t2\nmul@float32 t1 t2->t3", "t2_grad", False),  # the forward line again
])  # fmt: skip
def test_stale(between, grad, stale):
    text = STALE.format(between, grad)
    deepx.run(text)
    for step in (deepx.check, deepx.run):
        if stale:
            error = caught(step, text, check_stale=True)
            assert (error.code, error.line) == ("E-STALE", text.count("\n") + 1)
            assert "line 21" in str(error)
        else:
            step(text, check_stale=True)


def test_stale_argument():
    text = CELLS + "mul_scalar@float32 t1 a1->t3\nargset@float32 {}->a1\nmul_scalar@float32 t1(t1_grad) a1<-t3(t3_grad)"
    assert caught(deepx.check, text.format(9), check_stale=True).code == "E-STALE"
    deepx.check(text.format(2), check_stale=True)  # set again to what it was


@pytest.mark.parametrize(("inputs", "code"), [
    ({"x": np.zeros(2)}, "E-NAME"),
    ({"tx": np.zeros(2, "uint8")}, "E-DTYPE"),
    ({"tx": np.array(["text"])}, "E-DTYPE"),
    ({"tx": ("float33", (2,))}, "E-DTYPE"),
])  # fmt: skip
def test_wrong_inputs(inputs, code):
    assert caught(deepx.check, "", inputs).code == code


def test_errors_can_be_sent_to_other_processes():
    error = caught(deepx.parse, "exp@float32 t1=t2")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.code, copy.line, copy.column, str(copy)) == ("E-SYNTAX", 1, 15, str(error))
