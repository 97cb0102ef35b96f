package live

import (
	_ "embed"
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
