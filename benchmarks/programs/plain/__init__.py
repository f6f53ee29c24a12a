"""Networks in the style of older programs: every formula written out in plain operations, none of them fused."""
