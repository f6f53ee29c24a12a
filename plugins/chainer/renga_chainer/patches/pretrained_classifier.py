"""``pretrained_model='auto'`` finds weights in Chainer's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from renga_nn.links.vision import PretrainedClassifier

__all__ = ["ADDITIONS"]

_expected_path = PretrainedClassifier._expected_path


def expected_path(self: PretrainedClassifier) -> Path:
    """Return ``pfnet/chainer/models`` in Chainer's folder, unless the file exists only in Renga's."""
    from renga_chainer.modules.chainer.dataset.download import get_dataset_root

    chainers = Path(get_dataset_root(), "pfnet", "chainer", "models", self.file_name)
    rengas = _expected_path(self)
    return rengas if rengas.exists() and not chainers.exists() else chainers


ADDITIONS: list[tuple[type, str, Any]] = [(PretrainedClassifier, "_expected_path", expected_path)]
