# SPDX-License-Identifier: Apache-2.0
"""Private PostgreSQL servers for tests, of every major version in the cache of fetch_postgres.sh.

    with PostgresServer(18, conf={"checkpoint_timeout": "30s"}) as server:
        server.psql("CHECKPOINT")
        [[timed]] = server.psql("SELECT num_timed FROM pg_stat_checkpointer")
        with server.make_standby() as standby:
            standby.promote()

Each server has its own directory under the system's temporary directory, a free port on 127.0.0.1
and a Unix-domain socket in that directory. It runs as the user postgres when the tests run as root,
else as the caller. It ends with the `with` block, with the interpreter, and (by the kernel) with a
test process that is killed.

Roles, each with its password in PASSWORDS: postgres (superuser), monitor (member of pg_monitor),
plain (LOGIN and nothing else). The socket trusts everybody; TCP asks for the password.

Every wait has a deadline and raises PostgresError with the end of the server log when it passes.
psql and pgbench are the distribution's; version 15 of them works with servers 10 to 19.
"""

from __future__ import annotations

import atexit
import glob
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
DISTRIBUTION = pathlib.Path("/usr/lib/postgresql")
SERVER_USER = "postgres"
PASSWORDS = {"postgres": "postgres-pw", "monitor": "monitor-pw", "plain": "plain-pw"}
START_SECONDS = 60.0
# pg_ctl's own default for promotion and shutdown.
STOP_SECONDS = 60.0


class PostgresError(Exception):
    """A server or client program failed; the text has its own words."""


class SqlError(PostgresError):
    """A statement failed. `sqlstate` is the server's."""

    def __init__(self, text: str):
        found = re.search(r"^[^\n]*?:  ([0-9A-Z]{5}): ", text, re.MULTILINE)
        self.sqlstate = found.group(1) if found else ""
        super().__init__(text)


def cache_directory() -> pathlib.Path:
    """Where fetch_postgres.sh puts the binaries; keep the two alike."""
    given = os.environ.get("PGCHECKPOINT_POSTGRES_CACHE")
    if given:
        return pathlib.Path(given)
    if os.geteuid() == 0:
        return pathlib.Path("/var/cache/pgcheckpoint_exporter/postgres")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(home) / "pgcheckpoint_exporter" / "postgres"


def listed_majors() -> list[int]:
    """The major versions that postgres_versions.txt names."""
    lines = (HERE / "postgres_versions.txt").read_text().splitlines()
    return [int(line.split()[0]) for line in lines if line[:1].isdigit()]


def installation(major: int) -> pathlib.Path | None:
    """The directory with bin/postgres of this major, or None: run fetch_postgres.sh."""
    for candidate in (cache_directory() / str(major), DISTRIBUTION / str(major)):
        if (candidate / "bin" / "postgres").exists():
            return candidate
    return None


def available_majors() -> list[int]:
    """All majors that can be started here: listed ones, and any that the distribution has."""
    extra = [int(p.name) for p in DISTRIBUTION.glob("*") if p.name.isdigit() and int(p.name) >= 10]
    return [m for m in sorted(set(listed_majors()) | set(extra)) if installation(m)]


def client_program(name: str) -> str:
    """The newest psql or pgbench of the distribution."""
    found = sorted(DISTRIBUTION.glob(f"*/bin/{name}"), key=lambda p: int(p.parts[-3]))
    if found:
        return str(found[-1])
    path = shutil.which(name)
    if path is None:
        raise PostgresError(f"no {name} here: install postgresql-client and postgresql-contrib")
    return path


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds: float, what: str):
    """Calls `condition` until it returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise PostgresError(f"{what}: not within {seconds:g} s")
        time.sleep(0.02)


def _as_server_user(command: list[str], die_with_parent: bool = False) -> list[str]:
    prefix = ["setpriv"]
    if os.geteuid() == 0:
        prefix += [f"--reuid={SERVER_USER}", f"--regid={SERVER_USER}", "--init-groups"]
    if die_with_parent:
        prefix += ["--pdeathsig", "QUIT"]
    return (prefix if len(prefix) > 1 else []) + command


def _clean_environment() -> dict[str, str]:
    """Without PG* variables, which would change what servers and clients do, and untranslated."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
    return {**kept, "LC_ALL": "C", "HOME": "/tmp"}


def _descendants(pid: int) -> list[int]:
    """The pid and all its descendants, parents first."""
    children: dict[int, list[int]] = {}
    for entry in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = pathlib.Path(entry).read_text()
        except OSError:
            continue  # ended meanwhile
        fields = text[text.rindex(")") + 2 :].split()
        children.setdefault(int(fields[1]), []).append(int(entry.split("/")[2]))
    found = [pid]
    for parent in found:
        found.extend(children.get(parent, []))
    return found


def _quoted(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


class PostgresServer:
    """One server: initdb at construction, running inside the `with` block.

    conf: settings by name, over the defaults below. initdb_args: for example --wal-segsize=1.
    start: False leaves it stopped in the `with` block, for tests of the start itself.
    environment: further variables of the server, such as LC_ALL.
    """

    def __init__(self, major, conf=None, initdb_args=(), start=True, environment=None):
        self.major = int(major)
        self.home = installation(self.major)
        if self.home is None:
            raise PostgresError(
                f"no PostgreSQL {self.major} here: run tests/pg/fetch_postgres.sh {self.major}"
            )
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=f"pg{self.major}-"))
        self.data = self.directory / "data"
        self.socket_directory = self.directory / "socket"
        self.port = free_port()
        self.is_standby = False
        self._process: subprocess.Popen | None = None
        self._start_at_enter = start
        self._environment = environment or {}
        self._log_file = self.directory / "server.log"
        self._standbys: list[PostgresServer] = []
        self.conf: dict[str, object] = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.socket_directory,
            "shared_buffers": "32MB",
            "max_connections": 40,
            "max_wal_senders": 4,
            "hot_standby": "on",
            "log_checkpoints": "on",
            "log_line_prefix": "%m [%p] %b " if self.major >= 13 else "%m [%p] ",
            "timezone": "UTC",
            "log_timezone": "UTC",
            **(conf or {}),
        }
        atexit.register(self.destroy)
        self.socket_directory.mkdir()
        self._log_file.touch()
        if os.geteuid() == 0:
            owner = pwd.getpwnam(SERVER_USER)
            for path in (self.directory, self.socket_directory, self._log_file):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        self.directory.chmod(0o755)
        self._initdb_args = list(initdb_args)

    # -- life -------------------------------------------------------------------------------

    def __enter__(self) -> PostgresServer:
        try:
            if not self.data.exists():
                self._initdb()
            if self._start_at_enter:
                self.start()
        except BaseException:
            self.destroy()
            raise
        return self

    def __exit__(self, *_):
        self.destroy()

    def _run(self, command, seconds=60.0, text_in="") -> str:
        done = subprocess.run(
            _as_server_user([str(part) for part in command]),
            env=_clean_environment(),
            cwd="/",
            input=text_in,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
        if done.returncode != 0:
            raise PostgresError(f"{command[0]}: {done.stderr or done.stdout}")
        return done.stdout

    def _initdb(self):
        self._run(
            [self.home / "bin/initdb", "-D", self.data, "-U", "postgres", "-A", "trust"]
            + ["-E", "UTF8", "--locale=C", "--no-sync", *self._initdb_args]
        )
        self._write_owned(
            self.data / "pg_hba.conf",
            "local all,replication all trust\nhost all all 127.0.0.1/32 md5\n",
        )
        # Roles are made in single-user mode, so that the first log of the server is the test's.
        statements = [
            "CREATE ROLE monitor LOGIN",
            "GRANT pg_monitor TO monitor",
            "CREATE ROLE plain LOGIN",
        ] + [f"ALTER ROLE {role} PASSWORD {_quoted(pw)}" for role, pw in PASSWORDS.items()]
        self._run(
            [self.home / "bin/postgres", "--single", "-D", self.data, "-F", "postgres"],
            text_in="".join(s + "\n" for s in statements),
        )

    def _write_owned(self, path: pathlib.Path, text: str):
        path.write_text(text)
        if os.geteuid() == 0:
            owner = pwd.getpwnam(SERVER_USER)
            os.chown(path, owner.pw_uid, owner.pw_gid)

    def start(self, wait=True):
        """Starts the stopped server; waits until it answers (a standby: until it is readable)."""
        if self.running:
            raise PostgresError("the server runs already")
        lines = [f"{name} = {_quoted(value)}\n" for name, value in self.conf.items()]
        self._write_owned(self.data / "postgresql.auto.conf", "".join(lines))
        with self._log_file.open("ab") as log:
            self._process = subprocess.Popen(
                _as_server_user(
                    [str(self.home / "bin/postgres"), "-D", str(self.data)], die_with_parent=True
                ),
                env={**_clean_environment(), **self._environment},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if wait:
            self.wait_ready()

    def wait_ready(self, seconds=START_SECONDS):
        """Waits until a statement succeeds."""

        def answers():
            if not self.running:
                raise PostgresError(f"the server ended:\n{self.log_tail()}")
            try:
                return self.psql("SELECT 1") == [["1"]]
            except PostgresError:
                return False

        try:
            wait_until(answers, seconds, f"start of PostgreSQL {self.major}")
        except PostgresError as error:
            raise PostgresError(f"{error}\n{self.log_tail()}") from None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The postmaster's."""
        if not self.running:
            raise PostgresError("the server does not run")
        return self._process.pid

    def stop(self, mode="fast"):
        """Ends the server: smart, fast (with a shutdown checkpoint) or immediate (without one)."""
        signals = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
        process = self._process
        if not self.running:
            return
        process.send_signal(signals[mode])
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise PostgresError(f"no end after a {mode} stop:\n{self.log_tail()}") from None
        self._process = None

    def restart(self, mode="fast"):
        self.stop(mode)
        self.start()

    def kill9(self):
        """Kills every process of the server, as a power failure would. start() then recovers."""
        process = self._process
        for pid in _descendants(self.pid):
            _signal(pid, signal.SIGKILL)
        process.wait(STOP_SECONDS)
        self._process = None

    def freeze(self):
        """Stops every process (SIGSTOP): sockets stay open and nobody answers."""
        for pid in _descendants(self.pid):
            _signal(pid, signal.SIGSTOP)

    def thaw(self):
        """The end of freeze()."""
        for pid in _descendants(self.pid):
            _signal(pid, signal.SIGCONT)

    def destroy(self):
        """Ends the server, its standbys, and removes its files. Never fails; may be repeated."""
        for standby in self._standbys:
            standby.destroy()
        if self.running:
            process = self._process
            for pid in _descendants(process.pid):
                _signal(pid, signal.SIGKILL)
            process.wait()
        self._process = None
        shutil.rmtree(self.directory, ignore_errors=True)
        atexit.unregister(self.destroy)

    # -- statements --------------------------------------------------------------------------

    def dsn(self, role="monitor", dbname="postgres", tcp=True) -> str:
        """A URI with the role's password, or of the socket, which needs none."""
        if not tcp:
            return f"postgresql://{role}@/{dbname}?host={self.socket_directory}&port={self.port}"
        return f"postgresql://{role}:{PASSWORDS[role]}@127.0.0.1:{self.port}/{dbname}"

    def _client_arguments(self, role, dbname) -> list[str]:
        return ["-h", str(self.socket_directory), "-p", str(self.port), "-U", role, dbname]

    def psql(self, sql, role="postgres", dbname="postgres", seconds=60.0):
        """Runs statements through the socket; returns the rows as text, with None for NULL.

        Several statements are one transaction, and only one of them may return rows. Raises
        SqlError, or PostgresError when no connection is possible or no answer comes.
        """
        null, field, record = "\x02", "\x1f", "\x1e"
        try:
            done = subprocess.run(
                [client_program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
                + ["-v", "VERBOSITY=verbose", "-P", f"null={null}", "-F", field, "-R", record]
                + ["-c", sql, *self._client_arguments(role, dbname)],
                env=_clean_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise PostgresError(f"psql: no answer within {seconds:g} s") from None
        if done.returncode == 2:
            raise PostgresError(done.stderr)
        if done.returncode != 0:
            raise SqlError(done.stderr)
        if not done.stdout:
            return []
        rows = done.stdout.removesuffix("\n").split(record)
        return [[None if c == null else c for c in row.split(field)] for row in rows]

    def value(self, sql, **options):
        """The one column of the one row."""
        [[only]] = self.psql(sql, **options)
        return only

    def pgbench(self, *arguments, role="postgres", dbname="postgres", seconds=300.0) -> str:
        """Runs pgbench to its end and returns what it printed. First: pgbench("-i", "-s", 1)."""
        done = subprocess.run(
            [client_program("pgbench"), *map(str, arguments)]
            + self._client_arguments(role, dbname),
            env=_clean_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode != 0:
            raise PostgresError(f"pgbench: {done.stderr}")
        return done.stdout + done.stderr

    def start_pgbench(self, *arguments, role="postgres", dbname="postgres") -> subprocess.Popen:
        """As pgbench, in the background; the caller ends it (a context manager does not)."""
        return subprocess.Popen(
            [client_program("pgbench"), *map(str, arguments)]
            + self._client_arguments(role, dbname),
            env=_clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    # -- standby -----------------------------------------------------------------------------

    def make_standby(self, conf=None) -> PostgresServer:
        """A streaming standby, for a `with` block; it has caught up once when that begins.

        Copied from the stopped server (pg_basebackup does not work across major versions), which
        is therefore restarted here. Use it before the part of a test that counts checkpoints.
        """
        inherited = {k: v for k, v in self.conf.items() if k not in _OWN_SETTINGS}
        standby = PostgresServer(self.major, conf={**inherited, **(conf or {})})
        self._standbys.append(standby)
        standby.is_standby = True
        was_running = self.running
        self.stop()
        self._run(["cp", "-a", self.data, standby.data])
        if was_running:
            self.start()
        source = f"host={self.socket_directory} port={self.port} user=postgres"
        if self.major >= 12:
            standby.conf["primary_conninfo"] = source
            standby._write_owned(standby.data / "standby.signal", "")
        else:
            standby._write_owned(
                standby.data / "recovery.conf",
                f"standby_mode = on\nprimary_conninfo = {_quoted(source)}\n",
            )
        return standby

    def wait_caught_up(self, primary: PostgresServer, seconds=30.0):
        """On a standby: waits until all that the primary has written so far is replayed."""
        target = primary.value("SELECT pg_current_wal_lsn()")
        wait_until(
            lambda: self.value(f"SELECT pg_last_wal_replay_lsn() >= {_quoted(target)}") == "t",
            seconds,
            f"replay of {target}",
        )

    def promote(self, seconds=STOP_SECONDS):
        """Makes a standby a primary and waits until it is one."""
        self._run([self.home / "bin/pg_ctl", "promote", "-D", self.data, "-w"], seconds)
        wait_until(lambda: self.value("SELECT pg_is_in_recovery()") == "f", seconds, "promotion")
        self.is_standby = False

    # -- configuration and log ---------------------------------------------------------------

    def set(self, **settings):
        """Changes settings and reloads; those that need it take effect at the next start."""
        self.conf.update(settings)
        lines = [f"{name} = {_quoted(value)}\n" for name, value in self.conf.items()]
        self._write_owned(self.data / "postgresql.auto.conf", "".join(lines))
        if self.running:
            self._process.send_signal(signal.SIGHUP)

    @property
    def log_path(self) -> pathlib.Path:
        """The server's standard error; with logging_collector=on, the newest collected file."""
        collected = [p for p in (self.data / "log").glob("*") if p.is_file()]
        return max(collected, key=lambda p: p.stat().st_mtime) if collected else self._log_file

    def log_lines(self, pattern="") -> list[str]:
        """Lines that match the regular expression, of all log files, oldest file first."""
        files = [self._log_file] + sorted((self.data / "log").glob("*"))
        lines = [
            line
            for file in files
            for line in file.read_text(errors="replace").splitlines()
        ]
        return [line for line in lines if re.search(pattern, line)]

    def wait_log(self, pattern, count=1, seconds=30.0) -> list[str]:
        """Waits until at least `count` lines match, and returns them."""

        def found():
            lines = self.log_lines(pattern)
            return lines if len(lines) >= count else None

        return wait_until(found, seconds, f"log line {pattern!r}")

    def log_tail(self, lines=20) -> str:
        return "\n".join(self._log_file.read_text(errors="replace").splitlines()[-lines:])


_OWN_SETTINGS = ("port", "unix_socket_directories")


def _signal(pid: int, number: int):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
