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
    with anfora.no_grad(), pytest.raises(OpRuntimeError, match=r"`count` is a converted copy meanwhile"):
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
    with pytest.raises(OpTypeError, match="needs a Cell"):
        amp.auto_mixed_precision(3, "auto")
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


# -- a type for each operator -----------------------------------------------------------------------------------------

H, F = float16, float32
#: What a call gives for operands of the types: products in half, what needs range or digits in float32, others as Python.
CHOICES = [
    (lambda x, y: x @ y, (F, F), H),
    (lambda x, y: ops.matmul(x, y), (F, H), H),
    (lambda x, y: ops.dense(x, y), (F, F), H),
    (lambda x, y: ops.addmm(x, x, y), (H, H), H),
    (lambda x, y: ops.conv2d(x[None, None], y[None, None]), (F, F), H),
    (lambda x, y: ops.softmax(x), (H, F), F),
    (lambda x, y: ops.exp(x), (H, F), F),
    (lambda x, y: x**2.0, (H, F), F),
    (lambda x, y: x.sum(), (H, F), F),
    (lambda x, y: ops.cumsum(x, 0), (H, F), F),
    (lambda x, y: nn.MSELoss()(x, y), (H, H), F),
    (lambda x, y: nn.LayerNorm((2,))(x), (H, F), F),
    (lambda x, y: ops.concat([x, y]), (H, F), F),
    (lambda x, y: ops.addn([x, y, x]), (H, F), F),
    (lambda x, y: ops.concat([x, y]), (H, H), H),
    (lambda x, y: x + y, (H, H), H),
    (lambda x, y: ops.relu(x) * 2, (H, F), H),
    (lambda x, y: x.astype(anfora.float64) @ x.astype(anfora.float64), (F, F), anfora.float64),
    (lambda x, y: x.astype(anfora.int32) @ x.astype(anfora.int32), (F, F), anfora.int32),
]  # fmt: skip


@pytest.mark.parametrize("mode", [anfora.PYNATIVE_MODE, anfora.GRAPH_MODE])
@pytest.mark.parametrize("function, types, wanted", CHOICES, ids=range(len(CHOICES)))
def test_each_operator_has_its_type(function, types, wanted, mode):
    x, y = (Tensor([[1.0, 2.0], [3.0, 4.0]], dtype) for dtype in types)
    with anfora.context(mode=mode):
        lowered = anfora.jit(amp.auto_mixed_precision(function, "auto"))
        for _ in range(2):
            result = lowered(x, y)
            assert result.dtype is wanted
            expected = np.float32(function(x.astype(F), y.astype(F)).asnumpy())
            assert np.allclose(np.float32(result.asnumpy()), expected, rtol=2e-3)
        assert function(x, y).dtype is function(x.copy(), y.copy()).dtype  # off again


@pytest.mark.parametrize("mode", [anfora.PYNATIVE_MODE, anfora.GRAPH_MODE])
@pytest.mark.parametrize("half", [H, anfora.bfloat16])
@pytest.mark.parametrize(
    "make, shape",
    [
        (lambda b: nn.Dense(3, 2, has_bias=b), (4, 3)),
        (lambda b: nn.Conv1d(3, 2, 3, has_bias=b), (1, 3, 5)),
        (lambda b: nn.Conv2d(3, 2, 3, has_bias=b), (1, 3, 5, 4)),
        (lambda b: nn.Conv3d(3, 2, 3, has_bias=b), (1, 3, 4, 5, 4)),
        (lambda b: nn.Conv1dTranspose(3, 2, 3, has_bias=b), (1, 3, 5)),
        (lambda b: nn.Conv2dTranspose(3, 2, 3, has_bias=b), (1, 3, 5, 4)),
    ],
)
def test_a_bias_is_added_to_the_half_in_float32(make, shape, half, mode):
    """As in MindSpore: the product is rounded to half, and what comes of the sum is float32."""
    x = Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))
    plain, biased = make(False), make(True)
    plain.weight.set_data(biased.weight)
    bias = np.array([0.1, 1000.1], np.float32)
    biased.bias.set_data(Tensor(bias))
    with anfora.context(mode=mode):
        for _ in range(3):
            amp.auto_mixed_precision(plain, "auto", half)
            amp.auto_mixed_precision(biased, "auto", half)
            product, total = plain(x), biased(x)
            assert product.dtype is half and total.dtype is F
            channels = (1, 2, *(1,) * (len(shape) - 2))
            expected = product.astype(F).asnumpy() + bias.reshape(channels)
            np.testing.assert_array_equal(total.asnumpy(), expected)
        gradients = anfora.grad(lambda: biased(x).sum(), None, [biased.weight, biased.bias])()
        assert all(gradient.dtype is F for gradient in gradients)


def test_a_bias_that_does_not_fit_is_refused_as_ever():
    x, w = Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((4, 3), np.float32))
    for length in (1, 3):
        with pytest.raises(OpValueError, match="dense"):
            amp.auto_mixed_precision(ops.dense, "auto")(x, w, Tensor(np.ones(length, np.float32)))
    one = amp.auto_mixed_precision(ops.dense, "auto")(x, w[0], Tensor(0.5))
    assert one.dtype is F and one.tolist() == [3.5, 3.5]


def test_inside_and_outside_of_it():
    def product(x, y):
        return x @ y

    lowered = amp.auto_mixed_precision(product, "auto", anfora.bfloat16)

    def both(x, y):
        return lowered(x, y), product(x, y)

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    compiled = anfora.jit(product)
    through = amp.auto_mixed_precision(compiled, "auto")
    for _ in range(3):
        for function in (both, anfora.jit(both)):
            assert [result.dtype for result in function(x, x)] == [anfora.bfloat16, float32]
        assert compiled(x, x).dtype is float32 and through(x, x).dtype is float16

    def fails(x):
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        amp.auto_mixed_precision(fails, "auto")(x)
    assert product(x, x).dtype is float32


def test_layers_with_a_type_of_their_own_keep_it():
    net = nn.SequentialCell(*(nn.Dense(n, m, has_bias=False) for n, m in ((3, 4), (4, 4), (4, 2))))
    net[1].to_float(float32)
    types = []
    for layer in net:
        layer.register_forward_hook(lambda cell, args, out: types.append(out.dtype))
    amp.auto_mixed_precision(net, "auto")
    assert net(Tensor(X)).dtype is float16 and types == [float16, float32, float16]
    assert [p.dtype for p in net.trainable_params()] == [float32] * 3


@pytest.mark.parametrize("inside", [False, True])
def test_gradients_arrive_in_the_types_of_the_parameters(inside):
    w = Parameter(Tensor(W))

    def loss(x):
        return ops.softmax(ops.relu(ops.dense(x, w)) ** 2).log().sum()

    if inside:
        step = amp.auto_mixed_precision(anfora.value_and_grad(loss, 0, [w]), "auto")
    else:
        step = anfora.value_and_grad(amp.auto_mixed_precision(loss, "auto"), 0, [w])
    value, (by_x, (by_w,)) = step(Tensor(X))
    expected, (expected_x, (expected_w,)) = anfora.value_and_grad(loss, 0, [w])(Tensor(X))
    assert value.dtype is by_x.dtype is by_w.dtype is float32
    for got, want in ((value, expected), (by_x, expected_x), (by_w, expected_w)):
        assert np.allclose(got.asnumpy(), want.asnumpy(), rtol=2e-2, atol=2e-2)


# -- steps of training ------------------------------------------------------------------------------------------------


def test_a_training_network_of_each_level():
    x, y = Tensor(X), Tensor(np.ones((2, 4), np.float32))
    after = {}
    for level in ("O0", "O1", "O2", "O3", "auto"):
        net = Net()
        step = anfora.build_train_network(net, nn.Momentum(net.trainable_params(), 0.1, 0.9), nn.MSELoss(), level=level)
        assert isinstance(step, nn.TrainOneStepWithLossScaleCell) is (level == "O2") and net.training
        result = step(x, y)
        while level == "O2" and result[1]:  # the scale begins high, and steps are left out until it fits
            result = step(x, y)
        loss = result[0] if level == "O2" else result
        assert loss.dtype is float32 and net.seen[0] is (float16 if level in ("O2", "O3") else float32)
        after[level] = net.norm.beta.asnumpy()  # it was 0; the mean of squares moves it by 2 · 2 · (0 - 1) / 4 · 0.1
    for shifts in after.values():
        assert np.allclose(shifts, 0.1, rtol=2e-2)


@pytest.mark.parametrize(
    "level, given", [("O0", float32), ("O1", float32), ("O2", float16), ("O3", float16), ("auto", float32)]
)
def test_the_network_itself_gives_what_its_layers_do(level, given):
    """As in MindSpore: the step converts what its loss is told of, and `Model.predict` calls the network."""
    net = Net()
    model = anfora.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level=level)
    assert model.predict(Tensor(X)).dtype is given
    assert anfora.amp.auto_mixed_precision(Net(), level)(Tensor(X)).dtype is float32


@pytest.mark.parametrize("drop", [False, True])
def test_a_fixed_scale_changes_no_step(drop):
    results = []
    for scale in (1.0, 1024.0):
        net = Net()
        optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=1.0 if drop else scale)
        manager = anfora.FixedLossScaleManager(scale, drop_overflow_update=drop)
        step = anfora.build_train_network(net, optimizer, nn.MSELoss(), loss_scale_manager=manager)
        step(Tensor(X), Tensor(np.ones((2, 4), np.float32)))
        results.append(net.fc.weight.asnumpy())
    assert np.array_equal(*results) and manager.get_drop_overflow_update() is drop


def test_options_win_over_the_level():
    net = Net()
    anfora.build_train_network(net, nn.SGD(net.trainable_params()), level="O0", cast_model_type=float16)
    assert net.norm.__dict__["_compute_type"] is net.fc.__dict__["_compute_type"] is float16
    net = Net()
    options = {"keep_batchnorm_fp32": True, "loss_scale_manager": None}
    step = anfora.build_train_network(net, nn.SGD(net.trainable_params()), None, "O3", **options)
    assert net.norm.__dict__["_compute_type"] is float32 and type(step) is nn.TrainOneStepCell
    for bad in ({"level": "O5"}, {"boost_level": "x"}, {"scale": 1}, {"loss_scale_manager": 3}):
        with pytest.raises((OpTypeError, OpValueError), match="build_train_network"):
            anfora.build_train_network(Net(), None, **bad)
    with pytest.raises(OpValueError, match="loss_scale"):
        anfora.FixedLossScaleManager(0.5)
