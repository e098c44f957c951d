"""The benchmark with several classes: some rows have a label, the others have none.

After Triguero, García and Herrera (Knowledge and Information Systems 42, 2015): ten folds, 10 to
40 % of the training rows labeled, accuracy on the unlabeled training rows (transductive) and on
the test fold (inductive). Read :mod:`problems`, :mod:`rivals`, :mod:`running`, :mod:`page`.
"""
