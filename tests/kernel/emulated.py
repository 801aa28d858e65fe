"""LeNet's digests on processors that are not here: an x86-64 of 2008 and an AArch64, as qemu plays them.

    python tests/kernel/emulated.py WHEEL

What is needed is fetched into a folder of its own, and nothing is installed: qemu and Debian's Python for AArch64 by apt,
which need not be root, the libraries by pip. Where that cannot be had, it is said, and nothing is compared.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zipfile
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parent.parent))
from test_targets import LENET

#: What kernels are made for, and the fused multiply-adds of NEON's that are in one.
SHOWN = """
    import re, sys
    from anfora.kernel import bodies
    from anfora.kernel.loops import Operand, elementwise
    from anfora.kernel.target import target
    floats = Operand("f32", "f32", "v")
    fused = re.findall(r"fml[as]\\s+v\\d+\\.4s", elementwise.assembly(bodies.exp, (floats,), (floats,), False))
    print(target().cpu, target().vector_bytes, "bytes a vector", len(fused), "fmla of exp", file=sys.stderr)
"""
PROGRAM = textwrap.dedent(LENET) + textwrap.dedent(SHOWN)
LIBRARIES = ["numpy", "numba", "llvmlite"]
AARCH64_WHEELS = [f"--platform=manylinux_2_{version}_aarch64" for version in (17, 27, 28)]


def main(wheel: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            emulators = unpacked("amd64", ["qemu-user-static"], folder / "qemu") / "usr/bin"
            other = unpacked("arm64", ["python3", "libstdc++6"], folder / "arm64")
            older = [str(emulators / "qemu-x86_64-static"), "-cpu", "Nehalem", sys.executable]
            [python] = (other / "usr/bin").glob("python3.*[0-9]")
            arm = [str(emulators / "qemu-aarch64-static"), "-L", str(other), str(python)]
            subprocess.run([*older, "-c", ""], check=True)
            site = libraries(arm, wheel, folder / "site")
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            print(f"emulated processors: there are none to be had here ({error}); nothing is compared")
            return 0
        found = {
            "here": digests([sys.executable], folder),
            "x86-64, Nehalem": digests(older, folder),
            "AArch64": digests(arm, folder, PYTHONPATH=str(site)),
        }
    for where, (weights, machine) in found.items():
        print(f"{where}: {machine}: {' '.join(digest[:16] for digest in weights)}")
    same = len({digest for weights, _ in found.values() for digest in weights}) == 1
    print("the same bits" if same else "DIFFERENT BITS")
    is_neon = " 16 bytes a vector" in found["AArch64"][1] and " 0 fmla" not in found["AArch64"][1]
    return 0 if same and is_neon else 1


def unpacked(machine: str, packages: list[str], folder: Path) -> Path:
    """Debian packages of a kind of machine, with all they need, unpacked into a folder of their own."""
    state = folder / "apt"
    for part in ("lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True)
    (state / "status").touch()
    apt = [
        "apt-get", "-qq", "-o", f"Dir::State={state}", "-o", f"Dir::State::status={state}/status",
        "-o", f"Dir::Cache={state}/cache", "-o", f"APT::Architecture={machine}", "-o", f"APT::Architectures={machine}",
        "-o", "APT::Sandbox::User=", "-o", "Debug::NoLocking=1",
    ]  # fmt: skip
    for command in (["update"], ["install", "--yes", "--download-only", "--no-install-recommends", *packages]):
        subprocess.run([*apt, *command], check=True, timeout=600, stdout=subprocess.DEVNULL)
    for package in (state / "cache/archives").glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(package), str(folder)], check=True)
    shutil.rmtree(state)
    return folder


def libraries(python: list[str], wheel: str, folder: Path) -> Path:
    """This package and what it needs, for a Python on AArch64, in a folder."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    version = subprocess.run([*python, "-c", ask], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--only-binary=:all:", f"--python-version={version}", *AARCH64_WHEELS, "--dest", str(folder), *LIBRARIES],
        check=True,
    )  # fmt: skip
    for file in [*folder.glob("*.whl"), Path(wheel)]:
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
    return folder


def digests(python: list[str], folder: Path, **env: str) -> tuple[list[str], str]:
    """The digests of the weights in both modes, and the machine that kernels were made for."""
    env = {**os.environ, "ANFORA_CACHE": str(folder / "cache"), **env}
    done = subprocess.run([*python, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr.strip().splitlines()[-1]


if __name__ == "__main__":
    if platform.machine() == "x86_64":
        sys.exit(main(*sys.argv[1:]))
    print("emulated processors: they are compared with an x86-64 one; nothing is compared")
