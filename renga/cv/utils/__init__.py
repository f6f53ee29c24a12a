"""Pictures in files, boxes, masks, downloads, predictions for a whole data set, checks of values."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="testing")
