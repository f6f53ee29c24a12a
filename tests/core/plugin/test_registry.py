"""Choosing: precedence, short and full names, «a string demands, a list wishes», preferences."""

import itertools
import os
import sys

import pytest

from renga_core.kinds import ARRAY_BACKEND, COMMUNICATOR, KERNEL, OPTIMIZER
from renga_core.plugin import ProviderUnavailable, RengaPluginError, State, UnknownProvider, registry
from renga_core.settings import using, using_command_line


@pytest.fixture
def backends(site, offering):
    hook = "renga_array_backends"
    site.install("numpy", offering("numpy", hook=hook, auto="cpu"))
    site.install(
        "cupy",
        offering("cupy", hook=hook, needs=("nowhere",), install_hint="pip install 'renga[cuda13]'", auto="accelerator"),
    )
    site.install("torch", offering("torch", hook=hook, probe="cpu_probe:check"))
    (site.folder / "cpu_probe.py").write_text("def check(): return 'this machine has no torch device.'")
    return site.registry(ARRAY_BACKEND)


def test_unknown_name(backends, monkeypatch) -> None:
    with pytest.raises(UnknownProvider) as caught:
        backends.load("nunpy")
    assert str(caught.value) == (
        "no array_backend named 'nunpy' (from argument). Did you mean 'numpy'? Known: cupy, numpy, torch."
    )
    monkeypatch.setenv("RENGA_BACKEND", "nunpy:0")
    with pytest.raises(UnknownProvider, match=r"^no array_backend named 'nunpy' \(from environment RENGA_BACKEND\)\."):
        backends.load()
    with pytest.raises(UnknownProvider, match=r"'nunpy:numpy' .* Did you mean 'numpy:numpy'.* Known: cupy:cupy, "):
        backends.load("nunpy:numpy")


def test_string_demands(backends) -> None:
    with pytest.raises(ProviderUnavailable) as caught:
        backends.load("cupy", origin="environment RENGA_BACKEND")
    assert str(caught.value) == (
        "array_backend 'cupy' (from environment RENGA_BACKEND), offered by plugin 'cupy' (cupy-dist 1.0), "
        "is not available: module 'nowhere' is not installed.\nNext: pip install 'renga[cuda13]'"
    )


def test_list_wishes_and_tells_what_it_skipped(backends) -> None:
    selection = backends.select(["jax", "cupy", "torch", "numpy"], probe=True)
    assert selection.offer.full_name == "numpy:numpy"
    assert selection.skipped == (
        ("jax", "no plugin offers this array_backend"),
        ("cupy", "module 'nowhere' is not installed"),
        ("torch", "this machine has no torch device"),
    )
    with pytest.raises(ProviderUnavailable) as caught:
        backends.select(["cupy", "jax"], origin="run file a.toml")
    assert str(caught.value) == (
        "no array_backend of cupy, jax (from run file a.toml) can be used:\n"
        "  - cupy: module 'nowhere' is not installed\n"
        "  - jax: no plugin offers this array_backend\n"
        "Next: `renga plugins list` shows what is installed and what is missing."
    )


def test_list_skips_a_target_that_raises(site, offering) -> None:
    site.install("bad", offering("lion", target="not_there:Lion"))
    site.install("good", offering("adam", target="os:getpid"))
    optimizers = site.registry(OPTIMIZER)
    assert optimizers.load(["lion", "adam"]) is os.getpid
    assert optimizers.select(["lion", "adam"]).skipped == (
        ("lion", "importing not_there:Lion raised ModuleNotFoundError: No module named 'not_there'"),
    )


def test_probe_is_run_only_when_about_to_compute(backends) -> None:
    assert backends.load("torch") is os.getcwd
    assert backends.names() == ("numpy", "torch")
    assert "cpu_probe" not in sys.modules
    with pytest.raises(ProviderUnavailable, match="is not available: this machine has no torch device\\.\n"):
        backends.load("torch", probe=True)


@pytest.mark.parametrize(
    ("probe", "state", "reason"),
    [
        ("def check(): return None", "ready", ""),
        ("def check(): return ''", "unavailable", ""),
        ("def check(): raise SystemExit(1)", "broken", "probe cpu_probe:check raised SystemExit: 1"),
        ("def check(): return 0", "invalid", "probe cpu_probe:check returned 0; expected None or a sentence"),
        ("raise ImportError('no')", "broken", "importing cpu_probe:check raised ImportError: no"),
    ],
)
def test_what_a_probe_may_answer(backends, site, probe, state, reason) -> None:
    (site.folder / "cpu_probe.py").write_text(probe)
    assert backends.get("torch").probe()[:2] == (State(state), reason)


@pytest.mark.parametrize(
    ("layers", "name", "origin"),
    [
        ([], "numpy", "'auto', default"),
        (["pyproject"], "torch", "pyproject.toml"),
        (["pyproject", "environment"], "numpy", "environment RENGA_BACKEND"),
        (["pyproject", "environment", "command line"], "torch", "command line --backend"),
        (["pyproject", "environment", "command line", "using"], "numpy", "renga.using"),
    ],
)
def test_precedence(backends, tmp_path, monkeypatch, layers, name, origin) -> None:
    if "pyproject" in layers:
        (tmp_path / "pyproject.toml").write_text('[tool.renga.run]\nbackend = "torch:0"\n')
    if "environment" in layers:
        monkeypatch.setenv("RENGA_BACKEND", "@numpy")
    flags = {"run.backend": ("--backend", "torch")} if "command line" in layers else {}
    block = {"run.backend": "numpy"} if "using" in layers else {}
    with using_command_line(flags), using(block):
        selection = backends.select()
    assert (selection.offer.name, selection.origin) == (name, origin)
    assert backends.select("torch").origin == "argument"


def test_preference_settles_a_clash(site, offering, tmp_path) -> None:
    for name in ("acme", "house"):
        site.install(name, offering("lion"))
    optimizers = site.registry(OPTIMIZER)
    (tmp_path / "pyproject.toml").write_text('[tool.renga.prefer.optimizer]\nlion = "house"\n')
    assert optimizers.get("lion").full_name == "house:lion"
    assert optimizers.names() == ("acme:lion", "lion")
    (tmp_path / "pyproject.toml").write_text('[tool.renga.prefer.optimizer]\nlion = "hause"\n')
    with pytest.raises(UnknownProvider) as caught:
        optimizers.get("lion")
    assert str(caught.value) == (
        "[prefer.optimizer] lion = \"hause\" (from pyproject.toml): no plugin 'hause' offers optimizer 'lion'. "
        "Did you mean 'house'? It is offered by: acme, house."
    )


def test_what_is_wrong_with_one_of_two_is_not_hidden_by_their_clash(site, offering) -> None:
    site.install("acme", offering("lion", revision=9))
    site.install("house", offering("lion"))
    assert [(offer.full_name, status.state) for offer, status in site.registry(OPTIMIZER).list()] == [
        ("acme:lion", "incompatible"),
        ("house:lion", "ambiguous"),
    ]


def test_order_does_not_depend_on_the_path(site, offering) -> None:
    """Installed in any order, the same list and the same error."""
    seen = set()
    for order in itertools.permutations(["one", "two", "three"]):
        for file in site.folder.glob("*.dist-info/*"):
            file.unlink()
        for name in order:
            site.install(name, offering("lion"))
        seen.add(tuple(offer.full_name for offer, _ in site.registry(OPTIMIZER).list()))
    assert seen == {("one:lion", "three:lion", "two:lion")}


def test_names(backends, site, offering) -> None:
    assert backends.names() == ("numpy", "torch")
    assert backends.names(needing="nowhere") == ()
    site.install("acme", offering("numpy", hook="renga_array_backends", needs=("os",)))
    assert backends.names() == ("acme:numpy", "numpy:numpy", "torch")
    assert backends.names(needing="os") == ("acme:numpy",)


def test_kernels_of_one_name_serve_together(site) -> None:
    for name in ("acme", "house"):
        site.install(
            name,
            "@hookimpl\ndef renga_kernels():\n    return [Kernel(op='linear', backend='numpy', target='os:getcwd')]\n",
        )
    kernels = site.registry(KERNEL)
    assert [(offer.full_name, status.state) for offer, status in kernels.list()] == [
        ("acme:linear.numpy", "ready"),
        ("house:linear.numpy", "ready"),
    ]
    with pytest.raises(RengaPluginError, match="offered by 2 plugins"):
        kernels.get("linear.numpy")  # to force one, it must be named in full


def test_nothing_installed(site) -> None:
    with pytest.raises(UnknownProvider) as caught:
        site.registry(COMMUNICATOR).load()
    assert str(caught.value) == (
        "no communicator is installed; 'single' (from default) was asked for.\n"
        "Next: install Renga: pip install . in its folder"
    )
    with pytest.raises(UnknownProvider) as caught:
        site.registry(ARRAY_BACKEND).load()
    assert str(caught.value) == (
        "no array_backend is installed; 'auto' (from 'auto', default) was asked for.\n"
        "Next: install Renga: pip install . in its folder"
    )


def test_nothing_named(site, offering) -> None:
    site.install("acme", offering("lion"))
    with pytest.raises(RengaPluginError) as caught:
        site.registry(OPTIMIZER).load()
    assert str(caught.value) == (
        "no optimizer was named.\n"
        "Next: name one, such as lion, or set optimizer.use. `renga plugins list optimizer` lists all."
    )


def test_required(site, offering, monkeypatch) -> None:
    site.install("acme", offering("lion"))
    monkeypatch.setenv("RENGA_PLUGINS_REQUIRED", "acme")
    assert site.registry(OPTIMIZER).get("lion")
    monkeypatch.setenv("RENGA_PLUGINS_REQUIRED", "acne")
    with pytest.raises(RengaPluginError) as caught:
        site.registry(OPTIMIZER).get("lion")
    assert str(caught.value) == (
        "plugin 'acne' is required (from environment RENGA_PLUGINS_REQUIRED) and not installed. Did you mean 'acme'? "
        "Installed: acme."
    )
    monkeypatch.setenv("RENGA_PLUGINS_REQUIRED", "acme")
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "acme")
    with pytest.raises(RengaPluginError) as caught:
        site.registry(OPTIMIZER).get("lion")
    assert str(caught.value) == (
        "plugin 'acme' (acme-dist 1.0) is required (from environment RENGA_PLUGINS_REQUIRED) and is disabled: "
        "'acme' is in plugins.disable (environment RENGA_PLUGINS_DISABLE).\nNext: Remove 'acme' there to use it."
    )


def test_autoload_off_loads_what_is_required(site, offering, monkeypatch) -> None:
    site.install("acme", "1 / 0")
    site.install("house", offering("adam"))
    monkeypatch.setenv("RENGA_PLUGIN_AUTOLOAD", "0")
    monkeypatch.setenv("RENGA_PLUGINS_REQUIRED", "house")
    assert site.registry(OPTIMIZER).names() == ("adam",)
    assert site.manager.plugins()[0].status == (
        State.DISABLED,
        "plugins.autoload is off (environment RENGA_PLUGIN_AUTOLOAD)",
        "Add 'acme' to plugins.required, or turn plugins.autoload on.",
    )


def test_registry_takes_a_name_of_a_kind(site) -> None:
    assert registry("optimizer").kind is OPTIMIZER
    with pytest.raises(RengaPluginError, match=r"^no kind named 'optimiser'\. Did you mean 'optimizer'"):
        registry("optimiser")
