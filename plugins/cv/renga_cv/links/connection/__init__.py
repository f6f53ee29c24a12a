"""Links that combine a convolution with the layers that usually follow it. A module for each."""
