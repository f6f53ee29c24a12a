import os
import signal
import subprocess
import sys
import threading

import pytest

from renga_serializers.file_lock import FileLock

HOLD = """
import sys
from renga_serializers.file_lock import FileLock
lock = FileLock.take(sys.argv[1])
lock.write(b"mine")
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lock"


def test_one_holds_it_at_a_time(path):
    lock = FileLock.take(path)
    assert FileLock.take(path) is None
    lock.release()
    assert not path.exists()
    again = FileLock.take(path)
    assert again is not None
    again.release()


def test_who_waits_gets_it(path):
    lock = FileLock.take(path)
    got = []
    thread = threading.Thread(target=lambda: got.append(FileLock.take(path, wait=True)))
    thread.start()
    assert not got
    lock.release()
    thread.join(60)
    assert path.exists()
    got[0].release()
    assert not path.exists()


def test_who_leaves_it_leaves_what_is_in_it(path):
    lock = FileLock.take(path)
    lock.write(b"a long line")
    lock.write(b"short")
    lock.leave()
    assert path.read_bytes() == b"short"
    lock = FileLock.take(path, create=False)
    assert lock.read() == b"short"
    lock.release()
    with pytest.raises(FileNotFoundError):
        FileLock.take(path, create=False)


@pytest.mark.parametrize("number", [None, signal.SIGKILL])
def test_another_process_holds_it_until_it_ends(path, number):
    command = [sys.executable, "-c", HOLD, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        assert FileLock.take(path) is None
        assert path.read_bytes() == b"mine"
        if number is not None:
            holder.send_signal(number)
    assert path.exists() == (number is not None)
    lock = FileLock.take(path)
    assert lock is not None
    lock.release()


def test_a_forked_child_does_not_hold_it(path):
    lock = FileLock.take(path)
    child = os.fork()
    if child == 0:
        lock.release()  # does nothing: it is the parent's
        os._exit(0 if path.exists() and FileLock.take(path) is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert path.exists()
    lock.release()
