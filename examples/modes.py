"""One program, two ways to run it: a story to read and to run.

    python -m anfora.examples.modes

PyNative mode runs each operator when Python comes to it. Graph mode compiles: the first call of a function is run and
recorded, and later calls replay native code where what was recorded still holds. Both give the same bits.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import anfora as ms
from anfora import Tensor, nn, ops


class LeNet5(nn.Cell):
    """LeNet, with a method of its own for the last layers, which is compiled in any mode."""

    def __init__(self, num_class: int = 10, num_channel: int = 1, image_size: int = 32) -> None:
        super().__init__()
        side = ((image_size - 4) // 2 - 4) // 2
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * side * side, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_class)
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    @ms.jit
    def fc_relu(self, x):
        x = self.relu(self.fc2(x))
        return self.fc3(x)

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc_relu(x)


def the_same_program_in_two_modes() -> None:
    """The mode is a setting. In GRAPH_MODE the outermost call of a Cell is compiled, with all that it calls; in PyNative
    mode only what is marked with `@ms.jit` is."""
    net = LeNet5()
    images = np.ones((2, 1, 32, 32), np.float32) * 0.01
    with ms.context(mode=ms.PYNATIVE_MODE):
        eager = net(images)
    with ms.context(mode=ms.GRAPH_MODE):
        recorded, compiled = net(images), net(images)  # the second call runs native code
    print("logits of the first image:", np.round(eager[0].asnumpy(), 4)[:4], "…")
    print("bit-equal:", bits(eager) == bits(recorded) == bits(compiled))


def what_was_compiled() -> None:
    """`ms.explain` calls a function once, with all its effects, and tells what graph mode made of it."""

    @ms.jit
    def update(weight, gradient, rate):
        step = gradient * rate
        return weight - step * 2

    weight, gradient = ops.ones(4), ops.ones(4)
    update(weight, gradient, 0.1)
    report = ms.explain(update)(weight, gradient, 0.2)
    loops = ", ".join(f"{count} operators in one loop" for count in report.groups)
    print("numbers that may vary:", report.varying, "| fused:", loops)
    print("compiled anew for another rate:", bool(report.recompiles))


def any_python_is_allowed() -> None:
    """What has no native form is done by the interpreter, in order, each time: a hop. All around it stays compiled."""
    seen = []

    @ms.jit
    def careful(x):
        y = x * 2 + 1
        if y.sum() > 10:  # a decision on data
            seen.append(y.shape)  # a list outside
            y = y / y.sum()
        return y

    print([round(careful(Tensor([v, v])).sum().item(), 3) for v in (1.0, 4.0, 5.0)], "seen:", seen)
    for hop in ms.explain(careful)(Tensor([4.0, 4.0])).hops:
        print(f"  line {hop.span.line}: {hop.text:20} {hop.reason}")


def nothing_is_frozen() -> None:
    """What a program reads is guarded. Change it, and the change is seen; the report says what changed."""

    class Scale(nn.Cell):
        def __init__(self):
            super().__init__()
            self.factor = 2

        def construct(self, x):
            return x * self.factor

    net = Scale()
    with ms.context(mode=ms.GRAPH_MODE):
        first = net(Tensor([1.0])).item()
        net.factor = 5
        report = ms.explain(net)(Tensor([1.0]))
    print(f"{first} and then {report.result.item()}, because {report.recompiles[0]}")


def functions_are_values() -> None:
    """Recursion, closures and functions as arguments mean what Python says, and so do their gradients."""

    @ms.jit
    def fibonacci(n):
        if n < 1:
            return 0
        if n == 1:
            return 1
        return fibonacci(n - 1) + fibonacci(n - 2)

    @ms.jit
    def apply_twice(f, x):
        return f(f(x))

    print("fibonacci(10) =", fibonacci(10), "| twice:", apply_twice(lambda v: v * v, Tensor(3.0)).item())
    print("its gradient:", ms.grad(lambda x: apply_twice(lambda v: v * v, x))(Tensor(3.0)).item(), "= 4·3³")


def training_may_switch() -> None:
    """Training in one mode, in the other, or in turns gives the same network: parameters, momenta, everything."""
    results = []
    for modes in ([ms.PYNATIVE_MODE] * 6, [ms.GRAPH_MODE] * 6, [ms.PYNATIVE_MODE, ms.GRAPH_MODE] * 3):
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 1))
        optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
        step = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)  # noqa: B023
        x, y = ops.randn(16, 4), ops.randn(16, 1)
        for mode in modes:
            with ms.context(mode=mode):
                loss, gradients = step(x, y)
                optimizer(gradients)
        results.append([bits(parameter) for parameter in optimizer.get_parameters()])
        print(f"  loss after {len(modes)} steps: {loss.item():.6f}")
    print("bit-equal:", results[0] == results[1] == results[2])


def a_whole_or_nothing() -> None:
    """Who wants no hop says so, and gets one error that lists them. The first that has an effect is refused before it is
    done: nothing is printed here."""

    @ms.jit(fullgraph=True)
    def whole(x):
        if x.sum() > 0:
            print("positive")
        return x

    try:
        whole(Tensor([1.0]))
    except RuntimeError as error:
        print("\n".join(str(error).splitlines()[:4]))


def the_program_as_a_graph() -> None:
    """What was recorded can be read, as MindIR: the functions behind a hop are chosen by `switch`."""

    @ms.jit
    def absolute(x):
        if x > 0:
            return x
        return -x

    absolute(Tensor(2.0)), absolute(Tensor(-2.0))
    [program] = ms.explain(absolute)(Tensor(1.0)).graphs
    print(program.graph.anf())


STORY = (
    the_same_program_in_two_modes, what_was_compiled, any_python_is_allowed, nothing_is_frozen, functions_are_values,
    training_may_switch, a_whole_or_nothing, the_program_as_a_graph,
)  # fmt: skip


def bits(tensor: Tensor) -> bytes:
    """The elements of a tensor, to the last bit."""
    return tensor.asnumpy().tobytes()


def main() -> int:
    began = time.perf_counter()
    for number, chapter in enumerate(STORY, 1):
        title = chapter.__name__.replace("_", " ")
        print(f"{number}. {title[0].upper()}{title[1:]}\n")
        print("   " + " ".join((chapter.__doc__ or "").split()) + "\n")
        chapter()
        print()
    print(f"told in {time.perf_counter() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
