package result

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// These are limits of what a run keeps. Runners cut what is longer, and add a few words of their own.
const (
	MaxWarnings = 20   // warnings of a cell
	MaxText     = 2000 // bytes of the message of a failure or of a warning
	MaxStderr   = 4000 // bytes of what the cell's process wrote to standard error
)

const (
	addedWarnings = 2       // of runners: that there were more warnings, and that the cell was run once more
	mostSeconds   = 3.2e9   // a century
	mostBytes     = 1 << 50 // of memory, or of a model
	leastPeak     = 1 << 16 // of a process that computed a cell
	mostShared    = 16      // processes whose memory is the same pages, which each of them counts
	firstYear     = 2025    // before which no cell was computed
)

// mostAhead is how far the clock of another machine may be ahead of this one's.
const mostAhead = 24 * time.Hour

// Check refuses a run that no cell can end with: for example one with a score of another task, with a fold of a grid
// point that does not exist, or with a negative amount. Check uses the run alone. protocol.Protocol.Fits also uses the
// protocol.
func (r Run) Check() error {
	if _, err := time.Parse(time.RFC3339Nano, r.StartedAt); err != nil || !strings.HasSuffix(r.StartedAt, "Z") {
		return fmt.Errorf("it started at %.40q, which is no time in UTC", r.StartedAt)
	}
	counts := []int{r.Split, r.TrainRows, r.TestRows, r.Features, r.ProtocolSplits}
	for _, s := range r.Stages {
		counts = append(counts, s.Round)
	}
	for _, w := range r.Warnings {
		counts = append(counts, w.Times)
	}
	for _, n := range counts {
		if n < 0 || n > mostRows {
			return fmt.Errorf("a number of rows, columns, splits, rounds or warnings is %d", n)
		}
	}
	if err := errors.Join(r.checkAmounts(), r.checkTexts()); err != nil {
		return err
	}
	known := slices.Contains([]Class{"", ClassTimeout, ClassOOM, ClassCrash, ClassBadOutput, ClassError}, r.Class)
	switch {
	case r.Environment == nil:
		return errors.New("it has no environment")
	case r.GridWritten != nil && len(r.GridWritten) != len(r.Grid):
		return fmt.Errorf("its grid has %d points, and %d in its author's notation", len(r.Grid), len(r.GridWritten))
	case r.Status != OK && r.Status != Failed && r.Status != Timeout:
		return fmt.Errorf("it ended %.40q", r.Status)
	case !known || r.Status == OK && r.Class != "":
		return fmt.Errorf("it ended %s with the failure %.40q", r.Status, r.Class)
	case r.Status == OK && r.Error != "":
		return fmt.Errorf("it ended ok with the error %.40q", r.Error)
	}
	return cmp.Or(r.checkFolds(), r.checkTests())
}

// checkAmounts checks times, costs and sizes.
func (r Run) checkAmounts() error {
	seconds := []*float64{&r.SearchSeconds, r.FitSeconds, r.PredictSeconds, r.CPUSeconds, r.TimeoutSeconds}
	for i := range r.Folds {
		seconds = append(seconds, &r.Folds[i].FitSeconds)
	}
	for _, v := range seconds {
		if v != nil && !(*v >= 0 && *v <= mostSeconds) {
			return fmt.Errorf("a time is %v seconds", *v)
		}
	}
	for _, size := range []*int64{r.PeakRSSBytes, r.ModelBytes} {
		if size != nil && (*size < 0 || *size > mostBytes) {
			return fmt.Errorf("a size is %d bytes", *size)
		}
	}
	if peak, e := r.PeakRSSBytes, r.Environment; r.Status == OK && peak != nil && (*peak < leastPeak || e != nil &&
		e.MemoryBytes > 0 && *peak/mostShared > e.MemoryBytes) {
		return fmt.Errorf("its peak of memory is %d bytes", *peak)
	}
	if !(r.CostUnits >= 0 && r.CostUnits <= math.MaxFloat64) {
		return fmt.Errorf("its predicted cost is %v", r.CostUnits)
	}
	return nil
}

// CheckClock refuses a run that began or lasted otherwise than the clock allows. A stored run is not compared with the
// clock, which may have been wrong when the run was computed here.
func (r Run) CheckClock() error {
	began, err := time.Parse(time.RFC3339Nano, r.StartedAt)
	since := (time.Since(began) + mostAhead).Seconds()
	cores := 0
	if r.Environment != nil {
		cores = r.Environment.Cores
	}
	switch {
	case err != nil:
		return err
	case since < 0:
		return fmt.Errorf("it started at %s, which is to come", r.StartedAt)
	case began.Year() < firstYear:
		return fmt.Errorf("it started at %s, before this program was there", r.StartedAt)
	case r.Seconds() > since:
		return fmt.Errorf("it took %v s, and started at %s", r.Seconds(), r.StartedAt)
	case r.CPUSeconds != nil && cores > 0 && *r.CPUSeconds > since*float64(cores):
		return fmt.Errorf("it took %v s of %d processors, and started at %s", *r.CPUSeconds, cores, r.StartedAt)
	}
	return nil
}

// checkTexts checks that no text is longer than what runners keep.
func (r Run) checkTexts() error {
	if n := len(r.Warnings); n > MaxWarnings+addedWarnings {
		return fmt.Errorf("it has %d warnings; at most %d are kept", n, MaxWarnings+addedWarnings)
	}
	texts := []string{r.Error, r.Code, r.ScoresHash}
	for _, w := range r.Warnings {
		texts = append(texts, w.Text)
	}
	for _, t := range r.SeedTests {
		texts = append(texts, t.ScoresHash)
	}
	if e := r.Environment; e != nil {
		texts = append(texts, e.ProgramVersion, e.VCSRevision, e.GoVersion, e.OS, e.Arch, e.Kernel, e.CPU)
		if err := e.Yardstick.check(); err != nil {
			return err
		}
	}
	for _, text := range texts {
		if len(text) > 2*MaxText { // what runners add is shorter than a message
			return fmt.Errorf("one of its texts has %d bytes; at most %d are kept", len(text), 2*MaxText)
		}
	}
	if n := len(r.Stderr); n > MaxStderr {
		return fmt.Errorf("it has %d bytes of standard error; at most %d are kept", n, MaxStderr)
	}
	return nil
}

// checkFolds checks the scores on folds. A cell that failed may have only some of them, and one that ended ok those of
// its selected grid point alone.
func (r Run) checkFolds() error {
	points, first := len(r.Grid), 0
	if r.Condensed() {
		points, first = 1, *r.Selected
	}
	if points == 0 || r.Status == OK && len(r.Folds)%points != 0 {
		return fmt.Errorf("%d grid points have %d evaluations", points, len(r.Folds))
	}
	seen := make([]*Score, (len(r.Folds)+points-1)/points*points)
	for i, e := range r.Folds {
		g := e.GridIndex - first
		at := e.Fold*points + g
		if g < 0 || g >= points || e.Fold < 0 || e.Fold >= len(seen)/points || seen[at] != nil {
			return fmt.Errorf("grid point %d on fold %d is out of range, or evaluated twice", e.GridIndex, e.Fold)
		}
		seen[at] = &r.Folds[i].Score
		if err := e.Score.Check(r.Task); err != nil {
			return err
		}
	}
	rows := 0
	for at, s := range seen {
		first := seen[at/points*points]
		if s == nil || first == nil { // the cell failed before this evaluation
			continue
		}
		if !s.sameRows(*first) {
			return fmt.Errorf("two grid points are evaluated on different rows of fold %d", at/points)
		}
		if s == first {
			rows += s.N
		}
	}
	if r.Status == OK && len(r.Folds) > 0 && rows != r.TrainRows {
		return fmt.Errorf("the validation parts of its folds have %d of %d training rows", rows, r.TrainRows)
	}
	return nil
}

// checkTests checks the selected grid point and the scores on the test part. A cell that failed may lack them.
func (r Run) checkTests() error {
	points, ok := len(r.Grid), r.Status == OK
	if r.Selected == nil && ok || r.Selected != nil && (*r.Selected < 0 || *r.Selected >= points) {
		return fmt.Errorf("none of its %d grid points is selected", points)
	}
	if n := len(r.GridTests); n != 0 && n != points {
		return fmt.Errorf("%d of %d grid points are tested", n, points)
	}
	tests := append([]Score{r.Score}, r.GridTests...)
	for i, s := range r.Stages {
		if tests = append(tests, s.Score); i > 0 && s.Round <= r.Stages[i-1].Round {
			return fmt.Errorf("round %d is tested after round %d", s.Round, r.Stages[i-1].Round)
		}
	}
	for _, s := range r.SeedTests {
		tests = append(tests, s.Score)
	}
	for _, s := range tests {
		if !ok && s.unset() {
			continue
		}
		if err := s.Check(r.Task); err != nil {
			return err
		}
		if s.N != r.TestRows || !s.sameRows(r.Score) && !r.Score.unset() {
			return fmt.Errorf("a test has %d of %d test rows, or other rows than another test", s.N, r.TestRows)
		}
	}
	if !ok {
		return nil
	}
	return r.checkEnded()
}

func (r Run) checkEnded() error {
	if r.TrainRows < 1 {
		return errors.New("it has no training rows")
	}
	among := func(groups *int64, rows int) bool { return groups == nil || 1 <= *groups && *groups <= int64(rows) }
	train, test := r.Score.TrainGroups, r.Score.TestGroups
	if (train == nil) != (test == nil) || !among(train, r.TrainRows) || !among(test, r.TestRows) {
		return errors.New("its numbers of groups contradict its numbers of rows")
	}
	if len(r.SeedTests) > 0 {
		first := r.SeedTests[0]
		if own := r.Score; first.ScoresHash != r.ScoresHash || !own.sameValues(first.Score) {
			return errors.New("its test differs from the test with its first seed")
		}
	}
	return r.checkKept()
}

// checkKept checks the times of a cell that ended ok, and its scores and its model if the run has them.
func (r Run) checkKept() error {
	if (r.FitSeconds == nil) != (r.PredictSeconds == nil) {
		return errors.New("it has only one of two times: that of the refit, and that of the test")
	}
	if r.Model != nil && (r.ModelBytes == nil || *r.ModelBytes != int64(len(r.Model.Data))) {
		return fmt.Errorf("its model has %d bytes, and the run gives another size", len(r.Model.Data))
	}
	if r.Scores == nil {
		return nil
	}
	if r.Outputs < 1 || len(r.Scores)/r.Outputs != r.TestRows || len(r.Scores)%r.Outputs != 0 {
		return fmt.Errorf("it has %d scores for %d test rows", len(r.Scores), r.TestRows)
	}
	positive := 0
	for _, v := range r.Scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a score of a test row is %v", v)
		}
		if v >= 0 {
			positive++
		}
	}
	if s := r.Score; s.TP != nil && *s.TP+*s.FP != positive || HashScores(r.Scores) != r.ScoresHash {
		return errors.New("its counts or its hash do not follow from the scores of its test rows")
	}
	return nil
}

// sameRows reports whether two valid scores may be of the same rows: their numbers of rows are equal, and with two
// classes the numbers of rows of each class.
func (s Score) sameRows(other Score) bool {
	return s.N == other.N && (s.TP == nil || other.TP == nil || *s.FN+*s.TP == *other.FN+*other.TP)
}

// sameValues reports whether two scores have the same values, except for those that only the test of a cell has.
func (s Score) sameValues(other Score) bool {
	for _, f := range fields {
		if !f.TestOnly && f.Value(&s) != f.Value(&other) {
			return false
		}
	}
	return true
}

// EachScore calls do for every score of the run.
func (r *Run) EachScore(do func(*Score)) {
	do(&r.Score)
	for i := range r.GridTests {
		do(&r.GridTests[i])
	}
	for i := range r.Stages {
		do(&r.Stages[i].Score)
	}
	for i := range r.SeedTests {
		do(&r.SeedTests[i].Score)
	}
	for i := range r.Folds {
		do(&r.Folds[i].Score)
	}
}

// Portable returns the run as a program on another machine can use it: without scores, model and paths, and without
// what only this database knows of the run. The key of a run that is ok is left out, since it follows from the inputs.
// The folds are sorted. Each evaluation gets an equal part of the search's time, since no table shows single times. A
// condensed run gets these parts, too.
func (r Run) Portable() Run {
	if r.Status == OK {
		r.Key = ""
	}
	r.Scores, r.Outputs, r.Model, r.Canary, r.Point = nil, 0, nil, nil, nil
	r.ProtocolPath, r.SetFile, r.Imported, r.Replace, r.Superseded = "", "", "", false, false
	r.Folds = slices.Clone(r.Folds)
	slices.SortFunc(r.Folds, func(a, b Evaluation) int {
		return cmp.Or(cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.GridIndex, b.GridIndex))
	})
	parts := len(r.Folds)
	if r.Condensed() {
		parts *= len(r.Grid)
	}
	for i := range r.Folds {
		r.Folds[i].FitSeconds = r.SearchSeconds / float64(parts)
	}
	return r
}

// Condensed reports whether the run has folds of its selected grid point, and none of the other points of its grid.
func (r Run) Condensed() bool {
	return r.Status == OK && len(r.Grid) > 1 && len(r.Folds) > 0 && r.Selected != nil &&
		!slices.ContainsFunc(r.Folds, func(e Evaluation) bool { return e.GridIndex != *r.Selected })
}
