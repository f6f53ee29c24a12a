from renga_core.dataset import Converter
from renga_data.converter import converter


def test_converter_makes_a_converter_of_a_function():
    @converter()
    def pair(batch, device):
        """Docstring."""
        return batch, device

    assert isinstance(pair, Converter)
    assert pair([1], "numpy") == ([1], "numpy")
    assert pair([1]) == ([1], None)
    assert (pair.__name__, pair.__doc__) == ("pair", "Docstring.")
