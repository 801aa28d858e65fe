"""The op table under hard conditions: no byte outside the buffers, any chunks, any number of threads (see `launches`)."""

from __future__ import annotations

from functools import partial
from itertools import groupby

import pytest
from launches import checked
from row import MARKS
from test_table import ROWS, _call, _flat_inputs, _tensor

import anfora
from anfora import Tensor

pytestmark = MARKS


def _by_operator() -> list:
    return [pytest.param(list(rows), id=name) for name, rows in groupby(ROWS, lambda row: row.name)]


@pytest.mark.parametrize("rows", _by_operator())
def test_kernels_stay_inside_and_chunks_change_no_bit(rows):
    with checked():
        for row in rows:
            for sample in row.samples:
                for dtype in row.dtypes:
                    _call(row, sample, partial(_tensor, dtype=dtype))


@pytest.mark.parametrize("rows", _by_operator())
def test_kernels_of_gradients_too(rows):
    with checked():
        for row in rows:
            if not row.grad:
                continue
            for sample in row.samples:
                if not sample.smooth:
                    continue
                arrays, function = _flat_inputs(row, sample)
                if not arrays:
                    continue
                value, pull = anfora.vjp(function, *[Tensor(a, anfora.float32) for a in arrays])
                if value:
                    pull(*[anfora.ops.ones_like(v) for v in value])
