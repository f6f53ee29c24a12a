import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.kinds import OPTIMIZER
from renga_core.link import Link
from renga_core.plugin import registry
from renga_optimizers.plugin import renga_optimizers
from renga_serializers.npz import load_npz, save_npz

IN_TREE = [provider.name for provider in renga_optimizers()]


def make(name, dtype, initialized=True):
    """An optimizer and a link whose parameters have, lack, or do not take gradients; one has no axes."""
    shapes = {"W": (3, 4), "scalar": (), "missing": (2,), "frozen": (2,)}
    link = Link(**{key: (shape if initialized else None, dtype) for key, shape in shapes.items()})
    optimizer = registry(OPTIMIZER).load(f"optimizers:{name}")()
    optimizer.use_fp32_update()
    optimizer.setup(link)
    link.frozen.update_rule.enabled = False
    if initialized:
        for param in link.params():
            param.array.fill(0.5)
    return optimizer, link


def step(device, optimizer, link, t):
    rng = np.random.default_rng(t)
    for name in ("W", "scalar", "frozen"):
        param = getattr(link, name)
        param.grad = device.send(np.asarray(rng.normal(size=param.shape), param.dtype))
    optimizer.update()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", IN_TREE)
def test_a_resumed_run_is_identical(name, dtype, device, tmp_path, request):
    if dtype == "float16":
        request.getfixturevalue("needs_half")
    optimizer, link = make(name, dtype)
    for t in range(3):
        step(device, optimizer, link, t)
    save_npz(tmp_path / "link.npz", link)
    save_npz(tmp_path / "optimizer.npz", optimizer)

    resumed, loaded = make(name, dtype, initialized=False)
    load_npz(tmp_path / "link.npz", loaded)
    load_npz(tmp_path / "optimizer.npz", resumed)
    for t in range(3, 6):
        step(device, optimizer, link, t)
        step(device, resumed, loaded, t)

    assert resumed.t == optimizer.t == 6
    for (path, one), (_, two) in zip(link.namedparams(), loaded.namedparams(), strict=True):
        assert to_host(one).tobytes() == to_host(two).tobytes(), path
        for key, value in one.update_rule.state.items():
            assert to_host(value).tobytes() == to_host(two.update_rule.state[key]).tobytes(), (path, key)
    for param in (link.missing, link.frozen):
        assert (to_host(param) == 0.5).all()
        assert param.update_rule.t == 0
    assert (to_host(link.W) != 0.5).any()
