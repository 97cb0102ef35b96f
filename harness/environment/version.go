package environment

import "runtime/debug"

// modulePath is that of this module.
const modulePath = "github.com/kernelboosting/bench"

// programVersion names the program that results come from: linked, the version of this module as
// its Makefile sets it, or, of a program of another module, that module's version and the one of
// this module that it was built with.
func programVersion(info *debug.BuildInfo, linked string) string {
	if info == nil || info.Main.Path == "" || info.Main.Path == modulePath {
		return linked
	}
	with := linked
	for _, m := range info.Deps {
		if m.Path == modulePath {
			with = versionOf(m)
		}
	}
	return info.Main.Path + " " + versionOf(&info.Main) + " with " + modulePath + " " + with
}

// versionOf writes a module's version; of one that stands in for another, also whose place it takes. A
// folder has no version, and its path says nothing on another machine.
func versionOf(m *debug.Module) string {
	version := m.Version
	if version == "" {
		version = "(devel)"
	}
	switch r := m.Replace; {
	case r == nil:
		return version
	case r.Version == "" || r.Version == "(devel)":
		return version + " (replaced by a folder)"
	default:
		return version + " (replaced by " + r.Path + " " + r.Version + ")"
	}
}
