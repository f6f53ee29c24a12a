"""Tools for pictures, boxes, masks and files of weights; one module for each."""
