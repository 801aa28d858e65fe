"""Mixed precision: what computes in which type, where gradients arrive, and how scales move."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Parameter, Tensor, amp, float16, float32, nn, ops
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
W = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 4, weight_init=Tensor(W), bias_init="zeros")
        self.norm = nn.BatchNorm1d(4)
        self.seen: list = []

    def construct(self, x):
        x = self.fc(x)
        self.seen.append(x.dtype)
        x = self.norm(x)
        self.seen.append(x.dtype)
        return x * 2


def test_layers_in_another_type_convert_their_parameters():
    dense = nn.Dense(3, 4, weight_init=Tensor(W), bias_init="zeros").to_float(float16)
    y = dense(Tensor(X))
    expected = X.astype(np.float16).astype(np.float32) @ W.astype(np.float16).astype(np.float32).T
    assert y.dtype is float16 and np.allclose(y.asnumpy(), expected, atol=2e-3)
    assert dense.weight.dtype is float32 and isinstance(dense.weight, Parameter)
    by_x, by_w = anfora.grad(lambda x: dense(x).sum(), 0, dense.trainable_params())(Tensor(X))
    assert by_x.dtype is float32 and by_w[0].dtype is float32
    assert np.allclose(by_w[0].asnumpy(), np.tile(X.sum(0), (4, 1)), atol=1e-2)


def test_running_averages_keep_their_type_and_move():
    norm = nn.BatchNorm1d(3).to_float(float16).set_train()
    assert norm(Tensor(X)).dtype is float16
    assert norm.moving_mean.dtype is float32 and np.any(norm.moving_mean.asnumpy() != 0)


class Counts(nn.Cell):
    """Writes to a trainable parameter in construct(), as an attribute or in place."""

    def __init__(self, in_place):
        super().__init__()
        self.count = Parameter(Tensor([1.0]))
        self.in_place = in_place

    def construct(self, x):
        if self.in_place:
            ops.assign_add(self.count, x)
        else:
            self.count = self.count + x
        return self.count * 1


def test_writes_to_converted_parameters_are_kept_or_refused():
    net = Counts(in_place=False).to_float(float16)
    with anfora.no_grad():
        assert net(Tensor([2.0])).item() == 3.0
    assert net.count.item() == 3.0 and net.count.dtype is float32 and isinstance(net.count, Parameter)
    net = Counts(in_place=True).to_float(float16)
    with anfora.no_grad(), pytest.raises(OpRuntimeError, match=r"`count` is a converted copy.*written to at"):
        net(Tensor([2.0]))
    assert isinstance(net.count, Parameter)


@pytest.mark.parametrize(
    "level, seen", [("O0", [float32, float32]), ("O1", [float32, float32]), ("O2", [float16, float16]),
                    ("O3", [float16, float16])],
)  # fmt: skip
def test_levels(level, seen):
    net = amp.auto_mixed_precision(Net(), level)
    y = net(Tensor(X))
    assert net.seen == seen and y.dtype is float32
    assert [p.dtype for p in net.get_parameters()] == [float32] * 6
    in_half = {name for name, cell in net.cells_and_names() if cell.__dict__["_compute_type"] is float16}
    assert in_half == {"O0": set(), "O1": {"fc"}, "O2": {"", "fc"}, "O3": {"", "fc", "norm"}}[level]
    rounded = np.float32(np.float16(X)) @ np.float32(np.float16(W)).T
    assert np.allclose(y.asnumpy(), (X @ W.T if level == "O0" else rounded) * 2 / np.sqrt(1 + 1e-5), atol=8e-3)


def test_lists_of_ones_own():
    net = amp.custom_mixed_precision(Net(), black_list=[nn.Dense])
    net(Tensor(X))
    assert net.fc.__dict__["_compute_type"] is float32 and net.norm.__dict__["_compute_type"] is float16
    net = amp.custom_mixed_precision(Net(), white_list=amp.get_white_list(), dtype=anfora.bfloat16)
    assert net(Tensor(X)).dtype is float32 and net.fc.__dict__["_compute_type"] is anfora.bfloat16
    assert nn.BatchNorm2d in amp.get_black_list()


def test_what_is_refused():
    with pytest.raises(OpTypeError, match="needs a Cell"):
        amp.auto_mixed_precision(abs, "O1")
    with pytest.raises(OpValueError, match="'O4'"):
        amp.auto_mixed_precision(Net(), "O4")
    with pytest.raises(OpValueError, match="float16 or bfloat16"):
        amp.auto_mixed_precision(Net(), "O1", float32)
    with pytest.raises(NotImplementedError, match="'auto'"):
        amp.auto_mixed_precision(Net(), "auto")
    with pytest.raises(OpValueError, match="either"):
        amp.custom_mixed_precision(Net())
    with pytest.raises(OpTypeError, match="classes of Cells"):
        amp.custom_mixed_precision(Net(), white_list=[ops.relu])


def test_scales_move_with_overflows():
    """The sequence is MindSpore's."""
    scaler = amp.DynamicLossScaler(scale_value=4, scale_factor=2, scale_window=2)
    seen = []
    for finite in (True, True, True, False, True, True, False, False, False, False):
        assert scaler.adjust(Tensor(finite))
        seen.append((scaler.scale_value.item(), scaler.counter.item()))
    assert seen == [(4, 1), (8, 0), (8, 1), (4, 0), (4, 1), (8, 0), (4, 0), (2, 0), (1, 0), (1, 0)]
    top = amp.DynamicLossScaler(2.0**127, 2, 1)
    top.adjust(True)
    assert top.scale_value.item() == 2.0**127  # not infinity
    fixed = amp.StaticLossScaler(1024)
    scaled = fixed.scale((Tensor([1.5], float16), [Tensor(2.0)]))
    assert scaled[0].dtype is float16 and [scaled[0].item(), scaled[1][0].item()] == [1536.0, 2048.0]
    assert fixed.unscale(scaled)[0].item() == 1.5 and not fixed.adjust(False)
    assert amp.all_finite((Tensor([1.0]), {"a": Tensor([2])})) and not amp.all_finite([Tensor([np.nan])])
