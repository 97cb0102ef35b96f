package read

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRows(t *testing.T) {
	features := []string{"age", "height", "job=admin", "job=cook"}
	for name, c := range map[string]struct{ file, want, wrong string }{
		"any order, others passed over": {"job,name,height,age\ncook,x,1.5,30\nadmin,y,2,40\n", "30 1.5 0 1; 40 2 1 0", ""},
		"coded already":                 {"age,height,job=admin,job=cook\n1,2,0,1\n", "1 2 0 1", ""},
		"no names":                      {"1,2,1,0\n3,4,0,1\n", "1 2 1 0; 3 4 0 1", ""},
		"a column lacks":                {"age,job\n1,cook\n", "", `no column is named "height", which the model needs; the columns are age, job`},
		"an unknown level":              {"age,height,job\n1,2,smith\n", "", `:2: column 2 ("job"): value "smith" is no level that the model knows`},
		"no number":                     {"age,height,job\n1,tall,cook\n", "", `value "tall" is not a finite number`},
		"no names, too few columns":     {"1,2\n", "", "names none of the features"},
	} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, []byte(c.file), 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := Rows(path, features, 1<<20)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v, want %q", name, err, c.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var rows []string
		n, _ := x.Dims()
		for i := range n {
			rows = append(rows, strings.Trim(fmt.Sprint(x.RawRowView(i)), "[]"))
		}
		if got := strings.Join(rows, "; "); got != c.want {
			t.Errorf("%s: rows %s, want %s", name, got, c.want)
		}
	}
	if _, err := Rows(filepath.Join(t.TempDir(), "none.csv"), features, 1<<20); err == nil {
		t.Error("a missing file is no error")
	}
}
