-- +goose Up
-- The test of every grid point, refitted, where the protocol asks for it (test_grid): what the choice by the folds cost.
CREATE TABLE point_tests (
  run_id     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  grid_index INTEGER NOT NULL,
  n_test     INTEGER NOT NULL,
  n_correct  INTEGER,
  tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER, auc2 INTEGER,
  rmse REAL, mae REAL, r2 REAL,
  checksum   INTEGER NOT NULL,
  PRIMARY KEY (run_id, grid_index)
) STRICT, WITHOUT ROWID;

-- The same for people, of the cells in results; selected is 1 for the point that was chosen.
CREATE VIEW grid_tests AS
SELECT r.protocol, r.method, r.dataset, r.split, t.grid_index, g.params, t.grid_index = r.selected AS selected,
       t.n_test, t.n_correct, CAST(t.n_correct AS REAL) / t.n_test AS accuracy, t.tn, t.fp, t.fn, t.tp,
       t.rmse, t.mae, t.r2, nullif(g.point, '') AS point, r.id AS run_id
FROM runs r
JOIN point_tests t ON t.run_id = r.id
JOIN grid_points g ON g.grid_id = r.grid_id AND g.grid_index = t.grid_index
WHERE r.id IN (SELECT run_id FROM cells);

-- +goose Down
DROP VIEW grid_tests;
DROP TABLE point_tests;
