"""Requests made up from the API's own description: none may surprise the server."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)
from serving import BEARER, open_client, small_model

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
OPERATIONS = {
    "/v1/predict": "POST",
    "/v1/sample": "POST",
    "/v1/health": "GET",
    "/v1/model": "GET",
}


@pytest.fixture(scope="module")
def schema():
    with open_client(small_model(), request_rows=50) as client:
        yield schemathesis.openapi.from_url(f"{client.base_url}/openapi.json", headers=BEARER)


def try_out(operation, mode, checks):
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    def check(case):
        case.call_and_validate(headers=BEARER, checks=checks, timeout=60)

    check()


def test_the_description_names_what_there_is(schema):
    assert set(OPERATIONS) <= set(schema)


@pytest.mark.parametrize("path", OPERATIONS)
def test_the_api_keeps_its_word(schema, path):
    try_out(schema[path][OPERATIONS[path]], GenerationMode.POSITIVE, CHECKS)


@pytest.mark.parametrize("path", ["/v1/predict", "/v1/sample"])
def test_what_the_description_forbids_is_refused_with_a_reason(schema, path):
    checks = [*CHECKS, negative_data_rejection]
    try_out(schema[path][OPERATIONS[path]], GenerationMode.NEGATIVE, checks)
