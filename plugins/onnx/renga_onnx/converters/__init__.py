"""Converters of Renga's functions to ONNX: one table ``CONVERTERS`` per family, by class of function node.

Functions that are composed of other functions need no converter of their own.
"""
