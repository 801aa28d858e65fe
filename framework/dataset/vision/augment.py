"""Transforms that choose among others."""

from __future__ import annotations

from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.functions import Transform, is_pure
from anfora.dataset.seeds import draws
from anfora.dataset.transforms import alone, applied, several

__all__ = ["RandomSelectSubpolicy", "UniformAugment"]


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
