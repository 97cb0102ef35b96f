package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
)

// deaf is a network on which no host answers.
type deaf struct{ asked atomic.Int32 }

func (d *deaf) RoundTrip(*http.Request) (*http.Response, error) {
	d.asked.Add(1)
	return nil, errors.New("no such host")
}

// TestASilentHostIsGivenUp: forty files without a network cost a few requests and
// give one line.
func TestASilentHostIsGivenUp(t *testing.T) {
	var entries []*catalogue.Entry
	for i := range 40 {
		entries = append(entries, webEntry(fmt.Sprintf("set%02d", i), sample))
	}
	network := &deaf{}
	err := Files(t.Context(), files.Directory{Root: t.TempDir()}, entries, Options{
		Client: &http.Client{Transport: network}, Backoff: time.Millisecond,
	})
	if err == nil {
		t.Fatal("a fetch without a network succeeds")
	}
	text := err.Error()
	for _, want := range []string{"no answer from raw.githubusercontent.com: no such host; 40 files are missing, of set00, set01", "--from DIR"} {
		if !strings.Contains(text, want) {
			t.Errorf("error %q lacks %q", text, want)
		}
	}
	if strings.Contains(text, "\n") {
		t.Errorf("error has several lines: %q", text)
	}
	if n := network.asked.Load(); n > hopeless+4 {
		t.Errorf("%d requests to a host that does not answer", n)
	}
}

// TestAHostThatAnsweredIsNotGivenUp: passing trouble of one request condemns no host.
func TestAHostThatAnsweredIsNotGivenUp(t *testing.T) {
	var h hosts
	h.answer("a")
	for range 10 {
		if err := h.silence("a", errors.New("reset")); errors.As(err, new(unreachable)) {
			t.Fatal("a host that answered before is given up")
		}
	}
	if err := h.check("a"); err != nil {
		t.Error(err)
	}
}
