"""Checks that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import subprocess
import sys
import threading
import time

SLEEPING = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]


class Right:
    """Finds that all is well: the rest of this file derives from it. To call it is to check."""

    def __new__(cls, seconds, hosts):
        return cls.check(seconds, hosts)

    @classmethod
    def check(cls, seconds, hosts):
        return [("a thing", "ready", "as it should be")]


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Silent(Right):
    """it returns no row"""

    breaks = "test_rows"

    @classmethod
    def check(cls, seconds, hosts):
        return []


class Pairs(Right):
    """its rows have no state"""

    breaks = "test_rows"

    @classmethod
    def check(cls, seconds, hosts):
        return [("a thing", "as it should be")]


class Fine(Right):
    """its state is a word of its own"""

    breaks = "test_rows"

    @classmethod
    def check(cls, seconds, hosts):
        return [("a thing", "fine", "as it should be")]


class Verbose(Right):
    """it puts the lines of a log into a row"""

    breaks = "test_rows"

    @classmethod
    def check(cls, seconds, hosts):
        return [("a thing", "broken", "first line\nsecond line")]


class Raises(Right):
    """it raises what it finds"""

    breaks = "test_rows"

    @classmethod
    def check(cls, seconds, hosts):
        raise OSError("there is no such thing")


class LeavesProcess(Right):
    """a process that it has started goes on"""

    breaks = "test_rows"
    kit = {"patience": 0.5}

    @classmethod
    def check(cls, seconds, hosts):
        cls.left = subprocess.Popen(SLEEPING, start_new_session=True)
        return super().check(seconds, hosts)


class LeavesThread(Right):
    """a thread that it has started goes on"""

    breaks = "test_rows"

    @classmethod
    def check(cls, seconds, hosts):
        threading.Thread(target=time.sleep, args=(3,), name="watcher", daemon=True).start()
        return super().check(seconds, hosts)


class LeavesFile(Right):
    """it writes a log into the current folder"""

    breaks = "test_rows"

    @classmethod
    def check(cls, seconds, hosts):
        with open("doctor.log", "w") as file:
            file.write("all is well")
        return super().check(seconds, hosts)


class Patient(Right):
    """it waits for an answer, however little time there is"""

    breaks = "test_little_time"
    kit = {"patience": 0.5}

    @classmethod
    def check(cls, seconds, hosts):
        time.sleep(10)
        return super().check(seconds, hosts)


class KnowsNoHost(Right):
    """a host that there is not is an error"""

    breaks = "test_unknown_host"

    @classmethod
    def check(cls, seconds, hosts):
        if hosts is not None:
            raise LookupError(f"unknown: {hosts}")
        return super().check(seconds, hosts)


class Prints(Right):
    """it prints what it does"""

    breaks = "test_prints_nothing"

    @classmethod
    def check(cls, seconds, hosts):
        print("trying a thing")
        return super().check(seconds, hosts)
