"""``chainer.exporters.caffe``. The texts in `expected/caffe`, and the digests of the weights, are of Chainer 7.8.1."""

from pathlib import Path

import pytest

EXPECTED = Path(__file__).parent / "expected" / "caffe"

NETWORKS = """
import hashlib
import pathlib
from chainer.exporters import caffe
from chainer.links.caffe import CaffeFunction

def settle(model):
    for i, (name, p) in enumerate(sorted(model.namedparams())):
        p.array[...] = (np.arange(p.size) * (7 + i) % 23 / 23 - 0.5).reshape(p.shape)
    for name, link in sorted(model.namedlinks()):
        if hasattr(link, "avg_var"):
            link.avg_mean[...] = np.arange(link.avg_mean.size) % 5 / 8
            link.avg_var[...] = 1 + np.arange(link.avg_var.size) % 3 / 4

class LeNet(chainer.Chain):
    shape = (2, 1, 12, 12)
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.c1 = L.Convolution2D(1, 4, 5)
            self.c2 = L.Convolution2D(4, 6, 3, stride=2, pad=1, nobias=True)
            self.f1 = L.Linear(6, 10)
            self.f2 = L.Linear(10, 5, nobias=True)
    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.c1(x)), 2, 2)
        h = F.average_pooling_2d(F.leaky_relu(self.c2(h), 0.1), 2)
        h = F.sigmoid(self.f1(h))
        return F.softmax(self.f2(F.dropout(h)))

class Block(chainer.Chain):
    shape = (2, 3, 8, 8)
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.c1 = L.Convolution2D(3, 8, 3, pad=1, nobias=True)
            self.b1 = L.BatchNormalization(8)
            self.c2 = L.Convolution2D(8, 8, 3, pad=1, groups=2)
            self.b2 = L.BatchNormalization(8, eps=1e-3)
            self.c3 = L.Convolution2D(3, 8, 1)
            self.up = L.Deconvolution2D(8, 8, 2, stride=2)
            self.fc = L.Linear(8 * 64, 4)
    def forward(self, x):
        h = F.relu(self.b1(self.c1(x)))
        h = self.b2(self.c2(h))
        h = F.relu(h + self.c3(x))
        h = self.up(F.average_pooling_2d(h, 2))
        h = F.reshape(h, (len(h), -1))
        return self.fc(h)

class Inception(chainer.Chain):
    shape = (1, 3, 8, 8)
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.c = L.Convolution2D(3, 6, 3, pad=1)
            self.a = L.Convolution2D(6, 4, 1)
            self.b1 = L.Convolution2D(6, 3, 1)
            self.b2 = L.Convolution2D(3, 4, 3, pad=1)
            self.d1 = L.Convolution2D(6, 3, 1)
            self.d2 = L.Convolution2D(3, 4, 5, pad=2)
            self.p = L.Convolution2D(6, 2, 1)
            self.fc = L.Linear(350, 3)
    def forward(self, x):
        h = F.local_response_normalization(F.relu(self.c(x)), n=5)
        h = F.max_pooling_2d(h, 3, stride=2, pad=1)
        b = F.relu(self.b2(F.relu(self.b1(h))))
        d = F.relu(self.d2(F.relu(self.d1(h))))
        p = F.relu(self.p(F.max_pooling_2d(h, 3, stride=1, pad=1)))
        out = F.concat((F.relu(self.a(h)), b, d, p), axis=1)
        out = F.local_response_normalization(out, n=3, k=1.0, alpha=0.5, beta=0.25)
        return self.fc(out), F.reshape(F.reshape(out, (1, 14, 25)), (1, 2, -1))

def exported(model, x, folder="."):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        caffe.export(model, [chainer.Variable(x)], folder, True, "Net")
    return CaffeFunction(pathlib.Path(folder) / "chainer_model.caffemodel")

def same(model, x, tops=None, tolerance=1e-5):
    "What was exported computes what the model does."
    function = exported(model, x)
    with chainer.using_config("train", False):
        right = model(x)
        right = right if isinstance(right, tuple) else (right,)
        got = function({"data": chainer.Variable(x)}, tops or function.layers[-1][2])
    assert len(got) == len(right)
    for y, r in zip(got, right):
        np.testing.assert_allclose(y.array, r.array, rtol=tolerance, atol=tolerance)
"""


@pytest.mark.parametrize(
    ("network", "tops", "digest"),
    [
        ("LeNet", ["Softmax-10-1"], "aa1252000b508c68f76d26873c8a2013ad77e11fc25c6d15efe0e6798c80d47a"),
        ("Block", ["LinearFunction-10-1"], "20d6b7ad4bb5e17392e534cb569916f09e49fdb1ab3f5188b735f6eea2bb11e1"),
        (
            "Inception",
            ["LinearFunction-11-1", "Reshape-11-1"],
            "cbec93d256fb16d082c406cd919673315eb4ba906bb2ba359e7e2209896fff55",
        ),
    ],
)
def test_files_are_those_of_chainer(run_as_chainer, network, tops, digest):
    expected = EXPECTED / f"{network.lower()}.prototxt"
    run_as_chainer(
        NETWORKS
        + f"""
model = {network}()
settle(model)
x = np.random.RandomState(0).uniform(-1, 1, model.shape).astype("f")
assert caffe.export(model, [chainer.Variable(x)], ".", True, "Net") is None
assert pathlib.Path("chainer_model.prototxt").read_text() == pathlib.Path({str(expected)!r}).read_text()
assert hashlib.sha256(pathlib.Path("chainer_model.caffemodel").read_bytes()).hexdigest() == {digest!r}
same(model, x, {tops})
"""
    )


def test_what_is_written(run_as_chainer):
    run_as_chainer(
        NETWORKS
        + """
x = chainer.Variable(np.zeros((1, 3, 8, 8), "f"))
caffe.export(L.Convolution2D(3, 2, 3), (x,))
assert list(pathlib.Path(".").iterdir()) == []
caffe.export(L.Convolution2D(3, 2, 3), [x], directory=".", export_params=False)
assert [path.name for path in pathlib.Path(".").iterdir()] == ["chainer_model.prototxt"]
assert pathlib.Path("chainer_model.prototxt").read_text().startswith('name: "Graph"\\nlayer {\\n  name: "data"\\n')
with chainer.no_backprop_mode(), chainer.using_config("train", True):
    caffe.export(L.BatchNormalization(3), [x], pathlib.Path("."))
    assert chainer.config.train
assert 'type: "Scale"' in pathlib.Path("chainer_model.prototxt").read_text()
with pytest.raises(FileNotFoundError):
    caffe.export(L.Linear(192, 2), [x], "nowhere")
"""
    )


def test_what_chainer_writes_wrongly(run_as_chainer):
    """Read again it computes the same: filters that are not square, dilation, deconvolutions, no beta."""
    run_as_chainer(
        NETWORKS
        + """
x = array(2, 4, 7, 9)
for link in (
    L.Convolution2D(4, 3, (2, 3), stride=(1, 2), pad=(0, 1)),
    L.Convolution2D(4, 6, 3, dilate=(1, 2), groups=2),
    L.Deconvolution2D(4, 3, (2, 3), stride=(2, 1), pad=(1, 0), initial_bias=array(3)),
    L.Deconvolution2D(4, 6, 2, groups=2, initial_bias=array(6)),
    L.BatchNormalization(4, use_beta=False),
    L.BatchNormalization(4, use_gamma=False, use_beta=False),
    L.Linear(9, 2),
):
    same(lambda x: link(x) if not isinstance(link, L.Linear) else link(x, n_batch_axes=3), x)
text = pathlib.Path("chainer_model.prototxt").read_text()
assert text.count("Reshape-") == 5 and "LinearFunction-1-1" in text

same(lambda x: F.max_pooling_2d(x, 2), x)
with pytest.warns(UserWarning, match=r"AveragePooling2D-0-1: .* \\(4, 5\\); the model's output has \\(3, 4\\)"):
    caffe.export(lambda x: F.average_pooling_2d(x, 2), [chainer.Variable(x)])
with pytest.warns(UserWarning, match=r"MaxPoolingND-0-1: .* \\(4, 5\\); the model's output has \\(3, 4\\)"):
    caffe.export(lambda x: F.max_pooling_2d(x, 2, cover_all=False), [chainer.Variable(x)])
caffe.export(lambda x: F.softmax(x, axis=2), [chainer.Variable(x)], ".")
assert "  softmax_param {\\n    axis: 2\\n" in pathlib.Path("chainer_model.prototxt").read_text()
"""
    )


def test_what_is_refused_leaves_nothing(run_as_chainer):
    run_as_chainer(
        NETWORKS
        + """
x = chainer.Variable(array(2, 4, 6, 6))
for model, words in (
    (lambda x: F.tanh(F.relu(x)), r"^Cannot convert, name=Tanh-1-1, rank=1, .*, inputs=\\['ReLU-0-1'\\]: no layer"),
    (lambda x: F.relu(x) + array(2, 4, 6, 6), "_ .*one input is a constant array"),
    (lambda x: F.concat([F.relu(x), chainer.Parameter(array(2, 4, 6, 6))]), "Concat.*one input is a constant array"),
    (lambda x: F.relu(x) + F.max_pooling_2d(x, 6), r"arrays of one shape, not \\(2, 4, 6, 6\\) and \\(2, 4, 1, 1\\)"),
    (L.Deconvolution2D(4, 2, 3, stride=2, outsize=(14, 14)), r"images of \\(13, 13\\), but outsize=\\(14, 14\\)"),
    (lambda x: F.average_pooling_nd(x, 2, pad=1, pad_value=None), "the padding; that of the model does not"),
    (lambda x: F.max_pooling_1d(x[:, :, 0], 2), "label=GetItem"),
    (L.BatchNormalization(axis=(0, 1), size=(6, 6)), r"each channel; the model normalizes over the axes \\(0, 1\\)"),
):
    with pytest.raises(NotImplementedError, match=words):
        caffe.export(model, [x], ".")
with pytest.raises(NotImplementedError, match="has one input, but args has 2"):
    caffe.export(F.add, [x, x], ".")
for args in (x, [x.array], np.zeros(3)):
    with pytest.raises(AssertionError, match="args must be a list of one Variable"):
        caffe.export(F.relu, args, ".")
with pytest.raises(AssertionError, match="the model must return Variables, not"):
    caffe.export(lambda x: x.array, [x], ".")
assert list(pathlib.Path(".").iterdir()) == []
"""
    )


@pytest.mark.parametrize(
    ("network", "digest"),
    [
        ("GoogLeNet", "ab0e7a37b20fedb3d1992599e9055a2ece0a9d04791036d8cb8e4296b1957ac3"),
        ("ResNet50Layers", "37e92626b0e84853d2631c06ce4158f271b381c4a8c512d5c742799cd1035afc"),
    ],
)
def test_networks_of_chainer_have_its_text(run_as_chainer, network, digest):
    run_as_chainer(
        NETWORKS
        + f"""
model = L.{network}(pretrained_model=None)
x = chainer.Variable(np.zeros((1, 3, 224, 224), "f"))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    caffe.export(lambda x: model(x, layers=["prob"])["prob"], [x], ".", False, "{network}")
assert hashlib.sha256(pathlib.Path("chainer_model.prototxt").read_bytes()).hexdigest() == "{digest}"
"""
    )
