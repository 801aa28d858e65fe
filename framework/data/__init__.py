"""Data to train on.

    digits.py   the handwritten digits that come with the package
    idx.py      files of the MNIST family
    fetched.py  what does not come with the package: Fashion-MNIST, files in wheels

`digits.npz` holds the 1,797 images of 8×8 pixels, with 17 grey levels, of the test part of the UCI set "Optical Recognition
of Handwritten Digits" (E. Alpaydin and C. Kaynak, 1998; licence CC BY 4.0; see NOTICE).
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.data.digits import digits
from anfora.data.idx import DataError, read_idx_folder

__all__ = ["DataError", "digits", "read_idx_folder"]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
