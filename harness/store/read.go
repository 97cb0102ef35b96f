package store

import (
	"context"
	"encoding/json"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/registry"
)

// Known is the part of a stored cell that planning needs.
type Known struct {
	Status         result.Status
	TimeoutSeconds float64 // the time limit of the attempt; 0 if none
	Current        bool    // the attempt is that of its cell in the views
	ScoresHash     string  // hash of the bits of its test scores; "" if unknown
	Attempt        int64   // distinguishes attempts with the same key
}

// Keys returns every stored cell by key.
func (db *DB) Keys(ctx context.Context) (map[string]Known, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out := map[string]Known{}
	return out, scanned(ctx, db.sql, `SELECT r.key, r.status, coalesce(r.timeout_seconds, 0), c.run_id IS NOT NULL,
		coalesce(r.scores_hash, ''), r.checksum
		FROM runs r LEFT JOIN cells c ON c.run_id = r.id`, func(scan func(...any) error) error {
		var key string
		var k Known
		err := scan(&key, &k.Status, &k.TimeoutSeconds, &k.Current, &k.ScoresHash, &k.Attempt)
		out[key] = k
		return err
	})
}

// Inputs are the values from which a stored cell's key was made.
type Inputs struct {
	ProtocolHash, MethodVersion, Fingerprint, GridHash string
}

// InputsOf returns the inputs of a run.
func InputsOf(r result.Run) Inputs {
	return Inputs{r.ProtocolHash, r.MethodVersion, r.Fingerprint, r.GridHash}
}

// A Timing is the time that cells of a method on a data set took, with one grid under one protocol.
type Timing struct {
	Method, MethodVersion, Dataset string
	Task                           registry.Task
	Grid                           []json.RawMessage
	Semantics                      protocol.Semantics
	Cells                          int
	Seconds                        float64 // sum over the cells: processor time, or wall time where that is not known
	Wall                           float64 // sum over the cells of the wall time of their fits
	TrainRows, Features            int     // of one of the cells; Features is 0 where it is unknown
	// PeakBytes is the least peak of the cells that ran in processes of their own; 0 if there was none. A process that
	// serves several cells keeps the peaks of earlier ones.
	PeakBytes int64
}

// Timings returns the times of the attempts that ended ok, without imported ones. Those of other machines are
// multiplied by the ratio of the yardstick of env and theirs, and left out where theirs is unknown. Cells of protocols
// that this program cannot read are left out, too.
func (db *DB) Timings(ctx context.Context, env result.Environment) (out []Timing, err error) {
	read, grids := possible{}, map[int64][]json.RawMessage{}
	if err := read.read(ctx, db.sql); err != nil {
		return nil, err
	}
	err = scanned(ctx, db.sql, `SELECT grid_id, params FROM grid_points ORDER BY grid_id, grid_index`,
		func(scan func(...any) error) error {
			var id int64
			var params string
			err := scan(&id, &params)
			grids[id] = append(grids[id], json.RawMessage(params))
			return err
		})
	if err != nil {
		return nil, err
	}
	return out, scanned(ctx, db.sql, `SELECT r.protocol, r.protocol_hash, r.method, r.method_version, r.dataset, r.task,
		  r.grid_id, count(*), sum(coalesce(r.cpu_seconds, r.search_seconds + r.fit_seconds + r.predict_seconds)) *
		    iif((e.cpu, e.cores, e.os, e.arch) = (?1, ?2, ?3, ?4), 1, ?5 / y.low),
		  sum(r.search_seconds + r.fit_seconds + r.predict_seconds) *
		    iif((e.cpu, e.cores, e.os, e.arch) = (?1, ?2, ?3, ?4), 1, ?5 / y.low),
		  max(r.n_train), coalesce(max(r.n_features), 0), coalesce(min(iif(r.isolated, r.peak_rss_bytes, NULL)), 0)
		FROM runs r JOIN environments e ON e.id = r.environment_id LEFT JOIN yardsticks y USING (cpu, cores, os, arch)
		WHERE r.status = 'ok' AND r.imported = ''
		  AND ((e.cpu, e.cores, e.os, e.arch) = (?1, ?2, ?3, ?4) OR y.low > 0)
		GROUP BY r.method, r.method_version, r.dataset, r.fingerprint, r.protocol, r.protocol_hash, r.grid_id, e.cpu,
		  e.cores, e.os, e.arch
		ORDER BY r.method, r.method_version, r.dataset, min(r.id)`, func(scan func(...any) error) error {
		var t Timing
		var of [2]string
		var task string
		var grid int64
		err := scan(&of[0], &of[1], &t.Method, &t.MethodVersion, &t.Dataset, &task, &grid, &t.Cells, &t.Seconds,
			&t.Wall, &t.TrainRows, &t.Features, &t.PeakBytes)
		if err == nil && read.protocols[of] != nil {
			t.Grid, t.Semantics = grids[grid], read.protocols[of].Semantics
			t.Task, err = registry.ParseTask(task)
			out = append(out, t)
		}
		return err
	}, env.CPU, env.Cores, env.OS, env.Arch, env.Yardstick.Low)
}

// A StatusRow counts the cells of one protocol, data set and method that belong to the same data.
type StatusRow struct {
	Protocol, Dataset, Method string
	Fingerprint               string
	LastRun                   string // started_at of the newest cell
	LastSplit                 int
	OK, Failed, Timeout       int
	OOM, Crash, BadOutput     int // numbers of failed cells by class
	Seconds                   float64
}

// Status returns the counts of stored cells, sorted.
func (db *DB) Status(ctx context.Context) ([]StatusRow, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db.sql, `SELECT protocol, dataset, method, fingerprint, max(started_at), max(split),
		sum(status = 'ok'), sum(status = 'failed'), sum(status = 'timeout'),
		  sum(failure IS 'oom'), sum(failure IS 'crash'), sum(failure IS 'bad-output'),
		  sum(search_seconds + coalesce(fit_seconds, 0) + coalesce(predict_seconds, 0))
		FROM results GROUP BY protocol, dataset, method, fingerprint ORDER BY protocol, dataset, method,
		max(started_at)`, func(s *StatusRow) []any {
		return []any{&s.Protocol, &s.Dataset, &s.Method, &s.Fingerprint, &s.LastRun, &s.LastSplit, &s.OK, &s.Failed,
			&s.Timeout, &s.OOM, &s.Crash, &s.BadOutput, &s.Seconds}
	})
}

// A Cell is the current attempt of a cell, without its counts.
type Cell struct {
	Key                       string
	Protocol, Dataset, Method string
	Split                     int
	Inputs                    Inputs
	Status                    result.Status
	Seconds                   float64 // wall time from start to end
	Code, Imported            string  // as in Run
}

// Cells returns every cell, sorted by protocol, data set, method and split.
func (db *DB) Cells(ctx context.Context) ([]Cell, error) {
	all, err := db.Attempts(ctx)
	var out []Cell
	for _, a := range all {
		if a.Current {
			out = append(out, a.Cell)
		}
	}
	return out, err
}

// An Attempted is an attempt at a cell, whether or not it is the current one.
type Attempted struct {
	Cell
	StartedAt     string // UTC, RFC 3339
	EnvironmentID int64
	Current       bool
}

// Attempts returns every attempt that is kept, sorted by protocol, data set, method, split and time.
func (db *DB) Attempts(ctx context.Context) ([]Attempted, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db.sql, `SELECT r.key, r.protocol, r.dataset, r.method, r.split, r.protocol_hash,
		r.method_version, r.fingerprint, g.hash,
		  r.status, r.search_seconds + coalesce(r.fit_seconds, 0) + coalesce(r.predict_seconds, 0), r.code, r.imported,
		  r.started_at, r.environment_id, r.id IN (SELECT run_id FROM cells)
		FROM runs r JOIN grids g ON g.id = r.grid_id
		ORDER BY r.protocol, r.dataset, r.method, r.split, r.started_at`, func(c *Attempted) []any {
		in := &c.Inputs
		return []any{&c.Key, &c.Protocol, &c.Dataset, &c.Method, &c.Split, &in.ProtocolHash, &in.MethodVersion,
			&in.Fingerprint, &in.GridHash,
			&c.Status, &c.Seconds, &c.Code, &c.Imported, &c.StartedAt, &c.EnvironmentID, &c.Current}
	})
}

// SetFiles returns, for each data set that a user's own file describes, the path that this file had when cells of
// the set ran last. It compares their table alone with its checksums.
func (db *DB) SetFiles(ctx context.Context) (map[string]string, error) {
	steps := append(tableSteps([]string{"set_files"}), sealedSetFiles.steps([]span{everything})...)
	if err := db.damaged(db.check(ctx, steps)); err != nil {
		return nil, err
	}
	out := map[string]string{}
	return out, scanned(ctx, db.sql, `SELECT dataset, path FROM set_files ORDER BY seen_at`,
		func(scan func(...any) error) error {
			var name, path string
			err := scan(&name, &path)
			out[name] = path
			return err
		})
}

// A StoredProtocol is a protocol as it was when cells ran under it.
type StoredProtocol struct {
	Name, Hash string
	Text       string // TOML
	Path       string // where the TOML was read from; "" for a built-in protocol
	Splits     int
}

// Protocols returns, for each protocol with stored cells, the version that was used last. Cells in databases
// of older programs may have none.
func (db *DB) Protocols(ctx context.Context) (map[string]StoredProtocol, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out := map[string]StoredProtocol{}
	return out, scanned(ctx, db.sql, `SELECT name, hash, text, path, splits FROM protocols ORDER BY seen_at`,
		func(scan func(...any) error) error {
			var p StoredProtocol
			err := scan(&p.Name, &p.Hash, &p.Text, &p.Path, &p.Splits)
			out[p.Name] = p
			return err
		})
}

// A DataName is the name of a data set with one fingerprint that stored cells have under this name.
type DataName struct {
	Dataset, Fingerprint string
	Cells                int
	LastRun              string // started_at of the newest cell
}

// DataNames lists the fingerprints of every name. Within a name the fingerprint that ran last comes last.
func (db *DB) DataNames(ctx context.Context) ([]DataName, error) {
	return listOf(ctx, db.sql, `SELECT r.dataset, r.fingerprint, count(*), max(r.started_at)
		FROM cells c JOIN runs r ON r.id = c.run_id GROUP BY r.dataset, r.fingerprint ORDER BY r.dataset,
		max(r.started_at)`, func(d *DataName) []any {
		return []any{&d.Dataset, &d.Fingerprint, &d.Cells, &d.LastRun}
	})
}

// A FailureRow counts stored cells of a method on a data set that failed for the same reason.
type FailureRow struct {
	Protocol, Dataset, Method, Fingerprint string
	Status                                 result.Status
	Class                                  result.Class
	Error                                  string
	Cells                                  int
}

// Failures returns how stored cells failed, sorted.
func (db *DB) Failures(ctx context.Context) ([]FailureRow, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db.sql, `SELECT protocol, dataset, method, fingerprint, status, coalesce(failure, ''),
		coalesce(error, ''), count(*)
		FROM results WHERE status <> 'ok' GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 3, 2, 4, 5, 6, 7`,
		func(f *FailureRow) []any {
			return []any{&f.Protocol, &f.Dataset, &f.Method, &f.Fingerprint, &f.Status, &f.Class, &f.Error, &f.Cells}
		})
}

// A FailureShown is a group of cells of a method that failed for the same reason. Stderr is what the last of these
// cells wrote to standard error.
type FailureShown struct {
	Method, Dataset string // of the last cell
	Split           int
	Status          result.Status
	Class           result.Class
	Error, Stderr   string
	Cells           int
}

// LastFailures returns how cells of a protocol failed, the last failure first, and at most most rows. It compares
// no checksums.
func (db *DB) LastFailures(ctx context.Context, protocol string, most int) ([]FailureShown, error) {
	var started string // selecting max(started_at) makes SQLite take the other columns from the last cell's row
	return listOf(ctx, db.sql, `SELECT r.method, r.dataset, r.split, r.status, r.class, coalesce(r.error, ''), r.stderr,
		count(*), max(r.started_at)
		FROM cells c JOIN runs r ON r.id = c.run_id WHERE c.protocol = ? AND r.status <> 'ok'
		GROUP BY r.method, r.status, r.class, r.error ORDER BY 9 DESC LIMIT ?`, func(f *FailureShown) []any {
		return []any{&f.Method, &f.Dataset, &f.Split, &f.Status, &f.Class, &f.Error, &f.Stderr, &f.Cells, &started}
	}, protocol, most)
}
