import errno
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from renga_core.serializers.atomic import atomic_path, atomic_write, remove_leftovers


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


def test_another_mode_is_refused(tmp_path):
    with pytest.raises(ValueError, match="mode is 'wb' or 'w', not 'a'"), atomic_write(tmp_path / "a", "a"):
        pass


def test_killed_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    program = textwrap.dedent(
        """
        import os, signal, sys
        from renga_core.serializers import atomic_write
        with atomic_write(sys.argv[1]) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert [name for name in os.listdir(tmp_path) if name != "a"], "what was written is left over"
    (tmp_path / ".other.01234567.tmp").touch()
    remove_leftovers(tmp_path, "a*")
    assert sorted(os.listdir(tmp_path)) == [".other.01234567.tmp", "a"]


def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left on device") as caught, atomic_write(tmp_path / "a"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.filename == str(tmp_path / "a")


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
