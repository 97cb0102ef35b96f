package methods_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A savedModel is a small model of a method for a task, and its bytes.
type savedModel struct {
	spec  registry.Spec
	data  registry.Data
	model registry.Saver
	bytes []byte
}

func (m savedModel) String() string { return m.spec.Name + "/" + m.data.Task.String() }

// small has few rounds where the method has any.
func small(spec registry.Spec) []byte {
	for _, raw := range []string{`{"rounds":4,"features":3}`, `{"rounds":4}`, `{"trees":4}`, `{"features":4}`,
		`{"landmarks":4}`} {
		if _, err := spec.MemoryEstimate(registry.Shape{Task: registry.Binary, N: 1, D: 1, Classes: 2},
			[]byte(raw)); err == nil {
			return []byte(raw)
		}
	}
	return nil
}

// savedModels fits and saves every method that can be saved for each of its tasks.
func savedModels(t testing.TB) []savedModel {
	t.Helper()
	var out []savedModel
	for _, spec := range methods.All().All() {
		for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
			if spec.Tasks&task == 0 || spec.Load == nil {
				continue
			}
			data := fits.Waves(5, 30, 3)
			data.Task = task
			for i := range data.Y {
				switch x := data.X.At(i, 0); task {
				case registry.Multiclass:
					data.Classes, data.Y[i] = 3, float64(i%3)
				case registry.Regression:
					data.Classes, data.Y[i] = 0, x*x
				}
			}
			m, err := spec.Fit(t.Context(), registry.Env{Seed: 1}, data, small(spec))
			if err != nil {
				t.Fatalf("%s: %v", spec.Name, err)
			}
			var b bytes.Buffer
			if err := m.(registry.Saver).Save(&b); err != nil {
				t.Fatalf("%s: %v", spec.Name, err)
			}
			out = append(out, savedModel{spec, data, m.(registry.Saver), b.Bytes()})
		}
	}
	return out
}

func (m savedModel) scores(t testing.TB, of registry.Model) []float64 {
	t.Helper()
	out := make([]float64, m.data.Shape().N*m.data.Shape().Outputs())
	if err := of.Score(t.Context(), m.data.X, out); err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	return out
}

// TestSavedModels: a model is saved in one way, is the same when read back, and is read back whole
// or not at all.
func TestSavedModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range savedModels(t) {
		var again bytes.Buffer
		if err := m.model.Save(&again); err != nil || !bytes.Equal(again.Bytes(), m.bytes) {
			t.Errorf("%v: saved twice it differs (%v)", m, err)
		}
		back, err := m.spec.LoadModel(bytes.NewReader(m.bytes))
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		must.Be(t, m.scores(t, back), m.scores(t, m.model), m)
		again.Reset()
		if err := back.(registry.Saver).Save(&again); err != nil || !bytes.Equal(again.Bytes(), m.bytes) {
			t.Errorf("%v: read back and saved it differs (%v)", m, err)
		}
		wrong := func(what string, raw []byte) {
			if got, err := m.spec.LoadModel(bytes.NewReader(raw)); err == nil || got != nil ||
				!strings.HasPrefix(err.Error(), m.spec.Name+": ") {
				t.Errorf("%v: %s gives %v, %v", m, what, got, err)
			}
		}
		wrong("one byte more", append(bytes.Clone(m.bytes), '\n'))
		for range 200 {
			n, bit := rng.IntN(len(m.bytes)), rng.IntN(8*len(m.bytes))
			wrong(fmt.Sprintf("the first of %d bytes", n), m.bytes[:n])
			turned := bytes.Clone(m.bytes)
			turned[bit/8] ^= 1 << (bit % 8)
			wrong(fmt.Sprintf("bit %d turned", bit), turned)
		}
	}
}

// FuzzLoadModel: fields that are anything, under a checksum that is right, are an error or a model
// that scores without a panic.
func FuzzLoadModel(f *testing.F) {
	models := savedModels(f)
	for i, m := range models {
		_, fields := fits.Parts(m.bytes)
		f.Add(uint8(i), fields)
		f.Add(uint8(i), fields[:len(fields)/2])
		f.Add(uint8(i), bytes.Repeat([]byte{0}, len(fields)))
		huge := bytes.Clone(fields) // lengths and numbers that are as large as they can be
		for at := range huge[:min(64, len(huge))] {
			if at%8 == 7 {
				huge[at] = 0x3f
			}
		}
		f.Add(uint8(i), huge)
	}
	f.Fuzz(func(t *testing.T, which uint8, fields []byte) {
		m := models[int(which)%len(models)]
		kind, _ := fits.Parts(m.bytes)
		back, err := m.spec.LoadModel(bytes.NewReader(fits.Seal(kind, fields)))
		if err != nil {
			return
		}
		x := mat.NewDense(2, 3, []float64{0, 1, 2, -1, math.Pi, 1e9})
		for outputs := range 4 {
			_ = back.Score(t.Context(), x, make([]float64, 2*outputs)) // an error is as good
		}
	})
}
