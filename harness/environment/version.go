package environment

import "runtime/debug"

// modulePath is that of this module.
const modulePath = "github.com/kernelboosting/bench"

// programVersion names the program that results come from. A program of this module has the version that its Makefile sets
// at link time. For a program of another module it is the version of that module and the version of this module.
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

// versionOf returns a module's version. For a module that replaces another module it also names the replaced one. A module
// that is a folder has no version, and its path says nothing on another machine.
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
