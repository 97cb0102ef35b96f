package harness_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// paperFiles are the files with the texts of the papers, by how sources and published tables begin. The paper of
// RFRBoost is not among them: its values are those that the authors' program keeps.
var paperFiles = map[string]string{
	"Gautheron et al., ECML PKDD 2020":        "gbrff-ecml2020.md",
	"Gautheron et al., arXiv:1906.06203":      "gbrff-arxiv2019.txt",
	"Shahrampour and Tarokh, NeurIPS 2018":    "mfga-neurips2018.txt",
	"Bazavan, Li and Sminchisescu, ECCV 2012": "fourier-kernel-learning-eccv2012.txt",
	"gautheron2020":                           "gbrff-ecml2020.md",
	"gautheron2019":                           "gbrff-arxiv2019.txt",
	"shahrampour2018":                         "mfga-neurips2018.txt",
	"bazavan2012":                             "fourier-kernel-learning-eccv2012.txt",
}

// paperOf returns the text of the paper that a source begins with, in the form of normal.
func paperOf(t *testing.T, source string) string {
	t.Helper()
	for name, file := range paperFiles {
		if strings.HasPrefix(source, name) {
			text := string(must.Get(os.ReadFile(filepath.Join(testenv.Papers(t), file)))(t))
			if file == "gbrff-arxiv2019.txt" {
				text = once(text)
			}
			return normal(text)
		}
	}
	t.Errorf("no file has the text of %s", source)
	return ""
}

// signs of typesetting that say nothing, and what stands for them.
var signs = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "“", `"`, "”", `"`, "’",
	"'", "‘", "'",
	"*", "", "$", "", "`", "", "<b>", "", "</b>", "", `\times`, "×", `\pm`, "±")

var (
	hyphens = regexp.MustCompile(`[-‐‑–—−\x{ad}]\s*`) // at the end of a line, too
	blanks  = regexp.MustCompile(`\s+`)
	percent = regexp.MustCompile(`%percent[0-9.]+\\%`)
	digits  = regexp.MustCompile(`[0-9][0-9.]*`)
	numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
)

// normal is a text without what typesetting adds: ligatures, hyphens, marks of bold and of mathematics, and other
// blanks.
func normal(text string) string {
	text = blanks.ReplaceAllString(hyphens.ReplaceAllString(signs.Replace(text), ""), " ")
	return strings.TrimSpace(strings.ReplaceAll(text, " ,", ","))
}

// once leaves mathematics once where a text has it three times: "out of 141414", "84.49%percent84.4984.49\%".
func once(text string) string {
	text = percent.ReplaceAllString(strings.ReplaceAll(text, `±plus-or-minus\pm`, "±"), "%")
	return digits.ReplaceAllStringFunc(text, func(s string) string {
		for n := len(s) / 3; n > 0; n-- {
			if s[:n] == s[n:2*n] && s[:n] == s[2*n:3*n] {
				return s[2*n:]
			}
		}
		return s
	})
}

// found reports whether a text has a quote, its parts in their order.
func found(text, quote string) bool {
	for part := range strings.SplitSeq(quote, "[...]") {
		_, after, ok := strings.Cut(text, normal(part))
		if !ok {
			return false
		}
		text = after
	}
	return true
}

func quoted(quote string, number float64) bool {
	return slices.ContainsFunc(numbers.FindAllString(strings.ReplaceAll(quote, ",", ""), -1), func(s string) bool {
		v, err := strconv.ParseFloat(s, 64)
		return err == nil && v == number
	})
}

// changed is a text with another last digit, or without one with another first letter.
func changed(text string) string {
	at := max(0, strings.LastIndexAny(text, "0123456789"))
	return text[:at] + string(rune('0'+(text[at]+1-'0')%10)) + text[at+1:]
}

// TestQuotes looks up what the claims quote in the texts of the papers, and each printed number in the quotes. A
// changed digit is not found.
func TestQuotes(t *testing.T) {
	for _, e := range must.Get(experiments.All())(t) {
		text, all := paperOf(t, e.Source), ""
		for _, c := range e.Claims {
			all += c.Quote + "\n"
			switch {
			case c.Quote == "" && !strings.HasPrefix(c.Where, "A curve of Figure"):
				t.Errorf("%s: claim %q has no quote", e.Name, c.Says)
			case c.Quote == "":
			case !found(text, c.Quote):
				t.Errorf("%s: the paper lacks %q", e.Name, c.Quote)
			case found(text, changed(c.Quote)):
				t.Errorf("%s: the paper seems to have %q, too", e.Name, changed(c.Quote))
			}
			for _, compare := range c.Compare {
				for _, number := range compare.Printed {
					must.Be(t, quoted(c.Quote, number), true, e.Name, c.Quote, number)
					must.Be(t, quoted(c.Quote, number+0.01), false, e.Name, c.Quote, number)
				}
			}
		}
		for _, point := range e.Printed {
			must.Be(t, quoted(all, point.Value), true, e.Name, point.Value)
			must.Be(t, quoted(all, point.Value+0.01), false, e.Name, point.Value)
		}
	}
}

// A line is a line of a printed table as a pattern, and the records that it is made of.
type line struct {
	source, pattern string
}

// linesOf writes records of published.csv as the papers print them: the data set or the method, then the means with
// their spreads.
func linesOf(records [][]string) (lines []line) {
	places := map[string]int{}
	for _, r := range records {
		source, set, method, mean, std := r[0], r[1], r[2], r[4], r[5]
		head, cell, between, key := strings.Replace(set, "average rank", "Average Rank", 1), mean, "", source+set
		switch {
		case strings.HasPrefix(source, "zozoulenko2025"):
			continue // TestZozoulenkoFolds of package published has the folds
		case source == "shahrampour2018-table2-error":
			head, between, key = strings.Replace(method, "MFGA", "This work", 1), "[0-9. ]*", key+method
			if std != "" {
				cell += " (" + strings.TrimLeft(std, "0.") + "e-2)"
			}
		case source == "bazavan2012-table3":
			head, key = method, source+method
		case source == "bazavan2012-table4":
			head, cell = "Accuracy", mean+"%"
		case source == "bazavan2012-table4-times":
			head, cell = "Time", mean+"±"+std+"s"
		case std != "":
			cell += " ± " + std
		}
		at, there := places[key]
		if !there {
			at, places[key] = len(lines), len(lines)
			lines = append(lines, line{source, regexp.QuoteMeta(normal(head))})
		}
		lines[at].pattern += between + " " + regexp.QuoteMeta(normal(cell))
	}
	return lines
}

// TestPublishedLines looks up the tables of package published in the texts of the papers. A changed digit is not found.
func TestPublishedLines(t *testing.T) {
	file := must.Get(os.Open(filepath.Join(testenv.Root(), "harness", "experiments", "published.csv")))(t)
	defer file.Close()
	records := must.Get(csv.NewReader(file).ReadAll())(t)[1:]
	texts := map[string]string{}
	has := func(l line) bool {
		if texts[l.source] == "" {
			texts[l.source] = paperOf(t, l.source)
		}
		return regexp.MustCompile(l.pattern + "( |$)").MatchString(texts[l.source])
	}
	bySource := map[string][][]string{}
	for _, r := range records {
		bySource[r[0]] = append(bySource[r[0]], r)
	}
	looked := 0
	for _, all := range bySource {
		right := linesOf(all)
		for _, l := range right {
			looked++
			must.Be(t, has(l), true, "the paper of", l.source, l.pattern)
		}
		for _, r := range all {
			for _, column := range []int{4, 5} {
				kept := r[column]
				if right == nil || kept == "" {
					continue
				}
				r[column] = changed(kept)
				for i, l := range linesOf(all) {
					if l != right[i] && has(l) {
						t.Errorf("the paper of %s seems to have the line %s", l.source, l.pattern)
					}
				}
				r[column] = kept
			}
		}
	}
	if looked < 60 {
		t.Errorf("only %d lines were looked up", looked)
	}
}
