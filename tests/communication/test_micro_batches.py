"""Training by micro-batches ends in the same bits on 1, 2 and 4 processes, killed or not, in both modes."""

from __future__ import annotations

import numpy as np
import pytest
from ranks import COUNTS, run, start, told

import anfora as ms
from anfora import Parameter, Tensor, nn, ops, train
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.nn.micro_batches import _order

TRAINING = """
import hashlib, os, random, signal, sys
import numpy as np
import anfora as ms
import anfora.dataset as ds
from anfora import Tensor, communication, nn, ops, train

mode, way, killed_at, resumes = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "resume"
communication.init()
rank, size = communication.get_rank(), communication.get_group_size()
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(3)
random.seed(3)
own = ms.Generator()
own.manual_seed(5)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Dense(6, 16), nn.Dense(16, 3)
        self.norm, self.drop = nn.BatchNorm1d(16), nn.Dropout(p=0.3)
        self.noise = ops.StandardNormal(seed=7)

    def construct(self, x):
        x = ops.relu(self.norm(self.fc1(x)))
        return self.fc2(self.drop(x) + 0.01 * self.noise((16,)))


def blurred(x):
    return (x + np.random.normal(0, 0.1, x.shape)).astype(np.float32)


numbers = np.random.default_rng(0)
columns = {"x": numbers.standard_normal((96, 6)).astype(np.float32), "y": numbers.integers(0, 3, 96).astype(np.int32)}
data = ds.NumpySlicesDataset(columns, num_shards=size, shard_id=rank).map(blurred, "x").batch(16 // size)
net, loss_fn = Net().set_train(), nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)


def loop():
    def forward(x, y):
        if random.random() < 0.5 and np.random.rand() < 0.5:  # a choice of the program's own, in each micro-batch
            x = x * 1.5
        return loss_fn(net(x), y)

    reducer = nn.DistributedGradReducer(optimizer.parameters, micro_batches=4)
    grad_fn = reducer.distribute(ms.value_and_grad(forward, None, optimizer.parameters))
    losses = []
    iterator = data.create_tuple_iterator(num_epochs=2)
    for _ in range(2):
        for x, y in iterator:
            loss, grads = grad_fn(x, y)
            optimizer(grads)
            losses.append(loss.item())
    return losses + ops.rand(2).tolist() + [random.random()]


class Kill(train.Callback):
    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == killed_at and rank == size - 1:
            os.kill(os.getpid(), signal.SIGKILL)


def model():
    scale = ms.DynamicLossScaleManager(1024.0, 2, 3) if way == "scaled" else None
    options = {} if scale is None else {"loss_scale_manager": scale}
    made = train.Model(net, loss_fn, optimizer, micro_batches=4, **options)
    config = train.CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=3)
    callbacks = [train.ModelCheckpoint("net", "saved", config), Kill()]
    made.train(2, data, callbacks=callbacks, resume="saved" if resumes else None)
    return []


told = loop() if way == "loop" else model()
digest = hashlib.sha256(repr(told).encode())
for parameter in [*net.get_parameters(), *optimizer.get_parameters()]:
    digest.update(parameter.asnumpy().tobytes())
print(f"[[{digest.hexdigest()}]]", flush=True)
"""


@pytest.mark.parametrize("way", ["loop", "model", "scaled"])
def test_1_2_and_4_processes_end_in_the_same_bits(way, tmp_path):
    ends = set()
    for mode in ("pynative", "graph"):
        for count in COUNTS if mode == "pynative" or way == "loop" else COUNTS[-1:]:
            folder = tmp_path / f"{mode}{count}"
            folder.mkdir()
            ends |= told(run(count, TRAINING, mode, way, 0, "new", folder=folder))
    assert len(ends) == 1


@pytest.mark.parametrize("killed_at, count", [(5, 2), (8, 1)])
def test_killed_and_resumed_it_ends_in_the_same_bits(killed_at, count, tmp_path):
    (tmp_path / "whole").mkdir()
    expected = told(run(1, TRAINING, "pynative", "model", 0, "new", folder=tmp_path / "whole"))
    code, out, _ = start(2, TRAINING, "pynative", "model", killed_at, "new", folder=tmp_path)
    assert code != 0 and not told(out)
    assert told(run(count, TRAINING, "graph", "model", 0, "resume", folder=tmp_path)) == expected


def test_data_parallel_without_micro_batches(tmp_path):
    """Gradients are summed over the processes, and averaged with `gradients_mean`: two processes take the step that plain
    numpy takes on the whole batch."""
    program = """
    import numpy as np
    import anfora as ms
    from anfora import Tensor, communication, nn
    communication.init()
    rank = communication.get_rank()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, parameter_broadcast=True)
    assert ms.get_auto_parallel_context("device_num") == 2 and ms.get_auto_parallel_context("global_rank") == rank
    x, y = np.arange(8, dtype=np.float32).reshape(4, 2), np.ones((4, 1), np.float32)
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        net = nn.Dense(2, 1, weight_init=0.5 + rank, bias_init="zeros")  # process 0 gives its weights to the other
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.01))
        w, b = np.full((1, 2), 0.5), np.zeros(1)
        for _ in range(3):
            step(Tensor(x[rank::2]), Tensor(y[rank::2]))
            slope = 2 * (x @ w.T + b - y) / 4
            w, b = w - 0.01 * slope.T @ x, b - 0.01 * slope.sum(0)
        np.testing.assert_allclose(net.weight.asnumpy(), w, rtol=1e-5)
        np.testing.assert_allclose(net.bias.asnumpy(), b, rtol=1e-5)
    print(f"[[fine {rank}]]")
    """
    assert told(run(2, program, folder=tmp_path)) == {"fine 0", "fine 1"}


@pytest.mark.parametrize(
    "change, words",
    [
        ("ms.set_seed(rank)", "random numbers from"),
        ("net.weight.set_data(Tensor([[float(rank), 0.0]]))", "weights"),
        ("rows = 2 + 2 * rank", "of 1 rows"),
        ("ms.set_auto_parallel_context(full_batch=True)\nrows = 6", "6 rows cannot be divided into 4 micro-batches"),
    ],
)
def test_processes_that_differ_are_told_how(change, words, tmp_path):
    program = f"""
import anfora as ms
from anfora import Tensor, communication, nn, ops
communication.init()
rank, rows = communication.get_rank(), 2
ms.set_seed(1)
net = nn.Dense(2, 1)
{change}
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda x: loss_fn(net(x), ops.zeros((len(x), 1))), None, net.trainable_params())
nn.DistributedGradReducer(net.trainable_params(), micro_batches=4).distribute(grad_fn)(ops.ones((rows, 2)))
"""
    code, _, err = start(2, program, folder=tmp_path, timeout=60)
    assert code != 0 and words in err, err


# -- in one process ---------------------------------------------------------------------------------------------------


def _reduced(values: list[np.ndarray]) -> np.ndarray:
    """The written order: x[m] + x[m + h] for h = M/2, M/4, …, 1."""
    while len(values) > 1:
        half = len(values) // 2
        values = [a + b for a, b in zip(values[:half], values[half:])]
    return values[0]


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_the_order_of_sums(count):
    x = np.random.default_rng(0).standard_normal((16, 3)).astype(np.float32) * 1e3
    w = Parameter(Tensor(np.ones(3, np.float32)), name="w")
    grad_fn = ms.value_and_grad(lambda x: (x * w).sum(), None, [w])
    for mean in (True, False):
        reducer = nn.DistributedGradReducer([w], mean=mean, micro_batches=count)
        value, (gradient,) = reducer.distribute(grad_fn)(Tensor(x))
        parts = [ms.value_and_grad(lambda x: (x * w).sum(), None, [w])(Tensor(x[m::count])) for m in range(count)]
        scale = np.float32(1 / count if mean else 1)
        assert gradient.asnumpy().tobytes() == (_reduced([g.asnumpy() for _, (g,) in parts]) * scale).tobytes()
        assert value.item() == _reduced([v.asnumpy() for v, _ in parts]) * scale


def test_parts_are_added_as_they_come():
    assert [_order(n) for n in (1, 2, 4, 8)] == [[0], [0, 1], [0, 2, 1, 3], [0, 4, 2, 6, 1, 5, 3, 7]]


def test_moving_averages_and_counters():
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)
            self.steps = Parameter(Tensor(0), requires_grad=False)
            self.scale = Parameter(Tensor(1.0))

        def construct(self, x):
            ops.assign_add(self.steps, Tensor(1))
            return (self.norm(x) * self.scale).sum()

    x = np.random.default_rng(0).standard_normal((12, 2)).astype(np.float32)
    net = Counting().set_train()
    grad_fn = ms.value_and_grad(net, None, [net.scale])
    nn.DistributedGradReducer([net.scale], micro_batches=2).distribute(grad_fn)(Tensor(x))
    assert net.steps.item() == 1
    means = [0.1 * x[m::2].mean(0) for m in range(2)]
    np.testing.assert_allclose(net.norm.moving_mean.asnumpy(), sum(means) / 2, rtol=1e-5, atol=1e-7)
    kept = net.norm.moving_mean.asnumpy().copy()
    with pytest.raises(ZeroDivisionError):  # a step that fails changes nothing
        bad = ms.value_and_grad(lambda x: net(x) / (1 // 0), None, [net.scale])
        nn.DistributedGradReducer([net.scale], micro_batches=2).distribute(bad)(Tensor(x))
    assert (net.norm.moving_mean.asnumpy() == kept).all() and net.steps.item() == 1


def test_random_numbers_follow_the_micro_batch_and_the_program_goes_on_where_it_was():
    w = Parameter(Tensor([1.0]), name="w")
    own = ms.Generator().manual_seed(4)
    seen = []

    def forward(x):
        seen.append((np.random.rand(), ops.rand(1).item(), own.draw()))
        return (x * w).sum()

    def step(count):
        seen.clear()
        ms.set_seed(2)
        grad_fn = ms.value_and_grad(forward, None, [w])
        nn.DistributedGradReducer([w], micro_batches=count).distribute(grad_fn)(ops.ones((8, 1)))
        return [seen[j] for j in np.argsort(_order(count))], np.random.rand(), ops.rand(1).item()

    (eight, *after), (four, *after_four) = step(8), step(4)
    assert eight[:4] == four and after == after_four  # the m-th draws what it draws, however many there are
    assert len(set(eight)) == 8 and len({draw for _, _, draw in eight}) == 8
    assert own.get_state().tolist() == ms.Generator().manual_seed(4).get_state().tolist()


def test_values_beside_the_loss():
    w = Parameter(Tensor([2.0]), name="w")
    x = Tensor(np.arange(8, dtype=np.float32).reshape(8, 1))

    def forward(x):
        y = x * w
        return y.sum(), y, (y > 5).sum(), {"any": (y > 100).any(), "name": "text"}

    (loss, rows, hits, more), grads = nn.DistributedGradReducer([w], micro_batches=4).distribute(
        ms.value_and_grad(forward, None, [w], has_aux=True)
    )(x)
    assert loss.item() == 14.0 and grads[0].tolist() == [7.0]
    assert rows.tolist() == (2 * x).tolist() and hits.item() == 5
    assert not more["any"].item() and more["name"] == "text"


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda f: f(ops.ones((6, 1))), OpValueError, "6 rows of a batch cannot be divided into 4 micro-batches"),
        (lambda f: f(Tensor(1.0)), OpValueError, "there is no tensor among them"),
        (lambda f: f(ops.ones((4, 1)), ops.ones((8, 1))), OpValueError, r"these have the lengths \[4, 8\]"),
    ],
)
def test_batches_that_cannot_be_divided(call, error, words):
    w = Parameter(Tensor([2.0]), name="w")
    grad_fn = ms.value_and_grad(lambda *x: (x[0] * w).sum(), None, [w])
    with pytest.raises(error, match=words):
        call(nn.DistributedGradReducer([w], micro_batches=4).distribute(grad_fn))


def test_exchanges_inside_of_a_micro_batch_are_refused():
    """They would make the result depend on the number of processes."""
    w = Parameter(Tensor([2.0]), name="w")
    norm = nn.SyncBatchNorm(1).set_train()
    for inner in (ops.AllReduce(), norm):
        grad_fn = ms.value_and_grad(lambda x, inner=inner: (inner(x) * w).sum(), None, [w])
        with pytest.raises(OpRuntimeError, match="in micro-batch 0"):
            nn.DistributedGradReducer([w], micro_batches=2).distribute(grad_fn)(ops.ones((4, 1)))
    assert norm(ops.ones((4, 1))).shape == (4, 1)


def test_functions_that_give_no_gradients():
    w = Parameter(Tensor([2.0]), name="w")
    with pytest.raises(OpTypeError, match=r"gives \(value, gradients\) for the 1 parameters of the reducer"):
        nn.DistributedGradReducer([w], micro_batches=2).distribute(lambda x: x)(ops.ones((4, 1)))
    with pytest.raises(OpValueError, match="needs an optimizer"):
        train.Model(nn.Dense(1, 1), nn.MSELoss(), micro_batches=2)
