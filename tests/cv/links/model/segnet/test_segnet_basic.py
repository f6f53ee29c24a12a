"""SegNet-Basic, against PyTorch's pooling and unpooling."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_cv.links.model.segnet.segnet_basic import SegNetBasic


@pytest.fixture(scope="module")
def network():
    """With batch normalization that does something."""
    network = SegNetBasic(5)
    rng = np.random.default_rng(0)
    for path, value in network.namedparams():
        if path.endswith(("gamma", "beta")):
            value.array[...] = rng.uniform(0.5, 1.5, value.shape)
    for name, child in network.namedlinks(skipself=True):
        if name.endswith("_bn"):
            child.avg_mean[...] = rng.uniform(-0.2, 0.2, child.avg_mean.shape)
            child.avg_var[...] = rng.uniform(0.5, 2, child.avg_var.shape)
    return network


def images(*sizes):
    rng = np.random.default_rng(1)
    return [rng.uniform(0, 255, (3, *size)).astype(np.float32) for size in sizes]


@pytest.mark.torch
def test_forward_is_that_of_torch(network):
    torch = pytest.importorskip("torch")
    F = torch.nn.functional

    def tensor(x):
        return torch.from_numpy(np.asarray(x))

    def normalized(h, name):
        bn = network[name]
        arrays = [tensor(x) for x in (bn.avg_mean, bn.avg_var, bn.gamma.array, bn.beta.array)]
        return F.batch_norm(h, *arrays, eps=bn.eps)

    # Sizes that two does not divide: unpooling must find the rows and columns that pooling has rounded up.
    x = np.stack(images((21, 37), (21, 37)))
    h = F.local_response_norm(tensor(x), 5, alpha=1e-4, beta=0.75, k=1)
    poolings = []
    for i in range(1, 5):
        h = F.relu(normalized(F.conv2d(h, tensor(network[f"conv{i}"].W.array), padding=3), f"conv{i}_bn"))
        size = h.shape
        h, indices = F.max_pool2d(h, 2, ceil_mode=True, return_indices=True)
        poolings.append((indices, size))
    for i in (4, 3, 2, 1):
        indices, size = poolings.pop()
        h = F.max_unpool2d(h, indices, 2, output_size=size)
        h = F.conv2d(h, tensor(network[f"conv_decode{i}"].W.array), padding=3)
        h = normalized(h, f"conv_decode{i}_bn")
    classifier = network.conv_classifier
    right = F.conv2d(h, tensor(classifier.W.array), tensor(classifier.b.array)).detach().numpy()
    with using_config("train", False):
        scores = network(x).array
    assert scores.shape == (2, 5, 21, 37)
    np.testing.assert_allclose(scores, right, atol=1e-4 * abs(right).max())


def test_predict_gives_each_image_labels_of_its_size(network):
    imgs = images((16, 24), (17, 9), (16, 24))
    labels = network.predict(imgs)
    assert [label.shape for label in labels] == [(16, 24), (17, 9), (16, 24)]
    with using_config("train", False):
        for img, label in zip(imgs, labels, strict=True):
            assert label.dtype == np.int32
            scores = network(img[None]).array[0]
            best = np.sort(scores, axis=0)
            clear = best[-1] - best[-2] > 1e-3 * abs(scores).max()  # else rounding may decide
            assert clear.mean() > 0.5
            assert np.array_equal(label[clear], scores.argmax(axis=0)[clear])


def test_predict_of_no_images(network):
    assert network.predict([]) == []


def test_the_number_of_classes_must_be_known():
    with pytest.raises(ValueError, match="n_class must be given"):
        SegNetBasic()


def test_each_parameter_gets_a_gradient():
    network = SegNetBasic(2, initialW=0.01)
    network.cleargrads()
    (network(np.stack(images((8, 8)))) ** 2).sum().backward()
    without = [path for path, param in network.namedparams() if param.grad is None or not np.isfinite(param.grad).all()]
    assert without == []
