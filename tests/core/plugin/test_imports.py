"""What importing costs, and that core stands alone. Each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from renga_testing.fake_distribution import write_distribution

ROOT = Path(__file__).resolve().parents[3]


def run(code: str, *, path: str = "", **environment: str) -> str:
    """Run code with this environment's packages and nothing else in the settings; return what it prints."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RENGA_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**clean, **environment, "PYTHONPATH": path},
        cwd=ROOT / "tests",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module", ["renga_core", "renga_core.plugin", "renga"])
def test_import_loads_no_plugin_and_nothing_heavy(module) -> None:
    loaded = run(f"import sys, {module}; print(*sorted(sys.modules), sep='\\n')").split()
    roots = {name.partition(".")[0] for name in loaded}
    assert not {name for name in roots if name.startswith("renga_") and name != "renga_core"}
    assert not roots & {"pluggy", "importlib_metadata", "packaging", "cupy", "mpi4py", "matplotlib", "tqdm", "torch"}
    assert "importlib.metadata" not in loaded


def test_first_use_of_a_kind_imports_thin_modules_only() -> None:
    code = "from renga_core.kinds import OPTIMIZER; from renga_core.plugin import registry; registry(OPTIMIZER).list()"
    code += "; import sys; print(*sys.modules, sep='\\n')"
    loaded = run(code).split()
    assert "pluggy" in loaded
    assert "renga_optimizers.plugin" in loaded
    assert "renga_optimizers.adam" not in loaded
    assert not {name.partition(".")[0] for name in loaded} & {"numpy", "cupy", "mpi4py", "matplotlib", "torch", "scipy"}


def test_listing_everything_imports_no_numpy() -> None:
    """The rows of core's kinds name protocols and types of all of core, and import none of it."""
    code = "from renga.cli.plugin_rows import rows; assert rows(); import sys; print(*sys.modules, sep='\\n')"
    loaded = run(code).split()
    assert "renga_core.kinds" in loaded
    assert not {"numpy", "renga_core.backend", "renga_core.optimizer"} & set(loaded)


CORE_ALONE = """
import sys
sys.path = [entry for entry in sys.path if "site-packages" not in entry] + {needed!r}
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
import renga_core
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import RengaPluginError, registry
{act}
"""


def only(folder: Path, *modules: str) -> list[str]:
    """A folder with links to these installed modules, and none of the distributions beside them."""
    for module in modules:
        where = Path(__import__(module).__file__).parent
        (folder / module).symlink_to(where)
        libraries = where.parent / f"{module}.libs"
        if libraries.exists():
            (folder / libraries.name).symlink_to(libraries)
    return [str(folder)]


def test_core_alone_says_what_to_install(tmp_path) -> None:
    act = "try:\n    registry(ARRAY_BACKEND).load('numpy')\nexcept RengaPluginError as error:\n    print(error)"
    needed = only(tmp_path, "numpy", "pluggy")
    told = run(CORE_ALONE.format(needed=needed, act=act), path=str(ROOT / "core"))
    assert told == (
        "no array_backend is installed; 'numpy' (from argument) was asked for.\n"
        "Next: install Renga: pip install . in its folder\n"
    )


def test_core_without_pluggy(tmp_path) -> None:
    act = "try:\n    registry(ARRAY_BACKEND).load('numpy')\nexcept RengaPluginError as error:\n    print(error)"
    told = run(CORE_ALONE.format(needed=only(tmp_path, "numpy"), act=act), path=str(ROOT / "core"))
    assert told == "plugins need module 'pluggy', which is not installed.\nNext: pip install pluggy\n"


def test_in_tree_plugins_are_found_and_disabled_like_any_other() -> None:
    code = "from renga_core.plugin import registry; print(*registry('array_backend').names()); import sys; "
    code += "print('renga_backend_numpy.plugin' in sys.modules)"
    *names, imported = run(code).split()
    assert "numpy" in names
    assert imported == "True"
    *names, imported = run(code, RENGA_PLUGINS_DISABLE="numpy").split()
    assert "numpy" not in names
    assert imported == "False"


def test_third_party_beside_in_tree_plugins(tmp_path) -> None:
    """A name that Renga ships keeps its meaning, with a notice; preferred, or alone, the third party's serves."""
    source = """
        from renga_core.plugin import Provider, hookimpl
        @hookimpl
        def renga_optimizers():
            return [Provider(name="adam", target="acme.adam:Adam", revision=1, summary="")]
    """
    modules = {"acme.plugin": source, "acme.adam": "class Adam: pass"}
    write_distribution(tmp_path, "acme-optim", "2.0", modules, {"acme": "acme.plugin"}, ["renga>=0.1"])
    code = """
import warnings
from renga_core.kinds import *
from renga_core.plugin import *
from renga_core.settings import using
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(registry(OPTIMIZER).load("adam").__module__, len(told))
print(registry(OPTIMIZER).load("acme:adam").__module__, registry(OPTIMIZER).load("optimizers:adam").__module__)
with using({"prefer.optimizer.adam": "acme"}):
    print(registry(OPTIMIZER).load("adam").__module__)
with using({"plugins.disable": ["optimizers"]}):
    print(registry(OPTIMIZER).load("adam").__module__)
"""
    assert run(code, path=str(tmp_path)).splitlines() == [
        "renga_optimizers.adam 1",
        "acme.adam renga_optimizers.adam",
        "acme.adam",
        "acme.adam",
    ]
