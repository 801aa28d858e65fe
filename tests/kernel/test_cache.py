"""The object cache: what is damaged, foreign, full or shared costs a compilation and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap

import pytest

from anfora.kernel.build import Progress, code_key
from anfora.kernel.cache import Cache, default_folder

PROGRAM = """
    import anfora
    from anfora import Tensor, ops
    x = Tensor([[1.0, -2.0], [3.0, 4.0]])
    print((x * 2.0 + 1.0).tolist(), x.sum().item())
"""
ANSWER = "[[3.0, -3.0], [7.0, 9.0]] 6.0\n"


def process(folder, program=PROGRAM, **env):
    environment = {**os.environ, "ANFORA_CACHE": str(folder), **env}
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result


def run(folder, program=PROGRAM, **env):
    return process(folder, program, **env).stdout


def test_what_is_written_is_read(tmp_path):
    cache = Cache(tmp_path / "objects")
    cache.write("key", b"payload")
    assert cache.read("key") == b"payload"
    assert cache.read("other") is None
    assert (tmp_path / "objects").stat().st_mode & 0o777 == 0o700


def _folder(tmp_path):
    Cache(tmp_path / "objects").write("key", b"payload")
    return tmp_path / "objects"


def _under_another_name(folder):
    (folder / "key").rename(folder / "other")
    return "other"


def _of_somebody_else(folder):
    os.chown(folder / "key", 12345, -1)
    return "key"


def _open_to_others(folder):
    (folder / "key").chmod(0o622)
    return "key"


def _linked(folder):
    (folder / "key").rename(folder.parent / "elsewhere")
    (folder / "key").symlink_to(folder.parent / "elsewhere")
    return "key"


def _in_a_folder_that_has_been_opened(folder):
    folder.chmod(0o777)
    return "key"


def _below_a_folder_that_has_been_opened(folder):
    folder.parent.chmod(0o777)
    return "key"


def _below_a_folder_of_somebody_else(folder):
    os.chown(folder.parent, 12345, -1)
    return "key"


def _below_a_folder_that_has_become_a_link(folder):
    elsewhere = folder.parent.with_name("elsewhere")
    folder.parent.rename(elsewhere)
    folder.parent.symlink_to(elsewhere)
    return "key"


def _below_a_folder_where_nobody_renames_what_others_own(folder):
    folder.parent.chmod(0o1777)
    return "key"


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only the system's user gives files away")


@pytest.mark.parametrize(
    "change, is_read",
    [
        (lambda folder: "key", True),
        (_under_another_name, False),
        (_open_to_others, False),
        (_linked, False),
        (_in_a_folder_that_has_been_opened, False),
        (_below_a_folder_that_has_been_opened, False),
        (_below_a_folder_that_has_become_a_link, False),
        (_below_a_folder_where_nobody_renames_what_others_own, True),
        pytest.param(_of_somebody_else, False, marks=needs_root),
        pytest.param(_below_a_folder_of_somebody_else, False, marks=needs_root),
    ],
)
def test_only_what_nobody_else_can_have_put_there_is_read(tmp_path, change, is_read):
    (tmp_path / "above").mkdir()
    folder = _folder(tmp_path / "above")
    cache = Cache(folder)  # all was well when the process began
    key = change(folder)
    assert cache.read(key) == (b"payload" if is_read else None)


def test_a_folder_behind_a_link_is_used(tmp_path):
    _folder(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "objects")
    assert Cache(tmp_path / "link").read("key") == b"payload"


def test_a_folder_that_is_not_used_is_told_of(tmp_path, caplog):
    tmp_path.chmod(0o777)
    assert Cache(tmp_path / "objects").folder is None
    assert f"others may write in {tmp_path};" in caplog.text


def test_what_killed_processes_have_left_is_cleared_away(tmp_path):
    folder = _folder(tmp_path)
    (folder / ".anfora-0123.new").write_bytes(b"half")  # nobody has a lock on it
    Cache(folder, limit=1000).write("another", b"payload")  # so small that each write looks through it
    assert sorted(file.name for file in folder.iterdir()) == ["another", "key"]


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 100])
def test_damaged_files_are_misses(tmp_path, damage):
    cache = Cache(tmp_path / "objects")
    cache.write("key", b"payload")
    (tmp_path / "objects" / "key").write_bytes(damage)
    assert cache.read("key") is None


def test_a_folder_that_others_may_write_is_not_used(tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    cache = Cache(folder)
    cache.write("key", b"payload")
    assert cache.folder is None and cache.read("key") is None and not list(folder.iterdir())


def test_a_file_in_the_place_of_the_folder_turns_the_cache_off(tmp_path):
    (tmp_path / "file").write_text("")
    assert Cache(tmp_path / "file").folder is None
    assert Cache(tmp_path / "file" / "below").folder is None


def test_a_full_disk_is_no_error(tmp_path, monkeypatch):
    cache = Cache(tmp_path / "objects")

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.write("key", b"payload")
    assert cache.read("key") is None
    assert not list((tmp_path / "objects").iterdir())


def test_the_oldest_files_go_first(tmp_path):
    cache = Cache(tmp_path / "objects", limit=400)
    for number in range(10):
        cache.write(f"k{number}", bytes(68))  # 100 bytes with its hash
        os.utime(cache.folder / f"k{number}", (number, number))
    cache.prune()
    assert sorted(file.name for file in cache.folder.iterdir()) == ["k6", "k7", "k8", "k9"]


def test_a_folder_is_looked_through_by_what_is_written(tmp_path, monkeypatch):
    """About once for each sixty-fourth of what it may hold, whoever writes: many processes write a kernel or two each."""
    looked = []
    prune = Cache.prune
    monkeypatch.setattr(Cache, "prune", lambda cache: (looked.append(cache), prune(cache)))
    for number in range(2000):
        Cache(tmp_path / "objects", limit=64_000).write(f"k{number}", bytes(68))  # 100 bytes with its hash
    assert 120 < len(looked) < 280  # of 2000 draws with a chance of a tenth: 200, six deviations to each side
    assert sum(file.stat().st_size for file in (tmp_path / "objects").iterdir()) < 64_000 + 100 * 100


def test_an_empty_name_means_no_cache(monkeypatch):
    monkeypatch.setenv("ANFORA_CACHE", "")
    assert default_folder() is None


def test_a_program_survives_a_damaged_cache(tmp_path):
    folder = tmp_path / "objects"
    assert run(folder) == ANSWER
    files = list(folder.iterdir())
    assert files
    for number, file in enumerate(files):
        file.write_bytes(file.read_bytes()[: 40 + number] if number % 2 else os.urandom(2000))
    assert run(folder) == ANSWER


def test_a_program_runs_without_any_folder(tmp_path):
    (tmp_path / "home").write_text("a file where the home folder should be")
    environment = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": ""}
    environment_without = {k: v for k, v in os.environ.items() if k != "ANFORA_CACHE"}
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)],
        env={**environment_without, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.stdout == ANSWER, result.stderr


#: What is put before a program so that its disk is full, or read-only, whoever runs it: permissions do not stop root.
FULL = """
    import errno, os, secrets
    tried = []
    def refuse(*args, **kwargs):
        tried.append(args)
        raise OSError({number}, os.strerror({number}))
    {what} = refuse
"""


@pytest.mark.parametrize("what", ["os.open", "os.replace"])
@pytest.mark.parametrize("number", ["errno.ENOSPC", "errno.EROFS", "errno.EDQUOT"])
def test_a_disk_that_takes_nothing_is_no_error(tmp_path, what, number):
    program = FULL.format(what=what, number=number) + PROGRAM + "    assert tried\n"
    assert run(tmp_path / "objects", program) == ANSWER
    assert not list((tmp_path / "objects").iterdir())


def test_a_disk_that_fills_up_leaves_no_half_files(tmp_path):
    """Writes end in the middle: the file system has room for 5000 bytes of each file."""
    limited = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
    """
    assert run(tmp_path / "objects", textwrap.dedent(limited) + textwrap.dedent(PROGRAM)) == ANSWER
    files = list((tmp_path / "objects").iterdir())
    assert all(file.stat().st_size < 5000 and not file.name.startswith(".") for file in files)
    assert run(tmp_path / "objects") == ANSWER


def test_a_folder_that_cannot_be_written_is_read(tmp_path):
    folder = tmp_path / "objects"
    run(folder)
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    folder.chmod(0o500)
    try:
        program = FULL.format(what="secrets.token_hex", number="errno.EROFS") + PROGRAM
        assert run(folder, program + "    assert not tried\n") == ANSWER  # all was read, nothing had to be written
    finally:
        folder.chmod(0o700)
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before


def test_eight_processes_share_an_empty_cache(tmp_path):
    environment = {**os.environ, "ANFORA_CACHE": str(tmp_path / "objects")}
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    for process in running:
        out, err = process.communicate(timeout=300)
        assert out == ANSWER, err
    assert run(tmp_path / "objects") == ANSWER
    assert not [file for file in (tmp_path / "objects").iterdir() if file.name.startswith(".")]


def test_a_warm_process_does_not_import_numba(tmp_path):
    program = PROGRAM + "\n    import sys; print('numba' in sys.modules)"
    run(tmp_path / "objects", program)
    assert run(tmp_path / "objects", program).endswith("False\n")


# -- keys -------------------------------------------------------------------------------------------------------------


def _function(source: str, name: str = "f"):
    scope: dict = {}
    exec(textwrap.dedent(source), scope)
    return scope[name]


@pytest.mark.parametrize(
    "before, after",
    [
        ("def f(x): return x + 1", "def f(x): return x + 2"),
        ("def f(x): return x + 1", "def f(x): return x - 1"),
        ("def g(x): return x\ndef f(x): return g(x)", "def g(x): return -x\ndef f(x): return g(x)"),
        ("C = 1.0\ndef f(x): return x * C", "C = 2.0\ndef f(x): return x * C"),
        ("C = 0.0\ndef f(x): return x * C", "C = -0.0\ndef f(x): return x * C"),
        ("C = (1, 2)\ndef f(x): return x * C[0]", "C = (1, 3)\ndef f(x): return x * C[0]"),
        ("def f(x, y=1): return x * y", "def f(x, y=2): return x * y"),
        ("def m(k):\n  return lambda x: x * k\nf = m(2)", "def m(k):\n  return lambda x: x * k\nf = m(3)"),
        ("def f(x): return [v + 1 for v in x]", "def f(x): return [v + 2 for v in x]"),
    ],
)
def test_the_key_sees_what_a_body_reaches(before, after):
    assert code_key(_function(before)) == code_key(_function(before))
    assert code_key(_function(before)) != code_key(_function(after))


def test_recursive_bodies_have_keys():
    source = "def f(x): return g(x)\ndef g(x): return f(x)"
    assert code_key(_function(source)) == code_key(_function(source))


def test_compilations_that_take_long_are_told_of(tmp_path):
    program = "from anfora.kernel import build\nbuild.Progress.PATIENCE = 0.0\n" + textwrap.dedent(PROGRAM)
    first, second = (process(tmp_path / "objects", program) for _ in range(2))
    assert first.stdout == second.stdout == ANSWER and second.stderr == ""
    line = rf"anfora: \d+ kernels compiled in \d\.\d s; they are kept in {re.escape(str(tmp_path / 'objects'))}\n"
    assert re.fullmatch(f"({line})+", first.stderr)


def test_short_compilations_are_not_told_of(monkeypatch, capsys):
    """But many of them that follow each other are, each two seconds; those behind a pause count anew."""
    times = iter([0.0, 1.5, 1.6, 2.2, 2.3, 3.0, 3.1, 4.5, 10.0, 11.9, 12.0, 12.05])
    monkeypatch.setattr("time.perf_counter", lambda: next(times))
    told, progress = [], Progress()
    for _ in range(6):
        with progress:
            pass
        told.append(capsys.readouterr().err.partition(";")[0])
    two, four = "anfora: 2 kernels compiled in 2.1 s", "anfora: 4 kernels compiled in 4.2 s"
    assert [text.strip() for text in told] == ["", two, "", four, "", ""]
