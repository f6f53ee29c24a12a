# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_language.cache import Cache as Cache
from renga_language.llama import Llama as Llama
from renga_language.sampling import sample as sample
from renga_language.tokenizer import Tokenizer as Tokenizer
from renga_language.weights import load_llama as load_llama

__all__ = [
    "Cache",
    "Llama",
    "Tokenizer",
    "load_llama",
    "sample",
]
