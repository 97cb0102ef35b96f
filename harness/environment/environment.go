// Package environment describes the program that runs and the machine: every result has this record.
package environment

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
)

// ProgramVersion is set at link time by the Makefile; a plain `go build` leaves this value.
var ProgramVersion = "devel"

// Current describes this program and this machine. A value that the system does not tell is empty or zero.
func Current() result.Environment {
	e := result.Environment{
		ProgramVersion: ProgramVersion,
		GoVersion:      runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Cores:  runtime.NumCPU(),
		Kernel: strings.TrimSpace(readFile("/proc/sys/kernel/osrelease")) + "; sandbox: " + sandbox.Name(),
		CPU:    field(readFile("/proc/cpuinfo"), "model name"), MemoryBytes: processes.PhysicalBytes(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		e.ProgramVersion = programVersion(info, ProgramVersion)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				e.VCSRevision = s.Value
			case "vcs.modified":
				e.VCSModified = s.Value == "true"
			}
		}
	}
	return e
}

func readFile(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "" // not Linux
	}
	return string(raw)
}

// field returns the value of the first "name : value" line.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

const modulePath = "github.com/kernelboosting/bench"

// programVersion names the program that results come from. A program of this module has the version that its Makefile
// sets at link time. For a program of another module it is the version of that module and the version of this module.
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

// versionOf returns a module's version. For a module that replaces another module it also names the replaced one. A
// module that is a folder has no version, and its path says nothing on another machine.
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
