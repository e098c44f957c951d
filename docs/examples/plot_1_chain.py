"""
The chain and its sites
=======================

A class is a chain of cores, one for each attribute. The environment moves along the chain from
left to right, between the chain and its mirror image. What happens to the feature leg of a site
decides what is read.
"""

import matplotlib.pyplot as plt

BLUE, ORANGE, GRAY, DARK = "#1f6fa8", "#c2540a", "#98a4b3", "#333333"
OUTPUTS = (2, 5)


def draw_chain(ax, kinds, title):
    """Draw a chain and its mirror image; ``kinds`` holds one letter per site."""
    top, bottom = 1.0, -1.0
    for height in (top, bottom):
        ax.plot([0, len(kinds) - 1], [height, height], color=DARK, lw=2, zorder=1)
    for site, kind in enumerate(kinds):
        inward = {top: top - 0.55, bottom: bottom + 0.55}
        if kind == "t":
            ax.plot([site, site], [bottom, top], color=GRAY, lw=2, zorder=0)
        for height, end in inward.items():
            if kind != "t":
                ax.plot([site, site], [height, end], color=DARK, lw=2, zorder=0)
            if kind == "o":
                ax.scatter(site, end, s=90, marker="s", color=BLUE, zorder=3)
            if kind == "f":
                ax.scatter(site, end, s=60, facecolor="white", edgecolor=ORANGE, lw=2, zorder=3)
            ax.scatter(site, height, s=260, color="white", edgecolor=DARK, lw=2, zorder=2)
        if site in OUTPUTS:
            ax.plot(
                [site, site + 0.32, site + 0.32, site],
                [top, top + 0.45, bottom - 0.45, bottom],
                color=GRAY,
                lw=1.2,
                ls=":",
                zorder=0,
            )
    ax.set(title=title, xlim=(-0.6, 5.9), ylim=(-1.7, 1.7), aspect="equal")
    ax.set_axis_off()


figure, axes = plt.subplots(4, 1, figsize=(6.4, 9.6), layout="constrained")
draw_chain(axes[0], "oooooo", "all observed: the norm of a row, its score")
draw_chain(axes[1], "otooto", "two missing values traced: the marginal, exactly")
draw_chain(axes[2], "oooftt", "one open: the density of the next attribute")
draw_chain(axes[3], "tttttt", "all traced: the size of the state")
plt.show()

# %%
# Blue squares are values of the row, embedded by the basis. A gray line through both chains is a
# trace: the value is summed over. The open circles are a leg that nothing was attached to, so a
# density over that attribute remains. Dotted lines are the output legs, here of every third core.
