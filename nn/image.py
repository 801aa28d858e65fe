"""Images of another size, channels turned into pixels and back, windows. `anfora.ops.image` has the formulas."""

from __future__ import annotations

import math
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn.checks import choice, flag, integers, positive_int, positive_ints
from anfora.ops.bound import Bound
from anfora.ops.windows import same_padding
from anfora.optim.checks import real

__all__ = [
    "CentralCrop",
    "ChannelShuffle",
    "Fold",
    "PixelShuffle",
    "PixelUnshuffle",
    "ResizeBilinear",
    "Unfold",
    "Upsample",
]


class CentralCrop(Cell):
    """The middle of images (C, H, W) or (N, C, H, W).

    Args:
        central_fraction: a float in (0, 1], the share of each side that is kept; as many rows are left out at the top as
            at the bottom, int((1 - fraction) H / 2).
    Example:
        >>> CentralCrop(0.5)(ops.arange(16).reshape(1, 4, 4)).tolist()
        [[[5, 6], [9, 10]]]
    """

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        self.central_fraction = real("CentralCrop", "central_fraction", central_fraction, above=0.0, most=1.0)

    def construct(self, image: Tensor) -> Tensor:
        if not isinstance(image, Tensor) or image.ndim not in (3, 4):
            got = list(image.shape) if isinstance(image, Tensor) else type(image).__name__
            raise OpValueError(f"CentralCrop needs images (C, H, W) or (N, C, H, W), but got {got}", arg="image")
        top, left = (int((n - n * self.central_fraction) / 2) for n in image.shape[-2:])
        height, width = image.shape[-2:]
        return image[..., top : height - top, left : width - left]

    def extend_repr(self) -> str:
        return f"central_fraction={self.central_fraction}"


class Upsample(Cell):
    """Images (N, C, H, W), sequences (N, C, L) or volumes of another size.

    Args:
        size: lengths of the last axes of the result: an integer, or one for each.
        scale_factor: how many times as long the axes become, instead of `size`.
        mode, align_corners, recompute_scale_factor: see `ops.interpolate`.

    Example:
        >>> Upsample(scale_factor=2.0, mode="bilinear")(ops.ones((1, 3, 4, 5))).shape
        (1, 3, 8, 10)
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode, self.align_corners = size, scale_factor, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor
        self._interpolate = Bound(
            ops.interpolate, size=size, scale_factor=scale_factor, mode=mode, align_corners=align_corners,
            recompute_scale_factor=recompute_scale_factor,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        return self._interpolate(x)

    def extend_repr(self) -> str:
        size = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{size}, mode={self.mode}, align_corners={self.align_corners}"


class ResizeBilinear(Cell):
    """Images (N, C, H, W) of another size, by linear interpolation.

    Args:
        half_pixel_centers: see `ops.resize_bilinear`.
    Input, output:
        x, and one of size (height, width) and scale_factor, an integer; align_corners as in `ops.resize_bilinear`.

    Example:
        >>> ResizeBilinear()(ops.ones((1, 3, 4, 5)), size=(2, 9)).shape
        (1, 3, 2, 9)
    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = flag("ResizeBilinear", "half_pixel_centers", half_pixel_centers)

    def construct(
        self, x: Tensor, size: Any = None, scale_factor: int | None = None, align_corners: bool = False
    ) -> Tensor:  # fmt: skip
        if (size is None) == (scale_factor is None):
            raise OpValueError("ResizeBilinear needs either `size` or `scale_factor`", arg="size")
        if scale_factor is not None:
            factor = positive_int("ResizeBilinear", "scale_factor", scale_factor)
            size = tuple(n * factor for n in x.shape[2:])
        return ops.resize_bilinear(x, size, align_corners, self.half_pixel_centers)

    def extend_repr(self) -> str:
        return f"half_pixel_centers={self.half_pixel_centers}"


class PixelShuffle(Cell):
    """Channels turned into pixels: (*, C r², H, W) to (*, C, H r, W r).

    Args:
        upscale_factor: r.

    Example:
        >>> PixelShuffle(2)(ops.ones((1, 8, 3, 3))).shape
        (1, 2, 6, 6)
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = positive_int("PixelShuffle", "upscale_factor", upscale_factor)
        self._shuffle = Bound(ops.pixel_shuffle, upscale_factor=upscale_factor)

    def construct(self, input: Tensor) -> Tensor:
        return self._shuffle(input)

    def extend_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Cell):
    """Pixels turned into channels: (*, C, H r, W r) to (*, C r², H, W).

    Args:
        downscale_factor: r.

    Example:
        >>> PixelUnshuffle(2)(ops.ones((1, 2, 6, 6))).shape
        (1, 8, 3, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = positive_int("PixelUnshuffle", "downscale_factor", downscale_factor)
        self._shuffle = Bound(ops.pixel_unshuffle, downscale_factor=downscale_factor)

    def construct(self, input: Tensor) -> Tensor:
        return self._shuffle(input)

    def extend_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Cell):
    """The channels of (N, C, *) in another order: the first of each group, then the second of each, …

    Args:
        groups: how many groups of neighbouring channels there are.

    Example:
        >>> ChannelShuffle(2)(Tensor([[[1.], [2.], [3.], [4.]]])).tolist()
        [[[1.0], [3.0], [2.0], [4.0]]]
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = positive_int("ChannelShuffle", "groups", groups)
        self._shuffle = Bound(ops.channel_shuffle, groups=groups)

    def construct(self, x: Tensor) -> Tensor:
        return self._shuffle(x)

    def extend_repr(self) -> str:
        return f"groups={self.groups}"


class Unfold(Cell):
    """The windows of images (N, C, H, W) as channels: (N, rows · columns · C, windows down, windows across).

    Channel (r · columns + s) · C + c has the pixel (r, s) of each window of channel c.

    Args:
        ksizes, strides, rates: (1, rows, columns, 1): the window, the distance of windows, that of the pixels of one.
        padding: "valid": none; "same": as many zeros around the image as give ceil(H / stride) windows.

    Example:
        >>> Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])(ops.ones((1, 3, 4, 4))).shape
        (1, 12, 2, 2)
    """

    def __init__(self, ksizes: Any, strides: Any, rates: Any, padding: str = "valid") -> None:
        super().__init__()

        def inner(name: str, given: Any) -> tuple[int, ...]:
            if not isinstance(given, (tuple, list)):
                raise OpTypeError(f"Unfold needs four integers for `{name}`, but got {given!r}", arg=name)
            numbers = positive_ints("Unfold", name, given, 4)
            if numbers[0] != 1 or numbers[3] != 1:
                raise OpValueError(f"Unfold: `{name}` must begin and end with 1, but got {given!r}", arg=name)
            return numbers[1:3]

        self.ksizes, self.strides, self.rates = (
            inner("ksizes", ksizes),
            inner("strides", strides),
            inner("rates", rates),
        )
        word = padding.lower() if isinstance(padding, str) else padding
        self.padding = choice("Unfold", "padding", word, ("valid", "same"))

    def construct(self, input_x: Tensor) -> Tensor:
        if input_x.ndim != 4:
            raise OpValueError(f"Unfold needs images (N, C, H, W), but got a tensor of shape {input_x.shape}")
        if self.padding == "same":
            (top, bottom), (left, right) = (
                same_padding(n, *numbers)
                for n, *numbers in zip(input_x.shape[2:], self.ksizes, self.strides, self.rates)
            )
            input_x = ops.pad(input_x, (left, right, top, bottom))
        n, c, *sizes = input_x.shape
        columns = ops.unfold(input_x, self.ksizes, self.rates, 0, self.strides)
        area = math.prod(self.ksizes)
        down, across = (
            (size - (window - 1) * rate - 1) // step + 1
            for size, window, step, rate in zip(sizes, self.ksizes, self.strides, self.rates)
        )
        ordered = ops.transpose(columns.reshape((n, c, area, down, across)), (0, 2, 1, 3, 4))
        return ordered.reshape((n, area * c, down, across))

    def extend_repr(self) -> str:
        return f"ksizes={self.ksizes}, strides={self.strides}, rates={self.rates}, padding={self.padding}"


class Fold(Cell):
    """Images from columns: the sum of all windows, each at its place. `ops.fold` has the arguments.

    Args:
        output_size: (height, width) of the result.
        kernel_size, dilation, padding, stride: of the windows.

    Example:
        >>> Fold((2, 3), kernel_size=2)(ops.ones((1, 4, 2))).tolist()
        [[[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]]
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:  # fmt: skip
        super().__init__()
        self.output_size = positive_ints("Fold", "output_size", output_size, 2)
        self.kernel_size = positive_ints("Fold", "kernel_size", kernel_size, 2)
        self.dilation = positive_ints("Fold", "dilation", dilation, 2)
        self.padding = integers("Fold", "padding", padding, 2, least=0)
        self.stride = positive_ints("Fold", "stride", stride, 2)

    def construct(self, input: Tensor) -> Tensor:
        return ops.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extend_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
