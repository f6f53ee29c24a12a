import os
import pickle
import tempfile
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.serializers import FileDamaged
from renga_training.snapshots import Newest, SnapshotNames, SnapshotStore

NAMES = SnapshotNames("s_{iteration}", "rank{rank}_of_s_{iteration}")


def store_of(folder, *policies, **of_rank):
    return SnapshotStore(folder, NAMES, policies, **of_rank)


def write(store, iteration, rank=0, text="whole"):
    return store.write(store.names.of_iteration(iteration, rank), lambda path: path.write_text(text))


def load(path):
    """Files hold a text that says what is wrong with them."""
    text = path.read_text()
    if text == "damaged":
        raise FileDamaged(str(path), "a test")
    if text == "unreadable":
        raise PermissionError(13, "no permission", str(path))


def names(folder):
    return sorted(os.listdir(folder))


def test_the_newest_first_whatever_the_clock_says(tmp_path):
    store = store_of(tmp_path / "new")
    assert (store.find(), store.shards(), store.load_newest(load)) == ([], [], None)
    for iteration in (5, 100, 20):
        os.utime(write(store, iteration), (1000 - iteration, 1000 - iteration))
    write(store, 100, rank=3)
    assert [file.path.name for file in store.find()] == ["s_100", "s_20", "s_5"]
    assert [path.name for path in store.shards()] == ["rank3_of_s_100"]
    assert store.path(20) == store.find()[1].path


def test_the_newest_that_is_whole(tmp_path):
    store = store_of(tmp_path)
    for iteration, text in ((1, "whole"), (2, "whole"), (3, "unreadable"), (4, "damaged")):
        write(store, iteration, text=text)
    with pytest.warns(UserWarning, match=r"s_4: damaged.*s_3.*Resuming from .*s_2") as caught:
        assert store.load_newest(load).path.name == "s_2"
    assert len(caught) == 1
    assert store.load_newest(load, at_most=(1,)).path.name == "s_1"
    write(store, 2, text="unreadable")
    write(store, 1, text="damaged")
    with pytest.raises(FileDamaged, match="s_4") as raised:
        store.load_newest(load)
    assert [note.split("/")[-1][:3] for note in raised.value.__notes__] == ["s_3", "s_2", "s_1"]


def test_what_is_wrong_with_the_program_is_no_damage(tmp_path):
    store = store_of(tmp_path)
    write(store, 1)
    write(store, 2)

    def mistaken(path):
        raise TypeError("a mistake")

    with pytest.raises(TypeError, match="a mistake"):
        store.load_newest(mistaken)


def test_a_write_that_fails_changes_nothing(tmp_path):
    store = store_of(tmp_path, Newest(1))
    write(store, 1)

    def fail(path):
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        store.write("s_1", fail)
    assert names(tmp_path) == ["s_1"]
    assert (tmp_path / "s_1").read_text() == "whole"


ACTIONS = st.one_of(
    st.tuples(st.just("save"), st.integers(1, 3)),
    st.tuples(st.just("damage"), st.integers(0, 3)),
    st.tuples(st.just("resume"), st.none()),
)


@given(st.lists(ACTIONS, max_size=25), st.integers(1, 3), st.booleans())
def test_the_newest_whole_one_is_never_lost(actions, n, clock_is_set_back):
    """Of runs that save, whose files are damaged, that are stopped and go on."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        store, now, gone_on_from = store_of(folder, Newest(n)), 0, None
        for action, how in actions:
            files = store.find()
            if action == "save":
                now += how
                new = write(store, now)
                if clock_is_set_back:
                    os.utime(new, (10**6 - now, 10**6 - now))
                store.remove_old(new)
                assert new.exists()
                assert gone_on_from is None or n == 1 or gone_on_from.exists()
                assert len(store.find()) <= n
                gone_on_from = None
            elif action == "damage" and how < len(files):
                files[how].path.write_text("damaged")
            elif action == "resume":
                store = store_of(folder, Newest(n))
                whole = [file for file in files if file.path.read_text() == "whole"]
                if whole or not files:
                    found = store.load_newest(load)
                    assert found == next(iter(whole), None)
                    now, gone_on_from = (int(found.progress[0]), found.path) if found else (0, None)
                else:
                    gone_on_from = None
                    with pytest.raises(FileDamaged):
                        store.load_newest(load)


def test_what_was_found_damaged_is_not_kept_in_the_place_of_what_is_whole(tmp_path):
    for limit, text in ((None, "damaged"), ((10,), "whole")):
        store = store_of(tmp_path, Newest(2))
        write(store, 10)
        write(store, 20, text=text)
        if limit is None:
            with pytest.warns(UserWarning, match="s_20"):
                store.load_newest(load)
        else:
            store.load_newest(load, limit)  # another rank's of iteration 20 is damaged
        store.remove_old(write(store, 25))
        assert names(tmp_path) == ["s_10", "s_25"]
        store.remove_all()


def test_what_was_damaged_counts_again_when_it_has_been_written_anew(tmp_path):
    store = store_of(tmp_path, Newest(2))
    for iteration in (10, 20):
        write(store, iteration, text="damaged")
    with pytest.raises(FileDamaged):
        store.load_newest(load)
    store.remove_old(write(store, 10))
    store.remove_old(write(store, 20))
    assert names(tmp_path) == ["s_10", "s_20"]


def test_without_a_policy_everything_stays(tmp_path):
    store = store_of(tmp_path)
    for iteration in (3, 2, 1):
        store.remove_old(write(store, iteration))
    assert names(tmp_path) == ["s_1", "s_2", "s_3"]
    assert store.choose(tmp_path / "s_1") == {"s_1", "s_2", "s_3"}


def test_policies_together(tmp_path):
    class Even:
        def choose(self, snapshots):
            return [each for each in snapshots if each.progress[0] % 2 == 0]

    store = store_of(tmp_path, Newest(1), Even())
    for iteration in range(6):
        store.remove_old(write(store, iteration))
    assert names(tmp_path) == ["s_0", "s_2", "s_4", "s_5"]


def test_what_cannot_be_read_for_now_is_not_removed(tmp_path):
    """A network file system that does not answer, for instance."""
    write(store_of(tmp_path), 2)

    class Failing:
        def choose(self, snapshots):
            raise OSError("stale file handle")

    for policies in ([Failing()], [Newest(1), Failing()]):
        store = store_of(tmp_path, *policies)
        write(store, 3)
        with pytest.warns(UserWarning, match="no old snapshot is removed now, .*stale file handle"):
            store.remove_old(write(store, 4))
        assert names(tmp_path) == ["s_2", "s_3", "s_4"]


def test_what_no_policy_chooses_is_kept_as_long_as_it_is_the_newest(tmp_path):
    class Nothing:
        def choose(self, snapshots):
            return []

    store = store_of(tmp_path, Nothing())
    for iteration in (1, 2):
        store.remove_old(write(store, iteration))
        assert names(tmp_path) == [f"s_{iteration}"]


def test_shards_go_with_the_snapshot(tmp_path):
    """A process that is alone goes on where three were."""
    several = [store_of(tmp_path, rank=rank, size=3) for rank in range(3)]
    for iteration in (1, 2):
        for store in several[1:]:
            write(store, iteration, store.rank)
        write(several[0], iteration)
    alone = store_of(tmp_path, Newest(2))
    alone.remove_old(write(alone, 3))
    assert names(tmp_path) == ["rank1_of_s_2", "rank2_of_s_2", "s_2", "s_3"]
    alone.remove_old(write(alone, 4))
    assert names(tmp_path) == ["s_3", "s_4"]


def test_each_rank_removes_its_own_and_the_first_those_of_ranks_that_are_no_more(tmp_path):
    for iteration in (1, 2):
        for rank in range(4):
            write(store_of(tmp_path), iteration, rank)
    store_of(tmp_path, rank=1, size=2).keep_only({"s_2"})
    assert "rank1_of_s_1" not in names(tmp_path)
    assert len(names(tmp_path)) == 7
    store_of(tmp_path, rank=0, size=2).keep_only({"s_2"})
    assert names(tmp_path) == ["rank1_of_s_2", "rank2_of_s_2", "rank3_of_s_2", "s_2"]


def test_a_folder_is_left_alone(tmp_path):
    (tmp_path / "s_1").mkdir()
    store = store_of(tmp_path, Newest(1))
    store.remove_old(write(store, 2))
    store.remove_all()
    assert names(tmp_path) == ["s_1"]


def test_a_name_that_is_not_found_again_leads_to_nothing_being_removed(tmp_path):
    store = store_of(tmp_path, Newest(1))
    write(store, 1)
    store.remove_old(tmp_path / "other")
    assert names(tmp_path) == ["s_1"]


def test_it_goes_to_another_process(tmp_path):
    store = pickle.loads(pickle.dumps(store_of(tmp_path, Newest(1))))
    write(store, 1)
    store.remove_old(write(store, 2))
    assert names(tmp_path) == ["s_2"]
