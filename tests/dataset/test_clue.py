"""The tasks of CLUE: columns and types as MindSpore 2.10 gives them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import anfora.dataset as ds

SPANS = {"span2_index": 37, "span1_index": 5, "span1_text": "床", "span2_text": "它"}
ROWS = [
    ("AFQMC", "train", {"sentence1": "蚂蚁借呗", "sentence2": "花呗", "label": "0"}),
    ("AFQMC", "test", {"id": 3, "sentence1": "a", "sentence2": "b"}),
    ("TNEWS", "eval", {"label": "108", "label_desc": "news_edu", "sentence": "上课时", "keywords": ""}),
    ("TNEWS", "test", {"id": 5, "sentence": "x", "keywords": "y,z"}),
    ("IFLYTEK", "train", {"label": "11", "label_des": "薅羊毛", "sentence": "x"}),
    ("IFLYTEK", "test", {"id": 1, "sentence": "z"}),
    ("CMNLI", "train", {"sentence1": "a", "sentence2": "b", "label": "neutral"}),
    ("WSC", "train", {"target": SPANS, "idx": 261, "label": "false", "text": "这时候"}),
    ("WSC", "test", {"target": SPANS, "idx": 261, "text": "q"}),
    ("CSL", "eval", {"id": 1, "abst": "为解决", "keyword": ["水声通信", "海洋"], "label": "0"}),
    ("CSL", "test", {"id": 2415, "abst": "q", "keyword": ["a", "b"]}),
]


@pytest.mark.parametrize(("task", "usage", "row"), ROWS, ids=lambda each: each if isinstance(each, str) else "")
def test_columns(task, usage, row, tmp_path):
    file = tmp_path / "rows.json"
    file.write_text((json.dumps(row, ensure_ascii=False) + "\n\n") * 3, encoding="utf-8")
    dataset = ds.CLUEDataset(str(file), task, usage, shuffle=False)
    flat = {key: value for key, value in row.items() if key != "target"} | row.get("target", {})
    assert dataset.get_dataset_size() == 3 and dataset.get_col_names() == sorted(flat)
    for found in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        assert {key: value.tolist() for key, value in found.items()} == flat
        assert all(found[key].dtype == np.uint32 for key, value in flat.items() if isinstance(value, int))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"sentence1": "a"}', "failed to find key: label"),
        ('{"sentence1": ', "failed to parse"),
        ("\n", "no data found"),
    ],
)
def test_damaged_files(text, words, tmp_path):
    (tmp_path / "rows.json").write_text(text)
    with pytest.raises(RuntimeError, match=words):
        ds.CLUEDataset(str(tmp_path / "rows.json"))


def test_shards_and_files(tmp_path):
    for name, labels in (("a", "012"), ("b", "34")):
        rows = [json.dumps({"sentence1": name, "sentence2": "", "label": label}) for label in labels]
        (tmp_path / f"{name}.json").write_text("\n".join(rows))

    def labels(**options):
        dataset = ds.CLUEDataset(str(tmp_path / "*.json"), shuffle=False, **options)
        return [str(row[0]) for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    assert labels() == ["0", "1", "2", "3", "4"] and labels(num_samples=2) == ["0", "1"]
    assert labels(num_shards=2, shard_id=1) == ["3", "4", "0"]
    for wrong in ({"task": "X"}, {"usage": "x"}):
        with pytest.raises(ValueError):
            labels(**wrong)
