"""DeepLab: convolutions with holes (Chen et al. 2017, 2018).

- `deeplab_v3plus`: v3+, with a decoder, on `xception`. `aspp`, `decoder`: its parts.
- `deeplab_v3_mobilenet_v2`: v3 on MobileNetV2, a small network.
"""
