package read

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestGroups: a column of groups is no input, in every format and with every way to name it, and groups that are
// numbers are compared as numbers.
func TestGroups(t *testing.T) {
	const csv = "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"class\"\n"
	rows := "7,1,x\n7.0,2,y\nb,3,x\n\"b\",4,y\n"
	for _, c := range []struct{ name, toml, file, content string }{
		{"a name", csv + `group = "who"`, "my.csv", "who,a,class\n" + rows},
		{"a number", "name = \"mine\"\nfile = \"my.csv\"\nlabel = 2\ngroup = 0", "my.csv", rows},
		{"a name decides on the header", "name = \"mine\"\nfile = \"my.csv\"\nlabel = -1\ngroup = \"who\"", "my.csv",
			"who,a,class\n" + rows},
		{"all other columns", csv + "group = \"who\"\ncategorical = \"all\"", "my.csv", "who,a,class\n" + rows},
		{"names in the description", csv + "columns = [\"who\", \"a\", \"class\"]\n" +
			"group = \"who\"\ncategorical = \"all\"", "my.csv", rows},
		{"arff", "name = \"mine\"\nfile = \"my.arff\"\nlabel = \"class\"\ngroup = \"who\"", "my.arff",
			"@attribute who {7,b,7.0}\n@attribute a real\n@attribute class {x,y}\n@data\n" + rows},
	} {
		s := must.Get(userSet(t, c.toml, c.file, c.content))(t)
		want := "[0 0 1 1] [7 b] who"
		if c.name == "a number" {
			want = "[0 0 1 1] [7 b] c0"
		}
		if g := s.Groups; g == nil || fmt.Sprintf("%v %v %s", g.Of, g.Names, g.Column) != want {
			t.Errorf("%s: the groups are %+v", c.name, g)
		}
		for _, f := range s.Features {
			if !strings.HasPrefix(f, "a") && f != "c1" {
				t.Errorf("%s: %s is an input", c.name, f)
			}
		}
	}
	for style, rows := range map[string]string{
		"thousands = \",\"":                  "\"1,000\",1,x\n1000,2,y\n\"1,000.0\",3,x\n9,4,y\n",
		"separator = \";\"\ndecimal = \",\"": "1000,0;1;x\n1000;2;y\n1e3;3;x\n9;4;y\n",
	} {
		head := strings.ReplaceAll("who,a,class\n", ",", string(",;"[strings.Count(style, ";")]))
		s := must.Get(userSet(t, csv+"group = \"who\"\n"+style, "my.csv", head+rows))(t)
		must.Be(t, fmt.Sprint(s.Groups.Of, s.Groups.Names), "[0 0 0 1] [1000 9]")
	}
	for until, want := range map[string]string{"": "[0 1 2 3 4] [a_b_1 a_b_2 a_b a c]", "_": "[0 0 1 1 2] [a_b a c]"} {
		s := must.Get(userSet(t, csv+"group = \"who\"\ngroup_until = \""+until+"\"", "my.csv",
			"who,a,class\na_b_1,1,x\na_b_2,2,y\na_b,3,x\na,4,y\nc,5,x\nc,6,y\n"))(t)
		must.Be(t, fmt.Sprint(s.Groups.Of[:5], s.Groups.Names), want)
	}
	s := must.Get(userSet(t, csv+`group = "a"`, "my.csv", "who,a,class\n1,1,x\n1,2,y\n1,3,x\n"))(t)
	const note = "every row has a group of its own in column a"
	if s.Groups != nil || len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], note) {
		t.Errorf("%+v, %q", s.Groups, s.Notes)
	}
}

func TestGroupErrors(t *testing.T) {
	const head = "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"class\"\n"
	const text = "who,a,class\np,1,x\np,2,y\nq,3,x\n"
	gap := strings.Replace(text, "q,", ",", 1)
	for _, c := range []struct{ name, toml, content, want string }{
		{"unknown", head + `group = "patient"`, text,
			`DIR/my.csv: there is no column named "patient"; the columns are `},
		{"the label", head + `group = "class"`, text,
			`DIR/my.csv: column 2 ("class") is both label and group; list it once`},
		{"dropped", head + "group = \"who\"\ndrop = [\"who\"]", text,
			`DIR/my.csv: column 0 ("who") is both group and drop; list it once`},
		{"two", head + `group = ["who", "a"]`, text,
			`DIR/set.toml: toml: line 4 (last key "group"): column [who a] is neither a name nor a number`},
		{"no group", head + `group_until = "_"`, text,
			`DIR/set.toml: set mine: group_until = "_" cuts the values of a group; write group = "a column", too`},
		{"one group", head + `group = "who"`, "who,a,class\np,1,x\np,2,y\n",
			`DIR/my.csv: every row has the group p; splits need two groups or more, so choose another column`},
		{"a gap", head + `group = "who"`, gap,
			`DIR/my.csv:4: column 0 ("who"): value "" is no group, and every row needs one; fill it in`},
		{"a mark", head + "group = \"who\"\nmissing = \"q\"", text,
			`DIR/my.csv:4: column 0 ("who"): value "q" is no group, and every row`},
		{"libsvm", "name = \"mine\"\nfile = \"my.svm\"\ngroup = 1\n", text,
			"DIR/set.toml: set mine: group is for format " + catalogue.FormatNames("group", "and") + ", not libsvm"},
	} {
		if _, err := userSet(t, c.toml, "my.csv", c.content); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got  %v\nwant %s", c.name, err, c.want)
		}
	}
}
