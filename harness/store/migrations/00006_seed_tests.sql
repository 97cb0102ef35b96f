-- +goose Up
-- The test of the chosen grid point with each seed of the method: of cells with several (method_seeds), and of those
-- whose seed is not the protocol's, since it goes with the split. Row 0 is the test of the run itself.
CREATE TABLE seed_counts (
  run_id      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  seeds       INTEGER NOT NULL,             -- how many rows the run has
  seed        INTEGER NOT NULL,
  scores_hash TEXT NOT NULL,                -- of the bits of the test scores
  n_test      INTEGER NOT NULL,
  n_correct   INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER, auc2 INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  checksum    INTEGER NOT NULL,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

-- The same for people, of the cells in results; own is 1 for the seed whose test is the cell's result.
CREATE VIEW seed_tests AS
SELECT r.protocol, r.method, r.dataset, r.split, t.seed, t.number = 0 AS own,
       t.n_test, t.n_correct, CAST(t.n_correct AS REAL) / t.n_test AS accuracy, t.tn, t.fp, t.fn, t.tp,
       t.rmse, t.mae, t.r2, t.scores_hash, r.id AS run_id
FROM runs r
JOIN seed_counts t ON t.run_id = r.id
WHERE r.id IN (SELECT run_id FROM cells);

-- +goose Down
DROP VIEW seed_tests;
DROP TABLE seed_counts;
