# SPDX-License-Identifier: Apache-2.0
"""--web.config.file over real connections: TLS, client certificates, basic authentication, rotation."""

import subprocess

import pytest
from exporter import Exporter, Target, binary
from postgres_server import wait_until

PASSWORD = "s3cret-web-pw"
HASH = "$2b$04$abcdefghijklmnopqrstuuDtgG7mAx0Nuptl4X0cBQMVXspDsfiJi"
# Nobody listens there; what is served does not depend on it.
NOBODY = [Target("main", "postgresql://u@127.0.0.1:1/x")]


def openssl(directory, *arguments):
    command = ["openssl", *arguments]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def certificate(directory, name, common_name, authority=None):
    """NAME.crt and NAME.key; self-signed without an authority."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key"]
    names = ["-subj", f"/CN={common_name}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    signed = ["-CA", f"{authority}.crt", "-CAkey", f"{authority}.key"] if authority else []
    if authority:
        names += ["-addext", "basicConstraints=critical,CA:FALSE"]
    openssl(directory, "req", "-x509", "-days", "2", *key, "-out", f"{name}.crt", *names, *signed)


def curl(exporter, *arguments, path="/metrics", scheme="https"):
    """Exit status of curl, HTTP status and body."""
    url = f"{scheme}://{exporter.addresses[0]}{path}"
    command = ["curl", "-sS", "-m", "10", "-w", "\n%{http_code}", *map(str, arguments), url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    body, _, status = done.stdout.rpartition("\n")
    return done.returncode, int(status or 0), body


@pytest.fixture
def folder(tmp_path):
    certificate(tmp_path, "ca", "test authority")
    certificate(tmp_path, "server", "localhost", "ca")
    certificate(tmp_path, "client", "a client", "ca")
    return tmp_path


def write(folder, text):
    path = folder / "web.yml"
    path.write_text(text, encoding="utf-8")
    return f"--web.config.file={path}"


TLS = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
AUTH = f"basic_auth_users:\n  prom: {HASH}\n"


def test_tls_and_basic_authentication(folder):
    with Exporter(NOBODY, [write(folder, TLS + AUTH)]) as exporter:
        trust = ["--cacert", folder / "ca.crt"]
        assert curl(exporter)[0] == 60, "a certificate that nobody vouches for was taken"
        assert curl(exporter, *trust)[1] == 401
        assert curl(exporter, *trust, "-u", "prom:wrong")[1] == 401
        status, code, page = curl(exporter, *trust, "-u", f"prom:{PASSWORD}")
        assert (status, code) == (0, 200)
        assert "pgcheckpoint_up" in page
        # For the probes of a container's supervisor, which have no password; they tell nothing.
        assert curl(exporter, *trust, path="/-/healthy")[1] == 200
        assert "main" not in curl(exporter, *trust, path="/-/ready")[2]
        assert curl(exporter, *trust, path="/probe?target=main")[1] == 401
        assert curl(exporter, *trust, "-X", "POST", path="/-/reload")[1] == 401
        assert curl(exporter, scheme="http")[1] == 400
        said = "\n".join(exporter.log)
        assert PASSWORD not in said and HASH not in said


def test_client_certificates(folder):
    client = "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n"
    with Exporter(NOBODY, [write(folder, TLS + client)]) as exporter:
        trust = ["--cacert", folder / "ca.crt"]
        assert curl(exporter, *trust)[0] != 0
        own = ["--cert", folder / "client.crt", "--key", folder / "client.key"]
        assert curl(exporter, *trust, *own)[:2] == (0, 200)


def test_a_rotated_certificate_is_taken_up_without_a_reload(folder):
    def fingerprint(exporter):
        done = subprocess.run(
            ["openssl", "s_client", "-connect", exporter.addresses[0]],
            input="", capture_output=True, text=True, check=False,
        )
        return done.stdout.partition("-----BEGIN CERTIFICATE-----")[2].partition("-----END")[0]

    with Exporter(NOBODY, [write(folder, TLS)]) as exporter:
        before = fingerprint(exporter)
        assert before
        certificate(folder, "next", "localhost", "ca")
        (folder / "next.key").rename(folder / "server.key")
        (folder / "next.crt").rename(folder / "server.crt")
        wait_until(lambda: fingerprint(exporter) not in ("", before), 20, "the new certificate")
        assert curl(exporter, "--cacert", folder / "ca.crt")[:2] == (0, 200)
        # A bad one changes nothing.
        (folder / "server.key").write_text("not a key")
        wait_until(lambda: any("server.key" in line for line in exporter.log), 20, "the complaint")
        assert curl(exporter, "--cacert", folder / "ca.crt")[:2] == (0, 200)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tls_server_config:\n  cert_fil: server.crt\n", "web.yml:2:3: unknown key"),
        ("basic_auth_users:\n  prom: plain-text-password\n", "web.yml:2:9: "),
        ("rate_limit: {interval: soon}\n", "web.yml:1:"),
        ("tls_server_config: {cert_file: none.crt, key_file: server.key}\n", "none.crt"),
        ("a: b: c\n", "web.yml:1:"),
    ],
    ids=["unknown key", "no hash", "wrong type", "no certificate", "no YAML"],
)
def test_a_wrong_file_ends_the_start_with_its_place(folder, text, expected):
    flag = write(folder, text)
    environment = {"DATA_SOURCE_NAME": "postgresql://u@127.0.0.1:1/x"}
    for command in (["--web.listen-address=127.0.0.1:0"], ["--config.check"]):
        done = subprocess.run(
            [binary(), flag, *command],
            env=environment, capture_output=True, text=True, timeout=20, check=False,
        )
        assert done.returncode == 2, done.stderr
        assert expected in done.stderr
        assert "plain-text-password" not in done.stderr
