"""ADE20K: photographs, each pixel of which has one of 150 classes."""
