"""The base of hooks that change a link's weight for each computation."""

from __future__ import annotations

from renga_core.graph import Parameter, Variable, no_backprop_mode
from renga_core.link import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, Link, LinkHook
from renga_nn.links.convolution_2d import Deconvolution2D
from renga_nn.links.convolution_nd import DeconvolutionND

__all__ = ["WeightHook", "output_axis"]


class WeightHook(LinkHook):
    """Replaces a link's weight by a function of it during each forward computation. Add it with `Link.add_hook`.

    If a link takes sizes from its first input, it is called once without a graph, to initialize the weight.

    Args:
        weight_name: Name of the parameter.
        name: Name of the hook; None: the class name.
    """

    def __init__(self, weight_name: str, name: str | None) -> None:
        self.weight_name = weight_name
        if name is not None:
            self.name = name
        self._parameters: list[Parameter | None] = []

    def computed(self, link: Link, W: Variable) -> Variable:
        """The weight to compute with."""
        raise NotImplementedError

    def prepare(self, link: Link, W: Variable) -> None:
        """Create what is missing. Called when the shape of the weight is known."""

    def weight_of(self, link: Link | None) -> Variable:
        """The weight of the link.

        Raises:
            TypeError: The hook watches all links.
            ValueError: The link has no such parameter.
        """
        if link is None:
            raise TypeError(f"{self.name} belongs to one link: link.add_hook({type(self).__name__}())")
        W = getattr(link, self.weight_name, None)
        if not isinstance(W, Variable):
            raise ValueError(f"{self.name}: {type(link).__name__} has no parameter {self.weight_name!r}")
        return W

    def added(self, link: Link | None) -> None:
        """Prepare, if the shape of the weight is known.

        Raises:
            TypeError, ValueError: See `weight_of`.
        """
        W = self.weight_of(link)
        if link is not None and W.array is not None:
            self.prepare(link, W)

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Replace the parameter by the computed weight."""
        link = args.link
        W = self.weight_of(link)
        if W.array is None:
            with no_backprop_mode():
                link.forward(*args.args, **args.kwargs)
        self.prepare(link, W)
        weight = self.computed(link, W)
        # If several such hooks use one weight, the first one keeps the parameter and restores it.
        self._parameters.append(W if isinstance(W, Parameter) else None)
        setattr(link, self.weight_name, weight)

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """Restore the parameter."""
        self._put_back(args.link)

    def forward_aborted(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Restore the parameter."""
        self._put_back(args.link)

    def _put_back(self, link: Link) -> None:
        parameter = self._parameters.pop()
        if parameter is not None:
            setattr(link, self.weight_name, parameter)


def output_axis(link: Link) -> int:
    """The output axis of a link's weight."""
    return 1 if isinstance(link, (Deconvolution2D, DeconvolutionND)) else 0
