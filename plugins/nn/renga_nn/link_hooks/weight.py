"""Links that compute with another weight than their parameter."""

from __future__ import annotations

from renga_core.graph import Parameter, Variable, no_backprop_mode
from renga_core.link import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, Link, LinkHook
from renga_nn.links.convolution_2d import Deconvolution2D
from renga_nn.links.convolution_nd import DeconvolutionND

__all__ = ["WeightHook", "output_axis"]


class WeightHook(LinkHook):
    """While a link computes, its weight is a function of its parameter. Hung on a link by `Link.add_hook`.

    A link that takes sizes from its first input is called once without a graph for them.

    Args:
        weight_name: Name of the parameter.
        name: Name of the hook; that of the class if None.
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
        """Make what is needed and not there yet. Called when the shape of the weight is known."""

    def weight_of(self, link: Link | None) -> Variable:
        """The weight of the link.

        Raises:
            TypeError: The hook was made to watch all links.
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
            TypeError, ValueError: As of `weight_of`.
        """
        W = self.weight_of(link)
        if link is not None and W.array is not None:
            self.prepare(link, W)

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Put the computed weight in the parameter's place."""
        link = args.link
        W = self.weight_of(link)
        if W.array is None:
            with no_backprop_mode():
                link.forward(*args.args, **args.kwargs)
        self.prepare(link, W)
        weight = self.computed(link, W)
        # With several such hooks on one weight, the first has the parameter, and puts it back.
        self._parameters.append(W if isinstance(W, Parameter) else None)
        setattr(link, self.weight_name, weight)

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """Put the parameter back."""
        self._put_back(args.link)

    def forward_aborted(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Put the parameter back."""
        self._put_back(args.link)

    def _put_back(self, link: Link) -> None:
        parameter = self._parameters.pop()
        if parameter is not None:
            setattr(link, self.weight_name, parameter)


def output_axis(link: Link) -> int:
    """The axis of a link's weight that counts its outputs."""
    return 1 if isinstance(link, (Deconvolution2D, DeconvolutionND)) else 0
