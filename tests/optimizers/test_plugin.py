import inspect
import subprocess
import sys
import typing

import pytest

import renga_optimizers
from renga_core.kinds import OPTIMIZER, OPTIMIZER_HOOK
from renga_core.plugin import registry
from renga_optimizers import hooks, plugin

PROVIDERS = [(OPTIMIZER, p) for p in plugin.renga_optimizers()]
PROVIDERS += [(OPTIMIZER_HOOK, p) for p in plugin.renga_optimizer_hooks()]


def test_everything_public_is_offered():
    classes = {provider.target.rpartition(":")[2] for _, provider in PROVIDERS}
    assert classes == {*renga_optimizers.__all__, *hooks.__all__} - {"exponential_decay_noise"}


@pytest.mark.parametrize(("kind", "provider"), PROVIDERS, ids=[provider.name for _, provider in PROVIDERS])
class TestProvider:
    def test_is_found_under_its_name(self, kind, provider):
        found = registry(kind).load(f"optimizers:{provider.name}")
        module, _, attribute = provider.target.partition(":")
        assert (found.__module__, found.__qualname__) == (module, attribute)

    def test_arguments_have_types_that_settings_can_be_checked_against(self, kind, provider):
        target = registry(kind).load(f"optimizers:{provider.name}")
        types = typing.get_type_hints(target.__init__)
        for name in inspect.signature(target).parameters:
            assert types[name] in (float, bool) or name == "noise_func"


def test_the_thin_module_imports_no_optimizer():
    program = "import sys, renga_optimizers.plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ours = {name for name in done.stdout.split() if name.startswith("renga_optimizers")}
    assert ours == {"renga_optimizers", "renga_optimizers.plugin"}


def test_names_of_the_package():
    from renga_optimizers.adam import Adam

    assert renga_optimizers.Adam is Adam
    with pytest.raises(AttributeError, match="module 'renga_optimizers' has no attribute 'Adan'"):
        _ = renga_optimizers.Adan
