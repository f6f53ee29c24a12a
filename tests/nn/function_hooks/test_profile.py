import io
import json
import time

import numpy as np
import pytest

import renga_nn.functions as F
import renga_nn.links as L
from renga_core.kernel import Operation
from renga_core.link import Chain
from renga_nn.function_hooks import ProfileHook


class Model(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(3, 4)
            self.out = L.Linear(4, 1)

    def forward(self, x):
        return F.sum(self.out(F.tanh(self.hidden(x))))


X = np.ones((2, 3), np.float32)


def profiled():
    model = Model()
    with ProfileHook() as profile:
        loss = model(X)
        with profile.section("pass"):
            loss.backward()
    return profile


def test_functions_are_counted_forward_and_backward_apart():
    rows = {(row.name, row.kind): row.calls for row in profiled().by_function() if row.kind in ("forward", "backward")}
    functions = ("Linear", 2), ("Tanh", 1), ("Sum", 1)
    assert rows == {(name, kind): calls for name, calls in functions for kind in ("forward", "backward")}


def test_rows_add_up_to_what_was_measured():
    profile = profiled()
    assert sum(row.own for row in profile.by_function()) == profile.total > 0
    assert sum(row.own for row in profile.by_link()) == profile.total


def test_time_within_a_section_counts_there_and_that_of_functions_does_not():
    with ProfileHook() as profile, profile.section("outer"):
        time.sleep(0.02)
        with profile.section("inner"):
            time.sleep(0.05)
    own = {row.name: row.own / 1e9 for row in profile.by_function()}
    assert 0.02 <= own["outer"] < 0.05 <= own["inner"]
    assert own["rest"] < 0.02


def test_links_are_told_by_their_paths_in_backward_too():
    spans = {(span.kind, span.path) for span in profiled().spans if span.name == "Linear" and span.kind != "link"}
    assert spans == {(kind, path) for kind in ("forward", "backward") for path in ("/hidden", "/out")}


def test_what_comes_in_is_counted_in_bytes():
    sizes = {(span.name, span.kind): span.size for span in profiled().spans}
    assert sizes["Tanh", "forward"] == sizes["Tanh", "backward"] == 2 * 4 * 4


def test_kernels_are_named():
    profile = profiled()
    kernels = [span.kernel for span in profile.spans if (span.name, span.kind) == ("Tanh", "forward")]
    assert kernels[0] == "reference" or ":" in kernels[0]


def test_a_trace_has_what_viewers_need_and_nests(tmp_path):
    profile = profiled()
    profile.save_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert len(events) == len(profile.spans)
    for event in events:
        assert {"name", "cat", "ph", "ts", "dur", "pid", "tid"} <= event.keys()
        assert event["ph"] == "X"
        assert isinstance(event["name"], str)
        assert event["ts"] >= 0
        assert event["dur"] >= 0
    assert [e["ts"] for e in events] == sorted(e["ts"] for e in events)
    ends = []  # of the events that an event lies in
    for event in events:
        while ends and ends[-1] <= event["ts"]:
            ends.pop()
        end = event["ts"] + event["dur"]
        assert not ends or end <= ends[-1] + 1e-6
        ends.append(end)
    assert [event["name"] for event in events[:3]] == ["Model", "Linear", "Linear forward"]


def test_collapsed_stacks_hold_the_time_once(tmp_path):
    profile = profiled()
    profile.save_stacks(tmp_path / "stacks.txt")
    stacks = dict(line.rsplit(" ", 1) for line in (tmp_path / "stacks.txt").read_text().splitlines())
    assert sum(map(int, stacks.values())) == sum(span.own for span in profile.spans)
    assert "/;/hidden;Linear" in stacks
    assert "pass;backward;/hidden;Linear" in stacks


def test_a_function_that_fails_leaves_the_others_right():
    with ProfileHook() as profile:
        with pytest.raises(Exception, match="broadcast"), profile.section("wrong"):
            F.add(np.ones(2), np.ones(3))
        F.tanh(X)
    assert [span.name for span in profile.spans] == ["wrong", "Tanh"]


def test_nothing_is_watched_afterwards():
    select, sole = Operation.select, Operation.sole
    profile = profiled()
    count = len(profile.spans)
    Model()(X)
    assert len(profile.spans) == count
    assert (Operation.select, Operation.sole) == (select, sole)


def test_tables():
    text = io.StringIO()
    profile = profiled()
    profile.print_report(file=text, steps=2)
    head, *rows = text.getvalue().splitlines()
    assert head.split() == ["share", "ms", "calls", "µs/call", "MB", "in", "function", "kernel"]
    assert any(row.split()[2] == "1" and "Linear" in row for row in rows)
    text = io.StringIO()
    profile.print_report("link", text)
    assert "/hidden" in text.getvalue()
    with pytest.raises(ValueError, match="but must be 'function' or 'link'"):
        profile.print_report("time")
