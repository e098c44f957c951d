"""Models of images, some of them positive: their neighbors, their patches, their states."""
