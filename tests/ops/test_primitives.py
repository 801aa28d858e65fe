"""Class forms of operators, functions over nestings, functions chosen by types, and MindSpore's older paths."""

from __future__ import annotations

import copy
import importlib
import pickle

import numpy as np
import pytest

import anfora
from anfora import Parameter, Tensor, ops
from anfora.core.errors import OpTypeError, OpValueError
from anfora.ops import primitives

X = np.arange(6.0, dtype=np.float32).reshape(2, 3) - 2
Y = np.array([[0.5, -1.0, 2.0], [1.5, 3.0, -0.5]], np.float32)
IMAGE = np.arange(32.0, dtype=np.float32).reshape(1, 2, 4, 4)
LOGITS = np.array([[2.0, 1.0, 0.5], [0.1, 0.2, 3.0]], np.float32)
HOT = np.eye(3, dtype=np.float32)[[0, 2]]
E = np.exp(LOGITS)
SOFT = E / E.sum(1, keepdims=True)

#: class: (arguments of the class, arguments of the call, result)
FORMS = {
    "Add": ({}, (X, Y), X + Y),
    "TensorAdd": ({}, (X, Y), X + Y),
    "Sub": ({}, (X, 1.0), X - 1),
    "Mul": ({}, (X, Y), X * Y),
    "RealDiv": ({}, (X, Y), X / Y),
    "FloorDiv": ({}, (X, Y), X // Y),
    "Mod": ({}, (X, Y), np.fmod(X, Y)),
    "FloorMod": ({}, (X, Y), X % Y),
    "Pow": ({}, (X, 2), X**2),
    "Neg": ({}, (X,), -X),
    "Abs": ({}, (X,), abs(X)),
    "Square": ({}, (X,), X * X),
    "Exp": ({}, (X,), np.exp(X)),
    "Maximum": ({}, (X, Y), np.maximum(X, Y)),
    "Greater": ({}, (X, Y), X > Y),
    "Equal": ({}, (X, 0.0), X == 0),
    "LogicalAnd": ({}, (X > 0, Y > 0), (X > 0) & (Y > 0)),
    "Select": ({}, (X > 0, X, Y), np.where(X > 0, X, Y)),
    "Cast": ({}, (X, anfora.int32), X.astype(np.int32)),
    "Reshape": ({}, (X, (3, 2)), X.reshape(3, 2)),
    "Transpose": ({}, (X, (1, 0)), X.T),
    "ExpandDims": ({}, (X, 0), X[None]),
    "Squeeze": ({"axis": 0}, (X[None],), X),
    "Tile": ({}, (X, (2, 1)), np.tile(X, (2, 1))),
    "Concat": ({"axis": 1}, ((X, Y),), np.concatenate([X, Y], 1)),
    "Stack": ({"axis": -1}, ([X, Y],), np.stack([X, Y], -1)),
    "Unstack": ({"axis": 1}, (X,), tuple(X.T)),
    "Split": ({"axis": 1, "output_num": 3}, (X,), (X[:, :1], X[:, 1:2], X[:, 2:])),
    "StridedSlice": ({}, (X, (0, 0), (2, 3), (1, 2)), X[:, ::2]),
    "Slice": ({}, (X, (0, 1), (2, 2)), X[:, 1:]),
    "BroadcastTo": ({"shape": (2, 2, 3)}, (X,), np.broadcast_to(X, (2, 2, 3))),
    "Pad": ({"paddings": ((1, 0), (0, 2))}, (X,), np.pad(X, ((1, 0), (0, 2)))),
    "Padding": ({"pad_dim_size": 3}, (X[:, :1],), np.pad(X[:, :1], ((0, 0), (0, 2)))),
    "MaxPoolWithArgmaxV2": (
        {"kernel_size": 2},
        (IMAGE,),
        (IMAGE[:, :, 1::2, 1::2], np.array([[5, 7], [13, 15]])[None, None] + np.zeros((1, 2, 1, 1), np.int64)),
    ),
    "MaxPoolWithArgmax": (
        {"kernel_size": 2, "strides": 2},
        (IMAGE,),
        (IMAGE[:, :, 1::2, 1::2], np.array([[[[5, 7], [13, 15]], [[21, 23], [29, 31]]]], np.int32)),
    ),
    "MirrorPad": ({}, (X, ((0, 0), (1, 1))), np.pad(X, ((0, 0), (1, 1)), "reflect")),
    "ReverseV2": ({"axis": [1]}, (X,), X[:, ::-1]),
    "ReduceSum": ({}, (X,), X.sum()),
    "ReduceMean": ({"keep_dims": True}, (X, 1), X.mean(1, keepdims=True)),
    "ReduceMax": ({}, (X, 0), X.max(0)),
    "ReduceMin": ({"keep_dims": True}, (X, (0, 1)), X.min(keepdims=True)),
    "ReduceProd": ({}, (Y, 1), Y.prod(1)),
    "ReduceAll": ({}, (X > -9,), np.array(True)),
    "ReduceAny": ({}, (X > 1, 1), (X > 1).any(1)),
    "CumSum": ({"reverse": True}, (X, 1), X[:, ::-1].cumsum(1)[:, ::-1]),
    "Argmax": ({}, (X,), X.argmax(-1).astype(np.int32)),
    "ArgMaxWithValue": ({"axis": 1}, (X,), (X.argmax(1).astype(np.int32), X.max(1))),
    "ArgMinWithValue": ({"keep_dims": True}, (X,), (X.argmin(0)[None].astype(np.int32), X.min(0, keepdims=True))),
    "TopK": ({}, (X, 1), (X[:, 2:], np.array([[2], [2]], np.int32))),
    "Sort": ({"descending": True}, (X,), (X[:, ::-1], np.array([[2, 1, 0]] * 2, np.int32))),
    "Gather": ({}, (X, np.array([2, 0]), 1), X[:, [2, 0]]),
    "GatherNd": ({}, (X, np.array([[0, 1], [1, 2]])), X[[0, 1], [1, 2]]),
    "GatherD": ({}, (X, 1, np.array([[1], [2]])), X[[[0], [1]], [[1], [2]]]),
    "OneHot": ({}, (np.array([1, 0]), 3, 1.0, 0.0), np.eye(3, dtype=np.float32)[[1, 0]]),
    "ScatterNd": ({}, (np.array([[1], [3]]), Y[:, 0], (4,)), np.array([0, 0.5, 0, 1.5], np.float32)),
    "MatMul": ({"transpose_b": True}, (X, Y), X @ Y.T),
    "BatchMatMul": ({"transpose_a": True}, (X[None], Y[None]), (X.T @ Y)[None]),
    "BiasAdd": ({}, (X, Y[0]), X + Y[0]),
    "Softmax": ({}, (LOGITS,), SOFT),
    "LogSoftmax": ({"axis": 0}, (LOGITS,), LOGITS - np.log(E.sum(0))),
    "L2Normalize": ({"axis": 1}, (Y,), Y / np.sqrt((Y * Y).sum(1, keepdims=True))),
    "ReLU": ({}, (X,), np.maximum(X, 0)),
    "ReLU6": ({}, (X * 3,), np.clip(X * 3, 0, 6)),
    "Sigmoid": ({}, (X,), 1 / (1 + np.exp(-X))),
    "Tanh": ({}, (X,), np.tanh(X)),
    "GeLU": ({}, (X,), 0.5 * X * (1 + np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3)))),
    "Elu": ({}, (X,), np.where(X > 0, X, np.exp(X) - 1)),
    "Zeros": ({}, ((2, 2), anfora.int32), np.zeros((2, 2), np.int32)),
    "Fill": ({}, (anfora.float32, (2,), 7), np.full(2, 7, np.float32)),
    "OnesLike": ({}, (X,), np.ones_like(X)),
    "Eye": ({}, (2, 3, anfora.float32), np.eye(2, 3, dtype=np.float32)),
    "Range": ({}, (0, 6, 2), np.arange(0, 6, 2)),
    "Shape": ({}, (X,), (2, 3)),
    "Rank": ({}, (X,), 2),
    "Size": ({}, (X,), 6),
    "DType": ({}, (X,), anfora.float32),
    "MaxPool": ({"kernel_size": 2, "strides": 2}, (IMAGE,), IMAGE[:, :, 1::2, 1::2]),
    "AvgPool": (
        {"kernel_size": 3, "strides": 1, "pad_mode": "same"},
        (np.ones((1, 1, 3, 3), np.float32),),
        np.ones((1, 1, 3, 3), np.float32),
    ),
    "Conv2D": (
        {"out_channel": 1, "kernel_size": 1},
        (IMAGE, np.array([1.0, 2.0], np.float32).reshape(1, 2, 1, 1)),
        IMAGE[:, :1] + 2 * IMAGE[:, 1:],
    ),
    "LayerNorm": (
        {"epsilon": 1e-5},
        (X, np.ones(3, np.float32), np.zeros(3, np.float32)),
        (
            (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5),
            X.mean(1, keepdims=True),
            X.var(1, keepdims=True),
        ),
    ),
    "SoftmaxCrossEntropyWithLogits": ({}, (LOGITS, HOT), (-np.log(SOFT[[0, 1], [0, 2]]), SOFT - HOT)),
    "SparseSoftmaxCrossEntropyWithLogits": ({}, (LOGITS, np.array([0, 2])), -np.log(SOFT[[0, 1], [0, 2]]).mean()),
    "SigmoidCrossEntropyWithLogits": ({}, (X, HOT), np.log1p(np.exp(X)) - X * HOT),
    "FloatStatus": ({}, (X,), np.zeros(1, np.float32)),
    "L2Loss": ({}, (X,), (X * X).sum() / 2),
    "Meshgrid": ({"indexing": "ij"}, ((X[0], Y[:, 0]),), tuple(np.meshgrid(X[0], Y[:, 0], indexing="ij"))),
    "Depend": ({}, (X, Y), X),
    "ControlDepend": ({"depend_mode": 1}, (X, Y), X),
}  # fmt: skip


def same(result, expected) -> None:
    if isinstance(expected, tuple):
        assert len(result) == len(expected)
        for one, other in zip(result, expected):
            same(one, other)
    elif isinstance(result, Tensor):
        expected = np.asarray(expected)
        assert result.shape == expected.shape
        assert result.asnumpy().dtype.kind == expected.dtype.kind
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=2e-6, atol=1e-6)
    else:
        assert result == expected


def tensors(tree):
    if isinstance(tree, np.ndarray):
        return Tensor(tree)
    return type(tree)(map(tensors, tree)) if isinstance(tree, (tuple, list)) else tree


@pytest.mark.parametrize("name", FORMS)
def test_class_forms_are_numpys(name):
    given, args, expected = FORMS[name]
    form = getattr(ops, name)(**given)
    assert isinstance(form, ops.Primitive) and form.name == name
    for same_form in (form, pickle.loads(pickle.dumps(form)), copy.deepcopy(form)):
        same(same_form(*map(tensors, args)), expected)
    assert repr(form) == f"{name}({', '.join(f'{k}={v!r}' for k, v in given.items())})"


def test_every_class_has_its_function():
    for name in primitives.PLAIN:
        assert getattr(ops, name).__doc__
    for name in primitives.CLASSES:
        assert issubclass(getattr(ops, name), ops.Primitive)
    assert {"Concat", "Primitive", "GradOperation", "exp"} <= set(dir(ops))


def test_attributes_and_errors():
    form = ops.Concat(axis=1)
    assert form.axis == 1 and ops.ReduceMean().keep_dims is False
    assert form.add_prim_attr("group", "x").shard(((1,),)) is form and form.attrs == {"group": "x"}
    assert pickle.loads(pickle.dumps(form)).attrs == {"group": "x"}
    with pytest.raises(OpTypeError, match=r"(?s)Concat: .*'axs'.*\n  help: its form is ops.Concat\(axis=0\)"):
        ops.Concat(axs=1)
    with pytest.raises(OpValueError, match="parts of equal length"):
        ops.Split(1, 2)(Tensor(X))
    with pytest.raises(OpValueError, match="concat"):
        ops.Concat(0)((Tensor(X), Tensor(X[:, 1:])))
    with pytest.raises(NotImplementedError, match="Unheard"):
        ops.Primitive("Unheard")(Tensor(X))
    with pytest.raises(AttributeError, match="has no attribute 'Conct'"):
        ops.Conct  # noqa: B018
    same(ops.Primitive("Add")(Tensor(X), Tensor(Y)), X + Y)


def test_class_forms_have_gradients():
    gradient = anfora.grad(lambda x: ops.ReduceSum()(ops.Mul()(x, x)))(Tensor(X))
    same(gradient, 2 * X)


def test_class_forms_write_into_parameters():
    parameter = Parameter(X, name="p")
    ops.AssignAdd()(parameter, Tensor(Y))
    same(parameter, X + Y)
    ops.ScatterUpdate()(parameter, Tensor([0]), Tensor(Y[:1]))
    same(parameter[0], Y[0])


def test_seeds_of_classes_are_streams_of_their_own():
    one, other = ops.UniformReal(seed=3), ops.UniformReal(seed=3)
    first = one((4,))
    assert (first == other((4,))).all() and not (first == one((4,))).all()
    assert ops.StandardNormal(1)((2, 3)).shape == (2, 3)
    numbers = ops.UniformInt(seed=1)((50,), Tensor(2), Tensor(5))
    assert numbers.dtype is anfora.int32 and set(numbers.tolist()) == {2, 3, 4}


# -- programs ---------------------------------------------------------------------------------------------------------


def test_functions_chosen_by_types():
    chosen = ops.MultitypeFuncGraph("chosen")
    for names in (("Tensor", "Number"), ("Number", "Number"), ("String",), ("Tuple",), ("None",), (anfora.int32,)):
        chosen.register(*names)(lambda *args, names=names: names)
    assert chosen(Tensor(1), 2) == ("Tensor", "Number")
    assert chosen(Parameter(1.0, name="p"), 2.5) == ("Tensor", "Number")
    assert chosen(True, 1) == ("Number", "Number")
    assert chosen("a") == ("String",) and chosen((1,)) == ("Tuple",) and chosen(None) == ("None",)
    assert chosen(3) == (anfora.int32,)
    with pytest.raises(OpTypeError, match=r"no function for \(list\)"):
        chosen([1])
    with pytest.raises(OpTypeError, match="names no type"):
        chosen.register("Tensr")


def test_functions_over_nestings():
    add = ops.MultitypeFuncGraph("add")

    @add.register("Tensor", "Tensor")
    def _(x, y):
        return x + y

    nests = (Tensor(1), [Tensor(2), (Tensor(3),)]), (Tensor(10), [Tensor(20), (Tensor(30),)])
    result = ops.HyperMap(add)(*nests)
    assert isinstance(result[1], list) and isinstance(result[1][1], tuple)
    assert [result[0].item(), result[1][0].item(), result[1][1][0].item()] == [11, 22, 33]
    assert ops.HyperMap()(ops.partial(lambda s, x: s * x, 3), (1, (2,))) == (3, (6,))
    assert ops.Map()(lambda x: x[0], ([1, 2], [3])) == (1, 3)
    with pytest.raises(OpValueError, match="The tuples in HyperMap should have the same length"):
        ops.HyperMap(add)((Tensor(1),), (Tensor(1), Tensor(2)))
    with pytest.raises(OpValueError, match="The nestings in HyperMap should have the same length"):
        ops.HyperMap(add)((Tensor(1),), [Tensor(1), Tensor(2)])
    with pytest.raises(OpValueError, match="do not match"):
        ops.HyperMap(add)((Tensor(1),), Tensor(2))


def test_helpers():
    assert ops.constexpr(len)([1, 2]) == 2 and ops.constexpr()(len)("a") == 1
    assert ops.tuple_to_array((1, 2)).dtype is anfora.int32 and ops.tuple_to_array((0.5, 2.0)).dtype is anfora.float32
    assert ops.scalar_to_tensor(1, anfora.int64).dtype is anfora.int64 and ops.scalar_to_array(True).item() is True
    with pytest.raises(OpTypeError):
        ops.tuple_to_array((1, 2.0))
    with pytest.raises(OpTypeError):
        ops.scalar_to_tensor("a")


@pytest.mark.parametrize("jit", [lambda f: f, anfora.jit])
def test_print_prints_line_by_line(jit, capsys):
    """As MindSpore 2.10 does in PyNative mode."""

    def shown(x):
        ops.Print()("x =", x, x.sum(), (x.shape, 1.5))

    for _ in range(2):
        jit(shown)(Tensor([1, 2]))
        assert capsys.readouterr().out == (
            "x =\nTensor(shape=[2], dtype=Int64, value= [1, 2])\nTensor(shape=[], dtype=Int64, value= 3)\n((2,), 1.5)\n"
        )


# -- paths ------------------------------------------------------------------------------------------------------------

PATHS = {
    "anfora.ops.operations": ("Concat", "ReduceMean"),
    "anfora.ops.operations.array_ops": ("GatherNd",),
    "anfora.ops.functional": ("reshape", "stop_gradient", "grad"),
    "anfora.ops.function.math_func": ("F", "P", "inplace_index_add"),
    "anfora.ops.auto_generate.gen_ops_prim": (
        "abs_op",
        "select_ext_view_op",
        "split_tensor_view_op",
        "inplace_copy_op",
    ),
    "anfora.ops.composite": ("GradOperation", "MultitypeFuncGraph", "clip_by_value", "HyperMap"),
    "anfora.common": ("Tensor", "Parameter", "ParameterTuple", "set_seed", "dtype"),
    "anfora.common.api": ("jit", "_pynative_executor"),
    "anfora.runtime": ("synchronize", "dispatch_threads_num", "launch_blocking"),
    "anfora.device_context.cpu.op_tuning": ("threads_num",),
    "anfora.common.dtype": (
        "float32", "number", "dtype_to_nptype", "byte", "short", "intc", "intp", "long", "ubyte", "ushort", "uintc",
        "uintp", "cfloat", "cdouble",
    ),
    "anfora.common.initializer": ("initializer", "Normal", "XavierUniform"),
    "anfora.common.parameter": ("Parameter", "ParameterTuple"),
    "anfora.context": ("set_context", "GRAPH_MODE"),
    "anfora.nn.cell": ("Cell",),
    "anfora.nn.layer.conv": ("Conv2d",),
    "anfora.nn.optim": ("Adam", "Momentum"),
    "anfora.nn.loss.loss": ("LossBase",),
    "anfora.nn.layer.combined": ("Conv2dBnAct", "DenseBnAct"),
    "anfora.nn.layer.timedistributed": ("TimeDistributed",),
    "anfora.nn.metrics": (
        "Accuracy", "ConfusionMatrix", "ConfusionMatrixMetric", "HausdorffDistance", "MeanSurfaceDistance",
        "OcclusionSensitivity", "RootMeanSquareDistance", "get_metric_fn",
    ),
    "anfora.nn.wrap": (
        "DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TimeDistributed", "TrainOneStepWithLossScaleCell",
        "TrainOneStepCell", "DistributedGradReducer",
    ),
    "anfora.nn.wrap.cell_wrapper": ("TrainOneStepCell",),
    "anfora.train.metrics.error": ("MAE", "MSE"),
    "anfora.train.metrics.topk": ("Top1CategoricalAccuracy",),
    "anfora.train.serialization": ("load_checkpoint",),
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_older_paths_have_the_names(path):
    module = importlib.import_module(path)
    for name in PATHS[path]:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError):
        module.nothing  # noqa: B018


def test_older_paths_are_the_same_objects():
    import anfora.ops.operations as P
    from anfora.common import dtype as mstype
    from anfora.ops import functional as F

    assert P.Add is ops.Add and F.relu is ops.relu and mstype.float32 is anfora.float32


def test_generated_operators_are_functions_and_methods():
    names = importlib.import_module("anfora.ops.auto_generate.gen_ops_prim")
    x = Tensor([[1.0, -2.0], [3.0, 4.0]])
    assert names.abs_op(x).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert names.select_ext_view_op(x, 0, 1).tolist() == [3.0, 4.0]
    assert [part.tolist() for part in names.split_tensor_view_op(x, 1, 0)] == [[[1.0, -2.0]], [[3.0, 4.0]]]
    assert names.inplace_copy_op(x, Tensor([5.0, 6.0])) is x and x.tolist() == [[5.0, 6.0]] * 2
    for name in ("nothing_op", "inplace_nothing_op", "_op"):
        assert not hasattr(names, name)


def test_what_is_no_tensor_has_no_rank():
    for name in ("Rank", "Size"):
        with pytest.raises(OpTypeError, match="needs a tensor"):
            getattr(ops, name)()(3)


def test_what_classes_take_and_give():
    x = Tensor(np.array([[1, 2], [3, 4]], np.int32))
    assert ops.Stack(1)(x, x).shape == (2, 2, 2) and ops.Pack()((x,)).shape == (1, 2, 2)
    assert ops.ReduceProd()(x).dtype is anfora.int32 and ops.ReduceProd()(x, 0).tolist() == [3, 8]
    places, values = ops.ArgMaxWithValue(1)(x)
    assert places.dtype is anfora.int64 and (places.tolist(), values.tolist()) == ([1, 1], [2, 4])
    nan = Tensor([np.nan])
    assert ops.IsClose()(nan, nan).tolist() == [False] and ops.IsClose(equal_nan=True)(nan, nan).tolist() == [True]
