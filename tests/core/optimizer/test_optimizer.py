import numpy as np
import pytest

from renga_core.link import Chain
from renga_core.optimizer import Optimizer
from renga_core.optimizer import optimizer as optimizer_module
from renga_serializers.npz import DictionarySerializer, NpzDeserializer


class TestSetup:
    def test_starts_afresh(self, momentum, line):
        optimizer, link = momentum(), line()
        assert optimizer.setup(link) is optimizer
        optimizer.add_hook(lambda o: None, name="hook")
        optimizer.update(link, [1, 1])
        optimizer.new_epoch()
        assert (optimizer.target, optimizer.t, optimizer.epoch) == (link, 1, 1)

        optimizer.setup(line())
        assert (optimizer.t, optimizer.epoch) == (0, 0)
        optimizer.add_hook(lambda o: None, name="hook")

    @pytest.mark.parametrize("call", ["update", "call_hooks"])
    def test_forgotten(self, momentum, call):
        with pytest.raises(RuntimeError, match=r"before `setup`; call optimizer.setup\(link\) first"):
            getattr(momentum(), call)()
        with pytest.raises(RuntimeError, match="add_hook was called before"):
            momentum().add_hook(print, "print")
        with pytest.raises(RuntimeError, match="serialize was called before"):
            momentum().serialize(DictionarySerializer())

    def test_update_is_the_subclasses(self, line):
        with pytest.raises(NotImplementedError, match="Optimizer does not define a `update`"):
            Optimizer().setup(line()).update()


class TestEpoch:
    def test_counted_by_the_program(self, momentum):
        optimizer = momentum()
        optimizer.new_epoch()
        assert optimizer.epoch == 1
        with pytest.raises(RuntimeError, match="set it to True first"):
            optimizer.new_epoch(auto=True)

    def test_counted_by_an_updater(self, momentum):
        optimizer = momentum()
        optimizer.use_auto_new_epoch = True
        optimizer.new_epoch(auto=True)
        with pytest.raises(RuntimeError, match="an updater counts epochs already"):
            optimizer.new_epoch()
        assert optimizer.epoch == 1


class TestHooks:
    def test_called_before_and_after(self, momentum, line):
        optimizer, link, seen = momentum(), line(), []
        optimizer.setup(link)
        optimizer.add_hook(lambda o: seen.append(("pre", o, link.W.grad[0], link.W.array[0])), "before")
        optimizer.add_hook(lambda o: seen.append(("post", o, link.W.grad[0], link.W.array[0])), "after", timing="post")
        optimizer.update(link, [4, 4])
        assert seen == [("pre", optimizer, 4, 1), ("post", optimizer, 4, 0)]
        optimizer.remove_hook("before")
        optimizer.update(link, [4, 4])
        assert [event[0] for event in seen] == ["pre", "post", "post"]

    def test_called_for_each_parameter_that_is_updated(self, momentum, line):
        class Hook:
            name = "hook"
            call_for_each_param = True

            def __call__(self, rule, param):
                seen.append((rule, param))

        optimizer, link, seen = momentum(), line(), []
        optimizer.setup(link).add_hook(Hook())
        link.unused.update_rule.enabled = False
        optimizer.update(link, [1, 1])
        assert [(rule is link.W.update_rule, param) for rule, param in seen] == [(True, link.W)]


class TestLossScaling:
    def test_constant(self, momentum, line):
        scaled, plain = line(), line()
        optimizer = momentum().setup(scaled)
        optimizer.loss_scaling(scale=128)
        assert optimizer.loss_scale == 128
        seen = []
        optimizer.add_hook(lambda o: seen.append(scaled.W.grad.copy()), "hook")
        optimizer.update(scaled, [1, 2])
        momentum().setup(plain).update(plain, [1, 2])
        np.testing.assert_array_equal(scaled.W.array, plain.W.array)
        np.testing.assert_array_equal(seen[0], [1, 2])

    def test_gradients_that_are_there_already(self, momentum, line):
        link = line()
        optimizer = momentum().setup(link)
        optimizer.set_loss_scale(2)
        link([1, 2]).backward(loss_scale=optimizer.loss_scale)
        optimizer.update()
        np.testing.assert_array_equal(link.W.grad, [1, 2])

    def test_dynamic_skips_what_is_not_finite(self, momentum, line):
        link = line()
        optimizer = momentum().setup(link)
        optimizer.loss_scaling(interval=1)
        optimizer.update(link, [1, 1])
        optimizer.update(link, [1, 1])
        assert optimizer.loss_scale == 4
        before, called = link.W.array.copy(), []
        optimizer.add_hook(called.append, "hook")
        optimizer.update(link, [np.inf, 1])
        assert not optimizer.is_safe_to_update()
        assert optimizer.loss_scale == 2
        assert not called
        np.testing.assert_array_equal(link.W.array, before)
        assert link.W.update_rule.t == 2
        optimizer.update(link, [1, 1])
        assert optimizer.is_safe_to_update()
        assert optimizer.t == 4

    @pytest.mark.parametrize("bad", [None, 0, 2])
    def test_one_answer_for_all_gradients(self, momentum, line, monkeypatch, bad):
        link = Chain(a=line(), b=line(), c=line(), d=line())
        optimizer = momentum().setup(link)
        optimizer.loss_scaling()
        for i, part in enumerate((link.a, link.b, link.c)):  # d has no gradient
            part.W.grad = np.array([1.0, np.nan if i == bad else 2.0], np.float32)
        asked = []
        check = optimizer_module.check_finite

        def checked(backend, flags, arrays):
            asked.append(len(arrays))
            check(backend, flags, arrays)

        monkeypatch.setattr(optimizer_module, "check_finite", checked)
        optimizer.check_nan_in_grads()
        assert optimizer.is_safe_to_update() is (bad is None)
        assert asked == [3]

    def test_without_it_infinities_go_through(self, momentum, line):
        link = line()
        momentum().setup(link).update(link, [np.inf, 1])
        assert np.isinf(link.W.array[0])

    def test_half_precision_keeps_small_gradients(self, momentum, line):
        link = line(dtype=np.float16)
        optimizer = momentum(lr=2.0**20)
        optimizer.use_fp32_update()
        optimizer.setup(link)
        optimizer.set_loss_scale(2.0**15)
        grad = 2.0**-30  # far below what float16 can hold
        link.W.grad = np.full(2, grad * optimizer.loss_scale, np.float16)
        optimizer.update()
        np.testing.assert_array_equal(link.W.array, np.float16(1 - grad * 2.0**20))

    def test_a_dynamic_scale_is_saved(self, momentum, line):
        link = line()
        optimizer = momentum().setup(link)
        optimizer.loss_scaling(interval=1)
        optimizer.update(link, [1, 1])
        target = {}
        optimizer.serialize(DictionarySerializer(target))
        made = momentum().setup(line())
        made.loss_scaling(interval=1)
        made.serialize(NpzDeserializer(target))
        assert made.loss_scale == 2

    def test_refused(self, momentum):
        for scale in (0, -1, float("nan")):
            with pytest.raises(ValueError, match="a loss scale must be a positive number"):
                momentum().set_loss_scale(scale)
        with pytest.raises(ValueError, match="at least 1 update"):
            momentum().loss_scaling(interval=0)
