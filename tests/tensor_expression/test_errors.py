"""Every way to be wrong has its code, and its place in the text."""

from __future__ import annotations

import json
import pickle

import pytest

import anfora
from anfora import Tensor, ops
from anfora.tensor_expression import KernelError, kernel

GOOD = "C<4>[i] = A<4>[i] * B<4>[i];"


def case(text: str = GOOD, **changes):
    made = {"name": "f", "ins": ["A", "B"], "outs": ["C"], "data_type": "float", "kernel": text, **changes}
    return {key: value for key, value in made.items() if value is not ...}


def only_a(text: str, **changes):
    return case(text, ins=["A"], **changes)


#: code, case, the text at the place (None where there is none)
TABLE = [
    ("K-SYNTAX", only_a(""), ""),
    ("K-SYNTAX", only_a("   \n"), ""),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[i]"), ""),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[i] C<4>[i] = 1;"), "C<4>[i] = 1"),
    ("K-SYNTAX", only_a("C<0>[i] = A<4>[i];"), "0>[i] ="),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[i] +;"), ";"),
    ("K-SYNTAX", only_a("C<4>[i] = (A<4>[i];"), ";"),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[i] $ 2;"), "$"),
    ("K-SYNTAX", only_a("C<4>[i] = A[i];"), "[i];"),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[];"), "];"),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[-i];"), "-i]"),
    ("K-SYNTAX", only_a("C<4>[i] = A<4.0>[i];"), "4.0"),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[i] / 0;"), "0;"),
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[i] // 0.0;"), "0.0;"),
    ("K-SYNTAX", only_a("C<4>[i] = sin(A<4>[i]);"), "sin"),
    ("K-SYNTAX", only_a("C<4>[i] = max(A<4>[i]);"), ");"),
    ("K-SYNTAX", only_a("C<4>[i] = select(A<4>[i], 1, 2);"), ", 1"),
    ("K-SYNTAX", only_a("2 = A<4>[i];"), "2 ="),
    ("K-SYNTAX", only_a("C<4>[i] == A<4>[i];"), "=="),
    ("K-SYNTAX", only_a(f"C<4>[i] = {'(' * 5000}A<4>[i]{')' * 5000};"), "("),
    ("K-SYNTAX", only_a(f"C<4>[i] = A<4>[i]{' + A<4>[i]' * 5000};"), None),
    ("K-CASE", case(name=...), None),
    ("K-CASE", case(kernel=...), None),
    ("K-CASE", case(data_type=...), None),
    ("K-CASE", case(data_type="half"), None),
    ("K-CASE", case(data_type=["float"]), None),
    ("K-CASE", case(outs=[]), None),
    ("K-CASE", case(outs="C"), None),
    ("K-CASE", case(ins=["A", "B", "A"]), None),
    ("K-CASE", case(outs=["C", "C"]), None),
    ("K-CASE", case(ins=["A", "B", 3]), None),
    ("K-CASE", case(ins=["A", "B", "D"]), None),
    ("K-CASE", case(outs=["C", "D"]), None),
    ("K-CASE", case(name="2f"), None),
    ("K-CASE", case(name="while"), None),
    ("K-CASE", case(kernel=7), None),
    ("K-CASE", case(temps=["A"]), None),
    ("K-CASE", case(grad_too=["A"]), None),
    ("K-CASE", case(ranges={"i": 0}), None),
    ("K-CASE", case(ranges={"i": 2.0}), None),
    ("K-CASE", case(ranges={"z": 2}), None),
    ("K-CASE", case(ranges=[2]), None),
    ("K-CASE", [1, 2], None),
    ("K-RANK", only_a("C<4>[i] = A<4>[i, j];"), "A<4>"),
    ("K-RANK", only_a("C<4>[i] = A<4, 4>[i];"), "A<4, 4>"),
    ("K-RANK", only_a("C<4>[i] = A<4>;"), "A<4>;"),
    ("K-RANK", only_a("C<4>[i] = A<1, 1>;"), "A<1, 1>"),
    ("K-SHAPE", only_a("C<4>[i] = A<4>[i] + A<5>[i];"), "A<5>"),
    ("K-SHAPE", only_a("C<4>[i] = A<1>[j] + A<1>;"), "A<1>;"),
    ("K-SHAPE", only_a("C<4>[i] = A<4>[i]; C<2, 2>[i, j] = A<4>[i];"), "C<2, 2>"),
    ("K-LHS", only_a("C<4>[i + 1] = A<4>[i];"), "i + 1"),
    ("K-LHS", only_a("C<4>[i + 0] = A<4>[i];"), "i + 0"),
    ("K-LHS", only_a("C<4>[2] = A<4>[i];"), "2]"),
    ("K-LHS", only_a("C<4, 4>[i, i] = A<4>[i];"), "i] ="),
    ("K-LHS", case("A<4>[i] = B<4>[i]; C<4>[i] = A<4>[i];"), "A<4>[i] ="),
    ("K-LHS", only_a("D<4>[i] = A<4>[i]; C<4>[i] = A<4>[i];"), "D<4>"),
    ("K-UNDEF", only_a("C<4>[i] = A<4>[i] + D<4>[i];"), "D<4>"),
    ("K-UNDEF", only_a("C<4>[i] = A<4>[i] + T<4>[i]; T<4>[i] = A<4>[i];", temps=["T"]), "T<4>[i]; T"),
    ("K-UNDEF", only_a("T<4>[i] = T<4>[i] + A<4>[i]; C<4>[i] = T<4>[i];", temps=["T"]), "T<4>[i] +"),
    ("K-NAME", only_a("C<4>[A] = A<4>[A];"), "A] ="),
    ("K-NAME", only_a("C<4>[i] = A<4>[C];"), "C];"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[i * j];"), "* j"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[i // j];"), "// j"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[4 // i];"), "// i"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[i % 0];"), "% 0"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[i // (2 - 3)];"), "// (2"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[i * 0];"), "* 0"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[i + 1.0];"), "1.0"),
    ("K-INDEX", only_a("C<4>[i] = A<4>[i / 2];"), "/ 2"),
    ("K-INDEX", case("C<4>[i] = A<4>[B<4>[i]];"), "B<4>"),
    ("K-RANGE", only_a("C<4>[i] = A<4>[r % 4];"), "r % 4"),
    ("K-RANGE", only_a("C<4>[i] = A<4>[3 - r];"), "3 - r"),
    ("K-RANGE", only_a("C<4>[i] = A<4>[r - s];"), "r - s"),
    ("K-TYPE", only_a("C<4>[i] = A<4>[i] + 1.0;", data_type="int"), "1.0"),
    ("K-TYPE", only_a("C<4>[i] = A<4>[i] + 3000000000;", data_type="int"), "3000000000"),
    ("K-TYPE", only_a("C<4>[i] = exp(A<4>[i]);", data_type="int"), "exp"),
    ("K-GRAD", case(grad_to=["D"]), None),
    ("K-GRAD", case(grad_to=["C"]), None),
    ("K-GRAD", case(grad_to=[]), None),
    ("K-GRAD", case(grad_to="A"), None),
    ("K-GRAD", case(grad_to=["A", "A"]), None),
    ("K-GRAD", case(grad_to=["A"], data_type="int"), None),
    ("K-GRAD", case("C<4>[i] = A<4>[i]; D<4>[i] = B<4>[i];", outs=["C", "D"], grad_to=["A"]), None),
]


@pytest.mark.parametrize(("code", "bad", "at"), TABLE, ids=[f"{i}-{row[0]}" for i, row in enumerate(TABLE)])
def test_code_and_place(code, bad, at):
    with pytest.raises(KernelError) as raised:
        kernel(bad)
    error = raised.value
    assert error.code == code and str(error).startswith(f"{code}: ")
    if at is not None:
        assert bad["kernel"][error.position :].startswith(at) and "^" in str(error)
        assert error.position < len(bad["kernel"]) or at == ""
    else:
        assert error.position is None


def test_caret_stands_below_the_place():
    with pytest.raises(KernelError) as raised:
        kernel(case("T<4>[i] = A<4>[i];\n\tC<4>[i] = Q<4>[i];", temps=["T"]))
    _, place, line, caret = str(raised.value).splitlines()[:4]
    assert place == "  line 2, column 12" and line[caret.index("^")] == "Q"


def test_pickled_error_is_the_same():
    with pytest.raises(KernelError) as raised:
        kernel(case("C<4>[i] = A<4>[i, j];"))
    twin = pickle.loads(pickle.dumps(raised.value))
    assert str(twin) == str(raised.value) and twin.code == "K-RANK" and twin.position == raised.value.position


A, WHOLE = ops.ones((4,)), Tensor([1, 2, 3, 4], anfora.int32)


@pytest.mark.parametrize(
    ("code", "arguments", "name"),
    [
        ("K-SHAPE", (A, ops.ones((5,))), "B"),
        ("K-SHAPE", (ops.ones((4, 1)), A), "A"),
        ("K-SHAPE", (A, 2.0), "B"),
        ("K-TYPE", (A, WHOLE), "B"),
        ("K-TYPE", (A.astype(anfora.float64), A), "A"),
    ],
)
def test_calls(code, arguments, name):
    with pytest.raises(KernelError, match=f"`{name}`") as raised:
        kernel(GOOD)(*arguments)
    assert raised.value.code == code


def test_calls_of_whole_numbers():
    scale = kernel("C<4>[i] = A<4>[i] * s<1>;", data_type="int")
    assert scale(WHOLE, 3).tolist() == [3, 6, 9, 12]
    with pytest.raises(KernelError, match="`s`") as raised:
        scale(WHOLE, 3.5)
    assert raised.value.code == "K-TYPE"
    with pytest.raises(KernelError) as raised:
        scale.grad_ir()
    assert raised.value.code == "K-GRAD"


def test_missing_and_unknown_arguments():
    product = kernel(GOOD)
    with pytest.raises(TypeError, match="needs the argument `B`"):
        product(A)
    with pytest.raises(TypeError, match="'D'"):
        product(A, D=A)
    with pytest.raises(TypeError, match="too many"):
        product(A, A, A, A)


def in_json(bad, place: str) -> str:
    """A case over several lines, in whose strings escapes stand, and the line at which an error must point."""
    text = json.dumps(bad, indent=2).replace("<", "\\u003c")
    assert json.loads(text) == bad and text.count(place) == 1
    return text


#: code, case, what stands at the caret in the file
IN_A_FILE = [
    ("K-SYNTAX", only_a("C<4>[i] = A<4>[i] $ 2;"), "$ 2;"),
    ("K-SYNTAX", only_a('C<4>[i] = "\t\\\n$";'), '\\"\\t'),
    ("K-SYNTAX", only_a("\n\tC<4>[i] = A<4>[i] 𝛼 $;\n"), "\\ud835\\udefc $"),
    ("K-UNDEF", case("C<4>[i] = A<4>[i] + B<4>[i] + Q<4>[i];"), "Q\\u003c4"),
    ("K-RANGE", only_a("C<4>[i] = A<4>[3 - r];"), "3 - r"),
    ("K-CASE", case(name="2f"), '"2f"'),
    ("K-CASE", case(data_type="half"), '"half"'),
    ("K-CASE", case(ins=["A", "B", 3]), "3\n"),
    ("K-CASE", case(ins=["A", "B", "D"]), '"D"'),
    ("K-CASE", case(outs=["C", "E"]), '"E"'),
    ("K-CASE", case(kernel=7), "7\n"),
    ("K-CASE", case(kernel=...), "{"),
    ("K-CASE", case(grad_too=["A"]), '"grad_too"'),
    ("K-CASE", case(ranges={"i": 4, "z": 0}), "0\n"),
    ("K-CASE", case(ranges={"i": 4, "z": 2}), "2\n"),
    ("K-CASE", [1, 2], "["),
    ("K-GRAD", case(grad_to=["A", "D"]), '"D"'),
    ("K-GRAD", case(grad_to=[]), "[]"),
]


@pytest.mark.parametrize(("code", "bad", "at"), IN_A_FILE, ids=[f"{i}-{row[0]}" for i, row in enumerate(IN_A_FILE)])
def test_errors_of_a_file_point_into_it(code, bad, at, tmp_path):
    file = tmp_path / "case.json"
    text = in_json(bad, at)
    file.write_text(text)
    with pytest.raises(KernelError) as raised:
        kernel.from_json(file)
    assert raised.value.code == code
    place, line, caret = str(raised.value).splitlines()[1:4]
    number = text.count("\n", 0, text.index(at)) + 1
    column = text.index(at) - text.rfind("\n", 0, text.index(at))
    assert place == f"  {file}, line {number}, column {column}"
    assert line == "      " + text.splitlines()[number - 1] and caret.index("^") == 6 + column - 1


def test_a_file_that_is_not_json(tmp_path):
    (tmp_path / "case.json").write_text('{"name": "f",\n "ins": [A]}')
    with pytest.raises(KernelError) as raised:
        kernel.from_json(tmp_path / "case.json")
    assert str(raised.value).splitlines()[0].startswith("K-CASE: not JSON: ")
    assert str(raised.value).splitlines()[1] == f"  {tmp_path / 'case.json'}, line 2, column 10"


def test_an_initial_value_that_is_not_read_is_ignored():
    product, junk = kernel(GOOD), ops.full((4,), float("nan"))
    wanted = product(A, A * 2).tolist()
    assert product(A, A * 2, junk).tolist() == product(A, A * 2, C=junk).tolist() == wanted == [2, 2, 2, 2]
    assert product(C=junk, A=A, B=A * 2).tolist() == wanted
    assert anfora.jit(lambda a, c: product(a, a * 2, c))(A, junk).tolist() == wanted
    assert anfora.grad(lambda a, c: product(a, a * 2, c).sum(), (0, 1))(A, junk)[1].tolist() == [0, 0, 0, 0]
    for wrong, code in ((ops.ones((5,)), "K-SHAPE"), (WHOLE, "K-TYPE")):
        with pytest.raises(KernelError, match="`C`") as raised:
            product(A, A, wrong)
        assert raised.value.code == code
    # Where one result is read and another is not, all that are given stand in the order of the parameters.
    both = kernel("C<4>[i] = A<4>[i]; D<4>[i] = D<4>[i] + A<4>[i];")
    assert [r.tolist() for r in both(A, A)] == [r.tolist() for r in both(A, junk, A)] == [[1] * 4, [2] * 4]
