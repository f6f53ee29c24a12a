"""The names of this package, one module per kind. Importing them imports no function, link or model."""
