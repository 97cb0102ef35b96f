package read

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// manifest holds n, d and the class counts as recounted from the files for the
// mirror's manifest, independently of this package.
var manifest = map[string]struct {
	n, d   int
	counts []int
}{
	"wine": {178, 13, []int{119, 59}}, "wine-multiclass": {178, 13, []int{59, 71, 48}},
	"sonar": {208, 60, []int{111, 97}}, "sonar-uci": {208, 60, []int{111, 97}},
	"newthyroid": {215, 5, []int{150, 65}}, "newthyroid-multiclass": {215, 5, []int{150, 35, 30}},
	"heart": {270, 13, []int{150, 120}}, "bupa": {345, 6, []int{200, 145}}, "iono": {351, 34, []int{225, 126}},
	"wdbc": {569, 30, []int{357, 212}}, "balance": {625, 4, []int{337, 288}}, "balance-multiclass": {625, 4, []int{49, 288, 288}},
	"australian": {690, 14, []int{383, 307}}, "australian-uci": {690, 14, []int{383, 307}}, "pima": {768, 8, []int{500, 268}},
	"vehicle": {846, 18, []int{647, 199}}, "vehicle-multiclass": {846, 18, []int{218, 212, 217, 199}},
	"german": {1000, 23, []int{700, 300}}, "german-uci": {1000, 24, []int{700, 300}},
	"splice": {3175, 60, []int{1648, 1527}}, "spambase": {4597, 57, []int{2785, 1812}},
	"occupancy": {20560, 5, []int{15810, 4750}}, "bankmarketing": {45211, 51, []int{39922, 5289}},
	"glass": {214, 9, []int{144, 70}}, "glass-multiclass": {214, 9, []int{70, 76, 17, 13, 9, 29}},
	"adult":     {32561 + 16281, 6 + 8 + 16 + 7 + 14 + 6 + 5 + 2 + 41, []int{24720 + 12435, 7841 + 3846}},
	"adult-a9a": {32561 + 16281, 123, []int{24720 + 12435, 7841 + 3846}},
	"epileptic": {11500, 178, []int{9200, 2300}}, "epileptic-multiclass": {11500, 178, []int{2300, 2300, 2300, 2300, 2300}},
	"online-news": {14299, 58, nil}, "online-news-binary": {14299, 58, []int{14299 - 7585, 7585}}, "online-news-rest": {9457, 58, nil},
	"year-prediction": {1176, 90, nil},
	"mfeat":           {2000, 76 + 216 + 64 + 240 + 47 + 6, []int{200, 200, 200, 200, 200, 200, 200, 200, 200, 200}},
	"two-moons":       {500, 2, []int{250, 250}}, "swiss": {500, 2, []int{250, 250}}, "circles": {500, 2, []int{250, 250}},
	"board":              {500, 2, nil},
	"mfeat-noisy":        {2000, 76 + 6 + 76 + 216 + 64 + 240 + 47 + 6, []int{200, 200, 200, 200, 200, 200, 200, 200, 200, 200}},
	"online-news-scaled": {14299, 58, nil}, "year-prediction-scaled": {1176, 90, nil},
	"moons-100": {100, 2, []int{50, 50}}, "swiss-roll": {4000, 2, []int{2000, 2000}}, "rings": {4000, 2, []int{2000, 2000}}, "checkerboard": {4000, 2, nil},
	"classification-150": {150, 20, nil}, "classification-505": {505, 20, nil}, "classification-1702": {1702, 20, nil}, "classification-5743": {5743, 20, nil},
	"classification-19381": {19381, 20, nil}, "classification-65409": {65409, 20, nil}, "classification-220753": {220753, 20, nil},
	"channels-1000": {1000, 20, nil}, "channels-2000": {2000, 20, nil}, "channels-4000": {4000, 20, nil},
	"channels-8000": {8000, 20, nil}, "channels-16000": {16000, 20, nil}, "channels-32000": {32000, 20, nil},
	"linear-100000": {100000, 20, nil}, "linear-300000": {300000, 20, nil}, "linear-1000000": {1000000, 20, nil},
	"smooth-100000": {100000, 20, nil}, "smooth-300000": {300000, 20, nil}, "smooth-1000000": {1000000, 20, nil},
	"covertype": {581012, 54, []int{581012 - 283301, 283301}}, "covertype-multiclass": {581012, 54, []int{211840, 283301, 35754, 2747, 9493, 17367, 20510}},
	"higgs-1000000":     {1000000, 28, nil},
	"thresholds-100000": {100000, 20, nil}, "thresholds-300000": {300000, 20, nil}, "thresholds-1000000": {1000000, 20, nil},
}

// mirrorSet loads a built-in set from the mirror.
func mirrorSet(t testing.TB, name string) *datasets.Set {
	t.Helper()
	e, err := catalogue.Builtin().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), files.Directory{Root: testenv.Mirror(t)}, e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEverySetLoadsAsTheManifestSays(t *testing.T) {
	testenv.NotUnderRace(t)
	store := files.Directory{Root: testenv.Mirror(t)}
	for _, e := range catalogue.Builtin().All() {
		t.Run(e.Name, func(t *testing.T) {
			want, ok := manifest[e.Name]
			if !ok {
				t.Fatal("the test knows no shape for this set")
			}
			if want.n > 250000 { // seconds for each set
				testenv.OnlyThorough(t)
			}
			if state, _ := store.State(e); e.Named && state == files.Missing {
				t.Skip("a large file, which this mirror does not have")
			}
			s := mirrorSet(t, e.Name)
			n, d := s.X.Dims()
			if n != want.n || d != want.d || len(s.Y) != n || len(s.Features) != d {
				t.Errorf("X is %d x %d with %d labels and %d names, want %d x %d", n, d, len(s.Y), len(s.Features), want.n, want.d)
			}
			if e.Codes != s.Codes() {
				t.Errorf("%d features have at most %d values, and the catalogue says codes = %d", s.Codes(), datasets.FewValues, e.Codes)
			}
			if want.counts != nil && !slices.Equal(s.Counts(), want.counts) {
				t.Errorf("class counts %v, want %v", s.Counts(), want.counts)
			}
			if len(s.Labels) != s.Classes || (s.Task == registry.Regression) != (s.Classes == 0) {
				t.Errorf("%d classes named %v for task %v", s.Classes, s.Labels, s.Task)
			}
			for _, v := range s.X.RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("value %v", v)
				}
			}
			if print, err := store.Fingerprint(e); err != nil || print != s.Fingerprint || len(print) != 64 {
				t.Errorf("fingerprint %q, loaded %q, error %v", print, s.Fingerprint, err)
			}
			state, err := store.State(e)
			if e.Generated {
				want := files.Present
				if e.Files[0].Repository == "" {
					want = files.Generated
				}
				if state != want && state != files.Generated {
					t.Errorf("state %v: %v", state, err)
				}
			} else if state != files.Present || err != nil {
				t.Errorf("state %v: %v", state, err)
			}
			if err := store.Verify(e); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestIonoHasOneConstantColumn(t *testing.T) {
	s := mirrorSet(t, "iono")
	var constant []int
	n, d := s.X.Dims()
	for j := range d {
		same := true
		for i := range n {
			same = same && s.X.At(i, j) == s.X.At(0, j)
		}
		if same {
			constant = append(constant, j)
		}
	}
	if !slices.Equal(constant, []int{1}) || s.X.At(0, 1) != 0 {
		t.Errorf("constant columns %v", constant)
	}
}

// TestAustralianVariants checks the damage: only columns 1, 2 and 6 differ, in as
// many rows as the manifest counts.
func TestAustralianVariants(t *testing.T) {
	a, b := mirrorSet(t, "australian"), mirrorSet(t, "australian-uci")
	differ := make([]int, 14)
	for i := range a.Y {
		if a.Y[i] != b.Y[i] {
			t.Errorf("row %d: labels differ", i)
		}
		for j := range differ {
			if a.X.At(i, j) != b.X.At(i, j) {
				differ[j]++
			}
		}
	}
	if want := []int{0, 636, 541, 0, 0, 0, 512, 0, 0, 0, 0, 0, 0, 0}; !slices.Equal(differ, want) {
		t.Errorf("rows that differ per column: %v, want %v", differ, want)
	}
	if a.Fingerprint == b.Fingerprint {
		t.Error("equal fingerprints")
	}
}

func TestGermanUCIWithoutItsFirstColumnIsGerman(t *testing.T) {
	a, b := mirrorSet(t, "german"), mirrorSet(t, "german-uci")
	for i := range a.Y {
		if a.Y[i] != b.Y[i] || !slices.Equal(a.X.RawRowView(i), b.X.RawRowView(i)[1:]) {
			t.Fatalf("row %d differs", i)
		}
	}
}

func TestSonarIsRounded(t *testing.T) {
	a, b := mirrorSet(t, "sonar"), mirrorSet(t, "sonar-uci")
	largest := 0.0
	for i, v := range a.X.RawMatrix().Data {
		largest = max(largest, math.Abs(v-b.X.RawMatrix().Data[i]))
	}
	if !slices.Equal(a.Y, b.Y) || math.Abs(largest-0.0005) > 1e-9 {
		t.Errorf("largest difference %v, want 0.0005", largest)
	}
}

// TestAdultCodings compares the two readings of the same rows where they overlap:
// a9a's features 72 and 73 are the sexes, female first.
func TestAdultCodings(t *testing.T) {
	testenv.NotUnderRace(t)
	a, b := mirrorSet(t, "adult"), mirrorSet(t, "adult-a9a")
	if a.TrainRows != 32561 || b.TrainRows != 32561 {
		t.Errorf("train rows %d and %d", a.TrainRows, b.TrainRows)
	}
	if !slices.Equal(a.Y, b.Y) {
		t.Error("labels differ")
	}
	male := slices.Index(a.Features, "sex=Male")
	for i := range a.Y {
		if a.X.At(i, male) != b.X.At(i, 72) || a.X.At(i, male-1) != b.X.At(i, 71) {
			t.Fatalf("row %d: sex differs", i)
		}
	}
}

func TestMissingIsZeroInAdult(t *testing.T) {
	s := mirrorSet(t, "adult")
	missing := [2]int{}
	for i := range s.Y {
		gap := false
		for _, column := range []string{"workclass=", "occupation=", "native-country="} {
			sum := 0.0
			for j, f := range s.Features {
				if strings.HasPrefix(f, column) {
					sum += s.X.At(i, j)
				}
			}
			gap = gap || sum == 0
		}
		if gap && i < s.TrainRows {
			missing[0]++
		} else if gap {
			missing[1]++
		}
	}
	if missing != [2]int{2399, 1221} { // the mirror's manifest
		t.Errorf("rows with a missing value: %v", missing)
	}
}

func TestBankmarketingColumns(t *testing.T) {
	s := mirrorSet(t, "bankmarketing")
	numeric := []string{"age", "balance", "day", "duration", "campaign", "pdays", "previous"}
	if diff := cmp.Diff(numeric, s.Features[:7]); diff != "" {
		t.Error(diff)
	}
	if s.Features[7] != "job=admin." || s.Features[50] != "poutcome=unknown" {
		t.Errorf("levels from %s to %s", s.Features[7], s.Features[50])
	}
	for i := range s.Y {
		sum := 0.0
		for _, v := range s.X.RawRowView(i)[7:] {
			sum += v
		}
		if sum != 9 { // one level of each of nine columns
			t.Fatalf("row %d: %v levels", i, sum)
		}
	}
}

func TestMfeatChannels(t *testing.T) {
	s := mirrorSet(t, "mfeat")
	want := []registry.Block{{Name: "fou", To: 76}, {Name: "fac", From: 76, To: 292}, {Name: "kar", From: 292, To: 356},
		{Name: "pix", From: 356, To: 596}, {Name: "zer", From: 596, To: 643}, {Name: "mor", From: 643, To: 649}}
	if diff := cmp.Diff(want, s.Blocks); diff != "" {
		t.Error(diff)
	}
	if data := s.Data(); data.Check() != nil || len(data.Blocks) != len(want) {
		t.Errorf("methods are given the blocks %v: %v", data.Blocks, data.Check())
	}
	// First value of mfeat-fac, last of mfeat-mor's first row, read off the files.
	if s.X.At(0, 76) != 98 || s.X.At(0, 648) != 1620.22177892 || s.Y[199] != 0 || s.Y[200] != 1 {
		t.Errorf("values %v %v", s.X.At(0, 76), s.X.At(0, 648))
	}
}

// TestLabelsAgreeWithTheOracleSplits counts positives where the oracle lists rows.
func TestLabelsAgreeWithTheOracleSplits(t *testing.T) {
	testenv.NotUnderRace(t)
	var oracle struct {
		Rows []struct {
			Dataset  string
			N        int
			Train    []int
			Positive *int `json:"n_train_pos"`
		}
	}
	testenv.ReadOracle(t, "splits.json", &oracle)
	for _, row := range oracle.Rows {
		if _, err := catalogue.Builtin().Lookup(row.Dataset); err != nil {
			continue
		}
		s := mirrorSet(t, row.Dataset)
		if len(s.Y) != row.N {
			t.Errorf("%s: %d rows, want %d", row.Dataset, len(s.Y), row.N)
		}
		positive := 0
		for _, i := range row.Train {
			if s.Y[i] == 1 {
				positive++
			}
		}
		if row.Train != nil && row.Positive != nil && positive != *row.Positive {
			t.Errorf("%s: %d positives in the training rows, want %d", row.Dataset, positive, *row.Positive)
		}
	}
}

// BenchmarkLoad times the loading of the sets that users wait for.
func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{"spambase", "bankmarketing", "epileptic"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mirrorSet(b, name)
			}
		})
	}
}

func TestGeneratedSetsNeedNoFiles(t *testing.T) {
	store := files.Directory{Root: filepath.Join(t.TempDir(), "nothing")}
	for _, name := range []string{"balance", "balance-multiclass", "two-moons", "swiss", "circles", "board"} {
		e, err := catalogue.Builtin().Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if state, err := store.State(e); state != files.Generated || err != nil {
			t.Errorf("%s: state %v, error %v", name, state, err)
		}
		if _, err := Load(t.Context(), store, e); err != nil {
			t.Error(err)
		}
		if err := store.Verify(e); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(store.Root); err == nil {
		t.Error("loading wrote files")
	}
}
