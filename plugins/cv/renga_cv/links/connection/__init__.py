"""Links that combine a convolution with the layers that usually follow it; one module for each."""
