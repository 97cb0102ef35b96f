package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
)

// built builds a page with fewer draws of the Bayesian test than usual.
func built(t testing.TB, in sample.Input, o Options) *Page {
	t.Helper()
	o.draws = 500
	if o.Level == 0 {
		o.Level = 0.05
	}
	return must.Get(Build(in.Frame(t), o))(t)
}

// siteOf writes a site and returns its folder.
func siteOf(t *testing.T, in sample.Input) string {
	t.Helper()
	root := t.TempDir()
	err := built(t, in, Options{}).Site(func(name string, content func(io.Writer) error) error {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		defer f.Close()
		return content(f)
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// manySets has 42 methods, 54 sets and 20 splits. Each split of a method has a grid point of its own.
func manySets() sample.Input {
	var rows []store.Row
	for s := range 54 {
		name := fmt.Sprintf("dataset%02d", s)
		for m := range 42 {
			for split := 1; split <= 20; split++ {
				r := sample.OK(name, fmt.Sprintf("METHOD-%02d", m), split, 200+(7*s+11*m+13*split)%90, 300)
				r.Point = []byte(fmt.Sprintf(`{"gamma":%d,"lambda":%d}`, split, m))
				rows = append(rows, r)
			}
		}
	}
	return sample.Of(20, rows...)
}

// A page of 42 methods, 54 sets and 20 splits, with a leaderboard for each of ten groups, is smaller than 3 MB. Of so
// many methods it has no table of all pairs, and says which command prints it.
func TestSize(t *testing.T) {
	testenv.OnlyThorough(t)
	var out strings.Builder
	groups := Groups{Methods: map[string][]string{}, Sets: map[string][]string{}}
	for g := range 5 {
		for k := range 12 {
			name := fmt.Sprint("group", g)
			groups.Methods[name] = append(groups.Methods[name], fmt.Sprintf("METHOD-%02d", 5*g+k))
			groups.Sets[name] = append(groups.Sets[name], fmt.Sprintf("dataset%02d", g+k))
		}
	}
	p := built(t, manySets(), Options{Groups: groups})
	must.Do(t, p.Write(&out))
	if n := out.Len(); n >= 3_000_000 || n < 500_000 {
		t.Errorf("the page has %d bytes", n)
	}
	must.Be(t, len(p.Tabs), 10)
	must.Hold(t, out.String(), "This command prints all pairs, with their posteriors: bench report tests")
}

// papers is the only address of another site on the page. A browser loads it only when a reader follows the link.
const papers = "https://github.com/kernelboosting/bench/blob/main/docs/explanation/papers.md"

// The file loads nothing. It runs only the script whose hash is in its policy. This holds for all names of methods and
// sets, and for all titles.
func TestSelfContained(t *testing.T) {
	for name, in := range map[string]sample.Input{"paper": sample.Paper(), "names": sample.Small()} {
		var out strings.Builder
		p := built(t, in, Options{})
		p.Title = `<script>alert(1)</script> & "more"`
		must.Do(t, p.Write(&out))
		page := strings.ReplaceAll(out.String(), "http://www.w3.org/2000/svg", "") // a name, and nothing to load
		page = strings.Replace(page, `<a href="`+papers+`">`, "", 1)
		for _, bad := range []string{`<script>alert`, ` style="`, `src="`, `url(`, `@import`, "http://", "https://"} {
			if i := strings.Index(page, bad); i >= 0 {
				t.Errorf("%s: %q is in %q", name, bad, page[max(0, i-60):i+60])
			}
		}
		must.Be(t, regexp.MustCompile(`<[^>]* on[a-z]+=`).FindString(strings.ReplaceAll(out.String(), string(script),
			"")), "", name)
		shell := render.Shell{Script: script}
		for _, hashed := range []string{string(shell.Style()), string(script)} {
			sum := sha256.Sum256([]byte(hashed))
			must.Hold(t, out.String(), ">"+hashed+"</")
			must.Hold(t, shell.Policy(), "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
	}
}

// Every link of a site leads to a file of the site, or to a part of the same page.
func TestSite(t *testing.T) {
	root := siteOf(t, sample.Paper())
	pages, links := 0, 0
	err := filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		pages++
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(string(content), -1) {
			links++
			switch target := m[1]; {
			case strings.HasPrefix(target, "data:"), target == papers:
			case strings.HasPrefix(target, "#"):
				must.Hold(t, string(content), ` id="`+target[1:]+`"`)
			default:
				if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(target))); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
		return nil
	})
	if err != nil || pages != 1+19+6 || links < 200 {
		t.Errorf("%d pages with %d links; error %v", pages, links, err)
	}
	index, err := os.ReadFile(filepath.Join(root, "index.html"))
	if err != nil || !strings.Contains(string(index), `"link":"sets/sonar.html"`) {
		t.Errorf("the index does not lead to sonar; error %v", err)
	}
}

// Readers without a script have the table. The page has one line for each reason why results are missing.
func TestMissing(t *testing.T) {
	p := built(t, sample.Paper(), Options{})
	must.Hold(t, string(p.Static), ">GBRFF2</th>")
	var lines []string
	for _, r := range p.Missing {
		lines = append(lines, fmt.Sprintf("%s, %d: %s", r.Text, r.Runs, r.Where))
	}
	want := []string{
		"Failed (exit status 137: out of memory), 1: PBRFF on german (split 7)",
		"Timeout (stopped after 10m0s), 180: BMKR, GFC, PBRFF on bankmarketing (splits 1-20); every method on board " +
			"(splits 1-20)",
	}
	must.Be(t, lines, want, "missing are")
	in := sample.Paper()
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Dataset == "wine" })
	if got := built(t, in, Options{}).Missing; got[len(got)-1].Text != "Nothing is stored" ||
		got[len(got)-1].Runs != 120 {
		t.Errorf("missing are %+v", got)
	}
}

// Several warnings, and a long one, are summed up on one line. The page has them in full in the part that it opens.
func TestWarningLine(t *testing.T) {
	long := "The rows of 16 data sets are of the data as it was read then; their files changed since: bench run " +
		"--methods " + strings.Repeat("A,", 200)
	for want, warnings := range map[string][]string{
		"": {"A short one."},
		"The rows of 16 data sets are of the data as it was read then; their files changed since …": {long},
		"The rows of 16 data sets are of the data as it was read then; their files changed since … " +
			"and 2 more": {long, "b", "c"},
		"a … and 1 more": {"a", "b"},
	} {
		must.Be(t, warningLine(warnings), want, warnings)
	}
	in := sample.Paper()
	for i := range in.Rows {
		in.Rows[i].Fingerprint = "before"
	}
	for name, s := range in.Known {
		s.Now = &frame.Data{Fingerprint: "now", File: name + ".csv"}
		in.Known[name] = s
	}
	var out strings.Builder
	p := built(t, in, Options{})
	must.Do(t, p.Write(&out))
	if n := strings.Count(out.String(), `class="warning"`); n != 1 || len(p.Warnings) == 0 {
		t.Errorf("%d warnings are in %d places", len(p.Warnings), n)
	}
}

// The page of a single method has no verdict and no ranks.
func TestAlone(t *testing.T) {
	in := sample.Paper()
	in.Methods = []string{"GFC"}
	p := built(t, in, Options{})
	if p.Verdict.None == "" || p.Ranks != nil {
		t.Errorf("the verdict on one method is %+v", p.Verdict)
	}
	if err := p.Write(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	f := sample.Paper().Frame(t)
	must.Say(t, must.Err(Build(f, Options{Level: 1})), "the level is 1")
	must.Say(t, must.Err(Build(f, Options{Level: 0.05, Metric: "rmse"})), "nothing to show")
}

// Identifiers have no characters that links or file names cannot have, are not too long, and are all different.
func TestIDs(t *testing.T) {
	long := strings.Repeat("n", 300)
	for _, id := range ids([]string{long, long + "a", long}) {
		if len(id) > 200 {
			t.Errorf("a file would be named %s", id)
		}
	}
	got := ids([]string{"GBRFF-random", "B&<b>", "b b", "../x", "", "C|%", "B B"})
	must.Be(t, got, []string{"gbrff-random", "b-b", "b-b-x", "x", "unnamed", "c", "b-b-x-x"}, "names")
}

// Of sixteen tied methods the head of a set's section names three.
func TestTiedMethods(t *testing.T) {
	var rows []store.Row
	for m := range 16 {
		rows = append(rows, sample.OK("wine", fmt.Sprintf("METHOD-%02d", m), 1, 50, 50))
	}
	must.Be(t, built(t, sample.Of(1, rows...), Options{}).Sets[0].Best, "METHOD-00, METHOD-01, METHOD-02 and 13 more",
		"the best methods are")
}
