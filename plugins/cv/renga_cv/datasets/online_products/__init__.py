"""Stanford Online Products: photographs of 22634 products."""
