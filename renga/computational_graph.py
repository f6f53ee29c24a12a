"""Drawing graphs: `renga_core.graph.computational_graph`."""

from renga_core.graph.computational_graph import *
from renga_core.graph.computational_graph import __all__ as __all__
