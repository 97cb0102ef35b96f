package datasets

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/registry"
)

func TestLookup(t *testing.T) {
	c := Builtin()
	if e, err := c.Lookup("WINE"); err != nil || e.Name != "wine" {
		t.Errorf("%v %v", e, err)
	}
	for name, want := range map[string]string{
		"vehicule":   `no data set is named "vehicule"; did you mean vehicle?`,
		"wien":       `no data set is named "wien"; did you mean wine?`,
		"australain": `no data set is named "australain"; did you mean australian?`,
		"ionosphere": `no data set is named "ionosphere"; did you mean iono?`,
		"mnist":      "no data set is named \"mnist\"; see `bench data list`, or name a TOML file that describes your own",
		"dir/my data.csv": `"dir/my data.csv" is not the name of a set; a data file is described by a TOML file beside it. Write dir/my-data.toml, and name that instead:
name = "my-data"
file = "my data.csv"
label = "the name of the label's column"   # or its number: -1 is the last
`,
		"a1a.svm": `"a1a.svm" is not the name of a set; a data file is described by a TOML file beside it. Write a1a.toml, and name that instead:
name = "a1a"
file = "a1a.svm"
`,
	} {
		if _, err := c.Lookup(name); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if names := c.Names(); !slices.IsSorted(names) || len(names) != len(c.All()) || len(names) < 40 {
		t.Errorf("names %v", names)
	}
}

// TestFingerprintsAreStable pins two fingerprints: results in databases refer to
// them, so they change only together with readingVersion, on purpose.
func TestFingerprintsAreStable(t *testing.T) {
	want := map[string]string{
		"wine":      "f583cd871374712666471d44faf0dfdaff6f9696b907bb0c6d584a1965a72d2a",
		"adult-a9a": "9450715e9f3af4a324db95b85a8ca95ce2aedd84aa1266fec10566a88aaa2446",
	}
	seen := map[string]string{}
	for _, e := range Builtin().All() {
		got, err := Directory{Root: t.TempDir()}.Fingerprint(e)
		if err != nil {
			t.Fatal(err)
		}
		if other := seen[got]; other != "" {
			t.Errorf("%s and %s have one fingerprint", e.Name, other)
		}
		seen[got] = e.Name
		if w, ok := want[e.Name]; ok && w != got {
			t.Errorf("%s: fingerprint %s, want %s", e.Name, got, w)
		}
	}
}

func TestFingerprintIgnoresWhatChangesNoNumber(t *testing.T) {
	e, err := Builtin().Lookup("wine")
	if err != nil {
		t.Fatal(err)
	}
	base := e.fingerprint([]string{"a"})
	same := *e
	same.Title, same.Citation, same.Defects, same.Rows, same.Columns = "x", "x", []string{"x"}, 0, nil
	if same.fingerprint([]string{"a"}) != base {
		t.Error("a title changes the fingerprint")
	}
	for name, change := range map[string]func(*Entry){
		"label":    func(e *Entry) { e.Label = &Column{Index: 3} },
		"drop":     func(e *Entry) { e.Drop = []Column{{Index: 3}} },
		"positive": func(e *Entry) { e.Positive = []string{"3"} },
		"task":     func(e *Entry) { e.Task = registry.Regression },
		"coded":    func(e *Entry) { e.Categorical = []Column{{Index: 3}} },
		"missing":  func(e *Entry) { e.Missing = "?" },
		"role":     func(e *Entry) { e.Files = slices.Clone(e.Files); e.Files[0].Role = RoleTest },
	} {
		other := *e
		change(&other)
		if other.fingerprint([]string{"a"}) == base {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
	if e.fingerprint([]string{"b"}) == base {
		t.Error("a file's content does not change the fingerprint")
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

func ExampleCatalogue_Lookup() {
	_, err := Builtin().Lookup("spambsae")
	fmt.Println(err)
	// Output: no data set is named "spambsae"; did you mean spambase?
}
