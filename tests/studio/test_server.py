"""The pages, and the paths that lead nowhere."""

import pytest
from serving import BEARER, open_client


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../server.py",
        "/assets/%2e%2e/server.py",
        "/assets/..%2fserver.py",
        "/assets/%2fetc%2fpasswd",
        "/assets/studio.html",
        "/studio/jobs/..%2f..%2fetc/model.pulps",
    ],
)
def test_paths_lead_nowhere(client, path):
    answer = client.get(path, headers=BEARER)
    assert answer.status_code == 404
    assert "error" in answer.json()


def test_the_pages_bring_their_policy_and_load_only_from_here(client):
    answer = client.get("/", headers=BEARER)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "http" not in answer.text.replace("http-equiv", "")
    docs = client.get("/docs", headers=BEARER)
    assert "POST /v1/predict" in docs.text
    assert "https://" not in docs.text
    for name in ("studio.js", "studio.css"):
        assert client.get(f"/assets/{name}").status_code == 200
    assert "innerHTML" not in client.get("/assets/studio.js").text


def test_health_and_readiness_need_no_token():
    with open_client(waiting=0) as busy:
        assert busy.get("/health").json() == {"status": "ok"}
        answer = busy.get("/ready")
        assert answer.status_code == 503
        assert "Try again" in answer.json()["error"]
    with open_client() as idle:
        assert idle.get("/ready").json() == {"status": "ok"}
