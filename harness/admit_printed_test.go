package harness_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
)

var known = verify.Names{
	Set: func(name string) (string, error) {
		if strings.EqualFold(name, "wine") {
			return "wine", nil
		}
		return name, errors.New("no such set")
	},
	Method:   func(name string) string { return strings.Replace(name, "gbrff2", "GBRFF2", 1) },
	Protocol: func(name string) (int, bool) { return 20, name == "table2" },
}

func TestReadPrinted(t *testing.T) {
	got := must.Get(verify.ReadPrinted(strings.NewReader("\ufeffSet,method, mean ,n,unit,deviation,splits,protocol\r\n"+
		"Wine,gbrff2,0.985,20,fraction,0.5,same,table2\r\nwine,New Net,98,,,,other,\"ten folds, once\"\r\n"), "S",
		known))(t)
	want := []experiments.Value{
		{Source: "S", Dataset: "wine", Method: "GBRFF2", Unit: "share of correct labels", Mean: 0.985, Std: new(0.5),
			Spread: experiments.Deviation,
			Quoted: &experiments.Quoted{N: new(20), Protocol: "table2", SameSplits: true}},
		{Source: "S", Dataset: "wine", Method: "New Net", Unit: "percent of correct labels", Mean: 98,
			Quoted: &experiments.Quoted{Protocol: "ten folds, once"}},
	}
	must.Be(t, got, want)
}

// TestBadPrintedValues: each has a line that names its line, its column, the value and what to do.
func TestBadPrintedValues(t *testing.T) {
	const head = "method,set,mean,deviation,n,unit,protocol,splits\n"
	many := strings.Repeat("M,wine,x,,,,,\n", 30)
	for file, says := range map[string]string{
		"":                                      "first line names the columns",
		"method;set;mean\n":                     `column "method;set;mean" is none of method, set, mean,`,
		"method,set,mean,deviaton\n":            `line 1: column "deviaton"`,
		"method,set,mean,set\n":                 "line 1: column set is there twice",
		"method,set\n":                          "line 1: there is no column mean",
		head + "M,wine,98":                      "line 2: 3 values for 8 columns",
		head + "\"M\nx,wine,98":                 "line 3",
		head + "a@b,wine,98,,,,,":               `line 2, column method: "a@b"`,
		head + "M,x,98,,,,,":                    "line 2, column set: no such set",
		head + "M,wine,\"98,5\",,,,,":           `line 2, column mean: "98,5" is not a decimal number`,
		head + "M,wine,,,,,,":                   `line 2, column mean: "" is not`,
		head + "M,wine,NaN,,,,,":                `line 2, column mean: "NaN" is not`,
		head + "M,wine,101,,,,,":                "line 2, column mean: 101 is not between 0 and 100",
		head + "M,wine,0.98,,,,,":               "line 2, column unit: it is empty, and the mean 0.98 may",
		head + "M,wine,98,-1,,,,":               "line 2, column deviation: -1 is not between",
		head + "M,wine,98,,0,,,":                `line 2, column n: "0" is not`,
		head + "M,wine,98,,2.5,,,":              `line 2, column n: "2.5" is not`,
		head + "M,wine,98,,,euro,,":             `line 2, column unit: "euro" is no unit`,
		head + "M,wine,9,,,fraction,,":          "line 2, column mean: 9 is not between 0 and 1",
		head + "M,wine,98,,,,x,same":            `line 2, column splits: it says same, and "x" is no protocol`,
		head + "M,wine,98,,,,x,yes":             `line 2, column splits: "yes" is neither`,
		head + "M,wine,98,,21,,table2,same":     "line 2, column n: 21 values, and the protocol table2 has 20 splits",
		head + "M,wine,98,,,,a\x1b[m,":          "line 2, column protocol: ",
		head + "M,wine,98,,,,,\nM,wine,97,,,,,": "line 3, column method: M on wine is there twice",
		head + many:                             "\n39 more",
	} {
		_, err := verify.ReadPrinted(strings.NewReader(file), "S", known)
		must.Say(t, err, says)
	}
}
