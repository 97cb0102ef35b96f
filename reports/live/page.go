package live

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/render"
)

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
	// policy lets the page use its own style and script, known by their hashes, and ask the program that it came from.
	policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		hash(string(style)), hash(string(script)))
)

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"seconds": wording.Seconds, "bytes": wording.Bytes, "failure": Failure}).Parse(source))
})

// A section is a part of the page that is replaced when it changes.
type section struct {
	ID   string
	HTML template.HTML
}

// sections lays a state out.
func (s State) sections() (out []section, err error) {
	s = s.visible()
	for _, id := range []string{"summary", "workers", "cells", "failures", "sets", "table"} {
		var text strings.Builder
		if err := layout().ExecuteTemplate(&text, id, s); err != nil {
			return nil, err
		}
		out = append(out, section{id, template.HTML(text.String())})
	}
	return out, nil
}

// visible spells what turns the direction of writing and the like, which HTML would obey. The line ends of longer texts stay.
func (s State) visible() State {
	lines := func(text string) string {
		parts := strings.Split(text, "\n")
		for i, p := range parts {
			parts[i] = wording.Spelled(strings.ReplaceAll(strings.TrimSuffix(p, "\r"), "\t", "    "))
		}
		return strings.Join(parts, "\n")
	}
	s.Database, s.Protocol, s.NoTable = wording.Spelled(s.Database), wording.Spelled(s.Protocol), wording.Spelled(s.NoTable)
	s.Workers, s.Cells, s.Sets, s.Failures = clone(s.Workers), clone(s.Cells), clone(s.Sets), clone(s.Failures)
	for i := range s.Workers {
		s.Workers[i].Name = wording.Spelled(s.Workers[i].Name)
	}
	for i := range s.Cells {
		s.Cells[i].Name, s.Cells[i].By = wording.Spelled(s.Cells[i].Name), wording.Spelled(s.Cells[i].By)
	}
	for i := range s.Sets {
		s.Sets[i].Name, s.Sets[i].Best = wording.Spelled(s.Sets[i].Name), wording.Spelled(s.Sets[i].Best)
	}
	for i, f := range s.Failures {
		s.Failures[i].Method, s.Failures[i].Dataset = wording.Spelled(f.Method), wording.Spelled(f.Dataset)
		s.Failures[i].Error, s.Failures[i].Stderr = lines(f.Error), strings.TrimSpace(lines(f.Stderr))
	}
	return s
}

func clone[T any](list []T) []T { return append([]T(nil), list...) }

// write writes the whole page.
func (s State) write(w io.Writer, sections []section, footer string) error {
	s = s.visible()
	return layout().Execute(w, struct {
		State    State
		Sections []section
		Footer   string
		CSS      template.CSS
		Script   template.JS
	}{s, sections, footer, style, script})
}
