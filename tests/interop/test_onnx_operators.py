"""The op table as files of ONNX: onnxruntime, and what we read back, compute from each what the operator does."""

from __future__ import annotations

import re

import numpy as np
import pytest
from row import MARKS, Row
from test_op_table import _function
from test_table import ROWS, _results

import anfora as ms
from anfora import Tensor
from anfora.core.errors import AnforaError

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from anfora.onnx import load  # noqa: E402

pytestmark = MARKS

#: Operators that are not written, by cause.
UNWRITTEN = {
    "a write into an input": {"move_average"},
    "the data of a tensor": {
        "allclose", "arange", "argwhere", "bincount", "complex_nonzero", "ctc_greedy_decoder",
        "masked_select", "nanquantile", "nonzero", "quantile",
        "sequence_mask", "unique", "unique_consecutive", "unique_with_pad",
    },
    "random numbers": {
        "choose", "drop", "dropout", "sample_gamma", "sample_poisson",
    },
    "an exchange with other processes": {
        "all_gather", "all_reduce", "broadcast_from", "reduce_scatter", "summed_gradients",
    },
    "which is no tensor": {
        "rank", "shape", "size",
    },
    "from version 26 on": {
        "cumprod", "multilabel_margin_loss",
    },
    "what the program makes inside has no form": {
        "assign", "assign_add", "assign_sub", "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul",
        "scatter_nd_add", "scatter_nd_div", "scatter_nd_max", "scatter_nd_min", "scatter_nd_mul", "scatter_nd_sub",
        "scatter_nd_update", "scatter_sub", "scatter_update",
    },
    "has no form in ONNX": {
        "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e",
        "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "betainc_of_tensors", "bitwise_left_shift",
        "bitwise_right_shift", "bucketize", "igamma", "igamma_by_end", "igammac", "zeta_of_tensors",
        "cholesky", "cholesky_inverse", "cholesky_solve", "cofactors", "complete_product", "cond", "ctc_loss", "cummax",
        "cummin", "digamma", "div_at", "div_at_", "drop_where", "erfinv", "exp_decay", "factored_cholesky", "fold",
        "eigh", "full_product", "gcd", "geqrf", "lu_factor",
        "histc", "inside_share", "inverse", "keep_where", "kthvalue", "larger_share", "last_at",
        "lcm", "lgamma", "log_matrix_determinant", "logcumsumexp", "logdet", "lstsq", "lu_solve", "lu_unpack",
        "matrix_exp", "matrix_solve", "median", "mvlgamma", "nanmean", "nanmedian", "nextafter", "nms_with_mask",
        "pinv", "polygamma", "power_slope", "projections", "qr", "recode", "recurrence", "renorm", "searchsorted",
        "slogdet", "squares_of_eigenvectors", "svd", "symmetric_squares_of_eigenvectors",
        "tensor_scatter_div", "times_log", "view_as_real",
    },
}  # fmt: skip


def sample_of(row: Row):
    """The first sample of a row that computes tensors from tensors: the call, and what makes new ones each time."""
    for sample in row.samples:
        arrays, call = _function(row.op, sample)
        if arrays and all(array.size for array in arrays):
            return call, lambda arrays=arrays: [
                Tensor(array, ms.float32) if array.dtype == np.float64 else Tensor(array) for array in arrays
            ]
    return None


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_operator(tmp_path, row):
    found = sample_of(row)
    if found is None:
        return
    call, tensors = found
    expected = _results(call(*tensors()))
    try:
        ms.export(call, *tensors(), file_name=tmp_path / "it", file_format="ONNX", dynamic_axes={})
    except AnforaError as error:
        is_complex = re.search("complex(64|128) numbers, which ONNX's operators do not take", str(error))
        assert is_complex or any(row.name in names and cause in str(error) for cause, names in UNWRITTEN.items()), error
        return
    assert not any(row.name in names for names in UNWRITTEN.values())
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    session = onnxruntime.InferenceSession(str(tmp_path / "it.onnx"), options, providers=["CPUExecutionProvider"])
    feeds = dict(zip((each.name for each in session.get_inputs()), (x.asnumpy() for x in tensors())))
    again = load(tmp_path / "it.onnx")(*tensors())
    for by_them, by_us, wanted in zip(session.run(None, feeds), _results(again), expected, strict=True):
        wanted = wanted.asnumpy()
        for result in (by_them, by_us.asnumpy()):
            assert result.dtype == wanted.dtype and result.shape == wanted.shape
            np.testing.assert_allclose(result, wanted, rtol=2e-5, atol=1e-5)
