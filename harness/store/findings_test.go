package store

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
)

// TestCanariesThatFail: a method is named that fails where its training labels contradict the truth and nowhere else;
// one that fails on the cell itself, or wants more time or memory, is not.
func TestCanariesThatFail(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	for _, c := range []struct {
		method, class  string
		canary, itself result.Status
	}{
		{"refuses", "error", result.Failed, result.OK}, {"broken", "error", result.Failed, result.Failed},
		{"large", "oom", result.Failed, result.OK}, {"slow", "timeout", result.Timeout, result.OK},
	} {
		cell, canary := testRun(c.method, c.itself), testRun("canary of "+c.method, c.canary)
		cell.Method, canary.Method = c.method, c.method
		canary.Class, canary.Error, canary.Canary = result.Class(c.class), "singular matrix\nand more",
			&result.Canary{P: 1}
		if c.itself != result.OK {
			cell.Class = "error"
		}
		put(t, db, cell, canary)
	}
	found, err := db.Findings(t.Context(), "")
	if err != nil || len(found) != 1 || found[0].Kind != Canary || found[0].Method != "refuses" ||
		found[0].Details != "singular matrix" {
		t.Errorf("%+v, %v", found, err)
	}
	if lines := Describe(found); len(lines) != 1 ||
		!strings.HasPrefix(lines[0], "canary: the canary of refuses failed on d, where its cells end ok (d, split 1: "+
			"singular matrix)") {
		t.Errorf("%q", lines)
	}
}
