package live

import (
	"bytes"
	"context"
	"crypto/subtle"
	"crypto/tls"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
)

// A Page is the report's page.
type Page interface {
	// Write writes the page, with a strip above its content unless that is nil. It is not called twice at the same
	// time.
	Write(to io.Writer, strip *render.Strip) error
	// Policy is what such a page may load and send.
	Policy(strip *render.Strip) string
}

// A Server shows the report's page to browsers, with a strip of what is under way. All browsers share one look at the
// database per second. Without browsers there are no looks.
type Server struct {
	// Look returns what is to be seen now. Look and Report are never called at the same time.
	Look func(context.Context) (State, error)
	// Report makes the page of a protocol's results.
	Report func(ctx context.Context, protocol string) (Page, error)
	Token  string // the token that browsers must have; "" for none
	// Hosts are the host names that a request may have; nil for all. They refuse requests of a foreign page whose
	// host name was made to point to this machine's loopback address.
	Hosts []string
	Every time.Duration // between two looks

	ctx   context.Context // ends with the server
	now   sync.Mutex      // guards Look, Report and the next three
	at    time.Time       // time of the last look
	seen  State
	under template.HTML // the strip's content

	lookers sync.WaitGroup
	report  struct {
		sync.Mutex
		page        Page
		made, until time.Time // the page is made anew after until
	}
}

// Serve answers browsers until ctx is done, and closes the listener. Without a configuration of TLS nothing is
// encrypted.
func (s *Server) Serve(ctx context.Context, l net.Listener, encrypted *tls.Config) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	s.ctx = ctx
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /report", s.whole)
	server := &http.Server{
		Handler: s.guarded(mux, encrypted != nil), TLSConfig: encrypted,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16,
		ErrorLog: log.New(io.Discard, "", 0), // a browser that does not know the certificate is no news
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		<-ctx.Done()
		within, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer done()
		_ = server.Shutdown(within)
		_ = server.Close()
	}()
	serve := server.Serve
	if encrypted != nil {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	err := serve(l)
	end()
	<-over
	s.lookers.Wait()
	if err == http.ErrServerClosed {
		return nil
	}
	return err
}

const cookie = "bench-token"

// guarded lets a request pass if it has a host name of Hosts and the token. A token in the address becomes a
// cookie, so that the address does not show the token any longer.
func (s *Server) guarded(next http.Handler, encrypted bool) http.Handler {
	right := func(token string) bool { return subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1 }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if s.Hosts != nil && !contains(s.Hosts, strings.Trim(host, "[]")) {
			http.Error(w, "this address is not the one that bench serve printed", http.StatusForbidden)
			return
		}
		if s.Token != "" {
			given := r.URL.Query().Get("token")
			if given != "" && right(given) && r.URL.Path == "/" {
				http.SetCookie(w, &http.Cookie{Name: cookie, Value: s.Token, Path: "/", HttpOnly: true,
					Secure: encrypted, SameSite: http.SameSiteLaxMode})
				http.Redirect(w, r, "/", http.StatusSeeOther)
				return
			}
			c, err := r.Cookie(cookie)
			bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if (err != nil || !right(c.Value)) && (!is || !right(bearer)) {
				http.Error(w, "a token is needed: open the address that bench serve printed, or add ?token=... with "+
					"the token of its file", http.StatusUnauthorized)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func contains(list []string, name string) bool {
	for _, l := range list {
		if strings.EqualFold(l, name) {
			return true
		}
	}
	return false
}

// current is the newest state with the strip's content. If the last look is old, the first caller looks again for all.
func (s *Server) current() (State, template.HTML, error) {
	s.now.Lock()
	defer s.now.Unlock()
	if time.Since(s.at) < s.Every*9/10 {
		return s.seen, s.under, nil
	}
	seen, err := s.Look(s.ctx)
	if err != nil {
		return seen, "", err
	}
	under, err := laidOut("under-way", seen)
	if err != nil {
		return seen, "", err
	}
	s.seen, s.under, s.at = seen, under, time.Now()
	return s.seen, s.under, nil
}

// page sends the report's page with the strip, or the strip alone where there is no report.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	seen, under, err := s.current()
	if err != nil {
		http.Error(w, "the results cannot be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	s.report.Lock()
	defer s.report.Unlock()
	why := s.makeReport(seen.Protocol)
	strip := render.Strip{Script: script}
	strip.HTML, err = laidOut("strip", struct {
		State    State
		UnderWay template.HTML
		Made     time.Time // zero where there is no report
		Why      error
	}{seen, under, s.report.made, why})
	page := s.report.page
	if page == nil {
		page = bare{}
	}
	s.send(w, page, &strip, err)
}

// whole sends the report's page alone.
func (s *Server) whole(w http.ResponseWriter, _ *http.Request) {
	seen, _, err := s.current()
	s.report.Lock()
	defer s.report.Unlock()
	if err == nil {
		err = s.makeReport(seen.Protocol)
	}
	if err != nil {
		http.Error(w, fmt.Sprintf("there is no report yet: %v", err), http.StatusNotFound)
		return
	}
	s.send(w, s.report.page, nil, nil)
}

// makeReport makes the report's page if the last one is old. Making the page takes seconds if much is stored. So only
// one page is made at a time, and it is kept for twenty times as long as making it took. The error says why there is
// no page.
func (s *Server) makeReport(protocol string) error {
	began := time.Now()
	if !began.After(s.report.until) {
		return nil
	}
	s.now.Lock()
	defer s.now.Unlock()
	s.report.page, s.report.made = nil, time.Time{}
	page, err := s.Report(s.ctx, protocol)
	if err != nil {
		return err
	}
	s.report.page, s.report.made, s.report.until = page, began, time.Now().Add(
		time.Duration(share*float64(time.Since(began))))
	return nil
}

// send sends a page, or that it cannot be laid out.
func (s *Server) send(w http.ResponseWriter, page Page, strip *render.Strip, err error) {
	var out bytes.Buffer
	if err == nil {
		err = page.Write(&out, strip)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", page.Policy(strip)+"; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
	_, _ = w.Write(out.Bytes()) // an error means that nobody reads any longer
}

// events sends a browser the strip's content when it has changed, as a server-sent event.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	s.lookers.Add(1)
	defer s.lookers.Done()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	var has template.HTML
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	quiet := 0
	for {
		seen, under, err := s.current()
		if err != nil {
			return // the browser says that the connection is lost, and tries again
		}
		line, changed := ": still there\n\n", under != has
		if changed {
			data, err := json.Marshal(map[string]string{"title": seen.Title(), "html": string(under)})
			if err != nil {
				return
			}
			has, line = under, "data: "+string(data)+"\n\n"
		}
		if quiet++; changed || quiet > 15 {
			quiet = 0
			_ = out.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if _, err := io.WriteString(w, line); err != nil || out.Flush() != nil {
				return
			}
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

var (
	//go:embed strip.html.tmpl
	source string
	//go:embed strip.js
	script template.JS
)

var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("strip").Funcs(template.FuncMap{"seconds": wording.Seconds, "count": frame.Count,
		"failure": Failure}).Parse(source))
})

// laidOut lays a part of the strip out. A character in a name that a browser would obey, such as a sign that turns the
// direction of writing, is spelled out.
func laidOut(part string, of any) (template.HTML, error) {
	var text strings.Builder
	err := layout().ExecuteTemplate(&wording.Writer{To: &text}, part, of)
	return template.HTML(text.String()), err
}

// bare is the page where there is no report.
type bare struct{}

var aroundNothing = sync.OnceValue(func() *template.Template { return render.Around(`{{define "main"}}{{end}}`, nil) })

func (bare) shell(strip *render.Strip) render.Shell {
	return render.Shell{Title: "bench: no report yet", Heading: "No report yet", Footer: "Made by bench.", Strip: strip}
}

func (b bare) Write(to io.Writer, strip *render.Strip) error {
	return aroundNothing().Execute(to, b.shell(strip))
}

func (b bare) Policy(strip *render.Strip) string { return b.shell(strip).Policy() }
