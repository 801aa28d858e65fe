"""Random operators: the same numbers, in program order."""

from __future__ import annotations

from harness import call, factory, i, program, s, t

import anfora as ms
from anfora import nn, ops


@program()
def dropout_function(x):
    return ops.dropout(x, p=0.5, training=True)


@program()
def order_of_draws(x):
    a = ops.randn(2)
    b = ops.rand(3)
    return b, a, x * ops.randn(1)


@program(lambda: [call(t(1, 2)), call(t(-1, 2))])
def draw_in_one_branch(x):
    if x[0] > 0:
        x = x + ops.randn(2)
    return x * ops.rand(2)


@program(lambda: [call(s(3)), call(s(1)), call(s(0))])
def draws_in_a_loop_on_data(n):
    out = []
    while n > 0:
        out.append(ops.randint(0, 10, (2,)))
        n = n - 1
    return out, ops.rand(1)


@program()
def unused_draw_moves_the_stream(x):
    ops.randn(5)
    return ops.rand(2) + 0 * x.sum()


@program()
def seed_inside(x):
    ms.set_seed(7)
    a = ops.randn(2)
    ms.set_seed(7)
    return a, ops.randn(2)


@program()
def random_state_is_kept_and_restored(x):
    state = ms.get_rng_state()
    a = ops.rand(2)
    ms.set_rng_state(state)
    return a, ops.rand(2)


@program(lambda: [call(t(0.1, 0.7, 0.2), 4), call(t(0.5, 0.5), 2)])
def sampling_from_probabilities(p, n):
    return ops.multinomial(p, n, replacement=True), ops.bernoulli(p)


@program()
def random_permutation_as_index(x):
    order = ops.randperm(x.shape[0])
    return x[order], order


@program(grad=True)
def reparametrised_noise(x):
    return x + ops.exp(x * 0.5) * ops.randn(x.shape)


@program(lambda: [call(t(1, 2, 3, 4), True), call(t(1, 2, 3, 4), False)])
def dropout_cell_in_both_modes(x, training):
    layer = nn.Dropout(p=0.5)
    layer.set_train(training)
    return layer(x)


@factory(grad=True)
def dropout_gradient_uses_the_same_mask(jit):
    layer = nn.Dropout(p=0.5)
    layer.set_train()

    def run(x):
        return layer(x * 2)

    return run


@program()
def random_number_decides(x):
    if ops.rand(1) > 0.5:
        return x, "heads"
    return -x, "tails"


@program(lambda: [call(i(0, 0, 0))])
def random_walk(x):
    for k in range(3):
        step = int(ops.randint(0, 2, (1,))[0])
        x[k] = step * 2 - 1
    return x.sum()


@program()
def standard_normal_and_uniform(x):
    return ops.standard_normal((2,)), ops.uniform((2,), ms.Tensor(0.0), ms.Tensor(2.0)), ops.normal((2,), 0.0, 1.0)


@program(lambda: [call(t(1, 2), 3), call(t(1, 2), 0)], raises=True)
def draw_before_an_error(x, n):
    noise = ops.randn(2)
    return x + noise, 1 / n
