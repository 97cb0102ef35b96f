package frame

import (
	"fmt"
	"regexp"

	"github.com/kernelboosting/bench/harness/store"
)

// details are the values that end a warning, "key=value key=value", which differ from fit to fit.
var details = regexp.MustCompile(` [\w.-]+=.*$`)

// warningNotes says in one note that fits gave warnings, and quotes the text if it is always the same.
func warningNotes(rows []store.Row) []string {
	var methods, sets, texts []string
	times := 0
	for _, r := range rows {
		for _, w := range r.Warnings {
			note(&methods, r.Method)
			note(&sets, r.Dataset)
			note(&texts, details.ReplaceAllString(w.Text, ""))
			times += w.Times
		}
	}
	if texts == nil {
		return nil
	}
	what := Count(len(texts), "message")
	if len(texts) == 1 {
		what = texts[0]
	}
	return []string{fmt.Sprintf("Fits of %s warn on %s, %s: %s. Table warnings has each.",
		Briefly(methods, "method"), Briefly(sets, "data set"), Count(times, "time"), what)}
}
