package result

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/kernelboosting/bench/internal/strictjson"
)

// A Stop says why a run of a method ended before its plan: its comparison was decided.
type Stop struct {
	Method      string     `json:"method"`
	Version     string     `json:"version"`
	Findings    []Forecast `json:"findings"`
	Sets        []string   `json:"sets"` // that the verdicts are about
	Level       float64    `json:"level"`
	Equivalence string     `json:"equivalence"` // as --equivalence; "" for no region
	Cells       int        `json:"cells"`       // of the method, that ended
	Planned     int        `json:"planned"`
}

// A Forecast is the verdict against another method that all planned cells would give, with its probability.
type Forecast struct {
	Against     string  `json:"against"`
	Verdict     string  `json:"verdict"`
	Probability float64 `json:"probability"`
}

const untilDecided = "--until decided "

// Why is the reason of the cells that the stop left out.
func (s Stop) Why() (Why, error) {
	text, err := json.Marshal(s)
	return Why{Kind: Decided, Text: untilDecided + string(text)}, err
}

// Stop returns the stop that left the cells out; false if something else did.
func (w Why) Stop() (s Stop, ok bool) {
	text, ok := strings.CutPrefix(w.Text, untilDecided)
	return s, ok && strictjson.Unmarshal([]byte(text), &s) == nil
}

// Against are the names of the other methods.
func (s Stop) Against() (names []string) {
	for _, f := range s.Findings {
		names = append(names, f.Against)
	}
	return names
}

func (s Stop) why() string {
	return "the comparison of " + s.Method + " with " + strings.Join(s.Against(), ", ") + " is decided"
}

// Text says what the stop found, and what it does not cover.
func (s Stop) Text() string {
	var verdicts []string
	least := 1.0
	for _, f := range s.Findings {
		verdicts = append(verdicts, s.Method+" against "+f.Against+": "+f.Verdict)
		least = min(least, f.Probability)
	}
	these := "this verdict"
	if len(verdicts) > 1 {
		these = "each of these verdicts"
	}
	return fmt.Sprintf("Stopped after %d of %d cells: %s. All %[2]d would give %[4]s with probability %[5]v, by a "+
		"model of the noise of splits. The looks of this run are covered; other versions and added sets are not.",
		s.Cells, s.Planned, strings.Join(verdicts, "; "), these, math.Floor(100*least)/100)
}
