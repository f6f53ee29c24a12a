"""Networks that classify, and links that networks are made of."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

_CONNECTION = {
    "renga_cv.links.connection.conv_2d_activ": "Conv2DActiv",
    "renga_cv.links.connection.conv_2d_bn_activ": "Conv2DBNActiv",
    "renga_cv.links.connection.se_block": "SEBlock",
    "renga_cv.links.connection.separable_conv_2d_bn_activ": "SeparableConv2DBNActiv",
}

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.links",
        names={**_CONNECTION, "renga_cv.links.model.pickable_sequential_chain": "PickableSequentialChain"},
    ),
    Namespace("renga.cv.links.connection", names=_CONNECTION),
    Namespace("renga.cv.utils", names={"renga_cv.utils.pretrained": "download_model prepare_pretrained_model"}),
]
