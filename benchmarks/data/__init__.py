"""Loading pictures: Renga's iterators beside PyTorch's DataLoader with the transforms of torchvision."""
