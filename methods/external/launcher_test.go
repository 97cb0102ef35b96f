package external_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/external"
)

// saysOnly is a plugin that describes itself and imports nothing; its summary is a file's content, where it may read
// it.
const saysOnly = `
import sys
try:
    said = open("@FILE@").read()
except OSError:
    said = "refused"
for line in sys.stdin:
    print('{"id":1,"protocol":[1,1],"name":"Says","version":"1","tasks":["binary"],"summary":"%s"}' % said, flush=True)
`

// TestAskingAnInterpreter: what a plugin puts in the way of the question where its interpreter is, a module of a name
// that the question imports or an interpreter of its own, runs in the sandbox, and does not choose what the plugin
// reads.
func TestAskingAnInterpreter(t *testing.T) {
	if what := sandbox.Missing(); what != "" {
		t.Skip(what)
	}
	dir, secrets := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	write(t, filepath.Join(secrets, "key"), "secret")
	escaped := filepath.Join(secrets, "escaped")
	write(t, filepath.Join(dir, "json.py"), fmt.Sprintf("open(%q, 'w')\n", escaped))
	own := filepath.Join(dir, "bin", "python-own")
	must.Do(t, os.Mkdir(filepath.Dir(own), 0o755))
	write(t, own, fmt.Sprintf("#!/bin/sh\necho > %s\n[ \"$1\" = -I ] && echo '{\"exe\":%q,\"read\":[%q]}' && "+
		"exit\nexec %s \"$@\"\n", escaped, own, secrets, python(t)))
	text := strings.ReplaceAll(saysOnly, "@FILE@", filepath.Join(secrets, "key"))
	write(t, filepath.Join(dir, "named.py"), text)
	write(t, filepath.Join(dir, "chosen"), "#!"+own+"\n"+text)
	for _, file := range []string{own, filepath.Join(dir, "chosen")} {
		must.Do(t, os.Chmod(file, 0o755))
	}
	real := must.Get(filepath.EvalSymlinks(python(t)))(t)
	for _, name := range []string{"named.py", "chosen"} {
		o := external.Options{AllowRead: []string{filepath.Dir(filepath.Dir(python(t))),
			filepath.Dir(filepath.Dir(real))}}
		if name == "named.py" {
			o.Python = python(t)
		}
		p := load(t, filepath.Join(dir, name), o)
		must.Be(t, p.Describes().Summary, "refused", name)
		if _, err := os.Stat(escaped); err == nil {
			t.Errorf("%s: something ran outside the sandbox", name)
			_ = os.Remove(escaped)
		}
	}
}
