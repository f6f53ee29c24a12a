import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.serializers import load_npz, save_npz
from renga_nn.initializers import Normal
from renga_nn.links import BatchNormalization


def batches(n):
    rng = np.random.default_rng(0)
    return [rng.normal(2, 3, size=(16, 3, 2)) for _ in range(n)]


def test_averages_are_used_in_testing():
    link = BatchNormalization(3, decay=0.5, eps=0)
    for x in batches(40):
        link(x)
    with using_config("train", False):
        before = link.avg_mean.copy()
        y = link(np.full((1, 3, 1), 5.0)).array
        np.testing.assert_array_equal(link.avg_mean, before)
    np.testing.assert_allclose(y.reshape(3), (5 - link.avg_mean) / np.sqrt(link.avg_var))
    np.testing.assert_allclose(y.reshape(3), 1, atol=0.3)


def test_finetuning_averages_all_batches_alike():
    link = BatchNormalization(3)
    xs = batches(5)
    link(xs[0] + 100)
    link.start_finetuning()
    for x in xs:
        link(x, finetune=True)
    assert link.N == 5
    np.testing.assert_allclose(link.avg_mean, np.mean([x.mean((0, 2)) for x in xs], axis=0))
    np.testing.assert_allclose(link.avg_var, np.mean([x.var((0, 2), ddof=1) for x in xs], axis=0))


def test_without_scale_and_shift():
    link = BatchNormalization(use_gamma=False, use_beta=False)
    x = batches(1)[0]
    y = link(x).array
    assert not list(link.params())
    np.testing.assert_allclose(y.mean((0, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(y.std((0, 2)), 1, atol=1e-4)


def test_initializers():
    link = BatchNormalization(2, initial_gamma=2, initial_beta=np.array([1, 3]), initial_avg_mean=4, initial_avg_var=5)
    assert link.gamma.array.tolist() == [2, 2]
    assert link.beta.array.tolist() == [1, 3]
    assert link.avg_mean.tolist() == [4, 4]
    assert link.avg_var.tolist() == [5, 5]


def test_dtype():
    shared = Normal(1)
    link = BatchNormalization(2, dtype="float32", initial_gamma=shared)
    assert {link.gamma.dtype, link.beta.dtype, link.avg_mean.dtype} == {np.dtype("float32")}
    assert shared.dtype is None
    with using_config("dtype", np.dtype("float16")):
        link = BatchNormalization()
        assert link(np.ones((4, 2), np.float16)).dtype == np.float16
        assert link.gamma.dtype == link.avg_var.dtype == np.float32


@pytest.mark.parametrize("size", [3, None])
def test_averages_are_saved(tmp_path, size):
    link, other = BatchNormalization(3), BatchNormalization(size)
    link(batches(1)[0], finetune=True)
    save_npz(tmp_path / "bn.npz", link)
    load_npz(tmp_path / "bn.npz", other)
    np.testing.assert_array_equal(other.avg_mean, link.avg_mean)
    np.testing.assert_array_equal(other.avg_var, link.avg_var)
    assert other.N == 1


def test_a_copy_keeps_averages_of_its_own():
    link = BatchNormalization(3)
    other = link.copy("copy")
    other(batches(1)[0])
    assert not link.avg_mean.any()
    assert other.avg_mean.any()
