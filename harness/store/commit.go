package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

// ids caches the numbers of rows that many cells refer to. A failed commit undoes the insertion of these rows and
// so clears the cache.
type ids struct {
	envs   map[result.Environment]int64
	grids  map[string]int64
	origin map[[3]string]bool // protocols and set files whose rows are there
}

func (w *Writer) commit(group []result.Run) (err error) {
	ctx := context.Background() // an interrupt must not undo finished work
	tx, err := w.db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
			w.known = ids{}
		}
	}()
	if w.known.grids == nil {
		w.known = ids{envs: map[result.Environment]int64{}, grids: map[string]int64{}, origin: map[[3]string]bool{}}
	}
	for _, r := range group {
		if err := w.insert(ctx, tx, r); err != nil {
			return fmt.Errorf("%s: %w", r.Name(), err)
		}
	}
	return tx.Commit()
}

func (w *Writer) insert(ctx context.Context, tx *sql.Tx, r result.Run) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM underway_cells WHERE key = ?`, r.Key); err != nil {
		return err
	}
	if r.Canary != nil {
		return insertCanary(ctx, tx, r)
	}
	gridID, err := w.gridID(ctx, tx, r)
	if err != nil {
		return err
	}
	if err := w.insertOrigin(ctx, tx, r); err != nil {
		return err
	}
	env, err := w.envID(ctx, tx, r)
	if err != nil {
		return err
	}
	folds, others, kept, err := partsOf(r, w.fields)
	if err != nil {
		return err
	}
	row := runRow(r, gridID, env, digestOf(nil, folds), digestOf(nil, kept))
	scores := len(row) - len(result.Fields()) // the checksum is before them
	runID, stored, err := w.insertRun(ctx, tx, r, slices.Insert(row, scores, any(digestOf(row, others))))
	if err != nil || !stored {
		return err
	}
	for _, p := range slices.Concat(folds, others, kept) {
		if err := p.insert(ctx, tx, runID); err != nil {
			return err
		}
	}
	return nil
}

// insertRun stores the row of a run. A stored cell that ended ok stays, unless the new run is ok and has Replace. A
// stored cell that failed is replaced together with its evaluations.
func (w *Writer) insertRun(ctx context.Context, tx *sql.Tx, r result.Run, row []any) (id int64, stored bool,
	err error) {
	replaces := r.Replace && r.Status == result.OK
	if _, err := tx.ExecContext(ctx, `DELETE FROM runs WHERE key = ? AND (status <> 'ok' OR ?)`, r.Key,
		replaces); err != nil {
		return 0, false, err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO runs VALUES (NULL"+strings.Repeat(", ?",
		len(row))+") ON CONFLICT (key) DO NOTHING", row...)
	if err != nil {
		return 0, false, err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, false, err
	}
	switch {
	case r.Superseded:
		id, err = storedBefore(ctx, tx, r)
	case n > 0:
		if id, err = res.LastInsertId(); err == nil {
			err = sealedCells.insert(ctx, tx, "INSERT OR REPLACE", r.Protocol, r.Dataset, r.Method, r.Split, id)
		}
	default:
		id, err = makeCurrent(ctx, tx, r.Key)
	}
	return id, n > 0, err // no new row: another program stored the cell first
}

// storedBefore handles an attempt that is stored already, and returns the attempt's number. If the cell of the attempt
// has no current attempt, the stored attempt becomes the current one.
func storedBefore(ctx context.Context, tx *sql.Tx, r result.Run) (id int64, err error) {
	var others int
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM cells WHERE protocol = ? AND dataset = ? AND method = ? AND `+
		`split = ?`,
		r.Protocol, r.Dataset, r.Method, r.Split).Scan(&others)
	if err == nil && others == 0 {
		return makeCurrent(ctx, tx, r.Key)
	}
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT id FROM runs WHERE key = ?`, r.Key).Scan(&id)
	}
	return id, err
}

// runRow returns the row of a run in the order of the table, without its number and its checksum, in the form in which
// it is read back.
func runRow(r result.Run, gridID, envID, folds, kept int64) []any {
	var message, features, scoresHash, peak any
	if r.Isolated {
		peak = value(r.PeakRSSBytes)
	}
	if r.Status != result.OK {
		message = r.Error
	}
	if r.Features > 0 {
		features = r.Features
	}
	if r.ScoresHash != "" {
		scoresHash = r.ScoresHash
	}
	return valuesOf(result.Fields(), &r.Score,
		r.Key, r.Protocol, r.ProtocolHash, r.Method, r.MethodVersion, r.Dataset, r.Fingerprint, r.Split, r.Task,
		string(r.Status), message, gridID, value(r.Selected), r.TrainRows, r.TestRows, features, value(r.CVAccuracy()),
		r.SearchSeconds, value(r.FitSeconds), value(r.PredictSeconds), value(r.CPUSeconds), peak,
		value(r.ModelBytes), r.CostUnits, value(r.TimeoutSeconds), r.StartedAt, envID, len(r.Folds), folds, kept,
		scoresHash, string(r.Failure()), r.Isolated, r.Stderr, r.Code, r.Imported)
}

// makeCurrent makes the attempt with a key the current one of its cell and returns the attempt's number.
func makeCurrent(ctx context.Context, tx *sql.Tx, key string) (id int64, err error) {
	var protocol, dataset, method string
	var split int64
	err = tx.QueryRowContext(ctx, `SELECT protocol, dataset, method, split, id FROM runs WHERE key = ?`, key).
		Scan(&protocol, &dataset, &method, &split, &id)
	if err != nil {
		return 0, err
	}
	return id, sealedCells.insert(ctx, tx, "INSERT OR REPLACE", protocol, dataset, method, split, id)
}

// makeLastCurrent makes the last attempt at a cell the current one, where the cell has none.
func makeLastCurrent(ctx context.Context, tx *sql.Tx) error {
	keys, err := texts(ctx, tx, `SELECT r.key FROM runs r
		LEFT JOIN cells c ON (c.protocol, c.dataset, c.method, c.split) = (r.protocol, r.dataset, r.method, r.split)
		WHERE c.run_id IS NULL ORDER BY r.started_at`)
	for _, key := range keys {
		if err == nil {
			_, err = makeCurrent(ctx, tx, key)
		}
	}
	return err
}

// MakeCurrent makes stored attempts the current ones of their cells again. In the meantime these were attempts with
// other inputs (an edited protocol, changed data, another version).
func (db *DB) MakeCurrent(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		for _, key := range keys {
			if _, err := makeCurrent(ctx, tx, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// Withdraw removes the results with these keys, canaries too: who computed them is not to be believed.
func (db *DB) Withdraw(ctx context.Context, keys []string) error {
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		for _, key := range keys {
			_, err1 := tx.ExecContext(ctx, `DELETE FROM runs WHERE key = ?`, key)
			_, err2 := tx.ExecContext(ctx, `DELETE FROM canaries WHERE key = ?`, key)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
		}
		return nil
	})
}

// A part is the rows of a run in one table.
type part struct {
	table string
	// in the order of the table and of their numbers, without run_id, in the form in which they are read back
	rows [][]any
}

func (p *part) add(row []any) { p.rows = append(p.rows, row) }

// digestOf returns the digest of the row of a run, if there is one, and of parts.
func digestOf(own []any, parts []part) int64 {
	d := newDigest()
	if own != nil {
		d.table("runs")
		d.row(own)
	}
	for _, p := range parts {
		if len(p.rows) > 0 {
			d.table(p.table)
		}
		for _, row := range p.rows {
			d.row(row)
		}
	}
	return d.value()
}

// insert stores up to 25 rows with one statement: binding values is cheap, executing a statement is not. The connection
// keeps the prepared statements, of three sizes for each table.
func (p part) insert(ctx context.Context, tx *sql.Tx, runID int64) error {
	var args []any
	for rows := p.rows; len(rows) > 0; {
		values := "(" + strings.Repeat("?,", len(rows[0])) + "?)"
		n := 1
		if len(rows) >= 25 {
			n = 25
		} else if len(rows) >= 5 { // the folds of one grid point are five by default
			n = 5
		}
		args = args[:0]
		for _, row := range rows[:n] {
			args = append(append(args, runID), row...)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO "+p.table+" VALUES "+strings.Repeat(values+",", n-1)+values,
			args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// scoreFields are the fields of the last columns of tables with scores; tests adds those that only the test of a cell
// has.
func scoreFields(tests bool) (out []result.Field) {
	if tests {
		return result.Fields()
	}
	for _, f := range result.Fields() {
		if !f.TestOnly {
			out = append(out, f)
		}
	}
	return out
}

func columnsOf(fields []result.Field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// valuesOf returns a row: the values before a score, and those of the score. It has room for one value more.
func valuesOf(fields []result.Field, s *result.Score, before ...any) []any {
	row := append(make([]any, 0, len(before)+len(fields)+1), before...)
	for i := range fields {
		row = append(row, fields[i].Value(s))
	}
	return asStored(row)
}

// value returns what p points to, or nil for SQL's NULL.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// envID returns the number of the environment where the run was computed. A run that names no environment has the
// writer's.
func (w *Writer) envID(ctx context.Context, tx *sql.Tx, r result.Run) (id int64, err error) {
	env := w.env
	if r.Environment != nil {
		env = *r.Environment
	}
	id, known := w.known.envs[env]
	if !known {
		if id, err = insertEnvironment(ctx, tx, env); err == nil {
			w.known.envs[env] = id
		}
	}
	return id, err
}

func (w *Writer) gridID(ctx context.Context, tx *sql.Tx, r result.Run) (int64, error) {
	if id, ok := w.known.grids[r.GridHash]; ok {
		return id, nil
	}
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM grids WHERE hash = ?`, r.GridHash).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		id, err = insertGrid(ctx, tx, r)
	}
	if err == nil {
		w.known.grids[r.GridHash] = id
	}
	return id, err
}

func insertGrid(ctx context.Context, tx *sql.Tx, r result.Run) (int64, error) {
	d := newDigest()
	d.table("grids")
	d.row([]any{r.GridHash})
	points := make([][]any, len(r.Grid))
	d.table("grid_points")
	for i, params := range r.Grid {
		point := ""
		if r.GridWritten != nil {
			point = string(r.GridWritten[i])
		}
		points[i] = asStored([]any{i, string(params), point})
		d.row(points[i])
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO grids (hash, checksum) VALUES (?, ?)`, r.GridHash, d.value())
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	for _, p := range points {
		if _, err := tx.ExecContext(ctx, `INSERT INTO grid_points (grid_id, grid_index, params, point) VALUES (?, ?, `+
			`?, ?)`, append([]any{id}, p...)...); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// insertOrigin keeps what a reader needs to reconstruct the cell's inputs: the text of its protocol, and the
// file that describes a user's own set.
func (w *Writer) insertOrigin(ctx context.Context, tx *sql.Tx, r result.Run) error {
	for _, o := range []struct {
		table *sealed
		known [3]string // the first values of the row
		rest  []any
	}{
		{&sealedProtocols, [3]string{r.Protocol, r.ProtocolHash, r.ProtocolText},
			[]any{r.ProtocolPath, r.ProtocolSplits, r.StartedAt}},
		{&sealedSetFiles, [3]string{r.Dataset, r.Fingerprint, r.SetFile}, []any{r.StartedAt}},
	} {
		if o.known[2] == "" || w.known.origin[o.known] {
			continue
		}
		if err := o.table.insert(ctx, tx, "INSERT OR REPLACE", append([]any{o.known[0], o.known[1], o.known[2]},
			o.rest...)...); err != nil {
			return err
		}
		w.known.origin[o.known] = true
	}
	return nil
}

// NoteYardstick stores the yardstick of this machine in place of an earlier one.
func (db *DB) NoteYardstick(ctx context.Context, e result.Environment) error {
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error { return putYardstick(ctx, tx, e) })
}

// insertYardstick stores the yardstick of any machine, unless a lesser one of that machine is stored: the order of
// imports does not matter.
func insertYardstick(ctx context.Context, tx *sql.Tx, e result.Environment) error {
	var lesser bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM yardsticks WHERE (cpu, cores, os, arch) = (?, ?, ?, ?)
		AND low <= ?)`, e.CPU, e.Cores, e.OS, e.Arch, e.Yardstick.Low).Scan(&lesser)
	if err != nil || lesser {
		return err
	}
	return putYardstick(ctx, tx, e)
}

func putYardstick(ctx context.Context, tx *sql.Tx, e result.Environment) error {
	if !e.Yardstick.Known() {
		return nil
	}
	return sealedYardsticks.insert(ctx, tx, "INSERT OR REPLACE", e.CPU, e.Cores, e.OS, e.Arch, e.Yardstick.Seconds,
		e.Yardstick.Low, e.Yardstick.High)
}

func insertEnvironment(ctx context.Context, tx *sql.Tx, e result.Environment) (int64, error) {
	if err := insertYardstick(ctx, tx, e); err != nil {
		return 0, err
	}
	e.Yardstick = result.Yardstick{} // it has a row of its own
	raw, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(raw)
	hash := hex.EncodeToString(sum[:16])
	if err := sealedEnvironments.insert(ctx, tx, "INSERT OR IGNORE", hash, e.ProgramVersion, e.VCSRevision,
		e.VCSModified, e.GoVersion,
		e.OS, e.Arch, e.Kernel, e.CPU, e.Cores, e.MemoryBytes); err != nil {
		return 0, err
	}
	var id int64
	err = tx.QueryRowContext(ctx, `SELECT id FROM environments WHERE hash = ?`, hash).Scan(&id)
	return id, err
}
