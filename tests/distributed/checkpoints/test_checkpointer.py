"""Runs of several ranks that are stopped and go on."""

import json
import tempfile
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.iterators import SerialIterator
from renga.training import Trainer, extensions, updaters
from renga_core import random
from renga_core.backend import get_backend
from renga_core.communicator import MismatchError
from renga_core.serializers import FileMismatched
from renga_distributed.checkpoints import CheckpointError, create_multi_node_checkpointer, world_size_change
from renga_distributed.create import create_communicator
from renga_distributed.datasets import scatter_dataset
from renga_distributed.optimizers import create_multi_node_optimizer
from renga_distributed.threads import launch

N, BATCH = 30, 8


def data():
    generator = np.random.default_rng(0)
    x = generator.standard_normal((N, 4))
    return list(zip(x, (x.sum(axis=1) > 0).astype(np.int32), strict=True))


class Net(renga.Chain):
    """With statistics that differ between ranks, and, if asked for, random numbers."""

    def __init__(self, dropout=False):
        super().__init__()
        self.dropout = dropout
        with self.init_scope():
            self.first = L.Linear(4, 5, initialW=np.random.default_rng(1).standard_normal((5, 4)))
            self.norm = L.BatchNormalization(5, dtype=np.float64)
            self.last = L.Linear(5, 2, initialW=np.random.default_rng(2).standard_normal((2, 5)))

    def forward(self, x):
        hidden = self.norm(self.first(x))
        return self.last(F.dropout(hidden, 0.3) if self.dropout else hidden)


class Plain(renga.Chain):
    """Without anything that depends on what else is in the batch."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first = L.Linear(4, 5, initialW=np.random.default_rng(1).standard_normal((5, 4)))
            self.last = L.Linear(5, 2, initialW=np.random.default_rng(2).standard_normal((2, 5)))

    def forward(self, x):
        return self.last(F.tanh(self.first(x)))


def make(communicator, out, net, iterations, *, iterator=None, name="run", cp=5, gc=5, **options):
    """Return a trainer with a checkpointer that saves after every second iteration, and the checkpointer."""
    with renga.using_config("dtype", np.float64):
        model = L.Classifier(net())
    optimizer = renga.optimizers.Adam(alpha=0.02)
    if communicator.size > 1 or options:
        optimizer = create_multi_node_optimizer(optimizer, communicator, weighted=True, **options)
    optimizer.setup(model)
    batches = iterator or SerialIterator(data(), BATCH, seed=7, communicator=communicator)
    trainer = Trainer(updaters.StandardUpdater(batches, optimizer), (iterations, "iteration"), out=out)
    trainer.extend(extensions.LogReport(trigger=(1, "iteration"), filename=None))
    checkpointer = create_multi_node_checkpointer(name, communicator, cp, gc)
    trainer.extend(checkpointer, trigger=(2, "iteration"))
    return trainer, checkpointer


class Stop(Exception):
    """What ends a run before its time."""


def run(communicator, out, net, iterations, stop_after=None, load=False, **more):
    """Train; return all parameters and persistents, and the iteration that was loaded."""
    trainer, checkpointer = make(communicator, out, net, iterations, **more)
    loaded = checkpointer.maybe_load(trainer) if load else None

    def stop(trainer):
        if trainer.updater.iteration == stop_after:
            raise Stop

    trainer.extend(stop, trigger=(1, "iteration"), priority=-1000)
    with suppress(Stop):
        trainer.run(show_loop_exception_msg=False)
    return state(trainer.updater.get_optimizer("main").target), loaded


def state(model):
    """Parameters and persistent values by path."""
    serializer = renga.serializers.DictionarySerializer()
    serializer.save(model)
    return {key: array.copy() for key, array in serializer.target.items()}


def assert_same(one, other):
    assert set(one) == set(other)
    for key in one:
        np.testing.assert_array_equal(one[key], other[key], err_msg=key)


def files(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


@pytest.mark.parametrize("options", [{}, {"double_buffering": True}, {"overlap": True}, {"sharded": True}])
def test_the_same_number_of_ranks_goes_on_bit_for_bit(tmp_path, options):
    whole = launch(lambda comm: run(comm, tmp_path / "whole", Net, 9, **options), 3)
    stopped = launch(lambda comm: run(comm, tmp_path / "out", Net, 9, stop_after=5, **options), 3)
    went_on = launch(lambda comm: run(comm, tmp_path / "out", Net, 9, load=True, **options), 3)
    assert [loaded for _, loaded in went_on] == [4, 4, 4]
    for rank in range(3):
        assert_same(went_on[rank][0], whole[rank][0])
    # Something has happened meanwhile, and ranks do differ where they should.
    assert (stopped[0][0]["predictor/first/W"] != went_on[0][0]["predictor/first/W"]).any()
    assert (went_on[0][0]["predictor/norm/avg_mean"] != went_on[1][0]["predictor/norm/avg_mean"]).any()


def run_with_dropout(out, iterations, stop_after=None, load=False):
    """Run on real processes, whose random numbers are their own."""
    communicator = create_communicator("naive")
    renga.random.seed(100 + communicator.rank)
    return run(communicator, out, lambda: Net(dropout=True), iterations, stop_after, load)


def test_random_numbers_of_each_process_go_on(tmp_path, rank_pool):
    pool, program = rank_pool(2), (__file__, "run_with_dropout")
    whole = pool.run(program, tmp_path / "whole", 7)
    pool.run(program, tmp_path / "out", 7, 5)
    went_on = pool.run(program, tmp_path / "out", 7, None, True)
    for rank in range(2):
        assert went_on[rank][1] == 4
        assert_same(went_on[rank][0], whole[rank][0])


@pytest.mark.parametrize(("before", "after"), [(2, 3), (3, 1), (1, 4), (4, 2)])
@pytest.mark.parametrize("options", [{}, {"sharded": True}])
def test_another_number_of_ranks_goes_on_with_the_next_examples(tmp_path, before, after, options):
    # In the middle of an epoch (3.75 batches), and across the ends of two.
    reference, _ = launch(lambda comm: run(comm, tmp_path / "whole", Plain, 9), 1)[0]
    launch(lambda comm: run(comm, tmp_path / "out", Plain, 9, stop_after=7, **options), before)
    went_on = launch(lambda comm: run(comm, tmp_path / "out", Plain, 9, load=True, **options), after)
    for parameters, loaded in went_on:
        assert loaded == 6
        for key, array in parameters.items():
            np.testing.assert_allclose(array, reference[key], rtol=1e-12, atol=1e-12, err_msg=key)


def test_random_numbers_of_another_number_of_ranks(tmp_path, monkeypatch):
    """Those that have no state of their own draw numbers of their own, the same each time that they begin."""
    numpy = get_backend("numpy")
    drawn = {}

    def note(arrays, rank):
        for _ in range(2):
            world_size_change.begin_random_numbers(arrays, rank)
            drawn.setdefault(rank, []).append(random.generator(numpy).random())

    monkeypatch.setattr("renga_distributed.checkpoints.checkpointer.begin_random_numbers", note)
    launch(run, 1, tmp_path, Plain, 20, 4)
    launch(run, 2, tmp_path, Plain, 4, None, True)
    assert list(drawn) == [1]  # rank 0 goes on with its own
    assert drawn[1][0] == drawn[1][1]
    world_size_change.begin_random_numbers({"random": np.asarray("state")}, 1)
    first = random.generator(numpy).random()
    world_size_change.begin_random_numbers({"random": np.asarray("state")}, 2)
    assert random.generator(numpy).random() != first


def test_other_ranks_hold_only_what_differs(tmp_path):
    launch(lambda comm: run(comm, tmp_path, Net, 9, stop_after=3), 2)
    with np.load(tmp_path / "run.1.2", allow_pickle=False) as arrays:
        assert {"updater/model:main/predictor/norm/avg_mean", "elapsed_time"} <= set(arrays.files)
        assert not [name for name in arrays.files if name.endswith("/W") or "order" in name]
    with np.load(tmp_path / "run.0.2", allow_pickle=False) as arrays:
        assert json.loads(arrays["checkpoint"].item())["ranks"] == 2


def damage_by_truncation(path):
    path.write_bytes(path.read_bytes()[:-100])


def damage_by_a_flipped_bit(path):
    content = bytearray(path.read_bytes())
    content[content.index(b"NUMPY", len(content) // 3)] ^= 1  # in an array, and not in a date
    path.write_bytes(content)


def exchange_for_an_older_one(path):
    older = path.with_name(path.name.replace(".4", ".2"))
    path.write_bytes(older.read_bytes())


@pytest.mark.parametrize("rank", [0, 1, 2])
@pytest.mark.parametrize("damage", [damage_by_truncation, damage_by_a_flipped_bit, Path.unlink])
def test_a_damaged_generation_falls_back_to_the_one_before(tmp_path, rank, damage):
    whole = launch(lambda comm: run(comm, tmp_path / "whole", Net, 7), 3)
    launch(lambda comm: run(comm, tmp_path / "out", Net, 7, stop_after=5), 3)
    damage(tmp_path / "out" / f"run.{rank}.4")
    missing = rank == 0 and damage is Path.unlink  # then this generation never was
    with nullcontext() if missing else pytest.warns(UserWarning, match=rf"iteration 4: rank {rank}: .*run\.{rank}\.4"):
        went_on = launch(lambda comm: run(comm, tmp_path / "out", Net, 7, load=True), 3)
    for one, other in zip(went_on, whole, strict=True):
        assert one[1] == 2
        assert_same(one[0], other[0])


def test_a_part_of_another_generation_is_refused(tmp_path):
    launch(lambda comm: run(comm, tmp_path, Net, 7, stop_after=5), 2)
    exchange_for_an_older_one(tmp_path / "run.1.4")
    with pytest.warns(UserWarning, match="its SHA-256 is not what rank 0's file says"):
        assert launch(lambda comm: run(comm, tmp_path, Net, 7, load=True), 2)[0][1] == 2


def test_what_is_damaged_is_not_kept_in_the_place_of_what_is_whole(tmp_path):
    def program(comm):
        checkpointer = create_multi_node_checkpointer("run", comm, cp_interval=2, gc_interval=1, path=tmp_path)
        model = Net()
        went_on = checkpointer.maybe_load(model)
        for iteration in (10, 20) if went_on is None else (25,):
            checkpointer.save(model, iteration)
        return went_on

    assert launch(program, 2) == [None, None]
    damage_by_truncation(tmp_path / "run.1.20")
    with pytest.warns(
        UserWarning, match=r"skipped a snapshot: the checkpoint of iteration 20: rank 1: .*Resuming from .*run\.0\.10"
    ):
        assert launch(program, 2) == [10, 10]
    assert files(tmp_path) == ["run.0.10", "run.0.25", "run.1.10", "run.1.25"]


def test_where_all_is_damaged_nothing_begins_anew_unasked(tmp_path):
    launch(lambda comm: run(comm, tmp_path, Net, 7, stop_after=5), 2)
    for iteration in (2, 4):
        damage_by_truncation(tmp_path / f"run.1.{iteration}")

    def program(comm):
        with pytest.raises(
            CheckpointError, match=r"no checkpoint to continue from .*iteration 4: rank 1.*\n.*iteration 2"
        ):
            run(comm, tmp_path, Net, 7, load=True)

    launch(program, 2)


def test_files_with_pickles_are_refused(tmp_path):
    launch(lambda comm: run(comm, tmp_path, Net, 7, stop_after=3), 1)
    with np.load(tmp_path / "run.0.2", allow_pickle=False) as arrays:
        evil = {name: arrays[name] for name in arrays.files}
    with open(tmp_path / "run.0.2", "wb") as file:
        np.savez(file, **evil, bomb=np.array([Path("x")], dtype=object))
    with pytest.raises(CheckpointError, match="pickle"):
        launch(lambda comm: run(comm, tmp_path, Net, 7, load=True), 1)


def test_what_only_looks_like_its_files_is_left_alone(tmp_path):
    communicator = create_communicator("single")
    (tmp_path / "run.0.30").mkdir()
    others = ["run.0.0004", "run.0.３０", "run.00.4"]
    for name in others:
        (tmp_path / name).write_text("of somebody else")
    run(communicator, tmp_path, Net, 7, stop_after=5)
    with pytest.warns(UserWarning, match=r"skipped a snapshot: .*run\.0\.30"):  # as if it were an unpacked one
        assert run(communicator, tmp_path, Net, 7, load=True)[1] == 4
    assert files(tmp_path) == sorted([*others, "run.0.30"])


def test_a_second_attempt_while_the_first_error_is_handled(tmp_path):
    """It ends well: its files are removed, whatever is being handled around it."""
    communicator = create_communicator("single")
    trainer, _ = make(communicator, tmp_path, Net, 7)

    def fail(trainer):
        raise Stop

    trainer.extend(fail, trigger=(5, "iteration"))
    try:
        trainer.run(show_loop_exception_msg=False)
    except Stop:
        assert files(tmp_path) == ["run.0.2", "run.0.4"]
        assert run(communicator, tmp_path, Net, 7, load=True)[1] == 4
    assert files(tmp_path) == []


@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt])
def test_what_no_extension_hears_of_leaves_the_files(tmp_path, end):
    trainer, _ = make(create_communicator("single"), tmp_path, Net, 7)

    def leave(trainer):
        raise end

    trainer.extend(leave, trigger=(5, "iteration"))
    with pytest.raises(end):
        trainer.run()
    assert not trainer.complete
    assert files(tmp_path) == ["run.0.2", "run.0.4"]


def test_folders_of_their_own(tmp_path):
    """Ranks on hosts without common storage."""

    def program(comm, iterations, **more):
        return run(comm, tmp_path / str(comm.rank), Net, iterations, **more)

    whole = launch(lambda comm: run(comm, tmp_path / "whole", Net, 7), 2)
    launch(lambda comm: program(comm, 7, stop_after=5), 2)
    assert files(tmp_path / "1") == ["run.1.2", "run.1.4"]
    for one, other in zip(launch(lambda comm: program(comm, 7, load=True), 2), whole, strict=True):
        assert one[1] == 4
        assert_same(one[0], other[0])


def test_rank_0_where_its_files_are_not(tmp_path):
    launch(lambda comm: run(comm, tmp_path / str(comm.rank), Net, 7, stop_after=5), 2)

    def program(comm):
        return run(comm, tmp_path / str(1 - comm.rank), Net, 3, load=True)

    with pytest.warns(UserWarning, match=r"rank 0 on .* sees no checkpoint in .*, rank 1 on .* does: training starts"):
        assert launch(program, 2)[0][1] is None


def test_models_that_differ_are_for_as_many_ranks_as_before(tmp_path):
    def program(comm, load):
        link = L.Linear(2, 2 + comm.rank, initialW=comm.rank)
        checkpointer = create_multi_node_checkpointer("parts", comm, path=tmp_path)
        if not load:
            checkpointer.save(link, 10)
            return None
        link.W.array[...] = 9
        return checkpointer.maybe_load(link), link.W.array.max()

    launch(program, 2, False)
    assert launch(program, 2, True) == [(10, 0), (10, 1)]

    def refused(comm):
        with pytest.raises(
            CheckpointError,
            match=r"by 2 processes, each with its own part of the model. Next: continue with 2 processes",
        ):
            program(comm, True)

    launch(refused, 3)
    launch(refused, 1)


def test_parts_of_a_data_set_go_on_at_the_same_fraction_of_the_epoch(tmp_path):
    def program(comm, go_on):
        part = scatter_dataset(data(), comm, shuffle=True, seed=3)
        batches = SerialIterator(part, 2, seed=comm.rank)
        trainer, checkpointer = make(comm, tmp_path, Plain, 9, iterator=batches)
        if go_on:
            return checkpointer.maybe_load(trainer), batches.epoch_detail
        for _ in range(4):
            trainer.updater.update()
        return checkpointer.save(trainer, 4)

    launch(program, 2, False)
    assert launch(program, 2, True) == [(4, 8 / 15)] * 2
    with pytest.warns(UserWarning, match="iterator main: the number of processes has changed"):
        assert launch(program, 3, True) == [(4, 5 / 10)] * 3


def test_generations_are_collected_and_removed_at_the_end(tmp_path):
    seen = []

    def program(comm):
        trainer, _ = make(comm, tmp_path, Net, 20, cp=2, gc=3)
        if comm.rank == 0:
            trainer.extend(lambda trainer: seen.append(files(tmp_path)), trigger=(2, "iteration"), priority=-1000)
        trainer.run()

    (tmp_path / "run.1.1").write_text("of a generation that was never whole")
    (tmp_path / "run.7.2").write_text("of a rank that is no more")
    (tmp_path / "other.0.2").write_text("of another run")
    launch(program, 2)
    most = [{int(name.split(".")[2]) for name in names if name.startswith("run.0")} for names in seen]
    assert most[:6] == [{2}, {2, 4}, {4, 6}, {4, 6, 8}, {4, 6, 8, 10}, {10, 12}]
    assert files(tmp_path) == ["other.0.2"]


@pytest.mark.parametrize("failing", [0, 1])
def test_a_file_that_cannot_be_written_is_an_error_on_every_rank(tmp_path, failing):
    (tmp_path / str(failing)).write_text("a file where a folder should be")

    def program(comm):
        checkpointer = create_multi_node_checkpointer("parts", comm, path=tmp_path / str(comm.rank))
        with pytest.raises(
            CheckpointError, match=rf"iteration 3 could not be written\n  rank {failing}: .*File exists"
        ):
            checkpointer.save(L.Linear(2, 2), 3)
        assert checkpointer.maybe_load(L.Linear(2, 2)) is None

    launch(program, 2)


def test_ranks_that_are_not_after_the_same_iteration_write_nothing(tmp_path):
    """As after Ctrl-C that reaches them at different times."""

    def program(communicator):
        checkpointer = create_multi_node_checkpointer("run", communicator, path=tmp_path)
        with pytest.raises(MismatchError, match="save a checkpoint, after iteration"):
            checkpointer.save(Plain(), 5 + communicator.rank)

    launch(program, 2)
    assert files(tmp_path) == []


def test_another_run_is_refused_on_every_rank(tmp_path):
    launch(lambda comm: run(comm, tmp_path, Net, 7, stop_after=3), 2)

    def program(comm):
        with pytest.raises(FileMismatched, match="norm"):
            run(comm, tmp_path, lambda: Wider() if comm.rank else Net(), 7, load=True)

    class Wider(Net):
        def __init__(self):
            super().__init__()
            self.norm = L.BatchNormalization(6)

    launch(program, 2)


def test_statistics():
    def program(comm):
        with tempfile.TemporaryDirectory() as folder:
            checkpointer = create_multi_node_checkpointer("x", comm, path=folder)
            assert checkpointer.get_stats() == "No checkpoints yet"
            checkpointer.save(L.Linear(2, 2), 1)
            return checkpointer.get_stats()

    assert launch(program, 1)[0].endswith(", 1 checkpoints")


def test_later_generations_of_a_run_before_do_not_push_out_those_of_this_one(tmp_path):
    launch(run, 2, tmp_path, Plain, 20, 12)
    assert "run.0.12" in files(tmp_path)

    def program(communicator):
        return run(communicator, tmp_path, Plain, 20, 6, cp=2, gc=1)  # begins anew, though there are files

    launch(program, 2)
    assert files(tmp_path) == ["run.0.4", "run.0.6", "run.1.4", "run.1.6"]


@pytest.mark.parametrize("wrong", [{"cp_interval": 0}, {"gc_interval": 0}])
def test_intervals_are_positive(wrong):
    with pytest.raises(ValueError, match="at least 1"):
        create_multi_node_checkpointer("x", create_communicator("single"), **wrong)


def test_what_is_no_trainer_needs_a_path():
    with pytest.raises(ValueError, match="path="):
        create_multi_node_checkpointer("x", create_communicator("single")).save(L.Linear(2, 2), 1)
