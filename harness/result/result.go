// Package result defines a finished cell: how it ended, its counts on every fold and on the test part, and
// the artifacts kept in addition to its counts.
//
// Packages that compute cells (harness/runner, harness/metric) and the package that keeps them
// (harness/store) share these types and know nothing of each other. The package computes only values that
// follow from one Run.
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

// These are the classes of failures. A cell that ended ok has the class "".
const (
	ClassTimeout Class = "timeout" // no result within the limit
	ClassOOM     Class = "oom"     // its processes needed more memory than the limit
	ClassCrash   Class = "crash"   // a panic, a signal, an exit
	// the answer is invalid: a score that is no number, half a message, changed data
	ClassBadOutput Class = "bad-output"
	ClassError     Class = "error" // the method returned an error
)

// Score is the result of one prediction of n rows. Classes are counted in integers: Correct, and for two
// classes the counts of the confusion matrix with +1 as positive. Regression has errors instead. A nil field
// does not apply.
type Score struct {
	N              int
	Correct        *int
	TN, FP, FN, TP *int
	// AUC2 is for two classes. A pair of a -1 and a +1 row counts 2 if the scores are in order, 1 if they are equal,
	// else 0.
	AUC2          *int64
	RMSE, MAE, R2 *float64

	// These are for test scores that stand for probabilities: all of them are set or none; see
	// harness/metric.
	LogLoss, Brier, ECE *float64

	// TrainGroups and TestGroups are for the test on a set whose rows form groups: how many groups the model
	// learned from, and how many N rows are of.
	TrainGroups, TestGroups *int64

	// More has the values of those Fields that have no field of their own here, by name; see Field.Value.
	More map[string]any
}

// Evaluation is one grid point on one fold.
type Evaluation struct {
	GridIndex, Fold int
	Score           Score
	FitSeconds      float64
}

// Environment describes the program and the machine that ran a cell.
type Environment struct {
	ProgramVersion string `json:"program_version"`
	VCSRevision    string `json:"vcs_revision"`
	VCSModified    bool   `json:"vcs_modified"`
	GoVersion      string `json:"go_version"`
	OS             string `json:"os"`
	Arch           string `json:"arch"`
	Kernel         string `json:"kernel"` // with the mechanism that keeps plugins within their limits
	CPU            string `json:"cpu"`
	Cores          int    `json:"cores"`
	MemoryBytes    int64  `json:"memory_bytes"`
}

// Planned is what a plan knows of a cell before it runs. Whoever computes the cell cannot change it.
type Planned struct {
	Key           string
	Protocol      string
	ProtocolHash  string
	Method        string
	MethodVersion string
	Dataset       string
	Fingerprint   string
	Split         int
	Task          string
	Features      int // columns of the data; 0 if unknown
	Grid          []json.RawMessage
	GridWritten   []json.RawMessage // Grid in the notation of its author, or nil
	GridHash      string
	CostUnits     float64

	// A reader needs these to find the cell's inputs again.
	ProtocolText   string // the TOML text of the protocol
	ProtocolPath   string // path of the protocol's file; "" for a built-in one
	ProtocolSplits int
	SetFile        string // the TOML file of a user's own data set; "" for a built-in one

	// Replace says that this run, if it is ok, replaces a stored run with the same key, even one that is ok.
	Replace bool
}

// Run is one finished cell with everything that is stored of it.
type Run struct {
	Planned
	Status Status
	Error  string // empty if ok
	Class  Class  // of the failure; empty if ok
	// Stderr is the end of the standard error of the cell's process, bounded; empty if ok or run in this
	// process.
	Stderr         string
	Isolated       bool            // the cell ran in a process of its own
	Selected       *int            // index into Grid of the refitted point
	Point          json.RawMessage `json:",omitempty"` // the refitted point, where Grid is not read
	TrainRows      int
	TestRows       int
	Score          Score
	Folds          []Evaluation
	SearchSeconds  float64
	FitSeconds     *float64
	PredictSeconds *float64
	// CPUSeconds is the processor time of the cell's threads and of processes that they started; nil if unknown.
	CPUSeconds *float64
	// PeakRSSBytes is measured for the whole process up to the cell's end. For an isolated cell it is that of the
	// cell's own processes.
	PeakRSSBytes   *int64
	ModelBytes     *int64 // of the saved model; nil if the model has no saved form
	TimeoutSeconds *float64
	StartedAt      string // UTC, RFC 3339 with nanoseconds

	// These artifacts are kept in addition to the counts of the run.
	Scores     []float64 // of the test rows, row by row; nil if they are not kept
	Outputs    int       // scores per row
	ScoresHash string    // hash of the bits of Scores, also where Scores is not kept
	Stages     []Stage
	// GridTests are the scores on the test part with every grid point, in grid order; nil where the protocol
	// does not ask for them.
	GridTests []Score
	// SeedTests are the tests with each seed of the cell. The first seed is that of the run itself. They are
	// nil where the cell has only the protocol's seed.
	SeedTests []SeedTest
	Warnings  []Warning
	Model     *Model // nil if the model is not kept

	Code     string // hash of the code that computed the cell; "" if unknown
	Imported string // name of the imported file; "" if the cell was computed here

	// Superseded says that the run stands for its cell only if no other run does.
	Superseded bool

	Canary *Canary // set for a canary, which is no result; else nil

	Environment *Environment // where the cell was computed; nil for the writer's own environment
}

// A Stage is the test of the first rounds of the refitted model.
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

// Seeds returns the seeds of a run; nil if the run has only the protocol's seed.
func (r Run) Seeds() (seeds []uint32) {
	for _, t := range r.SeedTests {
		seeds = append(seeds, t.Seed)
	}
	return seeds
}

// A Warning is a message that the fits of a cell logged, and how often.
type Warning struct {
	Text  string
	Times int
}

// A Model is a refitted model that can be loaded again.
type Model struct {
	Data        []byte    // in the form that registry.Saver wrote
	Features    []string  // the columns' names
	Labels      []string  // the classes' names; nil for regression
	Mean, Scale []float64 // of the columns, by which the model's rows are standardised; nil if they are not
	Dates       *Origins  `json:",omitempty"` // from where days count; nil for a set without dates
	Gaps        *Gaps     `json:",omitempty"` // how gaps are filled before standardising; nil for a set without gaps
	Target      *Target   // nil if predictions are in the units of the file
}

// Origins says from which day since 1970 each column of days counts.
type Origins struct {
	Columns []int     `json:"columns"`
	Days    []float64 `json:"days"`
}

// Gaps is a step for a model's rows: missing values are filled, and indicators of some columns are appended.
type Gaps struct {
	Fill       []float64 `json:"fill,omitempty"`       // by column; nil leaves missing values
	Indicators []int     `json:"indicators,omitempty"` // columns
}

// A Target turns predictions of a model into the units of the file: p * Scale + Mean.
type Target struct{ Mean, Scale float64 }

// Name returns a name of the run's cell for people.
func (r Run) Name() string { return fmt.Sprintf("%s on %s, split %d", r.Method, r.Dataset, r.Split) }

// Failure returns the class of the run's failure. If the run names none, the class follows from the run's status.
func (r Run) Failure() Class {
	return cmp.Or(r.Class, map[Status]Class{Failed: ClassError, Timeout: ClassTimeout}[r.Status])
}

// CVAccuracy is the mean accuracy of the selected grid point over the folds, nil without one.
func (r Run) CVAccuracy() *float64 {
	sum, folds := 0.0, 0
	for _, e := range r.Folds {
		if r.Selected != nil && e.GridIndex == *r.Selected && e.Score.Correct != nil {
			sum += float64(*e.Score.Correct) / float64(e.Score.N)
			folds++
		}
	}
	if folds == 0 {
		return nil
	}
	return new(sum / float64(folds))
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

// A Canary is the outcome of a cell whose training labels contradict the truth.
type Canary struct {
	P        float64 // how improbable it is to be as right about the test rows by chance
	Constant int     // number of test rows that the best constant answer gets right; 0 for a regression
}

// HashScores identifies scores by their bits: it returns half of their SHA-256.
func HashScores(scores []float64) string {
	sum := sha256.Sum256(Doubles(scores))
	return hex.EncodeToString(sum[:16])
}

// Doubles returns the bytes of numbers one after another, little-endian.
func Doubles(values []float64) []byte {
	out := make([]byte, 0, 8*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}
