"""MobileNetV2, and the convolutions that it is made of."""
