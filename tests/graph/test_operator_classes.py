"""Operators in their older form, `ops.Concat(1)((x, y))`, that are made inside of compiled functions; and what is looked
for in tensors. Each program is run by Python and compiled, call after call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from outcomes import Programs, bits, outcome

import anfora as ms
from anfora import Tensor, ops

PROGRAMS = Programs()
program = PROGRAMS.enter  #: for functions of a tensor of shape (2, 2)


@program()
def operators_of_a_model(x):
    y = ops.Concat(1)((x, ops.ReLU()(x)))
    mean = ops.ReduceMean(keep_dims=True)(y, -1)
    return (
        ops.MatMul(transpose_b=True)(y, y),
        ops.Softmax(-1)(mean),
        ops.Cast()(x, ms.float16),
        ops.Transpose()(x, (1, 0)),
    )


@program()
def operators_with_random_numbers(x):
    return ops.StandardNormal()((2, 2)), ops.Dropout(0.5)(x), ops.UniformReal()((3,))


@program("ops.StandardNormal(seed=3)", "normal", "normal((2,))")
def operator_with_a_stream_of_its_own(x):
    normal = ops.StandardNormal(seed=3)
    return normal((2,)), normal((2,)), x


@program()
def functions_with_fixed_arguments(x):
    def scale(factor, v):
        return v * factor

    return ops.Map()(ops.Partial()(scale, 3.0), (x, x + 1)), ops.partial(scale, 2)(x)


@program()
def operator_in_a_list(x):
    layers = [ops.Sigmoid(), ops.ReduceSum(True), ops.LRN(2)]
    y = layers[0](x)
    return layers[1](y, 0), layers[2](y.reshape(1, 2, 2, 1)), repr(layers[1]), layers[1].keep_dims, layers[1].name


@program('print(end="")')
def operator_lives_on_behind_a_hop(x):
    total = ops.ReduceSum(True)
    print(end="")
    return total(x, 1)


@program('total.add_prim_attr("note", 1)', "total", "total.attrs", "total(x, 1)")
def names_are_noted_on_an_operator(x):
    total = ops.ReduceSum(True)
    total.add_prim_attr("note", 1)
    return dict(total.attrs), total(x, 1)


@program()
def operator_is_returned(x):
    return repr(ops.Concat(1)), ops.Concat(axis=1)([x, x])


@program()
def numbers_are_looked_for_in_a_tensor(x):
    found = [4.0 in x, 1 in x, True in x, x[0] in x, 7 not in x, x.shape[0] in x]
    return found, x * 2 if x[0, 0] * 2 - x[0, 0] in x else x


@program('"1" in x', "None in x", "(1,) not in x")
def other_things_are_looked_for_in_a_tensor(x):
    return ["1" in x, None in x, (1,) not in x]


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_program(name: str) -> None:
    function, hops = PROGRAMS[name]

    def calls(run: Callable) -> tuple:
        ms.set_seed(3)
        found = []
        for k in (1, 4, 1, 7):
            found.append(outcome(run, Tensor(np.array([[1, 2], [3, k]], np.float32))))
        return found, ms.get_rng_state().tolist()

    compiled = ms.jit(function)
    assert calls(compiled) == calls(function)
    assert compiled.program.native is None
    report = ms.explain(compiled)(Tensor([[1.0, 2.0], [3.0, 1.0]]))
    assert {hop.text for hop in report.hops} <= set(hops) and bool(report.hops) is bool(hops)


def test_shapes_that_do_not_fit_are_refused_where_a_tensor_is_looked_for() -> None:
    def run(x: Tensor) -> bool:
        return Tensor([1.0, 2.0, 3.0]) in x

    x = Tensor([1.0, 2.0])
    for _ in range(2):
        assert outcome(ms.jit(run), x) == outcome(run, x)


@pytest.mark.parametrize("make", [lambda k: ops.ReduceSum(k), lambda k: ops.ReduceMean(keep_dims=k)])
def test_another_operator_in_another_call(make: Callable, capsys: pytest.CaptureFixture) -> None:
    holder: list[Any] = [True]

    def plain(x: Tensor) -> Tensor:
        return make(holder[0])(x, 1)

    def behind_a_hop(x: Tensor) -> Tensor:
        total = make(holder[0])
        print(total)  # may keep it
        return total(x, 1)

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for function in (plain, behind_a_hop):
        compiled = ms.jit(function)
        for keep_dims in (True, False, True, False):
            holder[0] = keep_dims
            assert bits(compiled(x)) == bits(function(x))
    capsys.readouterr()


def test_each_call_makes_another_operator() -> None:
    make = ms.jit(lambda x: (ops.Concat(1), ops.ReLU()))
    one, other = make(Tensor(1.0)), make(Tensor(1.0))
    assert one[0] is not other[0] and one[1] is not other[1] and repr(one) == repr(other)
    one[0].add_prim_attr("a", 1)
    assert make(Tensor(1.0))[0].attrs == {} == other[0].attrs


def test_what_is_noted_on_an_operator_from_outside_is_noted_in_each_call() -> None:
    def runs(jit: Callable) -> list:
        add = ops.Add()

        @jit
        def run(x: Tensor) -> Tensor:
            add.add_prim_attr(f"call {len(add.attrs)}", 1)
            add.attrs["count"] = add.attrs.get("count", 0) + 1
            add.last = add.attrs["count"]
            return add(x, x)

        return [(bits(run(Tensor(1.0))), dict(add.attrs), add.last) for _ in range(4)]

    assert runs(ms.jit) == runs(lambda function: function)
