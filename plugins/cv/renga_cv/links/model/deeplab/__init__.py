"""DeepLab v3+: convolutions with holes, of several rates, and a decoder (Chen et al. 2018)."""
