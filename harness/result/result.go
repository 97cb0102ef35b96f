// Package result says what a finished cell is: how it ended, its counts on every fold and on the test part, and what was kept
// beside them.
//
// What computes cells (harness/runner, harness/metric) and what keeps them (harness/store) share these types and know nothing of
// each other. The package computes nothing but what a Run says of itself.
package result

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
)

// Status says how a cell ended.
type Status string

const (
	OK      Status = "ok"
	Failed  Status = "failed"  // an error or a crash of the method
	Timeout Status = "timeout" // no result within the limit
)

// Class says how a cell failed.
type Class string

// The classes; that of a cell that ended ok is "".
const (
	ClassTimeout   Class = "timeout"    // no result within the limit
	ClassOOM       Class = "oom"        // its processes needed more memory than they may
	ClassCrash     Class = "crash"      // a panic, a signal, an exit
	ClassBadOutput Class = "bad-output" // what came back is no answer: a score that is no number, half a message, changed data
	ClassError     Class = "error"      // the method returned an error
)

// Score is what one prediction of n rows gave. Classes are counted in integers:
// Correct, and for two classes the confusion counts with +1 as positive.
// Regression has errors instead. A nil field does not apply.
type Score struct {
	N              int
	Correct        *int
	TN, FP, FN, TP *int
	AUC2           *int64 // two classes: twice the pairs of a -1 and a +1 row that the scores put in order, those with equal scores counted once
	RMSE, MAE, R2  *float64

	LogLoss, Brier, ECE *float64 // of a test's scores that stand for probabilities, all or none; see harness/metric
}

// Evaluation is one fold of one grid point.
type Evaluation struct {
	GridIndex, Fold int
	Score           Score
	FitSeconds      float64
}

// Environment is where a cell was run.
type Environment struct {
	ProgramVersion string `json:"program_version"`
	VCSRevision    string `json:"vcs_revision"`
	VCSModified    bool   `json:"vcs_modified"`
	GoVersion      string `json:"go_version"`
	OS             string `json:"os"`
	Arch           string `json:"arch"`
	Kernel         string `json:"kernel"` // with what keeps plugins within their limits
	CPU            string `json:"cpu"`
	Cores          int    `json:"cores"`
	MemoryBytes    int64  `json:"memory_bytes"`
}

// Run is one finished cell with everything that is stored of it.
type Run struct {
	Key            string
	Protocol       string
	ProtocolHash   string
	Method         string
	MethodVersion  string
	Dataset        string
	Fingerprint    string
	Split          int
	Task           string
	Status         Status
	Error          string // empty if ok
	Class          Class  // of the failure; empty if ok
	Stderr         string // the end of what the cell's process wrote there, bounded; empty if ok or run in this process
	Isolated       bool   // it was run in a process of its own
	Grid           []json.RawMessage
	GridPoints     []json.RawMessage // Grid as its author wrote it, or nil
	GridHash       string
	Selected       *int // index into Grid of the refitted point
	TrainRows      int
	TestRows       int
	Test           Score
	Evaluations    []Evaluation
	SearchSeconds  float64
	FitSeconds     *float64
	PredictSeconds *float64
	CPUSeconds     *float64 // of the cell's threads, and of the processes that it started; nil where the system does not tell
	PeakRSSBytes   *int64   // of the whole process up to the cell's end; of an isolated cell its processes' own
	ModelBytes     *int64   // of the saved model; nil if it has no saved form
	CostUnits      float64
	TimeoutSeconds *float64
	StartedAt      string // UTC, RFC 3339 with nanoseconds
	Features       int    // columns of the data; 0 if unknown

	// What is kept of the run beside its counts.
	Scores     []float64 // of the test rows, row by row; nil if they are not kept
	Outputs    int       // scores per row
	ScoresHash string    // of the bits of Scores, also where these are not kept
	Stages     []Stage
	GridTests  []Score    // of the test part with every grid point, in grid order; nil where the protocol does not ask for it
	SeedTests  []SeedTest // with each of the cell's seeds, the first that of the run itself; nil where that is the protocol's alone
	Warnings   []Warning
	Model      *Model // nil if it is not kept

	// What a reader needs to find the cell's inputs again.
	ProtocolText   string // the TOML it was read from
	ProtocolPath   string // where from; "" for a built-in one
	ProtocolSplits int
	SetFile        string // the TOML file of a user's own data set; "" for a built-in one

	Code     string // hash of the code that computed it; "" if unknown
	Imported string // name of the file that it was imported from; "" if it was computed here

	Replace bool // if it is ok, an attempt with the same key gives way to it; else what is ok stays

	Canary *Canary // of a cell whose training labels contradict the truth: it is no result; else nil

	Environment *Environment // where it was computed; nil for the writer's own
}

// A Stage is the test of the refitted model's first rounds.
type Stage struct {
	Round int
	Score Score
}

// A SeedTest is the test of the chosen grid point, fitted to all training rows with one seed.
type SeedTest struct {
	Seed       uint32
	ScoresHash string // of the bits of the test scores
	Score      Score
}

// A Warning is something that a fit said of itself, and how often.
type Warning struct {
	Text  string
	Times int
}

// A Model is a refitted model that can be loaded again.
type Model struct {
	Data        []byte    // as registry.Saver wrote it
	Features    []string  // the columns' names
	Labels      []string  // the classes' names; nil for regression
	Mean, Scale []float64 // of the columns, as the model's rows are standardised; nil if they are not
	Target      *Target   // nil if predictions are in the units of the file
}

// A Target turns predictions of a model into the units of the file: p * Scale + Mean.
type Target struct{ Mean, Scale float64 }

// Name names the cell of the run to people.
func (r Run) Name() string { return fmt.Sprintf("%s on %s, split %d", r.Method, r.Dataset, r.Split) }

// Failure is how the run failed: what the run says of it, else what its status does.
func (r Run) Failure() Class {
	return cmp.Or(r.Class, map[Status]Class{Failed: ClassError, Timeout: ClassTimeout}[r.Status])
}

// CVAccuracy is the mean accuracy of the selected grid point over the folds, nil without one.
func (r Run) CVAccuracy() *float64 {
	sum, folds := 0.0, 0
	for _, e := range r.Evaluations {
		if r.Selected != nil && e.GridIndex == *r.Selected && e.Score.Correct != nil {
			sum += float64(*e.Score.Correct) / float64(e.Score.N)
			folds++
		}
	}
	if folds == 0 {
		return nil
	}
	mean := sum / float64(folds)
	return &mean
}

// Seconds returns the wall time of the cell: search, refit and prediction.
func (r Run) Seconds() float64 {
	sum := r.SearchSeconds
	for _, part := range []*float64{r.FitSeconds, r.PredictSeconds} {
		if part != nil {
			sum += *part
		}
	}
	return sum
}

// A Canary is what a cell showed whose training labels contradict the truth.
type Canary struct {
	P        float64 // how improbable it is by chance to be as right about the test rows
	Constant int     // test rows that the best constant answer gets right; 0 for a regression
}

// Artifacts are what is kept of a cell beside its counts.
type Artifacts struct {
	Scores  []float64 // nil if they are not kept
	Outputs int
	Model   *Model          // nil if it is not kept
	Params  json.RawMessage // of the model
	Task    string

	MethodVersion string // that trained it
}

// HashScores returns what identifies scores by their bits: half of their SHA-256.
func HashScores(scores []float64) string {
	sum := sha256.Sum256(Doubles(scores))
	return hex.EncodeToString(sum[:16])
}

// Doubles is numbers one after another, little-endian.
func Doubles(values []float64) []byte {
	out := make([]byte, 0, 8*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}
