-- Version 2: rows carry checksums, counts must agree with each other, views name the
-- data, and what a run learned beside its counts is kept: scores, stages, warnings, models. The tables are made anew, since SQLite adds no constraint to a table that is
-- there; the checksums are filled in by integrity.go.

CREATE TABLE new_runs (
  id              INTEGER PRIMARY KEY,
  key             TEXT NOT NULL UNIQUE,
  protocol        TEXT NOT NULL,
  protocol_hash   TEXT NOT NULL,
  method          TEXT NOT NULL,
  method_version  TEXT NOT NULL,
  dataset         TEXT NOT NULL,
  fingerprint     TEXT NOT NULL,
  split           INTEGER NOT NULL CHECK (split >= 1),
  task            TEXT NOT NULL CHECK (task IN ('binary', 'multiclass', 'regression')),
  status          TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'timeout')),
  error           TEXT CHECK ((status = 'ok') = (error IS NULL)),
  grid_id         INTEGER NOT NULL REFERENCES grids (id),
  selected        INTEGER CHECK (selected >= 0),  -- grid_index of the refitted point
  n_train         INTEGER NOT NULL CHECK (n_train >= 0),
  n_test          INTEGER NOT NULL CHECK (n_test >= 0),
  n_features      INTEGER CHECK (n_features > 0), -- NULL in rows of version 1
  n_correct       INTEGER CHECK (n_correct BETWEEN 0 AND n_test),
  tn INTEGER CHECK (tn >= 0),
  fp INTEGER CHECK (fp >= 0),
  fn INTEGER CHECK (fn >= 0),
  tp INTEGER CHECK (tp >= 0),
  auc2            INTEGER CHECK (auc2 BETWEEN 0 AND 2 * (tn + fp) * (fn + tp)), -- twice the ordered pairs
  rmse REAL, mae REAL, r2 REAL,
  cv_accuracy     REAL CHECK (cv_accuracy BETWEEN 0 AND 1.000001), -- of the selected point
  search_seconds  REAL NOT NULL,
  fit_seconds     REAL,
  predict_seconds REAL,
  cpu_seconds     REAL,
  peak_rss_bytes  INTEGER,
  model_bytes     INTEGER,
  cost_units      REAL NOT NULL,           -- predicted nanoseconds, before correction
  timeout_seconds REAL,                    -- the limit it ran under
  started_at      TEXT NOT NULL,           -- UTC, RFC 3339
  environment_id  INTEGER NOT NULL REFERENCES environments (id),
  n_folds         INTEGER NOT NULL,        -- rows in fold_counts
  folds_checksum  INTEGER NOT NULL,        -- of those rows
  scores_hash     TEXT,                    -- of the bits of the test scores; NULL in rows of version 1
  has_scores      INTEGER NOT NULL CHECK (has_scores IN (0, 1)), -- a row in scores
  has_model       INTEGER NOT NULL CHECK (has_model IN (0, 1)),  -- a row in models
  n_stages        INTEGER NOT NULL,        -- rows in stages
  n_warnings      INTEGER NOT NULL,        -- rows in warnings
  checksum        INTEGER NOT NULL,        -- of this row but for this column and id
  CHECK (n_correct = tn + tp),
  CHECK (n_test = tn + fp + fn + tp)
) STRICT;

CREATE TABLE new_cells (
  protocol TEXT NOT NULL,
  dataset  TEXT NOT NULL,
  method   TEXT NOT NULL,
  split    INTEGER NOT NULL,
  run_id   INTEGER NOT NULL UNIQUE REFERENCES new_runs (id) ON DELETE CASCADE,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (protocol, dataset, method, split)
) STRICT, WITHOUT ROWID;

CREATE TABLE new_fold_counts (
  run_id      INTEGER NOT NULL REFERENCES new_runs (id) ON DELETE CASCADE,
  grid_index  INTEGER NOT NULL,
  fold        INTEGER NOT NULL,
  n_valid     INTEGER NOT NULL CHECK (n_valid >= 0),
  n_correct   INTEGER CHECK (n_correct BETWEEN 0 AND n_valid),
  tn INTEGER CHECK (tn >= 0),
  fp INTEGER CHECK (fp >= 0),
  fn INTEGER CHECK (fn >= 0),
  tp INTEGER CHECK (tp >= 0),
  auc2        INTEGER CHECK (auc2 BETWEEN 0 AND 2 * (tn + fp) * (fn + tp)),
  rmse REAL, mae REAL, r2 REAL,
  fit_seconds REAL NOT NULL,
  PRIMARY KEY (run_id, grid_index, fold),
  CHECK (n_correct = tn + tp),
  CHECK (n_valid = tn + fp + fn + tp)
) STRICT, WITHOUT ROWID;

-- The scores of the test rows: IEEE 754 doubles, row by row, their first bytes before
-- their second ones and so on, deflated.
CREATE TABLE scores (
  run_id   INTEGER PRIMARY KEY REFERENCES new_runs (id) ON DELETE CASCADE,
  outputs  INTEGER NOT NULL,               -- scores per row
  data     BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- Test results of the refitted model's first rounds, where the protocol lists rounds.
CREATE TABLE stages (
  run_id    INTEGER NOT NULL REFERENCES new_runs (id) ON DELETE CASCADE,
  round     INTEGER NOT NULL,
  n_test    INTEGER NOT NULL,
  n_correct INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER,
  auc2 INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  checksum  INTEGER NOT NULL,
  PRIMARY KEY (run_id, round)
) STRICT, WITHOUT ROWID;

-- What fits and the harness had to say of a cell that ended.
CREATE TABLE warnings (
  run_id   INTEGER NOT NULL REFERENCES new_runs (id) ON DELETE CASCADE,
  number   INTEGER NOT NULL,
  text     TEXT NOT NULL,
  times    INTEGER NOT NULL,               -- how often it was said
  checksum INTEGER NOT NULL,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

-- Refitted models in their saved form, deflated, and what turns rows of the file into
-- rows of the model: (x - mean) / scale of each feature.
CREATE TABLE models (
  run_id   INTEGER PRIMARY KEY REFERENCES new_runs (id) ON DELETE CASCADE,
  features TEXT NOT NULL,                  -- JSON: the columns' names
  labels   TEXT NOT NULL,                  -- JSON: the classes' names; [] for regression
  mean     BLOB,                           -- doubles; NULL if the protocol does not standardise
  scale    BLOB,
  target_mean  REAL,                       -- what turns its predictions into the file's units:
  target_scale REAL,                       -- prediction * scale + mean; NULL if they are in them
  data     BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- The files that described the users' own data sets when their cells were run.
CREATE TABLE set_files (
  dataset     TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  path        TEXT NOT NULL,
  seen_at     TEXT NOT NULL,               -- UTC, RFC 3339
  checksum    INTEGER NOT NULL,
  PRIMARY KEY (dataset, fingerprint)
) STRICT, WITHOUT ROWID;

-- The protocols as they were when their cells were run; path is '' for built-in ones.
CREATE TABLE protocols (
  name     TEXT NOT NULL,
  hash     TEXT NOT NULL,
  text     TEXT NOT NULL,
  path     TEXT NOT NULL,
  splits   INTEGER NOT NULL,
  seen_at  TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (name, hash)
) STRICT, WITHOUT ROWID;

-- The values as the grid's author wrote them, before a division by the number of
-- features; '' in rows of version 1.
ALTER TABLE grid_points ADD COLUMN point TEXT NOT NULL DEFAULT '';

ALTER TABLE grids ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;        -- of the hash and all points
ALTER TABLE environments ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0; -- of the row but for this column and id

-- Checksums of what has no row of its own to keep them: published_values.
CREATE TABLE checksums (
  what     TEXT PRIMARY KEY,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

DROP VIEW published;
DROP VIEW evaluations;
DROP VIEW results;
DROP VIEW history;

INSERT INTO new_runs SELECT id, key, protocol, protocol_hash, method, method_version, dataset, fingerprint,
  split, task, status, error, grid_id, selected, n_train, n_test, NULL, n_correct, tn, fp, fn, tp, NULL, rmse, mae, r2,
  (SELECT avg(CAST(f.n_correct AS REAL) / f.n_valid) FROM fold_counts f WHERE f.run_id = runs.id AND f.grid_index = runs.selected),
  search_seconds, fit_seconds, predict_seconds, cpu_seconds, peak_rss_bytes, model_bytes, cost_units,
  timeout_seconds, started_at, environment_id,
  (SELECT count(*) FROM fold_counts f WHERE f.run_id = runs.id), 0, NULL, 0, 0, 0, 0, 0
FROM runs;
INSERT INTO new_cells SELECT protocol, dataset, method, split, run_id, 0 FROM cells;
INSERT INTO new_fold_counts SELECT run_id, grid_index, fold, n_valid, n_correct, tn, fp, fn, tp, NULL, rmse, mae, r2, fit_seconds
FROM fold_counts;

-- Those that refer to runs go first, so that nothing is deleted by reference.
DROP TABLE fold_counts;
DROP TABLE cells;
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;
ALTER TABLE new_cells RENAME TO cells;
ALTER TABLE new_fold_counts RENAME TO fold_counts;

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
       r.protocol_hash, r.id AS run_id
FROM runs r
LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected;

-- The attempt that stands for each cell (protocol, data set, method, split).
CREATE VIEW results AS
SELECT protocol, method, method_version, dataset, split, status, params, grid_size,
       n_train, n_test, n_correct, accuracy, cv_accuracy, tn, fp, fn, tp,
       search_seconds, fit_seconds, predict_seconds, cpu_seconds, peak_rss_bytes,
       model_bytes, error, started_at, environment_id, rmse, mae, r2, task, key,
       fingerprint, n_features, point, auc, scores_hash, run_id
FROM history
WHERE run_id IN (SELECT run_id FROM cells);

-- Every fold of every grid point of the cells in results.
CREATE VIEW evaluations AS
SELECT r.protocol, r.method, r.dataset, r.split, f.grid_index, g.params, f.fold,
       f.n_valid, f.n_correct, f.fit_seconds, f.rmse, f.mae, f.r2, f.tn, f.fp, f.fn, f.tp,
       CAST(f.n_correct AS REAL) / f.n_valid AS accuracy,
       f.grid_index IS r.selected AS selected,
       r.fingerprint, nullif(g.point, '') AS point,
       CAST(f.auc2 AS REAL) / (2 * (f.tn + f.fp) * (f.fn + f.tp)) AS auc
FROM runs r
JOIN fold_counts f ON f.run_id = r.id
JOIN grid_points g ON g.grid_id = r.grid_id AND g.grid_index = f.grid_index
WHERE r.id IN (SELECT run_id FROM cells);

CREATE VIEW published AS
SELECT source, dataset, method, mean, std FROM published_values;
