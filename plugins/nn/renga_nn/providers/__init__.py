"""What this package offers, as names; one module for each kind. Importing them imports no function, link or model."""
