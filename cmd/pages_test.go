package cmd

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

// TestReferencePages: the pages of docs/reference that are made from the program are those of the program as it is;
// -update writes them.
func TestReferencePages(t *testing.T) {
	t.Setenv("BENCH_MIRROR", "") // defaults of flags
	t.Setenv("BENCH_OPENML", "")
	update := flag.Lookup("update").Value.String() == "true"
	for name, made := range map[string]string{
		"commands.md":    commandsPage(testRoot(methods.All())),
		"environment.md": environmentPage(),
		"parameters.md":  parametersPage(t, methods.All().All()),
		"catalogue.md":   cataloguePage(catalogue.Builtin()),
	} {
		path := filepath.Join(testenv.Root(), "docs", "reference", name)
		if update {
			must.Do(t, os.WriteFile(path, []byte(made), 0o644))
			continue
		}
		if written, err := os.ReadFile(path); err != nil || string(written) != made {
			t.Errorf("docs/reference/%s is not what the program says (%v); `go test ./cmd -run TestReferencePages "+
				"-update` writes it", name, err)
		}
	}
}

// opening is the title of a page and what it is for, with what all pages say of themselves.
func opening(title, says string) string {
	says += " `go test ./cmd -run TestReferencePages -update` makes this page from the program, and `make test` " +
		"compares the two."
	return "# " + title + "\n\n" + hanging(says, 0, 100) + "\n"
}

// inMarkdown is a text of which Markdown changes nothing.
var inMarkdown = strings.NewReplacer("<", `\<`, "*", `\*`, "|", `\|`)

// An entry explains a flag or a parameter.
type entry struct{ name, values, means string }

// shared returns the entries that several lists have: of each name the one that most have.
func shared(lists [][]entry) map[string]entry {
	used, out := map[entry]int{}, map[string]entry{}
	for _, list := range lists {
		for _, e := range list {
			used[e]++
			if used[e] > max(1, used[out[e.name]]) {
				out[e.name] = e
			}
		}
	}
	return out
}

func flagsOf(c *cobra.Command) (out []entry) {
	everyFlag(c.NonInheritedFlags(), func(typed, means string) {
		name, _, _ := strings.Cut(typed[strings.Index(typed, "--"):], " ")
		out = append(out, entry{name, typed, means})
	})
	return out
}

// flagTable writes a table of flags.
func flagTable(b *strings.Builder, flags []entry) {
	for i, e := range flags {
		if i == 0 {
			b.WriteString("\n| flag | meaning |\n|---|---|\n")
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", e.values, inMarkdown.Replace(e.means))
	}
}

func byName(a, b entry) int { return cmp.Compare(a.name, b.name) }

func commandsPage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(opening("Commands", "Every command with its flags and examples, for readers who look one up. "+
		"`bench COMMAND --help --all` prints the same in a terminal, and `bench help --man` all of it as a manual "+
		"page. [Flags of several commands](#flags-of-several-commands) are explained once, at the end."))
	var lists [][]entry
	everyCommand(root, func(c *cobra.Command) { lists = append(lists, flagsOf(c)) })
	common, saidOf := shared(lists), map[string]string{} // the first command with a list of shared flags
	page := func(c *cobra.Command) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.CommandPath(), hanging(inMarkdown.Replace(sentence(c.Short)), 0, 100))
		if use := strings.TrimSuffix(c.UseLine(), " [flags]"); use != c.CommandPath() {
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", use)
		}
		for _, part := range blocks(c.Long) {
			switch {
			case part.lines:
				fmt.Fprintf(&b, "\n```text\n%s\n```\n", part.text)
			case strings.HasPrefix(part.text, "Exit codes: "):
				b.WriteString("\n[Exit codes](environment.md#exit-codes).\n")
			case part.text != "":
				fmt.Fprintf(&b, "\n%s\n", hanging(inMarkdown.Replace(strings.ReplaceAll(part.text, "\n", " ")), 0, 100))
			}
		}
		var own []entry
		var others []string
		for _, e := range flagsOf(c) {
			if common[e.name] == e {
				others = append(others, "`"+e.name+"`")
			} else {
				own = append(own, e)
			}
		}
		flagTable(&b, own)
		if list := strings.Join(others, ", "); list != "" {
			if like, said := saidOf[list]; said && len(others) > 3 {
				list = "those of `" + like + "`"
			} else {
				saidOf[list] = c.CommandPath()
			}
			b.WriteString("\n" + hanging("Shared flags: "+list+".", 0, 100) + "\n")
		}
		if c.Example != "" {
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", c.Example)
		}
	}
	page(root) // whose flags are those of every command
	everyCommand(root, page)
	b.WriteString("\n## Flags of several commands\n")
	flagTable(&b, slices.SortedFunc(maps.Values(common), byName))
	return b.String()
}

func environmentPage() string {
	var b strings.Builder
	b.WriteString(opening("Environment and exit codes", "For scripts, and for machines that are set up once: the "+
		"variables that the program reads, and what its exit code says."))
	b.WriteString("\n## Variables\n\n| variable | meaning |\n|---|---|\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(v.names, " ", "`, `"), inMarkdown.Replace(v.means))
	}
	b.WriteString("\n" + hanging("The folders of the user are those of the system: on Linux `XDG_CACHE_HOME` and "+
		"`XDG_CONFIG_HOME`, else `.cache` and `.config` in `HOME`. "+
		"The runtime of Go reads `GOMEMLIMIT` and `GOMAXPROCS`, as in every program in Go. Which variables a plugin "+
		"gets is in [the protocol of plugins](plugin-protocol.md#what-a-plugin-may-do), "+
		"and those of the tests are in [CONTRIBUTING.md](../../CONTRIBUTING.md#build-and-test).", 0, 100) + "\n")
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n|---|---|\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.means)
	}
	b.WriteString("\n## Limits of the system\n\n" + hanging(""+
		"On Linux the program needs 1600 MiB of address space (`ulimit -v`), "+
		"of which most is reserved and never used, 160 MiB of data (`-d`) and 512 KiB of stack (`-s`). "+
		"What address space is left beyond 1536 MiB bounds the default of `--memory`. "+
		"A run takes 16 file descriptors (`-n`), with isolated cells about 20 more for each of `--jobs`. "+
		"Where the system refuses memory, a thread, a process, a file descriptor or room on a disk, one line says so, "+
		"and the exit code is 5; a cell whose own process is refused them has failed (code 3). "+
		"A run waits while its disk is full. The limit of processor time (`-t`) ends a run as SIGTERM does, "+
		"at seven eighths of it where the limit is a hard one. "+
		"A standard stream that is closed is as /dev/null.", 0, 100) + "\n")
	return b.String()
}

// inSigns shortens what parameters may be.
var inSigns = strings.NewReplacer("an integer of at least ", "integer ≥ ", "a finite number above ", "> ",
	"a finite number of at least ", "≥ ", "a number above 0 and at most ", "> 0 and ≤ ")

func parametersOf(s registry.Spec) (out []entry) {
	for _, p := range s.Parameters() {
		out = append(out, entry{p.Name, inSigns.Replace(p.Allowed()), p.Means})
	}
	return out
}

func parametersPage(t *testing.T, specs []registry.Spec) string {
	var b strings.Builder
	b.WriteString(opening("Parameters of the methods", "For readers who set a parameter in a protocol, or want to "+
		"know what a grid holds. [The methods](../explanation/methods.md) says what each method minimises, how "+
		"biased `draw` = structured (SORF) is for few features, and how KNN decides ties. `bench methods show NAME` "+
		"prints what is listed here. A parameter that only has its default below means the same in several methods: "+
		"[Shared parameters](#shared-parameters). Numbers are finite."))
	var lists [][]entry
	for _, s := range specs {
		lists = append(lists, parametersOf(s))
	}
	common, first := shared(lists), map[string]string{} // the first method with a list of parameters and a grid
	for i, s := range specs {
		if s.Summary == "" {
			t.Fatalf("method %s has no Summary: set registry.Spec.Summary", s.Name)
		}
		says := fmt.Sprintf("%s. Version %s. Source: %s.", strings.ToUpper(s.Summary[:1])+s.Summary[1:], s.Version,
			s.Source)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Name, hanging(inMarkdown.Replace(says), 0, 100))
		list := parameterList(t, s, lists[i], common)
		if like, said := first[list]; said {
			list = fmt.Sprintf("\nParameters and grid are those of %s.\n", like)
		} else {
			first[list] = s.Name
		}
		b.WriteString(list)
	}
	b.WriteString("\n## Shared parameters\n\n| parameter | values | meaning |\n|---|---|---|\n")
	for _, e := range slices.SortedFunc(maps.Values(common), byName) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.name, inMarkdown.Replace(e.values), inMarkdown.Replace(e.means))
	}
	return b.String() + abilitiesOf(specs)
}

// parameterList lists the parameters of a method, and its grid.
func parameterList(t *testing.T, s registry.Spec, list []entry, common map[string]entry) string {
	var b strings.Builder
	head, defaults := "\n| parameter | default | values | meaning |\n|---|---|---|---|\n", []string(nil)
	for j, p := range s.Parameters() {
		e := list[j]
		if common[e.name] == e {
			defaults = append(defaults, fmt.Sprintf("`%s` %s", p.Name, p.Default))
			continue
		}
		fmt.Fprintf(&b, "%s| `%s` | %s | %s | %s |\n", head, p.Name, p.Default, inMarkdown.Replace(e.values),
			inMarkdown.Replace(e.means))
		head = ""
	}
	if defaults != nil {
		b.WriteString("\n" + hanging("Shared: "+strings.Join(defaults, ", ")+".", 0, 100) + "\n")
	}
	if len(s.DefaultGrid()) == 0 {
		b.WriteString("\nGrid, 1 point: the defaults.\n")
		return b.String()
	}
	points := must.Get(s.Settings(exampleShape(s), s.DefaultGrid(), nil))(t)
	fmt.Fprintf(&b, "\nGrid, %d points:\n\n", len(points))
	for _, axis := range s.DefaultGrid() {
		listItem(&b, "- %s: %s", cmp.Or(axis.Name, "of several"), axisText(axis))
	}
	return b.String()
}

// abilitiesOf lists which methods have each ability, or which lack it if these are fewer.
func abilitiesOf(specs []registry.Spec) string {
	var b strings.Builder
	b.WriteString("\n## Abilities\n\n")
	abilities := func(s registry.Spec) []ability {
		return append([]ability{{"two classes", s.Tasks&registry.Binary != 0},
			{"more classes", s.Tasks&registry.Multiclass != 0}, {"regression", s.Tasks&registry.Regression != 0},
		}, abilities(s)...)
	}
	for i, ability := range abilities(specs[0]) {
		var have, lack []string
		for _, s := range specs {
			if abilities(s)[i].has {
				have = append(have, s.Name)
			} else {
				lack = append(lack, s.Name)
			}
		}
		if len(lack) < len(have) {
			have = []string{strings.TrimSuffix("all but "+strings.Join(lack, ", "), " but ")}
		}
		listItem(&b, "- %s: %s", ability.what, strings.Join(have, ", "))
	}
	return b.String()
}

func listItem(b *strings.Builder, format string, args ...any) {
	b.WriteString(hanging(fmt.Sprintf(format, args...), 2, 100) + "\n")
}

func cataloguePage(sets *catalogue.Catalogue) string {
	var b strings.Builder
	b.WriteString(opening("The catalogue of data sets", "For readers who choose sets, or want to know what one is: "+
		"every set that the program knows by name. Columns are those of the matrix, categories as 0/1 columns among "+
		"them. Classes are rows of each, that of -1 or 0 first. [Data sets](datasets.md) says where the files come "+
		"from and which ones the program generates, and `bench data show NAME` prints all that is known of a set, its "+
		"defects too."))
	groups := sets.Groups()
	b.WriteString("\nGroups, for `--datasets`:\n\n")
	rules := map[string]string{}
	for _, k := range catalogue.Kinds {
		rules[k.Name] = " (" + k.Rule + ")"
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list := ": " + strings.Join(groups[name], ", ")
		if name == "small" || name == "wide" {
			list = "" // the tables have rows and columns
		}
		listItem(&b, "- `%s`%s%s", name, rules[name], list)
	}
	b.WriteString("\n" + hanging("A group with a rule has the sets of two classes that follow it, also your own sets "+
		"in the data directory. Variants of a set, sets that a generator draws, and sets that are fetched only by "+
		"name are in none.", 0, 100) + "\n")
	b.WriteString("\n| set | what it is | rows | columns | classes | source |\n|---|---|---|---|---|---|\n")
	for _, e := range sets.All() {
		if e.Source == "generated" || slices.Contains(e.Protocols, "suite") {
			continue // datasets.md has the families of generated sets
		}
		classes := []string{fmt.Sprint(e.Task)}
		for i, n := range e.Counts {
			classes = append(classes[:i], strconv.Itoa(n))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %s | %s |\n", e.Name, inMarkdown.Replace(e.Title), e.Rows,
			e.Features, strings.Join(classes, ", "), inMarkdown.Replace(e.Source))
	}
	return b.String() + suiteTable(sets)
}

// suiteTable lists the sets of the protocol suite.
func suiteTable(sets *catalogue.Catalogue) string {
	var b strings.Builder
	b.WriteString("\n## The suite\n\n" + hanging("The sets of two classes of the protocols `suite` and, below 1,000 "+
		"rows, `suite-small`. Gaps are rows with a missing value, and the majority is the share of the larger class.",
		0, 100) + "\n\n| set | what it is | rows | columns | inputs | gaps | majority | source | licence |\n" +
		"|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range sets.All() {
		if !slices.Contains(e.Protocols, "suite") {
			continue
		}
		inputs := "numbers"
		switch listed := len(e.Categorical); {
		case listed > 0 && (e.Categorical[0].All || listed == len(e.Columns)-1-len(e.Drop)):
			inputs = "categories"
		case listed == 1:
			inputs = "numbers, 1 category"
		case listed > 1:
			inputs = fmt.Sprintf("numbers, %d categories", listed)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %s | %d | %.1f %% | %s | %s |\n", e.Name, inMarkdown.Replace(e.Title),
			e.Rows, e.Features, inputs, e.Gaps, 100*float64(slices.Max(e.Counts))/float64(e.Rows),
			inMarkdown.Replace(e.Source), e.Licence)
	}
	return b.String()
}

// TestVariables: the list of environment variables has those that the sources read, and no others.
func TestVariables(t *testing.T) {
	var listed []string
	for _, v := range variables {
		listed = append(listed, strings.Fields(v.names)...)
	}
	// What is no name in the source, and the names that are its value.
	values := map[string]string{
		"sandbox.FolderVariable": "BENCH_PRIVATE", "FolderVariable": "BENCH_PRIVATE",
		"mountsVariable": "BENCH_MOUNTS_BEFORE", "orderVariable": "BENCH_SANDBOX",
		"spacesVariable": "BENCH_NAMESPACES",
		"v":              "OMP_NUM_THREADS", "variable": "R_LIBS",
	}
	read, quoted := map[string]string{}, ""
	inGo, inPython := regexp.MustCompile(`os\.(?:Getenv|LookupEnv)\(([^()]+)\)`),
		regexp.MustCompile(`os\.environ(?:\.get\(|\[)("[A-Z_]+")`)
	for _, folder := range []string{"cmd", "datasets", "harness", "internal", "methods", "registry", "reports"} {
		must.Do(t, filepath.WalkDir(filepath.Join(testenv.Root(), folder),
			func(path string, entry os.DirEntry, err error) error {
				if err != nil || strings.Contains(path, "/testdata/") || strings.Contains(path, "/internal/test/") ||
					strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "setup.py" {
					return err
				}
				names := map[string]*regexp.Regexp{".go": inGo, ".py": inPython}[filepath.Ext(path)]
				if names == nil {
					return nil
				}
				source, err := os.ReadFile(path)
				for _, m := range names.FindAllStringSubmatch(string(source), -1) {
					name, err := strconv.Unquote(m[1])
					if err != nil {
						name = values[m[1]]
					}
					read[name] = path
				}
				if filepath.Base(path) != "surroundings.go" {
					quoted += string(source)
				}
				return err
			}))
	}
	for name, path := range read {
		must.Be(t, slices.Contains(listed, name), true, path, name)
	}
	for _, name := range listed {
		must.Hold(t, quoted, `"`+name+`"`)
	}
	if len(read) < 10 {
		t.Errorf("%d variables were found in the sources", len(read))
	}
}
