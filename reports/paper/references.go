package paper

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/render"
)

// library is the papers that the project knows, as BibTeX. Fields named says are the words by which methods and
// protocols name a paper as their source; the file of a folder has no such fields.
//
//go:embed references.bib
var library string

// The program itself, as CITATION.cff names it.
const (
	programTitle  = "bench: kernel and boosting methods compared under one protocol, with the evidence kept"
	programAuthor = "The bench authors"
	programURL    = "https://github.com/kernelboosting/bench"
	programKey    = "bench-program"
)

// A reference is an entry of the library.
type reference struct {
	key, text string
	says      []string
}

var (
	entryKey = regexp.MustCompile(`^@\w+\{([^,]+),`)
	says     = regexp.MustCompile(`(?m)^ *says *= \{(.*)\},\n`)
	cites    = regexp.MustCompile(`\\cite\{([^}]*)\}`)
)

func known() []reference {
	var out []reference
	for _, entry := range strings.SplitAfter(library, "\n}\n") {
		entry = strings.TrimLeft(entry, "\n")
		if m := entryKey.FindStringSubmatch(entry); m != nil {
			r := reference{key: m[1], text: says.ReplaceAllString(entry, "")}
			for _, s := range says.FindAllStringSubmatch(entry, -1) {
				r.says = append(r.says, s[1])
			}
			out = append(out, r)
		}
	}
	return out
}

// cited returns the citation of the papers that a source names, in its order; "" if none of them is known.
func cited(source string) string {
	at := map[int]string{}
	var places []int
	for _, r := range known() {
		for _, s := range r.says {
			if i := strings.Index(source, s); i >= 0 {
				at[i], places = r.key, append(places, i)
			}
		}
	}
	slices.Sort(places)
	keys := doc.Map(places, func(i int) string { return at[i] })
	if keys == nil {
		return ""
	}
	return `~\cite{` + strings.Join(keys, ",") + "}"
}

// references returns the entries that the files cite, and an entry for the program.
func (b *builder) references() string {
	used := map[string]bool{}
	for _, f := range b.files {
		for _, m := range cites.FindAllStringSubmatch(f.text, -1) {
			for _, key := range strings.Split(m[1], ",") {
				used[key] = true
			}
		}
	}
	var out strings.Builder
	out.WriteString("@misc{" + programKey + ",\n  author = {{" + programAuthor + "}},\n  title  = {{" + programTitle +
		"}},\n  howpublished = {" + render.LaTeXText(programURL) + "},\n  note   = {" + render.LaTeXText(b.o.Program) +
		"}\n}\n")
	for _, r := range known() {
		if used[r.key] {
			out.WriteString("\n" + r.text)
		}
	}
	return out.String()
}

// tex formats LaTeX. The format is LaTeX, and texts among the arguments are escaped.
func tex(format string, args ...any) string {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = render.LaTeXText(s)
		}
	}
	return fmt.Sprintf(format, args...)
}

var (
	signed   = regexp.MustCompile(`(^|[ (])([+-]\d[\d.]*)`)
	relation = regexp.MustCompile(`\bp (=|\$<\$) ([\d.]*\d)`)
)

// mathematics writes paragraphs as LaTeX, with signed numbers and p-values as mathematics, where a minus is no hyphen.
func mathematics(paragraphs []string) string {
	var out []string
	for _, p := range paragraphs {
		p = signed.ReplaceAllString(render.LaTeXText(p), `$1$$$2$$`)
		p = relation.ReplaceAllStringFunc(p, func(s string) string {
			m := relation.FindStringSubmatch(s)
			return "$p " + strings.Trim(m[1], "$") + " " + m[2] + "$"
		})
		out = append(out, strings.ReplaceAll(p, ` \%`, `~\%`))
	}
	return strings.Join(out, "\n\n")
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// plain keeps the characters of a name that file systems and \label accept.
func plain(name string) string { return strings.Trim(unsafe.ReplaceAllString(name, "-"), "-.") }

// A label is a name that LaTeX refers to. tex does not escape it.
type label string

func labelOf(method string) label { return label("bench:" + plain(method)) }
