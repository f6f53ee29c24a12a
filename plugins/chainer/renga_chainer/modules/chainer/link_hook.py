"""``chainer.link_hook``: the arguments of link hooks, under the names of Chainer 7."""

from renga_core.link.link_hook import (
    ForwardPostprocessCallbackArgs,
    ForwardPreprocessCallbackArgs,
    LinkHook,
    get_link_hooks,
)

__all__ = ["LinkHook"]

_ForwardPreprocessCallbackArgs = ForwardPreprocessCallbackArgs
_ForwardPostprocessCallbackArgs = ForwardPostprocessCallbackArgs
_get_link_hooks = get_link_hooks
