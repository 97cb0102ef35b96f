package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// TestSplitErrorKeepsItsCause: a set whose file of splits is missing is one without data.
func TestSplitErrorKeepsItsCause(t *testing.T) {
	var err error = &splitError{fmt.Errorf("mine, protocol p: %w", fs.ErrNotExist)}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not say that a file is missing", err)
	}
}
