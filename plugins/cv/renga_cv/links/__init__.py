"""Links: `connection`, convolutions with what usually follows them; `model`, networks."""
