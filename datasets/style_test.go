package datasets_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// TestThousands describes columns in which thousands may be separated. What is certain is read and noted. What is not
// is a problem or a note, until --thousands says it.
func TestThousands(t *testing.T) {
	const commas, semicolons = ",", ";"
	problem := "column x: each of 40 values is written with a comma "
	for _, c := range []struct {
		what, separator, values, thousands, keys, said string
	}{
		{"a decimal point behind commas", commas, "12,632.31|1,000|7", "", `thousands = ","`,
			`"12,632.31" is read as 12632.31`},
		{"two commas", semicolons, "1,234,567|1,000|2,000", "", `thousands = ","`, `"1,234,567" is read as 1234567`},
		{"one comma, columns with commas", commas, "45,000|120,500", "", `thousands = ","`,
			`"45,000" is read as 45000`},
		{"one comma", semicolons, "45,000|120,500", "", "", problem},
		{"one comma, said", semicolons, "45,000|120,500", ",", `thousands = ","`, ""},
		{"one comma, and numbers below 1000", semicolons, "45,000|120,500|999", "", `thousands = ","`,
			"is read as 45000"},
		{"one comma, and numbers from 1000 on", semicolons, "45,000|1500|999", "", "",
			"column x: each of 14 values is written with a comma "},
		{"decimal commas", semicolons, "1,25|0,500|1,234", "", `decimal = ","`, ""},
		{"points, decimal commas", semicolons, "1.234,5|1.000|2", "", `decimal = ","; thousands = "."`,
			`"1.234,5" is read as 1234.5`},
		{"two points", semicolons, "1.234.567|2.000", "", `decimal = ","; thousands = "."`, `is read as 1234567`},
		{"one point", semicolons, "1.234|2.000|7", "", "", "if the point separates thousands, say so by --thousands ."},
		{"one point, said", semicolons, "1.234|2.000|7", ".", `decimal = ","; thousands = "."`, ""},
		{"decimal points", semicolons, "1.234|2.000|0.5", "", "", ""},
		{"apostrophes", commas, "1'234.5|2’000|7", "", `thousands = "'"`, "is read as 1234.5"},
		{"no-break blanks", semicolons, "1\u00a0234,5|2\u202f000|7", "", `decimal = ","; thousands = " "`,
			"is read as 1234.5"},
		{"a no-break blank behind", commas, "7\u00a0|12,500\u00a0|1,000", "", `thousands = ","`, "is read as 12500"},
		{"two numbers with a blank", commas, "123 456|234 567", "", "", "is written with thousands separators"},
		{"underscores", commas, "1_234|7", "", `thousands = "_"`, "is read as 1234"},
		{"percent", commas, "1,234.5 %|12%", "", `thousands = ","`, "is read as 1234.5"},
		{"groups of other sizes", commas, "12,34,56|1,23,45", "", "", "2 levels of x"},
		{"a typographic minus", commas, "−1.5|2.5|3.5", "", "",
			`column x: each of 14 values is a negative number in another notation (DIR/a.csv:2 "−1.5"`},
		{"an accountant's parentheses", commas, "(1,234)|2,345", "", "",
			"column x: each of 20 values is a negative number in another notation "},
		{"groups of two, then of three", commas, "12,34,567|1,23,456.5", "", `thousands = ","`, "is read as 1234567"},
	} {
		t.Run(c.what, func(t *testing.T) {
			values := strings.Split(c.values, "|")
			d := must.Get(described(t, "a.csv", "x"+c.separator+"y\n"+rows(40, func(i int) string {
				return `"` + values[i%len(values)] + `"` + c.separator + []string{"u", "v"}[i*5%7%2]
			}), read.Hints{Thousands: c.thousands}))(t)
			got := keys(d.TOML)
			_, got, _ = strings.Cut(got, "header = true; ")
			got, _, _ = strings.Cut(got, "label = ")
			must.Be(t, strings.TrimSuffix(got, "; "), c.keys)
			must.Hold(t, strings.Join(d.Problems, "\n")+"\n"+strings.Join(d.Notes, "\n"), c.said)
		})
	}
	d := must.Get(described(t, "a.csv", "a,b,y\n"+rows(40, func(i int) string {
		return fmt.Sprintf("%q,%q,%s", "1,234,5"+fmt.Sprint(10+i), "1'2"+fmt.Sprint(10+i), []string{"u", "v"}[i*5%7%2])
	}), read.Hints{}))(t)
	must.Hold(t, strings.Join(d.Problems, "\n"),
		`thousands are separated by "," in column a and by "'" in column b; write one`)
	d = must.Get(described(t, "a.csv", "a;b;c;y\n"+rows(40, func(i int) string {
		return fmt.Sprintf("%d,9%%;%d.25;%s;%s", i, i*i%29, []string{"7", "7", "007"}[i%3], []string{"u", "v"}[i*5%7%2])
	}), read.Hints{}))(t)
	must.Hold(t, strings.Join(d.Problems, "\n"), "each of 40 values is written with another decimal separator")
	must.Hold(t, strings.Join(d.Notes, "\n"), `column c is left out: every known value is equal: "7", "007"`)
}

// TestWords describes columns of words. Those of one pair are 1 and 0. Other words that mean yes or no, such as
// T and Y, are categories.
func TestWords(t *testing.T) {
	for words, want := range map[string]string{
		"Y|n|YES|no":   "20 yes, which is 1, and 20 no, which is 0",
		"T|f|TRUE|f":   "20 true, which is 1, and 20 false, which is 0",
		"T|Y":          "2 categories",
		"F|N":          "2 categories",
		"T|N|F":        "3 categories",
		"yes|no|FALSE": "3 categories",
	} {
		texts := strings.Split(words, "|")
		d := must.Get(described(t, "a.csv", "x,z,y\n"+rows(40, func(i int) string {
			return fmt.Sprintf("%s,%d,%s", texts[i%len(texts)], i*i, []string{"u", "v"}[i*5%7%2])
		}), read.Hints{}))(t)
		must.Hold(t, d.TOML, `# column 0 "x": `+want)
	}
}

// TestNumberedHeaders describes files whose first line names the columns, although some names are numbers. No such line
// is a row, and no row is such a line.
func TestNumberedHeaders(t *testing.T) {
	const names = "note: the first line is read as the names of the columns: "
	for _, c := range []struct {
		first, z string // z is what the values of the second column begin with
		o        read.Hints
		header   bool
	}{
		{"0,1,2", "", read.Hints{}, true},
		{",0,1", "", read.Hints{}, false}, // two names that are counted may be two values
		{"0,1,3", "", read.Hints{}, false},
		{"2019,2020,y", "", read.Hints{}, true},
		{"2019,NA,y", "", read.Hints{}, true},
		{"2019,site,7", "s", read.Hints{Group: "site"}, true},
		{"2019,site,7", "s", read.Hints{}, false}, // a text as those below it
		{"2019,?,7", "s", read.Hints{}, false},
	} {
		content := c.first + "\n" + rows(40, func(i int) string {
			return fmt.Sprintf("%d,%s%d,%d.5", i*i, c.z, i*3%40, i*i*i%41)
		})
		d := must.Get(described(t, "a.csv", content, c.o))(t)
		must.Hold(t, d.TOML, "header = "+strconv.FormatBool(c.header)+"\n")
		must.Be(t, strings.Contains("note: "+strings.Join(d.Notes, "\nnote: "), names), c.header, c.first, d.Notes)
	}
}

// TestMixedColumns describes a column in which texts are among numbers, too many for a mark of missing values, and
// groups that differ in upper and lower case alone.
func TestMixedColumns(t *testing.T) {
	content := "x,z,y\n" + rows(40, func(i int) string {
		x := fmt.Sprint(i*i%37, ".5")
		if i%3 == 0 {
			x = "unknown"
		}
		return fmt.Sprintf("%s,%s%d,%s", x, []string{"p", "P"}[i%2], i%5, []string{"u", "v"}[i*5%7%2])
	})
	d := must.Get(described(t, "a.csv", content, read.Hints{Group: "z"}))(t)
	notes := strings.Join(d.Notes, "\n")
	must.Hold(t, notes, `column x: 26 of 40 values are numbers or dates, and others are texts such as "unknown"`)
	must.Hold(t, notes, `the group z: "p0" and "P0" differ in case or blanks alone; if they are one, write one of `+
		`them throughout the file`)
}

// TestNumbersAsPeopleWriteThem draws numbers and writes them twice, once plainly and once with separators of thousands
// and percent signs. Both tables are read as the same numbers. If --thousands does not say what separates, describe
// may also name the column in a problem or a note.
func TestNumbersAsPeopleWriteThem(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		style := rapid.SampledFrom([]read.Style{{Thousands: ","}, {Thousands: "'"}, {Thousands: " "}, {Thousands: "_"},
			{Decimal: ",", Thousands: "."}, {Decimal: ",", Thousands: " "}}).Draw(r, "style")
		said := rapid.Bool().Draw(r, "said")
		kinds := rapid.SliceOfN(rapid.SampledFrom([]string{"", "%", " %"}), 1, 3).Draw(r, "percent")
		const n = 30
		plain, written := "", ""
		for i := range n {
			for _, unit := range kinds {
				whole := rapid.IntRange(-9_999_999, 9_999_999).Draw(r, "whole")
				part := rapid.SampledFrom([]string{"", ".5", ".25", ".125"}).Draw(r, "part")
				number := strconv.Itoa(whole)
				plain += number + part + ";"
				written += groupedBy(number, style.Thousands) + strings.ReplaceAll(part, ".", point(style)) + unit + ";"
			}
			label := []string{"u", "v"}[i%2] + "\n"
			plain, written = plain+label, written+label
		}
		head := strings.Repeat("x;", len(kinds)) + "y\n"
		o := read.Hints{Drop: []string{}}
		want, _ := loaded(r, dir, head+plain, o)
		if said {
			o.Thousands = style.Thousands
		}
		got, d := loaded(r, dir, head+written, o)
		if got == nil || len(got.Features) < len(want.Features) {
			if said && style.Decimal == "" || d.Problems == nil {
				r.Fatalf("problems %q, notes %q of\n%s", d.Problems, d.Notes, written)
			}
			return
		}
		for i, v := range got.X.RawMatrix().Data {
			must.Be(r, v, want.X.RawMatrix().Data[i], d.Notes, written)
		}
	})
}

// point is the decimal separator of a style.
func point(s read.Style) string { return string("."[:1-len(s.Decimal)]) + s.Decimal }

// groupedBy writes a whole number with a separator of thousands.
func groupedBy(number, separator string) string {
	sign, digits := "", strings.TrimPrefix(number, "-")
	if digits != number {
		sign = "-"
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + separator + digits[at:]
	}
	return sign + digits
}

// loaded describes a file and loads it; the set is nil if it does not load.
func loaded(t must.T, dir, content string, o read.Hints) (*datasets.Set, *read.Description) {
	path := filepath.Join(dir, "a.csv")
	o.TOML, o.Memory = filepath.Join(dir, "a.toml"), 1<<30
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
	d := must.Get(read.Describe(context.Background(), path, o))(t)
	e := must.Get(catalogue.Description{TOML: d.TOML, Path: o.TOML}.Entry())(t)
	set, err := read.Load(context.Background(), catalogue.Directory{Memory: 1 << 30}, e)
	must.Be(t, err == nil, d.Loads)
	return set, d
}

// TestCurrencies: numbers with one sign of a currency are numbers. Two signs in a column are a problem.
func TestCurrencies(t *testing.T) {
	for values, want := range map[string]string{
		"$5|-$7.5|$ 1,200|$-3": "numbers -7.5 to 1200, 4 different",
		"5 €|-7 €|€9":          "numbers -7 to 9, 3 different",
		"£1|£2":                "numbers 1 to 2, 2 different",
		"$5|€7":                "each of 20 values is a number with the sign €",
		"₹5|-₹7|₹ 1,200":       "numbers -7 to 1200, 3 different",
		"USD 5|-7.5 USD":       "numbers -7.5 to 5, 2 different",
		"R$5|R$ .5":            "numbers 0.5 to 5, 2 different",
		"CHF 5|EUR 7":          "each of 20 values is a number with the sign EUR",
		"₼5|₼7":                "write the number with %, with one sign or code of a currency, or with none",
		"$5|7":                 "each of 20 values is a number with the sign $",
		"5‰|7‰":                "write the number with %, with one sign or code of a currency, or with none",
	} {
		d := must.Get(described(t, "a.csv", "x;y\n"+rows(40, func(i int) string {
			v := strings.Split(values, "|")
			return v[i%len(v)] + ";" + []string{"u", "v"}[i*5%7%2]
		}), read.Hints{Label: "y"}))(t)
		must.Hold(t, d.TOML+strings.Join(d.Problems, "\n"), want)
	}
	d := must.Get(described(t, "a.csv", "x,y\n"+rows(40, func(i int) string {
		return fmt.Sprintf("%d,$%d.5", i*7%40, i)
	}), read.Hints{Label: "y"}))(t)
	must.Hold(t, keys(d.TOML), `task = "regression"`)
}

// TestFolded: texts that differ in case or blanks alone are one where this was asked for.
func TestFolded(t *testing.T) {
	content := "c,when,y\n" + rows(60, func(i int) string {
		return []string{"Red", "red ", "RED", "blue  sky", "Blue sky", "N.A."}[i%6] + ",2020-01-01T10:0" +
			fmt.Sprint(i%10) + "Z," + []string{"Yes", "no", "NO", "yes "}[i*5%7%4]
	})
	d := must.Get(described(t, "a.csv", content, read.Hints{Label: "y", Fold: true, Positive: []string{"YES"}}))(t)
	must.Hold(t, keys(d.TOML), `positive = ["yes"]; fold = true; dates = ["when"]; categorical = ["c"]; `+
		`missing = ["n.a."]`)
	must.Hold(t, strings.Join(d.Notes, "\n"), "3 levels of c")
	must.Hold(t, d.TOML, `label "yes" (class +1): `)
	set, _ := loaded(t, t.TempDir(), content, read.Hints{Label: "y", Fold: true})
	must.Be(t, strings.Join(set.Features[3:], " "), "c=blue sky c=n.a. c=red")
	must.Be(t, strings.Join(set.Labels, " "), "no yes")
}

// TestUnlabelled: rows without a label are left out and counted where this was asked for.
func TestUnlabelled(t *testing.T) {
	content := "x,y\n" + rows(60, func(i int) string {
		return fmt.Sprintf("%d,%s", i*7%60, []string{"u", "v", "", "NA", "v"}[i%5])
	})
	set, d := loaded(t, t.TempDir(), content, read.Hints{Label: "y", DropUnlabelled: true})
	must.Hold(t, strings.Join(d.Notes, "\n"), "rows without a label, which are left out: 24 (")
	must.Be(t, len(set.Y), 36)
	must.Be(t, set.X.At(2, 0), 28.0)
	must.Hold(t, strings.Join(set.Notes, "\n"), "rows without a label, which are left out: 24")
	d = must.Get(described(t, "a.csv", content, read.Hints{Label: "y"}))(t)
	must.Hold(t, strings.Join(d.Problems, "\n"), "or leave them out by --drop-unlabelled")
}
