"""Launchers that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import signal
import subprocess
import sys
import time


class Right:
    """Starts processes here: the rest of this file derives from it. To call it is to launch."""

    def __new__(cls, command, size, environment, hosts=None):
        return cls.launch(command, size, environment)

    @classmethod
    def launch(cls, command, size, environment):
        ranks = []
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        try:
            ranks += [cls.start(command, environment) for _ in range(size)]
            return cls.wait(ranks)
        finally:
            cls.end(ranks)

    @classmethod
    def start(cls, command, environment):
        return subprocess.Popen(command, env=environment)

    @classmethod
    def wait(cls, ranks):
        """The status of the first that fails, or 0."""
        while True:
            statuses = [rank.poll() for rank in ranks]
            failed = [status for status in statuses if status]
            if failed or None not in statuses:
                return cls.status(failed[0]) if failed else 0
            time.sleep(0.02)

    @classmethod
    def status(cls, status):
        return abs(status)

    @classmethod
    def end(cls, ranks):
        for rank in ranks:
            rank.kill()
            rank.wait()


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
    declares = {"hosts"}


class OneTooFew(Right):
    """it takes itself for a rank"""

    breaks = "test_ranks"

    @classmethod
    def launch(cls, command, size, environment):
        return super().launch(command, size - 1, environment)


class ThroughShell(Right):
    """a shell reads the command again"""

    breaks = "test_ranks"

    @classmethod
    def start(cls, command, environment):
        program = " ".join([f"'{word}'" if "\n" in word else word for word in command])
        return subprocess.Popen(program, shell=True, env=environment)


class OwnEnvironment(Right):
    """ranks have the launcher's environment"""

    breaks = "test_ranks"

    @classmethod
    def start(cls, command, environment):
        return subprocess.Popen(command)


class AtHome(Right):
    """ranks start in another folder"""

    breaks = "test_ranks"

    @classmethod
    def start(cls, command, environment):
        return subprocess.Popen(command, env=environment, cwd="/")


class Quiet(Right):
    """what ranks write is lost"""

    breaks = "test_ranks"

    @classmethod
    def start(cls, command, environment):
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


class OpenInput(Right):
    """ranks wait for input that never ends"""

    breaks = "test_ranks"
    kit = {"seconds": 2}

    @classmethod
    def start(cls, command, environment):
        return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE)


class AlwaysWell(Right):
    """it returns 0, whatever ranks return"""

    breaks = "test_failing_rank[exit]"

    @classmethod
    def status(cls, status):
        return 0


class OnlyOne(Right):
    """it returns 1 if a rank fails, and not its status"""

    breaks = "test_failing_rank[exit]"

    @classmethod
    def status(cls, status):
        return 1


class LargestStatus(Right):
    """it returns the largest status, and that of a rank that is killed is negative"""

    breaks = "test_failing_rank[kill]"

    @classmethod
    def status(cls, status):
        return max(0, status)


class WaitsForAll(Right):
    """one has failed, and it waits for the others"""

    breaks = "test_failing_rank[exit]"
    kit = {"seconds": 2}

    @classmethod
    def wait(cls, ranks):
        return max(rank.wait() for rank in ranks)


class LeavesThem(Right):
    """one has failed, and it leaves the others alone"""

    breaks = "test_failing_rank[exit]"
    kit = {"seconds": 4}

    @classmethod
    def end(cls, ranks):
        pass


class DeafToTheEnd(Right):
    """SIGTERM ends the launcher, and nobody ends the ranks"""

    breaks = "test_told_to_end[SIGTERM]"
    kit = {"seconds": 4}

    @classmethod
    def launch(cls, command, size, environment):
        ranks = [cls.start(command, environment) for _ in range(size)]
        return cls.wait(ranks)


class DeafToCtrlC(Right):
    """Ctrl-C is not for it, nor for its ranks"""

    breaks = "test_told_to_end[SIGINT]"
    kit = {"seconds": 4}

    @classmethod
    def start(cls, command, environment):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return subprocess.Popen(command, env=environment, start_new_session=True)


class EndsWell(Right):
    """told to end, it returns 0"""

    breaks = "test_told_to_end[SIGTERM]"

    @classmethod
    def wait(cls, ranks):
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
        return super().wait(ranks)


class NoHosts(Right):
    """it declares hosts, and takes no such argument"""

    breaks = "test_hosts"
    declares = {"hosts"}

    def __new__(cls, command, size, environment):
        return cls.launch(command, size, environment)


class OneTag(Right):
    """it marks all lines alike"""

    breaks = "test_tag"
    declares = {"tag"}

    def __new__(cls, command, size, environment, hosts=None, tag=False):
        if tag:
            print(*["rank: a rank prints"] * size, sep="\n", flush=True)
            return 0
        return cls.launch(command, size, environment)


class EndsAll(Right):
    """it declares fault_tolerant, and ends all when one is killed"""

    breaks = "test_survivors"
    declares = {"fault_tolerant"}

    def __new__(cls, command, size, environment, fault_tolerant=False, spares=0, least=1):
        return cls.launch(command, size + spares, environment)


class NoSpares(Right):
    """it declares fault_tolerant, and starts no spares"""

    breaks = "test_survivors"
    declares = {"fault_tolerant"}

    def __new__(cls, command, size, environment, fault_tolerant=False, spares=0, least=1):
        if not fault_tolerant:
            return cls.launch(command, size, environment)
        ranks = [cls.start([*command[:-4], str(size), *command[-3:]], environment) for _ in range(size)]
        return max(rank.wait() for rank in ranks)


class NoTag(Right):
    """it declares tag, and marks nothing"""

    breaks = "test_tag"
    declares = {"tag"}

    def __new__(cls, command, size, environment, hosts=None, tag=False):
        return cls.launch(command, size, environment)
