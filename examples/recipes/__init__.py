"""Networks that are trained on real data, a file each: what `python -m anfora train NAME` does.

    lenet.py, resnet20.py   pictures of clothes (fashion.py)
    mlp.py                  tables of measurements
    gpt.py                  source code, in tokens of byte pairs (byte_pairs.py)
    recipe.py               what they have in common

They are written as a user would write them, with the public names alone. Whatever could differ between machines stays out:
rates come from additions and divisions, not from the C library's cosine, and means from exactly rounded sums.
"""

from __future__ import annotations

import importlib

from anfora.examples.recipes.recipe import Recipe

__all__ = ["RECIPES", "Recipe", "recipe_class"]

#: Names, the class behind each, and what the list says.
RECIPES = {
    "lenet": ("lenet", "LeNet", "LeNet-5 on Fashion-MNIST, pictures of clothes"),
    "resnet20": ("resnet20", "ResNet20", "ResNet-20 on Fashion-MNIST"),
    "gpt": ("gpt", "CodeGPT", "a small GPT on the sources of sympy; it then writes code"),
    "mlp": ("mlp", "TableMLP", "dense layers on a table of scikit-learn's: breast_cancer, wine or digits"),
}


def recipe_class(name: str) -> type[Recipe]:
    """The recipe of a name of the list."""
    module, kind, _ = RECIPES[name]
    return getattr(importlib.import_module(f"{__name__}.{module}"), kind)
