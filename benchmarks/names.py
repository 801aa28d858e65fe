"""Which names that MindSpore programs use do not resolve here, the most used ones first.

    ./dev python benchmarks/names.py TABLE

TABLE has tab-separated columns, among them `name` (`ops.ReduceMax`, `Tensor.shape`, …), `count` and `kind`.
Those of `Cell` are looked for at Cells, Parameters, optimizers and operators, whose attributes a program's text does not
tell apart. `Model|Callback` is left out: what callbacks are told comes to be in a training.
"""

from __future__ import annotations

import csv
import importlib
import sys

from anfora import alias


def resolves(path: str) -> bool:
    """Whether a dotted path below `mindspore` leads somewhere."""
    found = importlib.import_module("mindspore")
    names = path.split(".")
    for i, name in enumerate(names, 1):
        try:
            found = getattr(found, name)
        except AttributeError:
            try:
                found = importlib.import_module(".".join(["mindspore", *names[:i]]))
            except ImportError:
                return False
    return True


def objects() -> dict[str, tuple]:
    """What the attributes of each owner are looked for at."""
    import mindspore as ms
    from mindspore import dataset, nn, ops

    parameter = ms.Parameter(ms.Tensor(1.0), name="x")
    data = dataset.NumpySlicesDataset({"x": [1, 2]})
    return {
        "Tensor": (parameter, ms.Tensor([1.0])),
        "Cell": (nn.Dense(1, 1), parameter, nn.SGD([parameter]), ops.Add()),
        "Dataset": (data, data.create_dict_iterator()),
    }


def main(table: str) -> None:
    alias.install()
    owners = objects()
    with open(table) as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if not row["name"].startswith("Model|")]
    rows.sort(key=lambda row: -int(row["count"]))
    missing = []
    for row in rows:
        owner, _, rest = row["name"].partition(".")
        if owner in owners:
            found = any(hasattr(value, rest) for value in owners[owner])
        else:
            path = {"ms": rest, "initializer": f"common.initializer.{rest}"}.get(owner, row["name"])
            found = resolves(path)
        if not found:
            missing.append(row)
            print(row["count"], row["name"], row["kind"], sep="\t")
    total = sum(int(row["count"]) for row in rows)
    lost = sum(int(row["count"]) for row in missing)
    print(f"{len(rows) - len(missing)} of {len(rows)} names resolve, {100 * (1 - lost / total):.2f} % of {total} uses")


if __name__ == "__main__":
    main(sys.argv[1])
