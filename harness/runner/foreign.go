package runner

import (
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// own begins the paths of the packages that hold the project's methods. served begins those of packages whose
// methods run in a process of their own; such a process serves many cells.
const (
	own    = "github.com/kernelboosting/bench/methods/"
	served = own + "external"
)

// Foreign reports whether a method is not the project's own: another module registers it, or it is a program.
// The project cannot know what such a method does to its process, so its cells are isolated by default.
func Foreign(s registry.Spec) bool {
	return !strings.HasPrefix(s.Package(), own) || keepsProcess(s)
}

// keepsProcess reports whether a method keeps processes longer than a cell on purpose.
func keepsProcess(s registry.Spec) bool {
	return s.Package() == served || strings.HasPrefix(s.Package(), served+"/")
}
