"""Convolutions with what usually follows them, as one link; one module for each."""
