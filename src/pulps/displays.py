"""Pictures of a fitted model; each Display is computed once and can be drawn again."""

from __future__ import annotations

import numpy as np

TERMS = ("labeled", "positive", "negative", "norm", "balance", "logistic")
# What pictures call a class, and its position in ``classes_``, whatever its label is.
CLASS_POSITIONS = {"negative": 0, "positive": 1}
POSITIVE, NEGATIVE, UNLABELED = "#d95f02", "#1f78b4", "#9a9a9a"
REJECTED_POSITIVE, REJECTED_NEGATIVE = "#c0392b", "#b5b5b5"


class LossCurveDisplay:
    """The loss terms that are on over the epochs, averaged over the members kept.

    Parameters
    ----------
    curves : dict of arrays
        One curve per term, and ``labeled_recall`` and ``positive_share``.
    """

    def __init__(self, curves):
        self.curves = curves

    @classmethod
    def from_estimator(cls, model, *, ax=None):
        """Draw the training history of a model.

        Parameters
        ----------
        model : LPSClassifier
            A fitted model.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        LossCurveDisplay
            The display, drawn.
        """
        kept = {name: model.history_[name][:, model.members_] for name in model.history_}
        names = [*(n for n in TERMS if np.nansum(kept[n]) > 0), "labeled_recall", "positive_share"]
        curves = {name: np.nanmean(kept[name], axis=1) for name in names}
        return cls(curves).plot(ax=ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = _axes(ax)
        for name in (name for name in TERMS if name in self.curves):
            ax.plot(np.arange(1, len(self.curves[name]) + 1), self.curves[name], label=name)
        ax.set(yscale="log", xlabel="epoch", ylabel="loss term", title="Training")
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class DecisionMapDisplay:
    """How likely a row is positive, over two numeric attributes.

    All other attributes are missing, and so summed over exactly: the map is what
    ``predict_proba`` says about a row of which only these two values are known.

    Parameters
    ----------
    x, y : arrays
        Grid of the two attributes.
    probability : array of shape (len(y), len(x))
        Probability that a row with these two values is positive.
    names : pair of str
        Names of the attributes.
    """

    def __init__(self, x, y, probability, names):
        self.x, self.y, self.probability, self.names = x, y, probability, names

    @classmethod
    def from_estimator(cls, model, X, attributes, *, labeled=None, grid_size=60, ax=None):
        """Compute and draw the map of two columns.

        Parameters
        ----------
        model : LPSClassifier
            Fitted on a data frame.
        X : data frame
            Rows that give the range and are drawn as points.
        attributes : pair of str
            Two numeric columns.
        labeled : boolean array, default=None
            Rows drawn as labeled positives.
        grid_size : int
            Points along each axis.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        DecisionMapDisplay
            The display, drawn.
        """
        import pandas as pd

        first, second = attributes
        x = np.linspace(X[first].min(), X[first].max(), grid_size)
        y = np.linspace(X[second].min(), X[second].max(), grid_size)
        numeric = X.select_dtypes("number").columns
        grid = pd.DataFrame(index=range(grid_size**2), columns=X.columns, dtype=object)
        grid[numeric] = np.nan
        grid[numeric] = grid[numeric].astype(float)
        grid[first], grid[second] = np.tile(x, grid_size), np.repeat(y, grid_size)
        probability = model.predict_proba(grid)[:, CLASS_POSITIONS["positive"]]
        return cls(x, y, probability.reshape(grid_size, grid_size), (first, second)).plot(
            points=X[[first, second]].to_numpy(), labeled=labeled, ax=ax
        )

    def plot(self, *, points=None, labeled=None, ax=None):
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        points : array of shape (rows, 2), default=None
            Rows to draw as points.
        labeled : boolean array, default=None
            Which of them are labeled positives.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        from matplotlib.colors import LinearSegmentedColormap

        ax = _axes(ax)
        colors = LinearSegmentedColormap.from_list("classes", [NEGATIVE, "white", POSITIVE])
        reach = max(0.05, float(np.abs(self.probability - 0.5).max()))  # faint maps can be read
        style = {"cmap": colors, "vmin": 0.5 - reach, "vmax": 0.5 + reach, "alpha": 0.55}
        mesh = ax.pcolormesh(self.x, self.y, self.probability, rasterized=True, **style)
        ax.figure.colorbar(mesh, ax=ax)
        ax.contour(self.x, self.y, self.probability, levels=[0.5], colors="black", linewidths=1)
        if points is not None:
            labeled = np.zeros(len(points), dtype=bool) if labeled is None else labeled
            ax.scatter(*points[~labeled].T, s=7, color=UNLABELED, label="unlabeled")
            ax.scatter(*points[labeled].T, s=12, color=POSITIVE, label="labeled positive")
            ax.legend(frameon=True, fontsize="small", loc="best")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        ax.set_title("Probability of positive, all else summed over")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class SampleDisplay:
    """Training rows above, generated rows below, over two numeric attributes.

    Parameters
    ----------
    training : array of shape (rows, 2)
        Training rows.
    labeled : boolean array
        Which of them are labeled.
    generated : dict
        For each of ``"positive"`` and ``"negative"`` a pair: rows of shape (rows, 2), and
        which of them were accepted.
    names : pair of str
        Names of the attributes.
    """

    def __init__(self, training, labeled, generated, names):
        self.training, self.labeled = np.asarray(training), np.asarray(labeled, dtype=bool)
        self.generated, self.names = generated, names

    @classmethod
    def from_estimator(
        cls, model, X, y, attributes, *, n_samples=500, accept=0.0, random_state=None, axes=None
    ):
        """Draw rows of both classes and show them under the training rows.

        Parameters
        ----------
        model : LPSClassifier
            Fitted on a data frame.
        X, y : data frame and labels
            Training rows, with labels as at fit.
        attributes : pair of str
            Two numeric columns.
        n_samples : int
            Number of rows to draw from each class.
        accept : float
            A row is accepted if the log-ratio of every member, in favor of its class,
            exceeds this number.
        random_state : int, RandomState or None
            Source of the draws.
        axes : pair of matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        SampleDisplay
            The display, drawn.
        """
        columns = list(attributes)
        generated = {}
        for name, position in CLASS_POSITIONS.items():
            rows = model.sample(n_samples, y=model.classes_[position], random_state=random_state)
            ratios = model.log_ratios(rows) * (1 if name == "positive" else -1)
            generated[name] = rows[columns].to_numpy(), ratios.min(axis=0) > accept
        labeled = np.asarray(y) == model.classes_[CLASS_POSITIONS["positive"]]
        return cls(X[columns].to_numpy(), labeled, generated, tuple(columns)).plot(axes=axes)

    def plot(self, axes=None):
        """Draw on two axes, or on new ones.

        Parameters
        ----------
        axes : pair of matplotlib axes, default=None
            For the training rows and the generated rows; None makes new axes.

        Returns
        -------
        self
            With ``axes_`` and ``figure_``.
        """
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots(2, 1, figsize=(4, 7), layout="constrained")[1]
        above, below = axes
        self.plot_training(above)
        self.plot_generated(below)
        below.set(xlim=above.get_xlim(), ylim=above.get_ylim())
        self.axes_, self.figure_ = (above, below), above.figure
        return self

    def plot_training(self, ax) -> None:
        """Draw the training rows: unlabeled ones gray, labeled ones blue.

        Parameters
        ----------
        ax : matplotlib axes
            Where to draw.
        """
        ax.scatter(*self.training[~self.labeled].T, s=5, color=UNLABELED, label="unlabeled")
        ax.scatter(*self.training[self.labeled].T, s=9, color=NEGATIVE, label="labeled positive")
        ax.set(ylabel=self.names[1])

    def plot_generated(self, ax) -> None:
        """Draw the generated rows: circles if accepted, dots if not.

        Parameters
        ----------
        ax : matplotlib axes
            Where to draw.
        """
        for name, accepted_color, rejected_color in (
            ("negative", NEGATIVE, REJECTED_NEGATIVE),
            ("positive", POSITIVE, REJECTED_POSITIVE),
        ):
            rows, accepted = self.generated[name]
            ax.scatter(*rows[~accepted].T, s=2, color=rejected_color, label=f"rejected {name}")
            circles = {"facecolor": "none", "edgecolor": accepted_color, "linewidth": 0.7}
            ax.scatter(*rows[accepted].T, s=9, label=f"accepted {name}", **circles)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])


class MarginalDisplay:
    """Density of one column under each class, over the histogram of the rows.

    Parameters
    ----------
    positive, negative : pandas.Series
        Probabilities of intervals or categories.
    observed : array
        Shares of the rows in the same intervals or categories.
    name : str
        Name of the column.
    """

    def __init__(self, positive, negative, observed, name):
        self.positive, self.negative, self.observed = positive, negative, np.asarray(observed)
        self.name = name

    @classmethod
    def from_estimator(cls, model, X, column, *, given=None, bins=30, ax=None):
        """Compute and draw the density of a column.

        Parameters
        ----------
        model : LPSClassifier
            Fitted on a data frame.
        X : data frame
            Rows for the histogram.
        column : str
            Name of the column.
        given : dict, default=None
            Values of other columns, under which the density is taken.
        bins : int
            Intervals that the range of a numeric column is cut into.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        MarginalDisplay
            The display, drawn.
        """
        positive, negative = (
            model.marginal(column, y=model.classes_[position], given=given, bins=bins)
            for position in (1, 0)
        )
        values = X[column].dropna().to_numpy()
        if _is_numeric(positive.index):
            counts = np.histogram(values, _edges(positive.index))[0]
        else:
            counts = np.array([(values == label).sum() for label in positive.index])
        return cls(positive, negative, counts / max(1, counts.sum()), column).plot(ax=ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = _axes(ax)
        classes = ((self.positive, POSITIVE, "positive"), (self.negative, NEGATIVE, "negative"))
        if _is_numeric(self.positive.index):
            edges = _edges(self.positive.index)
            width = np.diff(edges)
            ax.stairs(self.observed / width, edges, fill=True, color="#dddddd", label="rows")
            for series, color, name in classes:
                ax.stairs(series.to_numpy() / width, edges, color=color, lw=1.5, label=name)
            ax.set(ylabel="density")
        else:
            at = np.arange(len(self.positive))
            ax.bar(at, self.observed, 0.9, color="#dddddd", label="rows")
            for shift, (series, color, name) in zip((-0.2, 0.2), classes, strict=True):
                ax.bar(at + shift, series.to_numpy(), 0.35, color=color, label=name)
            ax.set_xticks(at, [str(label) for label in self.positive.index])
            ax.set(ylabel="probability")
        ax.set(xlabel=self.name)
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class PairDisplay:
    """Joint density of two columns under one class, all others integrated over.

    Parameters
    ----------
    table : pandas.DataFrame
        Probabilities of pairs of intervals or categories.
    names : pair of str
        Names of the columns.
    """

    def __init__(self, table, names):
        self.table, self.names = table, names

    @classmethod
    def from_estimator(cls, model, columns, *, y=None, given=None, bins=40, ax=None):
        """Compute and draw the joint density of two columns.

        Parameters
        ----------
        model : LPSClassifier
            Fitted on a data frame.
        columns : pair of str
            Names of the columns.
        y : default=None
            The class, as it was labeled at fit; None takes the positive one.
        given : dict, default=None
            Values of other columns, under which the density is taken.
        bins : int
            Intervals that the range of a numeric column is cut into.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        PairDisplay
            The display, drawn.
        """
        first, second = columns
        y = model.classes_[1] if y is None else y
        table = model.joint(first, second, y=y, given=given, bins=bins)
        return cls(table, (first, second)).plot(ax=ax)

    def plot(self, ax=None):
        """Draw the probability per unit area, or of the cell.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = _axes(ax)
        edges = [
            _edges(index) if _is_numeric(index) else np.arange(len(index) + 1) - 0.5
            for index in (self.table.index, self.table.columns)
        ]
        area = np.outer(np.diff(edges[0]), np.diff(edges[1]))
        mesh = ax.pcolormesh(*edges, (self.table.to_numpy() / area).T, cmap="Oranges", vmin=0)
        for index, axis in ((self.table.index, ax.xaxis), (self.table.columns, ax.yaxis)):
            if not _is_numeric(index):
                axis.set_ticks(np.arange(len(index)), [str(label) for label in index])
        ax.figure.colorbar(mesh, ax=ax, label="density")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _is_numeric(index) -> bool:
    return hasattr(index, "left")


def _edges(index) -> np.ndarray:
    return np.append(index.left.to_numpy(), index.right[-1])


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]
