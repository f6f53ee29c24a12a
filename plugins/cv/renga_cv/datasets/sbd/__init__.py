"""SBD: instances in the photographs of PASCAL VOC."""
