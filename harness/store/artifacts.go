package store

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/harness/result"
)

// insertArtifacts stores the artifacts that a run has beside its counts.
func insertArtifacts(ctx context.Context, tx *sql.Tx, runID int64, r result.Run) error {
	if r.Scores != nil {
		if err := sealedScores.insert(ctx, tx, "INSERT", []any{runID, r.Outputs, deflate(planes(r.Scores))}); err != nil {
			return err
		}
	}
	for _, s := range r.Stages {
		if err := sealedStages.insert(ctx, tx, "INSERT", testRow(runID, s.Round, s.Score)); err != nil {
			return err
		}
	}
	for g, s := range r.GridTests {
		if err := sealedPointTests.insert(ctx, tx, "INSERT", testRow(runID, g, s)); err != nil {
			return err
		}
	}
	for k, t := range r.SeedTests {
		row := append([]any{runID, k, len(r.SeedTests), int64(t.Seed), t.ScoresHash}, testRow(runID, k, t.Score)[2:]...)
		if err := sealedSeedCounts.insert(ctx, tx, "INSERT", row); err != nil {
			return err
		}
	}
	for i, w := range r.Warnings {
		if err := sealedWarnings.insert(ctx, tx, "INSERT", []any{runID, i, w.Text, w.Times}); err != nil {
			return err
		}
	}
	if r.Model == nil {
		return nil
	}
	features, err := json.Marshal(columnsOf(r.Model))
	if err != nil {
		return err
	}
	labels, err := json.Marshal(append([]string{}, r.Model.Labels...))
	if err != nil {
		return err
	}
	var mean, scale any
	if t := r.Model.Target; t != nil {
		mean, scale = t.Mean, t.Scale
	}
	return sealedModels.insert(ctx, tx, "INSERT", []any{runID, string(features), string(labels), doubles(r.Model.Mean), doubles(r.Model.Scale), mean, scale, deflate(r.Model.Data)})
}

// filledColumns is the value of column features for a model that fills gaps. For any other model the column holds
// only the list of names.
type filledColumns struct {
	Names []string     `json:"names"`
	Gaps  *result.Gaps `json:"gaps"`
}

func columnsOf(m *result.Model) any {
	if m.Gaps == nil {
		return m.Features
	}
	return filledColumns{m.Features, m.Gaps}
}

// readColumns is the inverse of columnsOf.
func readColumns(raw []byte, m *result.Model) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return json.Unmarshal(raw, &m.Features)
	}
	var c filledColumns
	err := json.Unmarshal(raw, &c)
	m.Features, m.Gaps = c.Names, c.Gaps
	return err
}

// testRow returns a row of stages or point_tests. The columns after the number are also the last columns of
// seed_counts.
func testRow(runID int64, number int, t result.Score) []any {
	return []any{runID, number, t.N, value(t.Correct), value(t.TN), value(t.FP), value(t.FN), value(t.TP), value(t.AUC2), value(t.RMSE), value(t.MAE), value(t.R2)}
}

// insert adds a row with its checksum.
func (s sealed) insert(ctx context.Context, tx *sql.Tx, verb string, values []any) error {
	values = asStored(values)
	_, err := tx.ExecContext(ctx, verb+" INTO "+s.table+" ("+strings.Join(s.columns, ", ")+", checksum) VALUES ("+
		strings.Repeat("?, ", len(values))+"?)", append(values, Checksum(values...))...)
	return err
}

// doubles returns result.Doubles of values, or NULL for nil.
func doubles(values []float64) any {
	if values == nil {
		return nil
	}
	return result.Doubles(values)
}

// planes writes the first bytes of all doubles, then their second bytes, and so on. Signs and exponents of
// scores are alike, and compress well beside each other.
func planes(values []float64) []byte {
	n := len(values)
	out := make([]byte, 8*n)
	for i, v := range values {
		bits := math.Float64bits(v)
		for k := range 8 {
			out[k*n+i] = byte(bits >> (8 * (7 - k)))
		}
	}
	return out
}

// fromPlanes is the inverse of planes.
func fromPlanes(b []byte) ([]float64, error) {
	if len(b)%8 != 0 {
		return nil, fmt.Errorf("%d bytes are no doubles", len(b))
	}
	n := len(b) / 8
	out := make([]float64, n)
	for i := range out {
		var bits uint64
		for k := range 8 {
			bits = bits<<8 | uint64(b[k*n+i])
		}
		out[i] = math.Float64frombits(bits)
	}
	return out, nil
}

// fromDoubles is the inverse of doubles.
func fromDoubles(b []byte) []float64 {
	if b == nil {
		return nil
	}
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// compressors are reused, since a new one takes half a megabyte.
var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func deflate(data []byte) []byte {
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

func inflate(data []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(data))) }

// Artifacts returns the artifacts of the attempt that stands for a cell, and false if there is none. Damaged
// data is an error.
func (db *DB) Artifacts(ctx context.Context, protocol, dataset, method string, split int) (result.Artifacts, bool, error) {
	var l result.Artifacts
	if err := db.intact(ctx); err != nil {
		return l, false, err
	}
	var id int64
	var params *string
	err := db.sql.QueryRowContext(ctx, `SELECT r.id, r.task, r.method_version, p.params FROM cells c JOIN runs r ON r.id = c.run_id
		LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected
		WHERE c.protocol = ? AND c.dataset = ? AND c.method = ? AND c.split = ?`, protocol, dataset, method, split).Scan(&id, &l.Task, &l.MethodVersion, &params)
	if errors.Is(err, sql.ErrNoRows) {
		return l, false, nil
	}
	if err != nil {
		return l, false, err
	}
	if params != nil {
		l.Point = json.RawMessage(*params)
	}
	if l.Scores, l.Outputs, err = db.scores(ctx, id); err != nil {
		return l, false, err
	}
	l.Model, err = db.model(ctx, id)
	return l, true, err
}

// keptRow reads the row of a run in a table of large values and compares the row with its checksum. It
// returns nil if there is no row.
func (db *DB) keptRow(ctx context.Context, s sealed, run int64) (row []any, err error) {
	query := fmt.Sprintf("SELECT %s, checksum FROM %s WHERE run_id = %d", strings.Join(s.columns, ", "), s.table, run)
	err = each(ctx, db.sql, query, func(r []any) error {
		n := len(r) - 1
		if r[n] != Checksum(r[:n]...) {
			return &DamageError{db.path, []Problem{{Row: s.name(r), What: badChecksum}}}
		}
		row = append(row, r[:n]...)
		return nil
	})
	return row, err
}

func (db *DB) scores(ctx context.Context, run int64) (scores []float64, outputs int, err error) {
	row, err := db.keptRow(ctx, sealedScores, run)
	if err != nil || row == nil {
		return nil, 0, err
	}
	packed, err := inflate(row[2].([]byte))
	if err != nil {
		return nil, 0, fmt.Errorf("scores of run %d: %w", run, err)
	}
	scores, err = fromPlanes(packed)
	return scores, int(row[1].(int64)), err
}

func (db *DB) model(ctx context.Context, run int64) (*result.Model, error) {
	row, err := db.keptRow(ctx, sealedModels, run)
	if err != nil || row == nil {
		return nil, err
	}
	m := &result.Model{}
	if err := errors.Join(readColumns([]byte(row[1].(string)), m), json.Unmarshal([]byte(row[2].(string)), &m.Labels)); err != nil {
		return nil, err
	}
	if len(m.Labels) == 0 {
		m.Labels = nil
	}
	mean, _ := row[3].([]byte)
	scale, _ := row[4].([]byte)
	m.Mean, m.Scale = fromDoubles(mean), fromDoubles(scale)
	if center, ok := row[5].(float64); ok {
		spread, _ := row[6].(float64)
		m.Target = &result.Target{Mean: center, Scale: spread}
	}
	m.Data, err = inflate(row[7].([]byte))
	return m, err
}
