package fetch

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
)

// A site is a local server in place of every public address: a request for any
// host but this machine reaches it, by the path.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	handlers map[string]http.HandlerFunc // by path
	// requests by path, counted when the client sends them: a request that the client gives up may never reach the
	// server
	hits map[string]int
}

func newSite(t *testing.T) *site {
	s := &site{handlers: map[string]http.HandlerFunc{}, hits: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		h := s.handlers[r.URL.EscapedPath()]
		s.mu.Unlock()
		if h == nil {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.hits[r.URL.EscapedPath()]++
	s.mu.Unlock()
	r = r.Clone(r.Context())
	target, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	if r.URL.Hostname() != "127.0.0.1" {
		r.URL.Scheme, r.URL.Host = target.Scheme, target.Host
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (s *site) options() Options {
	return Options{Client: &http.Client{Transport: s}, Backoff: time.Millisecond}
}

// webEntry describes one file with a public address.
func webEntry(name, content string) *catalogue.Entry {
	return &catalogue.Entry{Name: name, Files: []catalogue.File{{
		Path: name + "/" + name + ".csv", Bytes: int64(len(content)), SHA256: catalogue.Checksum([]byte(content)),
		Repository: "github.com/owner/repo", Commit: strings.Repeat("a", 40), Source: "a dir/" + name + "+1.csv",
	}}}
}

func webPath(name string) string {
	return "/owner/repo/" + strings.Repeat("a", 40) + "/a%20dir/" + name + "+1.csv"
}

func serve(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) }
}

func leftovers(t *testing.T, dir string) []string {
	var out []string
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	}))
	return out
}

const sample = "1,x\n2,y\n"

func TestFetchFromPublicAddresses(t *testing.T) {
	s := newSite(t)
	s.handlers[webPath("one")] = serve(sample)
	store := catalogue.Directory{Root: t.TempDir()}
	var events []Status
	o := s.options()
	o.Log = func(e Event) { events = append(events, e.Status) }
	e := webEntry("one", sample)
	for range 2 { // the second time nothing is asked for
		must.Do(t, Files(t.Context(), store, []*catalogue.Entry{e}, o))
	}
	must.Be(t, events, []Status{Done, Present}, "events")
	must.Be(t, s.hits[webPath("one")], 1, "events")
	must.Be(t, must.Get(store.State(e))(t), catalogue.Present)
	// A damaged file is replaced.
	must.Do(t, os.WriteFile(filepath.Join(store.Root, "one", "one.csv"), []byte("3,x\n2,y\n"), 0o644))
	if state, err := store.State(e); state != catalogue.Wrong || err == nil {
		t.Errorf("state %v, error %v", state, err)
	}
	must.Do(t, Files(t.Context(), store, []*catalogue.Entry{e}, o))
	must.Do(t, store.Verify(e))
}

// TestFetchFailures pins one line per way an answer can be wrong, how often it is
// asked for, and that nothing is left behind.
func TestFetchFailures(t *testing.T) {
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	other := strings.ToUpper(sample)
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
		hits    int
	}{
		{"absent", nil, "the server answers 404 Not Found", 1},
		{"broken", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
		}, "the server answers 503 Service Unavailable", 3},
		{"wrong", serve(other), "expected SHA-256 " + catalogue.Checksum([]byte(sample)) + ", got " +
			catalogue.Checksum([]byte(other)), 1},
		{"page", serve("<html>please log in</html>"), "expected 8 bytes, the server announces 26", 1},
		{"truncated", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "8")
			fmt.Fprint(w, sample[:5])
		}, "the answer broke off after 5 bytes: unexpected EOF", 3},
		{"short", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, sample[:5])
			w.(http.Flusher).Flush() // no length is announced
		}, "expected 8 bytes, got 5", 3},
		{"long", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			fmt.Fprint(w, sample+sample)
		}, "expected 8 bytes, got more", 1},
		{"stalled", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "8")
			fmt.Fprint(w, sample[:5])
			w.(http.Flusher).Flush()
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}, "no byte came for 50ms", 3},
		{"silent", func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}, "no answer from raw.githubusercontent.com: no byte came for 50ms", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			if c.handler != nil {
				s.handlers[webPath(c.name)] = c.handler
			}
			store := catalogue.Directory{Root: t.TempDir()}
			o := s.options()
			if strings.Contains(c.want, "no byte") {
				o.Stall = 50 * time.Millisecond
			}
			var last Event
			o.Log = func(e Event) { last = e }
			err := Files(t.Context(), store, []*catalogue.Entry{webEntry(c.name, sample)}, o)
			want := fmt.Sprintf("%[1]s: %[1]s/%[1]s.csv: from https://raw.githubusercontent.com%[2]s: %[3]s; run "+
				"`bench data fetch %[1]s` again, or take the file from a mirror with --from", c.name, webPath(c.name),
				c.want)
			must.Be(t, fmt.Sprint(err), want)
			if last.Status != Failed || last.Err == nil {
				t.Errorf("last event %v", last)
			}
			if left := leftovers(t, store.Root); left != nil {
				t.Errorf("left behind: %v", left)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			must.Be(t, s.hits[webPath(c.name)], c.hits)
		})
	}
}

// TestSlowAnswersSucceed: a server that keeps sending is not stalled, however
// long it takes altogether, unless the request's own time is over.
func TestSlowAnswersSucceed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var pause atomic.Int64 // nanoseconds between two bytes
	s.handlers[webPath("slow")] = func(w http.ResponseWriter, r *http.Request) {
		for i := range sample {
			fmt.Fprint(w, sample[i:i+1])
			w.(http.Flusher).Flush()
			time.Sleep(time.Duration(pause.Load()))
		}
	}
	o := s.options()
	var err error
	// All pauses together are longer than the longest silence, and each is far shorter. Busy cores may make a short one
	// too long, so that longer ones are tried then.
	for _, short := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond, 5 * time.Second} {
		pause.Store(int64(short))
		o.Stall = time.Duration(len(sample)/2) * short
		if err = Files(t.Context(), catalogue.Directory{Root: t.TempDir()},
			[]*catalogue.Entry{webEntry("slow", sample)}, o); err == nil {
			break
		}
	}
	must.Do(t, err)
	pause.Store(int64(100 * time.Millisecond))
	o.Timeout, o.Stall = 60*time.Millisecond, time.Minute
	err = Files(t.Context(), catalogue.Directory{Root: t.TempDir()}, []*catalogue.Entry{webEntry("slow", sample)}, o)
	must.Say(t, err, "the answer is not complete after 60ms")
}

func TestFetchRetriesAndRecovers(t *testing.T) {
	s := newSite(t)
	var n atomic.Int32
	s.handlers[webPath("one")] = func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) < 3 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, sample)
	}
	retries := 0
	o := s.options()
	o.Log = func(e Event) {
		if e.Status == Retry {
			retries++
		}
	}
	must.Do(t,
		Files(t.Context(), catalogue.Directory{Root: t.TempDir()}, []*catalogue.Entry{webEntry("one", sample)}, o))
	must.Be(t, retries, 2)
}

// TestOneFailureLeavesTheOthers: the error has one line per missing file.
func TestOneFailureLeavesTheOthers(t *testing.T) {
	s := newSite(t)
	var entries []*catalogue.Entry
	for i := range 12 {
		name := fmt.Sprintf("set%02d", i)
		entries = append(entries, webEntry(name, sample))
		if i%4 != 0 {
			s.handlers[webPath(name)] = serve(sample)
		}
	}
	store := catalogue.Directory{Root: t.TempDir()}
	err := Files(t.Context(), store, entries, s.options())
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "set04: set04/set04.csv: from https://") {
		t.Errorf("error %v", err)
	}
	if left := leftovers(t, store.Root); len(left) != 9 {
		t.Errorf("files %v", left)
	}
}

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
	err := Files(t.Context(), catalogue.Directory{Root: t.TempDir()}, entries, Options{
		Client: &http.Client{Transport: network}, Backoff: time.Millisecond,
	})
	if err == nil {
		t.Fatal("a fetch without a network succeeds")
	}
	text := err.Error()
	must.Hold(t, text, "no answer from raw.githubusercontent.com: no such host; 40 files are missing, of set00, set01",
		"--from DIR")
	must.Lack(t, text, "\n")
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
	must.Do(t, h.check("a"))
}
