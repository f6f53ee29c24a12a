"""PSPNet: features pooled over regions of several sizes (Zhao et al. 2017)."""
