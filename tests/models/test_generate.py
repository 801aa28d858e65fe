"""What GPT writes with its keys and values kept is, to the last bit, what whole passes give."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor
from anfora.kernel.gemm import rows_in_one_order, sum_block
from anfora.models import GPT


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


NETS = {  # vocabulary, context, width, layers, heads; how many tokens a step computes; lengths that are looked at
    "small": ((20, 11, 16, 2, 2), 2, range(1, 14)),
    "one feature a head": ((20, 9, 4, 1, 4), 2, range(1, 10)),
    "more room than at first": ((20, 140, 8, 1, 2), 2, (1, 63, 64, 65, 66, 127, 128, 129, 140, 141)),
    "sums of 4096 terms": ((20, 20, 1024, 1, 16), 17, range(14, 21)),
    "a context of 4096": ((20, 4096, 2048, 1, 1), 9, (1, 9, 10, 11)),
}


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("n", [1, 3])
def test_logits_are_those_of_a_whole_pass(name, n, mode):
    sizes, rows, lengths = NETS[name]
    ms.set_seed(3)
    net = GPT(*sizes).set_train(False)
    tokens = np.random.default_rng(4).integers(0, sizes[0], (n, max(lengths)))
    cache: list = []
    for length in range(min(lengths), max(lengths) + 1):
        kept = net._last_logits(tokens[:, :length], cache).asnumpy()
        if length in lengths:
            whole = net(Tensor(tokens[:, :length][:, -sizes[1] :])).asnumpy()[:, -1]
            np.testing.assert_array_equal(kept.view(np.uint32), whole.view(np.uint32), f"{length} tokens")
    assert net.rows_of_a_step == rows


def test_from_so_many_rows_on_the_order_of_a_product_stays():
    for k in (1, 2, 100, 4095, 4096, 5000, 20000):
        for n in (1, 2, 3, 16, 100, 1000, 5461, 8191, 8192, 8193, 16383, 16384, 16385, 50000):
            first = rows_in_one_order(n, k)
            orders = {(m == 1 or n == 1, sum_block(m, n, k)) for m in (first, first + 1, 2 * first, 20000, 100000)}
            assert len(orders) == 1, (n, k)
            if first > 1:  # and not from fewer on
                assert (first - 1 == 1 or n == 1, sum_block(first - 1, n, k)) not in orders, (n, k)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_what_is_written_is_the_same_with_and_without(temperature, mode):
    ms.set_seed(5)
    net = GPT(20, 12, 16, 2, 2)
    start = Tensor([[3, 1], [7, 7]])
    kept, whole = (net.generate(start, 16, temperature, 1, top_k=5, cached=cached) for cached in (True, False))
    np.testing.assert_array_equal(kept.asnumpy(), whole.asnumpy())
    assert kept.shape == (2, 18) and kept.dtype == ms.int64


def test_dropout_is_off_while_it_writes():
    ms.set_seed(5)
    net = GPT(20, 12, 16, 2, 2, dropout=0.5)
    quiet = net.generate(Tensor([[3, 1]]), 8)
    net.set_train()
    np.testing.assert_array_equal(net.generate(Tensor([[3, 1]]), 8).asnumpy(), quiet.asnumpy())
    assert net.training and net.blocks[0].dropout.training


def test_tokens_are_drawn_as_often_as_they_are_likely():
    ms.set_seed(6)
    net = GPT(6, 4, 8, 1, 1).set_train(False)
    for parameter in net.get_parameters():  # larger weights than at first, so that tokens differ
        parameter.set_data(parameter * 20)
    logits = net(Tensor([[2, 4]])).asnumpy()[0, -1].astype(np.float64) / 1.5
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    draws = 4000
    start = Tensor(np.tile([2, 4], (draws, 1)))

    def shares(**options):
        found = net.generate(start, 1, 1.5, seed=1, **options).asnumpy()[:, -1]
        return np.bincount(found, minlength=6) / draws

    np.testing.assert_allclose(shares(), chances, atol=0.03)
    likely = np.argsort(-chances)[:3]
    few = np.zeros(6)
    few[likely] = chances[likely] / chances[likely].sum()
    np.testing.assert_allclose(shares(top_k=3), few, atol=0.03)
    assert shares(top_k=1)[likely[0]] == 1


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (([[1]], 3), TypeError, "needs a tensor"),
        ((Tensor([1, 2]), 3), ValueError, r"\(N, L\)"),
        ((Tensor(np.zeros((1, 0), np.int64)), 3), ValueError, "L >= 1"),
        ((Tensor([[1]]), -1), ValueError, "count"),
        ((Tensor([[1]]), 1, -0.5), ValueError, "temperature"),
        ((Tensor([[1]]), 1, 1.0, None, 0), ValueError, "top_k"),
    ],
)
def test_what_cannot_be_is_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        GPT(20, 12, 16, 1, 2).generate(*arguments)
