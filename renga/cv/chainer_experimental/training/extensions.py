"""`make_shift`: makes an extension of a learning-rate schedule, which is a function of the trainer."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
