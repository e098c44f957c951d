"""Models of several classes, with labels for some rows: of tables and of images."""
