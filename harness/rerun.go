package harness

import (
	"slices"
	"strings"
)

// reruns reports whether stored cells of a method are to be run again. What is stored stays until a
// new result takes its place; a cell that fails this time leaves it as it is.
func (r Request) reruns(method string) bool {
	return slices.ContainsFunc(r.Rerun, func(m string) bool { return strings.EqualFold(m, method) })
}
