"""How often programs are recorded, where they are left to the interpreter, and that calls do not get into each other's way.
What programs compute is the business of the gallery (tests/gallery)."""

from __future__ import annotations

import copy
import functools
import os
import pickle
import re
import threading
import weakref

import numpy as np
import pytest
from outcomes import in_threads

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.eager import tape
from anfora.graph.run.points import Hop

FACTOR = 2


def hops(function):
    """What a compiled function leaves to the interpreter, by reason."""
    program = function.program
    assert program.native is None, program.native
    points = [*program.entries.values(), *program.points.values()]
    return [variant.end.reason for point in points for variant in point.variants if isinstance(variant.end, Hop)]


def recordings(function):
    return function.program.recordings


def tensor(*values):
    return Tensor(np.array(values, np.float32))


# -- what is compiled again, and what is not --------------------------------------------------------------------------


def test_six_learning_rates_are_one_recording():
    step = ms.jit(lambda x, rate: x - rate * x)
    for rate in (0.1, 0.2, 0.3, 0.5, 1.0, 2.0):
        x = tensor(1, 2)
        assert step(x, rate).tolist() == (x - rate * x).tolist()
    assert recordings(step) == 1


def test_an_int_that_changes_becomes_a_number_that_varies():
    scale = ms.jit(lambda x, k: x * k)
    for k in range(8):
        assert scale(tensor(1, 2), k).tolist() == [k, 2 * k]
    assert recordings(scale) == 2


def test_a_shape_is_recorded_once():
    double = ms.jit(lambda x: x * 2)
    for n in (2, 3, 2, 3, 2):
        assert double(tensor(*range(n))).tolist() == [2.0 * k for k in range(n)]
    assert recordings(double) == 2


def test_a_global_that_changes_is_seen(monkeypatch):
    scale = ms.jit(lambda x: x * FACTOR)
    assert scale(tensor(1, 2)).tolist() == [2, 4]
    monkeypatch.setitem(globals(), "FACTOR", 5)
    assert scale(tensor(1, 2)).tolist() == [5, 10]


def test_a_counter_on_self_settles():
    class Counter:
        steps = 0

        @ms.jit
        def step(self, x):
            self.steps += 1
            return x * self.steps

    counter = Counter()
    for k in range(1, 9):
        assert counter.step(tensor(1.0)).tolist() == [k] and counter.steps == k
    assert recordings(Counter.step) < 5


def test_both_sides_of_a_branch_are_recorded_once():
    sign = ms.jit(lambda x: x if x.sum() > 0 else -x)
    for k in (1.0, -1.0, 2.0, -2.0, 3.0):
        assert sign(tensor(k)).tolist() == [abs(k)]
    assert recordings(sign) == 2 and hops(sign) == ["the data of a tensor"]


def test_a_while_on_a_tensor_finds_back_to_its_start():
    @ms.jit
    def halve(x):
        while x > 1:
            x = x / 2
        return x

    for start in (100.0, 3.0, 0.5, 7777.0):
        x = start
        while x > 1:
            x = x / 2
        assert halve(tensor(start)).tolist() == [np.float32(x)]
    assert len(halve.program.points) < 6


# -- what needs no interpreter ----------------------------------------------------------------------------------------


def cube(x):
    return (x * x * x).sum()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ms.grad(cube)(x),
        lambda x: ms.grad(lambda v: ms.grad(cube)(v).sum())(x),
        lambda x: ms.value_and_grad(cube)(x),
        lambda x: ops.dropout(x, 0.5) + ops.randn(3),
        lambda x: ops.softmax(x, -1) @ x,
        lambda x: sum([x * k for k in range(3)]),
        lambda x: {name: x * k for k, name in enumerate("ab")}["b"],
        lambda x: x[1:].reshape(2, 1).T,
    ],
)
def test_programs_without_a_hop(function):
    compiled = ms.jit(function)
    results = []
    for _ in range(3):
        ms.set_seed(3)
        results.append(compiled(tensor(1, 2, 3)))
    ms.set_seed(3)
    expected = function(tensor(1, 2, 3))
    flat = [part if isinstance(part, tuple) else (part,) for part in (*results, expected)]
    for parts in flat[:-1]:
        assert [p.asnumpy().tobytes() for p in parts] == [p.asnumpy().tobytes() for p in flat[-1]]
    assert hops(compiled) == []


def test_a_training_step_has_no_hop():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    gradients = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

    @ms.jit
    def step(x):
        loss, found = gradients(x)
        optimizer(found)
        return loss

    for _ in range(3):
        step(Tensor(np.ones((2, 3), np.float32)))
    assert hops(step) == []


def test_a_gradient_of_a_program_with_a_branch():
    compiled = ms.jit(lambda x: ms.grad(lambda v: v * v if v > 0 else -v)(x))
    for value in (3.0, -3.0, 3.0, -3.0):
        assert compiled(Tensor(value)).item() == (6.0 if value > 0 else -1.0)


# -- calls beside each other ------------------------------------------------------------------------------------------


def test_eight_threads_in_their_first_call():
    compiled = ms.jit(lambda x: ops.tanh(x * 2 + 1).sum())
    start = threading.Barrier(8)
    results: dict[int, list] = {}

    def run(k):
        start.wait()
        results[k] = [compiled(tensor(k, k + 1)).item() for _ in range(20)]

    in_threads(run)
    for k in range(8):
        assert results[k] == [ops.tanh(tensor(k, k + 1) * 2 + 1).sum().item()] * 20


def test_results_of_two_calls_are_apart():
    weight = Parameter(tensor(2, 3), name="w")
    compiled = ms.jit(lambda x: x * weight)
    first, second = compiled(tensor(1, 1)), compiled(tensor(10, 10))
    (first + second).sum().backward()
    assert first.tolist() == [2, 3] and second.tolist() == [20, 30] and weight.grad.tolist() == [11, 11]


def test_recursion_through_python():
    @ms.jit
    def down(x, k):
        return x if k == 0 else sorted([k], key=lambda _: down(x, k - 1).item())[0] * x

    assert down(tensor(2.0), 3).tolist() == [6.0]


def top_level(x):
    return x + 1


compiled_top_level = ms.jit(top_level)


def test_compiled_functions_are_copied_and_pickled():
    assert copy.deepcopy({"f": compiled_top_level})["f"](tensor(1.0)).tolist() == [2.0]
    net = nn.Dense(2, 2)
    ms.jit(net)(Tensor(np.ones((1, 2), np.float32)))
    twin = pickle.loads(pickle.dumps(net))
    assert twin(Tensor(np.ones((1, 2), np.float32))).tolist() == net(Tensor(np.ones((1, 2), np.float32))).tolist()


def test_too_many_ways_are_left_to_python():
    kinds = ms.jit(lambda x, name: name + str(x.shape))
    assert [kinds(tensor(1.0), str(k)) for k in range(40)] == [f"{k}(1,)" for k in range(40)]
    assert kinds.program.recordings < 20


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["eager", "jit"])
@pytest.mark.parametrize(
    "save", [lambda x: ops.sin(x), lambda x: x.max(), lambda x: nn.GELU()(x)], ids=["operator", "composite", "layer"]
)
def test_a_node_knows_the_line_that_recorded_it(compile, save):
    """Also where the library lies between that line and the operator, and where native code notes the place, which it does
    for an operator that has been called before."""

    @compile
    def saves(x):
        return save(x)

    x = tensor(1, 2)
    x.requires_grad = True
    for _ in range(3):
        slot = tape.taken_apart(saves(x)._node)
        node = slot.node if type(slot) is tape.Output else slot
        place = re.match(r"(\S+):(\d+), in <lambda>", node.place)
        assert place and os.path.basename(place[1]) == os.path.basename(__file__), node.place
        assert int(place[2]) == save.__code__.co_firstlineno


def test_an_object_that_can_be_called_and_not_hashed():
    class Adder:
        __hash__ = None

        def __eq__(self, other):
            return NotImplemented

        __call__ = functools.partialmethod(lambda self, k, x: x + k, 3)

    adder = Adder()
    compiled = ms.jit(lambda x: adder(x) * 2)
    assert [compiled(tensor(1.0)).tolist() for _ in range(3)] == [[8]] * 3


def logs_as_it_goes(x, k):
    loss = (x * x).sum()
    print(f"step {k}: loss {loss.item():.3f}, mean {float(x.mean())!r:>8}")
    return x * 0.5 + int(loss)


def returns_numbers(x, k):
    return float(x.sum()), int(x.max()), k, f"{x.min().item():.1f}", round(x.sum().item(), 1), str(int(x.max()))


@pytest.mark.parametrize("program", [logs_as_it_goes, returns_numbers])
def test_numbers_and_texts_from_data_do_not_end_in_python(program, capsys):
    compiled = ms.jit(program)
    for k in range(40):
        x = Tensor([float(k), 2.5, -3.0 * k])
        shown = [(repr(function(x, k)), capsys.readouterr().out) for function in (program, compiled)]
        assert shown[0] == shown[1]
    assert compiled.program.native is None and recordings(compiled) < 25


def test_a_text_from_data_may_decide():
    def program(x):
        name = f"{int(x)}"
        return x * 2 if name == "7" else x * len(name)

    compiled = ms.jit(program)
    for value in [*range(12), 7, 7, 3]:
        assert compiled(Tensor(float(value))).item() == program(Tensor(float(value))).item()


def test_what_a_hop_gives_may_have_been_there_before():
    def look(x, reference):
        y = reference()
        return x * 10 + y

    compiled, one, two = ms.jit(look), tensor(1.0), tensor(2.0)
    reference = weakref.ref(one)
    for x in (one, two, one, one, two):
        assert compiled(x, reference).tolist() == look(x, reference).tolist()


def test_arguments_that_are_one_object_in_one_call():
    def choose(x, y, flag):
        if flag:
            return x + 2 * y
        return x - 2 * y

    compiled, one, two = ms.jit(choose), tensor(5.0), tensor(1.0)
    calls = [(one, two, True), (one, one, False), (one, two, False), (two, two, True), (one, one, False)]
    for x, y, flag in calls:
        assert compiled(x, y, Tensor(flag)).tolist() == choose(x, y, Tensor(flag)).tolist()
