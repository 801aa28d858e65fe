"""`loss.backward()`, `.grad` and `requires_grad` inside of compiled functions: gradients, what is left at tensors, and
errors are those of PyNative mode, call after call; and the interpreter has no part in it where the walk stays in the
program."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from outcomes import bits, hops, outcome

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops, optim
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.verify import verify
from anfora.graph.tell.typed import typed
from anfora.nn import Cell


def t(*numbers):
    return Tensor(np.array(numbers, np.float32))


def values(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


class Net(Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(3, 4, weight_init=values(4, 3, seed=1), bias_init=values(4, seed=2))
        self.second = nn.Dense(4, 2, weight_init=values(2, 4, seed=3), bias_init=values(2, seed=4))

    def construct(self, x):
        return self.second(ops.relu(self.first(x)))


BATCHES = [(values(5, 3, seed=k), Tensor(np.arange(5) % 2, ms.int32)) for k in (5, 6, 7, 8)]
ROWS = [(values(2, 3, seed=k),) for k in (5, 6, 7, 8)]


def compare(make, calls, hop_count=0):
    """What `make()` gives, a function and what else to look at, is run twice: as it is, and compiled."""
    plain, look = make()
    function, look_compiled = make()
    compiled = jit(function)
    for k, arguments in enumerate(calls):
        expected, found = outcome(plain, *copy.deepcopy(arguments)), outcome(compiled, *copy.deepcopy(arguments))
        assert found == expected, k
        assert bits(look_compiled()) == bits(look()), k
    assert compiled.program.native is None
    assert len(set(hops(compiled))) == hop_count, hops(compiled)
    return compiled


def left(parameters):
    """What can be seen of some tensors between two calls."""
    return lambda: [(p, p.grad, p.requires_grad, p.is_leaf) for p in parameters]


# -- steps of training ------------------------------------------------------------------------------------------------


def step_and_zero(net, optimizer, loss_of):
    def step(x, y):
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step


def zero_first(net, optimizer, loss_of):
    def step(x, y):
        optimizer.zero_grad()
        output = net(x)
        loss = loss_of(output, y)
        loss.backward()
        optimizer.step()
        return loss, output

    return step


def zeros_first(net, optimizer, loss_of):
    def step(x, y):
        optimizer.zero_grad(set_to_none=False)
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def by_hand(net, optimizer, loss_of):
    def step(x, y):
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer(tuple(p.grad for p in optimizer.parameters))
        for p in optimizer.parameters:
            p.grad = None
        return loss

    return step


def accumulates(net, optimizer, loss_of):
    def step(x, y):
        for k in (0, 2):
            loss = loss_of(net(x[k : k + 3]), y[k : k + 3])
            (loss / 2).backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step


def clips(net, optimizer, loss_of):
    def step(x, y):
        loss = loss_of(net(x), y)
        loss.backward()
        norm = ops.sqrt(sum((p.grad * p.grad).sum() for p in optimizer.parameters))
        for p in optimizer.parameters:
            p.grad = p.grad * ops.minimum(1.0 / norm, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss, norm

    return step


OPTIMIZERS = {
    "SGD": lambda parameters: nn.SGD(parameters, 0.1),
    "momentum": lambda parameters: optim.SGD(parameters, 0.1, momentum=0.9, weight_decay=0.01),
    "Adam": lambda parameters: nn.Adam(parameters, 0.01),
    "AdamW": lambda parameters: nn.AdamWeightDecay(parameters, 0.01),
    "LARS": lambda parameters: nn.LARS(nn.Momentum(parameters, 0.1, 0.9)),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("form", [step_and_zero, zero_first, zeros_first, by_hand, accumulates, clips])
def test_a_step_of_training_leaves_what_pynative_mode_leaves(form, optimizer):
    def make():
        net = Net()
        made = OPTIMIZERS[optimizer](net.trainable_params())
        step = form(net, made, nn.CrossEntropyLoss())
        return step, left([*net.get_parameters(), *made.get_parameters()])

    compare(make, BATCHES * 2)


# -- small programs ---------------------------------------------------------------------------------------------------


def on_parameters(function):
    """A program that gets two Parameters, and has no other tensors."""

    def make():
        held = [Parameter(t(1, 2), name="a"), Parameter(t(3, 4), name="b")]
        return (lambda x: function(x, *held)), left(held)

    return make


def accumulation(x, a, b):
    (x * a * a).sum().backward()
    return a.grad


def twice_in_one_call(x, a, b):
    (x * a).sum().backward()
    first = a.grad
    (a * b).sum().backward()
    return first, a.grad, first is a.grad


def read_before_and_after(x, a, b):
    before = a.grad
    (x * a).sum().backward()
    return before, a.grad, b.grad is None


def set_to_the_same_tensor(x, a, b):
    a.grad = x
    b.grad = x
    return a.grad is x, a.grad is b.grad


def forget_and_add(x, a, b):
    a.grad = None
    (a * x).sum().backward()
    grad = a.grad
    a.grad = b.grad = None
    return grad


def keeps_the_graph(x, a, b):
    loss = (x * a * b).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    return a.grad, b.grad


def gives_a_gradient(x, a, b):
    (a * b * x).backward(x)
    return a.grad


def gives_a_gradient_that_is_passed_on(x, a, b):
    (a + 0).backward(x)
    return a.grad is x, a.grad


def numbers_in_front_of_tensors(x, a, b):
    (a * 2.5 + b**3).sum().backward()
    return a.grad, b.grad


def of_several_elements(x, a, b):
    (a * x).backward()


def of_another_shape(x, a, b):
    (a * x).backward(x.sum())


def without_history(x, a, b):
    (x * 2).sum().backward()


def of_a_used_up_graph(x, a, b):
    loss = (a * a * x).sum()
    loss.backward()
    loss.backward()


def used_up_is_caught(x, a, b):
    loss = (a * a * x).sum()
    loss.backward()
    try:
        loss.backward()
    except RuntimeError as error:
        return error.message


def changed_in_place(x, a, b):
    y = a * 1
    z = (y * y).sum()
    y.add_(1)
    z.backward()


def under_no_grad(x, a, b):
    with ms.no_grad():
        loss = (a * x).sum()
        a.grad = x * 2
    return loss.requires_grad, a.grad


def results_used_further(x, a, b):
    y = a * x
    y.sum().backward()
    a.grad = a.grad * 2
    return y * 2, a.grad + 1


def of_an_input(x, a, b):
    leaf = x.copy().requires_grad_()
    (leaf * leaf * a).sum().backward()
    return leaf.grad, leaf.is_leaf, leaf


def of_a_detached_input(x, a, b):
    leaf = x.detach().requires_grad_()
    y = (leaf * a).sum()
    y.backward()
    return leaf.grad, y.requires_grad


def of_an_input_that_is_dropped(x, a, b):
    leaf = (x + 1).requires_grad_(True)
    y = (leaf * a * a).sum()
    y.backward(retain_graph=True)
    return y


def of_a_literal(x, a, b):
    leaf = Tensor([1.0, 2.0])
    leaf.requires_grad = True
    (leaf * x).sum().backward()
    return leaf.grad, leaf.requires_grad


def adds_noise(x, a, b):
    ms.set_seed(3)
    y = ops.dropout(a * x, p=0.5)
    y.sum().backward()
    return a.grad, y


def half_precision(x, a, b):
    y = a.astype(ms.float16) * x
    y.sum().backward()
    return a.grad.dtype, a.grad


def requires_it_and_not(x, a, b):
    a.requires_grad = False
    first = (a * b).sum()
    a.requires_grad = True
    second = (a * b).sum()
    first.backward()
    second.backward()
    return first.requires_grad, a.requires_grad, a.is_leaf, a.grad, b.grad


def frozen(x, a, b):
    b.requires_grad = False
    loss = (a * b * x).sum()
    loss.backward()
    b.requires_grad_()
    return b.grad, a.grad, b.requires_grad


def requires_of_an_argument(x, a, b):
    x.requires_grad_()
    loss = (a * x).sum()
    loss.backward()
    return x.grad, x.requires_grad


def mean_of_a_long_program(x, a, b):
    for k in range(5):
        loss = (a * x + b * k).mean()
        loss.backward()
        a.set_data(a.detach() - 0.1 * a.grad)
        a.grad = None
    return a * 1, b.grad


#: By program, the reasons for hops that there are.
PROGRAMS = {
    accumulation: 0, twice_in_one_call: 0, read_before_and_after: 0, set_to_the_same_tensor: 0, forget_and_add: 0,
    keeps_the_graph: 0, gives_a_gradient: 0, gives_a_gradient_that_is_passed_on: 0, numbers_in_front_of_tensors: 0,
    changed_in_place: 0, requires_it_and_not: 1, adds_noise: 1,
    of_several_elements: 1, of_another_shape: 1, without_history: 1, of_a_used_up_graph: 1, used_up_is_caught: 2,
    under_no_grad: 0, results_used_further: 0, of_an_input: 0, of_a_detached_input: 0,
    of_an_input_that_is_dropped: 0, of_a_literal: 0, half_precision: 0, frozen: 0,
    requires_of_an_argument: 0, mean_of_a_long_program: 0,
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_leaves_what_pynative_mode_leaves(program):
    compare(on_parameters(program), [(t(1, 2),), (t(3, 4),), (t(5, -6),), (t(7, 0),)], PROGRAMS[program])


# -- what later calls may bring ---------------------------------------------------------------------------------------


def both(function):
    """Called with things of their own, a function and what is compiled of it give the same."""
    compiled = jit(function)

    def check(make):
        assert outcome(compiled, *make()) == outcome(function, *make())

    check.compiled = compiled
    return check


def test_two_parameters_may_be_one_in_a_later_call():
    def run(a, b):
        (a * b * b).sum().backward()
        return a.grad, b.grad, a.grad is b.grad

    def apart():
        return Parameter(t(1, 2)), Parameter(t(3, 4))

    def tied():
        a = Parameter(t(1, 2))
        return a, a

    check = both(run)
    for make in (apart, tied, apart, tied):
        check(make)
    assert not hops(check.compiled)


def test_a_leaf_may_be_a_result_in_a_later_call():
    def run(x, a):
        (x * a).sum().backward()
        return x.is_leaf, a.grad, x.requires_grad

    def leaf():
        return t(1, 2).requires_grad_(), Parameter(t(3, 4))

    def result():
        return Parameter(t(5, 6)) * 2, Parameter(t(3, 4))

    def plain():
        return t(1, 2), Parameter(t(3, 4))

    check = both(run)
    for make in (leaf, result, plain, leaf, result):
        check(make)


def test_gradients_of_an_argument_are_added_to_what_it_has():
    def run(x, a):
        (x * x * a).sum().backward()
        return x.grad

    def fresh():
        return t(1, 2).requires_grad_(), Parameter(t(3, 4))

    def used():
        x, a = fresh()
        x.grad = t(5, 6)
        a.grad = t(7, 8)
        return x, a

    check = both(run)
    for make in (fresh, used, fresh, used):
        check(make)
    assert not hops(check.compiled)


def test_the_sum_of_gradients_is_another_tensor_in_each_call():
    a = Parameter(t(1, 2))
    run = jit(lambda x: (a * x).sum().backward())
    seen = []
    for _ in range(4):
        run(t(1, 1))
        seen.append(a.grad)
    assert [g.tolist() for g in seen] == [[1, 1], [2, 2], [3, 3], [4, 4]]
    assert len(set(map(id, seen))) == 4 and not hops(run)


def test_a_gradient_that_the_program_holds_is_the_one_in_grad():
    a = Parameter(t(1, 2))
    held = []

    def run(x):
        (a * x).sum().backward()
        held.append(a.grad)
        return a.grad

    compiled = jit(run)
    for _ in range(3):
        assert compiled(t(1, 1)) is a.grad is held[-1]


def test_a_loss_that_is_returned_has_been_used_up():
    a = Parameter(t(1, 2))

    def run(x, keep):
        loss = (a * a * x).sum()
        loss.backward(retain_graph=keep)
        return loss

    compiled = jit(run)
    for function in (run, compiled, compiled, compiled):
        a.grad = None
        loss = function(t(3, 4), False)
        with pytest.raises(RuntimeError, match="the gradient of reduce_sum has been taken already"):
            loss.backward()
        loss = function(t(3, 4), True)
        loss.backward()
        assert a.grad.tolist() == [18, 48]
        loss = None
    assert not hops(compiled)


def test_what_is_not_walked_over_can_be_walked_over_later():
    def run(x, a):
        y = a * x
        (y * 2).sum().backward()
        other = (a * a * 3).sum()
        return other, y

    def make():
        return t(1, 2), Parameter(t(3, 4))

    compiled = jit(run)
    for function in (run, compiled, compiled):
        x, a = make()
        other, y = function(x, a)
        other.backward()
        assert a.grad.tolist() == [20, 28]
        with pytest.raises(RuntimeError, match="has been taken already"):
            y.sum().backward()


def test_forgotten_gradients_stay_forgotten_where_an_operator_fails():
    def make():
        net = Net()
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        return zero_first(net, optimizer, nn.CrossEntropyLoss()), left(net.trainable_params())

    x, y = BATCHES[0]
    compiled = compare(make, [(x, y), (x, y), (x, y + 5), (x, y), (x, y + 7)])
    assert compiled.program.recordings < 6


def test_something_is_changed_outside_in_front():
    def make():
        net, state = Net(), {"steps": 0, "log": []}
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        train = step_and_zero(net, optimizer, nn.CrossEntropyLoss())

        def step(x, y):
            state["steps"] += 1
            loss = train(x, y)
            state["log"].append(loss)
            return state["steps"]

        parameters = net.trainable_params()
        return step, lambda: (state, left(parameters)())

    compare(make, BATCHES * 2)


def test_nothing_is_refused_where_everything_must_be_compiled():
    net, state = Net(), {"steps": 0}
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    train = step_and_zero(net, optimizer, ops.cross_entropy)

    def step(x, y):
        state["steps"] += 1
        return train(x, y)

    compiled = jit(step, fullgraph=True)
    for arguments in BATCHES:
        compiled(*arguments)
    assert state["steps"] == len(BATCHES) and not hops(compiled)


def test_a_number_read_in_the_middle_leaves_the_walk_to_the_interpreter():
    def make():
        net, seen = Net(), []
        optimizer = nn.SGD(net.trainable_params(), 0.1)

        def step(x, y):
            loss = ops.cross_entropy(net(x), y)
            seen.append(float(loss))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

        return step, left(net.trainable_params())

    compiled = compare(make, BATCHES * 2, hop_count=1)
    assert "backward" in hops(compiled)[0]


def test_parameters_without_a_gradient_stay():
    def make():
        net = Net()
        net.first.weight.requires_grad = False
        optimizer = nn.Adam([*net.get_parameters()], 0.1, weight_decay=0.1)
        return step_and_zero(net, optimizer, nn.CrossEntropyLoss()), left([*net.get_parameters()])

    compare(make, BATCHES)


def test_a_step_without_any_gradient_is_refused():
    def make():
        net = Net()
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        return lambda x: optimizer.step(), left(net.trainable_params())

    compare(make, ROWS)


def test_layers_are_frozen_after_some_steps():
    def make():
        net, state = Net(), {"steps": 0}
        optimizer = nn.SGD(net.trainable_params(), 0.1)

        def step(x, y):
            state["steps"] += 1
            if state["steps"] == 3:
                for p in net.first.trainable_params():
                    p.requires_grad = False
            loss = ops.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return loss, len(net.trainable_params())

        return step, left(net.get_parameters())

    compare(make, BATCHES * 2)


def test_numbers_that_vary():
    def run(x, rate, a):
        (a * rate * x + a**2 * 0.5).sum().backward()
        return a.grad

    compiled = jit(run)
    for rate in (0.5, 0.25, -3.0, 1e-3):
        x, a = t(1, 2), Parameter(t(3, 4))
        b = Parameter(t(3, 4))
        assert outcome(compiled, x, rate, a) == outcome(run, x, rate, b)
    assert not hops(compiled) and compiled.program.recordings < 4


def test_the_data_of_a_parameter_is_seen_outside():
    def run(x, a):
        (a * a * x).sum().backward()
        return a.grad

    compiled = jit(run)
    for _ in range(3):
        a, b = Parameter(t(3, 4)), Parameter(t(3, 4))
        seen = a.asnumpy(), b.asnumpy()
        assert outcome(compiled, t(1, 2), a) == outcome(run, t(1, 2), b)
        seen[0][:] = 1


def test_memory_that_is_seen_outside_is_changed_in_front_of_the_walk():
    def run(x, a):
        loss = (a * a * x).sum()
        with ms.no_grad():
            a.add_(1)
        loss.backward()
        return a.grad

    compiled = jit(run)
    for is_seen in (True, False, True, False):
        a, b = Parameter(t(3, 4)), Parameter(t(3, 4))
        seen = [p.asnumpy() for p in (a, b)] if is_seen else []
        found, expected = outcome(compiled, t(1, 2), a), outcome(run, t(1, 2), b)
        assert found[:1] == expected[:1] and (not is_seen or found == expected)
        assert len(seen) == 2 * is_seen


def test_in_graph_mode():
    class Step(Cell):
        def __init__(self):
            super().__init__()
            self.net = Net()
            self.optimizer = nn.Adam(self.net.trainable_params(), 0.01)
            self.loss = nn.CrossEntropyLoss()

        def construct(self, x, y):
            self.optimizer.zero_grad()
            loss = self.loss(self.net(x), y)
            loss.backward()
            self.optimizer.step()
            return loss

    def run(mode):
        ms.set_context(mode=mode)
        try:
            step = Step()
            losses = [step(x, y) for x, y in BATCHES * 2]
            return bits((losses, [(p, p.grad) for p in step.get_parameters()])), ms.explain(step)(*BATCHES[0])
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    (plain, _), (compiled, report) = run(ms.PYNATIVE_MODE), run(ms.GRAPH_MODE)
    assert compiled == plain
    assert not report.hops


def test_one_plan_as_value_and_grad():
    """The rows are those of `value_and_grad` with an optimizer."""
    x, y = BATCHES[0]

    def rows(step):
        compiled = jit(step)
        for _ in range(3):
            compiled(x, y)
        [*_, last] = [v for p in compiled.program.entries.values() for v in p.variants]
        assert not last.runner.is_one_by_one and not hops(compiled)
        return [row.entry.op.name for row in last.piece.calls]

    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    gradients = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, given = gradients(x, y)
        optimizer(given)
        return loss

    assert rows(step_and_zero(net, optimizer, ops.cross_entropy)) == rows(step)


@pytest.mark.parametrize("fused", [False, True])
def test_as_a_graph_it_does_the_same(fused):
    def make():
        net = Net()
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        return by_hand(net, optimizer, ops.cross_entropy), left(net.trainable_params())

    plain, look = make()
    step, look_compiled = make()
    compiled = jit(step)
    for arguments in BATCHES[:3]:
        plain(*arguments)
        compiled(*arguments)
    [made] = typed(compiled.program, fused=fused)
    verify(made.graph)
    for arguments in BATCHES:
        assert bits(evaluate(made.graph, *arguments)) == bits(plain(*arguments))
        assert bits(look_compiled()) == bits(look())


def test_it_is_checked():
    def step(net, optimizer, x, y):
        loss = ops.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    compiled = jit(step, check=True)
    for arguments in BATCHES:
        compiled(net, optimizer, *arguments)
    assert not hops(compiled)


# -- hooks ------------------------------------------------------------------------------------------------------------


def hook_that_looks(x, a, b, log):
    y = a * x
    y.register_hook(log.append)
    (y * b).sum().backward()
    return a.grad


def hook_that_replaces(x, a, b, log):
    y = a * x
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: log.append(g))
    (y * y).sum().backward()
    return a.grad, y.hooks()[1:] == []


def hook_on_one_of_several(x, a, b, log):
    first, second = ops.split(ops.concat((a * x, b * x)), 2)
    first.register_hook(lambda g: log.append(g) or g + 1)
    (first * second).sum().backward()
    return a.grad, b.grad


def hook_on_a_leaf_of_the_program(x, a, b, log):
    leaf = x.copy().requires_grad_()
    leaf.register_hook(lambda g: g * 3)
    (leaf * a).sum().backward()
    return leaf.grad


def hook_that_raises(x, a, b, log):
    def refuse(g):
        log.append(1)
        raise ValueError("no")

    y = a * x
    y.register_hook(refuse)
    (y + b * 2).sum().backward()


def hook_that_raises_is_caught(x, a, b, log):
    def refuse(g):
        raise ValueError("no")

    y = a * x
    y.register_hook(refuse)
    loss = (y * y).sum()
    try:
        loss.backward()
    except ValueError as error:
        log.append(error.args)
    b.grad = x
    return a.grad, b.grad


def hook_for_a_walk_outside(x, a, b, log):
    y = a * x
    y.register_hook(lambda g: log.append(g) or g * 2)
    return (y * y).sum(), y


def hook_with_a_hop(x, a, b, log):
    y = a * x
    y.register_hook(lambda g: log.append(float(g.sum())))
    (y * b).sum().backward()
    return a.grad


def hook_whose_handle_is_kept(x, a, b, log):
    y = a * x
    handle = y.register_hook(lambda g: g * 10)
    handle.remove()
    (y * b).sum().backward()
    return a.grad


HOOKED = {
    hook_that_looks: 0, hook_that_replaces: 1, hook_on_one_of_several: 0, hook_on_a_leaf_of_the_program: 0,
    hook_that_raises: 0, hook_that_raises_is_caught: 0, hook_for_a_walk_outside: 0, hook_with_a_hop: 1,
    hook_whose_handle_is_kept: 3,
}  # fmt: skip


@pytest.mark.parametrize("program", HOOKED, ids=lambda program: program.__name__)
def test_hooks_see_and_replace_gradients(program):
    def make():
        held, log = [Parameter(t(1, 2), name="a"), Parameter(t(3, 4), name="b")], []

        def run(x):
            return program(x, *held, log)

        def look():
            return left(held)(), log

        return run, look

    compare(make, [(t(1, 2),), (t(3, 4),), (t(5, -6),)], HOOKED[program])


def test_a_walk_from_outside_calls_the_hook():
    log = []
    a = Parameter(t(1, 2))
    compiled = jit(hook_for_a_walk_outside)
    for function in (hook_for_a_walk_outside, compiled, compiled, compiled):
        loss, y = function(t(1, 2), a, None, log)
        assert len(y.hooks()) == 1
        a.grad = None
        loss.backward()
        assert [g.tolist() for g in log] == [[2, 8]] and a.grad.tolist() == [4, 32]
        log.clear()
    assert not hops(compiled)


def test_hooks_on_parameters_are_looked_for_in_each_call():
    a = Parameter(t(1, 2))

    def run(x):
        a.grad = None
        (a * x).sum().backward()
        return a.grad

    compiled = jit(run)
    for _ in range(2):
        assert compiled(t(3, 4)).tolist() == [3, 4]
        handle = a.register_hook(lambda g: g * 2)
        assert compiled(t(3, 4)).tolist() == [6, 8]
        handle.remove()
        assert compiled(t(3, 4)).tolist() == [3, 4]
        assert compiled(t(5, 6)).tolist() == [5, 6]
    assert not hops(compiled)


def test_hooks_of_cells_and_gradients_of_the_programs_own_in_front_of_backward():
    class Reverse(Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, dout):
            return (-dout,)

    def make():
        net, reverse, seen = Net(), Reverse(), []
        net.register_backward_hook(lambda cell, given, taken: seen.append(taken[0]))

        def run(x):
            reverse(net(x)).sum().backward()
            return net.first.weight.grad

        return run, lambda: (left(net.get_parameters())(), seen)

    compare(make, ROWS)
