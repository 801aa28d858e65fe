"""Transforms that choose among others."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.functions import Transform, is_pure
from anfora.dataset.seeds import draws
from anfora.dataset.transforms import alone, applied, several
from anfora.dataset.vision.base import OfArrays, enum_of, fill_of, inter_of
from anfora.dataset.vision.enums import AutoAugmentPolicy, Inter
from anfora.dataset.vision.geometry import Rotate, moved
from anfora.dataset.vision.values import (
    AdjustBrightness,
    AdjustContrast,
    AdjustSaturation,
    AdjustSharpness,
    AutoContrast,
    Equalize,
    Invert,
    Posterize,
    Solarize,
)

__all__ = [
    "AutoAugment",
    "RandAugment",
    "RandomSelectSubpolicy",
    "TrivialAugmentWide",
    "UniformAugment",
    "policy_steps",
]


class RandomSelectSubpolicy(Transform):
    """One of several lists of transforms, each of which is applied with its own probability.

    Args:
        policy: a list of lists of (transform, probability).
    """

    random = True
    one_to_one = False

    def __init__(self, policy: Any) -> None:
        if not isinstance(policy, list):
            raise checks.wrong_type("policy", policy, list)
        if not policy:
            raise OpValueError("policy can not be empty.", arg="policy")
        for place, part in enumerate(policy):
            if not isinstance(part, list):
                raise checks.wrong_type(f"policy[{place}]", part, list)
            if not part:
                raise OpValueError(f"policy[{place}] can not be empty.", arg="policy")
            for entry in part:
                if not isinstance(entry, tuple) or len(entry) != 2 or not callable(entry[0]):
                    raise OpTypeError(f"policy[{place}] should hold (transform, probability), but got {entry!r}")
                checks.number("prob", entry[1], 0, 1)
        self.policy = policy

    @property
    def is_pure(self) -> bool:
        return all(is_pure(transform) for part in self.policy for transform, _ in part)

    def __call__(self, *fields: Any) -> Any:
        part = self.policy[draws.stream.randrange(len(self.policy))]
        for transform, prob in part:
            if draws.stream.random() < prob:
                fields = applied(transform, fields)
        return alone(fields)


class UniformAugment(Transform):
    """Some transforms of a list, each with a random probability.

    Args:
        transforms: a list of callables.
        num_ops: how many are chosen.
    """

    random = True
    one_to_one = False

    def __init__(self, transforms: Any, num_ops: int = 2) -> None:
        self.transforms = several(transforms)
        self.num_ops = checks.integer_in("num_ops", num_ops, 1)
        if self.num_ops > len(self.transforms):
            raise OpValueError("num_ops should be smaller than the number of transforms.", arg="num_ops")

    @property
    def is_pure(self) -> bool:
        return all(map(is_pure, self.transforms))

    def __call__(self, *fields: Any) -> Any:
        for place in draws.stream.sample(range(len(self.transforms)), self.num_ops):
            if draws.stream.random() < draws.stream.random():
                fields = applied(self.transforms[place], fields)
        return alone(fields)


# --- AutoAugment and what followed from it ------------------------------------------------------------------------------

#: The policies that were found for three datasets: in each line two steps, of name, probability and strength (of 10).
_POLICIES = {
    AutoAugmentPolicy.IMAGENET: """
        Posterize 0.4 8, Rotate 0.6 9; Solarize 0.6 5, AutoContrast 0.6; Equalize 0.8, Equalize 0.6;
        Posterize 0.6 7, Posterize 0.6 6; Equalize 0.4, Solarize 0.2 4; Equalize 0.4, Rotate 0.8 8;
        Solarize 0.6 3, Equalize 0.6; Posterize 0.8 5, Equalize 1.0; Rotate 0.2 3, Solarize 0.6 8;
        Equalize 0.6, Posterize 0.4 6; Rotate 0.8 8, Color 0.4 0; Rotate 0.4 9, Equalize 0.6;
        Equalize 0.0, Equalize 0.8; Invert 0.6, Equalize 1.0; Color 0.6 4, Contrast 1.0 8;
        Rotate 0.8 8, Color 1.0 2; Color 0.8 8, Solarize 0.8 7; Sharpness 0.4 7, Invert 0.6;
        ShearX 0.6 5, Equalize 1.0; Color 0.4 0, Equalize 0.6; Equalize 0.4, Solarize 0.2 4;
        Solarize 0.6 5, AutoContrast 0.6; Invert 0.6, Equalize 1.0; Color 0.6 4, Contrast 1.0 8;
        Equalize 0.8, Equalize 0.6""",
    AutoAugmentPolicy.CIFAR10: """
        Invert 0.1, Contrast 0.2 6; Rotate 0.7 2, TranslateX 0.3 9; Sharpness 0.8 1, Sharpness 0.9 3;
        ShearY 0.5 8, TranslateY 0.7 9; AutoContrast 0.5, Equalize 0.9; ShearY 0.2 7, Posterize 0.3 7;
        Color 0.4 3, Brightness 0.6 7; Sharpness 0.3 9, Brightness 0.7 9; Equalize 0.6, Equalize 0.5;
        Contrast 0.6 7, Sharpness 0.6 5; Color 0.7 7, TranslateX 0.5 8; Equalize 0.3, AutoContrast 0.4;
        TranslateY 0.4 3, Sharpness 0.2 6; Brightness 0.9 6, Color 0.2 8; Solarize 0.5 2, Invert 0.0;
        Equalize 0.2, AutoContrast 0.6; Equalize 0.2, Equalize 0.6; Color 0.9 9, Equalize 0.6;
        AutoContrast 0.8, Solarize 0.2 8; Brightness 0.1 3, Color 0.7 0; Solarize 0.4 5, AutoContrast 0.9;
        TranslateY 0.9 9, TranslateY 0.7 9; AutoContrast 0.9, Solarize 0.8 3; Equalize 0.8, Invert 0.1;
        TranslateY 0.7 9, AutoContrast 0.9""",
    AutoAugmentPolicy.SVHN: """
        ShearX 0.9 4, Invert 0.2; ShearY 0.9 8, Invert 0.7; Equalize 0.6, Solarize 0.6 6;
        Invert 0.9, Equalize 0.6; Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, AutoContrast 0.8;
        ShearY 0.9 8, Invert 0.4; ShearY 0.9 5, Solarize 0.2 6; Invert 0.9, AutoContrast 0.8;
        Equalize 0.6, Rotate 0.9 3; ShearX 0.9 4, Solarize 0.3 3; ShearY 0.8 8, Invert 0.7;
        Equalize 0.9, TranslateY 0.6 6; Invert 0.9, Equalize 0.6; Contrast 0.3 3, Rotate 0.8 4;
        Invert 0.8, TranslateY 0.0 2; ShearY 0.7 6, Solarize 0.4 8; Invert 0.6, Rotate 0.8 4;
        ShearY 0.3 7, TranslateX 0.9 3; ShearX 0.1 6, Invert 0.6; Solarize 0.7 2, TranslateY 0.6 7;
        ShearY 0.8 4, Invert 0.8; ShearX 0.7 9, TranslateY 0.8 3; ShearY 0.8 5, AutoContrast 0.7;
        ShearX 0.7 2, Invert 0.1""",
}


def policy_steps(policy: AutoAugmentPolicy) -> list[list[tuple[str, float, int]]]:
    """The steps of a policy: name, probability and strength, which is 0 where there is none."""
    found = []
    for pair in _POLICIES[policy].split(";"):
        words = [step.split() for step in pair.split(",")]
        found.append([(name, float(prob), int(*strength)) for name, prob, *strength in words])
    return found


#: Steps whose strength may be turned round.
_SIGNED = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast", "Sharpness")
_PLAIN = ("AutoContrast", "Equalize")
#: What the last strength means; bits and thresholds go down. Translations are pixels; of AutoAugment, of 331.
_MOST = {"Shear": 0.3, "Translate": 150.0, "Rotate": 30.0, "factor": 0.9, "bits": 4}
_MOST_WIDE = {"Shear": 0.99, "Translate": 32.0, "Rotate": 135.0, "factor": 0.99, "bits": 6}


class _Stepwise(OfArrays):
    """Base of transforms that do steps of the above.

    Args:
        interpolation: how values between pixels are found.
        fill_value: what is seen where there was no image, one number or one for each channel.
    """

    random = True
    ranks = (3,)
    most = _MOST
    in_shares = True  #: whether translations grow with the image

    def __init__(self, interpolation: Inter, fill_value: Any) -> None:
        self.interpolation, self.fill = inter_of("interpolation", interpolation), fill_of(fill_value)

    def array(self, image: np.ndarray) -> Any:
        if image.shape[2] != 3:
            raise OpRuntimeError(
                f"{type(self).__name__}: channel of input image should be 3, but got: {image.shape[2]}"
            )
        return self.changed(image)

    def changed(self, image: Any) -> Any:
        raise NotImplementedError

    def step(self, image: Any, name: str, share: float, turned: bool) -> Any:
        """One step.

        Args:
            image: an array (H, W, 3).
            name: of the step.
            share: its strength, in [0, 1].
            turned: whether a strength with a sign is turned round.
        """
        size = image.shape[:2]
        sign = -1 if turned and name in _SIGNED else 1
        if name == "Identity":
            return image
        if name in ("Brightness", "Color", "Contrast", "Sharpness"):
            kind = {
                "Brightness": AdjustBrightness, "Color": AdjustSaturation, "Contrast": AdjustContrast,
                "Sharpness": AdjustSharpness,
            }[name]  # fmt: skip
            return kind(1 + sign * share * self.most["factor"])(image)
        if name == "Rotate":
            return Rotate(sign * share * self.most["Rotate"], self.interpolation, fill_value=self.fill)(image)
        if name == "Posterize":
            return Posterize(8 - round(share * self.most["bits"]))(image)
        if name == "Solarize":
            threshold = round(255 * (1 - share), 6)
            return Solarize((threshold, 255))(image)
        if name in ("AutoContrast", "Equalize", "Invert"):
            return {"AutoContrast": AutoContrast, "Equalize": Equalize, "Invert": Invert}[name]()(image)
        kind_of, axis = name[:-1], "XY".index(name[-1])
        amount = sign * share * self.most[kind_of]
        matrix = np.eye(2, 3)
        if kind_of == "Shear":
            matrix[axis, 1 - axis] = amount
            matrix[axis, 2] = -amount * (size[axis] - 1) / 2
        else:
            matrix[axis, 2] = int(amount / 331 * size[1 - axis] if self.in_shares else amount)
        return moved(image, matrix, self.interpolation, self.fill)


class AutoAugment(_Stepwise):
    """Two steps of a policy that was found by searching (Cubuk et al., CVPR 2019).

    Args:
        policy: an AutoAugmentPolicy.
        interpolation: how values between pixels are found.
        fill_value: what is seen where there was no image, one number or one for each channel.
    Takes images with three channels, (H, W, 3) uint8 or PIL.
    """

    def __init__(
        self, policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET, interpolation: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:  # fmt: skip
        super().__init__(interpolation, fill_value)
        self.policy = enum_of("policy", policy, AutoAugmentPolicy)
        self.steps = policy_steps(policy)

    def changed(self, image: Any) -> Any:
        stream = draws.stream
        for name, prob, strength in stream.choice(self.steps):
            wanted, turned = stream.random() < prob, stream.random() < 0.5
            if wanted:
                image = self.step(image, name, strength / 9, turned)
        return image


class RandAugment(_Stepwise):
    """Some random steps, all of one strength (Cubuk et al., CVPR workshops 2020).

    Args:
        num_ops: how many.
        magnitude: how strong, in [0, num_magnitude_bins).
        num_magnitude_bins: how many strengths there are, at least 2.
        interpolation, fill_value: as for `AutoAugment`.
    """

    names = ("Identity", *_SIGNED, "Posterize", "Solarize", *_PLAIN)

    def __init__(
        self, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, interpolation: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:  # fmt: skip
        super().__init__(interpolation, fill_value)
        self.num_ops = checks.integer_in("num_ops", num_ops, 0)
        self.bins = checks.integer_in("num_magnitude_bins", num_magnitude_bins, 2)
        self.magnitude = checks.integer_in("magnitude", magnitude, 0)
        if magnitude >= self.bins:
            raise OpValueError(
                f"magnitude should be smaller than num_magnitude_bins, {self.bins}, but got {magnitude}",
                arg="magnitude",
            )

    def changed(self, image: Any) -> Any:
        stream = draws.stream
        for _ in range(self.num_ops):
            name, turned = stream.choice(self.names), stream.random() < 0.5
            image = self.step(image, name, self.magnitude / (self.bins - 1), turned)
        return image


class TrivialAugmentWide(_Stepwise):
    """One random step of random strength (Müller & Hutter, ICCV 2021).

    Args:
        num_magnitude_bins: how many strengths there are, at least 2.
        interpolation, fill_value: as for `AutoAugment`.
    """

    names = RandAugment.names
    most = _MOST_WIDE
    in_shares = False

    def __init__(self, num_magnitude_bins: int = 31, interpolation: Inter = Inter.NEAREST, fill_value: Any = 0) -> None:
        super().__init__(interpolation, fill_value)
        self.bins = checks.integer_in("num_magnitude_bins", num_magnitude_bins, 2)

    def changed(self, image: Any) -> Any:
        stream = draws.stream
        name, strength, turned = stream.choice(self.names), stream.randrange(self.bins), stream.random() < 0.5
        return self.step(image, name, strength / (self.bins - 1), turned)
