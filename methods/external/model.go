package external

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A model is held by a process of its plugin. It has every optional method; see typed.
type model struct {
	p        *process
	id       int64
	features int
	outputs  int
	rounds   int
	used     func(cpuSeconds float64, peakBytes int64)
}

// fit trains one grid point. Its model lives until the garbage collector finds it.
func (p *Plugin) fit(ctx context.Context, env registry.Env, train registry.Data,
	point json.RawMessage) (registry.Model, error) {
	f, done, err := p.fits(ctx, env, train)
	if err != nil {
		return nil, err
	}
	defer done()
	models, err := f.models(ctx, "fit", []json.RawMessage{point})
	if err != nil {
		return nil, err
	}
	return models[0].kept(), nil
}

// path trains several grid points on rows that are written once. If the plugin shares work between grid points it
// gets them in one request. Each model lives until yield returns.
func (p *Plugin) path(ctx context.Context, env registry.Env, train registry.Data, points []json.RawMessage,
	yield func(i int, m registry.Model) error) error {
	op, together := "fit", 1
	if p.described.can("path") {
		op, together = "path", max(1, len(points))
	}
	f, done, err := p.fits(ctx, env, train)
	if err != nil {
		return err
	}
	defer done()
	i := 0
	for some := range slices.Chunk(points, together) {
		models, err := f.models(ctx, op, some)
		for _, m := range models {
			if err == nil {
				err = yield(i, m.typed())
			}
			f.q.drop(m.id)
			i++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fits are the fits of one training set, which a process reads from files.
type fits struct {
	q        *process
	env      registry.Env
	features int
	common   Request // the fields that all requests have in common
}

// fits takes a process and writes the training set. done gives the process back and removes the files.
func (p *Plugin) fits(ctx context.Context, env registry.Env, train registry.Data) (f *fits, done func(), err error) {
	q, giveBack, err := p.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	x, err := q.folder.write("x", train.X)
	y, errY := q.folder.write("y", train.Y)
	done = func() { q.folder.drop(x); q.folder.drop(y); giveBack() }
	if err == nil {
		err = errY
	}
	if err != nil {
		done()
		return nil, nil, q.internalError(err)
	}
	shape := train.Shape()
	return &fits{q, env, shape.D, Request{
		X: x, Y: y, Task: train.Task.String(), Classes: train.Classes, Outputs: shape.Outputs(), Seed: env.Seed,
		Workers: 1,
	}}, done, nil
}

// models trains grid points by one request: fit for one, path for several.
func (f *fits) models(ctx context.Context, op string, points []json.RawMessage) (out []*model, err error) {
	q, r := f.q, f.common
	for range points {
		out = append(out, &model{p: q, id: q.newModel(), features: f.features, outputs: r.Outputs, used: f.env.Used})
	}
	defer func() {
		if err != nil {
			for _, m := range out {
				q.drop(m.id)
			}
			out = nil
		}
	}()
	if r.Op = op; op == "fit" {
		r.Point, r.Model = points[0], out[0].id
	} else {
		r.Points = points
		for _, m := range out {
			r.Models = append(r.Models, m.id)
		}
	}
	a, err := q.doMetered(ctx, &r, f.env.Used)
	if err != nil {
		return out, advised(err, &r)
	}
	for _, w := range a.Warnings {
		f.env.Log.Warn(w)
	}
	if len(a.Rounds) > 0 && len(a.Rounds) != len(points) {
		return out, q.wrong(op, "the rounds of %d models; it was asked for %d", len(a.Rounds), len(points))
	}
	for i, rounds := range a.Rounds {
		out[i].rounds = rounds
	}
	return out, nil
}

// doMetered is do, and reports the time and memory that the process used for the request.
func (q *process) doMetered(ctx context.Context, r *Request, used func(float64, int64)) (*Answer, error) {
	a, err := q.do(ctx, r)
	if used != nil {
		used(q.used())
	}
	return a, err
}

// newModel returns the number of a model that the process will hold.
func (q *process) newModel() int64 {
	q.plugin.mu.Lock()
	q.plugin.models++
	id := q.plugin.models
	q.plugin.mu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.models++
	return id
}

// typed returns the model with those optional methods that the plugin declares.
func (m *model) typed() registry.Model {
	d := m.p.plugin.described
	stages, saves := d.can("stages") && m.rounds > 0, d.can("save")
	switch {
	case stages && saves:
		return m
	case stages:
		return struct{ registry.Stager }{m}
	case saves:
		return struct{ registry.Saver }{m}
	}
	return struct{ registry.Model }{m}
}

// kept is typed for a model that its process may forget once nothing here refers to it.
func (m *model) kept() registry.Model {
	runtime.AddCleanup(m, m.p.drop, m.id)
	return m.typed()
}

func (m *model) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	return m.ask(ctx, "score", x, nil, out)
}

// ask asks the process to score rows with the model, and checks the answer. If at is given, the scores are those after
// the rounds of at.
func (m *model) ask(ctx context.Context, op string, x *mat.Dense, at []int, out []float64) error {
	n, d := x.Dims()
	times := max(1, len(at))
	if d != m.features || len(out) != n*m.outputs*times {
		return fmt.Errorf("%s: rows of %d features are to be scored into %d places; the model has %d features and %d "+
			"scores a row", m.p.plugin.name(), d, len(out), m.features, m.outputs)
	}
	file := m.p.folder.name("s")
	defer m.p.folder.drop(file)
	a, err := m.p.doMetered(ctx, &Request{Op: op, Model: m.id, rows: x, Outputs: m.outputs, At: at, Out: file}, m.used)
	if err != nil {
		return err
	}
	if a.Scores == nil {
		err = m.p.read(op, file, func(r io.Reader) error { return m.scoresOf(r, n, at, out) })
	} else if len(a.Scores) != len(out) {
		err = m.p.wrong(op, "%d scores in the answer; %d rows of %d scores need %d", len(a.Scores), n, m.outputs*times,
			len(out))
	} else {
		copy(out, a.Scores)
	}
	if err != nil {
		return err
	}
	for i, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return m.p.wrong(op, "the score %d of row %d is %v; scores must be finite", i%m.outputs, i/m.outputs%n, v)
		}
	}
	return nil
}

// scoresOf reads a file of scores. It has a row for each row of data or, for stages, a row for each round.
func (m *model) scoresOf(r io.Reader, n int, at []int, out []float64) error {
	got, err := npy.Read(r, len(out))
	if err != nil {
		return fmt.Errorf("the scores cannot be read: %w", err)
	}
	want := []int{n, m.outputs}
	if at != nil {
		want = []int{len(at), n * m.outputs}
	}
	if !slices.Equal(got.Shape, want) && (at != nil || m.outputs > 1 || !slices.Equal(got.Shape, want[:1])) {
		return fmt.Errorf("the scores have the shape %v; it must be %v", got.Shape, want)
	}
	copy(out, got.Values)
	return nil
}

// wrong is the error of an answer that is well formed but impossible.
func (q *process) wrong(op, format string, args ...any) error {
	return &BadOutput{Plugin: q.plugin.name(), During: op, What: fmt.Sprintf(format, args...), Stderr: q.stderrEnd()}
}

func (m *model) Rounds() int { return m.rounds }

func (m *model) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	for i, t := range at {
		if t < 1 || t > m.rounds || i > 0 && t <= at[i-1] {
			return fmt.Errorf("%s: the stages %v are not ascending rounds from 1 to %d", m.p.plugin.name(), at,
				m.rounds)
		}
	}
	if len(at) == 0 {
		return nil
	}
	n, _ := x.Dims()
	each := n * m.outputs
	out := make([]float64, each*len(at))
	if err := m.ask(ctx, "stages", x, at, out); err != nil {
		return err
	}
	for i, t := range at {
		if err := yield(t, out[i*each:(i+1)*each]); err != nil {
			return err
		}
	}
	return nil
}

// largestModel is the most bytes of a saved model, since a plugin may write a file of any size.
const largestModel = 1 << 30

// A savedHead is the line before the plugin's own bytes. Its sum detects a damaged file before the plugin
// reads it: many libraries trust the files that they load.
type savedHead struct {
	Method   string `json:"method"`
	Version  string `json:"version"`
	Features int    `json:"features"`
	Outputs  int    `json:"outputs"`
	Rounds   int    `json:"rounds,omitempty"`
	Bytes    int    `json:"bytes"`
	SHA256   string `json:"sha256"`
}

func (m *model) Save(w io.Writer) error {
	file := m.p.folder.name("m")
	defer m.p.folder.drop(file)
	if _, err := m.p.doMetered(context.Background(), &Request{Op: "save", Model: m.id, Out: file}, m.used); err != nil {
		return err
	}
	var bytes []byte
	err := m.p.read("save", file, func(r io.Reader) (err error) {
		if bytes, err = io.ReadAll(io.LimitReader(r, largestModel+1)); len(bytes) > largestModel {
			err = fmt.Errorf("the saved model has more than %d MiB", largestModel>>20)
		}
		return err
	})
	if err != nil {
		return err
	}
	spec := m.p.plugin.spec
	head, err := json.Marshal(savedHead{
		Method: spec.Name, Version: spec.Version, Features: m.features, Outputs: m.outputs, Rounds: m.rounds,
		Bytes: len(bytes), SHA256: sumOf(bytes),
	})
	if err != nil {
		return err
	}
	if _, err := w.Write(append(head, '\n')); err != nil {
		return err
	}
	_, err = w.Write(bytes)
	return err
}

func sumOf(b []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// loadModel reads back what Save wrote.
func (p *Plugin) loadModel(r io.Reader) (registry.Model, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	line, body, found := bytes.Cut(all, []byte("\n"))
	var head savedHead
	if !found || strictjson.Unmarshal(line, &head) != nil {
		return nil, errors.New("this is no saved model")
	}
	switch {
	case head.Method != p.spec.Name || head.Features < 1 || head.Outputs < 1 || head.Rounds < 0:
		return nil, fmt.Errorf("this is no saved model of %s", p.spec.Name)
	case len(body) != head.Bytes || sumOf(body) != head.SHA256:
		return nil, errors.New("the saved model is damaged: its bytes are not those that were written")
	}
	ctx := context.Background()
	q, giveBack, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	file := q.folder.name("m")
	defer q.folder.drop(file)
	f, err := q.folder.make(file)
	if err == nil {
		_, err = f.Write(body)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, q.internalError(err)
	}
	m := &model{p: q, id: q.newModel(), features: head.Features, outputs: head.Outputs, rounds: head.Rounds}
	if _, err := q.do(ctx, &Request{Op: "load", Model: m.id, In: file, Outputs: m.outputs}); err != nil {
		q.drop(m.id)
		return nil, err
	}
	return m.kept(), nil
}
