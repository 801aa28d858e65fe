"""Values that follow from defaults, means, element types and parameters at the edge, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, mint, nn, ops
from anfora.core.errors import AnforaError

F = mint.nn.functional


def _close(found: Tensor, wanted, tol: float = 1e-5) -> None:
    np.testing.assert_allclose(found.asnumpy(), np.asarray(wanted), rtol=tol, atol=tol)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 2), (2, 3, 2, 4), (3,)])
@pytest.mark.parametrize("of", [F.cross_entropy, lambda x, y: nn.CrossEntropyLoss()(x, y)])
def test_the_mean_of_cross_entropy_is_over_all_places(shape, of):
    """Of uniform probabilities and equal logits each loss is log 3, and so is their mean."""
    _close(of(ops.zeros(shape), ops.full(shape, 1 / 3)), math.log(3))


@pytest.mark.parametrize("lengths", [(3,), (2, 3), 3])
def test_mints_layer_norm(lengths):
    x = np.arange(6.0, dtype=np.float32).reshape(1, 2, 3)
    axes = tuple(range(-1 if isinstance(lengths, int) else -len(lengths), 0))
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    for eps in (1e-5, 0.5):
        layer = mint.nn.LayerNorm(lengths, eps=eps)
        _close(layer(Tensor(x)), (x - mean) / np.sqrt(variance + eps))
    assert mint.nn.LayerNorm(lengths, elementwise_affine=False).trainable_params() == []
    assert len(mint.nn.LayerNorm(lengths, bias=False).trainable_params()) == 1
    tiny = mint.nn.LayerNorm((2,))(Tensor([[0.0, 1e-3]]))
    _close(tiny, np.array([[-1, 1]]) * 5e-4 / math.sqrt(2.5e-7 + 1e-5))


def test_mints_gelu_is_exact_when_nothing_is_said():
    x = [1.0, 2.0, -0.5]
    exact = [v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x]
    tanh = [v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in x]
    for layer, wanted in ((mint.nn.GELU(), exact), (mint.nn.GELU("none"), exact), (mint.nn.GELU("tanh"), tanh)):
        _close(layer(Tensor(x)), wanted, 1e-6)
    with pytest.raises(ValueError, match="approximate"):
        mint.nn.GELU("sigmoid")


@pytest.mark.parametrize("row", [1, -3])
def test_mints_padding_row_gets_no_gradient(row):
    layer = mint.nn.Embedding(num_embeddings=4, embedding_dim=2, padding_idx=row)
    assert layer.weight.asnumpy()[1].tolist() == [0.0, 0.0]
    [gradient] = ms.grad(lambda i: layer(i).sum(), None, layer.trainable_params())(Tensor([[1, 2], [3, 1]]))
    assert gradient.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]


def test_mints_functions_have_mints_defaults():
    assert F.leaky_relu(Tensor([-1.0])).item() == pytest.approx(-0.01)
    assert F.leaky_relu(input=Tensor([-1.0]), negative_slope=0.5).item() == -0.5
    x = Tensor([3.0, 0.5])
    assert F.smooth_l1_loss(x, x * 0).item() == pytest.approx((2.5 + 0.125) / 2)
    assert F.smooth_l1_loss(x, x * 0, "none").tolist() == [2.5, 0.125]
    assert F.avg_pool1d(ops.ones((1, 2, 7)), 2).shape == (1, 2, 3)
    assert F.avg_pool2d(ops.ones((1, 1, 4, 4)), 2).shape == (1, 1, 2, 2)
    assert F.avg_pool3d(ops.ones((1, 1, 4, 4, 4)), 2, 1).shape == (1, 1, 3, 3, 3)
    assert F.avg_pool2d(ops.ones((1, 1, 4, 4)), 2, divisor_override=1).tolist() == [[[[4.0, 4.0], [4.0, 4.0]]]]
    moments = Tensor([0.0]), Tensor([1.0])
    _close(F.batch_norm(ops.ones((2, 1)), *moments), [[1], [1]])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "bool_"])
@pytest.mark.parametrize("name", ["sum", "nansum", "Tensor.sum", "mint.sum", "mint.nansum", "mint.cumsum"])
def test_sums_of_integers_do_not_wrap(dtype, name):
    data = np.array([100, 120, 17]).astype(getattr(np, dtype))
    x = Tensor(data)
    call = {
        "sum": ops.sum, "nansum": ops.nansum, "Tensor.sum": lambda x: x.sum(), "mint.sum": mint.sum,
        "mint.nansum": mint.nansum, "mint.cumsum": lambda x: mint.cumsum(x, 0),
    }[name]  # fmt: skip
    wanted = data.astype(np.int64)
    for _ in range(2):
        found = call(x)
        assert found.dtype is ms.int64
        assert found.tolist() == (wanted.cumsum().tolist() if "cum" in name else wanted.sum())


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "bool_"])
def test_logit_of_integers_is_that_of_numbers(dtype):
    for eps in (None, 0.25):
        x = np.array([0, 1, 1] if dtype == "bool_" else [0, 1, 2]).astype(getattr(np, dtype))
        with np.errstate(all="ignore"):
            wide = x.astype(np.float32) if eps is None else np.clip(x.astype(np.float32), eps, 1 - eps)
            wanted = np.log(wide / (1 - wide))
        _close(ops.logit(Tensor(x), eps), wanted)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("order", [6, 3, 0.5, 2.5, -2])
def test_norms_of_halves_are_those_of_their_numbers(dtype, order):
    x = Tensor([8.5, 2.0, 100.0], getattr(ms, dtype))
    found = mint.linalg.vector_norm(x, order)
    assert found.dtype is x.dtype
    wanted = (x.asnumpy().astype(np.float64) ** order).sum() ** (1 / order)
    _close(found, wanted, {"float16": 1e-3, "bfloat16": 1e-2}.get(dtype, 1e-5))


@pytest.mark.parametrize("cuts", [[3], [1, 3], []])
def test_a_tensor_with_an_axis_names_places_to_cut_at(cuts):
    x = np.arange(10.0).reshape(5, 2)
    wanted = [part.tolist() for part in np.split(x, cuts)]
    for given in (Tensor(np.array(cuts, np.int64)), cuts, np.array(cuts, np.int64)):
        assert [part.tolist() for part in ops.tensor_split(Tensor(x), given)] == wanted
    assert len(ops.tensor_split(Tensor(x), Tensor(3))) == 3


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, -1.0, 1e30, 3e38, 1e9, 0.0, 1e-38])
def test_draws_of_any_parameter_end(value):
    """They are refused, or of the moments that the distribution has: of a mean m the spread is √m."""
    given = ops.full((64,), value)
    for name, call in (
        ("gamma", lambda: ops.gamma((64,), given, Tensor(1.0))),
        ("random_gamma", lambda: ops.random_gamma((64,), given[0])),
        ("poisson", lambda: ops.random_poisson((64,), given[0])),
        ("whole poisson", lambda: ops.random_poisson((64,), given[0], dtype=ms.int32)),
    ):
        is_refused = (
            not 0.0 <= value < math.inf or ("gamma" in name and value == 0.0) or ("whole" in name and value > 1e9)
        )
        if is_refused:
            with pytest.raises(AnforaError, match="must be"):
                call()
        else:
            found = call().asnumpy().astype(np.float64)
            assert np.all(found >= 0) and abs(found.mean() - value) <= 1e-6 * value + 6 * math.sqrt(value / 64)


@pytest.mark.parametrize("seed", [0, 1])
def test_choices_with_a_mask_are_the_same_compiled(seed):
    masks = [np.array([[True, False], [True, True]]), np.array([[True, False], [False, False]])]

    def drawn(wrap):
        ms.set_seed(5)
        choose = wrap(ops.RandomChoiceWithMask(count=3, seed=seed))
        return [[y.tolist() for y in choose(Tensor(masks[i]))] for i in (0, 0, 1, 0, 1, 1)]

    plain = drawn(lambda op: lambda x: op(x))
    assert drawn(lambda op: ms.jit(lambda x: op(x))) == plain
    for (places, taken), i in zip(plain, (0, 0, 1, 0, 1, 1)):
        assert taken == [True] * min(3, masks[i].sum()) + [False] * max(0, 3 - masks[i].sum())
        chosen = [tuple(p) for p, is_taken in zip(places, taken) if is_taken]
        assert len(set(chosen)) == len(chosen) and all(masks[i][p] for p in chosen)
        assert all(p == [0, 0] for p, is_taken in zip(places, taken) if not is_taken)


@pytest.mark.parametrize(
    "name", ["argmax", "argmin", "argsort", "sort", "topk", "cummax", "cummin", "count_nonzero", "max"]
)
def test_mints_positions_are_int64(name):
    x = np.array([[3.0, 0.0, 2.0], [1.0, 5.0, 4.0]], np.float32)
    call = getattr(mint, name)
    found = call(Tensor(x), *{"topk": (2,), "sort": ()}.get(name, (1,)))
    positions = found[1] if isinstance(found, tuple) else found
    assert positions.dtype is ms.int64
    wanted = {
        "argmax": x.argmax(1), "max": x.argmax(1), "argmin": x.argmin(1), "argsort": x.argsort(1), "sort": x.argsort(1),
        "topk": (-x).argsort(1)[:, :2], "cummax": [[0, 0, 0], [0, 1, 1]], "cummin": [[0, 1, 1], [0, 0, 0]],
        "count_nonzero": [2, 3],
    }[name]  # fmt: skip
    assert positions.tolist() == np.asarray(wanted).tolist()


def test_mints_trace_does_not_wrap():
    assert mint.trace(Tensor(np.full((2, 2), 200, np.uint8))).item() == 400


@pytest.mark.parametrize("loss", [ops.soft_margin_loss, ops.poisson_nll_loss, ops.margin_ranking_loss])
def test_losses_refuse_shapes_that_do_not_fit(loss):
    given = [ops.ones(3), ops.ones(2)] + [ops.ones(3)] * (loss is ops.margin_ranking_loss)
    with pytest.raises(AnforaError, match="cannot be broadcast"):
        loss(*given)
