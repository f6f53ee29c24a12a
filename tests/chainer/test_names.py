"""Every public name of Chainer 7.8.1 is there, or has a reason. In processes: the import system is global."""

import subprocess
import sys

import pytest


def run(program):
    program = "import renga_chainer; renga_chainer.install()\n" + program
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


EVERY_NAME = """
import importlib, warnings
from renga_chainer.mirror import absent, names

warnings.simplefilter("ignore")
wrong = []
for path, members in names().items():
    module = importlib.import_module(path)
    assert module.__name__ == path
    for name in members:
        full = f"{path}.{name}"
        try:
            getattr(module, name)
        except AttributeError as error:
            if full not in absent():
                wrong.append(f"{full} is not there, and absent.json does not say why")
            elif absent()[full] not in str(error):
                wrong.append(f"{full}: {error}")
known = {f"{path}.{name}" for path, members in names().items() for name in members}
wrong += [f"absent.json: Chainer has no {name}" for name in absent() if name not in known and not name.endswith(".*")]
print("\\n".join(wrong))
"""


def test_every_name_is_there_or_has_a_reason():
    assert run(EVERY_NAME).strip() == ""


MESSAGES = """
import importlib
import chainercv
import chainer.functions as F

def said(of, *arguments):
    try:
        of(*arguments)
    except (AttributeError, ImportError) as error:
        return str(error)
    raise AssertionError("nothing was raised")

end = " (docs/how-to/move-from-chainer.md)"
classes = importlib.import_module("chainermn.functions.point_to_point_communication")
assert said(getattr, classes, "Send") == (
    "Renga lacks chainermn.functions.point_to_point_communication.Send of Chainer: "
    "Renga has other classes behind its functions that communicate: call the functions" + end
)
assert said(getattr, chainercv.links, "SSD3000") == (
    "module 'chainercv.links' has no attribute 'SSD3000'. Did you mean 'SSD300'?"
)
assert said(getattr, F, "Linear") == (
    "module 'chainer.functions' has no attribute 'Linear'. Since Chainer 2, it is a link: chainer.links.Linear"
)
try:
    importlib.import_module("chainercv.links.nothing")
except ModuleNotFoundError as error:
    assert error.name == "chainercv.links.nothing"
"""


def test_what_is_not_there_says_why():
    run(MESSAGES)


DETAILS = """
import pickle
from unittest import mock

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

relu = F.relu
with mock.patch("chainer.functions.relu", lambda x: "patched"):
    assert F.relu(1) == "patched"
with mock.patch("chainer.functions.tanh") as tanh:
    F.tanh(2)
    tanh.assert_called_once_with(2)
assert F.relu is relu and callable(F.tanh) and not isinstance(F.tanh, mock.Mock)
with mock.patch.object(chainer, "set_debug"):
    pass

assert pickle.loads(pickle.dumps(L.Linear)) is L.Linear
assert pickle.loads(b"cchainer.links.connection.linear\\nLinear\\n.") is L.Linear

from chainer.functions.array.concat import Concat
x = chainer.Variable(np.zeros((2, 3), "f"))
assert isinstance(F.concat([x, x]).creator_node, Concat)

assert chainer.__version__ == chainer._version.__version__ == "7.8.1"
assert chainer.types.TYPE_CHECKING is False
import chainer.warnings
assert issubclass(chainer.warnings.PerformanceWarning, RuntimeWarning)

import chainer.utils.experimental, chainer.dataset.tabular.from_data, chainer.exporters.caffe
assert callable(chainer.dataset.tabular.from_data)
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    chainer.utils.experimental("chainer.foo")
    chainer.disable_experimental_feature_warning = True
    chainer.utils.experimental("chainer.bar")
    from chainer.utils.experimental import experimental
    experimental("chainer.baz")
said = [str(w.message) for w in caught]
assert said == ["chainer.foo is experimental. The interface can change in the future."], said
assert caught[0].category is FutureWarning

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    @chainer.static_graph
    def f(x):
        return x
    @chainer.static_graph(verbosity_level=2)
    def g(x):
        return x
    from chainer.graph_optimizations.static_graph_utilities import static_code
    assert f(1) == 1 and g(2) == 2 and static_code()(f) is f
assert [str(w.message).partition(" ")[0] for w in caught] == ["chainer.static_graph", "chainer.static_code"], caught
assert caught[0].filename == "<string>"
"""


def test_details():
    run(DETAILS)


ALONE = """
import warnings
warnings.simplefilter("ignore")
import chainer, chainer.links as L, chainermn
import numpy as np

comm = chainermn.create_communicator("naive")
assert isinstance(comm, chainermn.CommunicatorBase) and (comm.rank, comm.size) == (0, 1)
part = chainermn.scatter_dataset(list(range(10)), comm, shuffle=True, seed=3)
assert list(part) == list(np.random.RandomState(3).permutation(10))
assert chainermn.scatter_index(10, comm) == (0, 10)
model = L.Linear(3, 2)
comm.bcast_data(model)
optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(0.1), comm).setup(model)
for t in (0, 1):  # the first time only makes parameters the same
    optimizer.update(lambda: chainer.functions.sum(model(np.ones((2, 3), "f"))))
    assert optimizer.t == t and (model.b.array[0] != 0) == t
state = np.random.get_state()[1:3]
chainermn.scatter_dataset(list(range(10)), comm, shuffle=True)
assert np.random.get_state()[2] == state[1] and (np.random.get_state()[1] == state[0]).all()
evaluator = chainer.training.extensions.Evaluator(chainer.iterators.SerialIterator([1, 2], 2, False, False), model)
evaluator.evaluate = lambda: {"a": 3.0}
assert chainermn.create_multi_node_evaluator(evaluator, comm).evaluate() == {"a": 3.0}

for name, options, words in (
    ("none", {}, 'Unrecognized communicator: "none". Known: naive, flat, '),
    ("hierarchial", {}, "Unrecognized communicator: \\"hierarchial\\". Did you mean 'hierarchical'? Known: "),
    ("naive", {"allreduce_grad_dtype": "float16"}, "only available at 'pure_nccl'"),
):
    try:
        chainermn.create_communicator(name, **options)
    except ValueError as error:
        assert words in str(error), error
    else:
        raise AssertionError
from chainermn.extensions import MultiNodeEarlyStoppingTrigger
import chainermn.extensions.multi_node_early_stopping_trigger as module
assert module.MultiNodeEarlyStoppingTrigger is MultiNodeEarlyStoppingTrigger
for options, checks in (({}, 4), ({"patience": 1}, 2), ({"patients": 2}, 3)):  # the first is the best
    trigger = MultiNodeEarlyStoppingTrigger(comm, check_trigger=(1, "iteration"), monitor="loss", **options)
    trainer = chainer.testing.get_trainer_with_mock_updater(trigger)
    trainer.extend(lambda trainer: chainer.report({"loss": 1.0}), name="loss", trigger=(1, "iteration"))
    trainer.run()
    assert trainer.updater.iteration == checks, (options, trainer.updater.iteration)
try:
    MultiNodeEarlyStoppingTrigger(comm, patience=1, patients=1)
except TypeError as error:
    assert "specify only patience" in str(error)
else:
    raise AssertionError
assert [chainermn.create_communicator(name).size for name in ("pure_nccl", "dummy", "two_dimensional")] == [1, 1, 1]
assert str(chainermn.testing.get_device()) == "@numpy"
chainermn.global_except_hook.add_hook()
from chainermn.datasets.scatter import get_epoch_trigger
assert get_epoch_trigger(3, part, 4, comm) == (9, "iteration")
import chainermn.functions as MF
import chainermn.links as ML
from chainermn.links.multi_node_chain_list import MultiNodeChainList
assert ML.MultiNodeChainList is MultiNodeChainList is chainermn.MultiNodeChainList
assert [y.shape for y in MF.allgather(comm, np.ones(2, "f"))] == [(2,)]
"""

CLASSES = """
import warnings
warnings.simplefilter("ignore")
import chainer, chainer.links as L, chainermn
import chainermn.communicators as C
import importlib

found = {}
for name in ("naive", "flat", "non_cuda_aware", "hierarchical", "two_dimensional", "single_node", "dummy"):
    module = importlib.import_module(f"chainermn.communicators.{name}_communicator")
    found[name] = getattr(module, "".join(part.capitalize() for part in name.split("_")) + "Communicator")
from chainermn.communicators.mpi_communicator_base import MpiCommunicatorBase
from chainermn.communicators.communicator_base import CommunicatorBase
from chainermn.communicators.pure_nccl_communicator import PureNcclCommunicator
assert C.CommunicatorBase is CommunicatorBase is chainermn.CommunicatorBase
for name, cls in found.items():
    alone = chainermn.create_communicator(name)
    for comm in (alone, cls(WORLD), cls(mpi_comm=WORLD)):
        assert isinstance(comm, cls) and isinstance(comm, MpiCommunicatorBase) and isinstance(comm, CommunicatorBase)
        assert not isinstance(comm, PureNcclCommunicator) and comm.size == 1
        if name in ("naive", "flat", "dummy"):
            assert [other for other in ("naive", "flat", "dummy") if isinstance(comm, found[other])] == [name]
        comm.finalize()

class Mine(MpiCommunicatorBase):
    def __init__(self, mpi_comm):
        super().__init__(mpi_comm)
    def multi_node_mean_grad(self, model, zero_fill=False):
        for param in model.params():
            param.grad[...] = 7

model = L.Linear(1, 1)
optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(), Mine(WORLD)).setup(model)
model.zerograds()
optimizer.update()
optimizer.update()
assert model.b.grad[0] == 7
found["dummy"](WORLD).multi_node_mean_grad(model)
assert model.b.grad[0] == 7
model.b.grad = None
found["dummy"](WORLD).multi_node_mean_grad(model, zero_fill=True)
assert model.b.grad[0] == 0
try:
    PureNcclCommunicator(mpi_comm=WORLD)
except RuntimeError as error:
    assert "FlatCommunicator" in str(error)
else:
    raise AssertionError
"""


def test_communicators_have_chainermns_classes():
    pytest.importorskip("mpi4py")
    run("from mpi4py import MPI\nWORLD = MPI.COMM_WORLD\n" + CLASSES)


def test_communicators_have_chainermns_classes_without_mpi():
    run("import sys\nsys.modules['mpi4py'] = None\nWORLD = None\n" + CLASSES)


def test_chainermn_by_one_process():
    run(ALONE)


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ({}, "False False True float32 auto"),
        (
            {
                "CHAINER_DEBUG": "1",
                "CHAINER_KEEP_GRAPH_ON_REPORT": "1",
                "CHAINER_TYPE_CHECK": "0",
                "CHAINER_DTYPE": "float16",
                "CHAINER_USE_CUDNN": "never",
            },
            "True True False float16 never",
        ),
    ],
)
def test_the_environment_sets_entries(monkeypatch, switches, expected):
    for name in ("CHAINER_DEBUG", "CHAINER_KEEP_GRAPH_ON_REPORT", "CHAINER_TYPE_CHECK", "CHAINER_DTYPE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in switches.items():
        monkeypatch.setenv(name, value)
    out = run(
        "import chainer\nc = chainer.config\n"
        "print(c.debug, c.keep_graph_on_report, c.type_check, c.dtype, c.use_cudnn)\n"
        "from renga_core.configuration import Config\nrenga_chainer.uninstall()\n"
        "assert not Config.debug and Config.type_check and not hasattr(Config, 'use_cudnn')"
    )
    assert out.strip() == expected


CONFIGURATION = """
import io
import chainer
out = io.StringIO()
chainer.config.my_entry = 5
chainer.config.show(out)
lines = dict(line.split(maxsplit=1) for line in out.getvalue().splitlines())
assert lines["my_entry"] == "5" and lines["use_ideep"] == "never" and "function_hooks" not in lines
out = io.StringIO()
chainer.global_config.show(out)
assert "my_entry" not in out.getvalue() and "use_ideep                      never" in out.getvalue()

from chainer.configuration import GlobalConfig, LocalConfig
shared = GlobalConfig()
shared.a = 1
own = LocalConfig(shared)
with chainer.using_config("a", 2, config=own):
    assert own.a == 2 and shared.a == 1
assert own.a == 1
out = io.StringIO()
own.show(out)
assert out.getvalue() == "a 1\\n"

assert chainer.get_dtype(None) == "f4" and chainer.get_dtype(chainer.mixed16) == "f2"
assert chainer.get_dtype(chainer.mixed16, map_mixed16="f4") == "f4"
with chainer.using_config("dtype", chainer.mixed16):
    assert chainer.get_dtype(None, "f8") == "f8" and chainer.links.BatchNormalization(2).gamma.dtype == "f4"
with chainer.using_config("dtype", chainer.get_dtype("f2")):
    assert chainer.links.BatchNormalization(2).gamma.dtype == "f2"

cases = [("auto", "nonsense", "cuDNN use level"), ("nonsense", ">=auto", "use_cudnn configuration")]
for config, level, words in cases:
    with chainer.using_config("use_cudnn", config):
        try:
            chainer.should_use_cudnn(level)
        except ValueError as error:
            assert words in str(error)
        else:
            raise AssertionError
"""


def test_configuration():
    run(CONFIGURATION)
