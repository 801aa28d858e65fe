"""`anfora.mint`: PyTorch's forms of functions and layers."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import anfora
from anfora import Tensor, mint, ops
from anfora.mint import linalg, nn, optim, special
from anfora.mint.nn import functional as F

X = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]], np.float32)
IMAGE = np.arange(32.0, dtype=np.float32).reshape(1, 2, 4, 4)
I = np.array([[2, 0], [1, 1]])  # noqa: E741  (indices)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


#: (function, arguments, keyword arguments, result)
CALLS = [
    (mint.add, (X, X), {"alpha": 2}, 3 * X),
    (mint.sub, (X, 1.0), {"alpha": 2}, X - 2),
    (mint.max, (X,), {}, X.max()),
    (mint.max, (X, 1), {}, (X.max(1), X.argmax(1))),
    (mint.min, (X,), {"dim": 0, "keepdim": True}, (X.min(0, keepdims=True), X.argmin(0)[None])),
    (mint.max, (X, X * 0), {}, np.maximum(X, 0)),
    (mint.median, (X,), {}, 0.5),
    (mint.mean, (X,), {"dim": 1, "keepdim": True}, X.mean(1, keepdims=True)),
    (mint.sum, (X,), {"dim": 0}, X.sum(0)),
    (mint.prod, (X, 1), {}, X.prod(1)),
    (mint.var, (X,), {}, X.var(ddof=1)),
    (mint.std, (X,), {"dim": 1, "correction": 0}, X.std(1)),
    (mint.var_mean, (X, 0), {}, (X.var(0, ddof=1), X.mean(0))),
    (mint.cumsum, (X,), {"dim": 1}, X.cumsum(1)),
    (mint.sort, (X,), {"dim": 0, "descending": True}, (-np.sort(-X, 0), np.argsort(-X, 0))),
    (mint.argsort, (X,), {"dim": 1}, np.argsort(X, 1)),
    (mint.unique, (I,), {"return_inverse": True, "return_counts": True}, (np.arange(3), I, np.array([1, 2, 1]))),
    (mint.gather, (X, 1, I), {}, np.take_along_axis(X, I, 1)),
    (mint.index_select, (X,), {"dim": 1, "index": I[0]}, X[:, [2, 0]]),
    (mint.select, (X, 1, 2), {}, X[:, 2]),
    (mint.narrow, (X,), {"dim": 1, "start": 1, "length": 2}, X[:, 1:]),
    (mint.transpose, (X,), {"dim0": 0, "dim1": 1}, X.T),
    (mint.permute, (IMAGE,), {"dims": (0, 2, 3, 1)}, IMAGE.transpose(0, 2, 3, 1)),
    (mint.t, (X,), {}, X.T),
    (mint.flatten, (IMAGE, 1), {}, IMAGE.reshape(1, -1)),
    (mint.cat, ((X, X),), {"dim": 1}, np.concatenate([X, X], 1)),
    (mint.split, (X, 2), {"dim": 1}, (X[:, :2], X[:, 2:])),
    (mint.chunk, (X, 2), {"dim": 0}, (X[:1], X[1:])),
    (mint.meshgrid, (I[0], I[1]), {}, tuple(np.meshgrid(I[0], I[1], indexing="ij"))),
    (mint.diag, (X, 1), {}, np.diag(X, 1)),
    (mint.diag, (X[0],), {}, np.diag(X[0])),
    (mint.zeros, (2, 3), {}, np.zeros((2, 3), np.float32)),
    (mint.ones, ((2, 3),), {"dtype": anfora.int32}, np.ones((2, 3), np.int32)),
    (mint.linspace, (0, 1, 3), {}, np.linspace(0, 1, 3)),
    (mint.bmm, (), {"input": IMAGE[0], "mat2": IMAGE[0]}, IMAGE[0] @ IMAGE[0]),
    (mint.clone, (X,), {}, X),
    (mint.count_nonzero, (I,), {"dim": 1}, np.array([1, 2])),
    (linalg.inv, (X[:, :2],), {}, np.linalg.inv(X[:, :2])),
    (linalg.vector_norm, (X,), {"dim": 1}, np.linalg.norm(X, axis=1)),
    (special.log_softmax, (X,), {"dim": 1}, np.log(softmax(X, 1))),
    (F.softmax, (X,), {}, softmax(X, 1)),
    (F.softmax, (X[0],), {"dim": 0}, softmax(X[0], 0)),
    (F.threshold, (X, 1.0, 9.0), {}, np.where(X > 1, X, 9)),
    (F.hardtanh, (X,), {}, X.clip(-1, 1)),
    (F.elu, (X, 2.0), {}, np.where(X > 0, X, 2 * np.expm1(X))),
    (F.linear, (X, X), {}, X @ X.T),
    (F.normalize, (X,), {}, X / np.linalg.norm(X, axis=1, keepdims=True)),
    (F.one_hot, (I,), {}, np.eye(3, dtype=np.int64)[I]),
    (F.max_pool2d, (IMAGE, 2), {}, IMAGE[:, :, 1::2, 1::2]),
    (F.max_pool2d, (IMAGE, 2), {"return_indices": True}, (IMAGE[:, :, 1::2, 1::2], np.array([[[[5, 7], [13, 15]]] * 2]))),
    (F.avg_pool2d, (), {"input": IMAGE, "kernel_size": 4, "stride": 4}, IMAGE.mean((2, 3), keepdims=True)),
    (F.adaptive_max_pool1d, (IMAGE[0], 2, True), {}, (IMAGE[0][:, :, 1::2], np.array([[[1, 3]] * 4] * 2))),
    (F.kl_div, (X, X - 1), {"reduction": "sum", "log_target": True}, -np.exp(X - 1).sum()),
    (F.pad, (X, (1, 0)), {"value": 7.0}, np.pad(X, ((0, 0), (1, 0)), constant_values=7)),
    (ops.max_ext, (X, 1), {}, (X.max(1), X.argmax(1))),
    (ops.softmax_ext, (X,), {}, softmax(X, 1)),
]  # fmt: skip


def tensors(tree):
    if isinstance(tree, np.ndarray):
        return Tensor(tree)
    return type(tree)(map(tensors, tree)) if isinstance(tree, tuple) else tree


def leaves(tree):
    return [x for item in tree for x in leaves(item)] if isinstance(tree, (tuple, list)) else [tree]


@pytest.mark.parametrize(
    "function, args, kwargs, wanted", [pytest.param(*c, id=f"{c[0].__name__}-{i}") for i, c in enumerate(CALLS)]
)
def test_value(function, args, kwargs, wanted):
    found = leaves(function(*tensors(args), **{key: tensors(value) for key, value in kwargs.items()}))
    assert len(found) == len(leaves(wanted))
    for one, other in zip(found, leaves(wanted)):
        assert one.shape == np.shape(other) and one.dtype.is_float == (np.asarray(other).dtype.kind == "f")
        np.testing.assert_allclose(one.asnumpy(), other, rtol=2e-6, atol=2e-6)


def test_padding_is_that_of_torch():
    x, w = Tensor(IMAGE), ops.randn(3, 2, 3, 3)
    wide = ops.pad(x, (2, 2, 1, 1))
    np.testing.assert_array_equal(F.conv2d(x, w, padding=(1, 2)).asnumpy(), ops.conv2d(wide, w).asnumpy())
    assert F.conv2d(x, w).shape == (1, 3, 2, 2) and F.conv2d(x, w, padding="same").shape == (1, 3, 4, 4)


def test_in_place_activations_write():
    x = Tensor(X)
    assert F.relu(x, inplace=True) is x and nn.Hardtanh(0, 1, inplace=True)(x) is x
    np.testing.assert_array_equal(x.asnumpy(), X.clip(0, 1))


def test_random_numbers_follow_a_generator():
    one, other = (anfora.Generator().manual_seed(5) for _ in range(2))
    for make in (
        lambda g: mint.randn(3, generator=g),
        lambda g: mint.randint(0, 9, (4,), generator=g),
        lambda g: mint.normal(Tensor([1.0, 2.0]), 3.0, generator=g),
        lambda g: mint.randperm(6, generator=g),
    ):
        np.testing.assert_array_equal(make(one).asnumpy(), make(other).asnumpy())
    assert mint.randint_like(Tensor([1, 2]), 5, 6).tolist() == [5, 5]


#: (layer, what computes the same)
LAYERS = [
    (nn.MaxPool2d(2), lambda x: ops.max_pool2d(x, 2)),
    (nn.AvgPool2d(2, count_include_pad=False, padding=1), lambda x: ops.avg_pool2d(x, 2, 2, 1, False, False)),
    (nn.Softmax(), lambda x: ops.softmax(x, 1)),
    (nn.LogSoftmax(-1), lambda x: ops.log_softmax(x, -1)),
    (nn.ELU(0.5), lambda x: ops.elu(x, 0.5)),
    (nn.PReLU(2, 0.1), lambda x: ops.leaky_relu(x, 0.1)),
    (nn.Dropout(0.5).set_train(False), lambda x: x),
    (nn.Unfold(2, stride=2), lambda x: ops.unfold(x, 2, stride=2)),
    (nn.UpsamplingNearest2d(scale_factor=2), lambda x: ops.interpolate(x, scale_factor=2.0)),
    (nn.ZeroPad3d(1), lambda x: ops.pad(x, (1, 1, 1, 1, 1, 1))),
]


@pytest.mark.parametrize("layer, same", [pytest.param(*row, id=type(row[0]).__name__) for row in LAYERS])
def test_layers(layer, same):
    np.testing.assert_array_equal(layer(Tensor(IMAGE)).asnumpy(), same(Tensor(IMAGE)).asnumpy())


def test_layers_with_parameters():
    conv, turned = nn.Conv2d(2, 3, 3, padding=1, groups=1), nn.ConvTranspose2d(2, 3, 3, stride=2, bias=False)
    x = Tensor(IMAGE)
    np.testing.assert_array_equal(conv(x).asnumpy(), F.conv2d(x, conv.weight, conv.bias, padding=1).asnumpy())
    assert turned(x).shape == (1, 3, 9, 9) and turned.bias is None
    norm = nn.BatchNorm2d(2, momentum=0.25).set_train()
    norm(x)
    np.testing.assert_allclose(norm.running_mean.asnumpy(), 0.25 * IMAGE.mean((0, 2, 3)), rtol=1e-6)
    with pytest.raises(NotImplementedError, match="reflect"):
        nn.Conv2d(2, 3, 3, padding_mode="reflect")


def test_losses():
    x, t = Tensor(X), Tensor((X > 0).astype(np.float32))
    wanted = np.log1p(np.exp(-abs(X))) + np.maximum(X, 0) - X * (X > 0)
    np.testing.assert_allclose(nn.BCEWithLogitsLoss()(x, t).item(), wanted.mean(), rtol=1e-6)
    np.testing.assert_allclose(nn.SmoothL1Loss("sum")(x, x + 2).item(), 1.5 * X.size, rtol=1e-6)


def test_every_name_is_there():
    for module in (mint, nn, F, linalg, optim, special):
        assert not [name for name in module.__all__ if not hasattr(module, name)]
    with pytest.raises(AttributeError):
        mint.no_such_name  # noqa: B018


def test_losses_name_their_tensors():
    x, y = Tensor([[0.5, 2.0], [1.0, 0.25]]), Tensor([1, 0])
    hot = Tensor([[0.0, 1.0], [1.0, 0.0]])
    for layer, given, target in [
        (mint.nn.CrossEntropyLoss(), x, y), (mint.nn.NLLLoss(), ops.log_softmax(x), y), (mint.nn.MSELoss(), x, hot),
        (mint.nn.BCELoss(), ops.sigmoid(x), hot),
    ]:  # fmt: skip
        assert layer(input=given, target=target).item() == layer(given, target).item()
        assert copy.deepcopy(layer)(given, target).item() == layer(given, target).item()
    cosine = mint.nn.CosineEmbeddingLoss()
    signs = Tensor([1, -1])
    assert cosine(input1=x, input2=hot, target=signs).item() == cosine(x, hot, signs).item()
