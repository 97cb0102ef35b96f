package read

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestReadDate reads dates in all notations, with the numbers of other calendars (GNU date +"%s %m %u").
func TestReadDate(t *testing.T) {
	for _, c := range []struct{ text, order, want string }{
		{"1970-01-01", "", "0 1 4"}, {"2020-02-29", "", "18321 2 6"}, {"1969-12-31", "", "-1 12 3"},
		{"2020/2/9", "", "18301 2 7"}, {"2020.12.31", "dmy", "18627 12 4"}, {"1970-01-01T12:00", "", "0.5 1 4"},
		{"1970-01-02 06:00:00.5", "", "1.2500057870370371 1 5"}, {"1970-01-01T00:00+12:00", "", "-0.5 1 4"},
		{"1970-01-01T00:00:00 -0600", "", "0.25 1 4"}, {"1970-01-01T18:00Z", "", "0.75 1 4"},
		{"3/4/2020", "dmy", "18355 4 5"}, {"3/4/2020", "mdy", "18325 3 3"}, {"31.12.2020 06:00", "dmy",
			"18627.25 12 4"},
		{"1/2/1970 12:00 AM", "mdy", "1 1 5"}, {"1/2/1970 12:00pm", "mdy", "1.5 1 5"}, {"0001-01-01", "",
			"-719162 1 1"},
		{"3/4/2020", "", ""}, {"2019-02-29", "", ""}, {"2020-13-01", "", ""}, {"13/13/2020", "dmy", ""},
		{"4/13/2020", "dmy", ""}, {"2020-01/02", "", ""}, {"3/4/20", "dmy", ""}, {"2020-01-01T24:00", "", ""},
		{"2020-01-01T10:60", "", ""}, {"2020-01-01 13:00 PM", "", ""}, {"20200101", "", ""}, {"1.2.3", "", ""}, {"", "",
			""},
	} {
		d, _, ok := readDate([]byte(c.text), c.order)
		got := ""
		if ok {
			got = strings.Trim(fmt.Sprint(d), "[]")
		}
		must.Be(t, got, c.want, c.text)
	}
}

// TestDates reads sets with dates.
func TestDates(t *testing.T) {
	const head = "name = \"mine\"\nlabel = \"y\"\n"
	for _, c := range []struct{ name, toml, file, content, want string }{
		{"between numbers", head + "dates = \"d\"", "my.csv", "a,d,b,y\n1,1970-01-03,2,x\n3,1970-02-01,4,z\n",
			"a d.days d.month d.weekday b [1 2 1 6 2] [3 31 2 7 4]"},
		{"gaps", head + "dates = [0, 1]\nimpute = \"mean\"\nmissing = [\"\", \"?\"]", "my.csv",
			"d,e,y\n1970-01-03,,x\n?,1970-02-01T00:00Z,z\n",
			"d.days d.month d.weekday e.days e.month e.weekday [2 1 6 NaN NaN NaN] [NaN NaN NaN 31 2 7]"},
		{"a mark that is a date", head + "dates = \"d\"\nimpute = \"none\"\nmissing = \"9999-12-31\"", "my.csv",
			"d,y\n1970-01-03,x\n9999-12-31,z\n", "d.days d.month d.weekday [2 1 6] [NaN NaN NaN]"},
		{"the rest are categories", "name = \"mine\"\nlabel = 0\ncolumns = [\"y\", \"d\", \"c\"]\ndates = \"d\"\n" +
			"date_order = \"mdy\"\ncategorical = \"all\"", "my.csv", "x,1/3/1970,u\nz,2/1/1970,u\n",
			"d.days d.month d.weekday c=u [2 1 6 1] [31 2 7 1]"},
		{"arff", head + "dates = \"d\"", "my.arff",
			"@attribute d date\n@attribute y {x,z}\n@data\n'1970-01-03 12:00',x\n1970-02-01,z\n",
			"d.days d.month d.weekday [2.5 1 6] [31 2 7]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(userSet(t, fmt.Sprintf("file = %q\n%s", c.file, c.toml), c.file, c.content))(t)
			text := strings.Join(s.Features, " ")
			for i := range s.Y {
				text += fmt.Sprint(" ", s.X.RawRowView(i))
			}
			must.Be(t, text, c.want)
		})
	}
	const csv = head + "file = \"my.csv\"\ndates = \"d\"\n"
	for _, c := range []struct{ toml, value, want string }{
		{csv, "3/4/2020", `value "3/4/2020" is no date that is read; write date_order = "dmy" if the day comes first`},
		{csv, "3/4/20", "is no date that is read; write it as 2020-12-31"},
		{csv, "soon", "is no date that is read; repair it"},
		{csv, "NA", "is no date that is read; if it stands for a missing value, list it in missing"},
		{csv, "", "is missing, and a numeric input needs a value in every row"},
		{csv, "2020-01-01T00:00Z",
			"is a date with the year first and a time zone, and DIR/my.csv:2 has a date with the year first"},
		{csv + "date_order = \"ymd\"", "2020-01-01", `date_order = "ymd" is not "dmy" (day, month, year) or "mdy"`},
		{csv + "categorical = \"d\"", "2020-01-01", `is both dates and categorical; list it once`},
		{head + "file = \"my.csv\"", "2020-01-01",
			"is not a finite number; if the column holds dates, list it in dates"},
	} {
		_, err := userSet(t, c.toml, "my.csv", "d,y\n1970-01-03,x\n"+c.value+",z\n")
		if !strings.Contains(c.toml, "dates") {
			_, err = userSet(t, c.toml, "my.csv", "d,y\n1,x\n"+c.value+",z\n")
		}
		must.Say(t, err, c.want)
	}
}

// TestDatesInChannels: the columns of days are known where files are joined by columns.
func TestDatesInChannels(t *testing.T) {
	s := must.Get(userSet(t,
		"name = \"mine\"\nlabel = \"y\"\ndates = \"d\"\n[[files]]\npath = \"a.csv\"\nchannel = \"one\"\n"+
			"[[files]]\npath = \"b.csv\"\nchannel = \"two\"\n", "a.csv", "x,d,y\n1,1970-01-03,u\n2,1970-01-04,v\n",
		"b.csv", "z,d\n1,1970-01-03\n2,1970-01-04\n"))(t)
	must.Be(t, fmt.Sprint(s.Dates, s.Features),
		"[1 5] [one.x one.d.days one.d.month one.d.weekday two.z two.d.days two.d.month two.d.weekday]")
}

// TestDatesOfRows reads rows for a model that was trained on dates. The column of dates is found by its name.
func TestDatesOfRows(t *testing.T) {
	features := []string{"a", "d.days", "d.month", "d.weekday"}
	for content, want := range map[string]string{
		"d,a\n1970-01-03,7\n,8\n":   "[7 2 1 6 8 NaN NaN NaN]",
		"a,d\n7,3/4/2020\n":         `column 1 ("d"): value "3/4/2020" is no date that is read; write it as 2020-12-31`,
		"a,d.days\n7,2\n":           `no column is named "d", which the model needs; the columns are a, d.days`,
		"7,2,1,6\n":                 `names none of the columns; column "d" of dates is found by its name`,
		"d,a\n1970-01-03 25:00,7\n": "is no date that is read; write it as 2020-12-31",
	} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		must.Do(t, os.WriteFile(path, []byte(content), 0o600))
		x, err := Rows(path, features, []int{1}, true, nil, 1<<20)
		if err != nil {
			must.Say(t, err, want)
			continue
		}
		must.Be(t, fmt.Sprint(x.RawMatrix().Data), want)
		must.Be(t, math.IsNaN(x.At(1, 1)), true)
	}
}
