"""SegNet: an encoder, and a decoder that reverses its pooling step by step."""
