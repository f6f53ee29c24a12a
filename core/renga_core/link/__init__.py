"""Links: objects that hold parameters, and trees of them.

Reading guide
-------------
- `link`: `Link`, parameters and persistent values with a forward computation. Start there.
- `chain`: `Chain`, children by name.  `chain_list`: `ChainList`, children by position.
- `sequential`: `Sequential`, a list of links and functions that are called one after another.
- `link_hook`: `LinkHook`, called before and after the forward computation of links.
- `tree`, `copying`, `printing`: walking a tree, copying between trees, and how a tree looks as text.

A tree is walked in one place: each class says what its children are (`Link._named_children`), and every operation on a
tree is written once, in `Link`, in terms of that.
"""

from renga_core.link.chain import Chain
from renga_core.link.chain_list import ChainList
from renga_core.link.link import Link
from renga_core.link.link_hook import (
    ForwardPostprocessCallbackArgs,
    ForwardPreprocessCallbackArgs,
    LinkHook,
    get_link_hooks,
)
from renga_core.link.sequential import Sequential

__all__ = [
    "Chain",
    "ChainList",
    "ForwardPostprocessCallbackArgs",
    "ForwardPreprocessCallbackArgs",
    "Link",
    "LinkHook",
    "Sequential",
    "get_link_hooks",
]
