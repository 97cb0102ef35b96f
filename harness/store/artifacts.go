package store

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
)

// partsOf returns the rows of a run in other tables than runs, by the checksum that covers them. fields are those of
// scores in these tables.
func partsOf(r result.Run, fields []result.Field) (folds, others, kept []part, err error) {
	evaluations := part{table: "fold_counts", rows: make([][]any, 0, len(r.Folds))}
	for _, e := range slices.SortedFunc(slices.Values(r.Folds), func(a, b result.Evaluation) int {
		return cmp.Or(a.GridIndex-b.GridIndex, a.Fold-b.Fold)
	}) {
		evaluations.add(valuesOf(fields, &e.Score, e.GridIndex, e.Fold, e.Score.N, e.FitSeconds))
	}
	stages, points, seeds, warnings := part{table: "stages"}, part{table: "point_tests"}, part{table: "seed_counts"},
		part{table: "warnings"}
	for _, s := range r.Stages {
		stages.add(valuesOf(fields, &s.Score, s.Round, s.Score.N))
	}
	for g, s := range r.GridTests {
		points.add(valuesOf(fields, &s, g, s.N))
	}
	for k, t := range r.SeedTests {
		seeds.add(valuesOf(fields, &t.Score, k, int64(t.Seed), t.ScoresHash, t.Score.N))
	}
	for i, w := range r.Warnings {
		warnings.add(asStored([]any{i, w.Text, w.Times}))
	}
	saved, model := part{table: "scores"}, part{table: "models"}
	if r.Scores != nil {
		saved.add(asStored([]any{r.Outputs, deflate(planes(r.Scores))}))
	}
	if m := r.Model; m != nil {
		features, err1 := json.Marshal(inputsOf(m))
		labels, err2 := json.Marshal(append([]string{}, m.Labels...))
		err = errors.Join(err1, err2)
		var mean, scale any
		if t := m.Target; t != nil {
			mean, scale = t.Mean, t.Scale
		}
		model.add(asStored([]any{string(features), string(labels), doubles(m.Mean), doubles(m.Scale), mean, scale,
			deflate(m.Data)}))
	}
	return []part{evaluations}, []part{stages, points, seeds, warnings}, []part{saved, model}, err
}

var modelColumns = []string{"features", "labels", "mean", "scale", "target_mean", "target_scale", "data"}

// filledColumns is the value of column features for a model that fills gaps or counts days. For any other model the
// column holds only the list of names.
type filledColumns struct {
	Names []string        `json:"names"`
	Gaps  *result.Gaps    `json:"gaps,omitempty"`
	Dates *result.Origins `json:"dates,omitempty"`
}

func inputsOf(m *result.Model) any {
	if m.Gaps == nil && m.Dates == nil {
		return m.Features
	}
	return filledColumns{m.Features, m.Gaps, m.Dates}
}

// readNames reads a list of names. A list that was nil when it was stored is null.
func readNames(raw []byte, to *[]string) error {
	if string(raw) == "null" {
		return nil
	}
	return strictjson.Unmarshal(raw, to)
}

func readColumns(raw []byte, m *result.Model) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return readNames(raw, &m.Features)
	}
	var c filledColumns
	err := strictjson.Unmarshal(raw, &c)
	m.Features, m.Gaps, m.Dates = c.Names, c.Gaps, c.Dates
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
// scores are alike, and compress well next to each other.
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
	id, err := db.one(ctx, `SELECT id FROM runs WHERE key = ?`, r.Key)
	if err != nil {
		return r, false, err
	}
	number := id.(int64)
	if err := db.damaged(db.check(ctx, sealedKept.steps([]span{{number, number + 1}}))); err != nil {
		return r, false, err
	}
	err = each(ctx, db.sql, `SELECT outputs, data FROM scores WHERE run_id = ?`, func(row []any) (err error) {
		r.Outputs = int(row[0].(int64))
		r.Scores, err = unpackScores(row[1].([]byte))
		return err
	}, id)
	if err != nil {
		return r, false, fmt.Errorf("scores of %s: %w", r.Name(), err)
	}
	err = each(ctx, db.sql, "SELECT "+strings.Join(modelColumns, ", ")+" FROM models WHERE run_id = ?",
		func(row []any) (err error) {
			r.Model, err = readModel(row)
			return err
		}, id)
	return r, err == nil, err
}

func unpackScores(data []byte) ([]float64, error) {
	packed, err := inflate(data)
	if err != nil {
		return nil, err
	}
	return fromPlanes(packed)
}

func readModel(row []any) (*result.Model, error) {
	m := &result.Model{}
	features, labels := []byte(row[0].(string)), []byte(row[1].(string))
	if err := errors.Join(readColumns(features, m), readNames(labels, &m.Labels)); err != nil {
		return nil, err
	}
	if len(m.Labels) == 0 {
		m.Labels = nil
	}
	mean, _ := row[2].([]byte)
	scale, _ := row[3].([]byte)
	m.Mean, m.Scale = fromDoubles(mean), fromDoubles(scale)
	if center, ok := row[4].(float64); ok {
		spread, _ := row[5].(float64)
		m.Target = &result.Target{Mean: center, Scale: spread}
	}
	var err error
	m.Data, err = inflate(row[6].([]byte))
	return m, err
}
