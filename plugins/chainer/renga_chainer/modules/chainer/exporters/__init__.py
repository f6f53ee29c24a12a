"""``chainer.exporters``.

- `caffe`: `export`, which writes a network in Caffe's format.
- `_caffe_graph`: the functions of a computation, with Chainer's names and order.
- `_caffe_layers`: converts each function into layers.
- `_caffe_files`: writes layers as text (``.prototxt``) and as bytes (``.caffemodel``).
"""
