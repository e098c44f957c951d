"""Views of several classes: cheap classifiers of the labeled rows, and their consensus.

Where :mod:`pulps.views` tells labeled from unlabeled rows, these tell labeled classes from each
other. Each is fitted on the labeled rows, some also look at how the unlabeled ones lie, and each
is asked about labeled rows that were held out from it (:mod:`pulps.views.classes.consensus`).
"""
