package read

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestGaps reads marks of missing values anywhere: in numbers NaN, in categories one level, under the other formats
// too.
func TestGaps(t *testing.T) {
	const head = "name = \"mine\"\nlabel = \"y\"\n"
	for _, c := range []struct{ name, toml, file, content, want string }{
		{"empty by default", head + "impute = \"mean\"", "my.csv", "a,b,y\n1,,x\n,2,z\n", "a b [1 NaN] [NaN 2]"},
		{"several marks", head + "impute = \"mean\"\nmissing = [\"\", \"?\", -9]", "my.csv", "a,b,y\n?,,x\n-9.0,2,z\n",
			"a b [NaN NaN] [NaN 2]"},
		{"one level", head + "impute = \"none\"\nmissing = [\"?\", \"NA\"]\ncategorical = \"b\"", "my.csv",
			"a,b,y\n1,?,x\n2,NA,z\n3,u,z\n", "a b=? b=u [1 1 0] [2 1 0] [3 0 1]"},
		{"no level", head + "missing = [\"?\", \"NA\"]\nmissing_as = \"zero\"\ncategorical = \"b\"", "my.csv",
			"a,b,y\n1,?,x\n2,NA,z\n3,u,z\n", "a b=u [1 0] [2 0] [3 1]"},
		{"decimal commas", head + "separator = \";\"\ndecimal = \",\"\nimpute = \"mean\"", "my.csv",
			"a;b;y\n1,5;-2;x\n;,25e1;z\n", "a b [1.5 -2] [NaN 2.5]"},
		{"blanks", "name = \"mine\"\nlabel = -1\nformat = \"blank\"\nimpute = \"median\"\nmissing = \"NA\"", "my.txt",
			"1 NA x\nNA 2 z\n", "c0 c1 [1 NaN] [NaN 2]"},
		{"libsvm", "name = \"mine\"\nimpute = \"median\"\nmissing = [\"nan\"]", "my.svm", "1 1:nan 2:3\n-1 2:nan\n",
			"f1 f2 [NaN 3] [0 NaN]"},
		{"arff", head + "impute = \"median\"", "my.arff", "@attribute a numeric\n@attribute b {u,v}\n@attribute y " +
			"{x,z}\n@data\n?,u,x\n2,?,z\n", "a b=? b=u b=v [NaN 0 1 0] [2 1 0 0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(userSet(t, fmt.Sprintf("file = %q\n%s", c.file, c.toml), c.file, c.content))(t)
			text := strings.Join(s.Features, " ")
			for i := range s.Y {
				text += fmt.Sprint(" ", s.X.RawRowView(i))
			}
			must.Be(t, text, c.want)
			must.Be(t, s.Gaps.Impute == "", strings.Contains(c.name, "no level"), "the set's gaps", s.Gaps)
		})
	}
}

// TestDecimalCommaTarget: targets are numbers of the file too.
func TestDecimalCommaTarget(t *testing.T) {
	s, err := userSet(t, "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\nseparator = \";\"\ndecimal = "+
		"\",\"\ntask = \"regression\"", "my.csv", "a;y\n1;1,5\n2;-2\n")
	if err != nil || s.Y[0] != 1.5 || s.Y[1] != -2 {
		t.Errorf("%v, %v", s, err)
	}
}

// TestOtherNotations: what is not read is named, with what to do.
func TestOtherNotations(t *testing.T) {
	const head = "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\nseparator = \";\"\n"
	for _, c := range []struct{ keys, value, want string }{
		{"", "1,234,567.5", `if these are separators of thousands, write thousands = ","`},
		{"", "1_000", `if these are separators of thousands, write thousands = "_"`},
		{"", "12 345", `if these are separators of thousands, write thousands = " "`},
		{"", "1'234.50", `if these are separators of thousands, write thousands = "'"`},
		{"", "1,234",
			`if the comma is a decimal comma, write decimal = ","; if it separates thousands, write thousands = ","`},
		{"", "2,5", `if the comma is a decimal comma, write decimal = ","`},
		{"decimal = \",\"", "1.234,5", `if these are separators of thousands, write thousands = "."`},
		{`thousands = ","`, "1,23",
			`thousands = "," separates groups of three digits; if the comma is a decimal comma, ` +
				`write decimal = "," instead`},
		{`thousands = ","`, "0,123",
			`thousands = "," separates groups of three digits; if the comma is a decimal comma`},
		{`thousands = ","`, "12,34,67", "repair it, or list the column in categorical or drop"},
		{`thousands = ","`, "1 234",
			`if these are separators of thousands, write the thousands = "," of the set throughout the file`},
		{"", "5‰", "write the number with %, with one sign or code of a currency, or with none"},
		{"decimal = \",\"", "2.5", `it has a decimal point, and the set says decimal = ","; write one of them ` +
			`throughout the file`},
		{"", "2020-01-31", "if the column holds dates, list it in dates"},
		{"", "31.12.2020 10:15", "if the column holds dates, list it in dates"},
		{"decimal = \",\"", "31.12.2020", "if the column holds dates, list it in dates"},
		{"", "3 Jan 2021", "if the column holds dates, list it in dates"},
		{"", "10:15:30", "times of a day are not read; list the column in drop, or write a number, such as seconds"},
		{"impute = \"mean\"", "NA", `if it stands for a missing value, write missing = ["", "NA"] with impute = ` +
			`"median"`},
	} {
		_, err := userSet(t, head+c.keys, "my.csv", "a;y\n1;x\n"+c.value+";z\n")
		must.Say(t, err, fmt.Sprintf("DIR/my.csv:3: column 0 (\"a\"): value %q is not a finite number; ", c.value)+
			c.want)
	}
}

// TestGapsKeepFingerprints: a set without the keys of gaps has the bytes and the key that it had before them; one mark
// alone is written as it was.
func TestGapsKeepFingerprints(t *testing.T) {
	for keys, want := range map[string]string{
		"":                                     "20a19b2fd56c",
		"missing_as = \"level\"":               "7f715c0e2d57",
		"missing = \"?\"\nmissing_as=\"zero\"": "ba876d0cbe10",
		"missing = \"?\"":                      "073ec4fcc3e3",
	} {
		s, err := userSet(t, "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\n"+keys, "my.csv", "a,y\n1,x\n2,z\n")
		if err != nil || s.Gaps != (datasets.Gaps{}) || math.IsNaN(s.X.At(0, 0)) {
			t.Fatal(s, err)
		}
		must.Be(t, s.Fingerprint[:12], want, keys)
	}
}
