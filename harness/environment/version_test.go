package environment

import (
	"runtime/debug"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

func TestProgramVersion(t *testing.T) {
	bench := func(version string, replace *debug.Module) []*debug.Module {
		return []*debug.Module{{Path: "example.com/other", Version: "v9.0.0"}, {Path: modulePath, Version: version,
			Replace: replace}}
	}
	mine := debug.Module{Path: "example.com/mine", Version: "v0.1.0"}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "v7"},
		{&debug.BuildInfo{}, "v7"},
		{&debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, "v7"},
		{&debug.BuildInfo{Main: mine, Deps: bench("v1.2.3", nil)},
			"example.com/mine v0.1.0 with github.com/kernelboosting/bench v1.2.3"},
		{&debug.BuildInfo{Main: debug.Module{Path: "example.com/mine"}, Deps: bench("v1.2.3", nil)},
			"example.com/mine (devel) with github.com/kernelboosting/bench v1.2.3"},
		{&debug.BuildInfo{Main: mine, Deps: bench("v0.0.0", &debug.Module{Path: "../bench"})},
			"example.com/mine v0.1.0 with github.com/kernelboosting/bench v0.0.0 (replaced by a folder)"},
		{&debug.BuildInfo{Main: mine, Deps: bench("v0.0.0", &debug.Module{Path: "/there/bench", Version: "(devel)"})},
			"example.com/mine v0.1.0 with github.com/kernelboosting/bench v0.0.0 (replaced by a folder)"},
		{&debug.BuildInfo{Main: mine, Deps: bench("v1.0.0", &debug.Module{Path: "example.com/fork",
			Version: "v2.0.0"})},
			"example.com/mine v0.1.0 with github.com/kernelboosting/bench v1.0.0 (replaced by example.com/fork " +
				"v2.0.0)"},
	} {
		must.Be(t, programVersion(c.info, "v7"), c.want, c.info)
	}
}
