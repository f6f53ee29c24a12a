"""ResNet-101 for Light-Head R-CNN and FCIS: regions are proposed on one map, and classified by another."""

from __future__ import annotations

from typing import Any

from renga_core.configuration import using_config
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.resnet.res_block import ResBlock
from renga_cv.links.model.resnet.resnet import ResNet101
from renga_nn.functions.pooling import max_pooling_2d
from renga_nn.initializers import HeNormal

__all__ = ["ResNet101Extractor", "load_imagenet"]


class ResNet101Extractor(Chain):
    """The convolutions of ResNet-101 (He et al. 2016), with dilated filters in the last stage.

    Batch normalization always uses its averages, also in training. No gradient flows to layers before ``res3``, so
    these are not trained.

    Args:
        initialW: Initializer of filters. Default: HeNormal.

    Attributes:
        conv1, res2, res3, res4, res5: The layers with parameters, in order.
    """

    def __init__(self, initialW: Any = None) -> None:
        super().__init__()
        initialW = HeNormal() if initialW is None else initialW
        kwargs: dict[str, Any] = {"initialW": initialW, "bn_kwargs": {"eps": 1e-5}, "stride_first": True}
        with self.init_scope():
            self.conv1 = Conv2DBNActiv(3, 64, 7, 2, 3, initialW=initialW)
            self.res2 = ResBlock(3, 64, 64, 256, 1, **kwargs)
            self.res3 = ResBlock(4, 256, 128, 512, 2, **kwargs)
            self.res4 = ResBlock(23, 512, 256, 1024, 2, **kwargs)
            self.res5 = ResBlock(3, 1024, 512, 2048, 1, 2, **kwargs)

    def pool1(self, x: Any) -> Any:
        """The max pooling after `conv1`, which covers all pixels: sizes are rounded up."""
        return max_pooling_2d(x, 3, 2)

    def forward(self, x: Any) -> tuple[Variable, Variable]:
        """Features for proposing regions, and features for classifying them.

        Args:
            x: Images ``(N, 3, H, W)``.

        Returns:
            Of ``res4``, ``(N, 1024, H', W')``, and of ``res5``, ``(N, 2048, H', W')``; about a sixteenth of the image.
        """
        with using_config("train", False):
            h = self.res2(self.pool1(self.conv1(x)))
            h.unchain_backward()
            res4: Variable = self.res4(self.res3(h))
            res5: Variable = self.res5(res4)
        return res4, res5


def load_imagenet(extractor: ResNet101Extractor) -> None:
    """Load the weights of ResNet-101 (arch ``"he"``) that ChainerCV's authors have published.

    Raises:
        DownloadError, FileDamaged, FileMismatched: See `renga.cv.links.ResNet101`.
    """
    trained = ResNet101(pretrained_model="imagenet", arch="he")
    for name in ("conv1", "res2", "res3", "res4", "res5"):
        extractor[name].copyparams(trained[name])
