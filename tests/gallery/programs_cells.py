"""Cells: state on self, containers, hooks, modes, sharing, own backward functions."""

# The programs are written as people write them.

from __future__ import annotations

import collections
import dataclasses

import numpy as np
from harness import call, factory, program, t

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.nn import Cell


def weights(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32))


def dense(inputs, outputs, seed=0):
    """A Dense whose weights follow from the seed alone."""
    layer = nn.Dense(inputs, outputs)
    layer.weight.set_data(weights(outputs, inputs, seed=seed))
    layer.bias.set_data(weights(outputs, seed=seed + 1))
    return layer


def rows():
    return [call(t([[1, 2, 3]])), call(t([[0.5, -1, 2]])), call(t([[1, 0, 1], [-1, 2, 0.25]]))]


class Net(Cell):
    def __init__(self):
        super().__init__()
        self.first = dense(3, 4)
        self.second = dense(4, 2, seed=5)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.second(self.relu(self.first(x)))


@factory(rows, grad=True)
def two_layers(jit):
    return Net()


@factory(rows, grad=True)
def function_that_holds_a_net(jit):
    net = Net()

    def forward(x):
        return net(x).sum()

    return forward


@factory(rows, grad=True)
def parameter_times_input(jit):
    class Scale(Cell):
        def __init__(self):
            super().__init__()
            self.scale = Parameter(t(2, 3, 4), name="scale")

        def construct(self, x):
            return x * self.scale

    return Scale()


@factory(rows)
def counter_on_self(jit):
    class Counter(Cell):
        def __init__(self):
            super().__init__()
            self.steps = 0

        def construct(self, x):
            self.steps += 1
            return x * self.steps

    return Counter()


@factory(rows)
def history_on_self(jit):
    class History(Cell):
        def __init__(self):
            super().__init__()
            self.seen = []
            self.by_shape = {}

        def construct(self, x):
            self.seen.append(x.mean())
            self.by_shape[x.shape] = self.by_shape.get(x.shape, 0) + 1
            return x, len(self.seen)

    return History()


@factory(rows, between=lambda net: setattr(net, "scale", net.scale + 1))
def attribute_of_a_cell_changes_from_outside(jit):
    class Scaled(Cell):
        def __init__(self):
            super().__init__()
            self.scale = 1

        def construct(self, x):
            return x * self.scale

    return Scaled()


@factory(rows, between=lambda net: net.set_train(not net.training))
def training_flag_is_switched(jit):
    class Noisy(Cell):
        def construct(self, x):
            return x + ops.randn(1) if self.training else x

    return Noisy()


@factory(lambda: [call(t([[1, 2], [3, 5]])), call(t([[0, 1], [2, 2]])), call(t([[1, 1]]))], grad=True)
def running_statistics(jit):
    class Norm(Cell):
        def __init__(self):
            super().__init__()
            self.mean = Parameter(t(0, 0), name="mean", requires_grad=False)
            self.set_train()

        def construct(self, x):
            if self.training:
                self.mean = self.mean * 0.9 + x.mean(0) * 0.1
            return x - self.mean

    return Norm()


@factory(rows)
def parameter_is_assigned_in_construct(jit):
    class Store(Cell):
        def __init__(self):
            super().__init__()
            self.state = Parameter(t(1, 1, 1), name="state", requires_grad=False)

        def construct(self, x):
            before = self.state + 0
            ops.assign(self.state, x[0])
            ops.assign_add(self.state, t(1, 1, 1))
            return before, self.state * 2

    return Store()


@factory(rows)
def augmented_assignment_of_a_parameter(jit):
    class Sum(Cell):
        def __init__(self):
            super().__init__()
            self.total = Parameter(t(0, 0, 0), name="total", requires_grad=False)

        def construct(self, x):
            self.total += x.sum(0)
            return self.total + 0

    return Sum()


@factory(lambda: [call(weights(2, 3, 4, 4)), call(weights(2, 3, 4, 4, seed=3)), call(weights(1, 3, 5, 5))], grad=True)
def batch_norm_in_training(jit):
    net = nn.SequentialCell(nn.BatchNorm2d(3), nn.ReLU())
    net.set_train()
    return net


@factory(lambda: [call(weights(1, 1, 6, 6)), call(weights(2, 1, 6, 6, seed=4))], grad=True)
def convolution_pool_flatten(jit):
    class Small(Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid")
            self.conv.weight.set_data(weights(2, 1, 3, 3))
            self.pool = nn.MaxPool2d(2, 2)
            self.flatten = nn.Flatten()
            self.fc = dense(8, 3)

        def construct(self, x):
            return self.fc(self.flatten(self.pool(ops.relu(self.conv(x)))))

    return Small()


@factory(rows, grad=True)
def sequential_cell(jit):
    return nn.SequentialCell(dense(3, 4), nn.Tanh(), dense(4, 3, seed=9))


@factory(rows, grad=True)
def sequential_from_an_ordered_dict(jit):
    return nn.SequentialCell(collections.OrderedDict([("fc", dense(3, 3)), ("act", nn.Sigmoid())]))


@factory(rows, grad=True)
def cell_list_in_a_loop(jit):
    class Deep(Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([dense(3, 3, seed=k) for k in range(3)])

        def construct(self, x):
            states = []
            for k, layer in enumerate(self.layers):
                x = x + ops.relu(layer(x)) * (k + 1)
                states.append(x)
            return x, states[0]

    return Deep()


@factory(lambda: [call(t([[1, 2, 3]]), 0), call(t([[1, 2, 3]]), 2), call(t([[1, 2, 3]]), -1)])
def cell_list_by_index(jit):
    class Chosen(Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([dense(3, 3, seed=k) for k in range(3)])

        def construct(self, x, k):
            return self.layers[k](x), len(self.layers)

    return Chosen()


@factory(rows, grad=True)
def list_of_cells_on_self(jit):
    class Holder(Cell):
        def __init__(self):
            super().__init__()
            self.layers = [dense(3, 3), nn.ReLU()]

        def construct(self, x):
            for layer in self.layers:
                x = layer(x)
            return x * 1.0

    return Holder()


@factory(
    lambda: [call(t([[1, 2, 3]]), "relu"), call(t([[1, -2, 3]]), "tanh"), call(t([[1, 2, 3]]), "none")], raises=True
)
def cells_in_a_dict(jit):
    class Switch(Cell):
        def __init__(self):
            super().__init__()
            self.table = {"relu": nn.ReLU(), "tanh": nn.Tanh()}

        def construct(self, x, name):
            return self.table[name](x)

    return Switch()


@factory(rows, grad=True)
def shared_weights(jit):
    class Tied(Cell):
        def __init__(self):
            super().__init__()
            self.table = Parameter(weights(3, 3), name="table")
            self.decode = self.table

        def construct(self, x):
            return ops.matmul(ops.matmul(x, self.table), self.decode.T)

    return Tied()


@factory(rows, grad=True)
def one_layer_used_twice(jit):
    class Twice(Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense(3, 3)

        def construct(self, x):
            return self.layer(ops.tanh(self.layer(x)))

    return Twice()


@factory(lambda: [call(t([[1, 2, 3]]), None), call(t([[1, 2, 3]]), 0.5), call(t([[1, 2, 3]]), t([[0, 1, 0]]))])
def construct_with_an_optional_argument(jit):
    class Optional(Cell):
        def construct(self, x, mask=None):
            if mask is None:
                return x
            return x * mask

    return Optional()


@factory(lambda: [call(t(1, 2), t(3, 4), scale=2), call(t(1, 2), scale=3, shift=1)])
def construct_with_star_arguments(jit):
    class Flexible(Cell):
        def construct(self, x, *others, scale=1, **more):
            for other in others:
                x = x + other
            return x * scale, sorted(more), more.get("shift", 0)

    return Flexible()


@factory(rows)
def construct_returns_a_dict(jit):
    class Outputs(Cell):
        def construct(self, x):
            return {"logits": x * 2, "aux": [x.sum(), (x.mean(), None)], "name": "out"}

    return Outputs()


@dataclasses.dataclass
class Settings:
    width: int = 3
    depth: int = 2
    activation: str = "tanh"


@factory(rows, grad=True)
def net_from_a_config(jit):
    class Configured(Cell):
        def __init__(self, config):
            super().__init__()
            self.config = config
            self.layers = nn.CellList([dense(config.width, config.width, seed=k) for k in range(config.depth)])

        def construct(self, x):
            for layer in self.layers:
                x = getattr(ops, self.config.activation)(layer(x))
            return x

    return Configured(Settings())


@factory(rows, grad=True)
def helper_methods_and_properties(jit):
    class Helped(Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense(3, 3)

        @property
        def norm(self):
            return (self.layer.weight * self.layer.weight).sum()

        @staticmethod
        def squash(x):
            return ops.tanh(x)

        @classmethod
        def scale(cls, x, by):
            return x * by

        def _body(self, x):
            return self.squash(self.layer(x))

        def construct(self, x):
            return self.scale(self._body(x), 2) + self.norm

    return Helped()


@factory(rows, grad=True)
def subclass_calls_super_construct(jit):
    class Base(Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense(3, 3)

        def construct(self, x):
            return self.layer(x)

    class Derived(Base):
        def construct(self, x):
            return super().construct(x) + x

    return Derived()


@factory(rows, grad=True)
def lambda_on_self(jit):
    class Held(Cell):
        def __init__(self):
            super().__init__()
            self.act = lambda v: v * 2

        def construct(self, x):
            return self.act(x) + (lambda v: v + 1)(x)

    return Held()


@factory(rows)
def first_parameter_has_another_name(jit):
    class Odd(Cell):
        def __init__(this):
            super().__init__()
            this.factor = 3

        def construct(this, x):
            return x * this.factor

    return Odd()


@factory(rows, grad=True)
def jit_method_in_an_eager_cell(jit):
    class Mixed(Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense(3, 3)
            self.calls = 0

        @jit
        def heavy(self, x):
            return ops.relu(self.layer(x)) * 2

        def construct(self, x):
            self.calls += 1
            return self.heavy(x) + self.calls

    return Mixed()


@factory(rows, grad=True)
def jit_construct(jit):
    class Marked(Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense(3, 3)

        @jit
        def construct(self, x):
            return self.layer(x) + x

    return Marked()


@factory(rows, grad=True)
def compiled_cell_inside_an_eager_cell(jit):
    class Outer(Cell):
        def __init__(self):
            super().__init__()
            self.inner = jit(Net())

        def construct(self, x):
            return self.inner(x) * 2

    return Outer()


@factory(lambda: [call(Net(), t([[1, 2, 3]])), call(nn.ReLU(), t([[1, -2, 3]]))])
def cell_as_argument(jit):
    def run(net, x):
        return net(x) + len(list(net.get_parameters()))

    return run


@factory(lambda: [call([nn.ReLU(), nn.Tanh()], t(1, -2)), call([nn.Sigmoid()], t(1, -2))])
def list_of_cells_as_argument(jit):
    def run(layers, x):
        for layer in layers:
            x = layer(x)
        return x

    return run


@factory(rows)
def forward_hooks(jit):
    net = nn.SequentialCell(dense(3, 3), nn.ReLU())
    log = []

    def before(cell, inputs):
        log.append("before")
        return (inputs[0] * 2,)

    def after(cell, inputs, output):
        log.append(output.sum())
        return output + 1

    net[0].register_forward_pre_hook(before)
    net[1].register_forward_hook(after)

    def run(x):
        return net(x), len(log)

    return run


@factory(rows, grad=True)
def hook_on_a_tensor(jit):
    log = []

    def run(x):
        y = x * 2
        y.register_hook(lambda g: log.append(g) or g * 10)
        return y * y

    return run


@factory(rows, grad=True)
def backward_hook_of_a_cell(jit):
    net = dense(3, 3)
    seen = []

    def hook(cell, grad_input, grad_output):
        seen.append(grad_output[0])

    net.register_backward_hook(hook)

    def run(x):
        return net(x)

    return run


@factory(rows, grad=True)
def own_bprop(jit):
    class Clipped(Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (ops.clip(dout * 2 * x, -1.0, 1.0),)

    return Clipped()


@factory(rows, grad=True)
def own_bprop_inside_a_net(jit):
    class Reverse(Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, dout):
            return (-dout,)

    reverse, layer = Reverse(), dense(3, 3)

    def run(x):
        return reverse(ops.relu(layer(x)))

    return run


@factory(rows, grad=True)
def straight_through_estimator(jit):
    def run(x):
        return x + ops.stop_gradient(ops.round(x) - x)

    return run


@factory(rows, grad=True)
def frozen_layer(jit):
    net = Net()
    net.first.weight.requires_grad = False
    return net


@factory(rows)
def parameter_is_replaced_from_inside(jit):
    class Warm(Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense(3, 3)

        def construct(self, x):
            y = self.layer(x)
            self.layer.bias.set_data(self.layer.bias * 0.5)
            return y

    return Warm()


@factory(rows)
def loop_over_parameters(jit):
    net = Net()

    def run(x):
        norms = {p.name: (p * p).sum() for p in net.trainable_params()}
        return net(x), norms, [name for name, _ in net.parameters_and_names()]

    return run


@factory(rows)
def getattr_on_a_cell_by_name(jit):
    net = Net()

    def run(x):
        for name in ("first", "relu", "second"):
            x = getattr(net, name)(x)
        return x, hasattr(net, "third")

    return run


@factory(rows)
def cell_is_made_inside_the_function(jit):
    def run(x):
        layer = nn.LayerNorm((3,))
        return layer(x), nn.Softmax(-1)(x)

    return run


@factory(rows, grad=True)
def call_of_construct_by_name(jit):
    net = Net()

    def run(x):
        return net.construct(x)

    return run


@factory(rows, grad=True)
def mixture_of_experts(jit):
    class Experts(Cell):
        def __init__(self):
            super().__init__()
            self.gate = dense(3, 2, seed=4)
            self.experts = nn.CellList([dense(3, 3, seed=k) for k in (1, 2)])

        def construct(self, x):
            choice = int(self.gate(x).sum(0).argmax())
            return self.experts[choice](x) * ops.softmax(self.gate(x), -1)[:, choice : choice + 1]

    return Experts()


@factory(rows, grad=True)
def routing_of_each_row(jit):
    experts = nn.CellList([dense(3, 2, seed=k) for k in range(2)])
    gate = Parameter(weights(3, 2, seed=8), name="gate")

    def run(x):
        scores = ops.softmax(x @ gate, -1)
        out = []
        for row, score in zip(x, scores):
            k = int(score.argmax())
            out.append(experts[k](row.reshape(1, 3)) * score[k])
        return ops.cat(out)

    return run


@factory(rows, grad=True)
def stochastic_depth(jit):
    class Block(Cell):
        def __init__(self):
            super().__init__()
            self.layer = dense(3, 3)
            self.set_train()

        def construct(self, x):
            if self.training and float(ops.rand(1)[0]) < 0.5:
                return x
            return x + self.layer(x)

    return nn.SequentialCell(Block(), Block())


@factory(rows)
def error_inside_a_layer_is_located(jit):
    net = nn.SequentialCell(dense(3, 4), dense(3, 2))

    def run(x):
        try:
            return net(x)
        except ValueError as error:
            return str(error)

    return run


@factory(rows, raises=True)
def error_inside_a_net(jit):
    class Wrong(Cell):
        def __init__(self):
            super().__init__()
            self.fc = dense(4, 3)

        def construct(self, x):
            return self.fc(x)

    return Wrong()


@factory(rows, raises=True)
def missing_attribute_of_a_cell(jit):
    class Missing(Cell):
        def construct(self, x):
            return x * self.scale

    return Missing()


@factory(rows)
def print_in_construct(jit):
    class Chatty(Cell):
        def construct(self, x):
            print("shape", x.shape)
            y = x * 2
            print("result", y)
            return y

    return Chatty()


@factory(lambda: [call(Tensor([[1, 2], [0, 3]], ms.int32)), call(Tensor([[3, 3]], ms.int32))], grad=True)
def embedding_and_mean(jit):
    class Text(Cell):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(4, 3)
            self.embedding.embedding_table.set_data(weights(4, 3))
            self.head = dense(3, 2)

        def construct(self, ids):
            return self.head(self.embedding(ids).mean(1))

    return Text()


@program(lambda: [call(t([[1, 2, 3]]))])
def cells_compare_by_identity(x):
    a, b = nn.ReLU(), nn.ReLU()
    return a == a, a == b, a in [b, a], {a: 1}[a]


@factory(rows)
def recompute_marks_change_nothing(jit):
    net = Net()
    net.first.recompute()
    return net


@factory(rows, grad=True)
def mixed_precision_layer(jit):
    net = Net()
    net.first.to_float(ms.float16)
    return net
