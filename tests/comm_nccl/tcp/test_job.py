"""Who is in a group whose ranks may die, as the launcher's process decides it. Clients are lists of their messages."""

import random

import pytest

from renga_comm_base.members import Role
from renga_comm_nccl.tcp.resilient.job import Job, Policy
from renga_comm_nccl.tcp.resilient.told import EXPELLED, FEW, GROUP, LOST, OUT, WAITING


class Client:
    def __init__(self, number):
        self.number = number
        self.told = []
        self.place = None
        self.gone = False

    def last(self, kind):
        return next(content for told, content in reversed(self.told) if told == kind)


class Trial:
    """A job with its processes, which answer only when a test tells them to."""

    def __init__(self, *policy, timeout=0.0, **more):
        self.policy = Policy(*policy, **more)
        self.clients, self.started, self.killed, self.revoked = {}, [], [], []
        self.job = Job(self.policy, timeout, self.started.append, self.killed.append)
        self.job.attach(self.tell, lambda epoch, why: self.revoked.append(epoch))
        for number in range(self.policy.ranks):
            self.enroll(number)
        for number in range(self.policy.ranks):
            self.settle(number)

    def tell(self, client, kind, content):
        client.told.append((kind, content))
        if kind == GROUP:
            client.place = content

    def enroll(self, number):
        self.clients[number] = Client(number)
        self.job.do_enroll(self.clients[number], number, ("host", 100 + number))

    def settle(self, number, role=Role.ACTIVE, splits=0, has_state=True):
        self.job.do_settle(self.clients[number], int(role), splits, has_state)

    def wait(self, number, splits=0):
        self.enroll(number)
        self.settle(number, Role.WAITING, splits, has_state=False)

    def die(self, number):
        self.clients[number].gone = True
        self.job.died(number)

    def group(self):
        """The numbers of the ranks of the present group, in order."""
        there = [one for one in self.clients.values() if one.place and one.place.epoch == self.job.epoch]
        return [one.number for one in sorted(there, key=lambda one: one.place.rank) if not one.gone]


def test_others_are_told_and_go_on_when_all_that_live_have_asked():
    trial = Trial(3)
    assert trial.group() == [0, 1, 2]
    trial.die(1)
    assert trial.revoked == [1]
    assert trial.clients[2].last(LOST) == (1, "rank 1 (host, process 101) has died")
    trial.settle(0)
    assert trial.clients[0].place.epoch == 1
    trial.settle(2)
    assert trial.group() == [0, 2]
    assert trial.clients[2].place[:4] == (2, 1, 2, 2)  # epoch, rank, size, seat
    assert trial.clients[2].place.change.lost == (1,)
    assert trial.job.why_lost(1) == "the group has changed"
    assert not trial.job.why_lost(2)


def test_a_spare_that_starts_with_the_job_is_awaited():
    trial = Trial(2, 1)
    trial.die(0)
    trial.settle(1)
    assert trial.clients[1].place.epoch == 1
    trial.wait(2)
    assert trial.group() == [2, 1]
    assert trial.clients[1].place.change.previous == (None, 1)


@pytest.mark.parametrize("waits", [False, True])
def test_a_new_process_replaces_a_dead_one_now_or_at_the_next_boundary(waits):
    trial = Trial(2, 0, 1, 1, waits)
    trial.die(0)
    assert trial.started == [2]
    trial.settle(1)
    assert trial.job.epoch == (1 if waits else 2)
    trial.wait(2)
    if not waits:
        assert trial.clients[1].last(WAITING) == (0, 2)
        trial.settle(1)
    assert trial.group() == [2, 1]
    trial.die(2)
    assert trial.started == [2]  # only one
    trial.settle(1)
    assert trial.group() == [1]


def test_a_request_adds_a_rank_and_one_that_leaves_takes_its_place_along():
    trial = Trial(1, most=2)
    trial.job.request()
    trial.job.request()
    assert trial.started == [1]
    trial.wait(1)
    assert trial.clients[0].last(WAITING) == (0, 2)  # more places than it was told before
    trial.settle(0)
    assert trial.group() == [0, 1]
    trial.settle(0, Role.LEAVING)
    trial.settle(1)
    assert trial.clients[0].told[-1] == (OUT, None)
    assert (trial.group(), trial.clients[1].place.total, trial.job.unneeded) == ([1], 1, {0})


def test_too_few():
    trial = Trial(3, least=3)
    trial.die(2)
    trial.settle(0)
    trial.settle(1)
    assert "2 ranks are left, and the job needs 3" in trial.clients[1].last(FEW)
    trial.settle(1)
    assert trial.clients[1].told[-1] == (OUT, None)


def test_nobody_is_needed_when_all_have_ended():
    trial = Trial(2, 1)
    trial.wait(2)
    trial.job.do_end(trial.clients[0])
    assert not trial.clients[2].told
    trial.job.do_end(trial.clients[1])
    assert trial.clients[2].told == [(OUT, None)]
    assert trial.job.unneeded == {2}


@pytest.mark.parametrize("late", [0, 1, 2])
def test_a_rank_that_does_not_come_to_recover_is_killed(monkeypatch, late):
    now = [100.0]
    monkeypatch.setattr("renga_comm_nccl.tcp.resilient.job.time.monotonic", lambda: now[0])
    trial = Trial(3, 1, timeout=5.0)
    trial.wait(3)  # a spare waits as long as it likes
    now[0] += 60
    others = [rank for rank in range(3) if rank != late]
    trial.job.do_revoke(trial.clients[late], 1, "NCCL has failed")
    for rank in others:
        trial.settle(rank)
    now[0] += 4
    trial.job.look()
    assert trial.killed == []
    now[0] += 2
    trial.job.look()
    assert trial.killed == [late]
    trial.clients[late].gone = True
    assert trial.clients[late].last(EXPELLED) == "has not come to recover in 5 s"
    assert sorted(trial.group()) == [*others, 3]
    assert trial.group()[late] == 3


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_all_have_the_same_group(seed):
    dice = random.Random(seed)
    trial = Trial(dice.randint(1, 4), dice.randint(0, 2), 1, dice.randint(0, 2), dice.random() < 0.5)
    for number in range(trial.policy.ranks, trial.policy.ranks + trial.policy.spares):
        trial.wait(number)
    for _ in range(60):
        alive = [one for one in trial.clients.values() if not one.gone]
        has_place = [one for one in alive if one.place and one.place.epoch == trial.job.epoch]
        if not has_place:
            break
        now = dice.random()
        if now < 0.2 and len(has_place) > 1:
            trial.die(dice.choice(alive).number)
        elif now < 0.5 and trial.started:
            number = trial.started.pop(0)
            trial.wait(number)
        else:
            for one in has_place:
                if trial.job.why_lost(one.place.epoch) or one.told[-1][0] == WAITING:
                    trial.settle(one.number)
        places = {}
        for one in trial.clients.values():
            for kind, place in one.told:
                if kind == GROUP:
                    places.setdefault(place.epoch, []).append(place)
        for epoch, same in places.items():
            assert len({(place.size, place.change, place.total) for place in same}) == 1, epoch
            assert sorted(place.rank for place in same) == list(range(same[0].size))
            assert len({place.seat for place in same}) == len(same)
