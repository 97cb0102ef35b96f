package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// hopeless is how many requests to a host may stay without an answer before the fetch
// stops asking the host, if the host never answered.
const hopeless = 3

// hosts remembers which hosts answer, so that a fetch of fifty files without a
// network ends in seconds and says so once.
type hosts struct {
	mu    sync.Mutex
	known map[string]*host
}

type host struct {
	answered bool
	silent   int   // requests without an answer
	cause    error // of the last request without an answer
}

// of returns a host by its name; the caller holds the lock.
func (h *hosts) of(name string) *host {
	if h.known == nil {
		h.known = map[string]*host{}
	}
	if h.known[name] == nil {
		h.known[name] = &host{}
	}
	return h.known[name]
}

// unreachable is a host that gave no answer.
type unreachable struct {
	host  string
	cause error
}

func (u unreachable) Error() string { return fmt.Sprintf("no answer from %s: %v", u.host, u.cause) }

func (u unreachable) Unwrap() error { return u.cause }

// check returns the reason not to ask a host again, or nil.
func (h *hosts) check(name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if of := h.of(name); !of.answered && of.silent >= hopeless {
		return unreachable{name, of.cause}
	}
	return nil
}

func (h *hosts) answer(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of(name).answered = true
}

// silence records a request that got no answer and returns its error. The request may be
// tried again until the host is given up.
func (h *hosts) silence(name string, cause error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.of(name)
	of.silent++
	of.cause = cause
	if of.silent >= hopeless && !of.answered {
		return unreachable{name, cause}
	}
	return retryable{error: cause}
}

// defaultClient gives up connecting after ten seconds; proxies are honoured.
func defaultClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	return &http.Client{Transport: t}
}

// unfetched is a file that could not be had.
type unfetched struct {
	set, message string
	reason       error  // why many files could not be had at once; nil if the reason concerns this file alone
	key          string // equal for the files that failed for one reason
	advice       string // what to do about the reason
}

func (u unfetched) Error() string { return u.message }

// joinFailures returns one error with a line per file, except that all files that
// failed for one reason share one line.
func joinFailures(failures []error) error {
	groups := map[string][]string{} // by key, the sets of the files that failed for one reason
	for _, err := range failures {
		if u, _ := err.(unfetched); u.key != "" {
			groups[u.key] = append(groups[u.key], u.set)
		}
	}
	var out []error
	for _, err := range failures {
		u, _ := err.(unfetched)
		switch sets := groups[u.key]; {
		case u.key == "" || len(sets) == 1:
			out = append(out, err)
		case sets != nil:
			n := len(sets)
			out = append(out, fmt.Errorf("%w; %d files are missing, of %s: %s", u.reason, n,
				strings.Join(slices.Compact(sets), ", "), u.advice))
			groups[u.key] = nil // it is reported
		}
	}
	return errors.Join(out...)
}
