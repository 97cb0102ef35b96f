// Package architecture holds the import rules of the module as a test: which package may import which.
package architecture

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

const module = "github.com/kernelboosting/bench/"

// A room is a set of packages and what their files, tests apart, may import of the module. In a
// pattern * is one part of a path and a last ... any number of them, none included.
type room struct {
	packages string
	may      string
}

// rooms are in an order in which the first that matches is a package's own. Arrows point down: a
// room imports none above it.
var rooms = []room{
	{"cmd/bench", "cmd methods"},
	{"cmd", "harness/... reports/... methods/external/... registry registry/rng datasets datasets/catalogue " +
		"datasets/describe datasets/fetch datasets/read internal/..."},
	{"scripts/...", "..."},

	{"reports/doc", "internal/..."},
	{"reports/stats", "registry/rng internal/..."},
	{"reports/plot", "reports/doc"},
	{"reports/render", "reports/doc internal/..."},
	{"reports/frame", "reports/doc reports/plot reports/stats harness/experiments harness/metric harness/protocol " +
		"harness/result harness/store registry datasets/catalogue internal/..."},
	{"reports/evidence", "reports/frame reports/stats harness/metric harness/result"},
	{"reports/curtail", "reports/evidence reports/frame reports/stats registry/rng harness/metric harness/plan " +
		"harness/result harness/store"},
	{"reports/compare", "reports/curves reports/doc reports/evidence reports/frame reports/plot " +
		"reports/stats harness/metric harness/result internal/..."},
	{"reports/experiment", "reports reports/curves reports/doc reports/frame reports/stats " +
		"harness/experiments harness/result"},
	{"reports/page", "reports/... harness/metric harness/experiments harness/result harness/store internal/..."},
	{"reports/live", "reports/frame harness/plan harness/result harness/store internal/..."},
	{"reports/paper", "reports/* harness/metric harness/protocol harness/split harness/result harness/store registry"},
	{"reports/internal/...", "reports/... harness/... registry datasets/catalogue internal/..."},
	{"reports/*", "reports/doc reports/evidence reports/frame reports/plot " +
		"harness/experiments reports/stats harness/metric harness/result harness/store registry registry/rng " +
		"internal/..."},
	{"reports", "reports/... harness/metric harness/result harness/store registry internal/..."},

	{"harness/result", "registry internal/strictjson internal/wording"},
	{"harness/store/...", "harness/store harness/protocol harness/result harness/experiments " +
		"registry internal/..."},
	{"harness/experiments", "harness/metric harness/protocol internal/..."},
	{"harness/bundle", "harness/result harness/store internal/strictjson"},
	{"harness/reference", "harness/bundle harness/result"},
	{"harness/externaltrees", "registry registry/elementary internal/..."},
	{"harness/metric", "harness/result registry registry/elementary internal/..."},
	{"harness/split", "registry registry/rng datasets internal/..."},
	{"harness/protocol", "harness/metric harness/result harness/split registry datasets/catalogue internal/..."},
	{"harness/runner", "harness/protocol harness/split harness/metric harness/result registry " +
		"datasets datasets/catalogue datasets/read internal/..."},
	{"harness/plan", "harness/metric harness/protocol harness/reference harness/result harness/runner harness/split " +
		"harness/store registry datasets datasets/catalogue datasets/read internal/..."},
	{"harness/schedule", "harness/plan harness/result harness/runner harness/store datasets/catalogue internal/..."},
	{"harness/remote", "harness/protocol harness/result harness/runner harness/schedule datasets/catalogue " +
		"internal/..."},
	{"harness/environment", "harness/result internal/..."},
	{"harness/verify", "harness/bundle harness/environment harness/experiments harness/plan harness/protocol " +
		"harness/reference harness/result harness/runner harness/schedule harness/store datasets/read registry " +
		"internal/..."},
	{"harness", "harness/... registry registry/rng internal/..."},

	{"datasets/catalogue", "registry registry/rng internal/..."},
	{"datasets/fetch", "datasets/catalogue datasets/fetch datasets/read registry internal/..."},
	{"datasets/read", "datasets datasets/catalogue registry registry/rng internal/..."},
	{"datasets", "registry"},

	{"methods", "methods/* registry"},
	{"methods/internal/...", "methods/internal/... registry registry/rng registry/elementary internal/..."},
	{"methods/external/*", "methods/external registry registry/rng internal/..."},
	{"methods/*", "methods/internal/... registry registry/rng internal/..."},

	{"registry/rng", ""},
	{"registry/elementary", ""},
	{"registry/conform", "registry registry/rng internal/..."},
	{"registry", "registry/rng internal/..."},

	{"internal/test/fits", "..."},
	{"internal/test/faulty", "registry"},
	{"internal/test/toydata", "registry registry/rng"},
	{"internal/...", "internal/..."},
}

// forTests are the packages that only tests, and each other, import.
var forTests = strings.Fields("internal/architecture internal/test/faulty internal/test/must internal/test/testenv " +
	"internal/test/fits registry/conform harness/store/storetest reports/internal/sample")

// forSQL are imported by harness/store alone.
var forSQL = strings.Fields("database/sql modernc.org/sqlite github.com/mattn/go-sqlite3")

type source struct {
	file    string // from the root, with slashes
	imports []string
}

func (s source) test() bool { return strings.HasSuffix(s.file, "_test.go") }

func matches(pattern, pkg string) bool {
	if prefix, any := strings.CutSuffix(pattern, "..."); any {
		prefix = strings.TrimSuffix(prefix, "/")
		return prefix == "" || pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
	}
	ok, err := path.Match(pattern, pkg)
	return ok && err == nil
}

func among(patterns []string, pkg string) bool {
	for _, p := range patterns {
		if matches(p, pkg) {
			return true
		}
	}
	return false
}

// family returns the family of methods that a package belongs to, or nothing.
func family(pkg string) string {
	rest, under := strings.CutPrefix(pkg, "methods/")
	if first, _, _ := strings.Cut(rest, "/"); under && first != "internal" {
		return first
	}
	return ""
}

// complaints returns what the rules have against the imports of a file.
func complaints(s source) []string {
	var out []string
	pkg := path.Dir(s.file)
	var own *room
	for i := range rooms {
		if matches(rooms[i].packages, pkg) {
			own = &rooms[i]
			break
		}
	}
	if own == nil {
		return []string{fmt.Sprintf("%s: package %s has no room here; give it one", s.file, pkg)}
	}
	for _, imported := range s.imports {
		inside, ours := strings.CutPrefix(imported, module)
		switch {
		case !ours && among(forSQL, imported) && !matches("harness/store/...", pkg) && !s.test():
			out = append(out, fmt.Sprintf("%s imports %s: only harness/store has SQL", s.file, imported))
		case !ours:
		case family(pkg) != "" && family(inside) != "" && family(pkg) != family(inside):
			out = append(out, fmt.Sprintf("%s imports %s: no family of methods imports another", s.file, inside))
		case s.test():
		case among(forTests, inside) && !among(forTests, pkg):
			out = append(out, fmt.Sprintf("%s imports %s, which is for tests", s.file, inside))
		case !among(strings.Fields(own.may), inside):
			out = append(out, fmt.Sprintf("%s imports %s: %s may import %q of this module", s.file, inside,
				own.packages, own.may))
		}
	}
	return out
}

// sources returns all Go files of the module that git tracks.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	for _, name := range testenv.Tracked(t, "*.go") {
		if strings.HasPrefix(name, "tools/") || strings.Contains("/"+name, "/testdata/") ||
			strings.Contains("/"+name, "/_") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), filepath.Join(testenv.Root(), name), nil,
			parser.ImportsOnly))(t)
		s := source{file: name}
		for _, spec := range file.Imports {
			s.imports = append(s.imports, must.Get(strconv.Unquote(spec.Path.Value))(t))
		}
		out = append(out, s)
	}
	return out
}

func TestImports(t *testing.T) {
	all := sources(t)
	if len(all) < 200 {
		t.Fatalf("%d files are read: are these all of the module?", len(all))
	}
	for _, s := range all {
		for _, c := range complaints(s) {
			t.Error(c)
		}
	}
}

// readsJSON are the files that read JSON by encoding/json: settings of methods, which registry checks itself, answers
// of a site whose format is not ours, and what only our own scripts and tests wrote.
var readsJSON = strings.Fields(
	"registry/... datasets/fetch scripts/... internal/test/fits internal/test/testenv")

// TestStrictJSON: what other processes and programs wrote is read by internal/strictjson.
func TestStrictJSON(t *testing.T) {
	reads := regexp.MustCompile(`\bjson\.(Unmarshal|NewDecoder)\(`)
	for _, s := range sources(t) {
		if s.test() || !slices.Contains(s.imports, "encoding/json") || among(readsJSON, path.Dir(s.file)) {
			continue
		}
		text := must.Get(os.ReadFile(filepath.Join(testenv.Root(), s.file)))(t)
		if found := reads.Find(text); found != nil {
			t.Errorf("%s has %s, which takes null for 0; use internal/strictjson", s.file, found)
		}
	}
}

// TestRules: each rule catches what it is for.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		file, imported, want string
	}{
		{"methods/rffsvm/gfc.go", module + "harness", "methods/rffsvm/gfc.go imports harness: methods/* may import"},
		{"methods/rffsvm/gfc.go", module + "datasets", "imports datasets"},
		{"methods/rffsvm/gfc.go", module + "reports", "imports reports"},
		{"methods/rffsvm/gfc.go", module + "methods/cart", "no family of methods imports another"},
		{"methods/rffsvm/gfc_test.go", module + "methods/cart", "no family of methods imports another"},
		{"methods/internal/gbdt/a.go", module + "methods/trees", "imports methods/trees"},
		{"methods/internal/gbdt/a.go", module + "methods", "imports methods"},
		{"methods/rffsvm/gfc.go", module + "internal/test/fits", "which is for tests"},
		{"registry/spec.go", module + "registry/conform", "which is for tests"},
		{"registry/spec.go", module + "datasets", "imports datasets"},
		{"registry/rng/log.go", module + "registry", "imports registry"},
		{"datasets/read/load.go", module + "harness/split", "imports harness/split"},
		{"datasets/set.go", module + "datasets/read", "imports datasets/read"},
		{"harness/plan/set.go", module + "datasets/fetch", "imports datasets/fetch"},
		{"harness/session.go", module + "cmd", "imports cmd"},
		{"harness/session.go", module + "reports", "imports reports"},
		{"harness/store/read.go", module + "harness", "imports harness"},
		{"reports/render/html.go", module + "harness/store", "imports harness/store"},
		{"reports/table/accuracy.go", module + "reports/compare", "imports reports/compare"},
		{"reports/table/accuracy.go", module + "harness", "imports harness"},
		{"cmd/run.go", module + "methods", "imports methods"},
		{"methods/external/plugin.go", module + "harness/runner", "imports harness/runner"},
		{"methods/rffsvm/gfc.go", module + "methods/external", "no family of methods imports another"},
		{"internal/wording/suggest.go", module + "registry", "imports registry"},
		{"reports/frame/read.go", "database/sql", "only harness/store has SQL"},
		{"brandnew/x.go", "fmt", "has no room here"},

		{"methods/rffsvm/gfc_test.go", module + "harness", ""},
		{"methods/rffsvm/gfc.go", module + "methods/internal/linear", ""},
		{"methods/all.go", module + "methods/rffsvm", ""},
		{"datasets/read/load.go", module + "datasets/catalogue", ""},
		{"registry/conform/conform.go", module + "internal/test/testenv", ""},
		{"harness/store/read.go", "database/sql", ""},
		{"cmd/storing_test.go", "database/sql", ""},
		{"cmd/run.go", module + "harness/runner", ""},
		{"cmd/plugins.go", module + "methods/external/check", ""},
		{"methods/external/serve/serve.go", module + "methods/external", ""},
	} {
		got := strings.Join(complaints(source{c.file, []string{c.imported}}), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s importing %s: %q, want %q", c.file, c.imported, got, c.want)
		}
	}
}
