"""A real local Spark scores a table as pandas does."""

import shutil
import sys

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="needs Spark (extra spark)")
if shutil.which("java") is None:
    pytest.skip("needs Java", allow_module_level=True)

from pyspark.sql import SparkSession
from scored_models import mixed_table

from pulps import PUClassifier
from pulps.scale import score_spark

pytestmark = pytest.mark.filterwarnings("ignore")  # of Spark and of its libraries


@pytest.fixture(scope="module")
def spark():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = _local()
        yield session
        session.stop()


def _local():
    return (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "512m")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )


def test_spark_scores_rows_as_pandas_does(spark):
    frame, labels = mixed_table()
    frame["kind"] = frame["kind"].astype(str)
    frame["word"] = frame["word"].astype(object).where(frame["word"].notna(), None)
    model = PUClassifier(views=["boosting"], random_state=0).fit(frame, labels)
    rows = spark.createDataFrame(frame.assign(key=range(len(frame)))).repartition(3)
    scored = score_spark(model, rows)
    assert scored.columns == [*rows.columns, "positive", "probability", "decision"]
    found = scored.toPandas().sort_values("key")
    np.testing.assert_allclose(
        found["decision"], model.decision_function(frame), rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(
        found["probability"], model.predict_proba(frame)[:, 1], rtol=0, atol=1e-6
    )
    np.testing.assert_array_equal(found["positive"], model.predict(frame))


def test_columns_that_are_absent_are_named_before_any_work(spark):
    frame, labels = mixed_table()
    model = PUClassifier(views=["boosting"], random_state=0).fit(frame, labels)
    rows = spark.createDataFrame(frame[["size", "count"]])
    with pytest.raises(ValueError, match=r"The frame lacks 6 of the 8 columns.*word"):
        score_spark(model, rows)
