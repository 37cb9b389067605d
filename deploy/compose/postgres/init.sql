-- SPDX-License-Identifier: Apache-2.0
CREATE ROLE pgcheckpoint LOGIN PASSWORD 'demonstration' CONNECTION LIMIT 4;
GRANT pg_monitor TO pgcheckpoint;
