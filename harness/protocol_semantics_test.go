package harness_test

import (
	"testing"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

func withSemantics(text string) (*protocol.Protocol, error) {
	const head = "splits = 2\n[semantics]\nfolds = 5\nmethod_seed = 1\nstandardise = true\n"
	return protocol.Parse("mine", []byte(head+text))
}

// TestHashesAreStable: stored results refer to hashes. A hash changes with resultsVersion, on purpose. A key whose
// value is the default does not change the hash.
func TestHashesAreStable(t *testing.T) {
	const table2 = "30551931e5a730a415679e57348aaa64"
	p := must.Get(protocol.Load("table2"))(t)
	must.Be(t, p.Hash(), table2)
	seen := map[string]string{}
	for _, c := range []struct {
		text string
		same bool
	}{
		{"test_fraction = 0.3", true}, {"test_fraction = 0.3\nsplit = \"stratified\"", true},
		{"test_fraction = 0.3\nscale_target = false", true},
		{"test_fraction = 0.3\nmetric = \"accuracy\"", true}, {"test_fraction = 0.3\nmetric = \"MSE\"", true},
		{"test_fraction = 0.3\nrounds = []", true},
		{"test_fraction = 0.3\nmetric = \"mcc\"", false}, {"test_fraction = 0.3\nscale_target = true", false},
		{"test_fraction = 0.3\nrounds = [1]", false},
		{"test_fraction = 0.3\ntest_grid = false", true}, {"test_fraction = 0.3\ntest_grid = true", false},
		{"test_fraction = 0.3\nmethod_seeds = 1", true}, {"test_fraction = 0.3\nmethod_seeds = 2", false},
		{"test_fraction = 0.3\nmethod_seeds = 3", false},
		{"split = \"given\"", false}, {"split = \"kfold\"\nparts = 5", false}, {"split = \"kfold\"\nparts = 10", false},
	} {
		p := must.Get(withSemantics(c.text))(t)
		if other := seen[p.Hash()]; (p.Hash() == table2) != c.same || other != "" && !c.same {
			t.Errorf("%q hashes as table2: %v, want %v; as %q", c.text, p.Hash() == table2, c.same, other)
		}
		seen[p.Hash()] = c.text
	}
}

func TestSemanticsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"test_fraction = 0.3\nsplit = \"random\"": `protocol mine: semantics.split = "random"; known: ` +
			`stratified, kfold, given, given-or-stratified, openml, all`,
		"split = \"kfold\"\nparts = 9223372036854775807": `protocol mine: semantics.parts = 9223372036854775807; ` +
			`split = "kfold" needs 2 to 1000000`,
		"test_fraction = 0.3\nrounds = [9223372036854775807]": `protocol mine: semantics.rounds = ` +
			`[9223372036854775807]; they must ascend from 1 on, to at most 1000000`,
		"test_fraction = 0.3\nmethod_seeds = -1": `protocol mine: semantics.method_seeds = -1; it ` +
			`must be 1 to 1000`,
		"test_fraction = 0.3\nmethod_seeds = 1001": `protocol mine: semantics.method_seeds = 1001; it ` +
			`must be 1 to 1000`,
		"test_fraction = 0.3\nmetric = \"acuracy\"": `protocol mine: semantics.metric: no metric is ` +
			`named "acuracy"; did you mean accuracy?`,
		"test_fraction = 0.3\nmetric = \"\"\nsplit = \"kfold\"": `protocol mine: semantics.test_fraction = 0.3; ` +
			`split = "kfold" does not use it, leave it out`,
	} {
		if _, err := withSemantics(text); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	must.Be(t, must.Get(withSemantics("test_fraction = 0.3\nmetric = \"MCC\""))(t).Semantics.Metric, "mcc")
}

// TestSeeds: no two fits have the same seed, with one exception: if every split divides the rows anew, the first seed
// of all splits is MethodSeed. One seed gives the same hash and the same seeds as no number of seeds.
func TestSeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := protocol.Semantics{Split: rapid.SampledFrom([]split.Kind{"", split.KFold, split.Given,
			split.GivenOrStratified}).Draw(t, "kind"),
			MethodSeed: rapid.Uint32().Draw(t, "seed"), MethodSeeds: rapid.IntRange(0, 5).Draw(t, "seeds")}
		testPart := rapid.Bool().Draw(t, "test part")
		once := s.Split == split.Given || s.Split == split.GivenOrStratified && testPart
		seen := map[uint32]bool{}
		for number := 1; number <= 30; number++ {
			seeds := s.Seeds(number, testPart)
			if alone := s.MethodSeeds < 2 && (!once || number == 1); alone != (seeds == nil) || !alone &&
				len(seeds) != max(1, s.MethodSeeds) {
				t.Fatalf("split %d has the seeds %v", number, seeds)
			}
			for k, seed := range seeds {
				if k == 0 && !once {
					must.Be(t, seed, s.MethodSeed, "split", number)
				} else if seen[seed] || seed == s.MethodSeed && number+k > 1 {
					t.Fatalf("seed %d of split %d occurs elsewhere, too: %d", k+1, number, seed)
				}
				seen[seed] = true
			}
		}
		one, none := s, s
		one.MethodSeeds, none.MethodSeeds = 1, 0
		must.Be(t, (&protocol.Protocol{Semantics: one}).Hash(), (&protocol.Protocol{Semantics: none}).Hash(),
			"method_seeds = 1 differs from method_seeds = 0")
		must.Be(t, one.Seeds(3, testPart), none.Seeds(3, testPart), "method_seeds = 1 differs from method_seeds = 0")
	})
}
