"""Networks as files of ONNX: onnxruntime computes from them what we do, for any number of examples."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

import anfora as ms
from anfora import AnforaWarning, Tensor, nn, ops

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnx.reference import ReferenceEvaluator  # noqa: E402
from onnx_networks import NETWORKS, floats, more  # noqa: E402


def run(file, *inputs: Tensor) -> list[np.ndarray]:
    """What onnxruntime computes from a file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # more of them wait busily for each other where other tests run beside
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    return session.run(None, dict(zip(names, (x.asnumpy() for x in inputs), strict=True)))


@pytest.mark.parametrize("name", NETWORKS)
def test_onnxruntime_computes_what_we_do(tmp_path, name):
    net, *inputs = NETWORKS[name]()
    net.set_train(False)
    for opset in (17, 21) if "resnet" not in name else (21,):
        file = tmp_path / f"{opset}.onnx"
        ms.export(net, *inputs, file_name=file, file_format="ONNX", opset_version=opset)
        for count in (inputs[0].shape[0], 5):
            many = [more(x, count) for x in inputs]
            [found] = run(file, *many)
            expected = net(*many).asnumpy()
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * max(1.0, np.abs(expected).max()))


def test_names_are_kept(tmp_path):
    net, tokens, lengths = NETWORKS["lstm with lengths"]()
    ms.export(net, tokens, lengths, file_name=tmp_path / "net", file_format="ONNX")
    graph = onnx.load(tmp_path / "net.onnx").graph
    assert [each.name for each in graph.input] == ["tokens", "lengths"]
    assert [each.dim_param or each.dim_value for each in graph.input[0].type.tensor_type.shape.dim] == ["batch", 5]
    assert {p.name for p in net.get_parameters()} == {each.name for each in graph.initializer}
    ms.export(
        lambda x, y: (x + y, x * y), floats(2), floats(2), file_name=tmp_path / "two", file_format="ONNX",
        input_names=["a", "b"], output_names=["sum", "product"],
    )  # fmt: skip
    graph = onnx.load(tmp_path / "two.onnx").graph
    assert [each.name for each in (*graph.input, *graph.output)] == ["a", "b", "sum", "product"]


def test_nothing_is_written_that_nothing_reads(tmp_path):
    """A layer of an LSTM has results besides its states, for its gradient."""

    def program(x):
        unused = ops.exp(x)  # noqa: F841
        return nets[0](x)[0] + nets[1](x)[0] + nets[2](x)[0]

    nets = [nn.LSTM(3, 4), nn.GRU(3, 4, has_bias=False), nn.RNN(3, 4, nonlinearity="relu")]
    for net in nets:
        net.set_train(False)
    x = floats(5, 2, 3)
    ms.export(program, x, file_name=tmp_path / "it", file_format="ONNX", dynamic_axes={})
    graph = onnx.load(tmp_path / "it.onnx").graph
    used = {name for node in graph.node for name in node.input} | {each.name for each in graph.output}
    assert all(used.intersection(node.output) for node in graph.node)
    assert "Exp" not in {node.op_type for node in graph.node}
    np.testing.assert_allclose(run(tmp_path / "it.onnx", x)[0], program(x).asnumpy(), atol=1e-6)


@pytest.mark.parametrize("opset", range(17, min(23, onnx.defs.onnx_opset_version()) + 1))
def test_versions(tmp_path, opset):
    def program(x):
        y = ops.gelu(ops.relu(x).mean((1,), keep_dims=True) + ops.silu(x))
        return ops.concat(ops.split(y, 2, 1), 0).max(1)

    x = floats(3, 4)
    ms.export(program, x, file_name=tmp_path / "it", file_format="ONNX", opset_version=opset)
    assert onnx.load(tmp_path / "it.onnx").opset_import[0].version == opset
    np.testing.assert_allclose(
        run(tmp_path / "it.onnx", more(x, 5))[0], program(more(x, 5)).asnumpy(), rtol=1e-5, atol=1e-6
    )


def test_any_number_of_examples_where_none_was_given(tmp_path):
    def program(x):
        return x.swapaxes(0, 1) * 2

    ms.export(program, floats(0, 4, 3), file_name=tmp_path / "it", file_format="ONNX")
    x = floats(2, 4, 3)
    np.testing.assert_array_equal(run(tmp_path / "it.onnx", x)[0], program(x).asnumpy())


def test_lengths_that_are_not_known_are_free(tmp_path):
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.ReLU()).set_train(False)
    free = Tensor(shape=[None, 1, None, 6], dtype=ms.float32)
    ms.export(net, free, file_name=tmp_path / "it", file_format="ONNX")
    for shape in ((1, 1, 5, 6), (3, 1, 4, 6)):
        x = floats(*shape)
        np.testing.assert_allclose(run(tmp_path / "it.onnx", x)[0], net(x).asnumpy(), rtol=1e-5, atol=1e-6)
    for file_format in ("MINDIR", "C"):
        with pytest.raises(ValueError, match=rf"a file of {file_format} holds for inputs of given lengths"):
            ms.export(net, free, file_name=tmp_path / "other", file_format=file_format)


def test_lengths_that_follow_from_others(tmp_path):
    def program(x, y):  # (n, 3, m), (n, 4, m)
        both = ops.concat((x, y), 1)
        n, _, m = both.shape
        return (
            ops.reshape(both, (n * 7, m)),
            both[:, -1],
            ops.zeros((2 * n, m)) + ops.arange(m),
            ops.reshape(x, (n, m * 3)),
        )

    x, y = floats(2, 3, 5), floats(2, 4, 5)
    axes = {"x": {0: "n", 2: "m"}, "y": {0: "n", 2: "m"}}
    ms.export(program, x, y, file_name=tmp_path / "it", file_format="ONNX", dynamic_axes=axes)
    for n, m in ((2, 5), (1, 1), (6, 2)):
        x, y = floats(n, 3, m), floats(n, 4, m)
        for found, expected in zip(run(tmp_path / "it.onnx", x, y), program(x, y), strict=True):
            np.testing.assert_array_equal(found, expected.asnumpy())


def test_a_number_of_examples_that_cannot_be_free_is_told(tmp_path):
    weight = floats(2, 2)

    def fixed(x):
        return ops.matmul(weight, x)

    with pytest.warns(AnforaWarning, match="written for inputs of these shapes alone"):
        ms.export(fixed, floats(2, 3), file_name=tmp_path / "a", file_format="ONNX")
    ms.export(fixed, floats(2, 3), file_name=tmp_path / "b", file_format="ONNX", dynamic_axes={})
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    x = floats(2, 3)
    np.testing.assert_allclose(run(tmp_path / "b.onnx", x)[0], fixed(x).asnumpy(), rtol=1e-6)

    def mean(x):  # 1 / n is no sum of products of n
        return x.sum(0) * (1 / x.shape[0])

    with pytest.raises(ValueError, match="follows from a free length in another way"):
        ms.export(mean, floats(2, 3), file_name=tmp_path / "c", file_format="ONNX", dynamic_axes={"x": {0: "n"}})
    assert not (tmp_path / "c.onnx").exists()


@pytest.mark.parametrize(
    "program",
    [
        lambda x: ops.squeeze(x),  # which of one example takes the axis away too
        lambda x: ops.cov(x),
        lambda x: ops.combinations(x[:, 0], 2),  # n (n - 1) / 2 rows
        lambda x: sum(ops.unbind(x)),
        lambda x: x[:: x.shape[0] // 2],
    ],
)
def test_what_depends_on_the_number_of_examples_otherwise_is_told(tmp_path, program):
    x = floats(4, 3)
    with pytest.warns(AnforaWarning, match="written for inputs of these shapes alone"):
        ms.export(program, x, file_name=tmp_path / "it", file_format="ONNX")
    np.testing.assert_allclose(run(tmp_path / "it.onnx", x)[0], program(x).asnumpy(), rtol=1e-5)


def test_both_states_of_training(tmp_path):
    net = nn.SequentialCell(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Dropout(p=0.25))
    x = floats(4, 2, 6, 6)
    for is_training in (False, True):
        net.set_train(is_training)
        ms.export(net, x, file_name=tmp_path / "net", file_format="ONNX")
        model = onnx.load(tmp_path / "net.onnx")
        kinds = {node.op_type: node for node in model.graph.node}
        assert ("Dropout" in kinds) == is_training
        attributes = {
            each.name: onnx.helper.get_attribute_value(each) for each in kinds["BatchNormalization"].attribute
        }
        assert attributes.get("training_mode", 0) == is_training
        assert attributes.get("momentum", np.float32(0.9)) == np.float32(0.9)
        feed = {model.graph.input[0].name: x.asnumpy()}
        if is_training:  # which elements are dropped is the runtime's matter; onnxruntime does not train batch norm
            normed = next(node for node in model.graph.node if node.op_type == "Relu").output[0]
            model.graph.output[0].CopyFrom(onnx.helper.make_empty_tensor_value_info(normed))
            before = [p.asnumpy().copy() for p in net.get_parameters()]
            expected = nn.SequentialCell(*list(net)[:3]).set_train()(x)
            for p, array in zip(net.get_parameters(), before):
                p.set_data(Tensor(array))
        else:
            expected = net(x)
        [found] = ReferenceEvaluator(model).run(None, feed)
        np.testing.assert_allclose(found, expected.asnumpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("program", "options", "message"),
    [
        (ops.relu, {"opset_version": 16}, "`opset_version` must be an integer from 17 to"),
        (ops.relu, {"opset_version": 10_000}, "`opset_version` must be an integer from 17 to"),
        (ops.relu, {"dynamic_axes": {"z": {0: "n"}}}, "`dynamic_axes` names 'z', but the inputs are"),
        (ops.relu, {"dynamic_axes": {"input": {7: "n"}}}, "`dynamic_axes` says 7: 'n' of input, which has 2 axes"),
        (ops.relu, {"input_names": ["a", "b"]}, "`input_names` must be 1 different names"),
        (ops.relu, {"output_names": ["input"]}, "'input' is the name of an input or a weight already"),
        (ops.relu, {"colour": 1}, "export has no option `colour` for ONNX"),
        (lambda x: ops.lgamma(ops.relu(x)), {}, ": the operator lgamma has no form in ONNX\n"),
        (lambda x: (ops.relu(x), 3), {}, "a result of it is 3, which is no tensor"),
        (lambda x: x if x.sum() > 0 else -x, {}, "the data of a tensor\n"),
    ],
)
def test_what_cannot_be_written(tmp_path, program, options, message):
    with pytest.raises(Exception) as error:
        ms.export(
            program, floats(2, 3), file_name=tmp_path / "it", file_format="ONNX", **{"dynamic_axes": {}, **options}
        )
    assert message in str(error.value)
    assert not list(tmp_path.iterdir())


def test_without_the_library(tmp_path, monkeypatch):
    ask = builtins.__import__

    def lacking(name, *args):
        if name.split(".")[0] == "onnx":
            raise ImportError("No module named 'onnx'")
        return ask(name, *args)

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(RuntimeError, match=r"not installed(.|\n)*pip install anfora\[onnx\]"):
        ms.export(ops.relu, floats(2), file_name=tmp_path / "it", file_format="ONNX")


def test_writes_in_place(tmp_path):
    """Memory is what the program sees: a view, what it is a view of, and other views of that."""

    def program(x):
        y = x * 2
        row, column = y[1], y[:, 2]
        before = row + 0
        y[0] = 5.0
        row += column.sum()
        y.T[3] = x[:, 0]
        y[:, 1].add_(column)
        y[x > 1] = -1.0
        return y, row, column, before, y.diagonal() + 1

    x = floats(4, 4)
    ms.export(program, x, file_name=tmp_path / "it", file_format="ONNX", dynamic_axes={})
    for values in (x, floats(4, 4)):
        for found, expected in zip(run(tmp_path / "it.onnx", values), program(values), strict=True):
            np.testing.assert_allclose(found, expected.asnumpy(), rtol=1e-6)

    def outside(x):
        x[0] = 1.0
        return x + 1

    norm = nn.BatchNorm2d(4).set_train()

    def averages(x):
        return norm(x.reshape(1, 4, 2, 2)), norm.moving_mean + 1

    def unsure(x):
        y = x * 2
        y.reshape(-1)[0] = 3.0
        return y

    for function, why in (
        (outside, "a write into an input"),
        (averages, "a write into an input, a weight"),
        (unsure, "of which reshape may make a view or a copy"),
    ):
        with pytest.raises(ValueError, match=why):
            ms.export(function, x, file_name=tmp_path / "no", file_format="ONNX", dynamic_axes={})
