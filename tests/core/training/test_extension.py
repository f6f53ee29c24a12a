import pytest

from renga_core.training import PRIORITY_READER, Extension


def test_defaults():
    class Mine(Extension):
        pass

    extension = Mine()
    assert extension.default_name == "Mine"
    assert extension.trigger == (1, "iteration")
    assert extension.priority == PRIORITY_READER
    assert extension.name is None
    for hook in (extension.resume, extension.initialize, extension.on_interrupt, extension.serialize):
        assert hook(None) is None
    with pytest.raises(NotImplementedError, match="Mine must define __call__"):
        extension(None)
