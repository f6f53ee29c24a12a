"""Language models: a decoder like Llama, loading of its weights, and tokenizers.

- `llama`: `Llama`, the network. `block`: one of its layers. `cache`: keys and values of earlier tokens.
- `sampling`: `sample` chooses the next token.
- `weights`: `load_llama` reads weights in the layout of Hugging Face or from a file of llama2.c.
- `tokenizer`: `Tokenizer` turns text into tokens and back.
- `plugin`: what this package registers with Renga.
"""
