"""Networks in the style of older programs: every formula is written in plain operations, without fused functions."""
