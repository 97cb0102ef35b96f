-- +goose Up
-- Which code computed an attempt, and where the attempt comes from if it was not this database's
-- program: attempts of version 2 and before have no row.
CREATE TABLE origins (
  run_id   INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  code     TEXT NOT NULL,                  -- hash of the method's code and of what it uses
  imported TEXT NOT NULL,                  -- name of the file that it was imported from, or ''
  checksum INTEGER NOT NULL
) STRICT;

-- Code that was found to give the same bits as the code of stored attempts, or others.
CREATE TABLE code_checks (
  method         TEXT NOT NULL,
  method_version TEXT NOT NULL,
  stored_code    TEXT NOT NULL,            -- that computed the attempt; '' if unknown
  code           TEXT NOT NULL,            -- that was compared with it
  same           INTEGER NOT NULL CHECK (same IN (0, 1)),
  checked_at     TEXT NOT NULL,            -- UTC, RFC 3339
  checksum       INTEGER NOT NULL,
  PRIMARY KEY (method, method_version, stored_code, code)
) STRICT, WITHOUT ROWID;

-- Cells that a run was asked for and left out, by their predictions.
CREATE TABLE left_out (
  protocol TEXT NOT NULL,
  dataset  TEXT NOT NULL,
  method   TEXT NOT NULL,
  split    INTEGER NOT NULL,
  seconds  REAL NOT NULL,                  -- predicted, on one core
  bytes    INTEGER NOT NULL,               -- predicted memory
  limited  TEXT NOT NULL,                  -- the option that left it out, as '--max-cell 30m'
  said_at  TEXT NOT NULL,                  -- UTC, RFC 3339
  checksum INTEGER NOT NULL,
  PRIMARY KEY (protocol, dataset, method, split)
) STRICT, WITHOUT ROWID;

DROP VIEW results;
DROP VIEW history;

-- Every attempt that is kept, also those of older method versions, grids or data.
CREATE VIEW history AS
SELECT r.protocol, r.method, r.method_version, r.dataset, r.split, r.status,
       p.params,
       (SELECT count(*) FROM grid_points g WHERE g.grid_id = r.grid_id) AS grid_size,
       r.n_train, r.n_test, r.n_correct,
       CAST(r.n_correct AS REAL) / r.n_test AS accuracy, r.cv_accuracy,
       r.tn, r.fp, r.fn, r.tp, r.search_seconds, r.fit_seconds, r.predict_seconds,
       r.cpu_seconds, r.peak_rss_bytes, r.model_bytes, r.error, r.started_at, r.environment_id,
       r.rmse, r.mae, r.r2, r.task, r.key, r.fingerprint, r.n_features, nullif(p.point, '') AS point,
       CAST(r.auc2 AS REAL) / (2 * (r.tn + r.fp) * (r.fn + r.tp)) AS auc, r.scores_hash,
       r.protocol_hash, o.code, nullif(o.imported, '') AS imported, r.id AS run_id
FROM runs r
LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected
LEFT JOIN origins o ON o.run_id = r.id;

-- The attempt that stands for each cell (protocol, data set, method, split).
CREATE VIEW results AS
SELECT protocol, method, method_version, dataset, split, status, params, grid_size,
       n_train, n_test, n_correct, accuracy, cv_accuracy, tn, fp, fn, tp,
       search_seconds, fit_seconds, predict_seconds, cpu_seconds, peak_rss_bytes,
       model_bytes, error, started_at, environment_id, rmse, mae, r2, task, key,
       fingerprint, n_features, point, auc, scores_hash, code, imported, run_id
FROM history
WHERE run_id IN (SELECT run_id FROM cells);

-- +goose Down
DROP TABLE left_out;
DROP TABLE code_checks;
DROP TABLE origins;
