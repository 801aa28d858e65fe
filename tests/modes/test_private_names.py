"""Functions that are private in MindSpore, under its paths."""

import numpy as np
import pytest

from anfora import Tensor, jit, nn, ops
from anfora._c_expression import get_code_extra
from anfora.common._pijit_context import PIJitCaptureContext
from anfora.nn.layer.basic import _is_equal_one
from anfora.numpy.utils_const import _infer_out_shape


def test_infer_out_shape():
    shapes = (5,), (6, 1), (7, 1, 5), (8, 1, 6, 1)
    assert _infer_out_shape(*shapes) == np.broadcast_shapes(*shapes)
    with pytest.raises(ValueError, match="broadcast"):
        _infer_out_shape((2,), (3,))


def test_is_equal_one():
    class Net(nn.Cell):
        def construct(self, x):
            return _is_equal_one(x)

    assert Net()(Tensor([0.5, 1.5])) and not Net()(Tensor([1.0, 2.0])) and Net()(None) is False


def test_get_code_extra():
    def twice(x):
        return x + x

    def telling(x):
        x = x + 1
        seen.append(str(x.shape) if open("/proc/self/stat").close() is None else "")
        return x * 2

    seen = []
    assert get_code_extra(twice) is None
    compiled = jit(twice)
    assert get_code_extra(twice) is None  # not called yet
    for length in (2, 2, 3):
        compiled(Tensor([1.0] * length))
    known = get_code_extra(twice)
    assert known == get_code_extra(compiled) == get_code_extra(twice.__code__)
    assert (known["stat"], known["compile_count_"], known["break_count_"]) == ("GRAPH_CALLABLE", 2, 0)
    assert "twice" in known["code"]["phase_"]
    hopping = jit(telling)
    hopping(Tensor([1.0]))
    assert get_code_extra(telling)["break_count_"] > 0
    with pytest.raises(TypeError, match="needs a function or its code, but got int"):
        get_code_extra(3)


def test_capture_context():
    @PIJitCaptureContext(fullgraph=True)
    def half(x):
        return x / 2

    assert half(Tensor([3.0])).tolist() == [1.5]
    assert get_code_extra(half.__wrapped__)["break_count_"] == 0


def test_norms_of_batches_have_one_base():
    """Programs ask which layers are such norms."""
    from anfora.nn.layer.normalization import _BatchNorm

    layers = nn.BatchNorm1d(2), nn.BatchNorm2d(2), nn.SyncBatchNorm(2), nn.LayerNorm([2]), nn.Dense(2, 2)
    assert [isinstance(layer, _BatchNorm) for layer in layers] == [True, True, True, False, False]


@pytest.mark.parametrize(("transposed", "shape"), [(False, (4, 2, 1, 3)), (True, (2, 4, 1, 3))])
def test_convolutions_of_programs(transposed, shape):
    from anfora.nn.layer.conv import _Conv

    class Own(_Conv):
        def construct(self, x):
            return ops.conv2d(x, self.weight, self.bias, self.stride, self.pad_mode, self.padding)

    net = Own(2, 4, (1, 3), (1, 1), "valid", 0, (1, 1), 1, True, "ones", "ones", "NCHW", transposed)
    assert net.weight.shape == shape and isinstance(nn.Conv2d(2, 4, 3), _Conv)
    if not transposed:
        assert net(ops.ones((1, 2, 1, 5))).tolist() == [[[[7.0] * 3]] * 4]
