"""Near misses, and errors between processes."""

import pickle

import pytest

from renga_chainer.npz import FileForbidden
from renga_core.communicator import MismatchError
from renga_core.errors import did_you_mean
from renga_core.plugin import ProviderFaulty
from renga_core.serializers import FileDamaged, FileMismatched, FileRefused
from renga_core.settings import UnknownSetting, WrongType
from renga_nn.links.caffe.function import LayerNotSupported


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("nunpy", ["cupy", "numpy", "torch"], " Did you mean 'numpy'?"),
        ("run.epoch", ["run.epochs", "run.out"], " Did you mean 'run.epochs'?"),
        ("optimiser.use", ["optimizer.use", "model.use"], " Did you mean 'optimizer.use'?"),
        ("adam", ["adan", "adax"], " Did you mean 'adax' or 'adan'?"),
        ("quite-else", ["numpy"], ""),
        ("x", [], ""),
    ],
)
def test_did_you_mean(name, known, words):
    assert did_you_mean(name, known) == words


@pytest.mark.parametrize(
    "error",
    [
        FileRefused("a.npz", "it takes too much"),
        FileDamaged("a.npz", "no end", "an image"),
        FileForbidden("a.npz", "key", "os.system"),
        FileMismatched("a.npz", ["W is missing"]),
        LayerNotSupported("net.caffemodel", "layer 'l'"),
        MismatchError([("allreduce", None), ("bcast", None)], 1),
        ProviderFaulty("it raised", reason="no licence"),
        UnknownSetting("run.epoch", "argument", ["run.epochs"]),
        WrongType("run.epochs", "argument", "an integer", "many"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_arrive_whole_in_another_process(error):
    error.add_note("This was example 3.")
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert (str(arrived), vars(arrived)) == (str(error), vars(error))
    assert arrived.__notes__ == ["This was example 3."]
