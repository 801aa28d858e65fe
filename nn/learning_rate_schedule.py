"""Learning rates as Cells, under the path that MindSpore programs import them from."""

from anfora.optim.schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)

__all__ = [
    "CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "LearningRateSchedule", "NaturalExpDecayLR",
    "PolynomialDecayLR", "WarmUpLR",
]  # fmt: skip
