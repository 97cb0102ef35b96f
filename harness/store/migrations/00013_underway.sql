-- +goose Up
-- Runs that are under way no longer claim single cells: a run plans cells that no other run has planned.

DROP TABLE claims;
DROP TABLE IF EXISTS underway;       -- earlier programs made these two when a run began
DROP TABLE IF EXISTS underway_cells;

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
