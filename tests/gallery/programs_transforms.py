"""Gradients and other transforms inside and outside of compiled functions, and MindSpore's composite functions."""

# The programs are written as people write them.

from __future__ import annotations

import numpy as np
from harness import call, factory, i, program, s, t

import anfora as ms
from anfora import Parameter, Tensor, constexpr, nn, ops
from anfora.ops import composite as C


@program()
def grad_inside(x):
    return ms.grad(lambda v: (v * v * v).sum())(x)


@factory()
def jit_inside_grad(jit):
    @jit
    def f(x):
        return (ops.sin(x) * x).sum()

    def run(x):
        return ms.grad(f)(x)

    return run


@factory()
def jit_inside_grad_inside_jit(jit):
    inner = jit(lambda x: (ops.exp(x) * x).sum())
    middle = ms.grad(inner)

    def run(x):
        return middle(x) * 2

    return run


@program()
def second_derivative_inside(x):
    first = ms.grad(lambda v: (v**3).sum())
    return first(x), ms.grad(lambda v: first(v).sum())(x)


@program(lambda: [call(s(0.5)), call(s(-1.0))])
def five_derivatives(x):
    f = ops.sin
    out = [f(x)]
    for _ in range(4):
        f = ms.grad(f)
        out.append(f(x))
    return out


@program(lambda: [call(t(1, 2), t(3, 4)), call(t(5), t(6))])
def several_positions(x, y):
    def f(a, b):
        return a * b + a

    return ms.grad(f, (0, 1))(x, y), ms.grad(f, 1)(x, y), ms.grad(f, grad_position=(0,))(x, y)


@program(lambda: [call(t(1, 2), t(3, 4)), call(t(5), t(6))])
def value_and_grad_with_aux(x, y):
    def f(a, b):
        product = a * b
        return product.sum(), product, {"b": b}

    return ms.value_and_grad(f, (0, 1), has_aux=True)(x, y)


@factory(lambda: [call(t(1, 2)), call(t(3, 4))])
def gradients_of_inputs_and_weights(jit):
    w = Parameter(t(2, 3), name="w")
    b = Parameter(t(1, 1), name="b")

    def run(x):
        return ms.value_and_grad(lambda v: (v * w + b * b).sum(), 0, (w, b))(x)

    return run


@program(lambda: [call({"a": t(1, 2), "b": [t(3, 4), (t(5, 6),)]})])
def gradients_keep_the_nesting(tree):
    return ms.grad(lambda v: v["a"] * v["b"][0] * v["b"][1][0])(tree)


@program(lambda: [call(i(1, 2, 3)), call(i(4))])
def gradient_of_an_integer_input(x):
    return ms.grad(lambda v: (v * 0.5).sum())(x)


@program()
def gradient_through_a_loop_on_data(x):
    def f(v):
        while (v * v).sum() > 1:
            v = v * 0.5
        return v.sum()

    return ms.grad(f)(x)


@program()
def gradient_through_try(x):
    def f(v):
        try:
            return v[10] * 2
        except IndexError:
            return v * v

    return ms.grad(f)(x)


@program()
def gradient_through_a_list_and_a_dict(x):
    def f(v):
        parts = {"a": [v * 2], "b": [v * v]}
        parts["a"].append(parts["b"].pop())
        return sum(parts["a"])

    return ms.grad(f)(x)


@factory()
def gradient_with_effects(jit):
    seen = []

    def f(v):
        seen.append(v.sum())
        print("called", len(seen))
        return v * len(seen)

    def run(x):
        return ms.grad(f)(x), len(seen)

    return run


@program()
def captured_tensor_is_a_constant(x):
    return ms.grad(lambda v: v * x)(x), ms.grad(lambda v: x * x + 0 * v)(x)


@program()
def stop_gradient_parts(x):
    return ms.grad(lambda v: v * ops.stop_gradient(v * v))(x)


@program()
def no_grad_inside_grad(x):
    def f(v):
        with ms.no_grad():
            w = v * 3
        return v * w

    return ms.grad(f)(x)


@program(lambda: [call(t(1, 2), t(0.5, 1)), call(t(3, 4), t(0, 2))])
def sens_of_grad_operation(x, sens):
    grad = ops.GradOperation(sens_param=True)
    return grad(lambda v: v * v)(x, sens)


@factory(lambda: [call(t([[1, 2]]), t([[3, 4]])), call(t([[5, 6]]), t([[7, 8]]))])
def grad_operation_get_all(jit):
    class GradNet(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net
            self.grad_op = ops.GradOperation(get_all=True)

        def construct(self, x, y):
            return self.grad_op(self.net)(x, y)

    class Mul(nn.Cell):
        def construct(self, x, y):
            return x * y + x

    return GradNet(Mul())


@factory(lambda: [call(t([[1, 2]])), call(t([[5, 6]]))])
def grad_operation_by_list(jit):
    class Linear(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(t([[1], [2]]), name="w")

        def construct(self, x):
            return ops.matmul(x, self.w)

    net = Linear()
    grad = ops.GradOperation(get_by_list=True)

    def run(x):
        return grad(net, ms.ParameterTuple(net.trainable_params()))(x)

    return run


@program(lambda: [call(t(1, 2), t(1, 0)), call(t(3, 4), t(0, 1))])
def jvp_inside(x, v):
    return ms.jvp(lambda a: a * a * a, x, v)


@program(lambda: [call(t(1, 2), t(1, 0)), call(t(3, 4), t(0, 1))])
def vjp_inside(x, v):
    value, pull = ms.vjp(lambda a: ops.sin(a) * a, x)
    return value, pull(v)


@program(lambda: [call(t([[1, 2], [3, 4]]), t(1, 1)), call(t([[0, 1], [2, 3], [4, 5]]), t(2, 0))])
def vmap_inside(x, v):
    return ms.vmap(lambda row, w: (row * w).sum(), in_axes=(0, None))(x, v)


@program(lambda: [call(t([[1, 2], [3, 4]]))])
def vmap_of_grad(x):
    return ms.vmap(ms.grad(lambda row: (row**3).sum()))(x)


@factory(lambda: [call(t([[1, 2], [3, 4]]))])
def vmap_of_a_compiled_function(jit):
    f = jit(lambda row: ops.exp(row).sum())

    def run(x):
        return ms.vmap(f)(x)

    return run


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def jacobians(x):
    def f(v):
        return ops.stack((v[0] * v[1], v[0] + v[1] * v[1]))

    return ms.jacrev(f)(x), ms.jacfwd(f)(x)


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def hessian_vector_product(x):
    def f(v):
        return (v * v * v).sum()

    return ms.jvp(ms.grad(f), x, t(1, 1))[1]


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def hyper_map_over_a_tuple(x):
    square = C.MultitypeFuncGraph("square")

    @square.register("Tensor")
    def _square(v):
        return v * v

    @square.register("Number")
    def _square_number(v):
        return v + 1

    return ops.HyperMap()(square, (x, (x * 2, 3)))


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def map_with_partial(x):
    def scale(factor, v):
        return v * factor

    return ops.Map()(ops.Partial()(scale, 3.0), (x, x + 1)), ops.partial(scale, 2)(x)


@constexpr
def table_of(n):
    return Tensor(np.arange(n, dtype=np.float32) ** 2)


@program(lambda: [call(t(1, 2)), call(t(1, 2, 3))])
def constexpr_function(x):
    return x + table_of(x.shape[0])


@factory(lambda: [call(t(1, 2)), call(t(3, 4))])
def custom_function_class(jit):
    class Cube(ms.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * 100

    def run(x):
        return ms.grad(lambda v: Cube.apply(v).sum())(x)

    return run


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def backward_method(x):
    y = x * 1
    y.requires_grad_()
    z = (y * y).sum()
    z.backward()
    return y.grad, z


@factory(lambda: [call(t(1, 2)), call(t(3, 4))])
def result_of_a_compiled_function_is_differentiated_later(jit):
    f = jit(lambda v: v * v * 3)

    def run(x):
        leaf = x.copy().requires_grad_()
        a, b = f(leaf), f(leaf * 2)
        (a + b).sum().backward()
        return leaf.grad

    return run


@program(lambda: [call(t(1, 2), 3), call(t(1, 2), 5)])
def derivative_of_a_power_by_recursion(x, n):
    def power(v, n):
        return v if n == 1 else v * power(v, n - 1)

    return ms.grad(power)(x, n)


@program(lambda: [call(s(2.0)), call(s(3.0))])
def implicit_differentiation(a):
    def root(a):
        x = a
        for _ in range(20):
            x = (x + a / x) / 2
        return x

    return ms.grad(root)(a), 0.5 / root(a)


@program(lambda: [call(s(0.5)), call(s(2.0))])
def grad_of_grad_of_a_branch(x):
    def f(v):
        return v**3 if v > 1 else v**2

    return ms.grad(ms.grad(f))(x)


@program(lambda: [call(t(1, 2)), call(t(3, 4))], raises=True)
def gradient_to_a_position_that_is_no_tensor(x):
    return ms.grad(lambda a, n: a * n, 1)(x, 3)


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def grad_with_keyword_arguments(x):
    def f(a, *more, scale=1):
        return a * scale + sum(more)

    return ms.grad(f)(x, x, scale=3)


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def saved_value_is_overwritten(x):
    def f(v):
        y = v * 1
        z = y * y
        y[0] = 5.0
        return z

    return ms.grad(f)(x)


@program(lambda: [call(t(1, 2)), call(t(3, 4))])
def in_place_before_use_in_grad(x):
    def f(v):
        y = v * 2
        y[0] = 0.0
        y.mul_(v)
        return y

    return ms.grad(f)(x)


@program(lambda: [call(t(1, 2))])
def function_of_nothing(x):
    w = Parameter(t(1, 2), name="w")
    return ms.grad(lambda: (w * w).sum(), None, w)()
