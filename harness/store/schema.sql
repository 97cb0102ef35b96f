-- The tables are the program's own; the views at the end are the contract for other programs.

PRAGMA application_id = 1651401576; -- "bnch": a results database
PRAGMA user_version = 15;

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
  memory_bytes    INTEGER NOT NULL,
  checksum        INTEGER NOT NULL         -- of this row but for this column and id
) STRICT;

CREATE TABLE grids (
  id       INTEGER PRIMARY KEY,
  hash     TEXT NOT NULL UNIQUE,
  checksum INTEGER NOT NULL                -- of the hash and all points
) STRICT;

CREATE TABLE grid_points (
  grid_id    INTEGER NOT NULL REFERENCES grids (id),
  grid_index INTEGER NOT NULL,
  params     TEXT NOT NULL CHECK (json_valid(params)),
  point      TEXT NOT NULL,                -- as the grid's author wrote it, before a division by the number of features
  PRIMARY KEY (grid_id, grid_index)
) STRICT, WITHOUT ROWID;

-- One row per attempt that is kept: a cell with one set of inputs. An attempt that
-- did not end ok is replaced when it is run again; an ok one only by --rerun.
CREATE TABLE runs (
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
  n_features      INTEGER CHECK (n_features > 0), -- NULL if unknown
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
  kept_checksum   INTEGER NOT NULL,        -- of its rows in scores and models
  scores_hash     TEXT,                    -- of the bits of the test scores
  class           TEXT NOT NULL CHECK (class IN ('', 'timeout', 'oom', 'crash', 'bad-output', 'error')), -- of the failure; '' if ok
  isolated        INTEGER NOT NULL CHECK (isolated IN (0, 1)), -- run in a process of its own
  stderr          TEXT NOT NULL,           -- the end of what its processes wrote there
  code            TEXT NOT NULL,           -- hash of the method's code and of what it uses; '' if unknown
  imported        TEXT NOT NULL,           -- name of the file that it was imported from, or ''
  checksum        INTEGER NOT NULL,        -- of this row, and of its rows in stages, point_tests, seed_counts and warnings
  n_correct       INTEGER CHECK (n_correct BETWEEN 0 AND n_test),
  tn INTEGER CHECK (tn >= 0),
  fp INTEGER CHECK (fp >= 0),
  fn INTEGER CHECK (fn >= 0),
  tp INTEGER CHECK (tp >= 0),
  auc2            INTEGER CHECK (auc2 BETWEEN 0 AND 2 * (tn + fp) * (fn + tp)), -- twice the ordered pairs
  rmse REAL, mae REAL, r2 REAL,
  logloss         REAL CHECK (logloss >= 0),      -- of test scores that stand for probabilities
  brier           REAL CHECK (brier BETWEEN 0 AND 1),
  ece             REAL CHECK (ece BETWEEN 0 AND 1.000001), -- a mean of rounded terms
  CHECK (n_correct = tn + tp),
  CHECK (n_test = tn + fp + fn + tp)
) STRICT;

-- The current attempt of a cell: the one whose key was planned last.
CREATE TABLE cells (
  protocol TEXT NOT NULL,
  dataset  TEXT NOT NULL,
  method   TEXT NOT NULL,
  split    INTEGER NOT NULL,
  run_id   INTEGER NOT NULL UNIQUE REFERENCES runs (id) ON DELETE CASCADE,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (protocol, dataset, method, split)
) STRICT, WITHOUT ROWID;

CREATE TABLE fold_counts (
  run_id      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  grid_index  INTEGER NOT NULL,
  fold        INTEGER NOT NULL,
  n_valid     INTEGER NOT NULL CHECK (n_valid >= 0),
  fit_seconds REAL NOT NULL,
  n_correct   INTEGER CHECK (n_correct BETWEEN 0 AND n_valid),
  tn INTEGER CHECK (tn >= 0),
  fp INTEGER CHECK (fp >= 0),
  fn INTEGER CHECK (fn >= 0),
  tp INTEGER CHECK (tp >= 0),
  auc2        INTEGER CHECK (auc2 BETWEEN 0 AND 2 * (tn + fp) * (fn + tp)),
  rmse REAL, mae REAL, r2 REAL,
  PRIMARY KEY (run_id, grid_index, fold),
  CHECK (n_correct = tn + tp),
  CHECK (n_valid = tn + fp + fn + tp)
) STRICT, WITHOUT ROWID;

-- The scores of the test rows: IEEE 754 doubles, row by row, their first bytes before
-- their second ones and so on, deflated.
CREATE TABLE scores (
  run_id   INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  outputs  INTEGER NOT NULL,               -- scores per row
  data     BLOB NOT NULL
) STRICT;

-- Test results of the refitted model's first rounds, where the protocol lists rounds.
CREATE TABLE stages (
  run_id    INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  round     INTEGER NOT NULL,
  n_test    INTEGER NOT NULL,
  n_correct INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER,
  auc2 INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  PRIMARY KEY (run_id, round)
) STRICT, WITHOUT ROWID;

-- What fits and the harness had to say of a cell that ended.
CREATE TABLE warnings (
  run_id   INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number   INTEGER NOT NULL,
  text     TEXT NOT NULL,
  times    INTEGER NOT NULL,               -- how often it was said
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

-- Refitted models in their saved form, deflated, and what turns rows of the file into
-- rows of the model: (x - mean) / scale of each feature.
CREATE TABLE models (
  run_id   INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  features TEXT NOT NULL,                  -- JSON: the columns' names
  labels   TEXT NOT NULL,                  -- JSON: the classes' names; [] for regression
  mean     BLOB,                           -- doubles; NULL if the protocol does not standardise
  scale    BLOB,
  target_mean  REAL,                       -- what turns its predictions into the file's units:
  target_scale REAL,                       -- prediction * scale + mean; NULL if they are in them
  data     BLOB NOT NULL
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

-- The test of every grid point, refitted, where the protocol asks for it (test_grid): what the choice by the folds cost.
CREATE TABLE point_tests (
  run_id     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  grid_index INTEGER NOT NULL,
  n_test     INTEGER NOT NULL,
  n_correct  INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER, auc2 INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  PRIMARY KEY (run_id, grid_index)
) STRICT, WITHOUT ROWID;

-- The test of the chosen grid point with each seed of the method: of cells with several (method_seeds), and of those
-- whose seed is not the protocol's, since it goes with the split. Row 0 is the test of the run itself.
CREATE TABLE seed_counts (
  run_id      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  seed        INTEGER NOT NULL,
  scores_hash TEXT NOT NULL,                -- of the bits of the test scores
  n_test      INTEGER NOT NULL,
  n_correct   INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER, auc2 INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

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

-- Cells that a run was asked for and skipped, by their predictions.
CREATE TABLE skipped (
  protocol TEXT NOT NULL,
  dataset  TEXT NOT NULL,
  method   TEXT NOT NULL,
  split    INTEGER NOT NULL,
  seconds  REAL NOT NULL,                  -- predicted, on one core
  bytes    INTEGER NOT NULL,               -- predicted memory
  reason   TEXT NOT NULL,                  -- the option by which it was skipped, as '--max-cell 30m'
  said_at  TEXT NOT NULL,                  -- UTC, RFC 3339
  checksum INTEGER NOT NULL,
  PRIMARY KEY (protocol, dataset, method, split)
) STRICT, WITHOUT ROWID;

-- The runs that are under way. A row is gone when its run ends; that of a killed run is removed by the next run.
CREATE TABLE underway (
  run      INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, since cells may outlast their run
  host     TEXT NOT NULL,                     -- the machine since its start, and its space of process numbers
  process  INTEGER NOT NULL,
  started  INTEGER NOT NULL,                  -- of the process, as the system numbers moments
  beat     INTEGER NOT NULL,                  -- goes up while the process lives
  progress TEXT NOT NULL                      -- JSON, for people who look on
) STRICT;

-- The cells that these runs have not stored yet. One that began and whose run is dead says what that process was
-- at when it died; it stays until the cell is stored.
CREATE TABLE underway_cells (
  key    TEXT PRIMARY KEY,
  run    INTEGER NOT NULL,
  begun  INTEGER NOT NULL CHECK (begun IN (0, 1)),
  deaths INTEGER NOT NULL                     -- how many processes died while they were at the cell
) STRICT, WITHOUT ROWID;

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
  class           TEXT NOT NULL,           -- of one that failed, as in runs; '' if ok
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

CREATE TABLE published_values (
  source  TEXT NOT NULL,
  dataset TEXT NOT NULL,
  method  TEXT NOT NULL,
  unit    TEXT NOT NULL,                   -- of mean and std, in words
  mean    REAL NOT NULL,
  std     REAL,
  spread  TEXT NOT NULL,                   -- what std is: a standard deviation or a standard error, or '' where the source does not say
  folds   TEXT,                            -- the values whose mean and std these are, where they are known, with blanks between
  PRIMARY KEY (source, dataset, method)
) STRICT, WITHOUT ROWID;

-- Checksums of what has no row of its own to keep them: published_values.
CREATE TABLE checksums (
  what     TEXT PRIMARY KEY,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The current attempt of each cell (protocol, data set, method, split).
CREATE VIEW results AS
SELECT protocol, method, method_version, dataset, split, status, params, grid_size,
       n_train, n_test, n_correct, accuracy, cv_accuracy, tn, fp, fn, tp,
       search_seconds, fit_seconds, predict_seconds, cpu_seconds, peak_rss_bytes,
       model_bytes, error, started_at, environment_id, rmse, mae, r2, task, key,
       fingerprint, n_features, point, auc, scores_hash, code, imported, run_id, failure, isolated, stderr,
       logloss, brier, ece, sweep_point
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

-- The same for people, of the cells in results; selected is 1 for the point that was chosen.
CREATE VIEW grid_tests AS
SELECT r.protocol, r.method, r.dataset, r.split, t.grid_index, g.params, t.grid_index = r.selected AS selected,
       t.n_test, t.n_correct, CAST(t.n_correct AS REAL) / t.n_test AS accuracy, t.tn, t.fp, t.fn, t.tp,
       t.rmse, t.mae, t.r2, nullif(g.point, '') AS point, r.id AS run_id
FROM runs r
JOIN point_tests t ON t.run_id = r.id
JOIN grid_points g ON g.grid_id = r.grid_id AND g.grid_index = t.grid_index
WHERE r.id IN (SELECT run_id FROM cells);

-- The same for people, of the cells in results; own is 1 for the seed whose test is the cell's result.
CREATE VIEW seed_tests AS
SELECT r.protocol, r.method, r.dataset, r.split, t.seed, t.number = 0 AS own,
       t.n_test, t.n_correct, CAST(t.n_correct AS REAL) / t.n_test AS accuracy, t.tn, t.fp, t.fn, t.tp,
       t.rmse, t.mae, t.r2, t.scores_hash, r.id AS run_id
FROM runs r
JOIN seed_counts t ON t.run_id = r.id
WHERE r.id IN (SELECT run_id FROM cells);

CREATE VIEW published AS
SELECT source, dataset, method, mean, std, folds, unit, spread FROM published_values;

-- What speaks against results of a method: a leak is a canary that is right beyond chance, of a method whose own result on the same
-- test rows is better than a constant. A canary finding is one that failed, not for want of time or memory, where the cell with the
-- labels as they are ended ok.
CREATE VIEW findings AS
SELECT 'leak' AS finding, protocol, protocol_hash, method, method_version, dataset, fingerprint, split, p, n_test, n_correct, r2, '' AS differs
FROM canaries c
WHERE c.p <= 1e-6 AND EXISTS (SELECT 1 FROM runs r WHERE r.protocol = c.protocol AND r.protocol_hash = c.protocol_hash AND r.method = c.method
  AND r.method_version = c.method_version AND r.dataset = c.dataset AND r.fingerprint = c.fingerprint AND r.split = c.split
  AND (r.n_correct > c.constant OR r.r2 > 0))
UNION ALL
SELECT 'canary', protocol, protocol_hash, method, method_version, dataset, fingerprint, split, NULL, n_test, NULL, NULL, error
FROM canaries c
WHERE c.status = 'failed' AND c.class <> 'oom' AND EXISTS (SELECT 1 FROM runs r WHERE r.protocol = c.protocol AND r.protocol_hash = c.protocol_hash
  AND r.method = c.method AND r.method_version = c.method_version AND r.dataset = c.dataset AND r.fingerprint = c.fingerprint AND r.split = c.split AND r.status = 'ok')
UNION ALL
SELECT 'state', protocol, protocol_hash, method, method_version, dataset, fingerprint, split, NULL, NULL, NULL, NULL, differs
FROM state_checks WHERE NOT same;

-- Databases of version 15 get what follows when they are next opened for writing. A later version goes below in the same way.
PRAGMA user_version = 16;

-- How long machines take for one piece of work: the processor time in seconds, the least of all
-- repetitions (of earlier programs the median and the quartiles of 15). The measurement with the least low is kept.
CREATE TABLE IF NOT EXISTS yardsticks (
  cpu      TEXT NOT NULL,
  cores    INTEGER NOT NULL,
  os       TEXT NOT NULL,
  arch     TEXT NOT NULL,
  seconds  REAL NOT NULL CHECK (seconds > 0),
  low      REAL NOT NULL CHECK (low > 0),
  high     REAL NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (cpu, cores, os, arch)
) STRICT, WITHOUT ROWID;

-- Values that other people print and `bench import --published` took from a file. They are no results.
CREATE TABLE quoted_values (
  source      TEXT NOT NULL,               -- as the user names it
  dataset     TEXT NOT NULL,
  method      TEXT NOT NULL,
  unit        TEXT NOT NULL,               -- of mean and deviation, in the words of published_values
  mean        REAL NOT NULL,
  deviation   REAL,                        -- standard deviation
  n           INTEGER,                     -- how many values the mean is of
  protocol    TEXT NOT NULL,               -- of the source, as the file names it; '' if it does not
  same_splits INTEGER NOT NULL CHECK (same_splits IN (0, 1)), -- the source says that it uses the protocol's own splits
  checksum    INTEGER NOT NULL,
  PRIMARY KEY (source, dataset, method)
) STRICT, WITHOUT ROWID;

DROP VIEW published;
CREATE VIEW published AS
SELECT source, dataset, method, mean, std, folds, unit, spread, NULL AS n, NULL AS protocol, NULL AS same_splits FROM published_values
UNION ALL
SELECT source, dataset, method, mean, deviation, NULL, unit, CASE WHEN deviation IS NULL THEN '' ELSE 'standard deviation' END,
       n, protocol, same_splits
FROM quoted_values;

PRAGMA user_version = 17;

-- Comparisons that were written down before their first result (bench run --against).
CREATE TABLE comparisons (
  hash       TEXT PRIMARY KEY,             -- SHA-256 of text, as hexadecimal digits
  created_at TEXT NOT NULL,                -- UTC, RFC 3339
  text       TEXT NOT NULL,                -- the file
  checksum   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 18;

-- Every attempt that is kept, also those of older method versions, grids or data. A sweep names its columns SERIES NAME=VALUE;
-- rtrim leaves what is before the last word.
-- The peak of a process that computed other cells, too, is not that of the cell.
DROP VIEW IF EXISTS history;
CREATE VIEW history AS
SELECT r.protocol, r.method, r.method_version, r.dataset, r.split, r.status,
       p.params,
       (SELECT count(*) FROM grid_points g WHERE g.grid_id = r.grid_id) AS grid_size,
       r.n_train, r.n_test, r.n_correct,
       CAST(r.n_correct AS REAL) / r.n_test AS accuracy, r.cv_accuracy,
       r.tn, r.fp, r.fn, r.tp, r.search_seconds, r.fit_seconds, r.predict_seconds,
       r.cpu_seconds, iif(r.isolated, r.peak_rss_bytes, NULL) AS peak_rss_bytes, r.model_bytes, r.error, r.started_at, r.environment_id,
       r.rmse, r.mae, r.r2, r.task, r.key, r.fingerprint, r.n_features, nullif(p.point, '') AS point,
       CAST(r.auc2 AS REAL) / (2 * (r.tn + r.fp) * (r.fn + r.tp)) AS auc, r.scores_hash,
       r.protocol_hash, nullif(r.code, '') AS code, nullif(r.imported, '') AS imported, r.id AS run_id,
       nullif(r.class, '') AS failure, r.isolated, nullif(r.stderr, '') AS stderr, r.logloss, r.brier, r.ece,
       CASE WHEN r.method GLOB '* *=*' AND EXISTS (SELECT 1 FROM protocols d WHERE d.name = r.protocol AND d.hash = r.protocol_hash AND d.text LIKE '%sweep%')
            THEN substr(r.method, length(rtrim(r.method, replace(r.method, ' ', ''))) + 1) END AS sweep_point
FROM runs r
LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected;
