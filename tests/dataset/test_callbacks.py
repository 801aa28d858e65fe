"""Moments of a pipeline, and rows that are made up."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
import anfora.dataset as ds
from anfora import nn, train


class Told(ds.DSCallback):
    def __init__(self, step_size, told):
        super().__init__(step_size)
        self.told = told

    def ds_begin(self, ds_run_context):
        self.told.append("begin")

    def ds_epoch_begin(self, ds_run_context):
        self.told.append(("epoch", ds_run_context.cur_epoch_num))

    def ds_epoch_end(self, ds_run_context):
        self.told.append(("end", ds_run_context.cur_epoch_num, ds_run_context.cur_step_num))

    def ds_step_begin(self, ds_run_context):
        self.told.append(("step", ds_run_context.cur_step_num, ds_run_context.cur_step_num_in_epoch))

    def ds_step_end(self, ds_run_context):
        self.told.append(("step end", ds_run_context.cur_step_num))


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("workers", [1, 3])
def test_moments_come_as_in_mindspore(size, workers):
    """Which moments there are is as in MindSpore 2.10; the function has its turn between them, row by row."""
    told = []
    data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
    data = data.map(
        lambda x: (told.append(int(x)), x)[1], "x", callbacks=Told(size, told), num_parallel_workers=workers
    )
    iterator = data.batch(2).create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [[row[0].tolist() for row in iterator] for _ in range(2)] == [[[1, 2], [3]]] * 2
    expected = ["begin"]
    for epoch in (1, 2):
        expected.append(("epoch", epoch))
        for place in (1, 2, 3):
            step = 3 * (epoch - 1) + place
            begins = (place - 1) % size == 0
            expected += [("step", step, place), place, ("step end", step)] if begins else [place]
        expected.append(("end", epoch, 3 * epoch))
    assert told == expected


class Nothing(ds.DSCallback):
    pass


def test_callbacks_that_are_refused():
    data = ds.NumpySlicesDataset([1], ["x"])
    with pytest.raises(AttributeError, match="overrides none"):
        data.map(lambda x: x, "x", callbacks=[Nothing()])
    with pytest.raises(TypeError, match="callbacks with value 3"):
        data.map(lambda x: x, "x", callbacks=3)
    with pytest.raises(ValueError, match="step_size"):
        ds.DSCallback(0)


class Feedback(ds.WaitedDSCallback):
    """Each batch is multiplied by a number that the training's last step decides."""

    def __init__(self, step_size):
        super().__init__(step_size)
        self.scale, self.seen = 1.0, []

    def sync_step_begin(self, train_run_context, ds_run_context):
        args = train_run_context.original_args()
        self.scale = 1.0 + args.cur_step_num
        self.seen.append((ds_run_context.cur_step_num, args.cur_step_num))


def test_rows_wait_for_the_step_before_them():
    feedback = Feedback(2)
    rows = []
    data = ds.NumpySlicesDataset(np.ones((6, 1), np.float32), ["x"], shuffle=False)
    data = data.map(lambda x: x * np.float32(feedback.scale), "x", callbacks=feedback)
    data = data.map(lambda x: (rows.append(float(x[0])), (x, x))[1], "x", ["x", "y"]).batch(2)
    net = nn.Dense(1, 1)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01))
    model.train(2, data, callbacks=feedback)
    assert feedback.seen == [(3, 1), (5, 2), (7, 3), (9, 4), (11, 5)]
    assert rows == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]


def test_random_rows():
    schema = ds.Schema()
    for name, kind, shape in (("a", ms.uint8, [2, 3]), ("b", "float32", []), ("c", "string", [2]), ("d", "bool", [1])):
        schema.add_column(name, kind, shape)
    data = ds.RandomDataset(5, schema, shuffle=False)
    first, second, *_ = data.create_dict_iterator(output_numpy=True)
    assert data.get_dataset_size() == 5 and list(first) == ["a", "b", "c", "d"]
    assert [(v.dtype.kind, v.shape) for v in first.values()] == [("u", (2, 3)), ("f", ()), ("U", (2,)), ("b", (1,))]
    assert (first["a"] != second["a"]).any() and 0 <= first["b"] < 1 and len(str(first["c"][0])) == 8
    again = next(ds.RandomDataset(5, schema, ["a"], shuffle=False).create_dict_iterator(output_numpy=True))
    assert (again["a"] == first["a"]).all()
    assert ds.RandomDataset().get_dataset_size() == 1000
    with pytest.raises(ValueError, match="'z' is not in the schema"):
        ds.RandomDataset(5, schema, ["z"])


def followed(rows, batch, batches=1, epochs=1):
    """What a pipeline gives whose function follows what the program says after each batch."""
    factor, seen = [0], []
    data = ds.NumpySlicesDataset(np.arange(rows), ["x"], shuffle=False)
    data = data.sync_wait("said", batches, factor.append).map(lambda x: x + 100 * factor[-1], "x").batch(batch)
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    for _ in range(epochs):
        for [x] in iterator:
            seen.append(x.tolist())
            data.sync_update("said", data=len(seen))
    return seen


def test_rows_follow_what_the_program_says():
    assert followed(5, 1) == [[0], [101], [202], [303], [404]]
    assert followed(5, 2) == [[0, 1], [102, 103], [204]]
    assert followed(4, 2, epochs=2) == [[0, 1], [102, 103], [200, 201], [302, 303]]
    assert followed(4, 1, batches=3) == [[0], [101], [202], [303]]


def test_a_batch_is_one_of_all_the_batches_above():
    def rows():
        return ds.NumpySlicesDataset(np.arange(12), ["x"], shuffle=False).sync_wait("a")

    others = ds.NumpySlicesDataset(np.arange(4), ["y"], shuffle=False)
    for data in (rows().batch(2).batch(3), ds.zip((rows().batch(3), others))):
        seen = 0
        for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
            data.sync_update("a")
            seen += 1
        assert seen == data.get_dataset_size()


def test_rows_that_nobody_lets_through():
    data = ds.NumpySlicesDataset(np.arange(8), ["x"], shuffle=False).sync_wait("a", 2)
    assert data.get_dataset_size() == 8 and data.output_shapes() == [[]]
    iterator = data.batch(2).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [next(iterator)[0].tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(RuntimeError, match=r"sync_wait\('a'\) wait for sync_update\('a'\)"):
        next(iterator)
    again = data.batch(2).create_tuple_iterator(num_epochs=1, output_numpy=True)
    next(again)
    data.sync_update("a", 2)
    assert len(list(again)) == 3
    for call, error, words in (
        (lambda: data.sync_wait("a"), RuntimeError, "already in use"),
        (lambda: data.sync_wait(3), TypeError, "condition_name"),
        (lambda: data.sync_wait("b", 0), ValueError, "num_batch"),
        (lambda: data.sync_wait("b", callback=3), TypeError, "callable"),
        (lambda: data.sync_update("b"), RuntimeError, "not found"),
        (lambda: data.sync_update("a", 0), RuntimeError, "positive integer"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_two_places_of_one_name_are_refused_where_they_are_put_together():
    def rows(column):
        return ds.NumpySlicesDataset(np.arange(4), [column], shuffle=False).sync_wait("a")

    for put in (
        lambda: ds.zip((rows("x"), rows("y"))),
        lambda: rows("x").zip(rows("y")),
        lambda: rows("x") + rows("x"),
    ):
        with pytest.raises(RuntimeError, match=r"have a sync_wait\('a'\) each"):
            put()
    twice = rows("x")
    assert (twice + twice).get_dataset_size() == 8


def test_vocabularies_by_their_former_names():
    words = ds.NumpySlicesDataset([["b", "a"], ["b", "c"]], ["w"], shuffle=False)
    assert words.build_vocab("w", None, 2, ["<pad>"], True).vocab() == {"<pad>": 0, "b": 1, "a": 2}
