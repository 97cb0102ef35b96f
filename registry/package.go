package registry

import (
	"net/url"
	"runtime"
	"strings"
)

// module is the path of the module that this package belongs to.
const module = "github.com/kernelboosting/bench"

// Package returns the path of the package that defined the method.
func (s Spec) Package() string { return s.pkg }

// Methods of a program, which serves many cells in a process of its own, are defined in packages below external.
const external = module + "/methods/external"

// Foreign reports whether a method is not the project's own: another module registers it, or it is a program.
func (s Spec) Foreign() bool { return !strings.HasPrefix(s.pkg, module+"/methods/") || s.Served() }

// Served reports whether the method is a program that keeps its processes after a cell.
func (s Spec) Served() bool { return s.pkg == external || strings.HasPrefix(s.pkg, external+"/") }

// Foreign reports whether no method of the project has the name.
func (r Registry) Foreign(name string) bool {
	s, err := r.Lookup(name)
	return err != nil || s.Foreign()
}

// callersPackage returns the package of the nearest caller outside of this one.
func callersPackage() string {
	var at [32]uintptr
	frames := runtime.CallersFrames(at[:runtime.Callers(2, at[:])])
	for {
		f, more := frames.Next()
		if pkg := packageOf(f.Function); pkg != module+"/registry" || strings.HasSuffix(f.File, "_test.go") {
			return pkg
		}
		if !more {
			return ""
		}
	}
}

// packageOf returns the package of a function from the name that the linker gives the function: the path up to the
// first dot after the last slash. A dot in the last part of the path is written %2e.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[") // types of a generic function hold slashes
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return function[:slash] + name
}
