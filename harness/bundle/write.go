package bundle

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/result"
)

// A Writer collects results for a file.
type Writer struct {
	cells        encoder
	count        int
	texts        []string
	textAt       map[string]int
	environments []string
	environment  map[result.Environment]int
	protocols    encoder // name, hash, text and number of splits of each protocol
	grids        encoder // hash and points of each grid
	seen         map[string]bool
	howMany      [2]int // protocols and grids
}

// encoder appends values to a body.
type encoder struct{ bytes []byte }

func (e *encoder) number(v int)   { e.bytes = binary.AppendUvarint(e.bytes, uint64(v)) }
func (e *encoder) signed(v int64) { e.bytes = binary.AppendVarint(e.bytes, v) }
func (e *encoder) real(v float64) {
	e.bytes = binary.LittleEndian.AppendUint64(e.bytes, math.Float64bits(v))
}
func (e *encoder) string(s string) { e.number(len(s)); e.bytes = append(e.bytes, s...) }

// maybe writes a real, NaN for nil.
func (e *encoder) maybe(v *float64) {
	if v == nil {
		e.real(math.NaN())
	} else {
		e.real(*v)
	}
}

// maybeSize writes a number that may be absent.
func (e *encoder) maybeSize(v *int64) {
	if v == nil {
		e.number(0)
	} else {
		e.number(int(*v) + 1)
	}
}

func (w *Writer) text(s string) {
	if w.textAt == nil {
		w.textAt = map[string]int{}
	}
	i, known := w.textAt[s]
	if !known {
		i = len(w.texts)
		w.textAt[s] = i
		w.texts = append(w.texts, s)
	}
	w.cells.number(i)
}

// ends maps the number in the file to how a cell ended.
var ends = []result.Status{result.OK, result.Failed, result.Timeout}

// Add adds a result as store.DB.Result returns it; a user's own protocol must have its text. An error means that the format
// cannot hold the result.
func (w *Writer) Add(r result.Run) error {
	end := slices.Index(ends, r.Status)
	if end < 0 || r.Environment == nil || r.GridWritten != nil && len(r.GridWritten) != len(r.Grid) || r.Status == result.OK && r.Selected == nil {
		return fmt.Errorf("%s: a result without its end, its choice, its environment or its whole grid is not written", r.Name())
	}
	var folds [][]result.Score
	_, err := time.Parse(time.RFC3339Nano, r.StartedAt)
	if err == nil && r.Status == result.OK {
		folds, err = byFold(r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name(), err)
	}
	w.once("protocol "+r.ProtocolHash+r.Protocol, r.ProtocolText != "", 0, &w.protocols, func(e *encoder) {
		for _, s := range []string{r.Protocol, r.ProtocolHash, r.ProtocolText} {
			e.string(s)
		}
		e.number(r.ProtocolSplits)
	})
	w.once("grid "+r.GridHash, true, 1, &w.grids, func(e *encoder) {
		e.string(r.GridHash)
		e.number(len(r.Grid))
		for i, point := range r.Grid {
			e.string(string(point))
			if r.GridWritten == nil {
				e.string("")
			} else {
				e.string(string(r.GridWritten[i]))
			}
		}
	})
	for _, t := range []string{r.Protocol, r.ProtocolHash, r.Dataset, r.Fingerprint, r.Method, r.MethodVersion, r.GridHash, r.Task, r.StartedAt, r.Code, r.ScoresHash} {
		w.text(t)
	}
	if err := w.addEnvironment(*r.Environment); err != nil {
		return err
	}
	c := &w.cells
	for _, n := range []int{r.Split, r.TrainRows, r.Features} {
		c.number(n)
	}
	c.number(end)
	w.count++
	if r.Status != result.OK {
		for _, t := range []string{r.Key, r.Error, string(r.Class), r.Stderr} {
			w.text(t)
		}
		isolated := 0
		if r.Isolated {
			isolated = 1
		}
		c.number(r.TestRows)
		c.number(isolated)
		c.real(r.SearchSeconds)
		c.maybe(r.CPUSeconds)
		c.maybeSize(r.PeakRSSBytes)
		c.maybe(r.TimeoutSeconds)
		c.real(r.CostUnits)
		return nil
	}
	c.scores(r.Task, []result.Score{r.Test})
	c.real(r.SearchSeconds)
	for _, v := range []*float64{r.FitSeconds, r.PredictSeconds, r.CPUSeconds} {
		c.maybe(v)
	}
	c.maybeSize(r.PeakRSSBytes)
	c.maybeSize(r.ModelBytes)
	c.maybe(r.TimeoutSeconds)
	c.real(r.CostUnits)
	c.number(len(r.Stages))
	for _, s := range r.Stages {
		c.number(s.Round)
		c.scores(r.Task, []result.Score{s.Score})
	}
	c.number(len(r.Warnings))
	for _, warning := range r.Warnings {
		w.text(warning.Text)
		c.number(warning.Times)
	}
	c.number(*r.Selected)
	c.number(len(r.Grid))
	c.number(len(folds))
	for _, column := range folds {
		c.scores(r.Task, column)
	}
	if r.GridTests == nil {
		c.number(0)
	} else {
		c.number(1)
		c.scores(r.Task, r.GridTests)
	}
	c.number(len(r.SeedTests))
	for _, t := range r.SeedTests {
		c.number(int(t.Seed))
		w.text(t.ScoresHash)
		c.scores(r.Task, []result.Score{t.Score})
	}
	for _, v := range []*float64{r.Test.LogLoss, r.Test.Brier, r.Test.ECE} {
		c.maybe(v)
	}
	return nil
}

// once writes something that several cells share, the first time that its name is given.
func (w *Writer) once(name string, wanted bool, kind int, to *encoder, write func(*encoder)) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	if wanted && !w.seen[name] {
		w.seen[name] = true
		w.howMany[kind]++
		write(to)
	}
}

func (w *Writer) addEnvironment(e result.Environment) error {
	i, known := w.environment[e]
	if !known {
		raw, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if w.environment == nil {
			w.environment = map[result.Environment]int{}
		}
		i = len(w.environments)
		w.environment[e] = i
		w.environments = append(w.environments, string(raw))
	}
	w.cells.number(i)
	return nil
}

// byFold returns the scores of every fold in grid order. Each grid point must have each fold once.
func byFold(r result.Run) ([][]result.Score, error) {
	points := len(r.Grid)
	if points == 0 || len(r.Evaluations)%points != 0 {
		return nil, fmt.Errorf("%d evaluations of %d grid points", len(r.Evaluations), points)
	}
	folds := make([][]result.Score, len(r.Evaluations)/points)
	seen := map[[2]int]bool{}
	for f := range folds {
		folds[f] = make([]result.Score, points)
	}
	for _, e := range r.Evaluations {
		at := [2]int{e.GridIndex, e.Fold}
		if e.GridIndex < 0 || e.GridIndex >= points || e.Fold < 0 || e.Fold >= len(folds) || seen[at] {
			return nil, fmt.Errorf("fold %d of grid point %d is there twice or out of range", e.Fold, e.GridIndex)
		}
		seen[at] = true
		folds[e.Fold][e.GridIndex] = e.Score
	}
	if n := len(r.GridTests); n != 0 && n != points {
		return nil, fmt.Errorf("%d of %d grid points are tested", n, points)
	}
	var seeds []result.Score
	for _, t := range r.SeedTests {
		seeds = append(seeds, t.Score)
	}
	for _, column := range append(folds, r.GridTests, seeds) {
		for _, s := range column {
			if err := check(r.Task, s); err != nil {
				return nil, err
			}
		}
	}
	return folds, check(r.Task, r.Test)
}

// scores writes a column of scores that check has accepted.
func (e *encoder) scores(task string, column []result.Score) {
	for _, n := range numbers(task) {
		before := int64(0)
		for _, s := range column {
			if n.real != nil {
				e.maybe(*n.real(&s))
				continue
			}
			v := n.get(s)
			e.signed(v - before)
			before = v
		}
	}
}

// WriteTo writes the file.
func (w *Writer) WriteTo(to io.Writer) (int64, error) {
	var head encoder
	for _, list := range [][]string{w.texts, w.environments} {
		head.number(len(list))
		for _, s := range list {
			head.string(s)
		}
	}
	head.number(w.howMany[0])
	head.bytes = append(head.bytes, w.protocols.bytes...)
	head.number(w.howMany[1])
	head.bytes = append(head.bytes, w.grids.bytes...)
	head.number(w.count)
	file := bytes.NewBufferString(magic)
	file.WriteByte(version)
	packed, err := flate.NewWriter(file, flate.BestCompression)
	if err != nil {
		return 0, err
	}
	for _, part := range [][]byte{head.bytes, w.cells.bytes} {
		if _, err := packed.Write(part); err != nil {
			return 0, err
		}
	}
	if err := packed.Close(); err != nil {
		return 0, err
	}
	sum := sha256.Sum256(file.Bytes())
	file.Write(sum[:])
	return file.WriteTo(to)
}
