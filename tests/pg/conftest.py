# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests against real servers.

A test that takes `major` runs once for every PostgreSQL that can be started here; a test that takes
`server` gets a running one of each. pytest --majors=10,18 chooses. With no server binaries at all
the tests are skipped: tests/pg/fetch_postgres.sh gets them.
"""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from postgres_server import PostgresServer, available_majors  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--majors", help="comma-separated major versions; default: all there are")


def pytest_generate_tests(metafunc):
    if "major" not in metafunc.fixturenames:
        return
    chosen = metafunc.config.getoption("--majors")
    majors = [int(m) for m in chosen.split(",")] if chosen else available_majors()
    if not majors:
        reason = "no PostgreSQL here: run tests/pg/fetch_postgres.sh"
        majors = [pytest.param(0, marks=pytest.mark.skip(reason=reason))]
    metafunc.parametrize("major", majors, ids=lambda m: f"pg{m}")


@pytest.fixture
def server(major):
    with PostgresServer(major) as running:
        yield running
