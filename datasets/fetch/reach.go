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

// hopeless is how many requests to a host may go without any answer, none ever
// having come, before the rest of a fetch stops asking it.
const hopeless = 3

// hosts remembers which hosts answer, so that a fetch of fifty files without a
// network ends in seconds and says so once.
type hosts struct {
	mu       sync.Mutex
	answered map[string]bool
	silent   map[string]int
	cause    map[string]error
}

// unreachable is a host that gave no answer.
type unreachable struct {
	host  string
	cause error
}

func (u unreachable) Error() string { return fmt.Sprintf("no answer from %s: %v", u.host, u.cause) }

func (u unreachable) Unwrap() error { return u.cause }

// check returns the reason not to ask a host again, or nil.
func (h *hosts) check(host string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answered[host] || h.silent[host] < hopeless {
		return nil
	}
	return unreachable{host, h.cause[host]}
}

func (h *hosts) answer(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answered == nil {
		h.answered = map[string]bool{}
	}
	h.answered[host] = true
}

// silence records a request that got no answer and returns its error: one that
// may be tried again until the host is given up.
func (h *hosts) silence(host string, cause error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent == nil {
		h.silent, h.cause = map[string]int{}, map[string]error{}
	}
	h.silent[host]++
	h.cause[host] = cause
	if h.silent[host] >= hopeless && !h.answered[host] {
		return unreachable{host, cause}
	}
	return retryable{cause}
}

// defaultClient gives up connecting after ten seconds; proxies are honoured.
func defaultClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	return &http.Client{Transport: t}
}

func (u unreachable) key() string { return u.host }

func (u unreachable) advice() string {
	return "run `bench data fetch` again with a network, or `bench data fetch --from DIR` with a mirror"
}

// A sharedReason is why many files could not be had at once.
type sharedReason interface {
	error
	key() string    // equal for the files that failed for one reason
	advice() string // what to do
}

// unfetched is a file that could not be had.
type unfetched struct {
	set, message string
	reason       sharedReason // nil if it is of this file alone
}

func (u unfetched) Error() string { return u.message }

// joinFailures returns one error with a line per file, except that all files that
// failed for one reason share one line.
func joinFailures(failures []error) error {
	groups := map[string][]unfetched{}
	for _, err := range failures {
		var u unfetched
		if errors.As(err, &u) && u.reason != nil {
			groups[u.reason.key()] = append(groups[u.reason.key()], u)
		}
	}
	var out []error
	told := map[string]bool{}
	for _, err := range failures {
		var u unfetched
		if !errors.As(err, &u) || u.reason == nil || len(groups[u.reason.key()]) < 2 {
			out = append(out, err)
			continue
		}
		key := u.reason.key()
		if told[key] {
			continue
		}
		told[key] = true
		var sets []string
		for _, each := range groups[key] {
			if !slices.Contains(sets, each.set) {
				sets = append(sets, each.set)
			}
		}
		out = append(out, fmt.Errorf("%w; %d files are missing, of %s: %s", u.reason, len(groups[key]), strings.Join(sets, ", "), u.reason.advice()))
	}
	return errors.Join(out...)
}
