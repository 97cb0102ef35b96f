package cmd_test

import (
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestOpenMLScripts runs each script of testdata/openml against a server of ours, whose answers are described there.
// The command `asked N` says how many requests came since it was last called.
func TestOpenMLScripts(t *testing.T) {
	runScripts(t, "openml", "", testscript.Params{
		Setup: func(e *testscript.Env) error {
			server := testenv.NewOpenML()
			e.Defer(server.Close)
			e.Values["server"] = server
			e.Setenv("BENCH_OPENML", server.URL)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"asked": func(ts *testscript.TestScript, not bool, args []string) {
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				if paths := ts.Value("server").(*testenv.OpenML).Asked(); len(paths) != want {
					ts.Fatalf("%d requests, want %d: %v", len(paths), want, paths)
				}
			},
		},
	})
}
