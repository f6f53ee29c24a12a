# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv import chainer_experimental as chainer_experimental
from renga.cv import datasets as datasets
from renga.cv import evaluations as evaluations
from renga.cv import experimental as experimental
from renga.cv import extensions as extensions
from renga.cv import functions as functions
from renga.cv import links as links
from renga.cv import transforms as transforms
from renga.cv import utils as utils
from renga.cv import visualizations as visualizations

__all__ = [
    "chainer_experimental",
    "datasets",
    "evaluations",
    "experimental",
    "extensions",
    "functions",
    "links",
    "transforms",
    "utils",
    "visualizations",
]
