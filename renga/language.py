"""Language models: `Llama`, its weights from other programs (`load_llama`), and text as tokens (`Tokenizer`).

`pip install 'renga[tokenizers]'` installs what `Tokenizer` needs.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__, {})
