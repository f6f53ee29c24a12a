"""Reading and writing images, boxes and masks; downloads; predicting a whole data set; checks for tests."""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="testing")
