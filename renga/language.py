"""Language models: `Llama`, loading its weights (`load_llama`), and splitting text into tokens (`Tokenizer`).

`pip install 'renga[tokenizers]'` installs what `Tokenizer` needs.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__, {})
