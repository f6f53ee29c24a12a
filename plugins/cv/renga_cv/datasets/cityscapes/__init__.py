"""Cityscapes: pictures from cars in 50 cities, each pixel of which has one of 19 classes."""
