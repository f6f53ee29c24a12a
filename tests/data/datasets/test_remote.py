import re

import pytest

from renga_data.datasets import remote

FILES = [*remote.MNIST, *remote.FASHION_MNIST, *remote.KUZUSHIJI_MNIST, remote.CIFAR10, remote.CIFAR100]
FILES += [*remote.PTB, remote.SVHN_TRAIN, remote.SVHN_TEST, remote.SVHN_EXTRA]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.dataset}/{file.name}")
def test_a_file_stays_in_its_folder_and_is_known(file):
    assert re.fullmatch(r"[a-z0-9_]+", file.dataset)
    assert re.fullmatch(r"[a-z0-9_-]+(\.[a-z]+)+", file.name)
    assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
    assert file.size > 0
    assert not file.url.endswith("/")


def test_no_two_files_are_one():
    assert len({file.sha256 for file in FILES}) == len({(file.dataset, file.name) for file in FILES}) == len(FILES)
