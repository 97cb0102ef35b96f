package commons

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestTree compares the tree with the roots that Certificate Transparency publishes for RFC 6962
// (github.com/google/certificate-transparency-go, testonly/reference_merkle_tree.go and its test).
func TestTree(t *testing.T) {
	roots := []string{
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
	var cells []Cell
	leaves := ",00,10,2021,3031,40414243,5051525354555657,606162636465666768696a6b6c6d6e6f"
	for i, in := range strings.Split(leaves, ",") {
		raw := must.Get(hex.DecodeString("00" + in))(t)
		sum := sha256.Sum256(raw)
		cells = append(cells, Cell{Leaf: hex.EncodeToString(sum[:])})
		must.Be(t, root(cells), roots[i], "root of", i+1)
	}
}

// someRuns are results of two grid points on two sets.
func someRuns() (runs []result.Run) {
	for _, set := range []string{"wine", "iris"} {
		for split := 1; split <= 3; split++ {
			score := func(correct int) result.Score { return result.Score{N: 50, Correct: new(correct)} }
			r := result.Run{Status: result.OK, Selected: new(1), TrainRows: 100, TestRows: 50, Score: score(40 + split),
				ScoresHash: strings.Repeat("a", 32), SearchSeconds: 2, StartedAt: "2026-01-01T00:00:00Z",
				Environment: &result.Environment{CPU: "one", Arch: "amd64"}}
			r.Planned = result.Planned{Protocol: "p", ProtocolHash: "ph", Method: "Mine", MethodVersion: "1",
				Dataset: set, Split: split, Task: "binary", Fingerprint: "f", GridHash: "g",
				Grid: []json.RawMessage{[]byte(`{"c":1}`), []byte(`{"c":2}`)}}
			for fold := range 2 {
				for point := range 2 {
					r.Folds = append(r.Folds, result.Evaluation{GridIndex: point, Fold: fold, Score: score(30 + point)})
				}
			}
			runs = append(runs, r)
		}
	}
	return runs
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 5, time.UTC)

func someReceipt(t must.T, again []result.Run, cpu string) Receipt {
	about := Receipt{Entry: "Mine", EntryHash: strings.Repeat("0", 64), Caught: 0.99, Gain: 0.2, Floor: Floor,
		Deterministic: true}
	env := result.Environment{ProgramVersion: "v1", CPU: cpu, OS: "linux", Arch: "amd64"}
	return must.Get(about.Of(someRuns(), again, env, noon))(t)
}

func TestLevelsOfReceipts(t *testing.T) {
	runs := someRuns()
	for _, c := range []struct {
		again []result.Run
		cpu   string
		want  Level
	}{
		{nil, "two", Reported}, {runs[:2], "two", SomeAgain}, {runs, "one", AllAgain}, {runs, "two", Elsewhere},
		{runs, "", AllAgain}, // nobody knows on what it ran
	} {
		r := someReceipt(t, c.again, c.cpu)
		must.Be(t, r.Level, c.want, len(c.again), "cells on", c.cpu)
		must.Be(t, r.Again(), len(c.again), "cells again")
		text := must.Get(r.Text())(t)
		read := must.Get(ParseReceipt(text))(t)
		must.Be(t, string(must.Get(read.Text())(t)), string(text), "the file, read and written")
	}
	must.Be(t, someReceipt(t, nil, "").Date, "2026-01-02T12:00:00Z", "the date")
}

// TestCheckNames changes one thing of the results, and wants the first cell that differs.
func TestCheckNames(t *testing.T) {
	r := someReceipt(t, nil, "one")
	same := func(runs []result.Run) { t.Helper(); must.Do(t, r.Check(runs)) }
	same(someRuns())
	runs := someRuns()
	slices.Reverse(runs)
	for i := range runs {
		runs[i] = runs[i].Condense() // a smaller bundle, from another machine
		runs[i].SearchSeconds, runs[i].StartedAt, runs[i].Environment = 9, "2027-01-01T00:00:00Z", nil
		runs[i].Imported = "a file"
	}
	same(runs)
	change := func(names string, change func(*result.Run)) {
		t.Helper()
		runs := someRuns()
		change(&runs[1])
		must.Say(t, r.Check(runs), names)
	}
	const cell = "wine, split 2 differs from the receipt"
	change(cell, func(r *result.Run) { r.Score.Correct = new(43) })
	change(cell, func(r *result.Run) { r.Score.N++ })
	change(cell, func(r *result.Run) { r.ScoresHash = strings.Repeat("b", 32) })
	change(cell, func(r *result.Run) { r.Selected = new(0) })
	change(cell, func(r *result.Run) { r.Folds[1].Score.Correct = new(1) })
	change(cell, func(r *result.Run) { r.Fingerprint = "other data" })
	change(cell, func(r *result.Run) { r.GridHash = "another grid" })
	change(cell, func(r *result.Run) { r.Status, r.Class = result.Failed, result.ClassCrash })
	change("wine, split 2 is in the receipt and not among the results", func(r *result.Run) { r.Split = 7 })
	change("is of another method, version or protocol", func(r *result.Run) { r.MethodVersion = "2" })
	change("wine, split 3 is there twice", func(r *result.Run) { r.Split = 3 })
	must.Say(t, r.Check(someRuns()[1:]), "wine, split 1 is in the receipt and not among")
	more := someRuns()[0]
	more.Split = 4
	must.Say(t, r.Check(append(someRuns(), more)), "wine, split 4 is among the results and not in the receipt")
	more.Dataset = "a"
	must.Say(t, r.Check(append(someRuns(), more)), "a, split 4 is among the results and not in the receipt")
	must.Say(t, must.Err(Receipt{}.Of(someRuns()[:1], []result.Run{more}, result.Environment{}, noon)),
		"Mine on a, split 4 was computed again and is not among")
	must.Say(t, must.Err(Receipt{}.Of(nil, nil, result.Environment{}, noon)), "no results")
}

// TestOwnCountsStand says that a cell that was computed again has the leaf of the computed result.
func TestOwnCountsStand(t *testing.T) {
	again := someRuns()[4:5]
	again[0].ScoresHash = strings.Repeat("c", 32)
	r := someReceipt(t, again, "one")
	must.Say(t, r.Check(someRuns()), "iris, split 2 differs")
	runs := someRuns()
	runs[4] = again[0]
	must.Do(t, r.Check(runs))
}

// TestReceiptsThatContradictThemselves changes one place of a receipt's file.
func TestReceiptsThatContradictThemselves(t *testing.T) {
	text := string(must.Get(someReceipt(t, someRuns()[:2], "one").Text())(t))
	for _, c := range []struct{ old, new, says string }{
		{`"again": true`, `"again": false`, `level is "share computed again", and of its 6 cells 0`},
		{`"share computed again"`, `"all computed again"`, `level is "all computed again", and of its 6 cells 2`},
		{`"share computed again"`, `"best"`, `level is "best"`},
		{`"dataset": "iris"`, `"dataset": "zoo"`, "is out of order"},
		{`bench-receipt/1`, `bench-receipt/2`, "use the bench that wrote it"},
		{`"caught": 0.99`, `"caught": 1.5`, "a probability"},
		{`"date": "2026`, `"date": "today`, "no time of RFC 3339"},
		{`"root": "`, `"root": "0`, "the receipt was changed"},
		{`"leaf": "`, `"leaf": "x`, "leaf is no SHA-256"},
		{`"gain"`, `"profit"`, "the field profit is not known here"},
		{`"entry"`, `"Entry"`, "not known here"},
		{`"level"`, `"gain": 0.3, "level"`, "comes twice"},
		{"\n}\n", "", "cut"},
	} {
		changed := strings.ReplaceAll(text, c.old, c.new)
		must.Be(t, changed != text, true, c.old, "is there")
		must.Say(t, must.Err(ParseReceipt([]byte(changed))), c.says)
	}
	leaf := fmt.Sprintf(`"leaf": "%.64s`, strings.SplitN(text, `"leaf": "`, 3)[2])
	must.Say(t, must.Err(ParseReceipt([]byte(strings.Replace(text, leaf, `"leaf": "`+strings.Repeat("0", 64), 1)))),
		"the receipt was changed")
	must.Say(t, must.Err(ParseReceipt(make([]byte, MostReceipt+1))), "more than")
	must.Say(t, must.Err(ParseReceipt([]byte("{}"))), "its format is")
}
