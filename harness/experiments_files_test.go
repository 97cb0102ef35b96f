package harness_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
)

// TestBuiltin: every experiment has a protocol, sets, series and points that exist, and a quick part of its whole.
func TestBuiltin(t *testing.T) {
	all := must.Get(experiments.All())(t)
	for _, e := range all {
		p, err := protocol.Load(e.Protocol)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		reg, err := p.Resolve(methods.All())
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if err := p.ResolveSets(catalogue.Builtin()); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		whole := must.Get(e.PartOf(p, false))(t)
		quick := must.Get(e.PartOf(p, true))(t)
		// which is one cell
		if quick.Splits > whole.Splits || reflect.DeepEqual(quick, whole) && e.Name != "ecml-figure1" {
			t.Errorf("%s: the quick part is the whole", e.Name)
		}
		for _, m := range slices.Concat(whole.Methods, quick.Methods) {
			if _, err := reg.Lookup(m); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
		var quoted []string
		for _, c := range e.Claims {
			quoted = append(quoted, c.Where)
		}
		section := regexp.MustCompile(`Section \d+`).FindString(e.Source)
		says := func(part string) bool {
			return slices.ContainsFunc(quoted, func(where string) bool { return strings.HasPrefix(where, part) })
		}
		if says("Section") && !says(section) {
			t.Errorf("%s: its source is %s, and its quotes are of %q", e.Name, section, quoted)
		}
		for _, c := range e.Claims {
			if c.Where == "" {
				t.Errorf("%s: claim %q says not where the source makes it", e.Name, c.Says)
			}
			for _, compare := range c.Compare {
				for _, s := range append([]string{compare.Series}, compare.With...) {
					if p.Points() == nil && s != "*" && !slices.Contains(p.Columns, s) {
						t.Errorf("%s: claim %q compares %s, which protocol %s does not have", e.Name, c.Says, s, p.Name)
					}
				}
				for _, set := range compare.Datasets {
					if !slices.Contains(p.Datasets, set) {
						t.Errorf("%s: claim %q is of %s, which protocol %s does not have", e.Name, c.Says, set, p.Name)
					}
				}
			}
		}
	}
}

// TestPointsOfClaims: a claim about what no run can compute is an error.
func TestPointsOfClaims(t *testing.T) {
	for want, change := range map[string]func(c *experiments.Comparison){
		"claim 1: GBRFF9 is no series of protocol ": func(c *experiments.Comparison) { c.Series = "GBRFF9" },
		" at 0.5 is no point of protocol ":          func(c *experiments.Comparison) { c.At = []float64{0.5} },
	} {
		e := must.Get(experiments.Load("ecml-figure3"))(t)
		p := must.Get(protocol.Load(e.Protocol))(t)
		c := &e.Claims[0].Compare[0]
		c.Series = p.Points()[0].Series
		change(c)
		must.Say(t, must.Err(e.PartOf(p, false)), want)
	}
}

const mine = `
title = "Mine"
protocol = "table2"
[[show]]
report = "accuracy"
[[claim]]
says = "CART is worse than LGBM"
compare = [{ series = "CART", with = ["LGBM"], below = 0 }]
`

func TestChecks(t *testing.T) {
	if e, err := experiments.Parse("mine", []byte(mine)); err != nil || e.Claims[0].Compare[0].Most != 0 {
		t.Fatalf("%+v, %v", e, err)
	}
	for change, want := range map[[2]string]string{
		{"title", "titel"}:                      `unknown key "titel"`,
		{"protocol = \"table2\"\n", ""}:         "protocol is missing",
		{"[[show]]\nreport = \"accuracy\"", ""}: "show is missing",
		{"below = 0", "below = 0, above = 0"}: "claim 1, comparison 1: one of above, below, " +
			"within and between says where the difference lies",
		{"below = 0", ""}: "claim 1, comparison 1: one of above, below, " +
			"within and between",
		{"below = 0", "between = [2, 1]"}: "claim 1, comparison 1: nothing lies between 2 and 1",
		{"below = 0", `of = "slope", below = 0`}: "claim 1, comparison 1: a slope is compared with a " +
			"number",
		{"below = 0", "at = [1, 2], less_at = [1, 2, 3], below = 0"}: "claim 1, comparison 1: with_at and less_at " +
			"have " +
			"one value, or one for each of at = [1 2]",
		{"below = 0", "mean = true, below = 0"}: "claim 1, comparison 1: mean needs at, and takes no with_at or " +
			"less_at",
		{"below = 0", "each_set = true, below = 0"}: "claim 1, comparison 1: each_set needs datasets",
		{"below = 0", "printed = [1, 2, 3], below = 0"}: "claim 1, comparison 1: printed = [1 2 3]; it is " +
			"one number",
		{"below = 0", `of = "acuracy", below = 0`}: `claim 1, comparison 1: of: no metric is named "acuracy"; did ` +
			`you ` +
			`mean accuracy?`,
		{`with = ["LGBM"], below = 0`,
			`of = "cpu", below = 1`}: "claim 1, comparison 1: processor times are compared with those of a series",
		{`says = "CART is worse than LGBM"`, ""}: "claim 1 needs says, and either compare or undecided",
	} {
		_, err := experiments.Parse("mine", []byte(strings.Replace(mine, change[0], change[1], 1)))
		if err == nil || !strings.HasPrefix(err.Error(), "experiment mine: "+want) &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", change[1], err, want)
		}
	}
	must.Say(t, must.Err(experiments.Load("ecml-figure22")), "did you mean ecml-figure2 or")
}

// TestOwnFile: the protocol of a file is beside it, and the file's name is none of the program's.
func TestOwnFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.toml")
	must.Do(t, os.WriteFile(path, []byte(strings.Replace(mine, `"table2"`, `"my-protocol.toml"`, 1)), 0o644))
	e, err := experiments.Load(path)
	if err != nil || e.Name != "mine" || e.Protocol != filepath.Join(filepath.Dir(path), "my-protocol.toml") {
		t.Errorf("%+v, %v", e, err)
	}
	taken := filepath.Join(filepath.Dir(path), "ecml-figure2.toml")
	must.Do(t, os.Rename(path, taken))
	must.Say(t, must.Err(experiments.Load(taken)), `"ecml-figure2" belongs to a built-in experiment`)
}

// TestDocumentation compares docs/explanation/experiments.md with the TOML keys.
func TestDocumentation(t *testing.T) {
	raw := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "docs", "explanation", "experiments.md")))(t)
	for _, kind := range []reflect.Type{reflect.TypeFor[experiments.Experiment](), reflect.TypeFor[experiments.Quick](),
		reflect.TypeFor[experiments.Show](),
		reflect.TypeFor[experiments.Claim](), reflect.TypeFor[experiments.Comparison](),
		reflect.TypeFor[experiments.Point]()} {
		for i := range kind.NumField() {
			if key := kind.Field(i).Tag.Get("toml"); key != "-" && !strings.Contains(string(raw), "`"+key) {
				t.Errorf("docs/explanation/experiments.md does not explain %s of %s", key, kind.Name())
			}
		}
	}
	_, rest, _ := strings.Cut(string(raw), "```toml\n")
	example, _, _ := strings.Cut(rest, "```")
	must.Get(experiments.Parse("mine", []byte(example)))(t)
	papers := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "docs", "explanation", "papers.md")))(t)
	for _, name := range experiments.Names() {
		must.Hold(t, string(papers), "`"+name+"`")
	}
}
