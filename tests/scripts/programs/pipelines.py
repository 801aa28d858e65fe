"""Each step that a pipeline can have, and the rows that it gives; what a pipeline knows of itself; what is refused."""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import text, transforms, vision

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


class Ragged:
    def __getitem__(self, i):
        return np.arange(i + 1), np.array(i)

    def __len__(self):
        return 5


# Each is made anew: MindSpore lets a dataset be the source of one other only.
def numbers():
    return ds.NumpySlicesDataset(np.arange(10), column_names=["n"], shuffle=False)


def eight(**options):
    return ds.NumpySlicesDataset(list(range(8)), ["n"], **options)


def ragged():
    return ds.GeneratorDataset(Ragged(), ["seq", "i"], shuffle=False)


def picture():
    image = (np.arange(48).reshape(4, 4, 3) * 5).astype(np.uint8)
    return ds.NumpySlicesDataset([image], ["image"], shuffle=False)


def generate():
    for i in range(3):
        yield np.array([i, i], np.float32), f"word{i}"


def grow(rows, info):
    return ([row * (info.get_batch_num() + 1) for row in rows],)


def show(name, data):
    rows = data.create_tuple_iterator(output_numpy=True, num_epochs=1)
    print(name, [[np.asarray(field).tolist() for field in row] for row in rows])


show("skip take", numbers().skip(2).take(3))
show("repeat", numbers().take(2).repeat(2))
show("filter", numbers().filter(predicate=lambda n: bool(n % 3 == 0), input_columns=["n"]))
show("batch", numbers().batch(4))
show("drop", numbers().batch(4, drop_remainder=True))
show("concat", numbers().take(2) + numbers().skip(8))
show("split", numbers().split([0.7, 0.3], randomize=False)[1])
show("zip", ds.zip((numbers().take(2), numbers().skip(5).rename("n", "m"))))
show("per batch", numbers().take(4).batch(2, per_batch_map=grow, input_columns=["n"]))
show("columns", numbers().take(3).map(lambda n: (n, n * n), "n", ["n", "square"]).project(["square", "n"]))
show("padded", ragged().take(4).padded_batch(2, pad_info={"seq": ([4], -1)}))
show(
    "buckets",
    ragged().bucket_batch_by_length(["seq", "i"], [3], [2, 1], lambda seq, i: len(seq), pad_info={"seq": ([None], 0)}),
)
show("generator", ds.GeneratorDataset(generate, ["x", "w"]))
show("from to", eight(sampler=ds.SequentialSampler(start_index=2, num_samples=3)))
show("subset", eight(sampler=ds.SubsetSampler([5, 1, 3])))
show("shard", eight(num_shards=3, shard_id=1, shuffle=False))
show("distributed", eight(sampler=ds.DistributedSampler(3, 2, shuffle=False)))

show("compose", numbers().take(2).map(transforms.Compose([lambda n: n + 1, lambda n: n * 10]), "n"))
show("one hot", numbers().take(3).map(transforms.OneHot(3), "n"))
show("fill", numbers().take(2).map(transforms.Duplicate(), ["n"], ["a", "b"]).map(transforms.Fill(7), "b"))
show("mask", ragged().take(3).map(transforms.Mask(transforms.Relational.GE, 1), "seq").project("seq"))
show("slice", ragged().skip(3).map(transforms.Slice(slice(1, 3)), "seq"))
show("concatenate", ragged().take(2).map(transforms.Concatenate(append=np.array([100])), "seq"))
show("pad end", ragged().map(transforms.PadEnd([5], 9), "seq").take(2))
show("type cast", numbers().take(2).map(transforms.TypeCast(ms.float16), "n"))

lines, table = os.path.join(folder, "lines.txt"), os.path.join(folder, "table.csv")
with open(lines, "w") as file:
    file.write("home behind\nthe World ahead\n")
with open(table, "w") as file:
    file.write("1,2.5,a\n3,4.5,b\n")
vocab = text.Vocab.from_list(["home", "behind", "the", "world"], special_tokens=["<pad>", "<unk>"], special_first=True)
words = [text.BasicTokenizer(lower_case=True), text.Lookup(vocab, "<unk>")]
show("lines", ds.TextFileDataset(lines, shuffle=False))
show("words", ds.TextFileDataset(lines, shuffle=False).map(words, "text"))
print(sorted(vocab.vocab().items()), vocab.tokens_to_ids(["home", "none"]), vocab.ids_to_tokens([2, 3]))
names = ["i", "f", "s"]
show("csv", ds.CSVDataset(table, column_defaults=[0, 0.0, ""], column_names=names, shuffle=False))

show("resize", picture().map(vision.Resize([2, 3], vision.Inter.NEAREST), "image"))
show("cut", picture().map([vision.CenterCrop(2), vision.Rescale(1 / 5, 0), vision.HWC2CHW()], "image"))
grey = vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY)
show("border", picture().map([vision.Crop((0, 0), (2, 2)), vision.Pad(1, 9), grey], "image"))

print(numbers().get_dataset_size(), numbers().batch(3).get_dataset_size(), numbers().batch(3).get_batch_size())
print(numbers().repeat(4).get_repeat_count(), numbers().repeat(2).repeat(3).get_repeat_count())
print(numbers().repeat().batch(4).get_dataset_size(), numbers().get_col_names())
print(numbers().batch(2).output_shapes(), numbers().output_types())
iterator = numbers().batch(5).create_dict_iterator(num_epochs=2)
for epoch in range(2):
    print(epoch, [(sorted(row), row["n"].shape, str(row["n"].dtype)) for row in iterator])


def fail_at_three(n):
    if n == 3:
        raise ValueError("three is bad")
    return n


try:
    show("failing", numbers().map(fail_at_three, "n"))
except RuntimeError as error:
    print("three is bad" in str(error))

for wrong in (
    lambda: numbers().batch(0),
    lambda: numbers().take(0),
    lambda: numbers().repeat(0),
    lambda: numbers().batch("2"),
    lambda: show("map", numbers().map(fail_at_three, "x")),
    lambda: show("project", numbers().project(["x"])),
    lambda: show("rename", numbers().rename("x", "y")),
    lambda: ds.GeneratorDataset(3, ["a"]),
    lambda: ds.MnistDataset(os.path.join(folder, "nowhere")),
    lambda: vision.Resize(0),
    lambda: transforms.OneHot(-1),
):
    try:
        wrong()
        print("nothing")
    except Exception as error:
        print(next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"))
