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
	"github.com/kernelboosting/bench/reports/render"
)

// A Server shows states to browsers. All browsers share one look at the database per second. Without browsers there are no
// looks.
type Server struct {
	// Look returns what is to be seen now. Look and Report are never called at the same time.
	Look func(context.Context) (State, error)
	// Report writes the page of the whole report of a protocol.
	Report func(ctx context.Context, protocol string, to io.Writer) error
	Token  string // the token that browsers must have; "" for none
	// Hosts are the host names that a request may have; nil for all. They refuse requests of a foreign page whose host name
	// was made to point to this machine's loopback address.
	Hosts  []string
	Footer string
	Every  time.Duration // between two looks

	ctx  context.Context // ends with the server
	now  sync.Mutex      // guards Look, Report and the next three
	at   time.Time       // time of the last look
	seen State
	view []section

	lookers sync.WaitGroup
	report  struct {
		sync.Mutex
		page  []byte
		until time.Time // the page is made anew after this moment
	}
}

// Serve answers browsers until ctx is done, and closes the listener. Without a configuration of TLS nothing is encrypted.
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

// guarded lets a request pass if it has a host name of Hosts and the token. A token in the address becomes a cookie, so that
// the address does not show the token any longer.
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
				http.SetCookie(w, &http.Cookie{Name: cookie, Value: s.Token, Path: "/", HttpOnly: true, Secure: encrypted, SameSite: http.SameSiteLaxMode})
				http.Redirect(w, r, "/", http.StatusSeeOther)
				return
			}
			c, err := r.Cookie(cookie)
			bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if (err != nil || !right(c.Value)) && (!is || !right(bearer)) {
				http.Error(w, "a token is needed: open the address that bench serve printed, or add ?token=... with the token of its file", http.StatusUnauthorized)
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

// current is the newest view. If the last view is old, the first caller makes a new view for all.
func (s *Server) current() (State, []section, error) {
	s.now.Lock()
	defer s.now.Unlock()
	if time.Since(s.at) < s.Every*9/10 {
		return s.seen, s.view, nil
	}
	seen, err := s.Look(s.ctx)
	if err != nil {
		return seen, nil, err
	}
	view, err := seen.sections()
	if err != nil {
		return seen, nil, err
	}
	s.seen, s.view, s.at = seen, view, time.Now()
	return s.seen, s.view, nil
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	seen, view, err := s.current()
	var out bytes.Buffer
	if err == nil {
		err = seen.write(&out, view, s.Footer)
	}
	if err != nil {
		http.Error(w, "the results cannot be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	s.send(w, out.Bytes())
}

func (s *Server) send(w http.ResponseWriter, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
	_, _ = w.Write(page) // an error means that nobody reads any longer
}

// events sends a browser each section that has changed, as a server-sent event.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	s.lookers.Add(1)
	defer s.lookers.Done()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	has := map[string]string{}
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	quiet := 0
	for {
		seen, view, err := s.current()
		if err != nil {
			return // the browser says that the connection is lost, and tries again
		}
		changed := map[string]string{}
		put := func(id, text string) {
			if was, known := has[id]; !known || was != text {
				changed[id], has[id] = text, text
			}
		}
		put("title", seen.Summary())
		for _, v := range view {
			put(v.ID, string(v.HTML))
		}
		line := ": still there\n\n"
		if len(changed) > 0 {
			data, err := json.Marshal(changed)
			if err != nil {
				return
			}
			line = "data: " + string(data) + "\n\n"
		}
		if quiet++; len(changed) > 0 || quiet > 15 {
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

// whole sends the page of the whole report. Making the page takes seconds if much is stored. So only one page is made at a
// time, and it is kept for twenty times as long as making it took.
func (s *Server) whole(w http.ResponseWriter, _ *http.Request) {
	s.report.Lock()
	defer s.report.Unlock()
	if time.Now().After(s.report.until) {
		began := time.Now()
		var page bytes.Buffer
		seen, _, err := s.current()
		if err == nil {
			s.now.Lock()
			err = s.Report(s.ctx, seen.Protocol, &page)
			s.now.Unlock()
		}
		if err != nil {
			http.Error(w, fmt.Sprintf("there is no report yet: %v", err), http.StatusNotFound)
			return
		}
		s.report.page, s.report.until = page.Bytes(), time.Now().Add(time.Duration(share*float64(time.Since(began))))
	}
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'") // the page itself has the rest of its policy
	s.send(w, s.report.page)
}

var (
	//go:embed page.html.tmpl
	source string
	//go:embed page.css
	ownStyle template.CSS
	//go:embed page.js
	ownScript string
)

var (
	style  = render.StyleSheet + ownStyle
	script = template.JS("\"use strict\";\n{\n" + ownScript + "}\n")
	// policy lets the page send requests to the program that served it, and nothing more.
	policy = render.Policy(style, script) + "; connect-src 'self'; frame-ancestors 'none'"
)

var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"seconds": wording.Seconds, "bytes": wording.Bytes, "failure": Failure}).Parse(source))
})

// A section is a part of the page that is replaced when it changes.
type section struct {
	ID   string
	HTML template.HTML
}

// sections lays a state out. A character in a name that a browser would obey, such as a sign that turns the direction of
// writing, is spelled out.
func (s State) sections() (out []section, err error) {
	for _, id := range []string{"summary", "workers", "cells", "failures", "sets", "table"} {
		var text strings.Builder
		if err := layout().ExecuteTemplate(&wording.Writer{To: &text}, id, s); err != nil {
			return nil, err
		}
		out = append(out, section{id, template.HTML(text.String())})
	}
	return out, nil
}

func (s State) write(w io.Writer, sections []section, footer string) error {
	return layout().Execute(&wording.Writer{To: w}, struct {
		State    State
		Sections []section
		Footer   string
		CSS      template.CSS
		Script   template.JS
	}{s, sections, footer, style, script})
}
