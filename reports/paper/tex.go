package paper

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kernelboosting/bench/reports/render"
)

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
