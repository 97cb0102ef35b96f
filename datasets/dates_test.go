package datasets_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestDatesAreTheirNumbers draws moments and writes them in a notation. The table is read as a table of the days,
// months and days of the week, which package time tells.
func TestDatesAreTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		layout := rapid.SampledFrom([]string{"2006-01-02", "2006/1/2", "2006.01.02", "2006-01-02T15:04",
			"2006-01-02 15:04:05",
			"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "02/01/2006", "2.1.2006 15:04",
			"1/2/2006 3:04:05 PM", "01-02-2006"}).Draw(r, "layout")
		zone := time.FixedZone("", 900*rapid.IntRange(-48, 56).Draw(r, "zone"))
		if !strings.ContainsAny(layout, "Z0") || !strings.HasSuffix(layout, "00") {
			zone = time.UTC
		}
		o := read.Hints{Label: "y"}
		switch layout[:2] {
		case "02", "2.":
			o.DateOrder = "dmy"
		case "1/", "01":
			o.DateOrder = "mdy"
		}
		plain, written := "d.days,d.month,d.weekday,x,y\n", "d,x,y\n"
		for i := range 30 {
			at := time.Unix(rapid.Int64Range(-5_000_000_000, 5_000_000_000).Draw(r, "seconds"), 0).In(zone)
			text := at.Format(layout)
			at = must.Get(time.ParseInLocation(layout, text, time.UTC))(r)
			rest := fmt.Sprintf(",%d,%c\n", i*i, "uv"[i%2])
			days := strconv.FormatFloat(float64(at.Unix())/86400, 'g', -1, 64)
			plain += fmt.Sprintf("%s,%d,%d", days, at.Month(), (at.Weekday()+6)%7+1) + rest
			written += text + rest
		}
		want, _ := loaded(r, dir, plain, o)
		got, d := loaded(r, dir, written, o)
		if got == nil {
			r.Fatalf("problems %q of\n%s", d.Problems, written)
		}
		must.Be(r, strings.Join(got.Features, " "), strings.Join(want.Features, " "))
		must.Be(r, fmt.Sprint(got.Dates), "[0]")
		must.Be(r, mat.Equal(got.X, want.X), true, mat.Formatted(got.X), mat.Formatted(want.X), written)
	})
}

// TestDescribeDates describes columns of dates: how they are read, or why they cannot be.
func TestDescribeDates(t *testing.T) {
	for _, c := range []struct{ what, values, order, keys, said string }{
		{"ISO", "2020-01-31|2021-12-01", "", `dates = ["x"]`,
			`column x: dates ("2020-01-31" is 2020-01-31) become days since the earliest training row, the month and ` +
				`the day of the week: x.days, x.month, x.weekday`},
		{"with gaps", "2020-01-31|2021-12-01||NA", "", `dates = ["x"]; missing = ["", "NA"]; impute = "median"`, ""},
		{"with words", "2020-01-31|2021-12-01|2022-12-01|2019-12-01|unknown", "",
			`dates = ["x"]; missing = ["unknown"]; impute = "median"`,
			`"unknown" in 8 rows is read as a missing value`},
		{"a date far away", "2020-01-31|2021-12-01|9999-12-31|2021-03-04", "", `dates = ["x"]`,
			"column x has 9999-12-31 in 10 rows, far from its other values 2020-01-31 to 2021-12-01: if it stands"},
		{"the day first", "3/4/2020|31/12/2020", "", `dates = ["x"]; date_order = "dmy"`, `"3/4/2020" is 2020-04-03`},
		{"the month first", "3/4/2020|12/31/2020", "", `dates = ["x"]; date_order = "mdy"`, `"3/4/2020" is 2020-03-04`},
		{"the day or the month first", "3/4/2020|11/12/2020", "", `drop = ["x"]`,
			"column x: nothing tells whether the day " +
				`or the month comes first in dates such as "3/4/2020" (DIR/a.csv:2); ` +
				`say so by --date-order dmy or mdy`},
		{"said", "3/4/2020|11/12/2020", "dmy", `dates = ["x"]; date_order = "dmy"`, `"3/4/2020" is 2020-04-03`},
		{"both", "13/4/2020|4/13/2020", "", `drop = ["x"]`, "column x: some dates of the file have the day first " +
			`(DIR/a.csv:2 "13/4/2020") and some the month first (DIR/a.csv:3 "4/13/2020"); write all as 2020-12-31`},
		{"said wrongly", "3/4/2020|4/13/2020", "dmy", `drop = ["x"]`, "is a date in another notation"},
		{"two notations", "2020-01-31|2021-12-01|1999-12-01|1998-12-01|31/12/2020", "", `drop = ["x"]`,
			"each of 8 values is a date with the year last"},
		{"a zone in some", "2020-01-31|2021-12-01|1999-12-01|1998-12-01|2020-12-31T00:00Z", "", `drop = ["x"]`,
			"a date with the year first and a time zone"},
		{"two digits of the year", "31/12/20|1/2/21", "", `drop = ["x"]`, "is a date in another notation"},
		{"no day", "2020-02-31|2021-02-30", "", `drop = ["x"]`, "is a date in another notation"},
		{"numbers", "20200131|20211201", "", "", "column x has numbers such as 20200131: if they are dates, write"},
		{"other numbers", "20200131|20211301", "", "", ""},
		{"times", "10:15|11:15", "", `drop = ["x"]`, "is a time"},
		{"constant", "2020-01-31", "", `drop = ["x"]`, `every known value is "2020-01-31"`},
	} {
		t.Run(c.what, func(t *testing.T) {
			values := strings.Split(c.values, "|")
			d := must.Get(described(t, "a.csv", "x,z,y\n"+rows(40, func(i int) string {
				return fmt.Sprintf("%s,%d,%c", values[i%len(values)], i*i, "uv"[i*5%7%2])
			}), read.Hints{DateOrder: c.order}))(t)
			_, got, _ := strings.Cut(keys(d.TOML), `positive = ["v"]; `)
			must.Be(t, got, c.keys)
			must.Hold(t, strings.Join(d.Problems, "\n")+"\n"+strings.Join(d.Notes, "\n"), c.said)
		})
	}
}

// TestDaysCountFromTheEarliestRow: days count from the earliest chosen row, and gaps stay gaps.
func TestDaysCountFromTheEarliestRow(t *testing.T) {
	gap := mat.NewDense(4, 2, []float64{5, 1, 3, 2, math.NaN(), 3, -7, 4})
	o := datasets.FitOrigins(gap, []int{2, 0, 1}, []int{0})
	must.Be(t, fmt.Sprint(o), "{[0] [3]}")
	must.Be(t, fmt.Sprint(o.Apply(gap, []int{3, 2}).RawMatrix().Data), "[-10 4 NaN 3]")
	must.Be(t, fmt.Sprint(datasets.FitOrigins(gap, []int{2}, []int{0})), "{[0] [0]}")
}

// TestDatesHaveOneIndicator: the three features of a column of dates have one column that says where dates are missing.
func TestDatesHaveOneIndicator(t *testing.T) {
	gap := math.NaN()
	set := &datasets.Set{X: mat.NewDense(3, 5, []float64{gap, gap, gap, gap, 1, 5, 2, 1, 3, 2, 6, 2, 3, 4, 3}),
		Features: []string{"d.days", "d.month", "d.weekday", "x", "z"}, Dates: []int{0},
		Gaps: datasets.Gaps{Impute: datasets.Median, Indicator: true}}
	in := must.Get(datasets.FitInputs(set, nil, false))(t)
	must.Be(t, strings.Join(in.Names(set.Features)[5:], " "), "d.days=missing x=missing")
	must.Be(t, fmt.Sprint(mat.Row(nil, 0, in.Apply(set.X, nil))), "[0.5 2 2 3.5 1 1 1]")
}
