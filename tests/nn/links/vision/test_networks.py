"""Structure, names and results of the networks, against PyTorch's functions. The largest parts are made small."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_nn.initializers import Zero
from renga_nn.links import GoogLeNet, Linear, ResNet50Layers, ResNet101Layers, ResNet152Layers, VGG16Layers, VGG19Layers
from renga_nn.links.vision import googlenet, resnet, vgg


@pytest.fixture
def functional():
    return pytest.importorskip("torch").nn.functional


def moved(network, seed=0):
    """The network with all of its arrays moved away from 0 and 1; and these as tensors, by name."""
    import torch

    rng = np.random.default_rng(seed)
    for link in network.links():
        for name in ("gamma", "beta", "b"):
            parameter = link.__dict__.get(name)
            if parameter is not None:
                parameter.array += rng.uniform(-0.2, 0.2, parameter.shape).astype("float32")
        if "avg_mean" in link.__dict__:
            link.avg_mean += rng.uniform(-0.1, 0.1, link.avg_mean.shape).astype("float32")
            link.avg_var += rng.uniform(0, 0.3, link.avg_var.shape).astype("float32")
    arrays = {name.lstrip("/"): p.array for name, p in network.namedparams()}
    for path, link in network.namedlinks():
        if "avg_mean" in link.__dict__:
            arrays |= {f"{path}/{name}".lstrip("/"): link.__dict__[name] for name in ("avg_mean", "avg_var")}
    return {name: torch.tensor(array) for name, array in arrays.items()}


def size(network):
    return sum(p.size for p in network.params())


def image(*shape):
    return np.random.default_rng(1).uniform(-1, 1, shape).astype("float32")


def assert_close(ours, theirs):
    right = theirs.detach().numpy()
    assert ours.shape == right.shape
    np.testing.assert_allclose(ours.array, right, rtol=2e-3, atol=2e-3 * abs(right).max())


# --- VGG ---


@pytest.fixture
def small_linear(monkeypatch):
    """Fully connected layers of the size of the first input, and narrow; with the sizes that were asked for."""
    asked = []

    def make(in_size, out_size, **rest):
        asked.append((in_size, out_size))
        return Linear(None, 8 if out_size == 4096 else out_size, **rest)

    monkeypatch.setattr(vgg, "Linear", make)
    return asked


@pytest.mark.torch
@pytest.mark.parametrize(
    ("made", "stages", "parameters"),
    [(VGG16Layers, (2, 2, 3, 3, 3), 138357544), (VGG19Layers, (2, 2, 4, 4, 4), 143667240)],
)
def test_vgg(functional, small_linear, made, stages, parameters):
    import torch

    network = made(None)
    convolutions = sum(size(network[name]) for name in network._children if name.startswith("conv"))
    assert convolutions + sum((n + 1) * m for n, m in small_linear) == parameters
    x = image(1, 3, 32, 32)
    network(x)
    P = moved(network)
    h, expected = torch.tensor(x), {}
    for stage, count in enumerate(stages, 1):
        for number in range(1, count + 1):
            name = f"conv{stage}_{number}"
            h = expected[name] = functional.conv2d(h, P[f"{name}/W"], P[f"{name}/b"], padding=1).relu()
        h = expected[f"pool{stage}"] = functional.max_pool2d(h, 2)
    h = h.flatten(1)
    for name in ("fc6", "fc7"):
        h = expected[name] = functional.linear(h, P[f"{name}/W"], P[f"{name}/b"]).relu()
    expected["fc8"] = functional.linear(h, P["fc8/W"], P["fc8/b"])
    expected["prob"] = expected["fc8"].softmax(1)
    assert network.available_layers == list(expected)
    layers = network(x, network.available_layers)
    for name, right in expected.items():
        assert_close(layers[name], right)


def test_vgg_drops_units_in_training(small_linear):
    network = VGG16Layers(None)
    x = image(1, 3, 32, 32)
    first = network(x, ["fc6"])["fc6"].array
    with using_config("train", True):
        second = network(x, ["fc6"])["fc6"].array
    assert (first != second).any()


def test_vgg_from_caffe(small_linear):
    network, source = VGG16Layers(None), VGG16Layers(None)
    for made in (network, source):
        made(image(1, 3, 32, 32))
    network.copy_from_caffe(source)
    for p, q in zip(network.params(), source.params(), strict=True):
        np.testing.assert_array_equal(p.array, q.array)


# --- ResNet ---


@pytest.mark.torch
@pytest.mark.parametrize("downsample_fb", [False, True])
def test_resnet50(functional, downsample_fb):
    import torch

    network = ResNet50Layers(None, downsample_fb)
    assert size(network) == 25557096
    P = moved(network)
    x = image(1, 3, 64, 64)

    def layer(h, conv, norm, stride=1, pad=0):
        h = functional.conv2d(h, P[f"{conv}/W"], P.get(f"{conv}/b"), stride, pad)
        statistics = [P[f"{norm}/{name}"] for name in ("avg_mean", "avg_var", "gamma", "beta")]
        return functional.batch_norm(h, *statistics, eps=2e-5)

    h = layer(torch.tensor(x), "conv1", "bn1", 2, 3).relu()
    expected = {"conv1": h}
    h = expected["pool1"] = functional.max_pool2d(h, 3, 2, ceil_mode=True)
    for stage, count in zip((2, 3, 4, 5), (3, 4, 6, 3), strict=True):
        for block in ["a", *[f"b{n}" for n in range(1, count)]]:
            at = f"res{stage}/{block}"
            stride = 2 if block == "a" and stage > 2 else 1
            first, second = (1, stride) if downsample_fb else (stride, 1)
            y = layer(h, f"{at}/conv1", f"{at}/bn1", first).relu()
            y = layer(y, f"{at}/conv2", f"{at}/bn2", second, 1).relu()
            y = layer(y, f"{at}/conv3", f"{at}/bn3")
            h = (y + (layer(h, f"{at}/conv4", f"{at}/bn4", stride) if block == "a" else h)).relu()
        expected[f"res{stage}"] = h
    h = expected["pool5"] = h.mean((2, 3))
    h = expected["fc6"] = functional.linear(h, P["fc6/W"], P["fc6/b"])
    expected["prob"] = h.softmax(1)
    assert network.available_layers == list(expected)
    layers = network(x, network.available_layers)
    for name, right in expected.items():
        assert_close(layers[name], right)


@pytest.mark.parametrize(
    ("made", "parameters", "blocks"),
    [(ResNet101Layers, 44549224, (3, 4, 23, 3)), (ResNet152Layers, 60192872, (3, 8, 36, 3))],
)
def test_deeper_resnets(monkeypatch, made, parameters, blocks):
    monkeypatch.setattr(resnet, "HeNormal", lambda scale: Zero())
    with using_config("dtype", np.dtype("float16")):
        network = made(None)
    assert size(network) == parameters
    stages = [network[f"res{n}"] for n in (2, 3, 4, 5)]
    assert tuple(len(list(stage.bottlenecks())) for stage in stages) == blocks


def test_other_depths():
    with pytest.raises(ValueError, match="n_layers must be 50, 101 or 152, not 18"):
        resnet.ResNetLayers(None, 18)


@pytest.mark.parametrize(
    ("n_layers", "names"),
    [
        (50, {"res3": ["a", "b", "c", "d"], "res4": ["a", "b", "c", "d", "e", "f"]}),
        (101, {"res3": ["a", "b1", "b2", "b3"], "res4": ["a", *[f"b{n}" for n in range(1, 23)]]}),
    ],
)
def test_resnet_from_caffe(monkeypatch, n_layers, names):
    """Each layer of Caffe's, by the name it has there, is one number; and each of ours has to get its own."""
    made = {50: ResNet50Layers, 101: ResNet101Layers}[n_layers]
    monkeypatch.setattr(resnet, "HeNormal", lambda scale: Zero())
    network = made(None)
    numbers = {}

    class Source(dict):
        def __missing__(self, name):
            return numbered(numbers.setdefault(name, len(numbers) + 1))

    def numbered(number):
        full = SimpleNamespace(array=np.float32(number))
        return SimpleNamespace(W=full, b=full, bias=SimpleNamespace(b=full), avg_mean=number, avg_var=number)

    def fill(parameter, source):
        parameter.array[...] = source.array

    monkeypatch.setattr("renga_core.graph.Parameter.copydata", fill)
    monkeypatch.setattr(Linear, "copyparams", lambda link, source: fill(link.W, source.W))
    network.copy_from_caffe(Source())
    names = {"res2": ["a", "b", "c"], "res5": ["a", "b", "c"], **names}
    for stage, theirs in names.items():
        for name, block in zip(theirs, network[stage].bottlenecks(), strict=True):
            for i, branch in enumerate(["2a", "2b", "2c", "1"][: 4 if name == "a" else 3], 1):
                end = f"{stage[3:]}{name}_branch{branch}"
                assert block[f"conv{i}"].W.array.flat[-1] == numbers[f"res{end}"]
                norm = block[f"bn{i}"]
                assert norm.avg_mean[0] == norm.avg_var[-1] == numbers[f"bn{end}"]
                assert norm.gamma.array[0] == norm.beta.array[0] == numbers[f"scale{end}"]
    assert network.conv1.W.array.flat[0] == network.conv1.b.array[0] == numbers["conv1"]
    assert network.bn1.avg_mean[0] == numbers["bn_conv1"]
    assert network.fc6.W.array[0, 0] == numbers["fc1000"]


# --- GoogLeNet ---


@pytest.mark.torch
def test_googlenet(functional):
    import torch

    network = GoogLeNet(None)
    assert size(network) == 13378280
    P = moved(network)
    x = image(1, 3, 224, 224)

    def conv(h, name, stride=1, pad=0):
        return functional.conv2d(h, P[f"{name}/W"], P[f"{name}/b"], stride, pad)

    def fc(h, name):
        return functional.linear(h.flatten(1), P[f"{name}/W"], P[f"{name}/b"])

    def pool(h):
        return functional.max_pool2d(h, 3, 2, ceil_mode=True)

    def normalized(h):
        return functional.local_response_norm(h, 5, 1e-4, 0.75, 1)

    def inception(h, name):
        three = conv(conv(h, f"{name}/proj3").relu(), f"{name}/conv3", 1, 1)
        five = conv(conv(h, f"{name}/proj5").relu(), f"{name}/conv5", 1, 2)
        pooled = conv(functional.max_pool2d(h, 3, 1, 1), f"{name}/projp")
        return torch.cat([conv(h, f"{name}/conv1"), three, five, pooled], 1).relu()

    h = normalized(pool(conv(torch.tensor(x), "conv1", 2, 3).relu()))
    expected = {"pool1": h}
    h = expected["conv2"] = normalized(conv(conv(h, "conv2_reduce").relu(), "conv2", 1, 1).relu())
    h = pool(h)
    for number in ("3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"):
        if number in ("4a", "5a"):
            h = expected[f"pool{int(number[0]) - 1}"] = pool(h)
        h = expected[f"inception_{number}"] = inception(h, f"inc{number}")
    h = expected["pool5"] = functional.avg_pool2d(h, 7, 1)
    h = expected["loss3_fc"] = fc(h, "loss3_fc")
    expected["prob"] = h.softmax(1)
    for number, source in (("1", "inception_4a"), ("2", "inception_4d")):
        h = conv(functional.avg_pool2d(expected[source], 5, 3), f"loss{number}_conv").relu()
        expected[f"loss{number}_fc2"] = fc(fc(h, f"loss{number}_fc1").relu(), f"loss{number}_fc2")
    layers = network(x, expected)
    for name, right in expected.items():
        assert_close(layers[name], right)


def test_googlenet_from_caffe():
    """A file of Caffe's with the names of BVLC's network, one number for each layer."""
    network = GoogLeNet(None)
    numbers = {}

    class Source(dict):
        def __missing__(self, name):
            numbers.setdefault(name, len(numbers) + 1)
            return name

    for link in network.links():
        if not list(link.children()):
            link.copyparams = lambda source, link=link: link.W.array.fill(numbers[source])
    network.copy_from_caffe(Source())
    for name in ("3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"):
        theirs = {"conv1": "1x1", "proj3": "3x3_reduce", "conv3": "3x3", "proj5": "5x5_reduce", "conv5": "5x5"}
        for ours, end in {**theirs, "projp": "pool_proj"}.items():
            assert network[f"inc{name}"][ours].W.array.flat[0] == numbers[f"inception_{name}/{end}"]
    assert network.conv1.W.array.flat[0] == numbers["conv1/7x7_s2"]
    assert network.conv2_reduce.W.array.flat[0] == numbers["conv2/3x3_reduce"]
    assert network.conv2.W.array.flat[0] == numbers["conv2/3x3"]
    assert network.loss1_fc1.W.array.flat[0] == numbers["loss1/fc"]
    assert network.loss2_fc2.W.array.flat[0] == numbers["loss2/classifier"]
    assert network.loss3_fc.W.array.flat[0] == numbers["loss3/classifier"]


@pytest.mark.parametrize("module", [vgg, resnet, googlenet])
def test_pictures_are_prepared_by_the_mean_of_each_network(module):
    x = module.prepare(np.zeros((2, 2, 3), np.uint8), size=None)
    np.testing.assert_allclose(x[:, 0, 0], [-m for m in module.MEAN])
    assert math.isclose(sum(module.MEAN), {vgg: 344.398, resnet: 342.118, googlenet: 344.0}[module], rel_tol=1e-6)
