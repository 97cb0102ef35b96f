-- +goose Up
-- What the test scores are worth as probabilities, of methods that declare that they stand for some; attempts that
-- were stored before have no row.
CREATE TABLE probabilities (
  run_id   INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  logloss  REAL NOT NULL CHECK (logloss >= 0),
  brier    REAL NOT NULL CHECK (brier BETWEEN 0 AND 1),
  ece      REAL NOT NULL CHECK (ece BETWEEN 0 AND 1.000001), -- a mean of rounded terms
  checksum INTEGER NOT NULL
) STRICT;

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
       r.protocol_hash, o.code, nullif(o.imported, '') AS imported, r.id AS run_id,
       nullif(coalesce(e.class, CASE r.status WHEN 'timeout' THEN 'timeout' WHEN 'failed' THEN 'error' ELSE '' END), '') AS failure,
       coalesce(e.isolated, 0) AS isolated, nullif(e.stderr, '') AS stderr, q.logloss, q.brier, q.ece
FROM runs r
LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected
LEFT JOIN origins o ON o.run_id = r.id
LEFT JOIN endings e ON e.run_id = r.id
LEFT JOIN probabilities q ON q.run_id = r.id;

-- The attempt that stands for each cell (protocol, data set, method, split).
CREATE VIEW results AS
SELECT protocol, method, method_version, dataset, split, status, params, grid_size,
       n_train, n_test, n_correct, accuracy, cv_accuracy, tn, fp, fn, tp,
       search_seconds, fit_seconds, predict_seconds, cpu_seconds, peak_rss_bytes,
       model_bytes, error, started_at, environment_id, rmse, mae, r2, task, key,
       fingerprint, n_features, point, auc, scores_hash, code, imported, run_id, failure, isolated, stderr,
       logloss, brier, ece
FROM history
WHERE run_id IN (SELECT run_id FROM cells);

-- +goose Down
DROP TABLE probabilities;
