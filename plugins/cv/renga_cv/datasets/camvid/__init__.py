"""CamVid: pictures from a car, each pixel of which has one of 11 classes."""
