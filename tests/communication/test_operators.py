"""What processes exchange, its gradients, and that graph mode does each exchange in its place."""

from __future__ import annotations

import pytest
from ranks import COUNTS, run, told

VALUES = '''
import numpy as np
import anfora as ms
from anfora import Tensor, communication, ops

communication.init()
rank, size = communication.get_rank(), communication.get_group_size()
world = list(range(size))


def parts(shape, dtype, seed=0):
    """What all processes have."""
    made = [np.random.default_rng((seed, r)).standard_normal(shape) * 3 for r in world]
    return [Tensor(each.astype(np.float64)).astype(getattr(ms, dtype)) for each in made]


def tree(arrays, combine):
    """The order that docs/several_processes.md writes down, in plain numpy."""
    arrays, h = list(arrays), 1
    while 2 * h < len(arrays):
        h *= 2
    while len(arrays) > 1:
        arrays = [combine(a, arrays[i + h]) if i + h < len(arrays) else a for i, a in enumerate(arrays[:h])]
        h //= 2
    return arrays[0]


def check(result, expected, dtype):
    expected = Tensor(np.asarray(expected)).astype(getattr(ms, dtype))
    assert result.dtype is expected.dtype and result.shape == expected.shape, (result, expected)
    assert result.asnumpy().tobytes() == expected.asnumpy().tobytes(), (dtype, result, expected)


WAYS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
for dtype in ("float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "uint8"):
    for shape in ((4 * size, 3), (size,), (2 * size, 5000)):
        every = parts(shape, dtype)
        arrays = [each.asnumpy() for each in every]
        arrays = [a.astype(np.float32) if a.dtype == np.float16 else a for a in arrays]
        for way, combine in WAYS.items():
            if way == "prod" and shape[-1] == 5000:
                continue
            with np.errstate(all="ignore"):
                whole = tree(arrays, combine)
            check(ops.AllReduce(way)(every[rank]), whole, dtype)
            n = shape[0] // size
            check(ops.ReduceScatter(way)(every[rank]), whole[rank * n : (rank + 1) * n], dtype)
        check(ops.AllGather()(every[rank]), np.concatenate([each.asnumpy() for each in every]), dtype)
        check(ops.Broadcast(size - 1)((every[rank],))[0], every[-1].asnumpy(), dtype)
check(ops.AllReduce("avg")(parts((3,), "float32")[rank]),
      tree([p.asnumpy() for p in parts((3,), "float32")], np.add) / np.float32(size), "float32")
assert ops.AllReduce()(Tensor(1.0)).item() == size
assert ops.AllReduce()(ops.zeros((0, 2))).shape == (0, 2)
assert ops.AllGather()(Tensor([[True]])).tolist() == [[True]] * size
x = parts((6, 4), "float32")
strided = x[rank].T[::2]
check(ops.AllReduce()(strided), tree([p.T[::2].asnumpy() for p in x], np.add), "float32")

# a group of some
chosen = world[1:] or world
if rank in chosen:
    communication.create_group("some", chosen)
    assert ops.AllReduce(group="some")(Tensor(float(rank))).item() == sum(chosen)
    assert communication.get_rank("some") == chosen.index(rank)
    assert communication.get_world_rank_from_group_rank("some", 0) == chosen[0]
    assert ops.Broadcast(chosen[-1], "some")((Tensor(rank),))[0].item() == chosen[-1]
# each its part to each
grid = [np.arange(6 * size * size, dtype=np.float32).reshape(2 * size, 3 * size) + 1000 * r for r in world]
expected = np.concatenate([np.split(each, size, 0)[rank] for each in grid], 1)
check(ops.AlltoAll(size, 0, 1)(Tensor(grid[rank])), expected, "float32")
back = ms.grad(lambda x: (ops.AlltoAll(size, 0, 1)(x) * (rank + 1)).sum())(Tensor(grid[rank]))
check(back, np.repeat(np.arange(1, size + 1, dtype=np.float32), 2)[:, None].repeat(3 * size, 1), "float32")
ops.Barrier()()
print(f"[[fine {rank}]]")
'''


@pytest.mark.parametrize("count", [1, 2, 3, *COUNTS[2:]])
def test_values_are_those_of_numpy_in_the_written_order(count, tmp_path):
    assert told(run(count, VALUES, folder=tmp_path)) == {f"fine {rank}" for rank in range(count)}


GRADIENTS = '''
import sys
import numpy as np
import anfora as ms
from anfora import Tensor, communication, ops

communication.init()
rank, size = communication.get_rank(), communication.get_group_size()
ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
points = [np.array([0.5, -1.25, 2.0, 1.5][: 2 * size][:4] * size, np.float64)[: 2 * size] + 0.25 * r for r in range(size)]
weights = np.random.default_rng(0).standard_normal((size, 4 * size * size))


def plain(way):
    """The same operators on what all processes have: from a list to a list."""
    return {
        "sum": lambda xs: [sum(xs)] * size,
        "avg": lambda xs: [sum(xs) / size] * size,
        "prod": lambda xs: [np.prod(xs, 0)] * size,
        "max": lambda xs: [np.max(xs, 0)] * size,
        "gather": lambda xs: [np.concatenate(xs)] * size,
        "scatter": lambda xs: list(sum(xs).reshape(size, -1)),
        "scatter avg": lambda xs: list((sum(xs) / size).reshape(size, -1)),
        "broadcast": lambda xs: [xs[size - 1]] * size,
    }[way]


ours = {
    "sum": ops.AllReduce(), "avg": ops.AllReduce("avg"), "prod": ops.AllReduce("prod"), "max": ops.AllReduce("max"),
    "gather": ops.AllGather(), "scatter": ops.ReduceScatter(), "scatter avg": ops.ReduceScatter("avg"),
    "broadcast": lambda x: ops.Broadcast(size - 1)((x,))[0],
}


def loss_of(value, r):
    return (value * value * weights[r][: value.size]).sum()


for way, operator in ours.items():
    def total(xs):
        return sum(loss_of(y, r) for r, y in enumerate(plain(way)([x * x for x in xs])))

    expected = np.zeros(2 * size)
    for i in range(2 * size):
        for sign in (1, -1):
            moved = [x.copy() for x in points]
            moved[rank][i] += sign * 1e-6
            expected[i] += sign * total(moved) / 2e-6

    def loss(x):
        y = operator(x * x)
        return (y * y * Tensor(weights[rank][: y.size])).sum()

    gradient = ms.grad(loss)
    for _ in range(3):
        found = gradient(Tensor(points[rank])).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-6, err_msg=way)

# a gradient of a gradient, and one behind `backward`
second = ms.grad(lambda x: ms.grad(lambda z: (ops.AllReduce()(z * z * z) * 2.0).sum())(x).sum())
np.testing.assert_allclose(second(Tensor(points[rank])).asnumpy(), 12.0 * size * points[rank])
x = Tensor(points[rank])
x.requires_grad = True
ops.AllReduce()(x * x).sum().backward()
np.testing.assert_allclose(x.grad.asnumpy(), 2 * size * points[rank])
print(f"[[fine {rank}]]")
'''


@pytest.mark.parametrize("mode", ["pynative", "graph"])
def test_gradients_are_those_of_the_sum_over_all_processes(mode, tmp_path):
    assert told(run(2, GRADIENTS, mode, folder=tmp_path)) == {"fine 0", "fine 1"}


EFFECTS = """
import anfora as ms
from anfora import Tensor, communication, nn, ops
from anfora.communication import world

communication.init()
rank = communication.get_rank()
reduce, gather, casts = ops.AllReduce(), ops.AllGather(), [ops.Broadcast(0), ops.Broadcast(1)]


def program(x):
    reduce(x)                                   # whose result nobody needs
    a = reduce(x)                               # twice the same
    b = reduce(x)
    y = a + b
    if y.sum() > 0:
        y = gather(y * 2.0)[:2]
    for i in range(3):
        y = y + casts[i % 2]((y,))[0]
    return y


class Net(nn.Cell):
    def construct(self, x):
        return program(x)


def meetings():
    return world._state.world.meetings


before = meetings()
expected = program(Tensor([1.0 + rank, 2.0])).tolist()
exchanges = meetings() - before
assert exchanges == 7, exchanges
compiled, net = ms.jit(program), Net()
ms.set_context(mode=ms.GRAPH_MODE)
for call in (compiled, net, ms.jit(program, fullgraph=True)):
    for _ in range(4):
        before = meetings()
        assert call(Tensor([1.0 + rank, 2.0])).tolist() == expected
        assert meetings() - before == exchanges
report = ms.explain(compiled)(Tensor([1.0 + rank, 2.0]))
assert not report.hops and len(report.exchanges) == 5, (report.hops, report.exchanges)
ms.set_context(mode=ms.PYNATIVE_MODE)
batched = ms.vmap(lambda x: reduce(x * 2.0))
before = meetings()
assert batched(Tensor([[1.0], [2.0]])).tolist() == [[4.0], [8.0]]
assert meetings() - before == 2  # one for each example
print(f"[[fine {rank}]]")
"""


def test_graph_mode_drops_merges_and_moves_no_exchange(tmp_path):
    assert told(run(2, EFFECTS, folder=tmp_path)) == {"fine 0", "fine 1"}


NORM = """
import numpy as np
import anfora as ms
from anfora import Tensor, communication, nn, ops

communication.init()
rank = communication.get_rank()
x = np.random.default_rng(0).standard_normal((8, 3, 5)).astype(np.float32)
weight = Tensor(np.random.default_rng(1).standard_normal((8, 3, 5)).astype(np.float32))
whole, part = nn.BatchNorm1d(15).set_train(), nn.SyncBatchNorm(15).set_train()
whole_of = ms.value_and_grad(
    lambda x: (whole(x.reshape(8, 15)).reshape(8, 3, 5) * weight).sum(), 0, whole.trainable_params()
)
part_of = ms.value_and_grad(
    lambda x: (part(x.reshape(4, 15)).reshape(4, 3, 5) * weight[rank::2]).sum(), 0, part.trainable_params()
)
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    for _ in range(2):
        loss, (dx, dw) = whole_of(Tensor(x))
        own, (own_dx, own_dw) = part_of(Tensor(x[rank::2]))
        close = dict(rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(ops.all_reduce(own).item(), loss.item(), **close)
        np.testing.assert_allclose(own_dx.asnumpy(), dx.asnumpy()[rank::2], **close)
        for a, b in zip(own_dw, dw):
            np.testing.assert_allclose(ops.all_reduce(a).asnumpy(), b.asnumpy(), **close)
        for name in ("moving_mean", "moving_variance"):
            np.testing.assert_allclose(getattr(part, name).asnumpy(), getattr(whole, name).asnumpy(), **close)
assert nn.SyncBatchNorm(3, process_groups=[[0], [1]]).set_train()(Tensor(x)).shape == x.shape
print(f"[[fine {rank}]]")
"""


def test_batch_norm_over_all_processes_is_that_of_the_whole_batch(tmp_path):
    assert told(run(2, NORM, folder=tmp_path)) == {"fine 0", "fine 1"}


CHECKED = """
import logging
import anfora as ms
from anfora import Tensor, communication, ops

communication.init()
logging.getLogger("anfora").setLevel("INFO")
f = ms.jit(lambda x: ops.all_reduce(x * 2) + 1)
for _ in range(2):
    assert f(Tensor([1.0])).tolist() == [5.0]
print(f"[[fine {communication.get_rank()}]]")
"""


def test_there_is_no_verdict_on_exchanges(tmp_path):
    """Another process, forked to do a call as Python does it, cannot speak for this one."""
    assert told(run(2, CHECKED, folder=tmp_path, ANFORA_CHECK="1")) == {"fine 0", "fine 1"}
