package runner

import (
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// own begins the paths of the packages that hold the project's methods; those of served run a method
// in a process of its own, which serves many cells.
const (
	own    = "github.com/kernelboosting/bench/methods/"
	served = own + "external"
)

// Foreign reports whether a method is not the project's own: it is registered by another module, or
// it is a program. Nobody here knows what it does to its process, so its cells are isolated by default.
func Foreign(s registry.Spec) bool {
	return !strings.HasPrefix(s.Package(), own) || keepsProcess(s)
}

// keepsProcess reports whether a method has processes that outlive a cell on purpose.
func keepsProcess(s registry.Spec) bool {
	return s.Package() == served || strings.HasPrefix(s.Package(), served+"/")
}
