"""CUB-200-2011: photographs of 200 species of birds."""
