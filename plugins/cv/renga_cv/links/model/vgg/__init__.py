"""VGG with 16 layers."""
