package must_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// heard writes down what a test would say.
type heard struct{ said []string }

func (h *heard) Helper()           {}
func (h *heard) Fatal(args ...any) { h.said = append(h.said, fmt.Sprint(args...)) }
func (h *heard) Errorf(format string, args ...any) {
	h.said = append(h.said, fmt.Sprintf(format, args...))
}

// Hold names each part that a text lacks, and nothing else.
func TestHold(t *testing.T) {
	var h heard
	must.Hold(&h, "one two", "one", "three", "two", "four")
	if got, want := strings.Join(h.said, "; "),
		"\"three\" is not in\none two; \"four\" is not in\none two"; got != want {
		t.Errorf("said %s, want %s", got, want)
	}
}

// Be names the value that differs, and says nothing of one that does not.
func TestBe(t *testing.T) {
	var h heard
	must.Be(&h, 1, 1, "one")
	must.Be(&h, "a", "b")
	must.Be(&h, 1, 2, "rows of", "wine")
	must.Be(t, strings.Join(h.said, "; "), "a, want b; rows of: wine: 1, want 2")
}

// Lack, Have, Begin and Is name what is not as it must be, and say nothing of what is.
func TestLack(t *testing.T) {
	var h heard
	must.Lack(&h, "one two", "three", "two")
	must.Have(&h, []string{"one", "two"}, "two", "on")
	must.Begin(&h, "one two", "one")
	must.Begin(&h, "one two", "two")
	must.Is(&h, fmt.Errorf("all: %w", io.EOF), io.EOF)
	must.Is(&h, nil, io.EOF)
	must.Be(t, h.said, []string{"\"two\" is in\none two", "\"on\" is not among\n[\"one\" \"two\"]",
		`"one two" does not begin with "two"`, "error <nil>, want EOF"})
}
