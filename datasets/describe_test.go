package datasets_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// described writes a file and describes it. In texts the folder reads DIR.
func described(t *testing.T, name, content string, o read.Hints) (*read.Description, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
	if o.Test != "" {
		test := filepath.Join(dir, "test-"+name)
		must.Do(t, os.WriteFile(test, []byte(o.Test), 0o600))
		o.Test = test
	}
	o.TOML, o.Memory = filepath.Join(dir, "set.toml"), cmp.Or(o.Memory, 1<<30)
	d, err := read.Describe(t.Context(), path, o)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), dir, "DIR"))
	}
	d.TOML = strings.ReplaceAll(d.TOML, dir, "DIR")
	for _, list := range [][]string{d.Problems, d.Notes} {
		for i := range list {
			list[i] = strings.ReplaceAll(list[i], dir, "DIR")
		}
	}
	return d, nil
}

// keys are the lines of a description that are no comments.
func keys(toml string) string {
	lines := slices.DeleteFunc(strings.Split(toml, "\n"), func(l string) bool { return l == "" || l[0] == '#' })
	return strings.Join(lines, "; ")
}

// rows repeats lines until there are n.
func rows(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// TestFormats: what decides how a file is read. Each description loads.
func TestFormats(t *testing.T) {
	csv := func(sep, point string) string {
		return rows(40, func(i int) string {
			return strings.Join([]string{strings.ReplaceAll(fmt.Sprint(float64(i*7%40)/2, sep, i*11%13), ".", point),
				[]string{"u", "v"}[i*5%7%2]}, sep)
		})
	}
	for _, c := range []struct{ what, name, content, want string }{
		{"commas and a header", "a b.csv", "x,z,class\n" + csv(",", "."), `name = "a-b"; file = "a b.csv"; task = ` +
			`"binary"; format = "csv"; separator = ","; header = true; label = "class"   # a guess; positive = ["v"]`},
		{"an export of a spreadsheet", "a.csv", "\xef\xbb\xbf" + strings.ReplaceAll("x;z;class\n"+csv(";", ","), "\n",
			"\r\n"), `name = "a"; file = "a.csv"; task = "binary"; format = "csv"; separator = ";"; header = true; ` +
			`decimal = ","; label = "class"   # a guess; positive = ["v"]`},
		{"no header", "a.data", csv(",", "."), `name = "a"; file = "a.data"; task = "binary"; format = "csv"; ` +
			`separator = ","; header = false; label = 2   # a guess; positive = ["v"]`},
		{"decimal commas without a header", "a.csv", csv(";", ","), `name = "a"; file = "a.csv"; task = "binary"; ` +
			`format = "csv"; separator = ";"; header = false; decimal = ","; label = 2   # a guess; positive = ["v"]`},
		{"tabs", "a.txt", "x\tz\ty\n" + csv("\t", "."), `name = "a"; file = "a.txt"; task = "binary"; format = ` +
			`"csv"; separator = "tab"; header = true; label = "y"   # a guess; positive = ["v"]`},
		{"blanks", "a.txt", csv("  ", "."), `name = "a"; file = "a.txt"; task = "binary"; format = "blank"; header = ` +
			`false; label = 2   # a guess; positive = ["v"]`},
		{"LIBSVM", "a.dat", rows(30, func(i int) string {
			return fmt.Sprintf("%+d 1:%d 7:2", i%2*2-1, i)
		}), `name = "a"; file = "a.dat"; task = "binary"; format = "libsvm"; positive = ["1"]`},
		{"ARFF", "a.txt", "% c\n@relation r\n@attribute x numeric\n@attribute colour {red, blue}\n@attribute class " +
			"{p, q, r}\n@data\n" + rows(30, func(i int) string {
			return fmt.Sprintf("%s,%s,%s", []string{"?", "1", "2.5"}[i%3], []string{"red", "?", "blue", "red"}[i%4],
				[]string{"p", "q", "r"}[i*7%5%3])
		}), `name = "a"; file = "a.txt"; task = "multiclass"; format = "arff"; ` +
			`label = "class"   # a guess; missing = ["?"]; impute = "median"; ` +
			`cautions = ["5 rows repeat an earlier row with the same label: ` +
			`a random split puts such rows on both sides", "16 rows repeat an earlier row with another label"]`},
		{"regression", "a.csv", "x,y\n" + rows(40, func(i int) string {
			return fmt.Sprintf("%d,%v", i*7%40, float64(i*i%41)/3)
		}), `name = "a"; file = "a.csv"; task = "regression"; format = "csv"; separator = ","; header = true; label ` +
			`= "y"   # a guess`},
		{"two columns of one name", "a.csv", "x,x,y\n" + csv(",", "."), `name = "a"; file = "a.csv"; task = ` +
			`"binary"; format = "csv"; separator = ","; header = true; label = "y"   # a guess; positive = ["v"]`},
	} {
		t.Run(c.what, func(t *testing.T) {
			d := must.Get(described(t, c.name, c.content, read.Hints{}))(t)
			must.Be(t, keys(d.TOML), c.want)
			if !d.Loads || d.Problems != nil {
				t.Errorf("problems: %v", d.Problems)
			}
		})
	}
}

// TestColumns: for each kind of column, whether the description drops or encodes the column, and which problem or note
// names it.
func TestColumns(t *testing.T) {
	content := "id,unit,when,amount,age,colour,note,code,leak,level,twin,outcome\n" + rows(120, func(i int) string {
		age, level := fmt.Sprint(20+i*37%60), []string{"low", "high"}[i%2]
		if i%10 == 3 {
			age = "unknown"
		}
		if i == 50 {
			level = "rare"
		}
		outcome := []string{"none", "mild", "severe"}[i*7%11%3]
		return strings.Join([]string{fmt.Sprint(1000 + i), "kg", fmt.Sprintf("2021-03-%02d", 1+i%28),
			fmt.Sprintf("%q", fmt.Sprintf("%d,%03d,000.5", 1+i%9, i)), age,
			[]string{"red", "NA", "blue"}[i%3], fmt.Sprintf("text %d", i),
			[]string{"-999", fmt.Sprint(i * 13 % 40)}[min(1, i%8)], outcome[:1], level, level, outcome}, ",")
	})
	content += content[strings.Index(content, "\n")+1:][:strings.Index(content[strings.Index(content, "\n")+1:], "\n")+
		1]
	d := must.Get(described(t, "a.csv", content, read.Hints{Positive: []string{"mild", "severe"}}))(t)
	want := `name = "a"; file = "a.csv"; task = "binary"; format = "csv"; separator = ","; header = true; ` +
		`thousands = ","; label = "outcome"   # a guess; positive = ["mild", "severe"]; ` +
		`drop = ["id", "unit", "note"]; dates = ["when"]; ` +
		`categorical = ["colour", "leak", "level", "twin"]; missing = ["NA", "unknown"]; impute = "median"; ` +
		`cautions = ["column id is left out: it numbers the rows", ` +
		`"column note is left out: it looks like an identifier or free text: 120 different values in 121 rows", ` +
		`"column leak looks like a leak: it tells the label of every row by itself; ` +
		`drop it if it is not known before the label", ` +
		`"1 row repeats an earlier row with the same label: a random split puts such rows on both sides"]`
	must.Be(t, keys(d.TOML), want)
	said := strings.Join(append(d.Problems, d.Notes...), "\n")
	for _, part := range []string{
		"column id is left out: it numbers the rows", `column unit is left out: every known value is "kg"`,
		`column when: dates ("2021-03-01" is 2021-03-01) become days since`,
		`"," separates thousands in column amount: "1,000,000.5" is read as 1000000.5`,
		`column age: "unknown" in 12 rows is read as a missing value`,
		"column note is left out: it looks like an identifier or free text", "column code has -999 in 16 rows, far " +
			"from its other values 1 to 39",
		"column leak looks like a leak", `column level: levels with fewer than 5 rows, which a fold may have in its ` +
			`validation part alone: "rare"`,
		"column twin repeats column level", "1 row repeats an earlier row with the same label",
		"the set has 121 rows and 18 features",
	} {
		must.Hold(t, said, part)
	}
	if !d.Loads || strings.Contains(said, "column colour looks") || strings.Contains(said, "column age looks") {
		t.Errorf("said:\n%s", said)
	}
}

// TestTestFile: levels that only test rows have are named, and the description has both files.
func TestTestFile(t *testing.T) {
	line := func(i int) string { return fmt.Sprintf("%d,%s,%d", i*7%40, []string{"red", "blue"}[i%2], i*5%7%2) }
	d, err := described(t, "a.csv", "x,colour,y\n"+rows(40, line),
		read.Hints{Test: "x,colour,y\n" + rows(20, line) + "3,green,1\n"})
	if err != nil || !d.Loads {
		t.Fatal(d, err)
	}
	must.Hold(t, d.TOML, "test = \"test-a.csv\"\n")
	must.Have(t, d.Notes, `column colour: levels of the test file that no training row has: "green"`)
}

// TestPacked describes a CSV file and a LIBSVM file, each once as it is and once packed by gzip. The two descriptions
// differ only in the name of the data file.
func TestPacked(t *testing.T) {
	table := "x,colour,y\n" + rows(40, func(i int) string {
		return fmt.Sprintf("%d,%s,%d", i*7%40, []string{"red", "blue"}[i%2], i*5%7%2)
	})
	sparse := rows(40, func(i int) string { return fmt.Sprintf("%d 1:%d 3:%d", i%2, i, i*7%40) })
	for name, text := range map[string]string{"a.csv": table, "a.svm": sparse} {
		plain := must.Get(described(t, name, text, read.Hints{}))(t)
		packed, err := described(t, name+".gz", testenv.Gzip(t, text), read.Hints{})
		if err != nil || !packed.Loads {
			t.Fatal(packed, err)
		}
		must.Be(t, strings.ReplaceAll(packed.TOML, name+".gz", name), plain.TOML)
		must.Be(t, packed.Notes, plain.Notes)
	}
}

// TestProblemsOfMarksAndClasses describes a file in which the word none is a missing value of a numeric column and a
// category of another column, and in which the smaller class has too few rows for five folds. Each of the two is
// reported as a problem.
func TestProblemsOfMarksAndClasses(t *testing.T) {
	line := func(i int) string {
		x := fmt.Sprint(i * 7 % 60)
		if i%30 == 7 {
			x = "none"
		}
		return fmt.Sprintf("%s,%s,%d", x, []string{"none", "some"}[i%2], min(1, i/55))
	}
	d := must.Get(described(t, "a.csv", "x,kind,y\n"+rows(60, line), read.Hints{}))(t)
	for _, want := range []string{
		`"none" is read as a missing value in column x, and is a category of column kind; write another text in one ` +
			`of them`,
		`the class of "1" has 5 of 60 rows: protocol table2, with five folds, cannot split the set; leave the class ` +
			`out or join it with another one`,
	} {
		must.Have(t, d.Problems, want)
	}
}

// TestAllAtOnce: several things that are wrong are said in one go, with a description that says what does not load.
func TestAllAtOnce(t *testing.T) {
	d, err := described(t, "a.csv", "x,z,y\n"+rows(30, func(i int) string {
		return fmt.Sprintf("%d,%d.5,%s", i, i, []string{"a", "b", "c"}[i*7%5%3])
	})+"1,2\nabc1,3.5,\n4,5.5,d\n5,6,c,8\n", read.Hints{})
	must.Do(t, err)
	said := strings.Join(d.Problems, "\n")
	must.Hold(t, said, "DIR/a.csv:32: the line has 2 columns and most have 3",
		"DIR/a.csv:35: the line has 4 columns and most have 3", `column x: 1 value is not a number (DIR/a.csv:33 `+
			`"abc1")`,
		"rows without a label: 1 (DIR/a.csv:33)", `class "d" has 1 of 32 rows`, "the set does not load yet: ")
	must.Be(t, d.Loads, false, "it loads")
}

func TestRefusals(t *testing.T) {
	plain := "x,y\n" + rows(30, func(i int) string {
		return fmt.Sprintf("%d,%s", i, []string{"mild", "none", "severe"}[i%3])
	})
	for _, c := range []struct {
		name, content string
		o             read.Hints
		want          string
	}{
		{"a.parquet", "PAR1xxxx", read.Hints{},
			`DIR/a.parquet: the file cannot be read as Parquet: invalid magic footer of parquet file: "xxxx"`},
		{"a.xlsx", "PK\x03\x04", read.Hints{},
			"DIR/a.xlsx: workbooks are not read; save the sheet as CSV (UTF-8) in the spreadsheet program"},
		{"a.csv.gz", plain, read.Hints{},
			"DIR/a.csv.gz: the file is not packed by gzip (gzip: invalid header); correct its name or its content"},
		{"a.csv.gz", testenv.Gzip(t, strings.Repeat(plain, 1<<16)), read.Hints{Memory: 16 << 20},
			"DIR/a.csv.gz: unpacking the file takes more than 16 MiB of memory; raise --memory, or describe a file " +
				"of its first lines"},
		{"a.csv", plain, read.Hints{Positive: []string{"mild", "sever"}},
			`DIR/a.csv: no row has the label "sever" of --positive; the labels are "mild", "none", "severe"; did you ` +
				`mean "severe"?`},
		{"a.csv", "outcome,y\n" + plain, read.Hints{Label: "outcom"},
			`DIR/a.csv: there is no column "outcom"; the columns are "outcome", "y"; did you mean "outcome"?`},
		{"a.csv", "x,y\n1,a\n2,a\n", read.Hints{},
			`DIR/a.csv: every row has the label "a"; --label names another column`},
		{"a.csv", "words\nonly\n", read.Hints{},
			"DIR/a.csv: every line has one column; a set needs an input and a label"},
	} {
		must.Be(t, fmt.Sprint(must.Err(described(t, c.name, c.content, c.o))), c.want)
	}
}

// TestFilesAsTheyCome describes files as programs and people write them. They are read as meant, or refused in one
// line. Of a file that is read, want is a part of its description or of a note.
func TestFilesAsTheyCome(t *testing.T) {
	lines := func(head, row string) string { // of 40 rows, in which %d and %s stand for a number and a label
		return head + rows(40, func(i int) string {
			return strings.NewReplacer("%d", fmt.Sprint(i*7%40), "%s", []string{"a", "b"}[i*5%7%2]).Replace(row)
		})
	}
	plain := lines("x,y\n", "%d,%s")
	large := rows(40, func(i int) string { return fmt.Sprintf("%d,%d", i*7%40, 9007199254740992+i%2) })
	const relation = "@attribute x real\n@attribute y {a,b}\n@data\n"
	sparse := func(row string) string { // in which %d and %s stand for a number and a label
		return strings.NewReplacer("a ", "0 ", "b ", "1 ").Replace(lines("", row))
	}
	for _, c := range []struct{ what, name, content, want, refused string }{
		{"CR, and LF at the end", "a.csv", strings.TrimSuffix(strings.ReplaceAll(plain, "\n", "\r"), "\r") + "\n",
			`# label "a": 22 rows`, ""},
		{"CR", "a.csv", strings.ReplaceAll(plain, "\n", "\r"), `# label "a": 22 rows`, ""},
		{"a remark first", "a.csv", "# made by hand, in May, twice\n" + plain, "the rows begin in line 2", ""},
		{"remarks and blank lines first", "a.csv", "# one\n\n# two\n" + plain, "the rows begin in line 4", ""},
		{"a remark, and a name of two lines", "a.csv", "# by hand\n\"the\nx\"," + plain[2:], `"the\nx"`, ""},
		{"names behind #", "a.csv", "#" + plain, `# column 0 "#x": numbers 0 to 39`, ""},
		{"a remark later", "a.csv", plain + "# end\n", "the line has 1 column and most have 2", ""},
		{"sep=;", "a.csv", "sep=;\n" + strings.ReplaceAll(plain, ",", ";"), `separator = ";"`, ""},
		{"quoted sep=|", "a.csv", "\"sep=|\"\r\n" + strings.ReplaceAll(plain, ",", "|"), `separator = "|"`, ""},
		{"a separator at the ends", "a.csv", strings.ReplaceAll(plain, "\n", ",\n"), `label = "y"`, ""},
		{"a separator at the ends, no names", "a.csv", lines("", "%d,%s,"), "label = 1   # a guess", ""},
		{"percent signs", "a.csv", lines("x,y\n", "%d.5 %,%s"), `# column 0 "x": numbers 0.5 to 39.5, 40 different`,
			""},
		{"some percent signs", "a.csv", lines("x,y\n", "%d%,%s") + "7,a\n",
			`1 value is a plain number (DIR/a.csv:42 "7"); each of the other 40 is a number with a percent sign`, ""},
		{"half of the percent signs", "a.csv", plain + lines("", "%d%,%s"),
			"each of 40 values is a number with a percent sign (DIR/a.csv:42 ", ""},
		{"yes and no", "a.csv", lines("x,y\n", "YES,%s") + "No,a\n?,b\nn,a\n",
			`# column 0 "x": 40 yes, which is 1, and 2 no, which is 0; 1 missing`, ""},
		{"yes, no and perhaps", "a.csv", lines("x,y\n", "yes,%s") + "no,a\nperhaps,b\n", "3 categories", ""},
		{"yes among numbers", "a.csv", plain + "yes,a\n", `1 value is a yes or a no (DIR/a.csv:42 "yes")`, ""},
		{"amounts", "a.csv", lines("x,y\n", "$%d.50,%s"), "numbers 0.5 to 39.5", ""},
		{"amounts in another unit", "a.csv", lines("x,y\n", "%d ‰,%s"), "is written with the sign of a unit", ""},
		{"UTF-16", "a.csv", "\xff\xfex\x00,\x00", "", "the file is UTF-16 text; save it as UTF-8"},
		{"UTF-16 without a mark", "a.csv", "x\x00,\x00y\x00\n\x00", "",
			"a.csv:1: the line has a byte 0; save the file as UTF-8 text"},
		{"a byte 0", "a.csv", plain + "\x00\n", "", "a.csv:42: the line has a byte 0; save the file as UTF-8 text"},
		{"only names", "a.csv", "x,y\n", "", "the file has no data rows"},
		{"blanks around labels", "a.csv", plain + "1, a \n2,\" a\"\n", `# label "a": 24 rows`, ""},
		{"labels in upper case", "a.csv", plain + "1,A\n2,A\n3,A\n",
			`the label: "a" and "A" differ in case or blanks alone`, ""},
		{"categories alike", "a.csv", lines("c,y\n", "Self-%s,%s") + "self-a,a\nself-b ,b\n",
			`column c: "self-a" and "Self-a" differ`, ""},
		{"labels beyond 2^53", "a.csv", "x,y\n" + large, `positive = ["9007199254740993"]`, ""},
		{"numbers beyond 2^53", "a.csv", lines("x,y\n", "90071992547410%d,%s"),
			"are rounded to floating-point numbers", ""},
		{"labels beyond 2^53", "a.arff",
			"@attribute x real\n@attribute y{9007199254740992,9007199254740993}\n@data\n" + large,
			`positive = ["9007199254740993"]`, ""},
		{"no blank before {", "a.arff", lines("@attribute x real\n@attribute class{a,b}\n@data\n", "%d,%s"),
			`label = "class"`, ""},
		{"keywords in upper case", "a.arff",
			lines("@RELATION r\n@ATTRIBUTE x REAL\n@ATTRIBUTE y {a,b}\n@DATA\n", "%d,%s"), `label = "y"`, ""},
		{"tabs", "a.arff", lines(relation, "%d\t%s"), `# label "a": 22 rows`, ""},
		{"blanks", "a.arff", lines(relation, " %d  '%s' "), `# label "a": 22 rows`, ""},
		{"remarks behind rows", "a.arff", lines(relation, "%d,%s % a, b % c"), `# label "a": 22 rows`, ""},
		{"remarks behind numbers", "a.arff", lines("@attribute y {a,b}\n@attribute x real\n@data\n", "%s,%d % x"),
			"numbers 0 to 39", ""},
		{"remarks behind sparse rows", "a.arff", lines(relation, "{0 %d, 1 %s} % x"), "numbers 0 to 39", ""},
		{"a level with %", "a.arff",
			lines("@attribute x {10 % off,none}\n@attribute y {a,b}\n@data\n", "10 % off,%s") + "none,a\n",
			`"10 % off"`, ""},
		{"a line end in a level", "a.arff",
			lines("@attribute k {'a\\nb',anb}\n@attribute y {a,b}\n@data\n", "'a\\nb',%s") + "anb,a\n",
			`2 categories: "a\nb", "anb"`, ""},
		{"an empty level", "a.arff", lines("@attribute k {'',u}\n@attribute y {a,b}\n@data\n", "'',%s") + "u,a\n",
			`2 categories: "", "u"`, ""},
		{"qid", "a.libsvm", sparse("%s qid:1 1:%d"), `"qid:1" names a group of rows`, ""},
		{"qid, another ending", "a.txt", sparse("%s qid:1 1:%d"), `"qid:1" names a group of rows`, ""},
		{"a blank behind the colon", "a.txt", sparse("%s 1: %d"), "", `no value follows "1:"`},
		{"a blank before the colon", "a.libsvm", sparse("%s 1 :%d"), "", `"1" is not index:value`},
		{"from 0", "a.libsvm", sparse("%s 0:%d"), "", `"0:0" has the index 0, and indices count from 1`},
		{"repeated", "a.libsvm", sparse("%s 1:%d 1:3"), "index 1 comes after index 1", ""},
		{"several labels", "a.libsvm", sparse("1,%s 1:%d"), "", `the line has several labels, "1,0"; keep one`},
		{"a table by its content", "a.libsvm", plain, `format = "csv"`, ""},
		{"commas by their content", "a.arff", "x,class {a or b}\n" + plain[4:], `format = "csv"`, ""},
		{"blanks by their content", "a.arff", lines("", "%d %d.5 %s"), `format = "blank"`, ""},
		{"text by its content", "a.parquet", plain, `format = "csv"`, ""},
		{"another separator in each value", "a.csv", lines("x,box,y\n", "1.%d,0;0,%s"), `separator = ","`, ""},
		{"tabs beside commas, no names", "a.data", lines("", "a,S%d,\t\tt,c,%s"), "label = 4", ""},
		{"blanks and a tab", "a.data", lines("", "1.5   8  %d\t\"car %s\""), "label = 3", ""},
		{"a line of names beyond the sample", "a.csv", "x|1," + strings.Repeat("x", 1<<16) + ",y\n" +
			lines("", "%d,1%d,%s"), `label = "y"`, ""},
		{"a quoted text over the end of the sample", "a.csv", "t;x;y\n" +
			lines("", "\""+strings.Repeat("a b\n", 1000)+"\";%d;%s"), `separator = ";"`, ""},
		{"a quote that is not doubled", "a.csv", lines("x,t,y\n", `%d,"say \"hi\" 3",%s`), "",
			"a.csv:2: text follows the closing quote of column 1"},
		{"a quote that is not closed", "a.tsv", lines("t\tx\ty\n\"3 in\t1\ta\n", "b\t%d\t%s"), "",
			"a.tsv:2: a quote is opened and never closed"},
		{"hours", "a.csv", "hour,y\n" + rows(48, func(i int) string {
			return fmt.Sprintf("%d,%d", i%24, i*5%7%2)
		}), "numbers 0 to 23", ""},
		{"names repeated", "a.csv", plain + plain, "DIR/a.csv:42: the line repeats the names of the columns", ""},
		{"years as names", "a.csv", lines("city,2019,2020,risk\n", "c%s,%d.5,%d,%s"), `label = "risk"`, ""},
		{"words without names", "a.data", lines("violet,a\n", "red,%s"), "header = false", ""},
		{"names that are values", "a.csv", lines("other,class\n", "other,%s"), "header = true", ""},
		{"names that are values, with gaps", "a.csv", lines("age,smoker\n", "1.%d,%s") + "NA,smoker\n",
			`label = "smoker"`, ""},
		{"options as names", "a.csv", lines("A,B,grade\n", "A,B,%s"), `label = "grade"`, ""},
		{"a value that is a usual name", "a.data", "1,Target,a\n2,Target,b\n" + lines("", "%d,Costco,%s"),
			"header = false", ""},
		{"numbers that ascend among others", "a.data", "AAPL,12.5,30.1,15.2\n" + rows(40, func(i int) string {
			return fmt.Sprintf("N%d,%d.5,%d.5,%d.5", i, i*7%40, i*11%41, i*13%43)
		}), "header = false", ""},
		{"a row of words again", "a.data", lines("", "u,%s"), "header = false", ""},
		{"an index that begins again", "a.csv", ",x,y\n" + rows(60, func(i int) string {
			return fmt.Sprintf("%d,%d.5,%d", i%30, i*7%60, i/30)
		}), "drop = [0]", ""},
		{"a title over another separator", "a.csv", lines("Station Nord\ntime,x,state\n", "2020-01-01 12:00,%d,%s"),
			`separator = ","`, ""},
		{"quotes over another separator", "a.csv", lines("", "\"a|%s\",1%d,%s"), `separator = ","`, ""},
		{"decimal commas between blanks", "a.txt", lines("", "0,%d 1,2%d %s"), `format = "blank"`, ""},
		{"coordinates", "a.csv", lines("X,Y,area,kind\n", "%d,1%d,2%d,%s"), `label = "kind"`, ""},
		{"versions", "a.csv", "v,y\n" + rows(40, func(i int) string {
			return fmt.Sprintf("1.%d.0,%d", i%20, i%3%2)
		}), "20 categories", ""},
		{"a gap in numbers that tell the label", "a.csv", "x,z,y\n" + rows(40, func(i int) string {
			return fmt.Sprintf("%s,%d,%d", []string{fmt.Sprint(i), ""}[i%2], i*7%40, i/20)
		}), "impute = \"median\"\n\n", ""},
		{"a label that is not UTF-8", "a.csv", lines("x,y\n", "%d,%s\xfc"), "label = \"y\"   # a guess\n\n", ""},
		{"nan", "a.txt", sparse("%s 1:nan 2:%d"), `format = "libsvm"`, ""},
		{"names of rows", "a.txt", lines("\"x\" \"z\" \"y\"\n", "\"r%d\" %d 1%d %s"), `begin the line with ""`, ""},
		{"Git LFS", "a.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n", "",
			"a pointer of Git LFS"},
		{"a damaged file by its name", "a.arff", "relation r\n" + relation, "",
			`a.arff:1: "relation" is not @relation, @attribute or @data`},
	} {
		t.Run(c.what, func(t *testing.T) {
			d, err := described(t, c.name, c.content, read.Hints{})
			if c.refused != "" || err != nil {
				if err == nil || c.refused == "" || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("error %v, want %s", err, c.refused)
				}
				return
			}
			must.Hold(t, d.TOML+strings.Join(d.Problems, "\n")+"\n"+strings.Join(d.Notes, "\n"), c.want)
			if !d.Loads && d.Problems == nil {
				t.Error("it does not load, and no problem says why")
			}
		})
	}
}

// TestWhatValuesMean: labels, dates and missing values that one could take for others. The right reading is that of the
// ARFF specification, of the oracle named, or of the same file in another notation.
func TestWhatValuesMean(t *testing.T) {
	two := func(line, a, b string) string { // 40 rows in which A is one of two texts
		return rows(40, func(i int) string {
			x := fmt.Sprintf("%d,%d", i*7%13, 1+i)
			return strings.NewReplacer("X", x, "A", []string{a, b}[i*5%7%2]).Replace(line)
		})
	}
	arff := func(attributes, rows string) string {
		return "@relation r\n@attribute x numeric\n" + attributes + "@attribute y {0,1}\n@data\n" + rows
	}
	for _, c := range []struct{ what, name, content, want string }{
		{"labels with decimal commas", "a.csv", "x;y\n" + two("X;A", "-1,0", "+1,0"), `positive = ["1"]`},
		{"labels by value", "a.csv", "x;y\n" + two("X;A", "10,5", "9,5"), `positive = ["10.5"]`},
		{"spellings of a label", "a.csv", "x;y\n" + two("X;A", "1", "1,0") + two("X;A", "0", "0"), `task = "binary"`},
		{"percentages as labels", "a.tsv", "x\ty\n" + two("X\tA", "100%", "50%"), `positive = ["100%"]`},
		{"signs as labels", "a.tsv", "x\ty\n" + two("X\tA", "-", "+"), `positive = ["+"]`},
		{"a date by its format", "a.arff", arff("@attribute d date \"yyyy-dd-MM\" % of birth\n",
			"1,2020-02-01,0\n"+two("A", "3,2020-03-02,0", "4,2021-04-05,1")), `"2020-01-02" is 2020-01-02`},
		{"two orders of dates", "a.arff", arff("@attribute d date dd/MM/yyyy\n@attribute e date 'MM/dd/yyyy HH:mm'\n",
			"1,02/01/2020,02/01/2020 12:00,0\n"+two("A", "3,02/03/2020,02/03/2020 12:00,0",
				"4,05/04/2021,05/04/2021 13:00,1")), `"2020/01/02" is 2020-01-02`},
		{"a format with words", "a.arff", arff("@attribute d date \"dd MMM yyyy\"\n", two("A", "3,02 Mar 2020,0",
			"4,05 Apr 2021,1")), "d is left out"},
		{"a quoted question mark", "a.arff", arff("@attribute k {'?',a}\n", two("A", "1,'?',0", "2,a,1")+
			two("A", "1,?,0", "1,?,1")), `2 categories: "?", "a"; 40 missing`},
		{"the same in sparse rows", "a.arff", arff("@attribute k {a,'?'}\n", two("A", "{0 3,1 '?'}", "{1 a, 2 1}")+
			two("A", "{1 ?}", "{1 ?,2 1}")), `2 categories: "?", "a"; 40 missing`},
		{"a declared class", "a.arff", strings.Replace(arff("", two("3,A", "NA", "EU")), "{0,1}", "{NA,EU}", 1),
			`positive = ["NA"]`},
		{"a comment without a blank", "a.arff", arff("", two("1,A", "0%no", "1% yes")), `positive = ["1"]`},
		{"percentages of ARFF", "a.arff", arff("@attribute p numeric\n", two("1,A", "5%,0", "6.5%,1")),
			`"p": numbers 5 to 6.5`},
		{"lines that end in CR", "a.txt", strings.ReplaceAll(two("A", "+1 1:2 2:0.5", "-1 1:3"), "\n", "\r"),
			`format = "libsvm"`},
		{"ARFF with lines that end in CR", "a.arff", strings.ReplaceAll("% a comment\n"+arff("", two("3,A", "0", "1")),
			"\n", "\r"), `format = "arff"`},
		{"a comment as wide as the rows", "a.csv", "# a,b,c\nx,z,y\n" + two("X,A", "u", "v"), `label = "y"`},
		{"names after #", "a.csv", "# x,z,y\n" + two("X,A", "u", "v"), `label = "y"`},
	} {
		t.Run(c.what, func(t *testing.T) {
			d := must.Get(described(t, c.name, c.content, read.Hints{}))(t)
			must.Hold(t, d.TOML+strings.Join(d.Problems, "\n")+"\n"+strings.Join(d.Notes, "\n"), c.want)
		})
	}
	for _, c := range []struct{ name, content, want string }{
		{"a.arff", arff("", two("3,A,{2}", "0", "1")), "the row ends in braces; instance weights are not supported"},
		{"a.csv", "x,y\n" + two("3,A", "a", ""), `the "" of others stands for a missing label; if it is a class, ` +
			"write a word in its place"},
		{"a.csv", "BZh91AY&SY", "the file is packed by bzip2; unpack it"},
	} {
		_, err := described(t, c.name, c.content, read.Hints{})
		must.Say(t, err, c.want)
	}
}

// FuzzDescribe: any text gives an error of one line or a description that the catalogue reads.
func FuzzDescribe(f *testing.F) {
	for _, seed := range []string{"a,b\n1,x\n2,y\n", "x;y\n1,5;a\n?;b\n", "1 1:2\n-1 3:4\n",
		"@relation r\n@attribute a {u,v}\n@attribute b {p,q}\n@data\nu,p\nv,q\n", "\"\n\",\\,y\n1,2,3\n4,5,6\n",
		"a\x7f,b\n1,\x00\n,y\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := described(t, "a.csv", string(data), read.Hints{})
		if err != nil {
			return
		}
		if _, err := (catalogue.Description{TOML: d.TOML, Path: "/set.toml"}).Entry(); err != nil {
			t.Fatalf("%v in\n%s", err, d.TOML)
		}
	})
}

// TestTwoValuesAddAFormat: describe recognises a format that only this test has, a description may name it or have a
// file with its extension, and the set is read.
func TestTwoValuesAddAFormat(t *testing.T) {
	before, known := read.All, catalogue.Formats
	defer func() { read.All, catalogue.Formats = before, known }()
	pairs := &catalogue.Format{Name: "pairs", Extensions: []string{".pairs"}, Keys: []string{"label"}}
	catalogue.Formats = append(slices.Clone(catalogue.Formats), pairs)
	read.All = append(slices.Clone(before), &read.Format{
		Format: pairs,
		Sniff: func(sample []byte) (read.Options, bool) {
			return read.Options{}, bytes.HasPrefix(sample, []byte("pairs\n"))
		},
		Read: func(f read.File) (*read.Table, error) {
			lines := bytes.Split(bytes.TrimSpace(f.Data), []byte("\n"))[1:]
			return &read.Table{File: f.Name, Width: 2, Names: []string{"x", "y"}, MaxRows: len(lines),
				Rows: func(yield func(read.Row, error) bool) {
					for i, line := range lines {
						if !yield(read.Row{Line: i + 2, Cells: bytes.Split(line, []byte("="))}, nil) {
							return
						}
					}
				}}, nil
		},
	})
	content := "pairs\n" + rows(30, func(i int) string {
		return fmt.Sprintf("%d=%s", i*7%30, []string{"u", "v"}[i*5%7%2])
	})
	d, err := described(t, "a.dat", content, read.Hints{})
	if err != nil || !d.Loads || !slices.Contains(d.Notes, "the set has 30 rows and 1 features") {
		t.Fatal(d, err)
	}
	must.Be(t, keys(d.TOML), `name = "a"; file = "a.dat"; task = "binary"; format = "pairs"; label = "y"   # a `+
		`guess; positive = ["v"]`)
	for toml, want := range map[string]string{
		"": "", "drop = [0]": "drop is for format " + catalogue.FormatNames("drop", "and") + ", not pairs",
		"format = \"pair\"": "is not " + catalogue.FormatNames("", "or"),
	} {
		e, err := catalogue.Description{TOML: "name = \"a\"\nfile = \"a.pairs\"\nlabel = \"y\"\n" + toml,
			Path: "/set.toml"}.Entry()
		if want == "" && (err != nil || e.Format != "pairs") || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, error %v, want %s", toml, e, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "short.pairs")
	must.Do(t, os.WriteFile(path, []byte("pairs\n1=u\n2\n"), 0o600))
	e := must.Get(catalogue.Description{TOML: "name = \"short\"\nfile = \"short.pairs\"\nlabel = \"y\"\n",
		Path: filepath.Join(filepath.Dir(path), "short.toml")}.Entry())(t)
	must.Say(t, must.Err(read.Load(t.Context(), catalogue.Directory{}, e)),
		"short.pairs:3: the row has 1 values and the file has 2 columns; repair the row")
}

// TestUnreadableSparseRows: the first row that cannot be read is said, and the classes of all rows count.
func TestUnreadableSparseRows(t *testing.T) {
	good := rows(20, func(i int) string { return fmt.Sprintf("%d 1:%d", i%2, i) })
	for text, want := range map[string]string{
		"1 0:0.5 1:2\n" + good: `a.libsvm:1: "0:0.5" has the index 0`,
		good + "0 3:1 2:1\n":   "a.libsvm:21: index 2 comes after index 3",
	} {
		d, err := described(t, "a.libsvm", text, read.Hints{})
		if err != nil || len(d.Problems) != 1 || !strings.Contains(d.Problems[0], want) {
			t.Errorf("%v, %+v; want %q", err, d, want)
		}
	}
}

// TestIndexWithoutName: a column without a name among named ones, of other whole numbers in each row, is the index of a
// data frame. It is left out, sorted or not, and the description says so. Nothing else without a name is.
func TestIndexWithoutName(t *testing.T) {
	const said = "column 0 is left out: it has no name and is another whole number in almost each row"
	for name, c := range map[string]struct {
		head, first string // first is the text of the first column, in which %d is a number
		number      func(i int) int
		left        bool
	}{
		"sorted":           {",x,y", "%d", func(i int) int { return i }, true},
		"shuffled":         {",x,y", "%d", func(i int) int { return i * 37 % 101 }, true},
		"a part of rows":   {",x,y", "%d", func(i int) int { return i * i * 7 }, true},
		"quoted":           {`"","x","y"`, `"%d"`, func(i int) int { return i * 37 % 101 }, true},
		"of real numbers":  {",x,y", "%d.0", func(i int) int { return i * 37 % 101 }, true},
		"a number as name": {",x,1", "%d", func(i int) int { return i * 37 % 101 }, true},
		"few values":       {",x,y", "%d", func(i int) int { return i % 12 }, false},
		"fractions":        {",x,y", "%d.25", func(i int) int { return i }, false},
		"with a name":      {"z,x,y", "%d", func(i int) int { return i * 37 % 101 }, false},
		"no names at all":  {"7,0.5,1", "%d", func(i int) int { return i * 37 % 101 }, false},
	} {
		line := func(i int) string {
			return fmt.Sprintf(c.first+",%g,%d", c.number(i), float64(i%17)/8, i%2)
		}
		d := must.Get(described(t, "a.csv", c.head+"\n"+rows(60, line), read.Hints{Label: "-1"}))(t)
		notes := strings.Join(d.Notes, "\n")
		if left := strings.Contains(d.TOML, "drop = ["); left != c.left || !d.Loads ||
			c.left && (!strings.Contains(notes, said) || !strings.Contains(d.TOML, `drop = [0]`)) {
			t.Errorf("%s: left out %v\n%s\n%s", name, left, d.TOML, notes)
		}
	}
}

// TestRepeatedIdentifiers: a column of whole numbers that differ in almost every row gets a note if its values are so
// sparse that equal measurements would be improbable. Columns of measured or rounded numbers get no note.
func TestRepeatedIdentifiers(t *testing.T) {
	for name, c := range map[string]struct {
		number func(i int) int
		noted  bool
	}{
		"persons who come again": {func(i int) int { return 61634 + (i-i%12/11)*7919%9973*1301 + 3 }, true},
		"measured":               {func(i int) int { return 100 + i*7919%1499 }, false},
		"rounded":                {func(i int) int { return (61 + (i-i%12/11)*7919%9973) * 100 }, false},
		"each another":           {func(i int) int { return 61634 + i*7919%9973*1301 }, false},
	} {
		d := must.Get(described(t, "a.csv", rows(240, func(i int) string {
			return fmt.Sprintf("%d,%g,%d", c.number(i), float64(i%17)/8, i%2)
		}), read.Hints{}))(t)
		notes := strings.Join(d.Notes, "\n")
		must.Be(t, strings.Contains(notes, "if they identify rows or persons"), c.noted, name, notes)
	}
}

// TestSeparatorsBehind: separators behind the last column, in all rows but the header or in the header alone, are no
// columns, and the description loads the set.
func TestSeparatorsBehind(t *testing.T) {
	for _, c := range []struct{ head, behind string }{
		{"x,y", ","}, {"x,y", ",,,"}, {"x,y,", ""}, {"x,y,,,", ""}, {"x,y", ", "}, {"x;y", ";"}, {"x\ty\t", ""},
		{"x|y", "|"},
		{`"x","y",`, ""}, {"# made by a tool\nx,y", ","}, {"sep=,\nx,y,", ""}, {"x,y\r", ",\r"}, {"x,y", `,""`},
	} {
		by := string(c.head[strings.LastIndexAny(strings.TrimRight(c.head, "y\r\",;|\t"), "x")+1:][0])
		if strings.HasPrefix(c.head, `"`) {
			by = ","
		}
		content := c.head + "\n" + rows(40, func(i int) string {
			return fmt.Sprintf("%d.5%s%d%s", i%7, by, i%2, c.behind)
		})
		d, err := described(t, "a.csv", content, read.Hints{Label: "y"})
		if err != nil {
			t.Errorf("%q: %v", c.head+c.behind, err)
			continue
		}
		if said := strings.Join(append(d.Problems, d.Notes...), "\n"); !d.Loads || len(d.Problems) > 0 ||
			!strings.Contains(said, "separators behind the last column are not read") ||
			!strings.Contains(said, "40 rows and 1 features") {
			t.Errorf("%q: %s\n%s", c.head+c.behind, said, d.TOML)
		}
	}
}

// TestFirstLines: what comes before the names is shown, with what to write. A label that is not there is looked for.
func TestFirstLines(t *testing.T) {
	body := "x,y\n" + rows(40, func(i int) string { return fmt.Sprintf("%d.5,%d", i%7, i%2) })
	for _, first := range []string{"% made by a tool", "// made by a tool", "-- a comment", "; a comment",
		"Report of things", "\"Report of things\"", "! 2024", "Report, of things, 2024"} {
		d := must.Get(described(t, "a.csv", first+"\n"+body, read.Hints{Label: "y"}))(t)
		said := strings.Join(d.Problems, "\n")
		want := fmt.Sprintf("%q, and most have 2; if it is a title or a comment, remove it or begin it with #",
			strings.Trim(first, `"`))
		if d.Loads || !strings.Contains(said, want) || strings.Contains(said, "blank") {
			t.Errorf("%q: %s", first, said)
		}
		d = must.Get(described(t, "a.csv", "# "+first+"\n"+body, read.Hints{Label: "y"}))(t)
		must.Be(t, d.Loads, true, "with #", first)
	}
	for content, want := range map[string]string{
		"A title, by me\n" + body: `the columns are "A title", "by me", as line 1 says, and line 2 has "y": if what ` +
			"comes before it is a title or a comment, remove it or begin its lines with #",
		"x y\n" + rows(40, func(i int) string { return fmt.Sprintf("%d %d.5 %d", i, i%7, i%2) }): `no column "y", ` +
			`since no line is read as the names of columns; line 1 has 2 columns, "x, y", and most lines have 3: ` +
			`give both as many`,
		rows(40, func(i int) string { return fmt.Sprintf("%d,%d.5,%d", i, i%7, i%2) }): `since no line is read ` +
			`as the names of columns; line 1 is "0, 0.5, 0"; name a column by its number, 0 to 2`,
	} {
		_, err := described(t, "a.csv", content, read.Hints{Label: "y"})
		must.Say(t, err, want)
	}
}

// TestLongCellsAreCut: no problem, note or error has a long text of the file, wherever the text is.
func TestLongCellsAreCut(t *testing.T) {
	long := strings.Repeat("a long text ", 10_000)
	short := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if len(text) > 2000 {
				t.Errorf("%d bytes: %.100q ... %q", len(text), text, text[len(text)-100:])
			}
		}
	}
	for _, place := range []string{"NAME", "LABEL", "LEVEL", "CELL", "GROUP", "DAY", "MARK"} {
		for _, ending := range []string{"csv", "arff"} {
			content := "NAME,c,n,g,d,y\n"
			if ending == "arff" {
				content = "@relation r\n@attribute 'NAME' string\n@attribute c {LEVEL,u,v}\n@attribute n numeric\n" +
					"@attribute g string\n@attribute d string\n@attribute y string\n@data\n"
			}
			content += rows(60, func(i int) string {
				day := fmt.Sprintf("2020-01-%02d", i%28+1)
				if i == 7 {
					return "1,LEVEL,MARK,GROUP,DAY,LABEL"
				}
				return fmt.Sprintf("%d,%s,%d,g%d,%s,%s", i, []string{"u", "v"}[i%2], i*7%60, i/3, day,
					[]string{"u", "v"}[i*5%7%2])
			})
			for word, text := range map[string]string{"NAME": "name", "LABEL": "u", "LEVEL": "u", "MARK": "7",
				"GROUP": "g2", "DAY": "2020-01-08", "CELL": ""} {
				if word == place {
					text = long
				}
				content = strings.ReplaceAll(content, word, text)
			}
			for _, o := range []read.Hints{{Label: "y"}, {Label: "g"}, {Label: "n"}, {Label: "y", Group: "g"},
				{Label: "?"}} {
				d, err := described(t, "a."+ending, content, o)
				if err != nil {
					short(err.Error())
					continue
				}
				short(d.Problems...)
				short(d.Notes...)
				for line := range strings.Lines(d.TOML) {
					if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "cautions") {
						short(line)
					}
				}
			}
		}
	}
}
