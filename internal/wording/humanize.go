package wording

import (
	"fmt"
	"strings"
)

// Seconds writes a time: "0.8s", "12s", "3m40s", "21m", "1h40m", "37h", "4875h".
// Minutes are left out where hours have two digits, seconds where minutes have.
func Seconds(s float64) string {
	switch {
	case s < 9.95:
		return fmt.Sprintf("%.1fs", s)
	case s < 59.5:
		return fmt.Sprintf("%.0fs", s)
	case s < 599.5:
		t := int(s + 0.5)
		if t%60 == 0 {
			return fmt.Sprintf("%dm", t/60)
		}
		return fmt.Sprintf("%dm%02ds", t/60, t%60)
	case s < 3570:
		return fmt.Sprintf("%.0fm", s/60)
	case s < 10*3600-30:
		m := int(s/60 + 0.5)
		if m%60 == 0 {
			return fmt.Sprintf("%dh", m/60)
		}
		return fmt.Sprintf("%dh%02dm", m/60, m%60)
	}
	return fmt.Sprintf("%.0fh", s/3600)
}

// Bytes writes a size in the largest binary unit that leaves at least one: "18 GiB", "1.5 GiB", "512 KiB".
func Bytes(n int64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		switch v := float64(n) / u.size; {
		case v >= 9.95:
			return fmt.Sprintf("%.0f %s", v, u.name)
		case v >= 1:
			return fmt.Sprintf("%.1f %s", v, u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// Count writes a number and what it counts: "1 cell", "3 cells".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Cut shortens a text to so many characters, the dots at its end included.
func Cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return text
}

// Few lists the first names, at most most of them, and counts the others: "A, B, C and 13 more".
func Few(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// MostNames is how many names a line has that people glance at.
const MostNames = 3
