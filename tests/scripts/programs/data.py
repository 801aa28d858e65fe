"""Datasets: sources of every kind, and what is done with their rows."""

import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import GeneratorDataset, NumpySlicesDataset, transforms


class RandomAccess:
    def __init__(self):
        self._data = np.arange(10, dtype=np.float32).reshape(5, 2)
        self._label = np.arange(5, dtype=np.int32)

    def __getitem__(self, index):
        return self._data[index], self._label[index]

    def __len__(self):
        return len(self._data)


class Iterable:
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at >= self.count:
            raise StopIteration
        self.at += 1
        return (np.array([self.at], np.int64),)


def generator():
    for i in range(3):
        yield (np.array([i]), np.array([[i, i + 1], [i + 2, i + 3]]))


dataset = GeneratorDataset(source=RandomAccess(), column_names=["data", "label"], shuffle=False)
for data, label in dataset:
    print(data.asnumpy().tolist(), label.asnumpy().tolist())
print(dataset.get_dataset_size(), dataset.get_col_names())
print([int(x[0].asnumpy()[0]) for x in GeneratorDataset(Iterable(4), ["x"])])
for row in GeneratorDataset(generator, ["a", "b"]).create_dict_iterator(output_numpy=True, num_epochs=1):
    print(sorted(row), row["b"].sum())


# rows
def slices():
    return NumpySlicesDataset({"x": list(range(10)), "y": [float(i) ** 2 for i in range(10)]}, shuffle=False)


pipeline = slices().map(lambda x: x * 2, ["x"])
pipeline = pipeline.filter(lambda x: x % 4 == 0, ["x"])
pipeline = pipeline.map(lambda x, y: (x, y, x + y), ["x", "y"], ["x", "y", "sum"])
pipeline = pipeline.project(["x", "y", "sum"])
pipeline = pipeline.rename("sum", "total")
pipeline = pipeline.batch(2, drop_remainder=False)
for row in pipeline.create_dict_iterator(output_numpy=True):
    print({name: row[name].tolist() for name in sorted(row)})
print(
    slices().take(3).repeat(2).get_dataset_size(),
    slices().skip(8).get_dataset_size(),
    slices().batch(3).get_dataset_size(),
)
first, second = slices().split([7, 3], randomize=False)
print(first.get_dataset_size(), [int(row["x"]) for row in second.create_dict_iterator(output_numpy=True)])
both = ds.zip((slices().project("x"), slices().project("y").rename("y", "z")))
print(both.get_col_names(), [float(v) for v in next(both.skip(4).create_dict_iterator(output_numpy=True)).values()])
print((slices().take(2) + slices().skip(8)).get_dataset_size())

# batches of different lengths
lengths = GeneratorDataset(lambda: ((np.ones(n, np.int32) * n,) for n in (1, 3, 2)), ["x"])
for (batch,) in lengths.padded_batch(3, pad_info={"x": ([4], -1)}):
    print(batch.asnumpy().tolist())


def per_batch(columns, info):
    return ([column * info.get_batch_num() for column in columns],)


numbered = NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False).batch(2, input_columns=["x"], per_batch_map=per_batch)
print([x.asnumpy().tolist() for (x,) in numbered])

# order
mindspore.set_seed(58)
ds.config.set_seed(58)
mixed = NumpySlicesDataset(list(range(20)), ["x"], shuffle=True)
orders = [[int(x.asnumpy()) for (x,) in mixed.create_tuple_iterator(num_epochs=1)] for _ in range(2)]
print(sorted(orders[0]) == list(range(20)), orders[0] != list(range(20)))
chosen = NumpySlicesDataset(list(range(10)), ["x"], sampler=ds.SubsetSampler([3, 1, 7]))
print([int(x.asnumpy()) for (x,) in chosen])
shards = [NumpySlicesDataset(list(range(6)), ["x"], num_shards=2, shard_id=i, shuffle=False) for i in range(2)]
print([[int(x.asnumpy()) for (x,) in shard] for shard in shards])
hot = NumpySlicesDataset(np.array([2, 0], np.int32), ["x"], shuffle=False)
hot = hot.map([transforms.OneHot(3), transforms.TypeCast(mindspore.float32)], "x")
print([x.asnumpy().tolist() for (x,) in hot], next(iter(hot))[0].dtype)
