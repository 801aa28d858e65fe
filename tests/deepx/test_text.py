"""Text to programs and back."""

from __future__ import annotations

import pytest

from anfora import deepx

#: What people write, and its canonical text.
CANONICAL = [
    ("add@float32 t1 t2->t3", "add@float32 t1 t2->t3"),
    ("\t add @ float32\tt1  t2  ->  t3 \r", "add@float32 t1 t2->t3"),
    ("add t1 t2->t3", "add t1 t2->t3"),
    ("argset@float32 1->a1", "argset@float32 1.0->a1"),
    ("argset@float32 -1->a1", "argset@float32 -1.0->a1"),
    ("argset@float32 +.5->a1", "argset@float32 0.5->a1"),
    ("argset@float32 5.->a1", "argset@float32 5.0->a1"),
    ("argset@float32 1E+2->a1", "argset@float32 100.0->a1"),
    ("argset@float32 0.1->a1", "argset@float32 0.1->a1"),
    ("argset@float64 0.1->a1", "argset@float64 0.1->a1"),
    ("argset@float32 0.100000001490116119->a1", "argset@float32 0.1->a1"),
    ("argset@float32 16777217->a1", "argset@float32 16777216.0->a1"),
    ("argset@float64 1e100->a1", "argset@float64 1e+100->a1"),
    ("argset@float32 1e-45->a1", "argset@float32 1e-45->a1"),
    ("argset@float16 0.1->a1", "argset@float16 0.1->a1"),
    ("argset@float32 -0.0->a1", "argset@float32 -0.0->a1"),
    ("argset@int64 -9223372036854775808->a1", "argset@int64 -9223372036854775808->a1"),
    ("argset@int32 +7 -3->v1", "argset@int32 7 -3->v1"),
    ("argset@bool 1->a1", "argset@bool 1->a1"),
    ("argset@int32->v0", "argset@int32->v0"),
    ("argset@int32 4->v1", "argset@int32 4->v1"),
    ("argdel a", "argdel a"),
    ("argdel v1->", "argdel v1"),
    ("deltensor t1->", "deltensor t1"),
    ("deltensor t1 -> // id=None created_at=1740000000.5 sent_at=None", "deltensor t1"),
    ("mul@float32 t1 (t1_grad) t2( _ )<-t3(t3.grad)", "mul@float32 t1(t1_grad) t2(_)<-t3(t3.grad)"),
    ("mul t1(tg)t2(th)<-t3(ti)", "mul t1(tg) t2(th)<-t3(ti)"),
    ("add_scalar@float32 t1 2.50->t3", "add_scalar@float32 t1 2.5->t3"),
    ("sum@float32 t1 [ 0  -1 ]->t3", "sum@float32 t1 [0 -1]->t3"),
    ("sum@float32 t1 []->t3", "sum@float32 t1 []->t3"),
    ("concat@float32 t1 t2 t3 1->t4", "concat@float32 t1 t2 t3 1->t4"),
    ("print t1", "print t1"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_canonical_text(text, canonical):
    program = deepx.parse(text)
    assert deepx.format(program) == canonical + "\n"
    assert deepx.parse(canonical) == program
    assert str(deepx.parse(canonical)) == canonical


def test_numbers_keep_their_value():
    memory = deepx.run("argset@float32 0.1->a1\nargset@float64 0.1->a2\nargset@float32 1 2->v1\nargset@int8 -7->a3")
    assert memory["a1"] == 0.10000000149011612
    assert memory["a2"] == 0.1
    assert memory["v1"] == (1.0, 2.0)
    assert (memory["a3"], type(memory["a3"])) == (-7, int)


def test_lines_and_comments():
    program = deepx.parse("\n   // only a comment\r\n\targset@int32 1->a1 // words, no key\r\n\n")
    assert [line.line for line in program] == [3]
    assert program.instructions[0].meta == {}
    assert deepx.parse("") == deepx.Program()
    assert deepx.format(deepx.parse("// nothing")) == ""


def test_meta():
    text = "exp@float32 t1->t2 // id=7 by author=me created_at=1740000000.25 sent_at=None colour=red"
    [line] = deepx.parse(text)
    assert line.meta == {"id": 7, "author": "me", "created_at": 1740000000.25, "sent_at": "None", "colour": "red"}
    printed = line.text(meta=True)
    assert printed == "exp@float32 t1->t2 //id=7 author=me created_at=1740000000.25 sent_at=None colour=red"
    assert deepx.parse(printed).instructions[0].meta == line.meta
    assert deepx.parse("exp@float32 t1->t2") == deepx.parse(text)


def test_the_first_arrow_decides():
    assert not deepx.parse("argset@float32 -1->a1").instructions[0].backward
    assert deepx.parse("exp@float32 t1(_)<-t2(t2_grad)").instructions[0].backward


FREE = """\
argset@int32 3->n
argset@float32 2->two
newtensor@float32 n->x
newtensor@float32 n->g
constant@float32 two->x
mul@float32 x x->x
add_scalar@float32 x n->x
add_scalar@float32 x(g)  n<-x(g)
"""


def test_free_names():
    memory = deepx.run(FREE, naming="free")
    assert memory["x"].tolist() == [7.0, 7.0, 7.0]  # n is a shape of one axis, and a number
    with pytest.raises(deepx.DeepxError, match="E-NAME"):
        deepx.parse(FREE)


@pytest.mark.parametrize(("line", "code"), [
    ("add@float32 x two->x", "E-OPERAND"),
    ("add_scalar@float32 x x->x", "E-OPERAND"),
    ("argset@float32 1 2->pair\nadd_scalar@float32 x pair->x", "E-OPERAND"),
    ("argset@float32 1->x", "E-EXISTS"),
    ("newtensor@float32 n->two", "E-EXISTS"),
    ("argset@float32->nothing\nexp@float32 nothing->x", "E-OPERAND"),
])  # fmt: skip
def test_free_names_have_one_kind(line, code):
    with pytest.raises(deepx.DeepxError) as found:
        deepx.check(FREE + line, naming="free")
    assert found.value.code == code


def test_programs_join():
    one, two = deepx.parse("argset@int32 1->a1"), deepx.parse("argset@int32 2->a1")
    assert [str(line) for line in one + two * 2] == ["argset@int32 1->a1", *["argset@int32 2->a1"] * 2]
    assert len({one, deepx.parse("argset@int32 1->a1 // again"), two}) == 2


#: What the language's first texts have, its canonical text, and the note on stderr.
FIRST = [
    ("arange@int32 a1 a2>t1", "arange@int32 a1 a2->t1", "column 19: read > as ->"),
    ("uniform@float32 a1 a2 > t1", "uniform@float32 a1 a2->t1", "column 23: read > as ->"),
    ("argset@float32 -1>a1", "argset@float32 -1.0->a1", "column 18: read > as ->"),
    (
        "  sum@float32 t1 v1<-t2",
        "sum@float32 t1(t1_grad) v1<-t2(t2_grad)",
        "column 3: no gradient has a name; read as `sum@float32 t1(t1_grad) v1<-t2(t2_grad)`",
    ),
    ("max@float32 t1 t2<-t3", "max@float32 t1(t1_grad) t2(t2_grad)<-t3(t3_grad)", "column 1: no gradient has a name"),
    ("where tm t1 t2<-t3", "where tm(_) t1(t1_grad) t2(t2_grad)<-t3(t3_grad)", "column 1: no gradient has a name"),
    ("concat t1 t2 0<-t3", "concat t1(t1_grad) t2(t2_grad) 0<-t3(t3_grad)", "column 1: no gradient has a name"),
]


@pytest.mark.parametrize(("text", "canonical", "note"), FIRST, ids=[text for text, *_ in FIRST])
def test_first_texts_are_read_with_a_note(text, canonical, note, capsys):
    assert deepx.format(deepx.parse("// above\n" + text)) == canonical + "\n"
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1) and err.startswith(f"deepx: note: line 2, {note}")
    deepx.parse(canonical)
    assert capsys.readouterr() == ("", "")


def test_first_texts_run_as_their_canonical_ones(capsys):
    text = """\
newtensor@float64 [3]>t2
newtensor@float64 [3]->t1_grad
newtensor@float64 [3]->t2_grad
mul@float64 t1 t1>t2
constant@float64 1->t2_grad
mul@float64 t1 t1<-t2
"""
    memory = deepx.run(text, {"t1": [1.0, 2.0, 3.0]})
    assert memory["t1_grad"].tolist() == [2, 4, 6]
    assert capsys.readouterr().err.count("note") == 3, "each line is told once"


def test_a_machine_shows_its_cells():
    machine = deepx.Machine({"tx": [[1.0, 2.0]]})
    assert repr(deepx.Machine()) == "<Machine: no cells>"
    machine.execute("argset@int32 2 3->v1\nargset@float32 0.5->a1\nargset@int8->v0\nnewtensor@int16 v1->t1")
    assert repr(machine) == "<Machine: tx float64[1, 2], v1 int32 (2, 3), a1 float32 0.5, v0 int8 (), t1 int16[2, 3]>"
