package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestQuoted: values of others are next to ours with what their source says, in the unit of the table, and change
// nothing else.
func TestQuoted(t *testing.T) {
	const source = "Doe 2026, Table 1."
	value := func(set, method, unit string, mean float64, q experiments.Quoted) experiments.Value {
		return experiments.Value{Source: source, Dataset: set, Method: method, Unit: unit, Mean: mean, Quoted: &q}
	}
	in := sample.Printed()
	without := Build(new(must.Get(in.Frame(t).Table(""))(t)), Options{})
	in.Printed = []experiments.Value{
		value("heart", "NewNet", "percent of wrong labels", 15, experiments.Quoted{}),
		value("no such set", "NewNet", "percent of correct labels", 15, experiments.Quoted{}),
		value("sonar", "gbrff2", "share of correct labels", 0.8425, experiments.Quoted{Protocol: "table2"}),
		value("sonar", "NewNet", "percent of correct labels", 85, experiments.Quoted{Protocol: "10-fold"}),
		value("wine", "NewNet", "percent of correct labels", 98.5,
			experiments.Quoted{N: new(20), Protocol: "table2", SameSplits: true}),
	}
	in.Printed[4].Std = new(1.5)
	ft := must.Get(in.Frame(t).Table(""))(t)
	table, _ := Quoted(&ft, 1)
	var rows []string
	for _, r := range table.Sections[0] {
		row := r.Name
		for _, e := range r.Entries {
			row += "|" + strings.TrimSuffix(e.Text+" ± "+e.Dev, " ± ")
		}
		rows = append(rows, row)
	}
	must.Be(t, rows, []string{
		"wine|NewNet|98.5 ± 1.5|20|-|99.5|same splits|[1]",
		"sonar|gbrff2|84.25|-|83.0|83.0|same protocol|[1]",
		"sonar|NewNet|85|-|-|83.0|another protocol|[1]",
	})
	must.Hold(t, strings.Join(table.Legend, " "), "[1] Doe 2026, Table 1.")
	with := Build(&ft, Options{})
	with.Blocks = slices.DeleteFunc(with.Blocks, func(b doc.Block) bool {
		table, isTable := b.(doc.Table)
		records, areRecords := b.(doc.Records)
		return isTable && table.Label == "quoted" || areRecords && records.Name == "quoted"
	})
	must.Be(t, fmt.Sprint(with.Notes, len(with.Blocks)), fmt.Sprint(without.Notes, len(without.Blocks)),
		"values of others change the notes or the blocks")
	for i, b := range with.Blocks {
		if _, plot := b.(doc.Figure); !plot && !reflect.DeepEqual(b, without.Blocks[i]) {
			t.Errorf("values of others change %+v", b)
		}
	}
	in.Datasets = []string{"heart"}
	ft = must.Get(in.Frame(t).Table("error"))(t)
	if table, records := Quoted(&ft, 1); len(records.Rows) != 1 || table.Sections[0][0].Entries[1].Text != "15" {
		t.Errorf("by error: %+v", table)
	}
}
