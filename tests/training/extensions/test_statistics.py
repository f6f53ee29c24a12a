import math

import numpy as np
import pytest

from renga_core.graph import Parameter
from renga_core.link import Chain, Link
from renga_core.reporter import Reporter
from renga_testing.every_backend import ready_backends
from renga_training.extensions import MicroAverage, ParameterStatistics, VariableStatisticsPlot

rng = np.random.default_rng(0)


def make_model():
    model = Chain(l1=Link(), l2=Link())
    with model.l1.init_scope():
        model.l1.w = Parameter(rng.normal(size=(4, 5)).astype(np.float32))
        model.l1.later = Parameter()
    with model.l2.init_scope():
        model.l2.b = Parameter(np.float32([0, 0, 1]))
    model.l1.w.grad = rng.normal(size=(4, 5)).astype(np.float32)
    return model


def call(extension, trainer):
    trainer.iterate()
    with Reporter().scope(trainer.observation):
        extension(trainer)
    return trainer.observation


def test_the_default_statistics(trainer):
    model = make_model()
    w, grad = model.l1.w.array.astype(float), model.l1.w.grad.astype(float)
    found = call(ParameterStatistics(model, trigger=(1, "iteration"), prefix="model"), trainer)
    # Without a gradient, or without an array, there is nothing to say.
    starts = {key.rpartition("/data/")[0] or key.rpartition("/grad/")[0] for key in found}
    assert starts == {"model/l1/w", "model/l2/b"}
    assert {key for key in found if key.startswith("model/l2/b/grad")} == set()
    for kind, x in (("data", w), ("grad", grad)):
        start = f"model/l1/w/{kind}"
        values = sorted(x.ravel().tolist())
        assert found[f"{start}/mean"] == pytest.approx(sum(values) / 20, abs=1e-6)
        assert found[f"{start}/std"] == pytest.approx(math.sqrt(sum((v - sum(values) / 20) ** 2 for v in values) / 20))
        assert (found[f"{start}/min"], found[f"{start}/max"]) == (values[0], values[-1])
        assert found[f"{start}/zeros"] == 0
        assert found[f"{start}/percentile/3"] == pytest.approx((values[9] + values[10]) / 2)
        assert [key for key in found if key.startswith(f"{start}/percentile")] == [
            f"{start}/percentile/{i}" for i in range(7)
        ]
    assert found["model/l2/b/data/zeros"] == 2


def test_means_over_an_interval_and_resumed(trainer, reload):
    model = Link(w=((2,), np.float32))

    def make():
        return ParameterStatistics(model, {"first": lambda x: x[0]}, report_grads=False, trigger=(2, "iteration"))

    first, second = make(), make()
    model.w.array[...] = 1
    assert call(first, trainer) == {}
    reload(first, second)
    model.w.array[...] = 4
    assert call(second, trainer) == {"w/data/first": 2.5}


def test_registered_statistics_belong_to_one_extension(trainer):
    model = Link(w=((2,), np.float32))
    model.w.array[...] = [3, 4]
    extension = ParameterStatistics(model, None, trigger=(1, "iteration"))
    extension.register_statistics("both", lambda x: x)
    extension.register_statistics("list", lambda x: [float(x[0])])
    found = call(extension, trainer)
    assert found == {"w/data/both/0": 3, "w/data/both/1": 4, "w/data/list": 3}
    ParameterStatistics(model).register_statistics("mine", lambda x: 0)
    assert "mine" not in ParameterStatistics.default_statistics
    assert "mine" not in ParameterStatistics(model)._statistics


def test_nan(trainer):
    model = Link(w=((2,), np.float32))
    model.w.array[...] = [math.nan, 4]
    called = []
    for skip in (True, False):
        extension = ParameterStatistics(
            model, {"max": lambda x: called.append(1) or 9.0}, trigger=(1, "iteration"), skip_nan_params=skip
        )
        found = call(extension, trainer)["w/data/max"]
        assert math.isnan(found) if skip else found == 9
    assert len(called) == 1


def test_links_by_name(trainer):
    model = make_model()
    found = call(ParameterStatistics([model.l1, model.l2], {"n": len}, trigger=(1, "iteration")), trainer)
    assert found == {"l1/w/data/n": 20, "l1/w/grad/n": 20, "l2/b/data/n": 3}


def test_a_wrong_word():
    with pytest.raises(ValueError, match="statistics must be 'default' or a dictionary of functions, not 'all'"):
        ParameterStatistics(Link(), "all")


@pytest.mark.parametrize("device", ready_backends())
def test_on_every_backend(trainer, device):
    """The same numbers, wherever the parameters are; ParameterStatistics, MicroAverage and pictures of statistics."""
    model = make_model()
    found = []
    for place in ("numpy", device):
        model.to_device(place)
        extension = ParameterStatistics(model, trigger=(1, "iteration"), skip_nan_params=True)
        plot = VariableStatisticsPlot(model, trigger=None)
        found.append(dict(call(extension, trainer)))
        plot(trainer)
        found[-1] |= {f"plot/{kind}/{i}": v for kind in (0, 1) for i, v in enumerate(plot._points[0][1][kind])}
        micro = MicroAverage("a", "b", "ratio", (1, "iteration"))
        trainer.iterate({"a": model.l1.w.array.sum(), "b": abs(model.l1.w.array).sum()})
        with Reporter().scope(trainer.observation):
            micro(trainer)
        found[-1]["ratio"] = trainer.observation["ratio"]
    assert found[1] == pytest.approx(found[0], rel=1e-5, abs=1e-6)


# --- in a picture -----------------------------------------------------------------------------------------------------


def points(plot, kind=0):
    return {iteration: values[kind] for iteration, values in plot._points}


def test_all_variables_together(trainer):
    model = make_model()
    plot = VariableStatisticsPlot(model, percentile_sigmas=(0, 50, 100))
    plot.initialize(trainer)
    trainer.iterate()
    plot(trainer)
    x = np.concatenate([model.l1.w.array.ravel(), model.l2.b.array]).astype(float)
    assert points(plot)[1] == pytest.approx([x.mean(), x.std(), x.min(), np.median(x), x.max()])
    g = model.l1.w.grad.astype(float)
    assert points(plot, 1)[1] == pytest.approx([g.mean(), g.std(), g.min(), np.median(g), g.max()])


def test_what_is_drawn(trainer, tmp_path):
    pytest.importorskip("matplotlib")
    model = Link(w=((3,), np.float32))
    plot = VariableStatisticsPlot([model.w], report_grad=False, percentile_sigmas=(100, 0, 50), filename="p.svg")
    plot.initialize(trainer)
    for iteration in range(1, 5):
        trainer.iterate()
        model.w.array[...] = [iteration, iteration, 4 * iteration]
        plot(trainer)
    plot.finalize()
    assert "<svg" in (tmp_path / "p.svg").read_text()
    moments, percentiles = plot._figure().axes
    assert moments.lines[0].get_xydata().tolist() == [[i, 2 * i] for i in range(1, 5)]
    spread = [abs(end - start) / 2 for (_, start), (_, end) in moments.collections[0].get_segments()]
    assert spread == pytest.approx([math.sqrt(2) * i for i in range(1, 5)])
    assert percentiles.lines[0].get_xydata().tolist() == [[i, i] for i in range(1, 5)]
    assert percentiles.lines[0].get_label() == "percentile 50"
    box = percentiles.collections[0].get_paths()[0].get_extents()
    assert (box.x0, box.y0, box.x1, box.y1) == (1, 1, 4, 16)


@pytest.mark.parametrize("options", [{"plot_mean": False}, {"plot_std": False, "percentile_sigmas": ()}])
def test_parts_of_it(trainer, tmp_path, options):
    pytest.importorskip("matplotlib")
    plot = VariableStatisticsPlot(make_model(), trigger=(1, "iteration"), marker="x", grid=False, **options)
    plot.initialize(trainer)
    trainer.iterate()
    plot(trainer)
    assert (tmp_path / "statistics.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("most", [2, 3, 8])
@pytest.mark.parametrize("calls", [1, 7, 50])
def test_the_points_that_are_kept_lie_evenly(trainer, most, calls):
    plot = VariableStatisticsPlot(Link(w=((1,), np.float32)), most, trigger=None)
    for _ in range(calls):
        trainer.iterate()
        plot(trainer)
    found = list(points(plot))
    assert len(found) <= most
    assert len(found) >= min(calls, most / 2)
    assert found[0] == 1
    assert len(set(np.diff(found).tolist())) <= 1


@pytest.mark.parametrize("cut", [1, 6, 19])
def test_a_resumed_plot_is_the_same(trainer, reload, cut):
    def make():
        return VariableStatisticsPlot(model, 5, trigger=None)

    def run(plot, count):
        for _ in range(count):
            trainer.iterate()
            model.w.array[...] = trainer.updater.iteration
            plot(trainer)

    model = Link(w=((1,), np.float32))
    whole, first, second = make(), make(), make()
    run(whole, 30)
    trainer.go_to(0)
    run(first, cut)
    reload(first, second)
    run(second, 30 - cut)
    assert str(points(second)) == str(points(whole))


def test_nothing_to_draw():
    model = Link(w=((1,), np.float32))
    with pytest.raises(ValueError, match="there is no variable"):
        VariableStatisticsPlot([])
    with pytest.raises(ValueError, match="all plots are switched off"):
        VariableStatisticsPlot(model, plot_mean=False, plot_std=False, percentile_sigmas=())
    with pytest.raises(ValueError, match="all plots are switched off"):
        VariableStatisticsPlot(model, report_data=False, report_grad=False)
    with pytest.raises(ValueError, match="max_sample_size must be at least 2, not 1"):
        VariableStatisticsPlot(model, 1)
