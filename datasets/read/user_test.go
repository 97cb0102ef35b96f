package read

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
)

func TestMissingFileSaysHowToGetIt(t *testing.T) {
	store := catalogue.Directory{Root: "/nowhere"}
	for name, want := range map[string]string{
		"pima": "pima: /nowhere/pima/pima-indians-diabetes.data is not there; get it with `bench data fetch pima`",
		"epileptic": "epileptic: /nowhere/epileptic/epileptic.csv is not there; get it with `bench data fetch " +
			"epileptic` from a mirror that has it (--from DIR or URL): the file has no public address",
	} {
		e := must.Get(catalogue.Builtin().Lookup(name))(t)
		must.Be(t, fmt.Sprint(must.Err(Load(t.Context(), store, e))), want)
		if state, _ := store.State(e); state != catalogue.Missing {
			t.Errorf("state %v", state)
		}
		must.Say(t, store.Verify(e), "get it with `bench data fetch ")
	}
}

// userSet writes texts (name, content, name, content, ...) and loads the set that
// set.toml describes. In errors the directory reads DIR.
func userSet(t *testing.T, toml string, texts ...string) (*datasets.Set, error) {
	t.Helper()
	dir := t.TempDir()
	texts = append(texts, "set.toml", toml)
	for i := 0; i < len(texts); i += 2 {
		must.Do(t, os.WriteFile(filepath.Join(dir, texts[i]), []byte(texts[i+1]), 0o644))
	}
	c := catalogue.Builtin()
	s, err := func() (*datasets.Set, error) {
		if _, err := c.Add(filepath.Join(dir, "set.toml")); err != nil {
			return nil, err
		}
		e, err := c.Lookup("mine")
		if err != nil {
			return nil, err
		}
		return Load(t.Context(), catalogue.Directory{Root: "/nowhere", Memory: 8 << 30}, e)
	}()
	if err != nil {
		return nil, &plainError{strings.ReplaceAll(err.Error(), dir, "DIR")}
	}
	return s, nil
}

type plainError struct{ text string }

func (e *plainError) Error() string { return e.text }

func rowsOf(s *datasets.Set) [][]float64 {
	n, _ := s.X.Dims()
	var out [][]float64
	for i := range n {
		out = append(out, s.X.RawRowView(i))
	}
	return out
}

func TestUserSets(t *testing.T) {
	const byName = "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"class\"\n"
	csv := func(text string) []string { return []string{"my.csv", text} }
	for _, c := range []struct {
		name, toml string
		files      []string
		want       string // X, Y, features; labels; training rows
	}{
		{"four lines", byName + `positive = ["yes"]`, csv("a,class,b\n1,yes,2\n3,no,4\n"),
			"[[1 2] [3 4]] [1 -1] a b; no yes; 0"},
		{"two classes sort themselves", byName, csv("a,class\n1,yes\n3,no\n"), "[[1] [3]] [1 -1] a; no yes; 0"},
		{"numbers sort as numbers", byName, csv("a,class\n1,10\n3,9\n"), "[[1] [3]] [1 -1] a; 9 10; 0"},
		{"one number, three spellings", byName, csv("a,class\n1,+1\n2,1.0\n3,-1\n4,1\n"),
			"[[1] [2] [3] [4]] [1 1 -1 1] a; -1 1; 0"},
		{"quotes, CRLF, mark, blanks, blank lines", byName, csv("\xef\xbb\xbf\"a\" , \"class\",\"b " +
			"\"\"c\"\"\"\r\n\r\n 1 ,\"x,\ny\" , \"2\"\r\n3,z,4\r\n  \r\n"),
			"[[1 2] [3 4]] [-1 1] a b \"c\"; x,\ny z; 0"},
		{"no header, label last", "name = \"mine\"\nfile = \"my.csv\"\nlabel = -1\n", csv("1,2,a\n3,4,b"),
			"[[1 2] [3 4]] [-1 1] c0 c1; a b; 0"},
		{"names for a file without header", "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\ncolumns = [\"u\", " +
			"\"v\", \"y\"]\n", csv("1,2,a\n3,4,b"), "[[1 2] [3 4]] [-1 1] u v; a b; 0"},
		{"semicolons", byName + `separator = ";"`, csv("a;class\n1;x\n2;y\n"), "[[1] [2]] [-1 1] a; x y; 0"},
		{"tabs with an empty first header", "name = \"mine\"\nfile = \"my.tsv\"\nlabel = \"class\"\n",
			[]string{"my.tsv", "\ta\tclass\n1\t2\tx\n3\t4\ty\n"}, "[[1 2] [3 4]] [-1 1] c0 a; x y; 0"},
		{"blanks", "name = \"mine\"\nfile = \"my.dat\"\nformat = \"blank\"\nlabel = 0\n",
			[]string{"my.dat", "  x   1 2  \n\ty\t3  4\n"}, "[[1 2] [3 4]] [-1 1] c1 c2; x y; 0"},
		{"categories after numbers, levels sorted", byName + `categorical = ["k"]` + "\n" + `drop = ["id"]`,
			csv("k,id,a,class\nq,x,1,0\np,y,2,1\nq,z,3,1\n"), "[[1 0 1] [2 1 0] [3 0 1]] [-1 1 1] a k=p k=q; 0 1; 0"},
		{"missing is a level", byName + `categorical = ["k"]` + "\n" + `missing = "?"`, csv("k,class\nq,0\n?,1\n"),
			"[[0 1] [1 0]] [-1 1] k=? k=q; 0 1; 0"},
		{"missing is zero", byName + `categorical = ["k"]` + "\n" + `missing = "?"` + "\n" + `missing_as = "zero"`,
			csv("k,class\nq,0\n?,1\n"), "[[1] [0]] [-1 1] k=q; 0 1; 0"},
		{"an empty value is missing", byName + `categorical = ["k"]` + "\n" + `missing_as = "zero"`,
			csv("k,class\nq,0\n,1\n"), "[[1] [0]] [-1 1] k=q; 0 1; 0"},
		{"missing in an ARFF file", "name = \"mine\"\nfile = \"my.arff\"\nlabel = \"y\"\nmissing_as = \"level\"\n",
			[]string{"my.arff", "@attribute x {p,q}\n@attribute y {a,b}\n@data\np,a\n?,b\n"},
			"[[0 1 0] [1 0 0]] [-1 1] x=? x=p x=q; a b; 0"},
		{"own test file", byName + `test = "t.csv"`, []string{"my.csv", "a,class\n1,x\n2,y\n", "t.csv",
			"a,class\n3,x\n"}, "[[1] [2] [3]] [-1 1 -1] a; x y; 2"},
		{"listed marks are classes", byName + "positive = \"NA\"\nnegative = [\"?\", \"x\"]",
			csv("a,class\n1,NA\n2,?\n3,x\n"), "[[1] [2] [3]] [1 -1 -1] a; ?,x NA; 0"},
		{"a number for a list of labels", byName + `positive = 2`, csv("a,class\n1,1\n2,2\n3,3\n"),
			"[[1] [2] [3]] [-1 1 -1] a; 1,3 2; 0"},
		{"numbers as labels", byName + "positive = [2, 2.5]\nnegative = 1", csv("a,class\n1,1\n2,2.0\n3,2.50\n"),
			"[[1] [2] [3]] [-1 1 1] a; 1 2,2.5; 0"},
		{"one column for a list", byName + "drop = \"b\"\ncategorical = 0", csv("a,b,class\nu,1,x\nv,2,y\n"),
			"[[1 0] [0 1]] [-1 1] a=u a=v; x y; 0"},
		{"all columns are categorical", byName + "drop = \"b\"\ncategorical = \"all\"",
			csv("a,b,class,c\nu,1,x,7\nv,2,y,8\n"), "[[1 0 1 0] [0 1 0 1]] [-1 1] a=u a=v c=7 c=8; x y; 0"},
		{"a column named all", byName + `categorical = ["all"]`, csv("a,all,class\n1,u,x\n2,v,y\n"),
			"[[1 1 0] [2 0 1]] [-1 1] a all=u all=v; x y; 0"},
		{"ranges of names and of numbers", byName + "drop = [{from = 0, to = 1}]\ncategorical = {from = \"c\", to = " +
			"-2}", csv("a,b,c,d,class\n1,2,u,p,x\n3,4,v,q,y\n"),
			"[[1 0 1 0] [0 1 0 1]] [-1 1] c=u c=v d=p d=q; x y; 0"},
		{"lines that end in CR", byName, csv("a,class\r1,x\r2,y\r"), "[[1] [2]] [-1 1] a; x y; 0"},
		{"another encoding that does not matter", byName, csv("gr\xf6\xdfe,class\n1,x\n2,y\n"),
			"[[1] [2]] [-1 1] gr\xf6\xdfe; x y; 0"},
		{"multiclass, numbers before texts", byName + `task = "multiclass"`, csv("a,class\n1,z\n2,10\n3,9\n4,-1\n"),
			"[[1] [2] [3] [4]] [3 2 1 0] a; -1 9 10 z; 0"},
		{"multiclass in given order", byName + `task = "multiclass"` + "\n" + `classes = ["z", "x", "y"]`,
			csv("a,class\n1,z\n2,x\n3,y\n"), "[[1] [2] [3]] [0 1 2] a; z x y; 0"},
		{"regression", byName + `task = "regression"`, csv("a,class\n1,0.5\n2,-3e2\n"), "[[1] [2]] [0.5 -300] a; ; 0"},
		{"threshold", byName + `positive_from = 1400.0`, csv("a,class\n1,1399\n2,1400\n"),
			"[[1] [2]] [-1 1] a; < 1400 >= 1400; 0"},
		{"libsvm", "name = \"mine\"\nfile = \"my.libsvm\"\n", []string{"my.libsvm",
			"+1 1:0.5 3:2 # note\n\n-1 2:1\n+1\n"}, "[[0.5 0 2] [0 1 0] [0 0 0]] [1 -1 1] f1 f2 f3; -1 1; 0"},
		{"libsvm files of different widths", "name = \"mine\"\nfile = \"my.svm\"\ntest = \"t.svm\"\n",
			[]string{"my.svm", "+1 1:1\n-1 2:1\n", "t.svm", "1 1:1 3:2\n"},
			"[[1 0 0] [0 1 0] [1 0 2]] [1 -1 1] f1 f2 f3; -1 1; 2"},
		{"a sparse row without its target", "name = \"mine\"\nfile = \"my.arff\"\nlabel = \"y\"\ntask = " +
			"\"regression\"\n", []string{"my.arff", "@attribute x real\n@attribute y real\n@data\n{0 2}\n{1 3}\n"},
			"[[2] [0]] [0 3] x; ; 0"},
		{"arff", "name = \"mine\"\nfile = \"my.arff\"\nlabel = \"the class\"\n", []string{"my.arff",
			"% note\n@RELATION r\n\n@Attribute x NUMERIC\n@attribute 'k k' {b, 'a c'} % two\n@ATTRIBUTE \"the " +
				"class\" { no , yes }\n@DATA\n1.5, b, yes\n% note\n2,'a c',no\n{1 'a c', 2 yes}\n{ }\n"},
			"[[1.5 0 1] [2 1 0] [0 1 0] [0 0 1]] [1 -1 1 -1] x k k=a c k k=b; no yes; 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(userSet(t, c.toml, c.files...))(t)
			must.Be(t, fmt.Sprintf("%v %v %s; %s; %d", rowsOf(s), s.Y, strings.Join(s.Features, " "),
				strings.Join(s.Labels, " "), s.TrainRows), c.want)
			if d := s.Data(); d.Task != s.Task || d.X != s.X || d.Classes != s.Classes {
				t.Errorf("data %v", d)
			}
		})
	}
}

// noLabel is the error for a mark of a missing value in column class of my.csv.
func noLabel(line int, mark string) string {
	return fmt.Sprintf(`DIR/my.csv:%d: column 1 ("class"): value %q is no label, and every row needs one; fill it in,`+
		` remove the row, write drop_unlabelled = true, or list it in negative, positive or classes if it is a class`,
		line, mark)
}

// TestUserErrors pins the whole message: one line that says where, what and what to do.
func TestUserErrors(t *testing.T) {
	const head = "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"class\"\n"
	const libsvm = "name = \"mine\"\nfile = \"my.svm\"\n"
	const arff = "name = \"mine\"\nfile = \"my.arff\"\nlabel = \"y\"\n"
	for _, c := range []struct{ name, toml, file, content, want string }{
		{"missing column", head, "my.csv", "a,b\n1,2\n", `DIR/my.csv: there is no column named "class"; the columns ` +
			`are a, b (label = "class")`},
		{"column number", "name = \"mine\"\nfile = \"my.csv\"\nlabel = 7\n", "my.csv", "1,2\n",
			`DIR/my.csv: there is no column 7; the file has 2 columns, counted from 0 (label = 7)`},
		{"two columns of one name", head, "my.csv", "class,class\n1,2\n", `DIR/my.csv: columns 0 and 1 are both ` +
			`named "class"; give the column's number instead (label = "class")`},
		{"column used twice", head + `drop = ["class"]`, "my.csv", "a,class\n1,2\n",
			`DIR/my.csv: column 1 ("class") is both label and drop; list it once`},
		{"no number", head, "my.csv", "a,class\n1,x\nred,y\n", `DIR/my.csv:3: column 0 ("a"): value "red" is not a ` +
			`finite number; repair it, or list the column in categorical or drop`},
		{"NaN", head, "my.csv", "a,class\n1,x\nNaN,y\n", `DIR/my.csv:3: column 0 ("a"): value "NaN" is not a finite ` +
			`number; if it stands for a missing value, write missing = ["NaN"] with impute = "median", fill it in, ` +
			`remove the row, or list the column in drop`},
		{"infinite", head, "my.csv", "a,class\n1,x\n-Inf,y\n", `DIR/my.csv:3: column 0 ("a"): value "-Inf" is not a ` +
			`finite number; fill it in, remove the row, or list the column in drop`},
		{"too large", head, "my.csv", "a,class\n1,x\n1e999,y\n", `DIR/my.csv:3: column 0 ("a"): value "1e999" is not ` +
			`a finite number; repair it, or list the column in categorical or drop`},
		{"gap", head, "my.csv", "a,class\n1,x\n,y\n", `DIR/my.csv:3: column 0 ("a"): value "" is missing, and a ` +
			`numeric input needs a value in every row; write impute = "median" (or "mean", "most-frequent", "none"), ` +
			`fill it in, remove the row, or list the column in drop or categorical`},
		{"gap in a category", head + `categorical = ["a"]`, "my.csv", "a,class\n1,x\n,y\n",
			`DIR/my.csv:3: column 0 ("a"): value "" is missing; say what becomes of it with missing_as = "level" or ` +
				`"zero"`},
		{"levels that are identifiers", csvSet + "categorical = [1]\n", "my.csv", manyLevels(MaxLevels + 1),
			`DIR/my.csv:1001: column 1: value "level1000" is level 1001 of a categorical column; drop the column if ` +
				`it is an identifier`},
		{"rows that are no whole classes", byPosition, "a.csv", "1,1\n2,2\n3,3\n", "mine: 3 rows are not two or more " +
			"classes of rows_per_class = 2"},
		{"too few names of classes", byPosition + "classes = [\"u\"]", "a.csv", "1,1\n2,2\n3,3\n4,4\n",
			"mine: classes lists 1 names for 2 classes"},
		{"channels of another width", divided, "a.csv", "1,1,2\n2,4,5\n", "mine: the files give 2 features and the " +
			"channels have 3 together; correct one of them"},
		{"a target without range", divided, "a.csv", "1,1,2,3\n1,4,5,6\n", "mine: target_range cannot be applied to " +
			"targets from 1 to 1"},
		{"header not announced", "name = \"mine\"\nfile = \"my.csv\"\nlabel = 1\n", "my.csv", "a,class\n1,x\n",
			`DIR/my.csv:1: column 0: value "a" is not a number; set header = true if the line names the columns, or ` +
				`list the column in categorical or drop`},
		{"empty", head, "my.csv", "", `DIR/my.csv: the file has no data rows`},
		{"header only", head, "my.csv", "a,class\n", `DIR/my.csv: the file has no data rows`},
		{"one class", head, "my.csv", "a,class\n1,x\n2,x\n", `DIR/my.csv: every row has the label "x"; two classes ` +
			`are needed`},
		{"one class of positives", head + `positive = ["x", "y"]`, "my.csv", "a,class\n1,x\n2,y\n",
			`DIR/my.csv: positive = ["x", "y"] lists every label (x, y), and class -1 has none left; correct the list`},
		{"three classes", head, "my.csv", "a,class\n1,x\n2,y\n3,z\n", `DIR/my.csv: the label has 3 values (x, y, z); ` +
			`list the ones of class +1 as positive = [...], or set task = "multiclass" or "regression"`},
		{"unlisted label", head + `positive = ["x"]` + "\n" + `negative = ["y"]`, "my.csv", "a,class\n1,x\n2,y\n3,z\n",
			`DIR/my.csv:4: column 1 ("class"): value "z" is a label that the set does not list; add it to negative, ` +
				`positive or classes`},
		{"no label", head, "my.csv", "a,class\n1,x\n2,\n", `DIR/my.csv:3: column 1 ("class"): value "" is no label, ` +
			`and every row needs one; fill it in, remove the row, write drop_unlabelled = true, or list it in ` +
			`negative, positive or classes if it is a class`},
		{"target no number", head + `task = "regression"`, "my.csv", "a,class\n1,x\n",
			`DIR/my.csv:2: column 1 ("class"): value "x" is not a finite number, which regression needs as target; ` +
				`repair the row or choose another label`},
		{"ragged", head, "my.csv", "a,class\n1,x\n2,y,z\n", `DIR/my.csv:3: the line has 3 columns and line 1 has 2; ` +
			`repair the line, or check separator and quotes`},
		{"decimal commas", head, "my.csv", "a;class\n1,5;x\n", `DIR/my.csv:1: the line has one column only, ` +
			`"a;class"; write separator = ";"`},
		{"bars", head, "my.csv", "a|class\n1|x\n", `DIR/my.csv:1: the line has one column only, "a|class"; write ` +
			`separator = "|"`},
		{"tabs", head, "my.csv", "a\tclass\n1\tx\n", `DIR/my.csv:1: the line has one column only, "a\tclass"; write ` +
			`separator = "tab"`},
		{"blanks", head, "my.csv", "a class\n1 x\n", `DIR/my.csv:1: the line has one column only, "a class"; write ` +
			`format = "blank"`},
		{"comment of another kind", head, "my.csv", "% made by a tool\na,class\n1,x\n2,y\n", `DIR/my.csv:1: the ` +
			`line has one column only, "% made by a tool", and most lines have 2; if what comes before line 2 is a ` +
			`title or a comment, remove it or begin its lines with #`},
		{"title", head, "my.csv", "\"A report; of things\"\n\na,class\n1,x\n2,y\n", `DIR/my.csv:1: the line has one ` +
			`column only, "A report; of things", and most lines have 2; if what comes before line 3 is a title or a ` +
			`comment, remove it or begin its lines with #`},
		{"one column", head, "my.csv", "class\nx\ny\n", `DIR/my.csv:1: the line has one column only, "class"; a set ` +
			`needs an input and a label`},
		{"more than a separator behind", head, "my.csv", "a,class\n1,x,\n2,y,z\n", `DIR/my.csv:3: the line has 3 ` +
			`columns and line 1 has 2; repair the line, or check separator and quotes`},
		{"ragged after a quoted line end", head, "my.csv", "a,class\n1,\"x\n\"\n2\n",
			`DIR/my.csv:4: the line has 1 columns and line 1 has 2; repair the line, or check separator and quotes`},
		{"open quote", head, "my.csv", "a,class\n1,\"x\n", `DIR/my.csv:2: a quote is opened and never closed; close ` +
			`it, or double it if it belongs to the value`},
		{"text after a quote", head, "my.csv", "a,class\n1,\"x\"y\n", `DIR/my.csv:2: text follows the closing quote ` +
			`of column 1; quote the whole value and double the quotes inside it`},
		{"wrong separator", "name = \"mine\"\nfile = \"my.csv\"\nlabel = 1\n", "my.csv", "1;x\n2;y\n",
			`DIR/my.csv:1: the line has one column only, "1;x"; write separator = ";"`},
		{"wrong number of rows", head + `rows = 3`, "my.csv", "a,class\n1,x\n2,y\n",
			`mine: the files have 2 rows and rows = 3 is expected; correct one of them`},
		{"wrong number of features", head + `features = 3`, "my.csv", "a,class\n1,x\n2,y\n",
			`mine: the files give 1 features and features = 3 is expected; correct one of them`},
		{"wrong number of codes", head + `codes = 2`, "my.csv", "a,class\n1,x\n2,y\n",
			`mine: 1 features have at most 4 values and codes = 2 is expected; correct one of them`},
		{"wrong counts", head + `counts = [2, 0]`, "my.csv", "a,class\n1,x\n2,y\n",
			`mine: the classes have [1 1] rows and counts = [2 0] is expected; correct one of them`},
		{"no input", head + `drop = ["a"]`, "my.csv", "a,class\n1,x\n2,y\n", `DIR/my.csv: no column is left as ` +
			`input; check label and drop`},
		{"UTF-16", head, "my.csv", "\xff\xfea\x00", `DIR/my.csv: the file is UTF-16 text; save it as UTF-8`},
		{"packed", head, "my.csv", "\x1f\x8b\x08", `DIR/my.csv: the file is packed by gzip; let its name end in .gz, ` +
			`or unpack it`},
		{"compressed", head, "my.csv", "PK\x03\x04", `DIR/my.csv: the file is a ZIP archive or spreadsheet; ` +
			`unpack it or save it as CSV`},
		{"no file", head, "other.csv", "", `mine: DIR/my.csv is not there; correct the path in the set's TOML file`},
		{"long value", head, "my.csv", "a,class\n" + strings.Repeat("z", 99) + ",x\n",
			`DIR/my.csv:2: column 0 ("a"): value "` + strings.Repeat("z", 37) + `..." is not a finite number; repair ` +
				`it, or list the column in categorical or drop`},
		{"names do not fit", "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\ncolumns = [\"x\", \"y\"]\n", "my.csv",
			"1,2,3\n", `DIR/my.csv: the file has 3 columns and the key columns lists 2 names; make the two agree`},

		{"a mark that is a number, without impute", head + "missing = [-999]", "my.csv", "a,class\n1,x\n-999.0,y\n",
			`DIR/my.csv:3: column 0 ("a"): value "-999.0" is missing, and a numeric input needs a value in every ` +
				`row; write impute = "median" (or "mean", "most-frequent", "none"), fill it in, remove the row, or ` +
				`list the column in drop or categorical`},
		{"counts of three classes for two", head + "counts = [1, 2, 3]", "my.csv", "a,class\n1,x\n2,y\n",
			`DIR/set.toml: set mine: counts = [1 2 3] has 3 numbers; write one for each class: two for task = ` +
				`"binary", the first of class -1`},
		{"NA as label", head, "my.csv", "a,class\n1,1\n2,NA\n3,0\n", noLabel(3, "NA")},
		{"null as label, and positive", head + `positive = ["1"]`, "my.csv", "a,class\n1,1\n2,0\n3,null\n",
			noLabel(4, "null")},
		{"the set's own mark as label", head + "missing = \"unknown\"\n", "my.csv", "a,class\n1,1\n2,unknown\n",
			noLabel(3, "unknown")},
		{"another spelling of a listed mark", head + `positive = ["NA"]`, "my.csv", "a,class\n1,NA\n2,na\n",
			noLabel(3, "na")},
		{"NA as target", head + `task = "regression"`, "my.csv", "a,class\n1,1\n2,NA\n",
			`DIR/my.csv:3: column 1 ("class"): value "NA" is no label, and every row needs one; fill it in, remove ` +
				`the row, or write drop_unlabelled = true`},
		{"NA, and a threshold", head + `positive_from = 1.0`, "my.csv", "a,class\n1,1\n2,NA\n",
			`DIR/my.csv:3: column 1 ("class"): value "NA" is no label, and every row needs one; fill it in, remove ` +
				`the row, or write drop_unlabelled = true`},
		{"libsvm: nan as label", libsvm, "my.svm", "1 1:2\nnan 1:3\n", `DIR/my.svm:2: label "nan" is no label, and ` +
			`every row needs one; fill it in, remove the row, write drop_unlabelled = true, or list it in negative, ` +
			`positive or classes if it is a class`},
		{"wrong positive", head + `positive = ["mild", "sever"]`, "my.csv", "a,class\n1,none\n2,mild\n3,severe\n",
			`DIR/my.csv: no row has the label sever (did you mean "severe"?) that positive lists; the labels are ` +
				`mild, none, severe; correct the list`},
		{"wrong negative", head + `positive = ["x"]` + "\n" + `negative = ["z"]`, "my.csv", "a,class\n1,x\n2,y\n",
			`DIR/my.csv: no row has the label z that negative lists; the labels are x, y; correct the list`},
		{"hexadecimal number", head, "my.csv", "a,class\n1,x\n0x1p3,y\n", `DIR/my.csv:3: column 0 ("a"): value ` +
			`"0x1p3" is not a finite number; repair it, or list the column in categorical or drop`},
		{"decimal comma without header", "name = \"mine\"\nfile = \"my.csv\"\nlabel = 1\nseparator = \";\"\n", "my.csv",
			"3,14;x\n2,71;y\n", `DIR/my.csv:1: column 0: value "3,14" is not a finite number; if the comma is a ` +
				`decimal comma, write decimal = ","`},
		{"decimal comma in the target", head + "separator = \";\"\ntask = \"regression\"", "my.csv",
			"a;class\n1;3,14\n", `DIR/my.csv:2: column 1 ("class"): value "3,14" is not a finite number, which ` +
				`regression needs as target; if the comma is a decimal comma, write decimal = ","`},
		{"Latin-1 column", "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"größe\"\n", "my.csv", "a,gr\xf6\xdfe\n1,x\n",
			`DIR/my.csv: there is no column named "größe"; the columns are a, "gr\xf6\xdfe"; DIR/my.csv:1 is not ` +
				`UTF-8 text, save the file as UTF-8 if names look wrong (label = "größe")`},
		{"Latin-1 label", head + `positive = ["für"]`, "my.csv", "a,class\n1,f\xfcr\n2,wider\n",
			`DIR/my.csv: no row has the label für that positive lists; the labels are "f\xfcr", wider; correct the ` +
				`list; DIR/my.csv:2 is not UTF-8 text, save the file as UTF-8 if names look wrong`},
		{"Latin-1 class", head + "task = \"multiclass\"\nclasses = [\"für\", \"wider\"]", "my.csv",
			"a,class\n1,wider\n2,f\xfcr\n", `DIR/my.csv: no row has the label für that classes lists; the labels are ` +
				`"f\xfcr", wider; correct the list; DIR/my.csv:3 is not UTF-8 text, save the file as UTF-8 if names ` +
				`look wrong`},
		{"range the wrong way round", head + `drop = {from = "b", to = "a"}`, "my.csv", "a,b,class\n1,2,x\n",
			`DIR/my.csv: column 1 ("b") comes after column 0 ("a"); write the range the other way round (drop = ` +
				`{from = "b", to = "a"})`},
		{"range over the label", head + `categorical = {from = 0, to = -1}`, "my.csv", "a,class\n1,x\n",
			`DIR/my.csv: column 1 ("class") is both label and categorical; list it once`},

		{"libsvm: no label", libsvm, "my.svm", "1:2 2:3\n", `DIR/my.svm:1: the line begins with "1:2" and not with a ` +
			`label; write a label before the index:value pairs`},
		{"libsvm: index 0", libsvm, "my.svm", "1 1:2\n-1 0:3\n", `DIR/my.svm:2: "0:3" has the index 0, and indices ` +
			`count from 1; write the file with such indices, in scikit-learn by dump_svmlight_file(..., ` +
			`zero_based=False)`},
		{"libsvm: descending", libsvm, "my.svm", "1 2:2 2:3\n", `DIR/my.svm:1: index 2 comes after index 2; indices ` +
			`must ascend within a line`},
		{"libsvm: value", libsvm, "my.svm", "1 1:nan\n", `DIR/my.svm:1: feature 1: value "nan" is not a finite ` +
			`number; if it stands for a missing value, write missing = ["nan"] with impute = "median", fill it in, ` +
			`remove the row, or list the column in drop`},
		{"libsvm: qid", libsvm, "my.svm", "1 qid:3 1:2\n",
			`DIR/my.svm:1: "qid:3" names a group of rows to be ranked, which is not read; remove qid from the lines`},
		{"libsvm: empty", libsvm, "my.svm", "# nothing\n", `DIR/my.svm: the file has no data rows`},
		{"libsvm: too wide", libsvm, "my.svm", "1 2147483647:1\n-1 1:1\n", `DIR/my.svm:1: index 2147483647 makes the ` +
			`set 2147483647 features wide; 2 rows of them need 192 GiB of memory, and loading may take 8.0 GiB; ` +
			`correct it or leave rare features out, or raise --memory`},
		{"libsvm: no input", libsvm, "my.svm", "1\n-1\n", `DIR/my.svm: no row has any input`},

		{"arff: commas", arff, "my.arff", "1,2\n", `DIR/my.arff: the file has no @attribute line, so that it is no ` +
			`ARFF file; write format = "csv"`},
		{"arff: blanks", arff, "my.arff", "1 2\n3 4\n", `DIR/my.arff: the file has no @attribute line, so that it is ` +
			`no ARFF file; write format = "blank"`},
		{"arff: a line of another kind", arff, "my.arff", "relation r\n@data\n", `DIR/my.arff:1: "relation" is not ` +
			`@relation, @attribute or @data; begin a comment with %`},
		{"arff: type", arff, "my.arff", "@attribute x colour\n", `DIR/my.arff:1: attribute "x": type "colour" is not ` +
			`numeric, real, integer, string, date or a list of levels in braces`},
		{"arff: level", arff, "my.arff", "@attribute x real\n@attribute y {a,b}\n@data\n1,c\n",
			`DIR/my.arff:4: column 1 ("y"): value "c" is not a level of its @attribute line; repair one of them`},
		{"arff: ragged", arff, "my.arff", "@attribute x real\n@attribute y {a,b}\n@data\n1\n",
			`DIR/my.arff:4: the row has 1 values and there are 2 attributes; repair the row`},
		{"arff: missing", arff, "my.arff", "@attribute x real\n@attribute y {a,b}\n@data\n?,a\n1,b\n",
			`DIR/my.arff:4: column 0 ("x"): value "?" is missing, and a numeric input needs a value in every row; ` +
				`write impute = "median" (or "mean", "most-frequent", "none"), fill it in, remove the row, or list ` +
				`the column in drop or categorical`},
		{"arff: missing level", arff, "my.arff", "@attribute x {p,q}\n@attribute y {a,b}\n@data\n?,a\np,b\n",
			`DIR/my.arff:4: column 0 ("x"): value "?" is missing; say what becomes of it with missing_as = "level" ` +
				`or "zero"`},
		{"arff: missing label", arff, "my.arff", "@attribute x real\n@attribute y {a,b}\n@data\n1,a\n1,?\n",
			`DIR/my.arff:5: column 1 ("y"): value "?" is no label, and every row needs one; fill it in, remove the ` +
				`row, write drop_unlabelled = true, or list it in negative, positive or classes if it is a class`},
		{"arff: index", arff, "my.arff", "@attribute x real\n@attribute y {a,b}\n@data\n{0 1, 2 b}\n",
			`DIR/my.arff:4: sparse index "2" is not a number above 0 and below 2; indices count from 0 and ascend`},
		{"arff: weight", arff, "my.arff", "@attribute x real\n@attribute y {a,b}\n@data\n{0 1}, {5}\n",
			`DIR/my.arff:4: text follows the } of the sparse row; instance weights are not supported`},
		{"arff: quote", arff, "my.arff", "@attribute 'x real\n", `DIR/my.arff:1: name of the attribute: a quote is ` +
			`opened and not closed on the line`},
		{"arff: empty", arff, "my.arff", "@attribute x real\n@attribute y {a,b}\n@data\n",
			`DIR/my.arff: the file has no data rows`},

		{"toml: syntax", "name = mine\n", "", "", `DIR/set.toml: toml: line 1 (last key "name"): expected value but ` +
			`found "mine" instead`},
		{"toml: unknown key", head + "postive = [\"x\"]", "", "", `DIR/set.toml: unknown key "postive"; did you mean ` +
			`positive?`},
		{"toml: no name", "file = \"my.csv\"\n", "", "", `DIR/set.toml: the set has no name; write name = "mydata"`},
		{"toml: taken name", "name = \"Wine\"\nfile = \"my.csv\"\nlabel = 0\n", "", "",
			`DIR/set.toml: a set named "Wine" exists already; choose another name`},
		{"toml: no file", "name = \"mine\"\n", "", "", `DIR/set.toml: set mine has no data file; write file = ` +
			`"my.csv"`},
		{"toml: no label", "name = \"mine\"\nfile = \"my.csv\"\n", "", "", `DIR/set.toml: set mine: the target ` +
			`column is not given; write label = "its name", or label = -1 for the last column`},
		{"toml: no format", "name = \"mine\"\nfile = \"my.data\"\nlabel = 0\n", "", "",
			`DIR/set.toml: set mine: the format of my.data is not clear from its name; write format = "` +
				strings.NewReplacer(", ", `", "`, " or ", `" or "`).Replace(catalogue.FormatNames("", "or")) + `"`},
		{"toml: task", head + `task = "ranking"`, "", "", `DIR/set.toml: task "ranking" is not binary, multiclass or ` +
			`regression`},
		{"toml: separator", head + `separator = "::"`, "", "", `DIR/set.toml: set mine: separator "::" is not one ` +
			`character such as ",", ";" or "tab"; for columns separated by blanks write format = "blank"`},
		{"toml: label twice", head + "positive = [\"1\"]\nnegative = [\"1.0\"]", "", "",
			`DIR/set.toml: set mine: label "1" is listed twice`},
		{"toml: positive_from", head + `positive_from = inf`, "", "", `DIR/set.toml: set mine: positive_from = +Inf ` +
			`is not a finite number; write one`},
		{"toml: positive_from nan", head + `positive_from = nan`, "", "", `DIR/set.toml: set mine: positive_from = ` +
			`NaN is not a finite number; write one`},
		{"toml: label type", head + "positive = [true]", "", "", `DIR/set.toml: toml: line 4 (last key "positive"): ` +
			`true is neither a text nor a number; write it in quotes`},
		{"toml: label nan", head + "positive = nan", "", "", `DIR/set.toml: toml: line 4 (last key "positive"): NaN ` +
			`is no number to compare labels with; write the text in quotes`},
		{"toml: empty range", head + "drop = {from = 4, to = 2}", "", "", `DIR/set.toml: toml: line 4 (last key ` +
			`"drop"): the range of columns from 4 to 2 is empty; write the smaller number first`},
		{"toml: huge range", head + "drop = {from = 0, to = 2000000000}", "", "", `DIR/set.toml: toml: line 4 (last ` +
			`key "drop"): the range of columns from 0 to 2000000000 has more than 1048576 columns; write the numbers ` +
			`of both ends again`},
		{"toml: endless range", head + "drop = {from = 0, to = 9223372036854775807}", "", "",
			`DIR/set.toml: toml: line 4 (last key "drop"): the range of columns from 0 to 9223372036854775807 has ` +
				`more than 1048576 columns; write the numbers of both ends again`},
		{"toml: half a range", head + "drop = [{from = 4}]", "", "", `DIR/set.toml: toml: line 4 (last key "drop"): ` +
			`a range of columns is written {from = 3, to = 7}, with numbers or names of both ends`},
		{"toml: drop all", head + `drop = "all"`, "", "", `DIR/set.toml: set mine: drop = "all" leaves no input; for ` +
			`a column of that name write drop = ["all"]`},
		{"toml: column type", head + "drop = [1.5]", "", "", `DIR/set.toml: toml: line 4 (last key "drop"): column ` +
			`1.5 is neither a name nor a number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			texts := []string{}
			if c.file != "" {
				texts = []string{c.file, c.content}
			}
			_, err := userSet(t, c.toml, texts...)
			must.Be(t, fmt.Sprint(err), c.want)
		})
	}
}

func TestTwoFilesMustAgree(t *testing.T) {
	const toml = "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"class\"\ntest = \"t.csv\"\n"
	for content, want := range map[string]string{
		"b,class\n1,x\n": `DIR/t.csv: column 0 ("b") is named "a" in DIR/my.csv; the two files must have the ` +
			`same columns in the same order`,
		"a,b,class\n1,2,x\n": `DIR/t.csv: the file has 3 columns and DIR/my.csv has 2; they must agree`,
	} {
		_, err := userSet(t, toml, "my.csv", "a,class\n1,x\n2,y\n", "t.csv", content)
		must.Be(t, fmt.Sprint(err), want)
	}
}

func TestUserFingerprintFollowsTheFile(t *testing.T) {
	const toml = "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"class\"\n"
	a := must.Get(userSet(t, toml, "my.csv", "a,class\n1,x\n2,y\n"))(t)
	b := must.Get(userSet(t, "title = \"other\"\n"+toml, "my.csv", "a,class\n1,x\n2,y\n"))(t)
	c := must.Get(userSet(t, toml, "my.csv", "a,class\n1,x\n3,y\n"))(t)
	if a.Fingerprint != b.Fingerprint || a.Fingerprint == c.Fingerprint {
		t.Errorf("fingerprints %s %s %s", a.Fingerprint, b.Fingerprint, c.Fingerprint)
	}
}

func TestLoadStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := must.Get(catalogue.Builtin().Lookup("balance"))(t)
	if _, err := Load(ctx, catalogue.Directory{Root: t.TempDir()}, e); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func TestReadRows(t *testing.T) {
	features := []string{"age", "height", "job=admin", "job=cook"}
	for name, c := range map[string]struct{ file, want, wrong string }{
		"any order, others passed over": {"job,name,height,age\ncook,x,1.5,30\nadmin,y,2,40\n", "30 1.5 0 1; 40 2 1 0",
			""},
		"coded already":           {"age,height,job=admin,job=cook\n1,2,0,1\n", "1 2 0 1", ""},
		"no names":                {"1,2,1,0\n3,4,0,1\n", "1 2 1 0; 3 4 0 1", ""},
		"percentages, yes and no": {"age,height,job\n30%,No,cook\n4.5 %,y,admin\n", "30 0 0 1; 4.5 1 1 0", ""},
		"words of two pairs": {"age,height,job\n1,T,cook\n1,y,admin\n", "",
			`rows.csv:3: column 1 ("height"): value "y" is a yes or a no, and `},
		"some percentages": {"age,height,job\n30%,1,cook\n4,1,admin\n", "",
			`rows.csv:3: column 0 ("age"): value "4" is a plain number, and `},
		"comments, semicolons": {"# of today\n\njob;height;age\ncook;1.5;30\n", "30 1.5 0 1", ""},
		"a name twice": {"age,height,job,age\n1,2,cook,3\n", "",
			`the model needs the column "age", and two have the name`},
		"a column lacks": {"age,job\n1,cook\n", "",
			`no column is named "height", which the model needs; the columns are age, job`},
		"an unknown level": {"age,height,job\n1,2,smith\n", "",
			`:2: column 2 ("job"): value "smith" is no level that the model knows`},
		"no number":                 {"age,height,job\n1,tall,cook\n", "", `value "tall" is not a finite number`},
		"no names, too few columns": {"1,2\n", "", "names none of the features"},
		"no rows":                   {"age,height,job\n", "", "rows.csv: the file has no data rows"},
	} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		must.Do(t, os.WriteFile(path, []byte(c.file), 0o644))
		x, err := Rows(path, features, nil, false, nil, 1<<20)
		if c.wrong != "" {
			must.Say(t, err, c.wrong)
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
		must.Be(t, strings.Join(rows, "; "), c.want, name)
	}
	must.Say(t, must.Err(Rows(filepath.Join(t.TempDir(), "none.csv"), features, nil, false, nil, 1<<20)), "none.csv")
}

// TestRowsOfLevels: all marks of missing values are one level, named after the first; a column's name may have a sign
// that divides it from its level.
func TestRowsOfLevels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	must.Do(t, os.WriteFile(path, []byte("k=v,colour\na=b,red\nc,?\nc,\n"), 0o644))
	features := []string{"k=v=a=b", "k=v=c", "colour=red", "colour="}
	table := &Table{Names: []string{"k", "k=v"}}
	must.Be(t, fmt.Sprint(must.Get(sources(table, []string{"k=v=d", "k=w", "k=v"}, nil))(t)),
		"[{0 0 map[v=d:true w:true] v=d} {0 0 map[v=d:true w:true] w} {1 0 map[] }]", "k=v has no levels")
	for as, want := range map[string][]float64{
		"level": {1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1}, "zero": {1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1},
	} {
		like := &catalogue.Entry{Reading: catalogue.Reading{Missing: catalogue.Marks{"", "?"}, MissingAs: as}}
		must.Be(t, must.Get(Rows(path, features, nil, false, like, 1<<20))(t).RawMatrix().Data, want, as)
	}
}
