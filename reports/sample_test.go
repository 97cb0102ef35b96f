package reports_test

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/kernelboosting/bench/reports"
)

// source2020 names Gautheron et al., ECML PKDD 2020, Table 2.
const source2020 = "gbrff-ecml2020"

var methods2020 = []string{"BMKR", "GFC", "PBRFF", "GBRFF1", "LGBM", "GBRFF2"}

// table2020 holds the published means and standard deviations, with each data
// set's examples, features and test examples.
var table2020 = []struct {
	name                 string
	rows, features, test int
	mean, std            [6]float64
}{
	{"wine", 178, 13, 54, [6]float64{99.5, 99.3, 98.1, 98.3, 96.6, 98.5}, [6]float64{1.0, 1.1, 2.1, 1.5, 3.2, 1.6}},
	{"sonar", 208, 60, 63, [6]float64{78.8, 76.6, 76.7, 81.8, 82.4, 83.0}, [6]float64{7.2, 3.2, 5.2, 3.5, 4.3, 5.0}},
	{"newthyroid", 215, 5, 65, [6]float64{96.5, 96.5, 96.5, 95.3, 94.8, 96.9}, [6]float64{1.7, 2.1, 1.5, 2.2, 2.9, 2.1}},
	{"heart", 270, 13, 81, [6]float64{85.6, 79.4, 85.4, 83.6, 83.0, 83.1}, [6]float64{4.0, 4.5, 3.5, 4.0, 3.5, 4.0}},
	{"bupa", 345, 6, 104, [6]float64{68.1, 64.7, 69.0, 70.3, 72.0, 71.2}, [6]float64{4.9, 3.2, 4.2, 4.9, 3.3, 4.5}},
	{"iono", 351, 34, 106, [6]float64{94.2, 91.5, 94.2, 88.2, 93.3, 89.2}, [6]float64{1.4, 2.3, 1.8, 2.3, 2.5, 2.1}},
	{"wdbc", 569, 30, 171, [6]float64{96.1, 95.8, 96.5, 96.8, 95.8, 97.3}, [6]float64{1.2, 1.3, 1.1, 1.1, 1.5, 1.2}},
	{"balance", 576, 4, 173, [6]float64{96.0, 95.1, 98.9, 97.7, 93.5, 97.7}, [6]float64{1.2, 2.0, 1.1, 0.7, 2.6, 0.6}},
	{"australian", 690, 14, 207, [6]float64{85.9, 80.9, 84.6, 86.7, 85.5, 86.9}, [6]float64{2.0, 2.4, 2.3, 1.7, 1.9, 1.9}},
	{"pima", 768, 8, 231, [6]float64{76.4, 68.7, 76.1, 76.5, 75.5, 77.1}, [6]float64{2.0, 2.6, 2.5, 2.7, 2.7, 2.5}},
	{"vehicle", 846, 18, 254, [6]float64{96.6, 95.9, 96.5, 96.3, 96.7, 97.1}, [6]float64{1.3, 0.8, 1.4, 1.2, 1.0, 1.0}},
	{"german", 1000, 24, 300, [6]float64{72.3, 64.3, 72.4, 73.7, 73.5, 74.0}, [6]float64{1.8, 2.8, 1.4, 1.6, 1.7, 1.3}},
	{"splice", 3175, 60, 953, [6]float64{87.5, 87.0, 83.5, 83.9, 97.0, 92.4}, [6]float64{1.0, 1.0, 0.7, 1.1, 0.5, 0.8}},
	{"spambase", 4597, 57, 1380, [6]float64{93.5, 91.3, 91.6, 90.7, 95.6, 92.8}, [6]float64{0.4, 0.6, 0.7, 0.7, 0.4, 0.6}},
	{"occupancy", 20560, 5, 6168, [6]float64{99.3, 98.9, 98.9, 98.8, 99.3, 98.9}, [6]float64{0.1, 0.7, 0.1, 0.1, 0.1, 0.1}},
	{"bankmarketing", 45211, 51, 13564, [6]float64{math.NaN(), math.NaN(), math.NaN(), 89.7, 90.8, 90.0}, [6]float64{0, 0, 0, 0.2, 0.2, 0.2}},
}

// ranks2020 are the average ranks the paper prints.
var ranks2020 = []float64{2.88, 4.94, 3.75, 3.81, 3.44, 2.19}

// sampleInput is a table of the size and spread of the published one, with
// invented runs: three methods time out on bankmarketing, PBRFF fails on one
// split of german, and of the generated sets one is left to the full command.
func sampleInput() reports.Table2Input {
	rng := rand.New(rand.NewPCG(2020, 2))
	in := reports.Table2Input{
		Protocol: "table2", Methods: methods2020, Splits: 20,
		LeftOut:     []string{"board"},
		FullCommand: "bench run --all --protocol table2 --splits 20 --db results.db",
		Provenance: reports.Provenance{
			Program: "bench v0.1.0", ProtocolHash: "9d2c41f07ab3", Database: "results.db",
			Generated:   time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC),
			Command:     "bench report table2 --format html -o table2.html",
			Environment: []string{"linux/amd64, go1.26.0, 16 cores, 64 GiB (1900 runs)", "linux/arm64, go1.26.0, 8 cores, 16 GiB (17 runs)"},
			Queries: []reports.Query{{Title: "Every run of the table",
				SQL: "SELECT dataset, method, split, status, n_correct, n_test, error\nFROM results\nWHERE protocol = 'table2'\nORDER BY dataset, method, split"}},
		},
	}
	for i, method := range methods2020 {
		in.PublishedRanks = append(in.PublishedRanks, reports.PublishedRank{Source: source2020, Method: method, Rank: ranks2020[i]})
	}
	for _, d := range table2020 {
		group := reports.GroupMain
		if d.name == "bankmarketing" {
			group = reports.GroupApart
		}
		in.Datasets = append(in.Datasets, reports.Dataset{Name: d.name, Group: group,
			Rows: d.rows, Features: d.features, TrainRows: d.rows - d.test, TestRows: d.test})
		for j, method := range methods2020 {
			if math.IsNaN(d.mean[j]) {
				for split := 1; split <= 20; split++ {
					in.Runs = append(in.Runs, reports.Run{Dataset: d.name, Method: method, Split: split,
						Status: "timeout", Error: "stopped after 10m0s"})
				}
				continue
			}
			in.Published = append(in.Published, reports.Published{Source: source2020, Dataset: d.name, Method: method,
				Mean: d.mean[j], Std: d.std[j]})
			shift := 0.6 * rng.NormFloat64()
			for split := 1; split <= 20; split++ {
				correct := math.Round((d.mean[j] + shift + d.std[j]*rng.NormFloat64()) / 100 * float64(d.test))
				in.Runs = append(in.Runs, reports.Run{Dataset: d.name, Method: method, Split: split,
					Status: reports.StatusOK, Correct: min(int(correct), d.test), Test: d.test})
			}
		}
	}
	for i, r := range in.Runs {
		if r.Dataset == "german" && r.Method == "PBRFF" && r.Split == 7 {
			in.Runs[i] = reports.Run{Dataset: "german", Method: "PBRFF", Split: 7, Status: "failed", Error: "exit status 137:\nout of memory"}
		}
	}
	for _, name := range []string{"swiss", "circles", "board"} {
		in.Datasets = append(in.Datasets, reports.Dataset{Name: name, Group: reports.GroupGenerated, Rows: 1000, Features: 2, TrainRows: 700, TestRows: 300})
		if name == "board" {
			continue
		}
		for _, method := range methods2020 {
			for split := 1; split <= 20; split++ {
				in.Runs = append(in.Runs, reports.Run{Dataset: name, Method: method, Split: split,
					Status: reports.StatusOK, Correct: 270 + rng.IntN(25), Test: 300})
			}
		}
	}
	return in
}

// smallInput is small enough to compute by hand: two comparable data sets, one
// with a tie, one with different splits, one with a failure and data that changed
// since, one not run; names that every format must escape.
func smallInput() reports.Table2Input {
	in := reports.Table2Input{
		Protocol: "table2", Methods: []string{"A_1", "B&<b>", "C|%"}, Splits: 3,
		Datasets: []reports.Dataset{
			{Name: "tie", Rows: 34, Features: 4, TrainRows: 24, TestRows: 10},
			{Name: "clear", Rows: 28, Features: 2, TrainRows: 20, TestRows: 8},
			{Name: "uneven", Rows: 14, Features: 3, TrainRows: 10, TestRows: 4},
			{Name: "big_set", Group: reports.GroupApart, Rows: 12345},
			{Name: "toy", Group: reports.GroupGenerated},
		},
		Published: []reports.Published{
			{Source: "paper", Dataset: "tie", Method: "A_1", Mean: 81.6, Std: 4.9},
			{Source: "paper", Dataset: "tie", Method: "B&<b>", Mean: 80, Std: 5},
			{Source: "paper", Dataset: "tie", Method: "C|%", Mean: 75.1, Std: math.NaN()},
			{Source: "paper", Dataset: "big_set", Method: "C|%", Mean: 91, Std: 0.5},
			{Source: "paper", Dataset: "glass", Method: "XGB", Mean: 70, Std: 1},
		},
		PublishedRanks: []reports.PublishedRank{{Source: "paper", Method: "A_1", Rank: 1.25}},
		Changed: []reports.Change{{Dataset: "big_set", File: "big_set.csv", Was: "6facdf82aa", Is: "54f96b31bb",
			Command: "bench run --methods 'A_1,C|%' --datasets 'my sets/big_set.toml' --splits 3"}},
		Impossible:  []reports.Impossible{{Dataset: "big_set", Method: "B&<b>", Why: "the method does not solve multiclass sets"}},
		Regression:  []string{"cpu_time"},
		Warnings:    []string{"Left out, 2 cells of A_1 on tie: tie.csv changed since (data was 1, is 2)."},
		LeftOut:     []string{"toy"},
		FullCommand: "bench run --all --splits 3",
		Notes:       []string{"Invented numbers."},
		Provenance: reports.Provenance{
			Program: "bench v0", ProtocolHash: "abc123", Database: "some_results.db",
			Generated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Command: "bench report table2",
			Environment: []string{"linux/amd64, 2 cores"},
			Queries:     []reports.Query{{Title: "All runs", SQL: "SELECT dataset, n_correct -- per split\nFROM results WHERE n_test < 99;\n"}},
		},
	}
	add := func(dataset, method string, test int, correct ...int) {
		for i, c := range correct {
			in.Runs = append(in.Runs, reports.Run{Dataset: dataset, Method: method, Split: i + 1, Status: reports.StatusOK, Correct: c, Test: test})
		}
	}
	add("tie", "A_1", 10, 7, 8, 9)
	add("tie", "B&<b>", 10, 9, 8, 7)
	add("tie", "C|%", 10, 8, 8, 7)
	add("clear", "A_1", 8, 6, 7)
	add("clear", "B&<b>", 8, 8, 8)
	add("clear", "C|%", 8, 5, 6)
	add("uneven", "A_1", 4, 4, 4, 4)
	add("uneven", "B&<b>", 4, 2, 3, 2)
	add("uneven", "C|%", 4, 4)
	add("big_set", "C|%", 100, 90, 92, 91)
	in.Runs = append(in.Runs,
		reports.Run{Dataset: "uneven", Method: "C|%", Split: 2, Status: "failed", Error: "singular\nmatrix \x1b[31m{x}"},
		reports.Run{Dataset: "big_set", Method: "A_1", Split: 1, Status: "timeout", Error: "stopped after 10m0s"},
		reports.Run{Dataset: "big_set", Method: "A_1", Split: 2, Status: "timeout", Error: "stopped after 10m0s"},
	)
	return in
}
