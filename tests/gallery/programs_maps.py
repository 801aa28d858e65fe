"""`vmap`, `jvp`, `vjp` and Jacobians as people use them: per-example gradients, curvature, sensitivities, ensembles."""

# The programs are written as people write them.

from __future__ import annotations

import numpy as np
from harness import call, factory, i, program, s, t

import anfora as ms
from anfora import Parameter, Tensor, nn, ops


def matrix(seed, *shape):
    return Tensor(np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32))


@factory(lambda: [call(matrix(1, 4, 3), i(0, 1, 1, 0)), call(matrix(2, 4, 3), i(1, 1, 0, 0))])
def gradients_of_each_example(jit):
    ms.set_seed(3)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))

    def loss(x, label):
        return ops.cross_entropy(ops.expand_dims(net(x), 0), ops.expand_dims(label, 0))

    def run(x, labels):
        return ms.vmap(ms.grad(loss, None, net.trainable_params()))(x, labels)

    return run


@factory(lambda: [call(matrix(1, 4, 3), i(0, 1, 1, 0)), call(matrix(2, 4, 3), i(1, 1, 0, 0))])
def clipped_gradients_of_each_example(jit):
    w = Parameter(matrix(5, 3, 2), name="w")

    def loss(x, label):
        return ops.log_softmax(ops.matmul(x, w), 0)[label]

    def run(x, labels):
        rows = ms.vmap(lambda a, b: ops.log_softmax(ops.matmul(a, w), 0).gather(b, 0))(x, labels)
        each = [ms.grad(loss, None, w)(x[k], labels[k]) for k in range(x.shape[0])]
        norms = [g.norm() for g in each]
        return rows, sum(g * ops.minimum(0.5 / n, ops.ones_like(n)) for g, n in zip(each, norms))

    return run


@program(lambda: [call(t(1, 2, -1)), call(t(0.5, 0, 3))])
def largest_curvature_by_power_iteration(x):
    def f(v):
        return (ops.sin(v) * v).sum() + v[0] * v[1] * v[2]

    direction = ops.ones_like(x)
    for _ in range(5):
        product = ms.jvp(ms.grad(f), x, direction)[1]
        direction = product / product.norm()
    return (direction * ms.jvp(ms.grad(f), x, direction)[1]).sum()


@program(lambda: [call(t(1, 2), t(1, -1)), call(t(0.5, 0), t(2, 0.5))])
def gauss_newton_product(x, v):
    def residual(a):
        return ops.stack((a[0] * a[1] - 1, a[0] - a[1], ops.sin(a[1])))

    _, pushed = ms.jvp(residual, x, v)
    _, pull = ms.vjp(residual, x)
    return pull(pushed)[0]


@program(lambda: [call(t(1.5, 0.2)), call(t(-1, 2))])
def newton_steps(x):
    def f(v):
        return ((v * v - 1) ** 2).sum() + (v[0] - v[1]) ** 2

    for _ in range(3):
        h = ms.jacfwd(ms.grad(f))(x)
        g = ms.grad(f)(x)
        det = h[0, 0] * h[1, 1] - h[0, 1] * h[1, 0]
        x = x - ops.stack((h[1, 1] * g[0] - h[0, 1] * g[1], h[0, 0] * g[1] - h[1, 0] * g[0])) / det
    return x


@program(lambda: [call(t(1, 2, 3)), call(t(0, -1, 0.5))])
def rows_of_a_jacobian_by_mapping_the_pull_function(x):
    value, pull = ms.vjp(lambda v: ops.sin(v) * v.sum(), x)
    return value, ms.vmap(lambda g: pull(g)[0])(ops.eye(3, 3, ms.float32))


@program(lambda: [call(t(1, 2, 3)), call(t(0, -1, 0.5))])
def columns_of_a_jacobian_by_mapping_jvp(x):
    return ms.vmap(lambda v: ms.jvp(lambda a: ops.exp(a) * a.sum(), x, v)[1], out_axes=1)(ops.eye(3, 3, ms.float32))


@program(lambda: [call(t(0.1, 0.5, 0.9)), call(t(0.2, 0.3, 0.4))])
def residual_of_a_differential_equation(points):
    def u(x):
        return ops.tanh(x * 2) * x

    first = ms.vmap(ms.grad(u))(points)
    second = ms.vmap(ms.grad(ms.grad(u)))(points)
    return ((second + first * 3 - points) ** 2).mean()


@program(lambda: [call(s(0.5)), call(s(1.5))])
def sensitivity_of_an_integration(rate):
    def end(rate):
        y = Tensor(1.0)
        for _ in range(8):
            y = y + 0.1 * rate * y * (2 - y)
        return y

    return ms.jvp(end, rate, Tensor(1.0)), ms.grad(end)(rate)


@factory(lambda: [call(matrix(1, 2, 3, 2)), call(matrix(2, 2, 3, 2))])
def adapted_to_each_task(jit):
    w = Parameter(t(0.5, -0.5), name="w")

    def loss(w, x):
        return ((x * w).sum(-1) ** 2).mean()

    def after_a_step(w, x):
        return loss(w - 0.1 * ms.grad(loss)(w, x), x)

    def run(tasks):
        def total():
            return ms.vmap(after_a_step, (None, 0))(w, tasks).sum()

        return ms.value_and_grad(total, None, w)()

    return run


@factory(lambda: [call(matrix(1, 3)), call(matrix(2, 3))])
def ensemble(jit):
    ms.set_seed(5)
    nets = nn.CellList([nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1)) for _ in range(3)])

    def run(x):
        guesses = ms.vmap(nets, in_axes=None)(x)
        return guesses.mean(0), guesses.std(0)

    return run


@program(lambda: [call(matrix(1, 2, 4, 3), matrix(2, 2, 4, 3)), call(matrix(3, 2, 4, 3), matrix(4, 2, 4, 3))])
def attention_of_one_head_and_one_example_mapped_twice(q, k):
    def attention(q, k):
        return ops.matmul(ops.softmax(ops.matmul(q, k.T) / 3**0.5, -1), k)

    return ms.vmap(attention)(q, k), ms.vmap(ms.vmap(lambda a, b: (a * b).sum()))(q, k)


@program(lambda: [call(matrix(1, 4, 2), i(0, 2, 3)), call(matrix(2, 4, 2), i(1, 1, 9)), call(matrix(2, 4, 2), i(3, -1, 0))],
         raises=True)  # fmt: skip
def mapped_look_ups(table, places):
    return ms.vmap(lambda k: ops.gather(table, k, 0) * 2)(places)


@factory(lambda: [call(t([1, 2], [3, 4])), call(t([5, 6], [7, 8]))])
def mapped_function_with_effects(jit):
    seen = []

    def f(row):
        seen.append(row.shape)
        return row * len(seen)

    def run(x):
        return ms.vmap(f)(x), ms.vmap(ms.grad(lambda row: f(row).sum()))(x), len(seen)

    return run


@factory(lambda: [call(matrix(1, 3, 2)), call(matrix(2, 3, 2))])
def cell_that_maps_its_layer(jit):
    class Each(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(t(1, -2), name="w")
            self.norm = nn.LayerNorm((2,))

        def one(self, row):
            return self.norm(row * self.w)

        def construct(self, x):
            return ms.vmap(self.one)(x)

    return Each()
