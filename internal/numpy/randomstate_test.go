package numpy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"pgregory.net/rapid"
)

// TestOracle draws what each key of numpy_randomstate.json names, from NumPy
// itself, and asks for equal bits.
func TestOracle(t *testing.T) {
	var rows map[string]json.RawMessage
	testenv.ReadOracle(t, "numpy_randomstate.json", &rows)
	var base uint32
	decode(t, rows["seed"], &base)
	if len(rows) < 2 {
		t.Fatal("the oracle holds no rows")
	}
	for key, raw := range rows {
		if key == "seed" {
			continue
		}
		t.Run(key, func(t *testing.T) {
			seed, name := base, key
			if _, err := fmt.Sscanf(key, "seed_%d_", &seed); err == nil {
				name = strings.SplitN(key, "_", 3)[2]
			}
			if name == "mixed" {
				checkMixed(t, NewRandomState(seed), raw)
				return
			}
			check(t, NewRandomState(seed), name, raw)
		})
	}
}

// checkMixed reads one stream through kinds of draws in the order of the object's keys.
func checkMixed(t *testing.T, r *RandomState, raw json.RawMessage) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		check(t, r, strings.TrimPrefix(key.(string), "then_"), value)
	}
}

func check(t *testing.T, r *RandomState, name string, raw json.RawMessage) {
	t.Helper()
	var want []float64
	decode(t, raw, &want)
	got := make([]float64, 0, len(want))
	number := func(prefix string) (n int) {
		if _, err := fmt.Sscanf(strings.TrimPrefix(strings.TrimPrefix(name, prefix), "_"), "%d", &n); err != nil {
			t.Fatalf("key %q: %v", name, err)
		}
		return n
	}
	ints := func(p []int) {
		for _, v := range p {
			got = append(got, float64(v))
		}
	}
	switch {
	case name == "uint32":
		for range want {
			got = append(got, float64(r.Uint32()))
		}
	case strings.HasPrefix(name, "random_sample"):
		for range want {
			got = append(got, r.Float64())
		}
	case strings.HasPrefix(name, "randn"):
		got = got[:len(want)]
		r.Norms(got)
	case strings.HasPrefix(name, "uniform_"):
		var low, high float64
		bounds := strings.Replace(strings.TrimPrefix(name, "uniform_"), "_", " ", 1)
		if _, err := fmt.Sscan(bounds, &low, &high); err != nil {
			t.Fatal(err)
		}
		for range want {
			got = append(got, r.Uniform(low, high))
		}
	case strings.HasPrefix(name, "permutation"):
		ints(r.Permutation(number("permutation")))
	case strings.HasPrefix(name, "shuffle_arange"):
		p := make([]int, number("shuffle_arange"))
		for i := range p {
			p[i] = i
		}
		r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		ints(p)
	case strings.HasPrefix(name, "choice_"):
		var n, k int
		if _, err := fmt.Sscanf(name, "choice_%d_%d_replace", &n, &k); err != nil {
			t.Fatal(err)
		}
		ints(r.Choice(n, k))
	default:
		t.Fatalf("the oracle's key %q names a draw this test does not know", name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func decode(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatal(err)
	}
}

func TestPermutationIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		r := NewRandomState(rapid.Uint32().Draw(t, "seed"))
		p := r.Permutation(n)
		slices.Sort(p)
		for i, v := range p {
			if v != i {
				t.Fatalf("position %d of the sorted permutation holds %d", i, v)
			}
		}
	})
}

func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := NewRandomState(rapid.Uint32().Draw(t, "seed"))
		n := rapid.IntRange(1, 1<<31).Draw(t, "n")
		if v := r.Intn(n); v < 0 || v >= n {
			t.Fatalf("Intn(%d) = %d", n, v)
		}
		if v := r.Uniform(-2, 5); v < -2 || v >= 5 {
			t.Fatalf("Uniform(-2, 5) = %v", v)
		}
	})
}
