package datasets

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// TestChannelsAreTheirFormula draws the rows again, by the formula written out for three channels, and finds that no class
// is decided within what sines of different machines differ by.
func TestChannelsAreTheirFormula(t *testing.T) {
	r := rng.New(1)
	x := make([]float64, 20)
	for i, row := range rowsOfFile(t, "channels(32000, 3, 7)") { // which begins with the rows of every smaller set
		y := row[20]
		r.Norms(x)
		sum := x[0]*x[1] + math.Sin(2*x[2]) + x[3]/2 + x[4]*x[4] - 1 + 0.3*r.Norm()
		if (sum > 0) != (y > 0) || math.Abs(sum) < 1e-10 {
			t.Fatalf("row %d has class %v and a sum of %v", i, y, sum)
		}
		for j, v := range x {
			if math.Abs(v-row[j]) > 5.1e-7 {
				t.Fatalf("row %d, feature %d: %v, drawn %v", i, j, row[j], v)
			}
		}
	}
}

// TestChannelsGrow: a larger set begins with the smaller one.
func TestChannelsGrow(t *testing.T) {
	if !bytes.HasPrefix(channels(50, 2, 1), channels(20, 2, 1)) {
		t.Error("the first rows depend on the number of rows")
	}
	for _, text := range []string{"channels(0, 1, 1)", "channels(5, 0, 1)", "channels(5, 1, -1)", "channels(5,1,1)", "channels(5, 1, 1) ", "channels"} {
		if _, err := generatorOf(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestMfeatNoisy: two channels are mfeat's, the others hold its rows in another order each.
func TestMfeatNoisy(t *testing.T) {
	plain, noisy := mirrorSet(t, "mfeat"), mirrorSet(t, "mfeat-noisy")
	block := func(s *Set, name string) registry.Block {
		i := slices.IndexFunc(s.Blocks, func(b registry.Block) bool { return b.Name == name })
		if i < 0 {
			t.Fatalf("%s has no channel %s", s.Name, name)
		}
		return s.Blocks[i]
	}
	row := func(s *Set, b registry.Block, i int) []float64 { return s.X.RawRowView(i)[b.From:b.To] }
	for _, name := range []string{"fou", "mor"} {
		for i := range plain.Y {
			if !slices.Equal(row(plain, block(plain, name), i), row(noisy, block(noisy, name), i)) {
				t.Fatalf("row %d of %s differs", i, name)
			}
		}
	}
	for seed, name := range []string{"fou", "fac", "kar", "pix", "zer", "mor"} {
		order := rng.New(uint32(seed + 1)).Permutation(2000)
		same := 0
		for i, from := range order {
			if !slices.Equal(row(plain, block(plain, name), from), row(noisy, block(noisy, name+"-noise"), i)) {
				t.Fatalf("row %d of %s is not row %d", i, name, from)
			}
			if plain.Y[from] == noisy.Y[i] {
				same++
			}
		}
		if same > 300 {
			t.Errorf("%s: %d of 2000 rows keep their class", name, same)
		}
	}
}

// TestUserChannelsOfOneFile: the features of one file are divided by the key channels, and targets move to their range.
func TestUserChannelsOfOneFile(t *testing.T) {
	const toml = "name = \"mine\"\nfile = \"a.csv\"\ntask = \"regression\"\nlabel = 0\ntarget_range = [-1.0, 1.0]\nchannels = [{ name = \"left\", features = 1 }, { name = \"right\", features = 2 }]\n"
	s, err := userSet(t, toml, "a.csv", "1,1,2,3\n2,4,5,6\n5,7,8,9\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]registry.Block{{Name: "left", To: 1}, {Name: "right", From: 1, To: 3}}, s.Blocks); diff != "" {
		t.Error(diff)
	}
	if want := []float64{-1, -0.5, 1}; !slices.Equal(s.Y, want) {
		t.Errorf("targets %v, want %v", s.Y, want)
	}
	if _, err := userSet(t, toml, "a.csv", "1,1,2\n2,4,5\n"); err == nil || err.Error() != "mine: the files give 2 features and the channels have 3 together; correct one of them" {
		t.Error(err)
	}
	if _, err := userSet(t, toml, "a.csv", "1,1,2,3\n1,4,5,6\n"); err == nil || err.Error() != "mine: target_range cannot be applied to targets from 1 to 1" {
		t.Error(err)
	}
}

func TestChannelMistakes(t *testing.T) {
	const head = "name = \"mine\"\nlabel = 0\nformat = \"csv\"\n"
	const files = "[[files]]\npath = \"a\"\nchannel = \"x\"\npermute = 3\n[[files]]\npath = \"b\"\nchannel = \"y\"\n"
	for toml, want := range map[string]string{
		head + files: `set mine: file "a": permute = 3 is of a file with a channel that does not hold the label`,
		head + "channels = [{ name = \"a\", features = 1 }]\n[[files]]\npath = \"a\"\nchannel = \"x\"\n":     "set mine: channels divides the features of files without a channel; give one of them",
		head + "file = \"a\"\nchannels = [{ name = \"a\", features = 0 }]\n":                                 "set mine: channels: a has features = 0; it needs at least one",
		head + "file = \"a\"\nchannels = [{ name = \"a\", features = 1 }, { name = \"a\", features = 1 }]\n": `set mine: channels: every channel needs a name of its own, and one is called "a"`,
		head + "file = \"a\"\ntarget_range = [0.0, 1.0]\n":                                                   `set mine: target_range is for task = "regression", not "binary"`,
		head + "file = \"a\"\ntask = \"regression\"\ntarget_range = [1.0, 1.0]\n":                            "set mine: target_range = [1 1] must be two finite numbers, the smaller first, e.g. [-1.0, 1.0]",
	} {
		if _, err := decodeEntry("set.toml", []byte(toml), t.TempDir()); err == nil || err.Error() != "set.toml: "+want {
			t.Errorf("got  %v\nwant set.toml: %s", err, want)
		}
	}
}
