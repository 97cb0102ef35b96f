package commons

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/registry"
)

// slack is the share by which values that follow from the scores themselves may differ, since the last bits of scores
// differ between processors. Counts of rows may not differ at all.
const slack = 1e-3

// Differ says in which value the reported test of a cell differs from the computed one, "" for none.
func Differ(reported, computed result.Run) string {
	if computed.Status != result.OK {
		return fmt.Sprintf("%s: reported as ok; it %s here: %s", reported.Name(), ended[computed.Status],
			computed.Error)
	}
	if reported.TrainRows != computed.TrainRows || reported.Score.N != computed.Score.N {
		return fmt.Sprintf("%s: reported of other rows than it has here", reported.Name())
	}
	for _, f := range result.Fields() {
		a, b := f.Value(&reported.Score), f.Value(&computed.Score)
		if f.Kind == result.Count && a == b || f.Kind != result.Count && near(a, b) {
			continue
		}
		return fmt.Sprintf("%s: %s: reported %v, computed %v", reported.Name(), f.Title, a, b)
	}
	return ""
}

var ended = map[result.Status]string{result.Failed: "fails", result.Timeout: "takes too long"}

func near(a, b any) bool {
	x, okX := number(a)
	y, okY := number(b)
	return okX == okY && math.Abs(x-y) <= slack*max(math.Abs(x), math.Abs(y))
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Replace puts computed runs in the place of reported ones. The reported runs that stay keep their counts alone: which
// cells are computed again depends on what a forger gains in accuracy, so that nothing is known of other values.
func Replace(reported, computed []result.Run) []result.Run {
	own := map[cellName]result.Run{}
	for _, r := range computed {
		own[nameOf(r)] = r
	}
	out := slices.Clone(reported)
	for i, r := range out {
		if c, there := own[nameOf(r)]; there {
			out[i] = c
			continue
		}
		for _, f := range result.Fields() {
			if f.Tasks == registry.Binary && f.Needs == 0 {
				f.Clear(&out[i].Score)
			}
		}
	}
	return out
}

// A Refusal is a version of an entry whose check failed, as a file of a commons.
type Refusal struct {
	Format    string `json:"format"`
	Entry     string `json:"entry"`
	EntryHash string `json:"entry_hash"`
	Why       string `json:"why"`
	Seed      string `json:"seed"`
	Program   string `json:"program"` // its version
	Date      string `json:"date"`    // UTC, RFC 3339
}

const refusalFormat = "bench-refusal/1"

// ParseRefusal reads a file of the folder refused.
func ParseRefusal(text []byte) (Refusal, error) {
	var r Refusal
	err := strictjson.Unmarshal(text, &r)
	if err == nil && (r.Format != refusalFormat || !hash.MatchString(r.EntryHash)) {
		err = fmt.Errorf("it is no %s", refusalFormat)
	}
	return r, err
}

// Text is the refusal as a file.
func (r Refusal) Text() ([]byte, error) {
	r.Format = refusalFormat
	text, err := strictjson.Marshal(r)
	return append(text, '\n'), err
}
