"""A network that runs without Python: as a library of C, in a program of C and in one of Python that has no anfora.

    python -m anfora.examples.without_python [checkpoint] [--out FOLDER]

writes LeNet (with the weights of `python -m anfora lenet`, if its checkpoint is given) as lenet.o, lenet.h and lenet.so,
and some digits; has `cc` build classify.c, lets that and classify.py read the digits, and compares their logits with ours.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import anfora as ms
from anfora import Tensor
from anfora.data import digits
from anfora.models import LeNet5

HERE = Path(__file__).parent


def main(arguments: list[str] | None = None) -> int:
    """Write the library, run both programs, and compare."""
    parser = argparse.ArgumentParser(prog="python -m anfora.examples.without_python")
    parser.add_argument("checkpoint", nargs="?", help="weights of LeNet")
    parser.add_argument("--out", type=Path, default=Path("without_python"), metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="that share the work (%(default)s)")
    options = parser.parse_args(arguments)
    folder = options.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)

    net = LeNet5()
    if options.checkpoint:
        ms.load_checkpoint(options.checkpoint, net)
    net.set_train(False)
    images = Tensor(digits(32)[0][:70])
    ms.export(net, images, file_name=folder / "lenet", file_format="C", batch_sizes=[1, 32])
    print(f"lenet.o: {(folder / 'lenet.o').stat().st_size:,} bytes")

    images.asnumpy().tofile(folder / "images.f32")
    # As they are computed there: 32 images at a time, and the last ones alone.
    parts = [net(images[:32]), net(images[32:64]), *(net(images[i : i + 1]) for i in range(64, 70))]
    wanted = np.concatenate([part.asnumpy() for part in parts])

    programs = {"Python": [sys.executable, "-I", "-S", str(HERE / "classify.py"), str(folder / "lenet.so")]}
    if shutil.which("cc"):
        command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", f"-I{folder}"]
        command += [str(HERE / "classify.c"), str(folder / "lenet.o"), "-pthread", "-o", str(folder / "classify")]
        subprocess.run(command, check=True)
        programs["C"] = [str(folder / "classify")]
    elif not shutil.which("ld"):
        print("there is neither cc nor ld: nothing can be linked here")
        return 0
    for name, command in programs.items():
        logits = folder / f"{name}.f32"
        data = [str(folder / "images.f32"), str(logits), str(options.threads)]
        subprocess.run([*command, *data], check=True, stdout=subprocess.DEVNULL)
        is_same = logits.read_bytes() == wanted.tobytes()
        print(f"{name:7} {'the same bits' if is_same else 'OTHER BITS'} for {len(wanted)} images")
        if not is_same:
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
