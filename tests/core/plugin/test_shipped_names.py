"""What worked goes on working: a name that Renga ships keeps its meaning when a third party offers it, too."""

import itertools
import warnings

import pytest

from renga_core.kinds import ARRAY_BACKEND, CORE_KINDS, KERNEL, NAMESPACE, OPTIMIZER
from renga_core.plugin import AmbiguousProvider, ProviderUnavailable, RengaPluginError, RengaPluginWarning
from renga_core.settings import using

NOTICE = (
    "optimizer 'adam' means optimizers:adam, which Renga ships; acme:adam (acme-dist 1.0) has the same name. To use "
    'that one, write acme:adam, or set [prefer.optimizer] adam = "acme"; to use this one without a notice, set '
    '[prefer.optimizer] adam = "optimizers".'
)


@pytest.fixture
def ship(site, offering):
    """Install something as Renga does: a distribution called so."""

    def install(name, *names, **fields):
        site.install(name, offering(*names, **fields), distribution="renga", version="0.1.0")

    return install


def test_a_shipped_name_keeps_its_meaning_and_a_notice_says_so_once(site, ship, offering) -> None:
    ship("optimizers", "adam")
    site.install("acme", offering("adam", "lion"))
    optimizers = site.registry(OPTIMIZER)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert optimizers.get("adam").full_name == "optimizers:adam"
        assert optimizers.select(["nope", "adam"]).offer.full_name == "optimizers:adam"
        assert optimizers.load("adam") is not None
    assert [str(it.message) for it in told] == [NOTICE]
    assert optimizers.get("acme:adam").full_name == "acme:adam"
    assert optimizers.names() == ("acme:adam", "adam", "lion")
    assert [(offer.full_name, *status[:2]) for offer, status in optimizers.list() if offer.name == "adam"] == [
        ("acme:adam", "ready", "'adam' alone means optimizers:adam"),
        ("optimizers:adam", "ready", ""),
    ]


@pytest.mark.parametrize("kind", CORE_KINDS, ids=lambda kind: kind.name)
def test_in_every_kind(site, offering, kind) -> None:
    described = f"{kind.spec.__name__}(name='thing', target='os:getcwd', revision=1, summary='x'"
    more = {KERNEL: ", op='linear', backend='numpy'", NAMESPACE: ", names={'os': 'getcwd'}"}
    described += more.get(kind, "") + ")"
    source = f"@hookimpl\ndef {kind.hook}(): return [{described}]"
    site.install("mine", source, distribution="renga", version="0.1.0")
    for name in ("aaa", "zzz"):  # neither side of it in any order
        site.install(name, source)
    with pytest.warns(RengaPluginWarning, match=r"aaa:thing .* and zzz:thing"):
        assert site.registry(kind).get("thing").full_name == "mine:thing"


def test_a_preference_decides_and_silences_the_notice(site, ship, offering) -> None:
    ship("optimizers", "adam")
    site.install("acme", offering("adam"))
    optimizers = site.registry(OPTIMIZER)
    for plugin in ("acme", "optimizers"):
        with using({"prefer.optimizer.adam": plugin}):
            assert optimizers.get("adam").plugin.name == plugin


def test_without_the_shipped_one_the_other_has_the_name(site, ship, offering, monkeypatch) -> None:
    """To be replaced, a part of Renga is disabled: being shipped is no other privilege."""
    ship("optimizers", "adam")
    site.install("acme", offering("adam"))
    for disabled in ("optimizers", "optimizers:adam"):
        monkeypatch.setenv("RENGA_PLUGINS_DISABLE", disabled)
        assert site.registry(OPTIMIZER).get("adam").full_name == "acme:adam"


def test_between_third_parties_it_is_an_error_in_any_order(site, offering) -> None:
    told = set()
    for order in itertools.permutations(["one", "two"]):
        for file in site.folder.glob("*.dist-info/*"):
            file.unlink()
        for name in order:
            site.install(name, offering("lion"))
        with pytest.raises(AmbiguousProvider) as caught:
            site.registry(OPTIMIZER).get("lion")
        told.add(str(caught.value))
    (text,) = told
    assert "one:lion" in text
    assert "two:lion" in text
    assert "[prefer.optimizer]" in text


def test_one_that_is_shipped_and_cannot_be_used_is_not_replaced_in_silence(site, ship, offering) -> None:
    hook = "renga_array_backends"
    ship("cupy", "cupy", hook=hook, needs=("nowhere",))
    site.install("acme", offering("cupy", hook=hook))
    with (
        pytest.warns(RengaPluginWarning, match="acme:cupy"),
        pytest.raises(ProviderUnavailable, match="'nowhere' is not installed"),
    ):
        site.registry(ARRAY_BACKEND).get("cupy")


def test_the_plugins_own_name_stays_too(site, ship, offering, monkeypatch) -> None:
    """A third party's entry point of the same name does not get between a full name and what Renga ships."""
    ship("optimizers", "adam")
    modules = {"acme_plugin": "from renga_core.plugin import *\n" + offering("adam")}
    site.install("optimizers", distribution="acme", modules=modules, entry_points={"optimizers": "acme_plugin"})
    optimizers = site.registry(OPTIMIZER)
    assert [plugin.name for plugin in site.manager.plugins()] == ["optimizers@acme", "optimizers"]
    assert optimizers.get("optimizers:adam").plugin.distribution == "renga"
    assert optimizers.get("optimizers@acme:adam").plugin.distribution == "acme"
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "optimizers")
    assert optimizers.get("adam").plugin.distribution == "acme"
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "optimizers@acme")
    assert optimizers.get("adam").plugin.distribution == "renga"


class TestAuto:
    """`auto` may choose a third party's backend that asks for it."""

    HOOK = "renga_array_backends"

    @pytest.fixture
    def backends(self, site, ship):
        ship("numpy", "numpy", hook=self.HOOK, auto="cpu")
        (site.folder / "no_gpu.py").write_text("def check(): return 'no GPU here'")
        return site.registry(ARRAY_BACKEND)

    def test_an_accelerator_comes_before_a_cpu(self, site, backends, offering) -> None:
        site.install("acme", offering("tpu", hook=self.HOOK, auto="accelerator"))
        assert backends.automatic() == ("tpu", "numpy")
        assert backends.select().offer.full_name == "acme:tpu"

    def test_one_that_is_not_ready_is_skipped(self, site, backends, offering) -> None:
        site.install("acme", offering("tpu", hook=self.HOOK, auto="accelerator", probe="no_gpu:check"))
        selection = backends.select(probe=True)
        assert selection.offer.full_name == "numpy:numpy"
        assert selection.skipped == (("tpu", "no GPU here"),)

    def test_one_that_does_not_ask_is_left_alone(self, site, backends, offering) -> None:
        site.install("acme", offering("tpu", hook=self.HOOK))
        assert backends.automatic() == ("numpy",)

    def test_what_renga_ships_comes_first_and_then_the_name(self, site, backends, ship, offering) -> None:
        for name in ("bbb", "aaa"):
            site.install(name, offering(f"{name}_gpu", hook=self.HOOK, auto="accelerator"))
            site.install(f"{name}c", offering(f"{name}_cpu", hook=self.HOOK, auto="cpu"))
        ship("numpy", "numpy", hook=self.HOOK, auto="cpu")
        assert backends.automatic() == ("aaa_gpu", "bbb_gpu", "numpy", "aaa_cpu", "bbb_cpu")
        with using({"prefer.array_backend.auto": "bbb"}):
            assert backends.automatic()[0] == "bbb_gpu"
        with (
            using({"prefer.array_backend.auto": "ccc"}),
            pytest.raises(RengaPluginError, match=r"no plugin 'ccc' offers array_backend 'auto'"),
        ):
            backends.automatic()

    def test_a_name_that_is_shared_gets_in_nobodys_way(self, site, backends, offering) -> None:
        site.install("acme", offering("numpy", hook=self.HOOK, auto="cpu"))
        assert backends.automatic() == ("numpy", "acme:numpy")
        with pytest.warns(RengaPluginWarning, match="means numpy:numpy"):
            assert backends.select().offer.full_name == "numpy:numpy"

    def test_what_it_may_ask_for(self, site, offering) -> None:
        site.install("acme", offering("tpu", hook=self.HOOK, auto="gpu"))
        with pytest.warns(RengaPluginWarning, match="auto is 'gpu'; expected one of accelerator, cpu, or nothing"):
            assert site.registry(ARRAY_BACKEND).names() == ()
