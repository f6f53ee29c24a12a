import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from renga_serializers.atomic import atomic_path, atomic_write, remove_leftovers


def test_new_file_holds_what_was_written(tmp_path):
    with atomic_write(tmp_path / "a.bin") as file:
        file.write(b"\x00\xff")
    with atomic_write(tmp_path / "a.txt", "w") as file:
        file.write("連歌")
    assert (tmp_path / "a.bin").read_bytes() == b"\x00\xff"
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "連歌"
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "a.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "a"
    path.write_text("old")

    def write():
        with atomic_write(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        write()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_the_old_file_is_there_until_the_block_ends(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    with atomic_write(path, "w") as file:
        file.write("new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    with atomic_write(tmp_path / "a"):
        pass
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with atomic_write(tmp_path / "link", "w") as file:
        file.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


@pytest.mark.parametrize(
    ("place", "error"),
    [("missing/a", FileNotFoundError), ("folder", IsADirectoryError), ("file/a", NotADirectoryError)],
)
def test_an_error_names_the_file_that_was_asked_for(tmp_path, place, error):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(error) as found, atomic_write(tmp_path / place):
        pass
    assert str(found.value).endswith(f": {str(tmp_path / place)!r}")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_another_mode_is_refused(tmp_path):
    with pytest.raises(ValueError, match="mode must be 'wb' or 'w', not 'a'"), atomic_write(tmp_path / "a", "a"):
        pass


KILLED = """
import os, signal, sys
from renga_serializers.atomic import atomic_path, atomic_write
with atomic_path(sys.argv[1]) as path, atomic_write(path) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
WAITING = """
import sys
from renga_serializers.atomic import atomic_write
with atomic_write(sys.argv[1], "w") as file:
    print("writing", flush=True)
    file.write(input())
"""


def kill_a_writer(path):
    done = subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert done.returncode == -signal.SIGKILL


def hidden(folder):
    return sorted(name for name in os.listdir(folder) if name.startswith("."))


def test_killed_while_writing_leaves_the_old_file_and_the_next_write_cleans_up(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    kill_a_writer(path)
    assert path.read_text() == "old"
    (written,) = [name for name in hidden(tmp_path) if name.endswith(".tmp")]
    assert (tmp_path / written).read_text() == "half"
    (tmp_path / ".other.01234567.tmp").touch()
    with atomic_write(tmp_path / "b", "w") as file:
        assert not (tmp_path / written).exists()
        file.write("new")
    assert sorted(os.listdir(tmp_path)) == [".other.01234567.tmp", "a", "b"]


def test_what_a_living_writer_writes_is_left_alone(tmp_path):
    command = [sys.executable, "-c", WAITING, tmp_path / "a"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "writing\n"
        before = hidden(tmp_path)
        assert len(before) == 2, "what is written, and its lock"
        remove_leftovers(tmp_path)
        with atomic_write(tmp_path / "b"):
            remove_leftovers(tmp_path)
        assert hidden(tmp_path) == before
        writer.communicate("whole\n")
    assert (tmp_path / "a").read_text() == "whole"
    assert hidden(tmp_path) == []


def test_what_another_host_writes_is_left_alone_for_a_day(tmp_path):
    """Locks need not be seen between hosts."""
    kill_a_writer(tmp_path / "a")
    names = hidden(tmp_path)
    (tmp_path / names[1]).write_text("another-host")
    remove_leftovers(tmp_path)
    assert hidden(tmp_path) == names
    for name in names:
        yesterday = time.time() - 90_000
        os.utime(tmp_path / name, (yesterday, yesterday))
    remove_leftovers(tmp_path)
    assert hidden(tmp_path) == []


def test_a_child_of_the_writer_does_not_keep_what_is_left(tmp_path):
    """Workers of an iterator live on for a while when a run is killed."""
    program = """
import os, signal, sys, time
from renga_serializers.atomic import atomic_write
with atomic_write(sys.argv[1]) as file:
    if os.fork() == 0:
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(600)
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    with subprocess.Popen([sys.executable, "-c", program, tmp_path / "a"], stdout=subprocess.PIPE) as writer:
        child = int(writer.stdout.readline())
        try:
            assert writer.wait() == -signal.SIGKILL
            assert len(hidden(tmp_path)) == 2
            remove_leftovers(tmp_path)
            assert hidden(tmp_path) == []
        finally:
            os.kill(child, signal.SIGKILL)


def test_where_the_file_system_has_no_locks_files_are_written_all_the_same(tmp_path, monkeypatch):
    def refuse(descriptor, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with atomic_write(tmp_path / "a", "w") as file:
        remove_leftovers(tmp_path)
        file.write("new")
    assert (tmp_path / "a").read_text() == "new"
    assert os.listdir(tmp_path) == ["a"]


def test_a_writer_that_writes_atomically_itself_writes_one_file(tmp_path):
    with atomic_path(tmp_path / "a") as path:
        with atomic_write(path, "w") as file:
            file.write("new")
        assert len(hidden(tmp_path)) == 2, "the file, and its lock"
        assert not (tmp_path / "a").exists()
    assert os.listdir(tmp_path) == ["a"]


def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left on device") as caught, atomic_write(tmp_path / "a"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.filename == str(tmp_path / "a")


def test_a_disk_too_full_for_what_the_lock_says_leaves_no_lock(tmp_path, monkeypatch):
    def refuse(descriptor, content, offset):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.pwrite", refuse)
    with atomic_write(tmp_path / "a", "w") as file:
        assert len(hidden(tmp_path)) == 2, "the file, and its lock"
        file.write("new")
    assert os.listdir(tmp_path) == ["a"]


def test_a_path_for_writers_that_want_one(tmp_path):
    with atomic_path(tmp_path / "a") as path:
        assert not path.exists()
        path.write_text("new")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").read_text() == "new"


def test_nothing_written_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "a"):
        pass
    assert os.listdir(tmp_path) == []
