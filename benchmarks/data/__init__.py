"""Loading pictures: Renga's iterators compared with PyTorch's DataLoader and the transforms of torchvision."""
