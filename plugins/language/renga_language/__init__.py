"""Language models: a decoder like Llama, its weights from other programs, text as tokens.

- `llama`: `Llama`, the network. `block`: one of its layers. `cache`: keys and values of what was read.
- `sampling`: `sample`, which token comes next.
- `weights`: `load_llama`, from a folder in the layout of Hugging Face, or a file of llama2.c.
- `tokenizer`: `Tokenizer`, text to tokens and back.
- `plugin`: what this package offers to Renga.
"""
