"""Networks as files: the same bits in another process, trained further; and what a file may not hold."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, ir, nn, ops
from anfora.graph_files import _digest
from anfora.interop.checkpoint import write_with_state
from anfora.models import GPT, MLP, VGG, LeNet5, LSTMClassifier, resnet18, resnet20

RNG = np.random.default_rng(0)


def floats(*shape):
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def words(*shape):
    return Tensor(RNG.integers(0, 20, shape).astype(np.int32))


NETWORKS = {
    "lenet": lambda: (LeNet5(10, 1), floats(2, 1, 32, 32)),
    "mlp": lambda: (MLP([8, 16, 4]), floats(3, 8)),
    "resnet20": lambda: (resnet20(10), floats(2, 3, 16, 16)),
    "resnet18": lambda: (resnet18(10), floats(1, 3, 32, 32)),
    "gpt": lambda: (GPT(20, 8, width=16, layers=2, heads=2), words(2, 8)),
    "lstm": lambda: (LSTMClassifier(20, 3, 8, 8), words(2, 5)),
    "vgg": lambda: (VGG([1, 1, 1, 1, 1], 10, width=4, features=8), floats(1, 3, 32, 32)),
}

ELSEWHERE = """
import sys
import numpy as np
import anfora as ms
from anfora import Tensor, nn
for name in sys.argv[2:]:
    net = nn.GraphCell(ms.load(f"{sys.argv[1]}/{name}.mindir"))
    given = Tensor(np.load(f"{sys.argv[1]}/{name}.npy"))
    eager = net(given).asnumpy()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert (net(given).asnumpy() == eager).all()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    np.save(f"{sys.argv[1]}/{name}.out.npy", eager)
"""


def test_a_network_runs_in_another_process(tmp_path):
    expected = {}
    for name, make in NETWORKS.items():
        net, x = make()
        net.set_train(False)
        np.save(tmp_path / f"{name}.npy", x.asnumpy())
        expected[name] = net(x).asnumpy()
        ms.export(net, x, file_name=tmp_path / name, file_format="MINDIR")
    subprocess.run([sys.executable, "-c", ELSEWHERE, str(tmp_path), *NETWORKS], check=True, cwd=tmp_path)
    for name, values in expected.items():
        assert np.array_equal(np.load(tmp_path / f"{name}.out.npy"), values), name


STAGES = """
import sys
from pathlib import Path
import numpy as np
from anfora import Tensor, ir
for name in sys.argv[2:]:
    folder = Path(sys.argv[1]) / name
    weights = np.load(folder / "weights.npz")
    x, expected = Tensor(np.load(folder / "x.npy")), np.load(folder / "out.npy")
    files = sorted(folder.glob("*.dat"))
    assert [file.name[:2] for file in files] == ["00", "01", "02"], files
    for file in files:
        graph = ir.read(file)
        ir.verify(graph)
        assert ir.complete(graph) == file.read_text(encoding="utf-8"), file
        if file.name[:2] != "00":  # what the source says calls the objects of the program, and these are elsewhere
            given = [Tensor(weights[parameter.name]) for parameter in graph.parameters[1:]]
            assert np.array_equal(graph(x, *given).asnumpy(), expected), file
"""


def test_each_stage_of_a_network_reads_back_in_another_process(tmp_path):
    """With the same text; what was recorded and what was lowered run to the same bits, without a line of the network."""
    for name, make in NETWORKS.items():
        net, x = make()
        net.set_train(False)
        folder = tmp_path / name
        folder.mkdir()
        np.savez(folder / "weights.npz", **{p.name: p.asnumpy() for p in net.get_parameters()})
        np.save(folder / "x.npy", x.asnumpy())
        np.save(folder / "out.npy", net(x).asnumpy())
        with ms.context(save_graphs=1, save_graphs_path=str(folder)):
            ms.jit(lambda x, net=net: net(x))(x)
    subprocess.run([sys.executable, "-c", STAGES, str(tmp_path), *NETWORKS], check=True, cwd=tmp_path)


def trained(net, x, y):
    """Losses and weights of some steps."""
    loss = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    ms.set_seed(5)
    losses = []
    for _ in range(3):
        value, gradients = step(x, y)
        optimizer(gradients)
        losses.append(value.item())
    return losses, {p.name: p.asnumpy().copy() for p in net.get_parameters()}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"])
def test_a_network_is_trained_further(tmp_path, mode):
    def make():
        ms.set_seed(1)
        net = nn.SequentialCell(
            nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(p=0.3), nn.Flatten(), nn.Dense(256, 5)
        )
        net[0].weight.requires_grad = False
        return net.set_train(True)

    x, y = floats(4, 1, 8, 8), Tensor([0, 1, 2, 3])
    net = make()
    before = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    state = ms.get_rng_state()
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert all(np.array_equal(p.asnumpy(), before[p.name]) for p in net.get_parameters())
    assert str(ms.get_rng_state()) == str(state)
    again = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    assert [p.name for p in again.trainable_params()] == [p.name for p in net.trainable_params()]
    ms.set_context(mode=mode)
    try:
        losses, weights = trained(again, x, y)
        wanted, theirs = trained(net, x, y)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert losses == wanted and list(weights) == list(theirs)
    assert all(np.array_equal(weights[name], theirs[name]) for name in weights)


def test_functions_with_several_inputs_and_results(tmp_path):
    scale = Parameter(Tensor([2.0, 3.0]), name="scale")

    def both(x, y):
        return {"sum": x * scale + y, "parts": (x.max(), [y])}

    ms.export(both, Tensor([1.0, 2.0]), Tensor([5.0, 6.0]), file_name=tmp_path / "both.mindir")
    graph = ms.load(tmp_path / "both.mindir")
    assert [p.name for p in graph.parameters] == ["input0", "input1", "scale"] and list(graph.weights) == ["scale"]
    found = nn.GraphCell(graph)(Tensor([1.0, 2.0]), Tensor([5.0, 6.0]))
    assert (
        found["sum"].tolist() == [7, 12] and found["parts"][0].item() == 2 and found["parts"][1][0].tolist() == [5, 6]
    )
    other = nn.GraphCell(ms.load(tmp_path / "both.mindir"), params_init={"scale": Tensor([1.0, 1.0])})
    assert other(Tensor([1.0, 2.0]), Tensor([5.0, 6.0]))["sum"].tolist() == [6, 8]


STEPS = """
import sys
import numpy as np
import anfora as ms
from anfora import Tensor, nn
ms.set_context(mode=getattr(ms, sys.argv[2]))
step = nn.GraphCell(ms.load(f"{sys.argv[1]}/step.mindir"))
given = np.load(f"{sys.argv[1]}/given.npz")
losses = [step(Tensor(given["x"]), Tensor(given["y"])).item() for _ in range(4)]
np.savez(f"{sys.argv[1]}/{sys.argv[2]}.npz", *(p.asnumpy() for p in step.get_parameters()), losses=losses)
"""


def test_a_step_of_training_is_a_file(tmp_path):
    def make():
        ms.set_seed(2)
        net = MLP([6, 8, 3])
        gradient = ms.value_and_grad(lambda x, y: nn.CrossEntropyLoss()(net(x), y), None, net.trainable_params())

        def step(x, y):
            loss, gradients = gradient(x, y)
            for weight, change in zip(net.trainable_params(), gradients):
                ops.assign_sub(weight, 0.1 * change)
            return loss

        return net, step

    x, y = floats(4, 6), Tensor([0, 1, 2, 0])
    net, step = make()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    ms.export(step, x, y, file_name=tmp_path / "step")
    assert all(map(np.array_equal, before, (p.asnumpy() for p in net.get_parameters())))
    again = nn.GraphCell(ms.load(tmp_path / "step.mindir"))
    losses = [step(x, y).item() for _ in range(4)]
    assert [again(x, y).item() for _ in range(4)] == losses
    weights = [p.asnumpy() for p in net.get_parameters()]
    assert all(map(np.array_equal, weights, (p.asnumpy() for p in again.get_parameters())))
    np.savez(tmp_path / "given.npz", x=x.asnumpy(), y=y.asnumpy())
    for mode in ("PYNATIVE_MODE", "GRAPH_MODE"):
        subprocess.run([sys.executable, "-c", STEPS, str(tmp_path), mode], check=True, cwd=tmp_path)
        found = np.load(tmp_path / f"{mode}.npz")
        assert found["losses"].tolist() == losses
        assert all(map(np.array_equal, weights, (found[f"arr_{i}"] for i in range(len(weights)))))


def test_a_network_that_looks_at_element_types(tmp_path):
    net, x = LSTMClassifier(20, 3, 8, 8).set_train(False), words(2, 5)  # it asks whether the lengths are integers
    ms.export(net, x, Tensor([5, 2]), file_name=tmp_path / "net")
    again = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    for lengths in ([5, 2], [1, 3]):
        assert (again(x, Tensor(lengths)) == net(x, Tensor(lengths))).all().item()


class AsksForHistories(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2)
        self.dense.weight.requires_grad = False

    def construct(self, x):
        if x.requires_grad or self.dense.weight.requires_grad:
            x = x * 2
        return self.dense(x)


@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX", "C"])
def test_a_network_that_asks_whether_a_tape_follows_is_of_the_case_that_none_does(tmp_path, file_format):
    if file_format == "ONNX":
        pytest.importorskip("onnx")
    net, x = AsksForHistories().set_train(False), Tensor(np.ones((2, 3), np.float32))
    ms.export(net, x, file_name=tmp_path / "net", file_format=file_format)
    if file_format == "MINDIR":
        read = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
        assert np.array_equal(read(x).asnumpy(), net(x).asnumpy())
        with pytest.raises(RuntimeError, match="the program asks whether a tape follows this value"):
            ms.grad(read)(x)


class Routed(nn.Cell):
    """Takes another way, and another number of steps, for other data."""

    def __init__(self):
        super().__init__()
        self.first, self.low, self.high = nn.Dense(3, 3), nn.Dense(3, 2), nn.Dense(3, 2)

    def construct(self, x):
        y = self.first(x)
        while y.sum() < 4:
            y = y + 0.5
        return self.high(y) if y.max() > 2 else -self.low(y)


def test_branches_and_loops_on_data_come_back(tmp_path):
    net, x = Routed(), floats(2, 3)
    ms.export(net, Tensor(shape=(2, 3), dtype=ms.float32), file_name=tmp_path / "net")
    again = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    assert [p.name for p in again.get_parameters()] == [p.name for p in net.get_parameters()]
    for scaled in (x, x * 20, x * -20):
        assert again(scaled).tolist() == net(scaled).tolist()


class Counting(nn.Cell):
    def construct(self, x):
        count, scale, seen, sums = 0, 1.5, (0,), []
        while x.sum() < 50 and count < 10:
            x += 1
            count += 1
            scale *= 1.5
            seen += (count,)
            sums += [x.sum() - count]
        return x * scale, count, scale, seen, sums


def test_numbers_that_a_loop_counts_come_back(tmp_path):
    net, x = Counting(), floats(2, 3)
    ms.export(net, x, file_name=tmp_path / "net")
    again = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    for given in (x, x * 3 + 4):
        y, *numbers, sums = net(given)
        z, *same, others = again(given)
        assert (z.tolist(), same, [s.item() for s in others]) == (y.tolist(), numbers, [s.item() for s in sums])


def test_a_file_of_onnx_is_told_where_it_is_read(tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"\x08\x07\x12\x06anfora")
    with pytest.raises(ms.AnforaError, match=r"help: anfora\.onnx\.load\(file\)"):
        ms.load(tmp_path / "net.onnx")


def test_a_file_that_is_written_under_no_grad_has_gradients(tmp_path):
    """Where it is run, the tape is somebody else's."""
    net, x = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh()), floats(2, 3)
    with ms.no_grad():
        ms.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    loaded = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    found, wanted = (ms.grad(lambda x, each=each: each(x).sum())(x) for each in (loaded, net))
    np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_equal_networks_are_equal_files(tmp_path):
    net, x = MLP([4, 3]), floats(2, 4)
    for name in "ab":
        ms.export(net, x, file_name=tmp_path / name, file_format="MINDIR")
    assert (tmp_path / "a.mindir").read_bytes() == (tmp_path / "b.mindir").read_bytes()


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((lambda x: x, Tensor(1.0)), {"file_format": "AIR"}, "must be 'MINDIR', 'ONNX' or 'C', but got 'AIR'"),
        ((lambda x: x, Tensor(1.0)), {"enc_key": b"x"}, "export has no option `enc_key`"),
        ((3, Tensor(1.0)), {}, "export needs a Cell or a function, but got int"),
        ((lambda x: x, 4), {}, "export takes tensors as inputs, but got int"),
        ((lambda x: x * np.random.rand(), Tensor(1.0)), {}, "cannot be written as a file: the interpreter is needed"),
        ((lambda x: x * float(x.sum()), Tensor(1.0)), {}, "the data of a tensor\n"),
        ((lambda x: (x, Path), Tensor(1.0)), {}, "an object of the program"),
    ],
)
def test_what_cannot_be_written(tmp_path, given, options, message):
    with pytest.raises(Exception) as error:
        ms.export(*given, file_name=tmp_path / "it", **options)
    assert message in str(error.value)
    assert not list(tmp_path.iterdir())


def test_an_input_of_another_shape(tmp_path):
    ms.export(nn.Dense(3, 2), floats(1, 3), file_name=tmp_path / "net")
    net = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    with pytest.raises(ValueError, match=r"input 0 of the graph Dense is .*float32\[1, 3\], but got float32\[4, 3\]"):
        net(floats(4, 3))
    with pytest.raises(ValueError, match="the graph has no weight 'w'; it has weight, bias"):
        nn.GraphCell(ms.load(tmp_path / "net.mindir"), params_init={"w": floats(1)})


def written(file, text, **more):
    told = {"mindir": 1, "graph": text, "weights": [], "trainable": [], "digest": _digest(text, {}), **more}
    write_with_state({}, file, {}, "safetensors", False, json.dumps(told).encode())
    return file


EVIL = [
    '%0 = getattr(ops.relu, "__globals__") %1 = getitem(%0, "__builtins__")',
    '%1 = object("os.system")("true")',
    '%1 = interpret("x", "y", (), object("builtins.eval"), "1")',
    '%1 = signed(ops.relu, ("x=print()",))',
    '%1 = apply(ops.relu, ("",), 1)',
    '%1 = load_global(ops.relu, "os")',
    '%1 = registry.relu %2 = setattr(%1, "a", 1)',
    "%1 = HyperMap()(ops.relu)",
    "%1 = spread((ops.relu, (), ()))",
    "%1 = make_tuple((1, (tuple,)))",
]


@pytest.mark.parametrize("body", EVIL)
def test_a_file_runs_no_code(tmp_path, body):
    text = f"subgraph @f(%para1_x) {{ {body} Return(%1) }}"
    with pytest.raises(ValueError) as error:
        ms.load(written(tmp_path / "evil.mindir", text))
    assert "is refused: its graph holds" in str(error.value) or "evil.mindir': " in str(error.value)


def test_damaged_files(tmp_path):
    good = "subgraph @f(%para1_x) { %0 = mul(%para1_x, 2) Return(%0) }"
    file = tmp_path / "x.mindir"
    assert ms.load(written(file, good))(Tensor(4.0)).item() == 8
    for more, message in [
        ({"digest": "0"}, "is damaged: its content is not what its digest says"),
        ({"mindir": 7}, "has the format 7, and this anfora reads 1"),
        ({"graph": 3}, "is damaged, or holds no graph"),
        ({"graph": "subgraph"}, "line 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            ms.load(written(file, good, **more))
    ms.save_checkpoint(nn.Dense(2, 2), str(tmp_path / "w.safetensors"))
    with pytest.raises(ValueError, match="is damaged, or holds no graph"):
        ms.load(tmp_path / "w.safetensors")
    file.write_bytes(b"\n\x0b0.1.0\x12\x09MindSpore")
    with pytest.raises(ValueError, match=r"no file that `export` of anfora has written[\s\S]*MindSpore's own \.mindir"):
        ms.load(file)
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        ms.load(tmp_path / "none.mindir")


def test_the_graph_of_a_file_is_a_graph(tmp_path):
    ms.export(lambda x: ops.relu(x) * 2, Tensor([1.0, -1.0]), file_name=tmp_path / "f")
    graph = ms.load(tmp_path / "f.mindir")
    assert ms.jit(graph)(Tensor([3.0, -3.0])).tolist() == [6, 0]
    assert ms.grad(graph)(Tensor([3.0, -3.0])).tolist() == [2, 0]
    assert ir.evaluate(graph, Tensor([3.0, -3.0])).tolist() == [6, 0]
