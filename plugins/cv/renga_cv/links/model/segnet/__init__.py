"""SegNet: an encoder whose pooling is undone, step by step, by a decoder."""
