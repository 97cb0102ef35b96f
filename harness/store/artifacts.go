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
	var err error
	insert := func(into sealed, values ...any) {
		if err == nil {
			err = into.insert(ctx, tx, "INSERT", append([]any{runID}, values...))
		}
	}
	if r.Scores != nil {
		insert(sealedScores, r.Outputs, deflate(planes(r.Scores)))
	}
	for _, s := range r.Stages {
		insert(sealedStages, append([]any{s.Round}, testValues(s.Score)...)...)
	}
	for g, s := range r.GridTests {
		insert(sealedPointTests, append([]any{g}, testValues(s)...)...)
	}
	for k, t := range r.SeedTests {
		insert(sealedSeedCounts, append([]any{k, len(r.SeedTests), int64(t.Seed), t.ScoresHash}, testValues(t.Score)...)...)
	}
	for i, w := range r.Warnings {
		insert(sealedWarnings, i, w.Text, w.Times)
	}
	if m := r.Model; m != nil {
		features, err1 := json.Marshal(columnsOf(m))
		labels, err2 := json.Marshal(append([]string{}, m.Labels...))
		err = errors.Join(err, err1, err2)
		var mean, scale any
		if t := m.Target; t != nil {
			mean, scale = t.Mean, t.Scale
		}
		insert(sealedModels, string(features), string(labels), doubles(m.Mean), doubles(m.Scale), mean, scale, deflate(m.Data))
	}
	return err
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

func readColumns(raw []byte, m *result.Model) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return json.Unmarshal(raw, &m.Features)
	}
	var c filledColumns
	err := json.Unmarshal(raw, &c)
	m.Features, m.Gaps = c.Names, c.Gaps
	return err
}

// testValues are the last columns of stages, point_tests and seed_counts.
func testValues(t result.Score) []any {
	return []any{t.N, value(t.Correct), value(t.TN), value(t.FP), value(t.FN), value(t.TP), value(t.AUC2), value(t.RMSE), value(t.MAE), value(t.R2)}
}

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

// Artifacts is Attempt with the scores and the model, where they are kept. Damaged data is an error.
func (db *DB) Artifacts(ctx context.Context, protocol, dataset, method string, split int) (Row, bool, error) {
	r, found, err := db.Attempt(ctx, protocol, dataset, method, split)
	if err != nil || !found {
		return r, false, err
	}
	if r.Scores, r.Outputs, err = db.scores(ctx, r.Key); err == nil {
		r.Model, err = db.model(ctx, r.Key)
	}
	return r, err == nil, err
}

// keptRow reads the row of a run in a table of large values and compares the row with its checksum. It
// returns nil if there is no row.
func (db *DB) keptRow(ctx context.Context, s sealed, key string) (row []any, err error) {
	query := fmt.Sprintf("SELECT %s, checksum FROM %s WHERE run_id = (SELECT id FROM runs WHERE key = ?)", strings.Join(s.columns, ", "), s.table)
	err = each(ctx, db.sql, query, func(r []any) error {
		n := len(r) - 1
		if r[n] != Checksum(r[:n]...) {
			return &DamageError{db.path, []Problem{{Row: s.name(r), What: badChecksum}}}
		}
		row = append(row, r[:n]...)
		return nil
	}, key)
	return row, err
}

func (db *DB) scores(ctx context.Context, key string) (scores []float64, outputs int, err error) {
	row, err := db.keptRow(ctx, sealedScores, key)
	if err != nil || row == nil {
		return nil, 0, err
	}
	packed, err := inflate(row[2].([]byte))
	if err != nil {
		return nil, 0, fmt.Errorf("scores of run %v: %w", row[0], err)
	}
	scores, err = fromPlanes(packed)
	return scores, int(row[1].(int64)), err
}

func (db *DB) model(ctx context.Context, key string) (*result.Model, error) {
	row, err := db.keptRow(ctx, sealedModels, key)
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
