import threading

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import Variable
from renga_core.reporter import Reporter, get_current_reporter, report, report_scope


def test_values_of_nobody_and_of_an_observer():
    reporter, observer = Reporter(), object()
    reporter.add_observer("main", observer)
    with reporter:
        report({"lr": 0.1})
        report({"loss": 1.0, "accuracy": 0.5}, observer)
    assert reporter.observation == {"lr": 0.1, "main/loss": 1.0, "main/accuracy": 0.5}


def test_add_observers_puts_the_prefix_before_each_name():
    reporter, a, b = Reporter(), object(), object()
    reporter.add_observers("main", [("/a", a), ("/b/c", b)])
    reporter.report({"x": 1}, a)
    reporter.report({"x": 2}, b)
    assert reporter.observation == {"main/a/x": 1, "main/b/c/x": 2}


def test_an_unknown_observer_is_refused_with_those_there_are():
    reporter = Reporter()
    reporter.add_observer("main", self := object())
    with pytest.raises(KeyError, match="list is not an observer of this reporter; its observers: main"):
        reporter.report({"x": 1}, [])
    assert reporter.observation == {}
    del self


def test_an_observer_lives_as_long_as_its_reporter():
    """Ids are used again for new objects, which must not report under the name of an old one."""
    reporter = Reporter()
    for index in range(100):
        reporter.add_observer(str(index), [])
    with pytest.raises(KeyError):
        reporter.report({"x": 1}, [])


def test_without_a_reporter_nothing_happens():
    report({"x": 1})
    with pytest.raises(RuntimeError, match="there is no current reporter"):
        get_current_reporter()
    with pytest.raises(RuntimeError), report_scope({}):
        pass


def test_reporters_and_scopes_nest():
    outer, inner = Reporter(), Reporter()
    aside = {}
    with outer:
        with inner:
            assert get_current_reporter() is inner
            report({"x": 1})
        with report_scope(aside):
            report({"x": 2})
        report({"x": 3})
    assert (outer.observation, inner.observation, aside) == ({"x": 3}, {"x": 1}, {"x": 2})


def test_an_error_leaves_everything_as_it_was():
    reporter = Reporter()
    before = reporter.observation
    with pytest.raises(ZeroDivisionError), reporter.scope({}):
        raise ZeroDivisionError
    assert reporter.observation is before
    with pytest.raises(RuntimeError):
        get_current_reporter()


def test_the_current_reporter_belongs_to_the_thread():
    seen = []

    def work():
        report({"x": 1})
        with Reporter() as mine:
            report({"y": 2})
        seen.append(mine.observation)

    with Reporter() as reporter:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert reporter.observation == {}
    assert seen == [{"y": 2}]


def test_a_variable_is_cut_off_its_graph_unless_wanted():
    reporter = Reporter()
    y = Variable(np.array(2.0)) * 3.0
    reporter.report({"y": y})
    assert reporter.observation["y"].creator is None
    assert reporter.observation["y"].array == 6.0
    assert y.creator is not None
    with using_config("keep_graph_on_report", True):
        reporter.report({"y": y})
    assert reporter.observation["y"] is y
