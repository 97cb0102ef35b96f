package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
)

// TestPluginFiles: the files of a plugin come below their folder, if their content and their names are right, and the
// cell runs. Otherwise the worker refuses the method and says why.
func TestPluginFiles(t *testing.T) {
	t.Parallel()
	for why, change := range map[string]func(*Plugin){
		"": func(*Plugin) {},
		"has the SHA-256": func(p *Plugin) {
			p.Files["main.sh"], p.Files["lib/part"] = p.Files["lib/part"], p.Files["main.sh"]
		},
		"leads out":            func(p *Plugin) { p.Files["../main.sh"] = p.Files["main.sh"] },
		"no file of the":       func(p *Plugin) { p.File = "lib/part" },
		"no such file":         func(p *Plugin) { p.Folder = "/nowhere" },
		"takes no plugins":     func(*Plugin) {},
		"the plugin is broken": func(*Plugin) {},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			from := Plugin{Folder: t.TempDir(), File: "main.sh", Files: map[string]string{}}
			for name, text := range map[string]string{"main.sh": strings.Repeat("a large program\n", largest/8),
				"lib/part": "a part"} {
				path := filepath.Join(from.Folder, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil ||
					os.WriteFile(path, []byte(text), 0o666) != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256([]byte(text))
				from.Files[name] = hex.EncodeToString(sum[:])
			}
			change(&from)
			p := newPool(t, Options{Plugin: func(runner.CellSpec) *Plugin { return &from }})
			opt := options(answers)
			opt.Plugins = t.TempDir()
			at := ""
			opt.Check = func(c runner.CellSpec) error {
				if at != "" {
					return nil
				}
				return &runner.Refusal{What: c.Cell.Method, Why: "this program has no such method"}
			}
			opt.Install = func(_ context.Context, file string) error {
				if why == "the plugin is broken" {
					return fmt.Errorf("%s", why)
				}
				at = file
				return nil
			}
			if why == "takes no plugins" {
				opt.Install = nil
			}
			serve(t, p, p.URL, opt)
			until(t, p, slots(1))
			run, err := anywhere(t.Context(), p, cell("Near", 1))
			if why != "" {
				if said := p.Rooms()[0].Refuses["Near"]; err == nil || !strings.Contains(said, why) {
					t.Errorf("%v; refused since %q", err, said)
				}
				return
			}
			if err != nil || run.Status != result.OK {
				t.Fatal(run.Status, err)
			}
			for name := range from.Files {
				want, err1 := os.ReadFile(filepath.Join(from.Folder, name))
				got, err2 := os.ReadFile(filepath.Join(filepath.Dir(at), name))
				if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, not %d, %v, %v", name, len(got), len(want), err1, err2)
				}
			}
		})
	}
}
