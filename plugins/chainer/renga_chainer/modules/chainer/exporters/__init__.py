"""``chainer.exporters``.

- `caffe`: `export`, which writes a network as Caffe has it.
- `_caffe_graph`: the steps of a computation as Chainer counts them, their names, and their order.
- `_caffe_layers`: what each kind of step becomes.
- `_caffe_files`: layers as the text of a ``.prototxt`` and as the bytes of a ``.caffemodel``.
"""
