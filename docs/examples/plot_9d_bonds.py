"""
What the left tells the right
=============================

A network is a chain of attributes. What is known of the attributes to the left of a bond reaches
those to the right over that bond alone, so its entropy says how much the two parts have to do with
each other.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pulps import LPSClassifier
from pulps.displays import BondEntropyDisplay

# %%
# Six attributes. In a positive row ``a`` equals ``b`` and ``c`` equals ``d``, more or less; in a
# negative one all are independent; ``e`` and ``f`` are noise in either.
rng = np.random.default_rng(0)
positive = np.arange(600) < 300
table = pd.DataFrame(rng.random((600, 6)), columns=list("abcdef"))
for one, other in ("ab", "cd"):
    table.loc[positive, other] = (table[one] + rng.normal(0, 0.05, 600)).clip(0, 1)[positive]
y = positive & (rng.random(600) < 0.5)
model = LPSClassifier.generative(n_repeats=1, n_members=3, random_state=0).fit(table, y)
print("order of the sites:", [table.columns[i] for i in model.site_order_])

# %%
# With one site per attribute every bond can be read. Attributes that belong together were put next
# to each other. On the left the positive network carries most inside the pairs, at both ends, and
# less between them, where nothing would be needed: training leaves some of it. The negative
# network carries less than half as much. On the right only what these rows use counts, and the
# difference between the bonds of the positive network is gone: structure is to be read on the
# left. The dotted line is the most that a bond of this size can carry.
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
BondEntropyDisplay.from_estimator(model, ax=axes[0])
BondEntropyDisplay.from_estimator(model, table, ax=axes[1])
axes[0].set_title("all that the network can hold")
text = axes[1].set_title("what these rows need")
