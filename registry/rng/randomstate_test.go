package rng

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"gonum.org/v1/gonum/mathext/prng"
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
				checkMixed(t, New(seed), raw)
				return
			}
			check(t, New(seed), name, raw)
		})
	}
}

// checkMixed reads one stream through kinds of draws in the order of the object's keys.
func checkMixed(t *testing.T, r *RandomState, raw json.RawMessage) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	must.Get(d.Token())(t)
	for d.More() {
		key := must.Get(d.Token())(t)
		var value json.RawMessage
		must.Do(t, d.Decode(&value))
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
		must.Get(fmt.Sscan(bounds, &low, &high))(t)
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
		must.Get(fmt.Sscanf(name, "choice_%d_%d_replace", &n, &k))(t)
		ints(r.Choice(n, k))
	default:
		t.Fatalf("the oracle's key %q names a draw this test does not know", name)
	}
	must.Be(t, got, want, name)
}

func decode(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	must.Do(t, json.Unmarshal(raw, v))
}

// TestStream: the 10,000th word for the seed 5489 is 4123659995 by the C++ standard (26.5.5,
// mt19937), and gonum's generator gives the same words.
func TestStream(t *testing.T) {
	for _, seed := range []uint32{5489, 0, 1, 1<<32 - 1} {
		r, other := New(seed), prng.NewMT19937()
		other.Seed(uint64(seed))
		for i := range 10000 {
			got := r.Uint32()
			if want := other.Uint32(); got != want {
				t.Fatalf("seed %d: word %d is %d, gonum's %d", seed, i, got, want)
			}
			if seed == 5489 && i == 9999 && got != 4123659995 {
				t.Errorf("word 10,000 is %d, in the standard 4123659995", got)
			}
		}
	}
}

// TestNormalsOneByOne: the same values one at a time and together, from even and odd
// positions of the stream.
func TestNormalsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint32().Draw(t, "seed")
		a, b := New(seed), New(seed)
		for range rapid.IntRange(0, 3).Draw(t, "words before") {
			a.Uint32()
			b.Uint32()
		}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 300), 1, 4).Draw(t, "lengths") {
			together := make([]float64, n)
			a.Norms(together)
			for i, v := range together {
				must.Be(t, b.Norm(), v, "normal", i, n)
			}
		}
		must.Be(t, a.Uint32(), b.Uint32(), "the streams are at different positions")
	})
}

// TestLog compares with logarithms rounded from 60 digits (Python's decimal.Decimal.ln), and
// with Go's, which is within an ulp of the truth.
func TestLog(t *testing.T) {
	for _, row := range [][2]float64{
		{0x1.0000000000000p-1, -0x1.62e42fefa39efp-1},
		{0x1.999999999999ap-4, -0x1.26bb1bbb55515p+1},
		{0x1.fffffffffffffp-1, -0x1.0000000000000p-53},
		{0x1.ff3b645a1cac1p-1, -0x1.8982de7a5b25bp-10},
		{0x1.69fffffffffffp-1, -0x1.630030b3aac4cp-2},
		{0x1.6a00000000000p-1, -0x1.630030b3aac49p-2},
		{0x1.0000000000000p-104, -0x1.205966f2b4f12p+6},
		{0x1.79ca10c924223p-67, -0x1.7069e2aa2aa5bp+5},
		{0x1.3333333333333p-2, -0x1.34378fcbda721p+0},
		{0x1.fe00d1b71758ep-1, -0x1.001710dab0834p-8},
		{0x1.6a09e667f3bcdp-1, -0x1.62e42fefa39eep-2},
		{0x1.e759ff97b7508p-3, -0x1.6f85a8ff87b4cp+0},
		{0x1.16a5368858d8dp-1, -0x1.377e34c08e9a2p-1},
		{0x1.7ad586f53dadep-2, -0x1.fd1e846239a23p-1},
		{0x1.353501de56e4ap-1, -0x1.0235603ec6ef6p-1},
		{0x1.405e69652cae3p-1, -0x1.e01ab01a7f971p-2},
		{0x1.0c67fd3611240p-4, -0x1.5cd578b69f144p+1},
		{0x1.af7d1e8a85280p-7, -0x1.151e2adf76b7ap+2},
		{0x1.acc8bf5e07e71p-1, -0x1.6b41739f4c865p-3},
		{0x1.09941946801c6p-2, -0x1.597cd96ef4734p+0},
		{0x1.dfe8e93116240p-3, -0x1.7376195f70addp+0},
		{0x1.fdc528ede5c0ep-1, -0x1.1e0b1c02167bbp-8},
		{0x1.e18cc1c53ea1cp-2, -0x1.8248dacc2f7fep-1},
		{0x1.ac44ace32d283p-1, -0x1.6db8a5b39821fp-3},
	} {
		must.Be(t, log(row[0]), row[1], "log", row[0])
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.Float64Range(0x1p-104, 1).Draw(t, "s")
		if s == 1 {
			return
		}
		if got, want := log(s), math.Log(s); math.Abs(got-want) > 0x1p-52*math.Abs(want) {
			t.Fatalf("log %v is %v, Go's %v", s, got, want)
		}
	})
}

func TestPermutationIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		r := New(rapid.Uint32().Draw(t, "seed"))
		p := r.Permutation(n)
		slices.Sort(p)
		for i, v := range p {
			must.Be(t, v, i, "position  of the sorted permutation holds")
		}
	})
}

func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(rapid.Uint32().Draw(t, "seed"))
		n := rapid.IntRange(1, 1<<31).Draw(t, "n")
		if v := r.Intn(n); v < 0 || v >= n {
			t.Fatalf("Intn(%d) = %d", n, v)
		}
		if v := r.Uniform(-2, 5); v < -2 || v >= 5 {
			t.Fatalf("Uniform(-2, 5) = %v", v)
		}
	})
}
