"""`make_shift`: a learning-rate schedule, as a function of the trainer."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
