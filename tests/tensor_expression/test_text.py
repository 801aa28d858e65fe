"""What is printed: guards where they are needed and only there, and none of the shortcuts that look right."""

from __future__ import annotations

import re

import pytest

from anfora.tensor_expression import kernel
from anfora.tensor_expression.ir import Access, Mutator, Visitor


def guards(text: str) -> list[str]:
    """The conditions of an IR text, in order."""
    return [part for line in re.findall(r"if (.*)", text) for part in line.split(" and ")]


@pytest.mark.parametrize(
    ("text", "forward", "backward"),
    [
        # product: everything is inside
        ("C<4, 5>[i, j] = A<4, 3>[i, k] * B<3, 5>[k, j];", [], []),
        # convolution: the forward pass is inside, the gradient to the image is not, that to the filter is
        (
            "A<6>[p] = B<8>[p + r] * C<3>[r];",
            [],
            ["h0 - r >= 0", "h0 - r < 6"],
        ),
        # zero padding
        ("y<6>[i] = x<6>[i + r - 1] * w<3>[r];", ["i + r >= 1", "i + r < 7"], None),
        # a stride without a sum: every second element is reached, and not the first
        ("y<3>[i] = x<6>[2 * i + 1];", [], ["(h0 - 1) % 2 == 0", "(h0 + 1) // 2 >= 1"]),
        ("y<3>[i] = x<5>[2 * i + 1];", ["2 * i < 4"], None),
        # a filter that is longer than the image: the shorter loop, over p, remains
        ("A<2>[p] = B<8>[p + r] * C<7>[r];", [], ["h0 - p >= 0", "h0 - p < 7"]),
        # the diagonal
        ("y<5>[i] = X<5, 5>[i, i];", [], ["h1 == i"]),
        # a reshape needs none forward; back it finds the row
        (
            "Y<2, 6>[i, j] = X<3, 4>[(i * 6 + j) // 4, (i * 6 + j) % 4];",
            [],
            ["4 * h0 + h1 - 6 * i >= 0", "4 * h0 + h1 - 6 * i < 6"],
        ),
        # one period
        ("y<7>[i] = x<7>[(i + 3) % 7];", [], None),
    ],
)
def test_guards(text, forward, backward):
    made = kernel(text, lowering="gather")
    assert guards(made.ir()) == forward
    if backward is not None:
        assert guards(made.grad_ir()) == backward


def test_guards_are_hoisted():
    """A guard on spatial variables stands outside the sums, one on k outside the loop over r."""
    text = kernel("y<4>[i] = x<4>[i - 1] * a<5>[k] * b<3>[k - 1] * c<9>[r] * c<9>[r];").ir().splitlines()
    depth = {line.strip(): len(line) - len(line.lstrip()) for line in text}
    assert depth["if i >= 1"] < depth["for reduce k in 4"] < depth["if k >= 1"] < depth["for reduce r in 9"]


def test_gradient_has_plain_left_sides():
    made = kernel("A<2, 3, 4, 4>[n, k, p, q] = B<2, 2, 6, 6>[n, c, p + r, q + s] * C<3, 2, 3, 3>[k, c, r, s];")
    assert "dB[n, c, h2, h3] = grad" in made.grad_ir() and "dC[k, c, r, s] = grad" in made.grad_ir()
    scattered = kernel(made.case, lowering="scatter").grad_ir()
    assert "dB[n, c, p + r, q + s] +=" in scattered


def test_shifted_contributions_stay_apart():
    text = kernel("A<6>[i] = (B<8>[i] + B<8>[i + 1] + B<8>[i + 2]) / 3.0;").grad_ir()
    assert all(f"dA[{index}]" in text for index in ("i", "i - 1", "i - 2"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("C<4, 16>[i, j] = A<4, 16>[i, j] * B<4, 16>[i, j] + 1.0;", "dA[i, j] = dC[i, j] * B[i, j]"),
        ("C<4, 5>[i, j] = A<4, 3>[i, k] * B<3, 5>[k, j];", "dA[i, k] = grad"),
        ("C<4, 4>[i, j] = A<4, 4>[j, i] + A<4, 4>[i, j];", "dA[j, i] = dC[i, j] + dC[j, i]"),
        # the first access has a name for the first coordinate, the second for the other
        ("C<4>[i] = A<4, 4>[i, 2] + A<4, 4>[3, i];", "for spatial i in 4, spatial h1 in 4"),
        # p would be the loop that remains beside it
        ("A<2>[p] = B<8>[p + r] * C<7>[r] + B<8>[p];", "for spatial h0 in 8"),
    ],
)
def test_index_names_of_the_text_stay(text, line):
    """Coordinates of a gradient bear the names that the text gives them, where that is not ambiguous."""
    assert line in kernel(text).grad_ir()


def test_index_names_of_each_statement_stay():
    text = kernel("T<4>[row] = A<4>[row] * 2.0; Y<4>[i] = T<4>[i] * T<4>[i];", temps=["T"]).grad_ir()
    assert "dT[i] = " in text and "dA[row] = dT[row] * 2.0" in text


@pytest.mark.parametrize(
    ("name", "grad_name", "wanted"),
    [
        ("f", None, "f_grad"), ("grad_f", None, "grad_f"), ("gradual", None, "gradual_grad"), ("f", "f_back", "f_back"),
        ("f", "f", "f"), ("grad_f", "g", "g"),
    ],
)  # fmt: skip
def test_name_of_the_gradient(name, grad_name, wanted):
    case = {
        "name": name, "ins": ["A"], "outs": ["C"], "data_type": "float", "kernel": "C<4>[i] = A<4>[i] * 2.0;",
        "grad_to": ["A"], **({"grad_name": grad_name} if grad_name else {}),
    }  # fmt: skip
    made = kernel(case)
    assert made.c_source().startswith("#ifdef") and f"void {name}(" in made.c_source()
    assert f"void {wanted}(const float *restrict dC, float *restrict dA)" in made.grad_c_source()
    assert made.grad_ir().startswith(f"kernel {wanted}(cotangent dC<4>, out dA<4>)")


def test_trees():
    made = kernel("C<4>[i] = select(A<8>[i + r] > 0, A<8>[i + r], -2 / 3) * b<5>[r];")
    assert (
        made.tree()
        == """\
Kernel kernel float32
    Variable in A<8>
    Variable in b<5>
    Variable out C<4>
    LoopNest
        Index spatial i in 4
        Move =
            Local sum
            Constant 0
        LoopNest
            Index reduce r in 5
            Move +=
                Local sum
                Binary *
                    Select >
                        Access A[i + r]
                        Constant 0.0
                        Access A[i + r]
                        Binary /
                            Unary -
                                Constant 2.0
                            Constant 3.0
                    Access b[r]
        Move =
            Access C[i]
            Local sum
"""
    )
    guarded = kernel("y<6>[i] = x<6>[i - 1] * 2.0;")
    assert "\n        If\n            Condition i >= 1\n            Move +=" in guarded.tree()
    assert "\n        If\n            Condition h0 < 5\n            Move +=" in guarded.grad_tree()


def test_numerators_keep_their_parentheses():
    made = kernel("y<4>[i] = (a<4>[i] + b<4>[i]) / (a<4>[i] - b<4>[i] * 2) - (a<4>[i] - (b<4>[i] - 1));")
    assert "(a[i] + b[i]) / (a[i] - b[i] * 2.0f)" in made.c_source()
    assert "- a[i] + b[i] - 1.0f" in made.c_source(), "what + and - above all else put together are terms"
    grouped = kernel("y<4>[i] = a<4>[i] / (a<4>[i] - (b<4>[i] - 1)) * (2 / (3 * b<4>[i]));").c_source()
    assert "a[i] / (a[i] - (b[i] - 1.0f)) * (2.0f / (3.0f * b[i]))" in grouped


def test_constants_take_the_type():
    assert "2.0f / 3.0f" in kernel("y<4>[i] = 2 / 3 * a<4>[i];").c_source()
    assert "2.0 / 3.0" in kernel("y<4>[i] = 2 / 3 * a<4>[i];", data_type="double").c_source()
    assert "0.1f" in kernel("y<4>[i] = 1e-1 * a<4>[i];").c_source().replace("0.100000001f", "0.1f")


def test_index_division_is_floored_in_c():
    """C truncates: where the dividend can be negative, and only there, a function floors."""
    assert "mod_index(i - 2, 7)" in kernel("y<7>[i] = x<7>[(i - 2) % 7];").c_source()
    assert "(i + 3) % 7" in kernel("y<7>[i] = x<7>[(i + 3) % 7];").c_source()


def test_signatures():
    made = kernel("C<4, 16>[i, j] = A<4, 16>[i, j] * s<1> + C<4, 16>[i, j];", name="f")
    assert "void f(const float *restrict A, float s, float *restrict C) {" in made.c_source()
    assert "void f(float (&A)[4][16], float s, float (&C)[4][16]) {" in made.c_source("c++")
    total = kernel("L<1> = A<3>[i];", name="total")
    assert "void total(const float *restrict A, float *L) {" in total.c_source()
    assert "void total(float (&A)[3], float &L) {" in total.c_source("c++")


def test_gradient_takes_only_what_it_reads():
    made = kernel("C<4>[i] = A<4>[i] * B<4>[i] + 1.0;", grad_to=["A"])
    assert "kernel_grad(in B<4>, cotangent dC<4>, out dA<4>)" in made.grad_ir()


def test_c_words_as_names():
    text = kernel("restrict<4>[int] = free<4>[int] * malloc<4>[int];").c_source()
    assert "restrict_[int_] = free_[int_] * malloc_[int_]" in text.replace("long ", "")


def test_visitor_and_mutator():
    """A mutator renames; the old tree stays as it is, and what does not change is shared."""

    class Rename(Mutator):
        def mutate_Access(self, node: Access) -> Access:
            return Access("Z", node.indices) if node.name == "A" else node

    class Count(Visitor):
        def __init__(self) -> None:
            self.names: list[str] = []

        def visit_Access(self, node: Access) -> None:
            self.names.append(node.name)

    old = kernel("C<4>[i] = A<4>[i] * B<4>[i]; D<4>[i] = B<4>[i];").forward.body
    new = Rename().mutate(old)
    for tree, names in ((old, ["C", "A", "B", "D", "B"]), (new, ["C", "Z", "B", "D", "B"])):
        count = Count()
        count.visit(tree)
        assert count.names == names
    assert new[1] is old[1]
