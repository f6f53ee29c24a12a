import json
import threading

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_backend
from renga_core.plugin import UnknownProvider


@pytest.fixture(autouse=True)
def put_back():
    state = random.get_state()
    yield
    random.set_state(state)


def draw(n=5):
    return random.generator(get_backend("numpy")).random(n)


def test_a_seed_decides_everything():
    random.seed(1)
    first = draw(), random.spawn_seed(), random.spawn_seed(), draw()
    random.seed(1)
    again = draw(), random.spawn_seed(), random.spawn_seed(), draw()
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    random.seed(2)
    assert not np.array_equal(draw(), first[0])


def test_what_is_drawn_does_not_depend_on_the_order_of_first_use():
    random.seed(1)
    numbers, child = draw(), random.spawn_seed()
    random.seed(1)
    assert random.spawn_seed() == child
    np.testing.assert_array_equal(draw(), numbers)


def test_children_differ_and_fit_63_bits():
    random.seed(np.int64(3))
    seeds = [random.spawn_seed() for _ in range(100)]
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_unseeded_runs_differ():
    random.set_state({"entropy": None, "children": 0, "generators": {}})
    first = random.spawn_seed()
    random.set_state({"entropy": None, "children": 0, "generators": {}})
    assert random.spawn_seed() != first


@pytest.mark.parametrize("wrong", [-1, 1.0, "1", None])
def test_what_is_no_seed(wrong):
    random.seed(5)
    before = random.get_state()
    with pytest.raises(ValueError, match="a seed must be a non-negative integer, not "):
        random.seed(wrong)
    assert random.get_state() == before


def test_the_state_goes_through_json_and_back():
    random.seed(2**80)
    draw(3)
    random.spawn_seed()
    state = json.loads(json.dumps(random.get_state()))
    numbers, child = draw(), random.spawn_seed()
    random.seed(7)
    draw(100)
    random.set_state(state)
    np.testing.assert_array_equal(draw(), numbers)
    assert random.spawn_seed() == child


def test_a_generator_first_used_after_the_state_was_taken_starts_from_the_seed():
    random.seed(4)
    state = random.get_state()
    assert state["generators"] == {}
    numbers = draw()
    random.set_state(state)
    np.testing.assert_array_equal(draw(), numbers)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"entropy": 1, "children": 0, "generators": {"nunpy": {}}}, UnknownProvider),
        ({"entropy": 1, "children": 0, "generators": {"numpy": {"bit_generator": "other"}}}, ValueError),
        ({"children": 0, "generators": {}}, KeyError),
    ],
)
def test_a_wrong_state_changes_nothing(wrong, error):
    random.seed(9)
    draw()
    before = random.get_state()
    with pytest.raises(error):
        random.set_state(wrong)
    assert random.get_state() == before


def test_numpys_global_generator_is_not_touched():
    before = np.random.get_state()[1].copy()
    random.seed(1)
    draw()
    random.spawn_seed()
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def test_threads_share_one_generator_and_no_child_twice():
    random.seed(0)
    found, generators = [], []

    def work():
        generators.append(random.generator(get_backend("numpy")))
        found.extend(random.spawn_seed() for _ in range(200))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 800
    assert len({id(g) for g in generators}) == 1


def test_backends_of_one_stream_start_alike():
    class Other(type(get_backend("numpy"))):
        name = "other"

    class Alike(Other):
        name = "alike"
        random_stream = "numpy"

    random.seed(3)
    numbers = draw()
    np.testing.assert_array_equal(random.generator(Alike()).random(5), numbers)
    assert not np.array_equal(random.generator(Other()).random(5), numbers)


def test_replaying():
    random.seed(5)
    draw()
    state = random.get_state()
    first, rest = draw(), draw()
    random.set_state(state)
    draw()
    with random.replaying(state):
        np.testing.assert_array_equal(draw(), first)
    np.testing.assert_array_equal(draw(), rest)


def test_replaying_ends_with_an_error_too():
    random.seed(5)
    state = random.get_state()
    draw()
    after = random.get_state()
    with pytest.raises(ZeroDivisionError), random.replaying(state):
        1 / int(draw(0).size)
    assert random.get_state() == after


def test_a_generator_in_place_of_a_backends_own():
    given = np.random.Generator(np.random.PCG64(11))
    random.seed(1)
    own = draw()
    random.use("numpy", lambda: given)
    try:
        assert random.generator(get_backend("numpy")) is given
        random.seed(1)
        assert random.generator(get_backend("numpy")) is given
        state = json.loads(json.dumps(random.get_state()))
        expected, then = draw(), draw()
        random.set_state(state)
        assert random.generator(get_backend("numpy")) is given
        np.testing.assert_array_equal(draw(), expected)
        with random.replaying(state):
            np.testing.assert_array_equal(draw(), expected)
        np.testing.assert_array_equal(draw(), then)
    finally:
        random.use("numpy", None)
    random.seed(1)
    np.testing.assert_array_equal(draw(), own)
