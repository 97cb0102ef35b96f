package runner

import (
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// The package paths of the project's own methods begin with own. Paths that begin with served belong to methods in a
// process of their own, which serves many cells.
const (
	own    = "github.com/kernelboosting/bench/methods/"
	served = own + "external"
)

// Foreign reports whether a method is not the project's own: another module registers the method, or the method is a
// program. The project cannot know what such a method does to its process, so its cells are isolated by default.
func Foreign(s registry.Spec) bool {
	return !strings.HasPrefix(s.Package(), own) || keepsProcess(s)
}

// keepsProcess reports whether a method deliberately keeps its processes after a cell.
func keepsProcess(s registry.Spec) bool {
	return s.Package() == served || strings.HasPrefix(s.Package(), served+"/")
}
