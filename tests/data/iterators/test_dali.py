import pytest

from renga_core.errors import RengaError
from renga_data.iterators import DaliIterator


def test_it_says_what_to_use_instead():
    with pytest.raises(RengaError, match="not supported") as caught:
        DaliIterator(None, repeat=False)
    for name in ("MultiprocessIterator", "ConcatWithAsyncTransfer", "renga.dataset.Iterator"):
        assert name in str(caught.value)
