// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libpq-fe.h>

#include <atomic>
#include <memory>
#include <span>

#include "core/clock.h"
#include "core/result.h"
#include "core/secret.h"
#include "pg/notice_book.h"

namespace ckpt::pg {

struct FinishConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using RawConnection = std::unique_ptr<PGconn, FinishConnection>;

// What an attempt needs beside the address. The referents outlive the attempt; the book outlives
// the connection as well.
struct OpeningContext {
  const Clock& clock;
  const std::atomic<bool>& cancelled;  // looked at ten times a second
  std::span<const Secret> secrets;
  NoticeBook& notices;
};

// Logs in to PostgreSQL without ever waiting longer than `deadline`: libpq's blocking connect
// knows whole seconds only, cannot be cancelled, and hides the socket until it has returned. What
// a peer may send before the login is complete is bounded as well.
//
// Errors: kTimeout, kConnection (also when cancelled), kAuth, kConfig, and kProtocol when the peer
// is not PostgreSQL 10 or newer.
Result<RawConnection> OpenConnection(const Secret& conninfo, MonotonicTime deadline,
                                     const OpeningContext& context);

}  // namespace ckpt::pg
