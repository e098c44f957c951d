"""What the server counts, and that no client can make it count without end."""

from prometheus_client.parser import text_string_to_metric_families
from serving import BEARER, make_table, open_client, small_model


def counted(client):
    answer = client.get("/metrics", headers=BEARER)
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found[sample.name, *sorted(sample.labels.items())] = sample.value
    return found


def answers(found, route, status, method="GET"):
    labels = (("method", method), ("route", route), ("status", str(status)))
    return found.get(("pulps_requests_total", *labels), 0)


def test_requests_rows_and_times_are_counted():
    rows = make_table(5).drop(columns="bought").to_dict("records")
    with open_client(small_model()) as client:
        for _ in range(2):
            client.post("/v1/predict", json={"rows": rows}, headers=BEARER).raise_for_status()
        client.post("/v1/predict", json={"rows": []}, headers=BEARER)
        client.get("/v1/model")
        found = counted(client)
    assert answers(found, "/v1/predict", 200, "POST") == 2
    assert answers(found, "/v1/predict", 422, "POST") == 1
    assert answers(found, "other", 401) == 1
    assert found["pulps_rows_scored_total",] == 10
    assert found["pulps_request_seconds_count", ("route", "/v1/predict")] == 3
    assert found["pulps_requests_active",] == 1  # the one that asks


def test_metrics_need_the_token_and_paths_that_lead_nowhere_are_one():
    with open_client() as client:
        assert client.get("/metrics").status_code == 401
        for number in range(3):
            client.get(f"/nowhere/{number}", headers=BEARER)
            client.get(f"/studio/jobs/{number}", headers=BEARER)
            client.request("BREW", "/", headers=BEARER)
        found = counted(client)
    assert answers(found, "other", 404) == 3
    assert answers(found, "/studio/jobs/{key}", 404) == 3
    methods = {label for name, *labels in found for label in labels if label[0] == "method"}
    assert {value for _, value in methods} <= {"GET", "other"}
