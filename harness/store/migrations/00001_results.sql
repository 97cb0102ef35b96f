-- +goose Up
CREATE TABLE environments (
  id              INTEGER PRIMARY KEY,
  hash            TEXT NOT NULL UNIQUE,
  program_version TEXT NOT NULL,
  vcs_revision    TEXT NOT NULL,           -- '' if the build carries none
  vcs_modified    INTEGER NOT NULL CHECK (vcs_modified IN (0, 1)),
  go_version      TEXT NOT NULL,
  os              TEXT NOT NULL,
  arch            TEXT NOT NULL,
  kernel          TEXT NOT NULL,
  cpu             TEXT NOT NULL,
  cores           INTEGER NOT NULL,
  memory_bytes    INTEGER NOT NULL
) STRICT;

CREATE TABLE grids (
  id   INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE grid_points (
  grid_id    INTEGER NOT NULL REFERENCES grids (id),
  grid_index INTEGER NOT NULL,
  params     TEXT NOT NULL CHECK (json_valid(params)),
  PRIMARY KEY (grid_id, grid_index)
) STRICT, WITHOUT ROWID;

-- One row per attempt that is kept: a cell with one set of inputs. An attempt that
-- did not end ok is replaced when it is run again; an ok one never is.
CREATE TABLE runs (
  id              INTEGER PRIMARY KEY,
  key             TEXT NOT NULL UNIQUE,
  protocol        TEXT NOT NULL,
  protocol_hash   TEXT NOT NULL,
  method          TEXT NOT NULL,
  method_version  TEXT NOT NULL,
  dataset         TEXT NOT NULL,
  fingerprint     TEXT NOT NULL,
  split           INTEGER NOT NULL,
  task            TEXT NOT NULL CHECK (task IN ('binary', 'multiclass', 'regression')),
  status          TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'timeout')),
  error           TEXT CHECK ((status = 'ok') = (error IS NULL)),
  grid_id         INTEGER NOT NULL REFERENCES grids (id),
  selected        INTEGER,                 -- grid_index of the refitted point
  n_train         INTEGER NOT NULL,
  n_test          INTEGER NOT NULL,
  n_correct       INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  search_seconds  REAL NOT NULL,
  fit_seconds     REAL,
  predict_seconds REAL,
  cpu_seconds     REAL,
  peak_rss_bytes  INTEGER,
  model_bytes     INTEGER,
  cost_units      REAL NOT NULL,           -- predicted nanoseconds, before correction
  timeout_seconds REAL,                    -- the limit it ran under
  started_at      TEXT NOT NULL,           -- UTC, RFC 3339
  environment_id  INTEGER NOT NULL REFERENCES environments (id)
) STRICT;

-- The attempt that stands for a cell: the one whose key was planned last.
CREATE TABLE cells (
  protocol TEXT NOT NULL,
  dataset  TEXT NOT NULL,
  method   TEXT NOT NULL,
  split    INTEGER NOT NULL,
  run_id   INTEGER NOT NULL UNIQUE REFERENCES runs (id) ON DELETE CASCADE,
  PRIMARY KEY (protocol, dataset, method, split)
) STRICT, WITHOUT ROWID;

CREATE TABLE fold_counts (
  run_id      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  grid_index  INTEGER NOT NULL,
  fold        INTEGER NOT NULL,
  n_valid     INTEGER NOT NULL,
  n_correct   INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  fit_seconds REAL NOT NULL,
  PRIMARY KEY (run_id, grid_index, fold)
) STRICT, WITHOUT ROWID;

CREATE TABLE published_values (
  source  TEXT NOT NULL,
  dataset TEXT NOT NULL,
  method  TEXT NOT NULL,
  mean    REAL NOT NULL,
  std     REAL,
  PRIMARY KEY (source, dataset, method)
) STRICT, WITHOUT ROWID;

-- Every attempt that is kept, also those of older method versions, grids or data.
CREATE VIEW history AS
SELECT r.protocol, r.method, r.method_version, r.dataset, r.split, r.status,
       p.params,
       (SELECT count(*) FROM grid_points g WHERE g.grid_id = r.grid_id) AS grid_size,
       r.n_train, r.n_test, r.n_correct,
       CAST(r.n_correct AS REAL) / r.n_test AS accuracy,
       (SELECT avg(CAST(f.n_correct AS REAL) / f.n_valid) FROM fold_counts f
         WHERE f.run_id = r.id AND f.grid_index = r.selected) AS cv_accuracy,
       r.tn, r.fp, r.fn, r.tp, r.search_seconds, r.fit_seconds, r.predict_seconds,
       r.cpu_seconds, r.peak_rss_bytes, r.model_bytes, r.error, r.started_at, r.environment_id,
       r.rmse, r.mae, r.r2, r.task, r.key, r.id AS run_id
FROM runs r
LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected;

-- The attempt that stands for each cell (protocol, data set, method, split).
CREATE VIEW results AS
SELECT protocol, method, method_version, dataset, split, status, params, grid_size,
       n_train, n_test, n_correct, accuracy, cv_accuracy, tn, fp, fn, tp,
       search_seconds, fit_seconds, predict_seconds, cpu_seconds, peak_rss_bytes,
       model_bytes, error, started_at, environment_id, rmse, mae, r2, task, key
FROM history
WHERE run_id IN (SELECT run_id FROM cells);

-- Every fold of every grid point of the cells in results.
CREATE VIEW evaluations AS
SELECT r.protocol, r.method, r.dataset, r.split, f.grid_index, g.params, f.fold,
       f.n_valid, f.n_correct, f.fit_seconds, f.rmse, f.mae, f.r2, f.tn, f.fp, f.fn, f.tp
FROM runs r
JOIN fold_counts f ON f.run_id = r.id
JOIN grid_points g ON g.grid_id = r.grid_id AND g.grid_index = f.grid_index
WHERE r.id IN (SELECT run_id FROM cells);

CREATE VIEW published AS
SELECT source, dataset, method, mean, std FROM published_values;

-- +goose Down
DROP VIEW published;
DROP VIEW evaluations;
DROP VIEW results;
DROP VIEW history;
DROP TABLE published_values;
DROP TABLE fold_counts;
DROP TABLE cells;
DROP TABLE runs;
DROP TABLE grid_points;
DROP TABLE grids;
DROP TABLE environments;
