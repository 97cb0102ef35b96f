// Package serve makes a method that is written in Go into a plugin, a program that answers the protocol of
// docs/reference/plugin-protocol.md:
//
//	func main() { os.Exit(serve.Main(myboost.Spec())) }
//
// A registry takes a method in Go directly, without a process of its own. A plugin is useful for a method
// that is given to others as an executable, and for a method that may crash.
package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Main serves the method on standard input and output until the input ends, and returns the exit code. Output
// of the method goes to standard error.
func Main(spec registry.Spec) int {
	out := os.Stdout
	os.Stdout = os.Stderr
	if err := Serve(spec, os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Serve answers the requests from in until in ends.
func Serve(spec registry.Spec, in io.Reader, out io.Writer) error {
	s := &server{spec: spec, models: map[int64]held{}}
	lines := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var r external.Request
		a := external.Answer{}
		if err = strictjson.UnmarshalOpen(line, &r); err == nil {
			a, err = s.answer(&r)
		}
		if err != nil {
			text := err.Error()
			a = external.Answer{Error: &text}
		}
		a.ID = &r.ID
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
}

type server struct {
	spec   registry.Spec
	models map[int64]held
}

// held is a model and the number of its scores a row.
type held struct {
	model   registry.Model
	outputs int
}

func (s *server) answer(r *external.Request) (a external.Answer, err error) {
	for _, id := range r.Drop {
		delete(s.models, id)
	}
	switch r.Op {
	case "describe":
		return s.describe(), nil
	case "fit":
		return s.fit(r, []json.RawMessage{r.Point}, []int64{r.Model})
	case "path":
		return s.fit(r, r.Points, r.Models)
	case "load":
		return a, s.load(r)
	}
	do := map[string]func(held, *external.Request) error{"score": held.score, "stages": held.stages,
		"save": held.save}[r.Op]
	if do == nil {
		return a, fmt.Errorf("the operation %q is not known", r.Op)
	}
	h, there := s.models[r.Model]
	if !there {
		return a, fmt.Errorf("there is no model %d", r.Model)
	}
	return a, do(h, r)
}

func (s *server) describe() external.Answer {
	d := &external.Description{
		Protocol: [2]int{1, 1}, Name: s.spec.Name, Version: s.spec.Version, Grid: s.spec.DefaultGrid(),
		Parameters: s.spec.Parameters(),
		Tasks:      strings.Split(s.spec.Tasks.String(), ","), Ops: []string{"stages"}, Gaps: s.spec.Gaps,
		Source: s.spec.Source, Summary: s.spec.Summary,
	}
	if s.spec.HasPath() {
		d.Ops = append(d.Ops, "path")
	}
	if s.spec.Load != nil {
		d.Ops = append(d.Ops, "save")
	}
	return external.Answer{Description: d}
}

// fit trains grid points and holds their models under the numbers ids.
func (s *server) fit(r *external.Request, points []json.RawMessage, ids []int64) (external.Answer, error) {
	var a external.Answer
	task, err := registry.ParseTask(r.Task)
	if err != nil {
		return a, err
	}
	x, err := matrix(r.X)
	if err != nil {
		return a, err
	}
	y, err := read(r.Y)
	if err != nil {
		return a, err
	}
	train := registry.Data{Task: task, Classes: r.Classes, X: x, Y: y.Values}
	env := registry.Env{Seed: r.Seed}
	err = s.spec.FitAll(context.Background(), env, train, points, func(i int, m registry.Model) error {
		s.models[ids[i]] = held{m, r.Outputs}
		if stager, ok := m.(registry.Stager); ok {
			if a.Rounds == nil {
				a.Rounds = make([]int, len(ids))
			}
			a.Rounds[i] = stager.Rounds()
		}
		return nil
	})
	return a, err
}

func (s *server) load(r *external.Request) error {
	b, err := os.ReadFile(r.In)
	if err != nil {
		return err
	}
	m, err := s.spec.LoadModel(bytes.NewReader(b))
	if err == nil {
		s.models[r.Model] = held{m, r.Outputs}
	}
	return err
}

func (h held) score(r *external.Request) error {
	x, err := matrix(r.X)
	if err != nil {
		return err
	}
	n, _ := x.Dims()
	out := make([]float64, n*h.outputs)
	return cmp.Or(h.model.Score(context.Background(), x, out), write(r.Out, mat.NewDense(n, h.outputs, out)))
}

func (h held) stages(r *external.Request) error {
	stager, ok := h.model.(registry.Stager)
	if !ok {
		return errors.New("the model has no stages")
	}
	x, err := matrix(r.X)
	if err != nil {
		return err
	}
	n, _ := x.Dims()
	out := mat.NewDense(len(r.At), n*h.outputs, nil)
	return cmp.Or(stager.ScoreStages(context.Background(), x, r.At, func(t int, scores []float64) error {
		out.SetRow(slices.Index(r.At, t), scores)
		return nil
	}), write(r.Out, out))
}

func (h held) save(r *external.Request) error {
	saver, ok := h.model.(registry.Saver)
	if !ok {
		return errors.New("the model cannot be saved")
	}
	f, err := os.Create(r.Out)
	if err != nil {
		return err
	}
	return cmp.Or(saver.Save(f), f.Close())
}

func read(file string) (npy.Floats, error) {
	f, err := os.Open(file)
	if err != nil {
		return npy.Floats{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return npy.Floats{}, err
	}
	return npy.Read(bufio.NewReaderSize(f, 1<<16), int(info.Size()/8))
}

func matrix(file string) (*mat.Dense, error) {
	a, err := read(file)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || len(a.Values) == 0 {
		return nil, fmt.Errorf("%s holds no matrix but an array of shape %v", file, a.Shape)
	}
	return mat.NewDense(a.Shape[0], a.Shape[1], a.Values), nil
}

func write(file string, v any) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return npy.WriteFile(f, v)
}
