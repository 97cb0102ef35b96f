-- +goose Up
-- What is drawn in this database and nowhere else: who does not read it cannot know the canaries beforehand.
CREATE TABLE secrets (
  what     TEXT PRIMARY KEY,
  value    TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Cells whose training labels contradict the truth: one for each version of a foreign method, data set and protocol. They are no results.
CREATE TABLE canaries (
  key             TEXT PRIMARY KEY,
  protocol        TEXT NOT NULL,
  protocol_hash   TEXT NOT NULL,
  method          TEXT NOT NULL,
  method_version  TEXT NOT NULL,
  dataset         TEXT NOT NULL,
  fingerprint     TEXT NOT NULL,
  split           INTEGER NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'timeout')),
  class           TEXT NOT NULL,           -- of one that failed, as in endings; '' if ok
  error           TEXT NOT NULL,           -- '' if ok
  n_test          INTEGER NOT NULL,
  n_correct       INTEGER,                 -- by the true labels of the test rows
  rmse REAL, r2 REAL,
  constant        INTEGER NOT NULL,        -- test rows that the best constant answer gets right; 0 for a regression
  p               REAL CHECK ((status = 'ok') = (p IS NOT NULL)), -- of being as right by chance
  timeout_seconds REAL,                    -- the limit it ran under
  started_at      TEXT NOT NULL,           -- UTC, RFC 3339
  checksum        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Stored cells that were computed once more, alone in a new process, to see whether what a process did before matters.
CREATE TABLE state_checks (
  protocol       TEXT NOT NULL,
  protocol_hash  TEXT NOT NULL,
  method         TEXT NOT NULL,
  method_version TEXT NOT NULL,
  dataset        TEXT NOT NULL,
  fingerprint    TEXT NOT NULL,
  split          INTEGER NOT NULL,
  same           INTEGER NOT NULL CHECK (same IN (0, 1)),
  differs        TEXT NOT NULL,            -- what, if not the same
  checked_at     TEXT NOT NULL,            -- UTC, RFC 3339
  checksum       INTEGER NOT NULL,
  PRIMARY KEY (protocol, protocol_hash, method, method_version, dataset, fingerprint, split)
) STRICT, WITHOUT ROWID;

-- How many processes ended while they were at the cell.
ALTER TABLE claims ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;

-- What speaks against results of a method: a leak is a canary that is right beyond chance, of a method whose own result on the same
-- test rows is better than a constant.
CREATE VIEW findings AS
SELECT 'leak' AS finding, protocol, protocol_hash, method, method_version, dataset, fingerprint, split, p, n_test, n_correct, r2, '' AS differs
FROM canaries c
WHERE c.p <= 1e-6 AND EXISTS (SELECT 1 FROM runs r WHERE r.protocol = c.protocol AND r.protocol_hash = c.protocol_hash AND r.method = c.method
  AND r.method_version = c.method_version AND r.dataset = c.dataset AND r.fingerprint = c.fingerprint AND r.split = c.split
  AND (r.n_correct > c.constant OR r.r2 > 0))
UNION ALL
SELECT 'state', protocol, protocol_hash, method, method_version, dataset, fingerprint, split, NULL, NULL, NULL, NULL, differs
FROM state_checks WHERE NOT same;

-- +goose Down
DROP VIEW findings;
DROP TABLE state_checks;
DROP TABLE canaries;
DROP TABLE secrets;
