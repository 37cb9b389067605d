# SPDX-License-Identifier: Apache-2.0
"""What makes a server checkpoint for one reason or another, for servers made with CONF and
--wal-segsize=1, and with a table `work` that has a column n."""

POLLING = ("pulse_interval: 500ms", "survey_interval: 1s")
CONF = {
    "checkpoint_timeout": "1h",  # until the watch begins, then TIMEOUT
    "max_wal_size": "24MB",  # 16 segments of 1 MB to the forced trigger
    "checkpoint_completion_target": 0.5,
    "autovacuum": "off",
}


def dirty(server):
    """A few pages to write and some WAL."""
    server.psql("UPDATE work SET n = n + 1")


def write_wal(server, megabytes=2):
    """WAL that leaves no page to write."""
    server.psql(
        "SELECT count(pg_logical_emit_message(true, 'test', repeat('x', 131072)))"
        f" FROM generate_series(1, {8 * megabytes})"
    )


def backup(server):
    if server.major >= 15:
        calls = "pg_backup_start('b', true); PERFORM pg_backup_stop(false)"
    else:
        calls = "pg_start_backup('b', true, false); PERFORM pg_stop_backup(false, false)"
    server.psql(f"DO $$BEGIN PERFORM {calls}; END$$")


def wal_checkpoint(server):
    dirty(server)
    starting = "LOG:  .*: wal$"  # in any language
    begun = len(server.log_lines(starting))
    for _ in range(40):
        write_wal(server)
        if len(server.log_lines(starting)) > begun:
            return
    raise AssertionError("40 times 2 MB forced no checkpoint")


def request_during_wal_checkpoint(server):
    """The request hurries the one at work, and its own follows at once."""
    wal_checkpoint(server)
    server.psql("CHECKPOINT")


def crash(server):
    dirty(server)
    server.kill9()
    server.start()
