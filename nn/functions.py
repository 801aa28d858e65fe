"""Functions as layers, as older programs hold them: of numbers, images, sparse matrices; and a loss over some classes."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn.checks import choice, flag, positive_int
from anfora.sparse import COOTensor

__all__ = [
    "DiGamma", "IGamma", "ImageGradients", "LBeta", "LGamma", "SampledSoftmaxLoss", "SparseTensorDenseMatmul",
    "SparseToDense",
]  # fmt: skip


class DiGamma(Cell):
    """The derivative of log Γ, element by element; see `ops.digamma`.

    Example:
        >>> DiGamma()(Tensor([1.0, 2.0])).asnumpy().round(4).tolist()
        [-0.5771999955177307, 0.4228000044822693]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.digamma(x)


class LGamma(Cell):
    """log |Γ|, element by element; see `ops.lgamma`.

    Example:
        >>> LGamma()(Tensor([1.0, 3.0])).asnumpy().round(4).tolist()
        [0.0, 0.6930999755859375]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.lgamma(x)


class IGamma(Cell):
    """The regularised lower incomplete gamma function of a and x; see `ops.igamma`.

    Example:
        >>> IGamma()(Tensor([1.0]), Tensor([0.0])).tolist()
        [0.0]
    """

    def construct(self, a: Tensor, x: Tensor) -> Tensor:
        return ops.igamma(a, x)


class LBeta(Cell):
    """log |B(x, y)| = log |Γ(x)| + log |Γ(y)| - log |Γ(x + y)|, element by element.

    Example:
        >>> LBeta()(Tensor([1.0]), Tensor([1.0])).tolist()
        [0.0]
    """

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


class ImageGradients(Cell):
    """The differences of neighbouring pixels of images (N, C, H, W), downwards and to the right.

    Returns:
        two tensors of the shape of the images: the pixel below less this one, with 0 in the last row, and the pixel to the
        right less this one, with 0 in the last column.
    Example:
        >>> down, right = ImageGradients()(Tensor([[[[1, 2], [3, 4]]]]))
        >>> down.tolist(), right.tolist()
        ([[[[2, 2], [0, 0]]]], [[[[1, 0], [1, 0]]]])
    """

    def construct(self, images: Tensor) -> tuple[Tensor, Tensor]:
        if not isinstance(images, Tensor) or images.ndim != 4:
            got = list(images.shape) if isinstance(images, Tensor) else type(images).__name__
            raise OpValueError(f"ImageGradients needs images (N, C, H, W), but got {got}", arg="images")
        down = images[:, :, 1:] - images[:, :, :-1]
        right = images[:, :, :, 1:] - images[:, :, :, :-1]
        return ops.pad(down, (0, 0, 0, 1)), ops.pad(right, (0, 1))


class SparseToDense(Cell):
    """A COOTensor as a tensor, with zeros where it has nothing.

    Example:
        >>> sparse = COOTensor(Tensor([[0, 1]]), Tensor([2.0]), (2, 2))
        >>> SparseToDense()(sparse).tolist()
        [[0.0, 2.0], [0.0, 0.0]]
    """

    def construct(self, sparse_tensor: COOTensor) -> Tensor:
        if not isinstance(sparse_tensor, COOTensor):
            raise OpTypeError(f"SparseToDense needs a COOTensor, but got {type(sparse_tensor).__name__}")
        return sparse_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """A sparse matrix times a dense one.

    Args:
        adjoint_st: whether the sparse matrix is turned first, and conjugated.
        adjoint_dt: the same of the dense one.
    Example:
        >>> layer = SparseTensorDenseMatmul()
        >>> layer(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3), ops.ones((3, 1))).tolist()
        [[1.0], [2.0]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        self.adjoint_st = flag("SparseTensorDenseMatmul", "adjoint_st", adjoint_st)
        self.adjoint_dt = flag("SparseTensorDenseMatmul", "adjoint_dt", adjoint_dt)
        self.sparse_dense_matmul = ops.SparseTensorDenseMatmul(self.adjoint_st, self.adjoint_dt)

    def construct(self, indices: Tensor, values: Tensor, sparse_shape: Any, dense: Tensor) -> Tensor:
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)


class SampledSoftmaxLoss(Cell):
    """The softmax cross entropy over the true classes and some that are drawn, for outputs of very many classes: S. Jean et
    al., On Using Very Large Target Vocabulary for Neural Machine Translation (ACL 2015).

    The score of a class c is w_c · x + b_c - log(how often c is expected among the drawn). Of those that were drawn and are
    true as well, the score is lowered so far that they do not count.

    Args:
        num_sampled: how many classes are drawn.
        num_classes: how many there are.
        num_true: true classes of an example.
        sampled_values: what was drawn: the classes, and how often the true and the drawn are expected; drawn anew in each
            call when not given, each class once, by `ops.LogUniformCandidateSampler`.
        remove_accidental_hits: whether drawn classes that are true are left out.
        seed: of what is drawn.
        reduction: "none", "mean" or "sum".
    Example:
        >>> drawn = (Tensor([0, 2]), Tensor([[1.0]]), Tensor([1.0, 1.0]))
        >>> loss = SampledSoftmaxLoss(2, 3, sampled_values=drawn, reduction="sum")
        >>> loss(ops.zeros((3, 4)), ops.zeros(3), Tensor([[1]]), ops.ones((1, 4))).asnumpy().round(4).item()
        1.0986000299453735
    """

    def __init__(
        self, num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: Any = None,
        remove_accidental_hits: bool = True, seed: int = 0, reduction: str = "none",
    ) -> None:  # fmt: skip
        super().__init__()
        name = "SampledSoftmaxLoss"
        self.num_sampled = positive_int(name, "num_sampled", num_sampled)
        self.num_classes = positive_int(name, "num_classes", num_classes)
        self.num_true = positive_int(name, "num_true", num_true)
        if self.num_true > self.num_classes:
            raise OpValueError(f"{name}: there are {num_classes} classes, but `num_true` is {num_true}", arg="num_true")
        self.remove_accidental_hits = flag(name, "remove_accidental_hits", remove_accidental_hits)
        self.reduction = choice(name, "reduction", reduction, ("none", "mean", "sum"))
        self.sampled_values = sampled_values
        self.sampler = ops.LogUniformCandidateSampler(num_true, num_sampled, True, num_classes, seed)

    def construct(self, weights: Tensor, biases: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
        drawn, of_true, of_drawn = self.sampler(labels) if self.sampled_values is None else self.sampled_values
        count, width = labels.shape[0], logits.shape[1]
        flat = labels.reshape((-1,))
        rows = ops.gather(weights, flat, 0).reshape((count, self.num_true, width))
        true = (rows * logits.reshape((count, 1, width))).sum(-1)
        true = true + ops.gather(biases, flat, 0).reshape((count, self.num_true)) - ops.log(of_true)
        others = ops.matmul(logits, ops.gather(weights, drawn, 0).T) + ops.gather(biases, drawn, 0) - ops.log(of_drawn)
        if self.remove_accidental_hits:
            hit = (labels.reshape((count, self.num_true, 1)) == drawn.reshape((1, 1, -1))).any(1)
            others = ops.masked_fill(others, hit, -3.4e38)
        scores = ops.log_softmax(ops.concat((true, others), 1), 1)
        loss = -scores[:, : self.num_true].mean(1)
        return loss if self.reduction == "none" else loss.mean() if self.reduction == "mean" else loss.sum()
