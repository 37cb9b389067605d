// SPDX-License-Identifier: Apache-2.0
// LeakSanitizer asks for this function by name.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)

// libpqxx 6 loses the PGresult (about 2 kB) of a statement during which the connection broke: it
// throws for want of a client encoding before it has taken ownership. Version 7 does not.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libpqxx-6\n";
}
