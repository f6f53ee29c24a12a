"""Links: `connection`, convolutions with the layers that usually follow; `model`, networks."""
