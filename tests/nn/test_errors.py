"""What layers refuse, and where the error says it happened."""

from __future__ import annotations

import numpy as np
import pytest

from anfora import Tensor, nn, ops

BAD_SETTINGS = [
    (lambda: nn.Dense(0, 3), ValueError, "in_channels"),
    (lambda: nn.Dense(2.5, 3), TypeError, "in_channels"),
    (lambda: nn.Dense(2, 3, has_bias=1), TypeError, "has_bias"),
    (lambda: nn.Dense(2, 3, weight_init=ops.ones((2, 3))), ValueError, "weight_init"),
    (lambda: nn.Conv2d(3, 4, 3, padding=1), ValueError, "pad_mode='pad'"),
    (lambda: nn.Conv2d(3, 4, 3, pad_mode="full"), ValueError, "must be one of"),
    (lambda: nn.Conv2d(3, 4, (3, 3, 3)), ValueError, "2 integers"),
    (lambda: nn.Conv2d(3, 4, 3, group=2), ValueError, "group"),
    (lambda: nn.Conv2d(3, 4, 3, data_format="NHWC"), NotImplementedError, "NHWC"),
    (lambda: nn.Conv2dTranspose(3, 4, 3, output_padding=1), ValueError, "output_padding"),
    (lambda: nn.MaxPool2d(2, 2, "valid", 1), ValueError, "padding"),
    (lambda: nn.MaxPool2d(0), ValueError, "kernel_size"),
    (lambda: nn.MaxPool2d(2, pad_mode=3), TypeError, "pad_mode"),
    (lambda: nn.AvgPool2d(2, data_format="NHWC"), NotImplementedError, "NHWC"),
    (lambda: nn.AdaptiveMaxPool2d(2, return_indices=1), TypeError, "return_indices"),
    (lambda: nn.BatchNorm2d(0), ValueError, "channel"),
    (lambda: nn.BatchNorm2d(3, momentum=1.5), ValueError, "momentum"),
    (lambda: nn.LayerNorm(4), TypeError, "normalized_shape"),
    (lambda: nn.LayerNorm(()), ValueError, "normalized_shape"),
    (lambda: nn.GroupNorm(2, 3), ValueError, "do not divide"),
    (lambda: nn.Dropout(p=1.0), ValueError, "`p`"),
    (lambda: nn.Dropout(0.0), ValueError, "keep_prob"),
    (lambda: nn.Embedding(3, 4, padding_idx=3), ValueError, "padding_idx"),
    (lambda: nn.Pad((1, 1)), TypeError, "pairs"),
    (lambda: nn.Pad(((1, 1),), "EDGE"), ValueError, "must be one of"),
    (lambda: nn.ZeroPad2d((1, 2)), ValueError, "4 integers"),
    (lambda: nn.Unfold((2, 2, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1)), ValueError, "begin and end with 1"),
    (lambda: nn.Unfold(2, (1, 1, 1, 1), (1, 1, 1, 1)), TypeError, "four integers"),
    (lambda: nn.Range(0, 3, 0), ValueError, "step"),
    (lambda: nn.Unflatten(1, 3), TypeError, "unflattened_size"),
    (lambda: nn.L1Regularizer(0), ValueError, "scale"),
    (lambda: nn.LSTM(3, 4, dropout=0.5), ValueError, "between layers"),
    (lambda: nn.LSTM(3, 4, 0), ValueError, "num_layers"),
    (lambda: nn.RNN(3, 4, nonlinearity="sigmoid"), ValueError, "nonlinearity"),
    (lambda: nn.MultiheadAttention(6, 4), ValueError, "do not divide"),
    (lambda: nn.TimeDistributed(3, 1), TypeError, "Cell or function"),
]


@pytest.mark.parametrize("make, error, match", BAD_SETTINGS)
def test_settings_that_make_no_sense_are_refused(make, error, match):
    with pytest.raises(error, match=match):
        make()


BAD_INPUTS = [
    (lambda: nn.Dense(3, 4), ops.ones((2, 5)), "length 5"),
    (lambda: nn.Conv1d(3, 4, 3), ops.ones((2, 3)), "sequences"),
    (lambda: nn.Conv3dTranspose(3, 4, 3), ops.ones((1, 2, 3, 3, 3)), "volumes"),
    (lambda: nn.BatchNorm1d(3), ops.ones((2, 3, 4, 4)), "2 or 3 axes"),
    (lambda: nn.BatchNorm3d(3), ops.ones((2, 3)), "5 axes"),
    (lambda: nn.InstanceNorm2d(3), ops.ones((2, 3)), "4 axes"),
    (lambda: nn.LayerNorm((3,), 4), ops.ones((2, 3)), "out of range"),
    (lambda: nn.Pad(((1, 1),)), ops.ones((2, 3)), "pairs for 1 axes"),
    (lambda: nn.Pad(((3, 0),), "SYMMETRIC"), ops.ones((2,)), "cannot be mirrored"),
    (lambda: nn.ZeroPad2d(1), ops.ones((2,)), "pads 2 axes"),
    (lambda: nn.Unfold((1, 2, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1)), ops.ones((2, 3)), "N, C, H, W"),
    (lambda: nn.ResizeBilinear(), ops.ones((1, 1, 2, 2)), "either `size`"),
    (lambda: nn.LSTM(3, 4), ops.ones((2, 3)), "steps, examples, 3"),
    (lambda: nn.GRU(3, 4, batch_first=True), ops.ones((2, 3, 4)), "examples, steps, 3"),
    (lambda: nn.LSTMCell(3, 4), ops.ones((2, 4)), "examples, 3"),
]


@pytest.mark.parametrize("make, x, match", BAD_INPUTS)
def test_inputs_that_do_not_fit_are_refused(make, x, match):
    with pytest.raises(ValueError, match=match):
        make()(x)


@pytest.mark.parametrize(
    "net, args, error, match",
    [
        (nn.LSTM(3, 4), (ops.zeros((1, 2, 4)),), TypeError, r"a tuple \(h_0, c_0\)"),
        (nn.LSTM(3, 4), ((ops.zeros((1, 2, 4)), ops.zeros((1, 2, 5))),), ValueError, "c_0"),
        (nn.GRU(3, 4), (3,), TypeError, "a tensor"),
        (nn.GRU(3, 4), (ops.zeros((2, 2, 4)),), ValueError, r"\(1, 2, 4\)"),
        (nn.GRU(3, 4), (None, Tensor([1.0, 2.0])), TypeError, "seq_length"),
        (nn.GRU(3, 4), (None, Tensor([1, 2, 3])), ValueError, "2 examples"),
    ],
)
def test_states_that_do_not_fit_are_refused(net, args, error, match):
    with pytest.raises(error, match=match):
        net(ops.ones((5, 2, 3)), *args)


def test_masks_that_do_not_fit_are_refused():
    net, x = nn.MultiheadAttention(4, 2), ops.ones((3, 2, 4))
    with pytest.raises(ValueError, match="attn_mask"):
        net(x, x, x, attn_mask=Tensor(np.zeros((2, 3), bool)))
    with pytest.raises(ValueError, match="key_padding_mask"):
        net(x, x, x, Tensor(np.zeros((3, 3), bool)))
    transformer = nn.Transformer(4, 2, 1, 1, 6)
    with pytest.raises(ValueError, match="one size"):
        transformer(x, ops.ones((3, 1, 4)))
    with pytest.raises(ValueError, match="4 features"):
        transformer(x, ops.ones((3, 2, 5)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Flatten(), nn.Dense(4, 2))
        self.norm = nn.BatchNorm2d(4)

    def construct(self, x, deep):
        return self.body(x) if deep else self.norm(x)


def test_an_error_says_where_in_the_tree_it_happened():
    with pytest.raises(ValueError) as caught:
        Net()(ops.ones((2, 5)), True)
    text = str(caught.value)
    assert "in Net.body.1: Dense(input_channels=4, output_channels=2, has_bias=True) got (2, 5)" in text
    assert "test_errors.py" in text and "self.body(x)" in text
    with pytest.raises(ValueError) as caught:
        Net()(ops.ones((2, 5)), False)
    assert "in Net.norm: BatchNorm2d(num_features=4, eps=1e-05, momentum=0.9) got (2, 5)" in str(caught.value)
    assert "self.norm(x)" in str(caught.value)


def test_a_tree_shows_itself_with_its_parameters():
    net = Net()
    assert repr(net) == (
        "Net(\n"
        "  (body): SequentialCell(\n"
        "    (0): Flatten()\n"
        "    (1): Dense(input_channels=4, output_channels=2, has_bias=True)\n"
        "  )\n"
        "  (norm): BatchNorm2d(num_features=4, eps=1e-05, momentum=0.9)\n"
        ")  # 26 parameters, 18 of them trained"
    )
