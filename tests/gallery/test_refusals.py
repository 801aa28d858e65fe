"""Programs that MindSpore 2.10's graph mode refuses, row by row: here each means what Python says, in every mode."""

# The programs are written as people write them.
# ruff: noqa: B007, C417

from __future__ import annotations

import linecache
import pickle
import sys
import threading
import traceback
import types

import numpy as np
import pytest
from harness import s, t, ways

import anfora as ms
from anfora import Tensor, nn, ops


@pytest.fixture(params=ways())
def run(request):
    """Each way to run a function."""
    return ways()[request.param]


def line_of(function, text):
    """The number of the line of a function that holds a text."""
    lines, first = linecache.getlines(function.__code__.co_filename), function.__code__.co_firstlineno
    return next(n for n in range(first, len(lines)) if text in lines[n - 1])


def test_01_try(run):
    def caught(x):
        try:
            y = x[5]
        except IndexError:
            y = x * 2
        return y

    def cleaned(x, log):
        try:
            return x + 1
        finally:
            log.append("finally")

    log = []
    assert run(caught)(t(1, 2)).tolist() == [2, 4]
    assert run(cleaned)(t(1, 2), log).tolist() == [2, 3] and log == ["finally"]


def test_02_for_else(run):
    def f(x, limit):
        for k in range(3):
            if k == limit:
                break
        else:
            x = -x
        return x

    assert [run(f)(t(1), n).item() for n in (1, 7)] == [1, -1]


def test_03_while_else(run):
    def f(x, limit):
        while x < 4:
            x = x + 1
            if x == limit:
                break
        else:
            x = -x
        return x

    compiled = run(f)
    assert [compiled(s(0.0), n).item() for n in (2, 9)] == [2, -4]


def test_04_comprehension_with_two_loops(run):
    assert [v.item() for v in run(lambda s: [y * 2 for t in s for y in t])([t(1, 2), t(3)])] == [2, 4, 6]


def test_05_sets(run):
    assert run(lambda x: ({1, 2}, {k % 2 for k in range(4)}, x))(t(1))[:2] == ({1, 2}, {0, 1})


def test_06_nonlocal(run):
    def f(x):
        count = 0

        def add():
            nonlocal count
            count += 1
            return x * count

        return add() + add(), count

    value, count = run(f)(t(1, 2))
    assert value.tolist() == [3, 6] and count == 2


def test_07_walrus(run):
    def f(x):
        if (total := x.sum()) > 2:
            return total * 10
        return total

    compiled = run(f)
    assert compiled(t(1, 2)).item() == 30 and compiled(t(1, 0)).item() == 1


def test_08_match(run):
    def f(x, command):
        match command:
            case ["add", n]:
                return x + n
            case {"mul": n}:
                return x * n
        return None

    compiled = run(f)
    assert compiled(t(2), ["add", 3]).item() == 5 and compiled(t(2), {"mul": 4}).item() == 8
    assert compiled(t(2), 5) is None


def test_09_yield(run):
    def f(x):
        def steps():
            for k in range(3):
                yield x * k

        return sum(steps())

    assert run(f)(t(1, 2)).tolist() == [3, 6]


def test_10_del(run):
    def f(x, table):
        y = x * 2
        z = y
        del table["old"], y
        return z, len(table)

    table = {"old": 1, "new": 2}
    value, length = run(f)(t(1), table)
    assert value.item() == 2 and length == 1 and table == {"new": 2}


def test_11_import_inside(run):
    def f(x):
        import math

        return x * math.floor(2.5)

    assert run(f)(t(1, 2)).tolist() == [2, 4]


def test_12_class_inside(run):
    def f(x):
        class Scale:
            factor = 3

            def __call__(self, v):
                return v * self.factor

        return Scale()(x)

    assert run(f)(t(1, 2)).tolist() == [3, 6]


def test_13_complex_numbers(run):
    def f(x):
        return x * 1j

    assert run(lambda x, z: (z * (1 + 2j), x))(t(1), 2)[0] == 2 + 4j
    product = run(f)(t(1))
    assert product.dtype == ms.complex64 and product.tolist() == [1j]
    with pytest.raises(TypeError, match=r"less takes no complex numbers, but got complex64\[1\]") as error:
        run(lambda x: f(x) < 1)(t(1))
    assert f"{__file__}" in [e.filename for e in traceback.extract_tb(error.tb)]


def test_14_branches_of_different_dtype(run):
    def f(x):
        if x.sum() > 0:
            return x.astype(ms.float16)
        return x

    compiled = run(f)
    assert compiled(t(1)).dtype == ms.float16 and compiled(t(-1)).dtype == ms.float32


def test_15_name_set_in_one_branch(run):
    def f(x):
        if x.sum() > 0:
            y = x * 2
        return y

    compiled = run(f)
    assert compiled(t(1)).item() == 2
    with pytest.raises(UnboundLocalError, match="'y'"):
        compiled(t(-1))


def test_16_shape_grows_in_while(run):
    def f(x, n):
        while n > 0:
            x = ops.cat((x, x))
            n = n - 1
        return x

    assert run(f)(t(1, 2), s(3)).shape == (16,)


def test_17_int_becomes_float_in_while(run):
    def f(x):
        n = 0
        while x > 0:
            n = n + 0.5
            x = x - 1
        return n

    n = run(f)(s(5.0))
    assert n == 2.5 and type(n) is float


def test_18_range_of_a_tensor(run):
    def f(x, n):
        for k in range(n):
            x = x + k
        return x

    compiled = run(f)
    assert [compiled(t(1), Tensor(n)).item() for n in (0, 3, 4)] == [1, 4, 7]


def test_19_loop_of_900(run):
    def f(x):
        for k in range(900):
            x = x + 1
            x = x - 0.5
        return x

    assert run(f)(t(0)).item() == 450


def test_20_classmethod_in_a_cell(run):
    class Net(nn.Cell):
        factor = 3

        @classmethod
        def scale(cls, x, n):
            return x * cls.factor * n

        def construct(self, x):
            return self.scale(x, 2)

    assert run(Net())(t(1, 2)).tolist() == [6, 12]


def test_21_first_parameter_with_another_name(run):
    class Net(nn.Cell):
        def construct(this, x):
            return x * 2 if this.training else x

    assert run(Net())(t(1, 2)).tolist() == [1, 2]


def test_22_positional_only(run):
    def f(x, /, n=2, *, k=1):
        return x * n + k

    assert run(f)(t(1), k=5).item() == 7 and run(f)(t(1), 3).item() == 4
    with pytest.raises(TypeError, match="positional-only"):
        run(lambda: f(x=t(1)))()


def test_23_with_on_a_plain_class(run):
    class Scope:
        def __init__(self):
            self.log = []

        def __enter__(self):
            self.log.append("in")
            return 3

        def __exit__(self, *error):
            self.log.append("out")

    def f(x, scope):
        with scope as n:
            x = x * n
        return x

    scope = Scope()
    assert run(f)(t(1), scope).item() == 3 and scope.log == ["in", "out"]


def test_24_keyword_arguments_of_builtins(run, capsys):
    def f(x, a, b):
        print(x.shape, 5, sep="|", end="!\n")
        return list(zip(a, b, strict=True))

    assert run(f)(t(1, 2), [1], [2]) == [(1, 2)]
    assert capsys.readouterr().out == "(2,)|5!\n"
    with pytest.raises(ValueError, match="zip"):
        run(f)(t(1, 2), [1], [2, 3])


def test_25_map_with_a_free_variable(run):
    assert [v.item() for v in run(lambda x: list(map(lambda t: t + x, [1, 2])))(s(5.0))] == [6, 7]


def test_26_iter_and_next(run):
    def f(values):
        it = iter(values)
        return next(it), next(it), next(it, None)

    a, b, c = run(f)([t(1), t(2)])
    assert (a.item(), b.item(), c) == (1, 2, None)


def test_27_pop_and_setdefault(run):
    def f(d, x):
        y = d.pop("k")
        d.setdefault("list", []).append(x)
        return y * 2

    d = {"k": t(3)}
    assert run(f)(d, t(1)).item() == 6 and list(d) == ["list"] and d["list"][0].item() == 1


def test_28_lambda_on_self_and_in_a_call(run):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.act = (lambda k: lambda v: v * k)(3)

        def construct(self, x):
            return self.act(x) + (lambda v: v + 1)(x)

    assert run(Net())(t(1, 2)).tolist() == [5, 9]


def test_29_gradient_with_keyword_arguments(run):
    def f(x, *more, s=1.0):
        return (x * s + sum(more)).sum()

    assert run(lambda x, *args: ms.grad(f)(x, *args, s=3.0))(t(1, 2), t(5, 6)).tolist() == [3, 3]


def test_30_function_made_by_exec(run):
    names = {"ops": ops}
    exec("def helper(x):\n    return ops.relu(x) + 1\n\ndef f(x):\n    return helper(x) * 2\n", names)
    assert run(names["f"])(t(-1, 2)).tolist() == [2, 6]


def test_31_first_call_from_four_threads(run):
    def f(x, n):
        while x.sum() < n:
            x = x * 2
        return x

    compiled, start, found = run(f), threading.Barrier(4), {}

    def work(k):
        start.wait()
        found[k] = compiled(t(k + 1), 100).item()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: 128, 1: 128, 2: 192, 3: 128}


def test_32_index_out_of_range(run):
    def f(x):
        return x[5]

    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with length 1") as error:
        run(f)(t(1))
    assert f"test_refusals.py:{line_of(f, 'x[5]')}" in str(error.value) and "return x[5]" in str(error.value)


def test_33_breakpoint(run, monkeypatch):
    stops = []

    def hook():
        frame = sys._getframe(1)
        stops.append((frame.f_code.co_filename, frame.f_lineno, frame.f_locals["y"].tolist()))

    def f(x):
        y = x * 2
        breakpoint()
        return y + 1

    monkeypatch.setattr(sys, "breakpointhook", hook)
    assert run(f)(t(1, 2)).tolist() == [3, 5]
    [(file, line, y)] = stops
    assert file == __file__ and line == line_of(f, "breakpoint()") and y == [2, 4]


def test_34_pickle(run):
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    x = t([[1, 2]])
    expected = run(net)(x)
    copy = pickle.loads(pickle.dumps(net))
    np.testing.assert_array_equal(run(copy)(x).asnumpy(), expected.asnumpy())


def test_35_misuse_of_a_layer(run):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.head = nn.SequentialCell(nn.ReLU(), nn.Dense(4, 3))

        def construct(self, x):
            return self.head(x)

    with pytest.raises(ValueError, match="do not fit") as error:
        run(Net())(ops.ones((2, 5)))
    text = str(error.value)
    assert f"test_refusals.py:{line_of(Net.construct, 'self.head(x)')}, in " in text and "return self.head(x)" in text
    assert "Net.head" in text and "Dense(input_channels=4, output_channels=3" in text and "(2, 5)" in text
    assert len(text.splitlines()) <= 12


def test_every_row_is_here():
    numbers = [
        int(name[5:7])
        for name, value in globals().items()
        if isinstance(value, types.FunctionType) and name[5:7].isdigit()
    ]
    assert numbers == list(range(1, 36))
