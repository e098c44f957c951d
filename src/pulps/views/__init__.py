"""Views: cheap, honest opinions on a table, and their consensus.

Each view is a classifier of labeled against unlabeled rows that says of every training row what
models think that did not see it (:mod:`pulps.views.catalog` lists them). Views are put on one
scale, weighed by how well they rank held-out labels, and averaged
(:mod:`pulps.views.consensus`). No view needs a negative.
"""
