"""Trainer extensions of vision.

- `make_shift`: a hyperparameter as a function of the trainer.
"""
