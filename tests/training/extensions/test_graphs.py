import gc
import re
import weakref

import numpy as np
import pytest

from renga_core.configuration import config
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_core.reporter import report
from renga_data.iterators import SerialIterator
from renga_optimizers import SGD
from renga_training import StandardUpdater, Trainer
from renga_training.extensions import DumpGraph, dump_graph, unchain_variables


class Net(Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = Parameter(np.ones(2, np.float32))

    def forward(self, x):
        loss = (self.w * x).sum()
        report({"loss": loss, "number": 1.0}, self)
        return loss


def make_trainer(out, iterations=3):
    updater = StandardUpdater(SerialIterator([np.ones(2, np.float32)] * 4, 2), SGD().setup(Net()))
    return Trainer(updater, (iterations, "iteration"), out)


def test_the_graph_of_the_first_iteration(tmp_path):
    trainer = make_trainer(tmp_path)
    trainer.extend(DumpGraph("main/loss", variable_style={"shape": "note"}))
    kept = []
    trainer.extend(lambda trainer: kept.append(config.keep_graph_on_report), name="look", priority=0)
    trainer.run()
    text = (tmp_path / "cg.dot").read_text()
    assert re.findall(r'label="([A-Z]\w*)"', text) == ["Multiply", "Sum"]
    assert 'label="w: (2,), float32", shape="note"' in text
    # Nobody pays for it afterwards.
    assert kept == [False, False, False]


def test_a_resumed_run_keeps_no_graphs(tmp_path):
    from renga_serializers.npz import load_npz, save_npz

    first, second = make_trainer(tmp_path / "a", 1), make_trainer(tmp_path / "b", 2)
    for trainer in (first, second):
        trainer.extend(dump_graph("main/loss", "graph.dot"))
    first.run()
    assert (tmp_path / "a" / "graph.dot").exists()
    save_npz(tmp_path / "state.npz", first)
    load_npz(tmp_path / "state.npz", second)
    second.extend(lambda trainer: kept.append(config.keep_graph_on_report), name="look")
    kept = []
    second.run()
    assert kept == [False]
    assert not (tmp_path / "b" / "graph.dot").exists()


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("main/los", KeyError, "'main/los' was not reported in this iteration. Reported: main/loss, main/number"),
        ("main/number", TypeError, "'main/number' is a float; only a Variable has a graph"),
    ],
)
def test_mistakes(tmp_path, name, error, message):
    trainer = make_trainer(tmp_path)
    trainer.extend(DumpGraph(name))
    with pytest.raises(error, match=message):
        trainer.run(show_loop_exception_msg=False)
    assert not config.keep_graph_on_report


def test_unchained_variables_hold_no_graph(trainer):
    extension = unchain_variables()
    assert (extension.trigger, extension.default_name) == ((1, "iteration"), "unchain_variables")
    x = Variable(np.ones(3))
    y = (x * 2).sum()
    function = weakref.ref(y.creator)
    trainer.iterate({"y": y, "x": x, "number": 1.0})
    extension(trainer)
    gc.collect()
    assert y.creator is None
    assert function() is None
