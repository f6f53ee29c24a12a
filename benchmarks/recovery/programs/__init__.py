"""The same training in each library: 784-1000-1000-10, Adam, three ranks with 32 examples each."""
