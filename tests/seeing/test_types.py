"""What type checkers know of a user's program, and of mistakes in it."""

from __future__ import annotations

import importlib.util
import inspect
import json
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

from anfora import Tensor, ops

ROOT = pathlib.Path(__file__).parents[2]

#: A program as users write it: nothing is reported.
PROGRAM = """
    import numpy as np

    import anfora as ms
    import anfora.dataset as ds
    from anfora import Parameter, Tensor, nn, ops
    from anfora.train import Model


    class LeNet(nn.Cell):
        def __init__(self, classes: int = 10) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
            self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
            self.relu = nn.ReLU()
            self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
            self.fc1 = nn.Dense(16 * 5 * 5, 120, weight_init="normal")
            self.fc2 = nn.Dense(120, classes)
            self.scale = Parameter(1.0, name="scale")

        @ms.jit
        def construct(self, x: Tensor) -> Tensor:
            x = self.pool(self.relu(self.conv1(x)))
            x = self.pool(ops.relu(self.conv2(x))).flatten(start_dim=1)
            return self.fc2(ops.relu(self.fc1(x))) * self.scale


    net = LeNet().set_train()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)


    def forward(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        logits = net(x)
        return loss_fn(logits, y), logits


    step = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)


    @ms.jit(fullgraph=True)
    def train_step(x: Tensor, y: Tensor) -> Tensor:
        (loss, _), gradients = step(x, y)
        optimizer(gradients)
        return loss


    x, y = ops.randn(8, 1, 32, 32), Tensor(np.zeros(8), ms.int32)
    for _ in range(3):
        loss = train_step(x, y)
        print(f"{loss.item():.3f}", float(loss), (net(x).argmax(axis=1) == y).mean())
    data = ds.NumpySlicesDataset({"x": x.asnumpy(), "y": y.asnumpy()}, shuffle=False).batch(4)
    model = Model(net, loss_fn, optimizer, metrics={"accuracy"})
    model.train(1, data, callbacks=[ms.LossMonitor()])
    print(model.eval(data)["accuracy"], x[0, :, ::2].mean(axis=(1, 2)).tolist(), ops.relu([1.0, -1.0]) @ np.ones(2))
    double = ms.grad(lambda x: x * x)(Tensor(1.0))
"""

#: Expressions in that program, and their types.
TYPES = {
    "net": "LeNet",
    "net(x)": "Tensor",
    "net.conv1": "Conv2d",
    "net.fc1.weight": "Parameter",
    "x.sum()": "Tensor",
    "x.mean(axis=1, keep_dims=True)": "Tensor",
    "x.topk(2)": "tuple[Tensor, Tensor]",
    "2 - x": "Tensor",
    "x == y": "Tensor",
    "x.shape": "tuple[int, ...]",
    "ops.softmax(x, axis=-1)": "Tensor",
    "ops.max(x, axis=1)": "tuple[Tensor, Tensor]",
    "ops.ReLU()(x)": "Tensor",
    "ms.mint.sum(x, dim=1)": "Tensor",
    "ms.numpy.sqrt(x)": "Tensor",
    "step(x, y)": "tuple[tuple[Tensor, Tensor], tuple[Tensor, ...]]",
    "ms.value_and_grad(net)(x)": "tuple[Tensor, Tensor]",
    "ms.value_and_grad(net, None, net.fc1.weight)(x)": "tuple[Tensor, Tensor]",
    "ms.grad(train_step)(x, y)": "Tensor",
    "ms.grad(net, None, net.trainable_params())(x)": "tuple[Tensor, ...]",
    "ms.vmap(net)(x)": "Tensor",
    "train_step(x, y)": "Tensor",
    "optimizer(())": "Tensor",
    "model.eval(data)": "dict[str, Any]",
}

#: Mistakes in it, and what is named by both checkers.
MISTAKES = {
    "ops.sofmax(x)": "sofmax",
    'ops.relu("no")': "Tensor",
    "ops.softmax(x, axes=1)": "axes",
    'net("no")': "Tensor",
    "net(x, x)": "argument",
    "x.sums()": "sums",
    "nn.Dens(3, 4)": "Dens",
    'nn.Dense("3", 4)': "int",
    "ms.Tensr(1)": "Tensr",
    "ms.train.Modl": "Modl",
    "step(x)": "few|missing",
    "model.trian(1, data)": "trian",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The program alone, with its types asked for, and with mistakes, each of these in a line of its own."""
    folder = tmp_path_factory.mktemp("types")
    program = textwrap.dedent(PROGRAM).lstrip()
    (folder / "right.py").write_text(program)
    (folder / "asked.py").write_text(program + "".join(f"reveal_type({text})\n" for text in TYPES))
    (folder / "wrong.py").write_text(program + "".join(f"{text}\n" for text in MISTAKES))
    return folder, len(program.splitlines())


def by_expression(found: dict[str, dict[int, str]], start: int) -> tuple[dict[str, str], dict[str, str]]:
    """What was said of each type that was asked for, and of each mistake."""
    types = {text: found["asked.py"].pop(start + i, "") for i, text in enumerate(TYPES, 1)}
    mistakes = {text: found["wrong.py"].pop(start + i, "") for i, text in enumerate(MISTAKES, 1)}
    assert found == {"right.py": {}, "asked.py": {}, "wrong.py": {}}
    return types, mistakes


def check(types: dict[str, str], mistakes: dict[str, str]) -> None:
    assert types == TYPES
    assert [text for text, word in MISTAKES.items() if not re.search(word, mistakes[text], re.I)] == []


def test_pyright(programs):
    folder, start = programs
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "basic", "reportUnusedExpression": "none"}')
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert run.stdout, run.stderr
    found: dict[str, dict[int, str]] = {"right.py": {}, "asked.py": {}, "wrong.py": {}}
    for each in json.loads(run.stdout)["generalDiagnostics"]:
        text = re.sub(r'^Type of ".*" is "(.*)"$', r"\1", each["message"])
        found[pathlib.Path(each["file"]).name].setdefault(each["range"]["start"]["line"] + 1, text)
    check(*by_expression(found, start))


def test_mypy(programs):
    folder, start = programs
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(folder / "cache")]
    files = ["right.py", "asked.py", "wrong.py"]
    run = subprocess.run(
        [*command, "--allow-untyped-calls", "--python-executable", sys.executable, *files],
        cwd=folder, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    found: dict[str, dict[int, str]] = {file: {} for file in files}
    for line in (run.stdout + run.stderr).splitlines():
        file, number, _, text = line.split(":", 3)
        revealed = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text.strip().removeprefix("Revealed type is ").strip('"'))
        found[file].setdefault(int(number), revealed)
    types, mistakes = by_expression(found, start)
    check({text: told.replace("right.", "").replace("asked.", "") for text, told in types.items()}, mistakes)


def maker():
    spec = importlib.util.spec_from_file_location("make", ROOT / "stubs" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stubs_can_be_read_by_python():
    for file in (ROOT / "stubs" / "anfora-stubs").rglob("*.pyi"):
        compile(file.read_text(), str(file), "exec")


def test_annotations_of_stubs():
    make = maker()
    empty = inspect.Parameter.empty
    assert make.annotated("Tensor") == "TensorLike" and make.annotated("Tensor", is_result=True) == "Tensor"
    assert make.annotated(empty) == "Any" and make.annotated(empty, is_result=True) == "Tensor"
    assert make.annotated("int | None") == "builtins.int | None"  # a method of Tensor is called `int`
    assert make.annotated("np.ndarray | int") == make.annotated("Window") == "Any"
    assert make.method_of("sum", Tensor.sum).startswith("    def sum(self, axis: Any = None")
    assert make.function_of("relu", ops.relu).startswith("def relu(input: TensorLike) -> Tensor:")
    assert "dim: Any = ..." in make.method_of("mean", inspect.getattr_static(Tensor, "mean"))
