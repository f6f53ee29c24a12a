"""Residual networks with squeeze and excitation."""
