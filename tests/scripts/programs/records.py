"""MindRecord files: written with a schema and an index, read as a whole, in parts, and worked on as texts."""

import os
import sys

import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import text, transforms
from mindspore.mindrecord import FileReader, FileWriter

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "reviews.mindrecord")
schema = {
    "id": {"type": "int32"},
    "label": {"type": "int32"},
    "text": {"type": "string"},
    "weights": {"type": "float32", "shape": [-1]},
    "table": {"type": "int64", "shape": [2, -1]},
    "raw": {"type": "bytes"},
}
words = ["good", "bad", "fine", "awful", "great", "poor"]
rows = []
rng = np.random.RandomState(0)
for i in range(23):
    chosen = [words[k] for k in rng.randint(0, 6, rng.randint(2, 6))]
    rows.append(
        {
            "id": i,
            "label": int(i % 3),
            "text": " ".join(chosen),
            "weights": rng.rand(len(chosen)).astype(np.float32),
            "table": np.arange(4 + 2 * (i % 2)).reshape(2, -1).astype(np.int64),
            "raw": bytes([i, i + 1, 255]),
        }
    )
writer = FileWriter(file_name=path, shard_num=1, overwrite=True)
writer.add_schema(schema, "reviews")
writer.add_index(["label"])
for i in range(0, 23, 10):
    writer.write_raw_data(rows[i : i + 10])
writer.commit()
print(sorted(os.listdir(folder)))

reader = FileReader(path)
for k, row in enumerate(reader.get_next()):
    if k < 2:
        print(
            {name: (value.tolist() if isinstance(value, np.ndarray) else value) for name, value in sorted(row.items())}
        )
reader.close()

data = ds.MindDataset(path, columns_list=["id", "label", "text", "weights"], shuffle=False)
print(data.get_dataset_size(), data.get_col_names(), data.output_types()[:2])
vocab = text.Vocab.from_list(words, special_tokens=["<pad>", "<unk>"], special_first=True)
data = data.map(text.WhitespaceTokenizer(), "text")
data = data.map(text.Lookup(vocab, unknown_token="<unk>"), "text", "tokens")
data = data.map([transforms.PadEnd([6], 0)], "tokens")
data = data.map(lambda w: np.pad(w, (0, 6 - len(w))), "weights")
data = data.filter(lambda label: label < 2, input_columns=["label"])
data = data.project(["tokens", "weights", "label"]).batch(5)
for batch in data.create_dict_iterator(num_epochs=1, output_numpy=True):
    print(batch["tokens"].tolist(), batch["label"].tolist(), batch["weights"].shape, batch["tokens"].dtype)

part = ds.MindDataset(path, columns_list=["id"], num_shards=4, shard_id=1, shuffle=False)
print([int(r["id"]) for r in part.create_dict_iterator(num_epochs=1, output_numpy=True)])
some = ds.MindDataset(path, ["id", "label"], sampler=ds.SequentialSampler(start_index=5, num_samples=4))
print([(int(r["id"]), int(r["label"])) for r in some.create_dict_iterator(num_epochs=1, output_numpy=True)])
padded = ds.MindDataset(
    path,
    ["id", "label"],
    padded_sample={
        "id": -1,
        "label": 9,
        "text": "",
        "weights": np.zeros(1, np.float32),
        "table": np.zeros((2, 1), np.int64),
        "raw": b"",
    },
    num_padded=1,
    num_shards=2,
    shard_id=1,
    shuffle=False,
)
print([int(r["id"]) for r in padded.create_dict_iterator(num_epochs=1, output_numpy=True)])
left, right = ds.MindDataset(path, ["id"], shuffle=False), ds.MindDataset(path, ["text"], shuffle=False)
both = ds.zip((left, right.rename("text", "words"))).skip(20)
for r in both.create_tuple_iterator(num_epochs=1, output_numpy=True):
    print(int(r[0]), str(r[1]))
