"""Files of ONNX as networks: what we have written comes back and is trained, what others write runs, damage is told."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx.reference import ReferenceEvaluator  # noqa: E402
from onnx_networks import NETWORKS, floats, more  # noqa: E402

from anfora.onnx import load  # noqa: E402

FLOAT, INT = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64


def model(nodes, inputs=(("x", FLOAT, ["n", 3]),), outputs=("y",), initializers=(), opset=21):
    """A model of nodes, given as (operator, inputs, outputs, attributes)."""
    made = [onnx.helper.make_node(kind, take, give, **attributes) for kind, take, give, attributes in nodes]
    graph = onnx.helper.make_graph(
        made, "graph", [onnx.helper.make_tensor_value_info(*each) for each in inputs],
        [onnx.helper.make_empty_tensor_value_info(name) for name in outputs],
        [onnx.numpy_helper.from_array(array, name) for name, array in initializers],
    )  # fmt: skip
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])


def gradients(net, parameters, inputs):
    return ms.grad(lambda *x: (net(*x) ** 2).sum(), None, parameters)(*inputs)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_comes_back(tmp_path, name):
    net, *inputs = NETWORKS[name]()
    net.set_train(False)
    ms.export(net, *inputs, file_name=tmp_path / "net", file_format="ONNX")
    again = load(tmp_path / "net.onnx")
    names = {p.name: p for p in net.get_parameters()}
    assert {p.name for p in again.trainable_params()} == {p.name for p in net.trainable_params()}
    assert all((p == names[p.name]).all().item() for p in again.get_parameters())
    for count in (inputs[0].shape[0], 3):
        many = [more(x, count) for x in inputs]
        expected = net(*many).asnumpy()
        found = again(*many)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=0, atol=1e-5 * max(1.0, np.abs(expected).max()))
        assert (ms.jit(again)(*many) == found).all().item()
    if "resnet" in name:
        return  # as the others, and larger
    weights = list(again.trainable_params())
    for a, b in zip(gradients(again, weights, inputs), gradients(net, [names[p.name] for p in weights], inputs)):
        size = max(1e-3, np.abs(b.asnumpy()).max())
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=0, atol=1e-4 * size)


def test_what_comes_back_is_compiled_as_a_whole(tmp_path):
    for name in ("lenet", "gpt", "lstm with lengths"):
        net, *inputs = NETWORKS[name]()
        ms.export(net.set_train(False), *inputs, file_name=tmp_path / "net", file_format="ONNX")
        again = load(tmp_path / "net.onnx")
        ms.jit(lambda *x, again=again: again(*x), fullgraph=True)(*inputs)
        ms.export(again, *inputs, file_name=tmp_path / "twice", file_format="ONNX")  # and leaves once more
        assert (load(tmp_path / "twice.onnx")(*inputs) == again(*inputs)).all().item()


def test_it_is_trained_further(tmp_path):
    net = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dense(4 * 36, 2))
    x, labels = floats(8, 1, 6, 6), Tensor(np.arange(8) % 2)
    ms.export(net.set_train(), x, file_name=tmp_path / "net", file_format="ONNX", dynamic_axes={})
    again = load(tmp_path / "net.onnx")
    moving = {p.name: p.asnumpy().copy() for p in again.get_parameters() if "moving" in p.name}
    assert len(moving) == 2 and not any("moving" in p.name for p in again.trainable_params())
    loss = nn.CrossEntropyLoss()
    optimizer = nn.Adam(again.trainable_params(), 1e-2)
    step = ms.value_and_grad(lambda x, labels: loss(again(x), labels), None, optimizer.parameters)
    losses = []
    for _ in range(20):
        value, found = step(x, labels)
        optimizer(found)
        losses.append(value.item())
    assert losses[-1] < 0.2 * losses[0]
    for p in again.get_parameters():
        if p.name in moving:
            assert np.abs(p.asnumpy() - moving[p.name]).max() > 1e-3


def test_moving_averages_follow_the_definition():
    x = np.random.default_rng(0).standard_normal((4, 2, 3)).astype(np.float32)
    start = np.array([1.0, 2.0], np.float32)
    net = load(model(
        [("BatchNormalization", ["x", "scale", "bias", "mean", "var"], ["y"], {"training_mode": 1, "momentum": 0.75})],
        [("x", FLOAT, [4, 2, 3])], initializers=[(name, start) for name in ("scale", "bias", "mean", "var")],
    ))  # fmt: skip
    net(Tensor(x))
    told = {p.name: p.asnumpy() for p in net.get_parameters()}
    np.testing.assert_allclose(told["mean"], 0.75 * start + 0.25 * x.mean((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(told["var"], 0.75 * start + 0.25 * x.var((0, 2)), rtol=1e-5)


def test_choices_and_loops_run_in_both_modes():
    def body(name, nodes, inputs, outputs):
        return onnx.helper.make_graph(
            [onnx.helper.make_node(*node[:3], **node[3]) for node in nodes], name,
            [onnx.helper.make_tensor_value_info(*each) for each in inputs],
            [onnx.helper.make_empty_tensor_value_info(each) for each in outputs],
        )  # fmt: skip

    more_, less = (
        body(kind, [(kind, ["x", "two"], [f"{kind}_out"], {})], (), [f"{kind}_out"]) for kind in ("Mul", "Sub")
    )
    rounds = body(
        "rounds", [("Add", ["s", "z"], ["t"], {}), ("Identity", ["c"], ["d"], {})],
        [("i", INT, []), ("c", onnx.TensorProto.BOOL, []), ("s", FLOAT, [3])], ["d", "t", "t"],
    )  # fmt: skip
    made = model(
        [
            ("ReduceSum", ["x"], ["total"], {"keepdims": 0}),
            ("Greater", ["total", "two"], ["is_large"], {}),
            ("If", ["is_large"], ["z"], {"then_branch": more_, "else_branch": less}),
            ("Loop", ["three", "", "z"], ["last", "all"], {"body": rounds}),
        ],
        [("x", FLOAT, [3])], ["last", "all"], [("two", np.array(2, np.float32)), ("three", np.array(3))],
    )  # fmt: skip
    net = load(made)
    compiled = ms.jit(net)
    for values in ([1, 2, 3], [-1, 0, 1], [5, 5, 5], [0, 0, 1]):
        x = np.array(values, np.float32)
        z = x * 2 if x.sum() > 2 else x - 2
        for run in (net, compiled):
            last, every = run(Tensor(x))
            np.testing.assert_array_equal(last.asnumpy(), 4 * z)
            np.testing.assert_array_equal(every.asnumpy(), [2 * z, 3 * z, 4 * z])
    found = ms.grad(lambda x: net(x)[0].sum())(Tensor([1.0, 2.0, 3.0]))
    assert found.tolist() == [8.0, 8.0, 8.0]


def test_older_versions_have_attributes_where_newer_have_inputs():
    x = floats(2, 3)
    for opset, nodes in {
        12: [("Unsqueeze", ["x"], ["u"], {"axes": [0]}), ("ReduceSum", ["u"], ["y"], {"axes": [2], "keepdims": 0})],
        10: [("Clip", ["x"], ["c"], {"min": -0.5, "max": 0.5}), ("Softmax", ["c"], ["y"], {})],
        9: [("Slice", ["x"], ["s"], {"starts": [0], "ends": [1]}), ("Dropout", ["s"], ["y"], {"ratio": 0.3})],
    }.items():
        found = load(model(nodes, opset=opset))(x)
        expected = ReferenceEvaluator(model(nodes, opset=opset)).run(None, {"x": x.asnumpy()})
        np.testing.assert_allclose(found.asnumpy(), expected[0], rtol=1e-6)


def test_inputs_are_checked(tmp_path):
    net = load(model([("Relu", ["x"], ["y"], {})]))
    assert net(floats(7, 3)).shape == (7, 3) and net.input_names == ("x",)
    for wrong, message in (
        ((floats(2, 4),), r"needs the shape \[any, 3\] for the input 'x', but got \[2, 4\]"),
        ((floats(2, 3).astype(ms.float64),), "needs Float32 for the input 'x', but got Float64"),
        ((floats(2, 3), floats(2, 3)), "takes 1 inputs, but got 2"),
    ):
        for run in (net, ms.jit(net)):
            with pytest.raises((ValueError, TypeError), match=message):
                run(*wrong)


def test_weights_in_another_file(tmp_path):
    made = model([("Add", ["x", "w"], ["y"], {})], initializers=[("w", np.arange(3, dtype=np.float32))])
    onnx.save_model(made, tmp_path / "it.onnx", save_as_external_data=True, location="it.data", size_threshold=0)
    x = floats(2, 3)
    np.testing.assert_array_equal(load(tmp_path / "it.onnx")(x).asnumpy(), x.asnumpy() + np.arange(3, dtype=np.float32))
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "link").symlink_to(tmp_path / "it.data")
    for location, told in {
        "../it.data": "outside of the model's folder", str(tmp_path / "it.data"): "outside of the model's folder",
        "link": "outside of the model's folder", "none": "cannot be read", "": "none is known",
    }.items():  # fmt: skip
        other = onnx.load(tmp_path / "it.onnx", load_external_data=False)
        for each in other.graph.initializer[0].external_data:
            if each.key == "location":
                each.value = location
        (tmp_path / "inner" / "it.onnx").write_bytes(other.SerializeToString())
        with pytest.raises(ValueError, match=told):
            load(tmp_path / "inner" / "it.onnx")
    (tmp_path / "it.data").write_bytes(b"\0" * 8)
    with pytest.raises(ValueError, match=r"12 bytes from 0 on in 'it\.data', which do not fit"):
        load(tmp_path / "it.onnx")


def changed(change):
    made = model(
        [("Gather", ["x", "i"], ["a"], {"axis": 1}), ("Add", ["a", "w"], ["y"], {})],
        initializers=[("w", np.ones(2, np.float32)), ("i", np.array([0, 2]))],
    )
    change(made.graph)
    return made


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g.node[0].input.__setitem__(0, "y"), "uses 'y', which nothing before it makes"),  # a circle
        (lambda g: g.node[0].input.__setitem__(0, "nobody"), "uses 'nobody', which nothing before it makes"),
        (lambda g: g.node[1].output.__setitem__(0, "a"), "the name 'a' stands for two values"),
        (lambda g: setattr(g.initializer[0], "raw_data", b"\0" * 7), "'w' has 7 bytes, but its shape [2] needs 8"),
        (lambda g: g.initializer[0].dims.__setitem__(0, -2), "the tensor 'w' has the shape [-2]"),
        (lambda g: g.initializer[0].dims.__setitem__(0, 1 << 60), "the tensor 'w' has 8 bytes, but its shape"),
        (lambda g: setattr(g.initializer[0], "data_type", 8), "no tensors of ONNX's element type 8 (texts)"),
        (lambda g: setattr(g.initializer[0], "data_type", 99), "no tensors of ONNX's element type 99"),
        (lambda g: setattr(g.node[0], "op_type", "Gatherer"), "a Gatherer is an operator that is not known"),
        (lambda g: setattr(g.node[0], "domain", "com.me"), "a Gather is an operator of 'com.me', which is not known"),
        (lambda g: setattr(g.node[0].attribute[0], "name", "colour"), "has the attribute `colour`, which is not known"),
        (lambda g: g.node[0].input.append("i"), "a Gather has 3 inputs, and takes 2"),
        (lambda g: g.node[0].input.pop(), "a Gather lacks its `indices`"),
        (lambda g: g.ClearField("output"), "its graph has no results"),
    ],
)  # fmt: skip
def test_damage_is_told(change, message):
    with pytest.raises(ms.AnforaError) as error:
        load(changed(change))
    assert message in str(error.value)


def test_what_is_no_file_of_onnx(tmp_path):
    for data in (b"", b"not onnx", b"\x08\x0a", bytes(range(256))):
        (tmp_path / "it.onnx").write_bytes(data)
        with pytest.raises(ValueError, match="damaged, or no file of ONNX"):
            load(tmp_path / "it.onnx")
    with pytest.raises(ValueError, match="cannot be read"):
        load(tmp_path / "none.onnx")
    with pytest.raises(TypeError, match="load needs a file, bytes or a model of onnx, but got int"):
        load(3)


def test_lengths_stay_numbers_of_python():
    nodes = [
        ("Shape", ["x"], ["s"], {}),
        ("Gather", ["s", "zero"], ["n"], {}),
        ("Unsqueeze", ["n", "axes"], ["n1"], {}),
        ("Mul", ["n1", "three"], ["m"], {}),
        ("Concat", ["m", "one"], ["to"], {"axis": 0}),
        ("Reshape", ["x", "to"], ["y"], {}),
        ("Cast", ["to"], ["z"], {"to": FLOAT}),
    ]
    numbers = [("zero", np.array(0)), ("axes", np.array([0])), ("three", np.array([3])), ("one", np.array([1]))]
    net = load(model(nodes, outputs=("y", "z", "s"), initializers=numbers))
    compiled = ms.jit(lambda x: net(x), fullgraph=True)
    for n in (2, 5):
        x = floats(n, 3)
        for run in (net, compiled):
            y, z, s = run(x)
            assert (y.asnumpy() == x.asnumpy().reshape(-1, 1)).all() and z.tolist() == [3.0 * n, 1.0]
            assert s.tolist() == [n, 3] and s.dtype is ms.int64


@pytest.mark.parametrize("name", ["layers", "transformer", "images"])
def test_files_by_torch(name):
    """What torch has written computes what torch computes, for another number of examples, with torch's gradients."""
    folder = pathlib.Path(__file__).parent / "by_torch"
    with np.load(folder / "onnx.npz") as told:
        told = {key: told[key] for key in told.files if key.startswith(f"{name}.")}
    net = load(folder / f"{name}.onnx")
    x = Tensor(told[f"{name}.x"])
    for run in (net, ms.jit(lambda x: net(x), fullgraph=True)):
        found = run(x)
        for number, result in enumerate(found if isinstance(found, tuple) else (found,)):
            np.testing.assert_allclose(result.asnumpy(), told[f"{name}.{number}"], rtol=1e-4, atol=1e-5)
    if f"{name}.gradient" in told:
        found = ms.grad(lambda x: sum((y**2).sum() for y in net(x)))(x)
        expected = told[f"{name}.gradient"]
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=0, atol=1e-4 * np.abs(expected).max())
