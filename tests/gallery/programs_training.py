"""Training: whole steps with optimizers, accumulation, clipping, schedules, averages, data, checkpoints in memory."""

# The programs are written as people write them.
# ruff: noqa: B007, RUF059

from __future__ import annotations

import copy
import math

import numpy as np
from harness import call, factory, i, t

import anfora as ms
from anfora import Parameter, ParameterTuple, Tensor, nn, ops


def values(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32))


def batches():
    return [
        call(values(4, 3), i(0, 1, 1, 0)), call(values(4, 3, seed=1), i(1, 1, 0, 0)),
        call(values(2, 3, seed=2), i(0, 1)),
    ]  # fmt: skip


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(3, 4), nn.Dense(4, 2)
        for k, parameter in enumerate(self.trainable_params()):
            parameter.set_data(values(*parameter.shape, seed=20 + k))

    def construct(self, x):
        return self.second(ops.relu(self.first(x)))


def training_step(jit, make_optimizer, **options):
    """A whole step, gradient and update, in one function; it holds the net, so that all parameters are compared."""
    net = Net()
    optimizer = make_optimizer(net.trainable_params())
    loss_fn = nn.CrossEntropyLoss()
    gradients = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, grads = gradients(x, y)
        optimizer(grads)
        return loss

    return step, net, optimizer


@factory(batches)
def step_with_sgd(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.SGD(p, 0.1, weight_decay=0.01))
    return lambda x, y: (step(x, y), net.first.weight.sum())


@factory(batches)
def step_with_momentum(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.Momentum(p, 0.1, 0.9))
    return lambda x, y: (step(x, y), [p * 1 for p in net.trainable_params()])


@factory(batches)
def step_with_nesterov_momentum(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=True))
    return lambda x, y: step(x, y)


@factory(batches)
def step_with_adam(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.Adam(p, 1e-2))
    return lambda x, y: step(x, y)


@factory(batches)
def step_with_adam_weight_decay(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.AdamWeightDecay(p, 1e-2, weight_decay=0.1))
    return lambda x, y: step(x, y)


@factory(batches)
def step_with_rmsprop(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.RMSProp(p, 1e-2))
    return lambda x, y: step(x, y)


@factory(batches)
def step_with_a_list_of_learning_rates(jit):
    rates = nn.cosine_decay_lr(0.01, 0.1, 10, 5, 2)
    step, net, optimizer = training_step(jit, lambda p: nn.SGD(p, rates))
    return lambda x, y: (step(x, y), optimizer.global_step)


@factory(batches)
def step_with_a_learning_rate_schedule(jit):
    schedule = nn.PolynomialDecayLR(0.1, 0.01, 10, 0.5)
    step, net, optimizer = training_step(jit, lambda p: nn.Momentum(p, schedule, 0.9))
    return lambda x, y: step(x, y)


@factory(batches)
def step_with_parameter_groups(jit):
    def make(parameters):
        return nn.Adam([{"params": parameters[:2], "lr": 0.01}, {"params": parameters[2:], "weight_decay": 0.1}], 0.1)

    step, net, optimizer = training_step(jit, make)
    return lambda x, y: step(x, y)


@factory(batches)
def compiled_forward_in_an_eager_loop(jit):
    net = Net()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-2)

    @jit
    def forward(x, y):
        logits = net(x)
        return loss_fn(logits, y), logits

    gradients = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def step(x, y):
        (loss, logits), grads = gradients(x, y)
        optimizer(grads)
        return loss, logits

    return step


@factory(batches)
def three_epochs_inside(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.SGD(p, 0.5))

    def run(x, y):
        losses = []
        for epoch in range(3):
            losses.append(float(step(x, y)))
            print(f"epoch {epoch}: loss {losses[-1]:.4f}")
        return losses

    return run


@factory(batches)
def gradient_accumulation(jit):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    gradients = ms.grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    kept = []

    def run(x, y):
        kept.append(gradients(x, y))
        if len(kept) == 2:
            optimizer(tuple(sum(g) / 2 for g in zip(*kept)))
            kept.clear()
        return net.first.bias * 1, len(kept)

    return run


@factory(batches)
def gradient_accumulation_in_parameters(jit):
    net = Net()
    parameters = ParameterTuple(net.trainable_params())
    sums = parameters.clone(prefix="sum", init="zeros")
    gradients = ms.grad(lambda x, y: ops.cross_entropy(net(x), y), None, parameters)

    def run(x, y):
        for total, g in zip(sums, gradients(x, y)):
            ops.assign_add(total, g)
        return [total * 1 for total in sums]

    return run


@factory(batches)
def gradient_clipping_by_global_norm(jit):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    gradients = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)

    def run(x, y):
        loss, grads = gradients(x, y)
        norm = ops.sqrt(sum((g * g).sum() for g in grads))
        if norm > 0.1:
            grads = tuple(g * (0.1 / norm) for g in grads)
        optimizer(grads)
        return loss, norm

    return run


@factory(batches)
def clip_by_value_and_library_norm(jit):
    net = Net()
    gradients = ms.grad(lambda x, y: ops.cross_entropy(net(x), y), None, net.trainable_params())

    def run(x, y):
        grads = gradients(x, y)
        return ops.clip_by_global_norm(grads, 0.5), [ops.clip(g, -0.01, 0.01) for g in grads]

    return run


@factory(batches)
def own_sgd_written_in_the_step(jit):
    net = Net()
    parameters = net.trainable_params()
    gradients = ms.grad(lambda x, y: ops.cross_entropy(net(x), y), None, parameters)

    def run(x, y):
        for p, g in zip(parameters, gradients(x, y)):
            p -= 0.1 * g
            ops.assign(p, p) if isinstance(p, Parameter) else None
        return [p * 1 for p in parameters]

    return run


@factory(batches)
def own_momentum_in_a_dict(jit):
    net = Net()
    gradients = ms.grad(lambda x, y: ops.cross_entropy(net(x), y), None, net.trainable_params())
    velocity = {}

    def run(x, y):
        for p, g in zip(net.trainable_params(), gradients(x, y)):
            velocity[p.name] = 0.9 * velocity.get(p.name, 0) + g
            p.set_data(p - 0.1 * velocity[p.name])
        return dict(velocity)

    return run


@factory(batches)
def moving_average_of_weights(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.SGD(p, 0.1))
    average = {p.name: p.copy() for p in net.trainable_params()}

    def run(x, y):
        loss = step(x, y)
        for p in net.trainable_params():
            average[p.name] = average[p.name] * 0.9 + p * 0.1
        return loss

    return run


@factory(batches)
def weights_of_a_teacher_follow(jit):
    student, teacher = Net(), Net()
    teacher.set_train(False)

    def run(x, y):
        with ms.no_grad():
            target = ops.softmax(teacher(x), -1)
        loss = -(target * ops.log_softmax(student(x), -1)).sum(-1).mean()
        for a, b in zip(teacher.trainable_params(), student.trainable_params()):
            a.set_data(a * 0.99 + b * 0.01)
        return loss

    return run


@factory(batches)
def loss_scaling_with_overflow_check(jit):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    state = {"scale": 1024.0, "good": 0}
    gradients = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y) * state["scale"], None, optimizer.parameters
    )

    def run(x, y):
        loss, grads = gradients(x, y)
        finite = all(bool(ops.isfinite(g).all()) for g in grads)
        if finite:
            optimizer(tuple(g / state["scale"] for g in grads))
            state["good"] += 1
        else:
            state["scale"] /= 2
        if state["good"] == 2:
            state["scale"] *= 2
        return loss, dict(state)

    return run


@factory(batches)
def train_one_step_cell(jit):
    net = Net()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    step.set_train()
    return step


@factory(batches, grad=True)
def with_loss_cell(jit):
    return nn.WithLossCell(Net(), nn.CrossEntropyLoss())


@factory(batches)
def backward_and_step(jit):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    parameters = net.trainable_params()

    def run(x, y):
        loss = ops.cross_entropy(net(x), y)
        loss.backward()
        grads = tuple(p.grad * 1 for p in parameters)
        optimizer(grads)
        for p in parameters:
            p.grad = None
        return loss, grads

    return run


@factory(batches)
def regularisation_over_all_parameters(jit):
    net = Net()

    def run(x, y):
        def objective(x, y):
            penalty = sum((p * p).sum() for p in net.trainable_params())
            return ops.cross_entropy(net(x), y) + 1e-2 * penalty

        return ms.value_and_grad(objective, None, net.trainable_params())(x, y)

    return run


@factory(batches)
def adversarial_example(jit):
    net = Net()

    def run(x, y):
        g = ms.grad(lambda x: ops.cross_entropy(net(x), y))(x)
        return ops.cross_entropy(net(x + 0.1 * ops.sign(g)), y), g

    return run


@factory(lambda: [call(values(4, 2)), call(values(4, 2, seed=1))])
def generator_and_discriminator(jit):
    g, d = nn.Dense(2, 2), nn.Dense(2, 1)
    for k, p in enumerate(g.trainable_params() + d.trainable_params()):
        p.set_data(values(*p.shape, seed=k))
    g_optimizer, d_optimizer = nn.SGD(g.trainable_params(), 0.1), nn.SGD(d.trainable_params(), 0.1)

    def run(real):
        noise = ops.randn(real.shape)
        d_loss, grads = ms.value_and_grad(
            lambda: (ops.sigmoid(d(ops.stop_gradient(g(noise)))) - ops.sigmoid(d(real))).mean(),
            None,
            d.trainable_params(),
        )()
        d_optimizer(grads)
        g_loss, grads = ms.value_and_grad(lambda: -ops.sigmoid(d(g(noise))).mean(), None, g.trainable_params())()
        g_optimizer(grads)
        return d_loss, g_loss

    return run


@factory(batches)
def early_stopping_object(jit):
    class EarlyStopping:
        def __init__(self, patience):
            self.patience, self.best, self.bad = patience, math.inf, 0

        def __call__(self, loss):
            if loss < self.best:
                self.best, self.bad = float(loss), 0
            else:
                self.bad += 1
            return self.bad >= self.patience

    stop, net = EarlyStopping(2), Net()

    def run(x, y):
        loss = ops.cross_entropy(net(x), y)
        return stop(loss), stop.best

    return run


@factory(lambda: [call(values(5, 3), 2), call(values(5, 3, seed=1), 3)])
def epoch_over_shuffled_batches(jit):
    def run(data, size):
        order = np.random.permutation(data.shape[0])
        total, parts = 0.0, []
        for start in range(0, len(order), size):
            batch = data[order[start : start + size].tolist()]
            total += float(batch.sum())
            parts.append(batch.shape[0])
        return total, parts

    return run


@factory(batches)
def evaluation_loop(jit):
    net = Net()

    def run(x, y):
        net.set_train(False)
        correct, seen = 0, 0
        for k in range(0, x.shape[0], 2):
            logits = net(x[k : k + 2])
            correct += int((logits.argmax(1) == y[k : k + 2]).sum())
            seen += logits.shape[0]
        net.set_train(True)
        return correct / seen, f"accuracy: {100 * correct / seen:.1f}%"

    return run


@factory(batches)
def checkpoint_in_memory(jit):
    step, net, optimizer = training_step(jit, lambda p: nn.SGD(p, 0.1))
    best = {"loss": math.inf, "weights": None}

    def run(x, y):
        loss = float(step(x, y))
        if loss < best["loss"]:
            best.update(loss=loss, weights={p.name: p.asnumpy().copy() for p in net.trainable_params()})
        return loss, sorted(best["weights"])

    return run


@factory(batches)
def layers_are_frozen_after_two_steps(jit):
    net = Net()
    state = {"steps": 0}

    def run(x, y):
        state["steps"] += 1
        if state["steps"] == 3:
            for p in net.first.trainable_params():
                p.requires_grad = False
        parameters = net.trainable_params()
        grads = ms.grad(lambda x: ops.cross_entropy(net(x), y), None, parameters)(x)
        return len(parameters), grads

    return run


@factory(batches)
def learning_rate_is_read_and_changed(jit):
    state = {"rate": 0.1}
    w = Parameter(values(3, 2, seed=3), name="w")

    def run(x, y):
        g = ms.grad(lambda w: ops.cross_entropy(x @ w, y))(w)
        w.set_data(w - state["rate"] * g)
        state["rate"] *= 0.5
        return w * 1, state["rate"]

    return run


@factory(batches)
def metrics_are_collected(jit):
    history = {"loss": [], "accuracy": []}
    net = Net()

    def run(x, y):
        logits = net(x)
        history["loss"].append(ops.cross_entropy(logits, y).item())
        history["accuracy"].append((logits.argmax(1) == y).astype(ms.float32).mean().item())
        return {name: sum(values) / len(values) for name, values in history.items()}

    return run


@factory(lambda: [call(t(5, -3)), call(t(1, 1))])
def optimisation_of_the_input(jit):
    def run(x):
        start = copy.copy(x)
        for step in range(5):
            g = ms.grad(lambda v: ((v - t(1, 2)) ** 2).sum())(x)
            x = x - 0.25 * g
        return x, start

    return run


@factory(lambda: [call(t(1, 2, 3), t(2, 4, 6)), call(t(0, 1, 2), t(1, 0, 1))])
def line_fit_by_newton(jit):
    def run(x, y):
        w = Tensor(0.0)

        def loss(w):
            return ((w * x - y) ** 2).mean()

        for _ in range(2):
            w = w - ms.grad(loss)(w) / ms.grad(ms.grad(loss))(w)
        return w, loss(w)

    return run
