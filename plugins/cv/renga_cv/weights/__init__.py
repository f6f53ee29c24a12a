"""Weights that other programs have trained, as Renga's networks take them.

- `convert`: `convert_weights`, from a file to a file. `command`: the same as ``renga weights convert``.
- `recipe`: `Recipe`, which arrays of a file are which of a network; `RECIPES`, those there are.
- `torchvision`: torchvision's classifiers. `keras`: Keras' ResNet50. `darknet`, `face_api`: tiny YOLOs.
  `deeplab`: DeepLab v3 on MobileNetV2.
- `tensorflow_js`, `tflite`: files of TensorFlow.js and TensorFlow Lite. `layout`: files that are numbers one after
  another.

What is written has, beside the network's own values, ``arguments/mean`` and the like: arguments of the class that the
weights need. `renga_cv.utils.pretrained` reads them.
"""
