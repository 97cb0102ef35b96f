package frame

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
)

// details are the values that end a warning, "key=value key=value", which differ from fit to fit.
var details = regexp.MustCompile(` [\w.-]+=.*$`)

// warningNotes says what fits said of themselves, a note for each method and message.
func warningNotes(rows []store.Row) []string {
	type saying struct{ method, text string }
	type told struct {
		times int
		sets  []string
	}
	var order []saying
	all := map[saying]*told{}
	for _, r := range rows {
		for _, w := range r.Warnings {
			key := saying{r.Method, details.ReplaceAllString(w.Text, "")}
			if all[key] == nil {
				all[key] = &told{}
				order = append(order, key)
			}
			all[key].times += w.Times
			note(&all[key].sets, r.Dataset)
		}
	}
	var notes []string
	for _, s := range order {
		notes = append(notes, fmt.Sprintf("Fits of %s warn, %s: %s; on %s. Table warnings has each.",
			s.method, Count(all[s].times, "time"), s.text, strings.Join(all[s].sets, ", ")))
	}
	return notes
}
