package read_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

var update = flag.Bool("update", false, "write testdata/sets.txt for the sets that the mirror has")

// hashOf is the hash of all that was read: the bits of inputs and labels, what they are called, and the fingerprint, to
// which results in databases refer. It changes only together with readingVersion, on purpose.
func hashOf(s *datasets.Set) string {
	h := sha256.New()
	for _, values := range [][]float64{s.X.RawMatrix().Data, s.Y} {
		for some := range slices.Chunk(values, 1<<16) { // so that the bytes of a large set are not all in memory
			raw := make([]byte, 0, 8*len(some))
			for _, v := range some {
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
			}
			h.Write(raw)
		}
	}
	n, d := s.X.Dims()
	fmt.Fprintf(h, "%s %d %d %q %q %v %d %v", s.Fingerprint, n, d, s.Features, s.Labels, s.Blocks, s.TrainRows, s.Gaps)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestEverySetHasItsBits compares every built-in set with testdata/sets.txt, which was written when each set agreed
// with the numbers that others had counted in its files. Load itself compares rows, features, codes and classes with
// the catalogue.
func TestEverySetHasItsBits(t *testing.T) {
	testenv.NotUnderRace(t)
	path := filepath.Join("testdata", "sets.txt")
	raw, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	hashes := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		hashes[name] = hash
	}
	short := !testenv.Thorough(t) && !*update
	const nowhere = "/nowhere" // there the program has what it brings
	store := catalogue.Directory{Root: nowhere}
	t.Run("mirror", func(t *testing.T) { store.Root = testenv.Mirror(t) })
	for _, e := range catalogue.Builtin().All() {
		state, err := store.State(e)
		if short && e.Rows*e.Features > 200_000 || state == catalogue.Missing && (e.Named || store.Root == nowhere) {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			must.Do(t, err)
			s := fits.Set(t, e.Name)
			if got := hashOf(s); *update {
				hashes[e.Name] = got
			} else if want := hashes[e.Name]; got != want && (want != "" || !e.Named) {
				t.Errorf("the set has the hash %s, want %s", got, want)
			}
			if print, err := store.Fingerprint(e); err != nil || print != s.Fingerprint || len(print) != 64 {
				t.Errorf("fingerprint %q, loaded %q, error %v", print, s.Fingerprint, err)
			}
			must.Do(t, store.Verify(e))
		})
	}
	if *update {
		var lines []string
		for name, hash := range hashes {
			lines = append(lines, name+" "+hash+"\n")
		}
		slices.Sort(lines)
		must.Do(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
	}
}

// TestAdultCodings compares the two readings of the same rows where they overlap:
// a9a's features 72 and 73 are the sexes, female first.
func TestAdultCodings(t *testing.T) {
	testenv.OnlyThorough(t)
	a, b := fits.Set(t, "adult"), fits.Set(t, "adult-a9a")
	if a.TrainRows != 32561 || b.TrainRows != 32561 || !slices.Equal(a.Y, b.Y) {
		t.Errorf("train rows %d and %d, or labels differ", a.TrainRows, b.TrainRows)
	}
	male := slices.Index(a.Features, "sex=Male")
	for i := range a.Y {
		must.Be(t, a.X.At(i, male), b.X.At(i, 72), "row", i)
		must.Be(t, a.X.At(i, male-1), b.X.At(i, 71), "row", i)
	}
}

// TestLabelsAgreeWithTheOracleSplits counts positives where the oracle lists rows.
func TestLabelsAgreeWithTheOracleSplits(t *testing.T) {
	testenv.NotUnderRace(t)
	type drawn struct {
		Dataset  string
		N        int
		Train    []int
		Positive *int `json:"n_train_pos"`
	}
	var oracle struct{ Rows []drawn }
	testenv.ReadOracle(t, "splits.json", &oracle)
	rows := slices.DeleteFunc(oracle.Rows, func(row drawn) bool {
		e, err := catalogue.Builtin().Lookup(row.Dataset)
		return err != nil || e.Rows > 1000 && !testenv.Thorough(t)
	})
	ofSet := func(row drawn) string { return row.Dataset }
	fits.EachSet(t, rows, ofSet, func(t *testing.T, s *datasets.Set, row drawn) {
		positive := 0
		for _, i := range row.Train {
			if s.Y[i] == 1 {
				positive++
			}
		}
		if len(s.Y) != row.N || row.Train != nil && row.Positive != nil && positive != *row.Positive {
			t.Errorf("%s: %d rows, and %d positives in the training rows; want %d and %v", row.Dataset, len(s.Y),
				positive, row.N, row.Positive)
		}
	})
}

// BenchmarkLoad times the loading of the sets that users wait for.
func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{"spambase", "bankmarketing", "epileptic"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fits.Set(b, name)
			}
		})
	}
}

func TestGeneratedSetsNeedNoFiles(t *testing.T) {
	store := catalogue.Directory{Root: filepath.Join(t.TempDir(), "nothing")}
	for _, name := range []string{"balance", "two-moons"} {
		e := must.Get(catalogue.Builtin().Lookup(name))(t)
		must.Be(t, must.Get(store.State(e))(t), catalogue.Generated, name)
		must.Get(read.Load(t.Context(), store, e))(t)
		must.Do(t, store.Verify(e))
	}
	if _, err := os.Stat(store.Root); err == nil {
		t.Error("loading wrote files")
	}
}
