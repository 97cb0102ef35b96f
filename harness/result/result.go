// Package result defines what is known of cells. A Run is a finished cell: its status, its counts on every fold and on
// the test part, and its artifacts. An Exclusion says why cells are not computed.
//
// The package that computes cells (harness/runner) and the package that keeps them (harness/store) share these types,
// and neither imports the other. Package result itself checks a Run, and computes only values that follow from one
// Run.
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
	// The answer is invalid: a score that is no number, an incomplete message, or data that the method changed.
	ClassBadOutput Class = "bad-output"
	ClassError     Class = "error" // the method returned an error
)

// Score is the result of one prediction of N rows. For classes it holds integer counts: Correct, and for two classes
// also those of the confusion matrix, in which +1 is positive. For regression it holds errors. A field that does not
// apply is nil.
type Score struct {
	N              int
	Correct        *int
	TN, FP, FN, TP *int
	// AUC2, of two classes, is a sum over all pairs of a -1 row and a +1 row. A pair counts 2 if its scores are in
	// order, 1 if they are equal, else 0.
	AUC2          *int64
	RMSE, MAE, R2 *float64

	// These are set for the test of a method whose scores stand for probabilities: all three of them, or none. See
	// harness/metric.
	LogLoss, Brier, ECE *float64

	// TrainGroups is the number of groups of rows that the model learned from, and TestGroups the number of groups
	// of the N rows. Both are set for the test on a set whose rows form groups.
	TrainGroups, TestGroups *int64
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
	Kernel         string `json:"kernel"` // its release, and the mechanism that keeps plugins within their limits
	CPU            string `json:"cpu"`
	Cores          int    `json:"cores"`
	MemoryBytes    int64  `json:"memory_bytes"`

	// Yardstick is that of the machine: of processor, cores, system and architecture. It is zero where it was never
	// measured.
	Yardstick Yardstick `json:"yardstick,omitzero"`
}

// A Yardstick is the processor time in seconds that a machine takes for a piece of work that is the same on every
// machine (package environment): the least of all repetitions, thrice. Until 2026 it was the median of 15 and their
// quartiles. A time divided by Seconds can be compared with times of other machines.
type Yardstick struct {
	Seconds float64 `json:"seconds"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// Known reports whether the yardstick was measured.
func (y Yardstick) Known() bool { return y.Seconds > 0 }

func (y Yardstick) check() error {
	if y != (Yardstick{}) && !(y.Low > 0 && y.Low <= y.Seconds && y.Seconds <= y.High && y.High <= math.MaxFloat64) {
		return fmt.Errorf("the yardstick of its machine takes %v s, between %v and %v", y.Seconds, y.Low, y.High)
	}
	return nil
}

// Planned is what a plan knows of a cell before the cell runs. The process that computes the cell cannot change it.
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

	// Replace says that this run replaces a stored run with the same key if this run is ok. The stored run may be ok.
	Replace bool
}

// Run is one finished cell with everything that is stored of it.
type Run struct {
	Planned
	Status Status
	Error  string // empty if ok
	Class  Class  // of the failure; empty if ok
	// Stderr is the end of what the cell's process wrote to standard error, at most MaxStderr bytes. It is empty if the
	// cell ended ok, or if it ran in this process.
	Stderr         string
	Isolated       bool            // the cell ran in a process of its own
	Selected       *int            // index into Grid of the refitted point
	Point          json.RawMessage `json:",omitempty"` // the refitted point, if the run was read without Grid
	TrainRows      int
	TestRows       int
	Score          Score
	Folds          []Evaluation
	SearchSeconds  float64
	FitSeconds     *float64
	PredictSeconds *float64
	// CPUSeconds is the processor time of the cell's threads and of processes that they started; nil if unknown.
	CPUSeconds *float64
	// PeakRSSBytes is the peak of memory of the cell's own processes. It is nil if the cell is not isolated, since
	// the process then has the memory of other cells, too.
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

	// Superseded says that the run is the current run of its cell only if the cell has no other run.
	Superseded bool

	Canary *Canary // the outcome of a canary, which is no result; nil for a result

	Environment *Environment // where the cell was computed; nil for the writer's own environment
}

// A Stage is the test of the first Round rounds of the refitted model.
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

// A Warning is a message that the fits of a cell logged, with the number of times.
type Warning struct {
	Text  string
	Times int
}

// A Model is a refitted model that can be loaded again.
type Model struct {
	Data        []byte    // in the form that registry.Saver wrote
	Features    []string  // the columns' names
	Labels      []string  // the classes' names; nil for regression
	Mean, Scale []float64 // of the columns, to standardise the model's rows; nil if they are not standardised
	Dates       *Origins  `json:",omitempty"` // the days that dates are counted from; nil for a set without dates
	Gaps        *Gaps     `json:",omitempty"` // how gaps are filled before standardising; nil for a set without gaps
	Target      *Target   // nil if predictions are in the units of the file
}

// Origins holds the days that columns of dates are counted from: Days[i], as a day since 1970, is that of Columns[i].
type Origins struct {
	Columns []int     `json:"columns"`
	Days    []float64 `json:"days"`
}

// Gaps says how missing values of a model's rows are filled, and for which columns indicators are appended.
type Gaps struct {
	Fill       []float64 `json:"fill,omitempty"`       // by column; nil leaves missing values
	Indicators []int     `json:"indicators,omitempty"` // columns
}

// A Target turns predictions of a model into the units of the file: p * Scale + Mean.
type Target struct{ Mean, Scale float64 }

// Name returns the method, the data set and the split of the run, for messages.
func (r Run) Name() string { return fmt.Sprintf("%s on %s, split %d", r.Method, r.Dataset, r.Split) }

// Failure returns the class of the run's failure. If the run names none, the class follows from the run's status.
func (r Run) Failure() Class {
	return cmp.Or(r.Class, map[Status]Class{Failed: ClassError, Timeout: ClassTimeout}[r.Status])
}

// CVAccuracy returns the mean accuracy of the selected grid point over the folds. It returns nil for regression, and
// for a run without folds or without a selected grid point.
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
	P        float64 // probability that predictions by chance are as right about the test rows
	Constant int     // number of test rows that the best constant answer gets right; 0 for a regression
}

// HashScores identifies scores by their bits: it returns the first half of their SHA-256, in hexadecimal.
func HashScores(scores []float64) string {
	sum := sha256.Sum256(Doubles(scores))
	return hex.EncodeToString(sum[:16])
}

// Doubles returns the bits of numbers one after another: eight bytes each, little-endian.
func Doubles(values []float64) []byte {
	out := make([]byte, 0, 8*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}
