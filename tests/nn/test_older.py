"""Operators that MindSpore's layers hold as attributes: a subclass that computes by them gives what the layer gives."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn, ops


class Dense(nn.Dense):
    def construct(self, x):
        shape = self.shape_op(x)
        if len(shape) != 2:
            x = self.reshape(x, (-1, shape[-1]))
        y = self.bias_add(self.matmul(x, self.weight), self.bias)
        if self.activation_flag:
            y = self.activation(y)
        return self.reshape(y, (*shape[:-1], self.out_channels))


class Conv2d(nn.Conv2d):
    def construct(self, x):
        return self.bias_add(self.conv2d(x, self.weight), self.bias)


class Conv1d(nn.Conv1d):
    def construct(self, x):
        return self.squeeze(self.bias_add(self.conv2d(self.expand_dims(x, 2), self.weight), self.bias))


class Conv3d(nn.Conv3d):
    def construct(self, x):
        return self.conv3d(x, self.weight)


class Conv2dTranspose(nn.Conv2dTranspose):
    def construct(self, x):
        n, _, h, w = self.shape(x)
        return self.conv2d_transpose(x, self.weight, (n, self.out_channels, 2 * h, 2 * w))


class Conv3dTranspose(nn.Conv3dTranspose):
    def construct(self, x):
        return self.conv3d_transpose(x, self.weight)


class LayerNorm(nn.LayerNorm):
    def construct(self, x):
        y, _, _ = self.layer_norm(x, self.gamma, self.beta)
        return y


class BatchNorm2d(nn.BatchNorm2d):
    def construct(self, x):
        norm = self.bn_train if self.training else self.bn_infer
        return norm(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]


class MaxPool2d(nn.MaxPool2d):
    def construct(self, x):
        return self.max_pool(x)


class AvgPool2d(nn.AvgPool2d):
    def construct(self, x):
        return self.avg_pool(x)


class Embedding(nn.Embedding):
    def construct(self, ids):
        flat = self.reshape_flat(ids, self.shp_flat)
        rows = self.gather(self.embedding_table, flat, 0)
        return self.reshape(rows, (*self.get_shp(ids), self.embedding_size))


class Softmax(nn.Softmax):
    def construct(self, x):
        return self.softmax(x)


class PReLU(nn.PReLU):
    def construct(self, x):
        return self.prelu(x, self.w)


class Loss(nn.SoftmaxCrossEntropyWithLogits):
    def construct(self, logits, labels):
        labels = self.one_hot(labels, ops.shape(logits)[-1], self.on_value, self.off_value)
        return self.reduce_mean(self.softmax_cross_entropy(logits, labels)[0], 0)


def numbers(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(1).standard_normal(shape).astype(np.float32))


IDS = Tensor(np.array([[1, 2, 0], [4, 4, 3]], np.int32))
#: The subclass, how the layer is made, and what it is called with.
LAYERS = {
    "Dense": (Dense, (3, 4), {"activation": "relu"}, (numbers(2, 5, 3),)),
    "Conv2d": (Conv2d, (4, 6, (3, 5)), {"has_bias": True, "group": 2, "stride": 2}, (numbers(2, 4, 9, 8),)),
    "Conv2d, padded": (
        Conv2d, (4, 6, 3), {"has_bias": True, "pad_mode": "pad", "padding": (1, 2, 0, 1), "dilation": 2},
        (numbers(2, 4, 9, 8),),
    ),
    "Conv1d": (Conv1d, (3, 4, 3), {"has_bias": True, "pad_mode": "pad", "padding": 2}, (numbers(2, 3, 7),)),
    "Conv3d": (Conv3d, (2, 3, 3), {}, (numbers(1, 2, 4, 5, 6),)),
    "Conv2dTranspose": (Conv2dTranspose, (3, 4, 4), {"stride": 2}, (numbers(2, 3, 5, 6),)),
    "Conv3dTranspose": (
        Conv3dTranspose, (2, 3, 3), {"pad_mode": "pad", "padding": 1, "stride": 2, "output_padding": 1},
        (numbers(1, 2, 3, 4, 5),),
    ),
    "LayerNorm": (LayerNorm, ((4, 5),), {"begin_norm_axis": 1, "begin_params_axis": 1}, (numbers(3, 4, 5),)),
    "BatchNorm2d": (BatchNorm2d, (3,), {"momentum": 0.7}, (numbers(4, 3, 5, 5),)),
    "MaxPool2d": (MaxPool2d, (3, 2), {"pad_mode": "same"}, (numbers(2, 3, 7, 7),)),
    "AvgPool2d": (AvgPool2d, (2, 2), {}, (numbers(2, 3, 6, 6),)),
    "Embedding": (Embedding, (5, 4), {}, (IDS,)),
    "Softmax": (Softmax, (1,), {}, (numbers(3, 4),)),
    "PReLU": (PReLU, (3,), {}, (numbers(2, 3, 4),)),
    "SoftmaxCrossEntropyWithLogits": (Loss, (True, "mean"), {}, (numbers(3, 5), Tensor(np.array([1, 0, 4], np.int32)))),
}  # fmt: skip


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
@pytest.mark.parametrize("name", LAYERS)
def test_a_subclass_computes_by_them(name, mode, training):
    kind, args, kwargs, inputs = LAYERS[name]
    plain = kind.__mro__[1](*args, **kwargs).set_train(training)
    ours = kind(*args, **kwargs).set_train(training)
    for own, other in zip(ours.get_parameters(), plain.get_parameters()):
        own.set_data(other.value())
    expected = [plain(*inputs).asnumpy() for _ in range(3)]
    ms.set_context(mode=mode)
    try:
        got = [ours(*inputs).asnumpy() for _ in range(3)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    for own, other in zip(ours.get_parameters(), plain.get_parameters()):
        np.testing.assert_allclose(own.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6, err_msg=own.name)


def test_dropout_gives_the_mask_too():
    layer = nn.Dropout(p=0.25)
    y, mask = layer.dropout(ops.ones((400,)))
    assert {round(v, 5) for v in y.tolist()} == {0.0, round(4 / 3, 5)} and mask.shape[0] >= 50


def test_the_parameters_of_recurrent_layers():
    net = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    assert [p.name for p in net.w_ih_list] == [
        "weight_ih_l0", "weight_ih_l0_reverse", "weight_ih_l1", "weight_ih_l1_reverse"
    ]  # fmt: skip
    assert [p.shape for p in net.b_hh_list] == [(16,)] * 4 and net.w_hh_list[0] is net.weight_hh_l0
    assert len(list(net.get_parameters())) == 16
    assert len(nn.GRU(3, 4, has_bias=False).b_ih_list) == 0


def test_they_are_attributes_like_others():
    layer = nn.Dense(2, 3)
    assert layer.matmul is layer.matmul and isinstance(layer.matmul, ops.Primitive)
    layer.matmul = "mine"  # what a program sets comes first
    assert layer.matmul == "mine"
    net = nn.Conv2d(1, 2, 3)
    x, before = numbers(1, 1, 4, 4), net.conv2d
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        np.testing.assert_array_equal(other.conv2d(x, other.weight).asnumpy(), before(x, net.weight).asnumpy())
    assert not hasattr(net, "conv3d")
    assert list(net.parameters_dict()) == ["weight"]
