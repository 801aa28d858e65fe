"""Weights of others: networks with the weights of torch's give torch's logits, whatever files these come in."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

import anfora as ms
from anfora import Parameter, Tensor, load_checkpoint, load_param_into_net, models, nn, ops
from anfora.interop.renaming import TORCH

HERE = pathlib.Path(__file__).parent / "by_torch"
sys.path.insert(0, str(HERE))
from weights import uniform, weight  # noqa: E402

TOLD = json.loads((HERE / "networks.json").read_text())


class LeNet(models.LeNet5):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)


def conv(inputs, width, size, stride, padding):
    return nn.Conv2d(inputs, width, size, stride, pad_mode="pad", padding=padding)


class Block(nn.Cell):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, width, 3, stride, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3, 1, 1), nn.BatchNorm2d(width)
        self.downsample = None
        if stride != 1 or inputs != width:
            self.downsample = nn.SequentialCell(conv(inputs, width, 1, stride, 0), nn.BatchNorm2d(width))

    def construct(self, x):
        y = self.bn2(self.conv2(ops.relu(self.bn1(self.conv1(x)))))
        return ops.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = conv(3, 64, 7, 2, 3), nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        widths = (64, 64, 128, 256, 512)
        for i in range(1, 5):
            first = Block(widths[i - 1], widths[i], 1 if i == 1 else 2)
            setattr(self, f"layer{i}", nn.SequentialCell(first, Block(widths[i], widths[i], 1)))
        self.fc = nn.Dense(512, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.bn1(self.conv1(x))))
        return self.fc(self.layer4(self.layer3(self.layer2(self.layer1(x)))).mean((2, 3)))


class Attending(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm, self.act = nn.GroupNorm(2, 8), nn.PReLU()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.gru = nn.GRU(8, 4)
        self.back = nn.Conv1dTranspose(4, 2, 3, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, x):
        x = ops.expand_dims(self.conv(x), 3)
        x = self.encoder(ops.transpose(self.act(self.norm(x))[..., 0], (0, 2, 1)))
        x, _ = self.gru(ops.transpose(x, (1, 0, 2)))
        return self.back(ops.transpose(x, (1, 2, 0))).reshape(2, -1)


GPT2 = {
    r"^lm_head\.weight$": "", r"^transformer\.": "", r"^wte\.": "tokens.", r"^wpe\.": "places.", r"^h\.": "blocks.",
    r"\.ln_(\d)\.": r".norm\1.", r"\.attn\.c_attn\.": ".attention.qkv.", r"\.attn\.c_proj\.": ".attention.project.",
    r"\.mlp\.c_fc\.": ".expand.", r"\.mlp\.c_proj\.": ".reduce.", r"^ln_f\.": "norm.",
}  # fmt: skip

NETWORKS = {
    "lenet": (LeNet, "torch"),
    "resnet18": (ResNet18, "torch"),
    "lstm": (lambda: models.LSTMClassifier(20, 3, 8, 8, 2), "torch"),
    "gpt2": (lambda: models.GPT(32, 8, 16, 2, 4), [GPT2, "torch"]),
    "attending": (Attending, "torch"),
}


def made(name):
    """The weights of a network, by torch's names."""
    found = {key: weight(key, tuple(shape)) for key, shape in TOLD[name]["shapes"].items()}
    if "lm_head.weight" in found:
        found["lm_head.weight"] = found["transformer.wte.weight"]
    return found


def given(name):
    x = uniform("input", tuple(TOLD[name]["given"]))
    count = {"lstm": 20, "gpt2": 32}.get(name)
    return Tensor(x) if count is None else Tensor(((x + 1) / 2 * count).astype(np.int64))


def loaded(name, held):
    network, rename = NETWORKS[name]
    net = network()
    net.set_train(False)
    assert load_param_into_net(net, held, rename=rename) == ([], ["lm_head.weight"] if name == "gpt2" else [])
    return net


def same_logits(name, net):
    x = given(name)
    wanted = TOLD[name]["logits"]
    found = net(x)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-5)
    assert ms.jit(net)(x).tolist() == found.tolist()


@pytest.mark.parametrize("name", NETWORKS)
def test_logits_are_torchs(name):
    same_logits(name, loaded(name, {key: Tensor(x) for key, x in made(name).items()}))


def test_from_a_file_of_torch():
    held = load_checkpoint(HERE / "lstm.pt")
    assert (int(held.pop("epoch")), float(held.pop("rate")), held.pop("title")) == (3, 0.5, "by torch")
    same_logits("lstm", loaded("lstm", held))


def test_from_a_file_of_torch_before_1_6():
    same_logits("gpt2", loaded("gpt2", load_checkpoint(HERE / "gpt2.pth")))


def sharded(folder, held, count=2):
    """Files as Hugging Face's libraries write them."""
    names, where = sorted(held), {}
    for i in range(count):
        file = f"model-{i + 1:05}-of-{count:05}.safetensors"
        part = {key: np.ascontiguousarray(held[key]) for key in names[i::count]}
        save_file(part, folder / file, metadata={"format": "pt"})
        where |= dict.fromkeys(part, file)
    index = {"metadata": {"total_size": sum(x.nbytes for x in held.values())}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder / "model.safetensors.index.json"


@pytest.mark.parametrize("way", ["index", "folder"])
def test_from_several_files(tmp_path, way):
    index = sharded(tmp_path, made("lenet"), 3)
    same_logits("lenet", loaded("lenet", load_checkpoint(index if way == "index" else tmp_path)))


def test_from_a_folder_with_one_file(tmp_path):
    save_file(made("lstm"), tmp_path / "model.safetensors")
    same_logits("lstm", loaded("lstm", load_checkpoint(tmp_path)))


def test_from_a_folder_with_torchs_file(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes((HERE / "gpt2.pth").read_bytes())
    same_logits("gpt2", loaded("gpt2", load_checkpoint(tmp_path)))


def bfloat16_file(file, held):
    """A safetensors file of bfloat16, which numpy lacks, by the form of the file."""
    header, data = {}, b""
    for name, x in held.items():
        bits = (x.astype(np.float32).view(np.uint32) >> 16).astype("<u2").tobytes()  # the numbers are cut, not rounded
        header[name] = {"dtype": "BF16", "shape": list(x.shape), "data_offsets": [len(data), len(data) + len(bits)]}
        data += bits
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_from_bfloat16(tmp_path):
    held = made("lenet")
    bfloat16_file(tmp_path / "model.safetensors", held)
    found = load_checkpoint(tmp_path)
    assert all(value.dtype is ms.bfloat16 for value in found.values())
    net = loaded("lenet", found)
    cut = {key: (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32) for key, x in held.items()}
    for name, parameter in net.parameters_and_names():
        assert parameter.dtype is ms.float32 and parameter.tolist() == cut[name].tolist()


@pytest.mark.parametrize(
    "index, words",
    [
        ({"weight_map": {"fc1.bias": "../model.safetensors"}}, "beside"),
        ({"weight_map": {"fc1.bias": "/etc/hostname"}}, "beside"),
        ({"weight_map": {"fc1.bias": "..\\model.safetensors"}}, "beside"),
        ({"weight_map": {"fc1.bias": ".."}}, "beside"),
        ({"weight_map": {"fc1.bias": 3}}, "index"),
        ({"weight_map": []}, "index"),
        ([], "index"),
        ({"weight_map": {"another": "model-00001-of-00002.safetensors"}}, "should hold 'another'"),
        ({"weight_map": {"fc1.bias": "model-00007-of-00002.safetensors"}}, "cannot be read"),
    ],
)
def test_a_wrong_index_is_refused(tmp_path, index, words):
    file = sharded(tmp_path, made("lenet"))
    file.write_text(json.dumps(index))
    with pytest.raises(ValueError, match=words):
        load_checkpoint(file)


def test_a_folder_without_weights_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"model\.safetensors"):
        load_checkpoint(tmp_path)


# -- names ------------------------------------------------------------------------------------------------------------


def test_names_change_by_expressions_and_functions():
    held = {"model.w": Tensor([[1.0]]), "model.c": Tensor([2.0]), "step": Tensor(1)}
    for rename in (
        {r"^model\.w$": "weight", r"^model\.c$": "bias"},
        [lambda name: name.removeprefix("model."), {"^w$": "weight", "^c$": "bias", "^step$": ""}],
        lambda name: {"model.w": "weight", "model.c": "bias"}.get(name),
        ["torch", {r"^model\.w$": "weight", r"^model\.c$": "bias"}],
    ):
        net = nn.Dense(1, 1)
        assert load_param_into_net(net, held, rename=rename) == ([], ["step"])
        assert net(Tensor([[3.0]])).tolist() == [[5.0]]


@pytest.mark.parametrize(
    "rename, error, words",
    [
        (3, TypeError, "rename"),
        ({"(": "x"}, ValueError, "rename"),
        ({3: "x"}, ValueError, "rename"),
        (lambda name: "weight", ValueError, "both"),
        ("pytorch", TypeError, "torch"),
    ],
)
def test_a_wrong_rename_changes_nothing(rename, error, words):
    net = nn.Dense(1, 1)
    before = net.weight.tolist()
    with pytest.raises(error, match=words):
        load_param_into_net(net, {"weight": Tensor([[1.0]]), "b": Tensor([[2.0]])}, rename=rename)
    assert net.weight.tolist() == before


def test_another_shape_is_refused_with_torchs_names_too():
    net = nn.SequentialCell(nn.BatchNorm2d(3))
    with pytest.raises(ValueError, match=r"0\.gamma"):
        load_param_into_net(net, {"0.weight": Tensor([1.0, 2.0])}, rename="torch")
    missing, unused = load_param_into_net(
        net,
        {"0.running_mean": Tensor([1.0, 2.0, 3.0]), "0.num_batches_tracked": Tensor(1), "1.w": Tensor(1)},
        rename="torch",
    )
    assert net[0].moving_mean.tolist() == [1.0, 2.0, 3.0] and unused == ["1.w"]
    assert missing == ["0.moving_variance", "0.gamma", "0.beta"]


def test_a_layer_of_the_program_keeps_its_names():
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.gamma = Parameter(Tensor([2.0]), name="gamma")
            self.norm = nn.LayerNorm((1,))

    net = Scaled()
    held = {"gamma": Tensor([5.0]), "norm.weight": Tensor([6.0]), "norm.bias": Tensor([7.0])}
    assert load_param_into_net(net, held, rename="torch") == ([], [])
    assert (net.gamma.item(), net.norm.gamma.item(), net.norm.beta.item()) == (5.0, 6.0, 7.0)


def test_the_table_of_names_names_what_there_is():
    import importlib

    layers = [
        nn.BatchNorm2d(2), nn.BatchNorm3d(2), nn.InstanceNorm2d(2), nn.LayerNorm((2,)), nn.GroupNorm(1, 2),
        nn.Embedding(2, 2), nn.EmbeddingLookup(2, 2), nn.PReLU(), nn.TransformerEncoderLayer(2, 1, 2), nn.SyncBatchNorm(2),
    ]  # fmt: skip
    for kind, words in TORCH.items():
        module, _, name = kind.rpartition(".")
        [*holders] = [layer for layer in layers if isinstance(layer, getattr(importlib.import_module(module), name))]
        assert holders and all(set(words) <= {*layer._params, *layer._cells} for layer in holders)
