import copy

import numpy as np
import pytest

from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.optimizer import UpdateRule
from renga_core.serializers.errors import FileRefused
from renga_serializers.npz import DictionarySerializer, NpzDeserializer, load_npz, save_npz


def step(optimizer, link, seed):
    rng = np.random.default_rng(seed)
    for param in link.params(include_uninit=False):
        if param is not getattr(link, "unused", None):
            param.grad = rng.normal(size=param.shape).astype(param.dtype)
    optimizer.update()


def test_the_state_is_made_in_the_first_update(momentum, line):
    link = line()
    optimizer = momentum().setup(link)
    rule = link.W.update_rule
    assert rule.state == {}
    optimizer.update(link, [1, 2])
    assert rule.t == 1
    np.testing.assert_array_equal(rule.state["v"], [-0.25, -0.5])


def test_changes_the_array_in_place(momentum, line):
    link = line()
    array = link.W.array
    optimizer = momentum().setup(link)
    optimizer.update(link, [1, 2])
    state = link.W.update_rule.state["v"]
    optimizer.update(link, [1, 2])
    assert link.W.array is array
    assert link.W.update_rule.state["v"] is state


def test_the_state_follows_the_parameter_to_another_device(momentum, line, monkeypatch):
    sent = []

    class Elsewhere:
        def use(self):
            return Parameter(0.0, 1).device.use()

        def send(self, array):
            sent.append(array)
            return array.copy()

    link = line()
    optimizer = momentum().setup(link)
    optimizer.update(link, [1, 2])
    state = link.W.update_rule.state["v"]
    monkeypatch.setattr("renga_core.optimizer.update_rule.get_device_of", lambda array: Elsewhere())
    optimizer.update(link, [1, 2])
    assert sent[0] is state
    assert link.W.update_rule.state["v"] is not state
    np.testing.assert_array_equal(link.W.array, [1 - 0.25 - 0.375, 1 - 0.5 - 0.75])


def test_hooks_of_one_parameter(momentum, line):
    link = line()
    optimizer = momentum().setup(link)
    seen = []
    rule = link.W.update_rule
    rule.add_hook(lambda r, p: seen.append((r, p, float(p.array[0]))), name="before")
    rule.add_hook(lambda r, p: seen.append((r, p, float(p.array[0]))), name="after", timing="post")
    optimizer.update(link, [4, 4])
    assert seen == [(rule, link.W, 1.0), (rule, link.W, 0.0)]
    rule.remove_hook("before")
    optimizer.update(link, [4, 4])
    assert len(seen) == 3


def test_without_update_core():
    param = Parameter(0.0, 1)
    param.grad = np.ones(1, np.float32)
    with pytest.raises(NotImplementedError, match="UpdateRule defines neither `update_core` nor `update_group`"):
        UpdateRule().update(param)


class TestFloat32Update:
    @pytest.fixture
    def pair(self, momentum, line):
        link = line(dtype=np.float16)
        optimizer = momentum(lr=2.0**-14)
        optimizer.use_fp32_update()
        return optimizer.setup(link), link

    def test_small_steps_add_up(self, pair, momentum, line):
        optimizer, link = pair
        plain = line(dtype=np.float16)
        direct = momentum(lr=2.0**-14, momentum=0.0).setup(plain)
        array = link.W.array
        for _ in range(16):
            optimizer.update(link, [1, 1])
            direct.update(plain, [1, 1])
        assert plain.W.array[0] == 1
        assert link.W.array[0] < 1
        assert link.W.array is array
        assert array.dtype == np.float16
        assert link.W.update_rule.state["v"].dtype == np.float32

    def test_wide_parameters_are_not_copied(self, momentum, line):
        link = line(dtype=np.float64)
        optimizer = momentum()
        optimizer.use_fp32_update()
        optimizer.setup(link).update(link, [1, 1])
        assert link.W.update_rule.state["v"].dtype == np.float64

    def test_the_loss_scale_is_divided_out_in_float32(self, pair):
        """The gradient, 2 to the power of -28, is 0 in half precision."""
        _, link = pair
        rule = link.W.update_rule
        rule.hyperparam.lr = 2.0**27
        link.W.grad = np.full(2, 2.0**-4, np.float16)
        link.W.rescale_grad(2.0**24)
        before = link.W.array.copy()
        link.W.update()
        np.testing.assert_array_equal(link.W.array, before - 0.5)

    def test_a_change_from_outside_is_taken_over(self, pair):
        optimizer, link = pair
        for _ in range(4):
            optimizer.update(link, [1, 1])
        link.W.array[0] = 100
        link.W.update_rule.hyperparam.lr = 0.0
        link.W.update_rule.hyperparam.momentum = 0.0
        optimizer.update(link, [0, 0])
        assert link.W.array[0] == 100
        assert link.W.array[1] < 1


class TestSerialize:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    @pytest.mark.parametrize("through_float32", [False, True])
    def test_a_resumed_run_is_identical(self, momentum, line, dtype, through_float32, tmp_path):
        def make():
            link = line(size=100, dtype=dtype)
            link.add_param("scalar", (), dtype, 1.0)
            optimizer = momentum(lr=0.001)
            optimizer.use_fp32_update(through_float32)
            return optimizer.setup(link), link

        optimizer, link = make()
        for seed in range(3):
            step(optimizer, link, seed)
        save_npz(tmp_path / "link.npz", link)
        save_npz(tmp_path / "optimizer.npz", optimizer)
        optimizer.new_epoch()
        resumed, copied = make()
        load_npz(tmp_path / "link.npz", copied)
        load_npz(tmp_path / "optimizer.npz", resumed)
        assert (resumed.t, resumed.epoch) == (3, 0)
        for seed in range(3, 6):
            step(optimizer, link, seed)
            step(resumed, copied, seed)
        for one, two in zip(link.params(), copied.params(), strict=True):
            assert one.array.tobytes() == two.array.tobytes()
            assert one.update_rule.t == two.update_rule.t

    def test_it_shares_no_memory_with_what_it_was_loaded_from(self, momentum, line):
        optimizer, link = momentum(), line()
        optimizer.setup(link).update(link, [1, 2])
        target = {}
        optimizer.serialize(DictionarySerializer(target))
        made = momentum().setup(line())
        made.serialize(NpzDeserializer(target))
        made.update(made.target, [1, 2])
        np.testing.assert_array_equal(link.W.update_rule.state["v"], [-0.25, -0.5])

    def test_keys(self, momentum, line):
        optimizer, link = momentum(), line()
        optimizer.setup(link).update(link, [1, 2])
        target = {}
        optimizer.serialize(DictionarySerializer(target))
        assert set(target) == {"t", "epoch", "W/t", "W/v", "unused/t"}

    def test_loading_the_beginning_starts_over(self, momentum, line):
        optimizer, link = momentum(), line()
        optimizer.setup(link)
        target = {}
        optimizer.serialize(DictionarySerializer(target))
        optimizer.update(link, [1, 2])
        optimizer.serialize(NpzDeserializer(target))
        link.W.array[:] = 1
        optimizer.update(link, [1, 2])
        np.testing.assert_array_equal(link.W.array, [0.75, 0.5])

    def test_parameters_without_shape(self, momentum, tmp_path):
        def make():
            link = Link(W=None, never=None)
            return momentum().setup(link), link

        optimizer, link = make()
        link.W.initialize((2,))
        link.W.array[:] = 1
        step(optimizer, link, 0)
        save_npz(tmp_path / "link.npz", link)
        save_npz(tmp_path / "optimizer.npz", optimizer)
        resumed, loaded = make()
        load_npz(tmp_path / "optimizer.npz", resumed)  # before the link, on purpose
        load_npz(tmp_path / "link.npz", loaded)
        step(optimizer, link, 1)
        step(resumed, loaded, 1)
        np.testing.assert_array_equal(loaded.W.array, link.W.array)
        assert not loaded.never.is_initialized

    @pytest.mark.parametrize("updated", [False, True])
    def test_a_refused_file_changes_nothing(self, momentum, line, tmp_path, updated):
        optimizer = momentum().setup(line())
        optimizer.update(optimizer.target, [1, 2])
        optimizer.new_epoch()
        target = {}
        optimizer.serialize(DictionarySerializer(target))
        del target["unused/t"]
        np.savez(tmp_path / "cut.npz", **target)

        made = momentum().setup(line())
        if updated:
            made.update(made.target, [3, 3])
        rule = made.target.W.update_rule
        before = (made.t, made.epoch, rule.t, copy.deepcopy(rule.state))
        with pytest.raises(FileRefused, match="unused/t"):
            load_npz(tmp_path / "cut.npz", made)
        assert (made.t, made.epoch, rule.t) == before[:3]
        assert rule.state.keys() == before[3].keys()
        for name, value in rule.state.items():
            np.testing.assert_array_equal(value, before[3][name])
