package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/render"
)

// serving starts a server, and returns its address and what ends it.
func serving(t *testing.T, s *Server) (at string, end func() error) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	if s.Every == 0 {
		s.Every = time.Millisecond
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, nil) }()
	end = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { must.Do(t, end()) })
	return "http://" + l.Addr().String(), end
}

func get(t *testing.T, client *http.Client, at string, header ...string) (status int, body string, h http.Header) {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil))(t)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		} else {
			req.Header.Set(header[i], header[i+1])
		}
	}
	answer := must.Get(client.Do(req))(t)
	defer answer.Body.Close()
	raw := must.Get(io.ReadAll(answer.Body))(t)
	return answer.StatusCode, string(raw), answer.Header
}

// A report is a page that says what it is.
type report string

func (r report) Write(to io.Writer, strip *render.Strip) error {
	_, err := fmt.Fprintf(to, "%s, with a strip: %v", string(r), strip != nil)
	return err
}

func (r report) Policy(*render.Strip) string { return "default-src 'none'" }

// none is a report of nothing.
func none(context.Context, string) (Page, error) { return nil, errors.New("nothing is stored") }

// TestNamesAreNoPrograms: whatever plugins call themselves and write is text on the page.
func TestNamesAreNoPrograms(t *testing.T) {
	at, _ := serving(t, &Server{Report: none, Look: func(context.Context) (State, error) { return hostile(), nil }})
	status, body, h := get(t, http.DefaultClient, at)
	if status != 200 || strings.Count(body, "<script>") != 1 || strings.Contains(body, "<img") ||
		strings.ContainsAny(body, "\x1b\u202e") {
		t.Errorf("%d: %s", status, body)
	}
	if !strings.Contains(body, "<title>bench: no report yet</title>") ||
		!strings.Contains(body, "<h1>No report yet</h1>") {
		t.Errorf("without a report the page begins with %.300s", body)
	}
	if policy := h.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
		"default-src 'none'; style-src 'sha256-") || strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", policy)
	}
}

// TestWhoMayLook: without the token nobody sees anything; a token in the address becomes a cookie; other names of the
// host, other paths and other methods are refused.
func TestWhoMayLook(t *testing.T) {
	const token = "a-token-that-nobody-guesses"
	at, _ := serving(t, &Server{
		Token: token, Hosts: []string{"127.0.0.1"}, Look: func(context.Context) (State, error) {
			return State{Database: "secret.db"}, nil
		},
		Report: none,
	})
	jar := must.Get(cookiejar.New(nil))(t)
	browser := &http.Client{Jar: jar}
	for _, c := range []struct {
		path   string
		header []string
		want   int
	}{
		{"/", nil, 401}, {"/events", nil, 401}, {"/report", nil, 401}, {"/?token=" + token + "x", nil, 401},
		{"/?token=", nil, 401},
		{"/", []string{"Authorization", "Bearer nonsense"}, 401}, {"/", []string{"Authorization", "Bearer " + token},
			200},
		{"/", []string{"Authorization", "Bearer " + token, "Host", "rebound.example"}, 403},
		{"/?token=" + token, nil, 200}, {"/", nil, 200}, {"/report", nil, 404}, {"/etc/passwd", nil, 404},
	} {
		status, body, _ := get(t, browser, at+c.path, c.header...)
		if status != c.want || strings.Contains(body, "secret.db") != (status == 200) {
			t.Errorf("%s %q: %d, want %d: %s", c.path, c.header, status, c.want, body)
		}
	}
	answer, err := browser.Post(at, "text/plain", nil)
	if err != nil || answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %v %v", answer, err)
	}
}

// TestManyBrowsers: all browsers see every change, share the looks, and are let go when the server ends.
func TestManyBrowsers(t *testing.T) {
	var looks, cells atomic.Int64
	s := &Server{Every: 20 * time.Millisecond, Look: func(context.Context) (State, error) {
		looks.Add(1)
		return State{Runs: 1, Planned: 100, Ended: int(cells.Load())}, nil
	}}
	at, end := serving(t, s)
	const browsers = 50
	var streams []*bufio.Reader
	for range browsers {
		answer := must.Get(http.Get(at + "/events"))(t)
		defer answer.Body.Close()
		streams = append(streams, bufio.NewReader(answer.Body))
	}
	await := func(text string) {
		t.Helper()
		for _, r := range streams {
			for {
				line := must.Get(r.ReadString('\n'))(t)
				if strings.HasPrefix(line, "data: ") && strings.Contains(line, text) {
					break
				}
			}
		}
	}
	began, before := time.Now(), looks.Load()
	for i := 1; i <= 5; i++ {
		cells.Store(int64(i))
		await(fmt.Sprintf("%d of 100 cells", i))
	}
	// A look is no more often than 9/10 of Every, whatever the machine is doing.
	if most := int64(time.Since(began)/(18*time.Millisecond)) + 2; looks.Load()-before > most {
		t.Errorf("%d looks for %d browsers, want at most %d", looks.Load()-before, browsers, most)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	for _, r := range streams {
		if _, err := io.Copy(io.Discard, r); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Log(err) // the connection was closed
		}
	}
}

// TestReportIsKept: the report's page is made when somebody asks, and not again for everybody. At the first address it
// has a strip.
func TestReportIsKept(t *testing.T) {
	made := 0
	s := &Server{
		Look: func(context.Context) (State, error) { return State{Protocol: "table2"}, nil },
		Report: func(_ context.Context, protocol string) (Page, error) {
			made++
			return report(fmt.Sprintf("report %d of %s", made, protocol)), nil
		},
	}
	at, _ := serving(t, s)
	for _, c := range []struct {
		path string
		keep time.Duration
		want string
	}{
		{"/report", time.Hour, "report 1 of table2, with a strip: false"},
		{"/", -time.Hour, "report 1 of table2, with a strip: true"},
		{"/report", 0, "report 2 of table2, with a strip: false"},
	} {
		status, body, h := get(t, http.DefaultClient, at+c.path)
		if status != 200 || body != c.want || h.Get("Content-Security-Policy") != "default-src 'none'; "+
			"frame-ancestors 'none'" {
			t.Errorf("%d %s, want %s; headers %v", status, body, c.want, h)
		}
		s.report.Lock()
		s.report.until = time.Now().Add(c.keep)
		s.report.Unlock()
	}
}

// TestUnreadable: where the database cannot be read the page says so, without the text of a program.
func TestUnreadable(t *testing.T) {
	at, _ := serving(t, &Server{Look: func(context.Context) (State, error) {
		return State{}, errors.New("<b>the disk is gone</b>")
	}})
	status, body, h := get(t, http.DefaultClient, at)
	if status != 500 || !strings.Contains(body, "the disk is gone") ||
		!strings.HasPrefix(h.Get("Content-Type"), "text/plain") {
		t.Errorf("%d %s: %s", status, h.Get("Content-Type"), body)
	}
}
