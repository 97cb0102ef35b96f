package render

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
)

var (
	//go:embed shell.html.tmpl
	shellSource string
	//go:embed page.css
	pageStyle template.CSS
)

// A Shell is what surrounds the content of every page in HTML: a document and the report's page. All pages have one
// style, for light, dark and print. A value that embeds a Shell is what the template of Around reads.
type Shell struct {
	Title         string // of the window
	Heading, Lead string
	Up, UpTitle   string      // link to the page above; "" for none
	Nav           [][2]string // names and links of parts
	Footer        string
	Script        template.JS
}

// Around returns the template of a page from the source of its content. The source defines "main", and "after" for
// what follows the footer.
func Around(source string, funcs template.FuncMap) *template.Template {
	return template.Must(template.Must(template.New("page").Funcs(funcs).Parse(shellSource)).Parse(source))
}

// Style is the one style sheet.
func (Shell) Style() template.CSS { return pageStyle }

// Policy lets a page use its own style and scripts, known by their hashes, and nothing else.
func (s Shell) Policy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; "+
		"form-action 'none'",
		hash(string(pageStyle)), hash(string(s.Script)))
}

// hash names a text in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
