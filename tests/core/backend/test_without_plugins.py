"""The core alone, with NumPy and pluggy beside it and nothing installed: in a process of its own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

CORE = Path(__file__).parents[3] / "core"


@pytest.fixture
def libraries(tmp_path):
    """A folder that holds what core imports, without the metadata by which installed plugins are found."""
    for name in ("numpy", "pluggy", "importlib_metadata", "zipp", "packaging"):
        place = importlib.util.find_spec(name).submodule_search_locations
        (tmp_path / name).symlink_to(place[0], target_is_directory=True)
        bundled = Path(place[0]).with_name(f"{name}.libs")
        if bundled.exists():
            (tmp_path / bundled.name).symlink_to(bundled, target_is_directory=True)
    return tmp_path


def run(program, libraries, **environment):
    """Run it with `-S`, so that no site-packages is seen."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RENGA", "PYTHON"))}
    path = os.pathsep.join(map(str, (CORE, libraries)))
    return subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        cwd=libraries,
        env={**kept, "PYTHONPATH": path, **environment},
    )


def test_the_core_imports(libraries):
    done = run(
        "import renga_core, renga_core.graph, renga_core.kernel, renga_core.random, sys; "
        "print([m for m in sys.modules if m.startswith('renga_') and not m.startswith('renga_core')])",
        libraries,
    )
    assert done.stderr == ""
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "ask", ["get_backend('numpy')", "get_device('numpy:0')", "Variable(numpy.ones(2))", "Parameter(0, 3)"]
)
def test_asking_for_a_backend_says_what_to_install(ask, libraries):
    program = (
        f"import numpy\nfrom renga_core.backend import *\nfrom renga_core.graph import *\n"
        f"try: {ask}\nexcept Exception as e: print(type(e).__name__, e)"
    )
    done = run(program, libraries)
    assert done.stderr == ""
    assert done.stdout.rstrip().endswith("Next: install Renga: pip install . in its folder")
    assert "no array_backend is installed; 'numpy'" in done.stdout or "no backend is loaded" in done.stdout


def test_not_loading_what_is_installed_says_so():
    program = (
        "from renga_core.backend import get_backend\n"
        "try: get_backend('numpy')\nexcept Exception as e: print(type(e).__name__, e)"
    )
    environment = {**os.environ, "RENGA_PLUGIN_AUTOLOAD": "0"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    assert done.stdout.startswith("UnknownProvider no array_backend is loaded; 'numpy' (from argument) was asked for.")
    assert "RENGA_PLUGIN_AUTOLOAD" in done.stdout
