// Users name a TOML file that comes with the program by its name, and a file of their own by its path.

package protocol

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
)

// maxBytes is the most bytes of a file. A protocol or an experiment has a page of text, far less than this.
const maxBytes = 16 << 20

// A FileKind is a kind of TOML files of which some come with the program.
type FileKind struct {
	What    string // what messages call a file, such as "protocol"
	Doc     string // the page that explains the files
	Builtin fs.FS  // the files that come with the program, all in one folder
}

// Names lists the files that come with the program, sorted.
func (k FileKind) Names() []string {
	files, err := fs.Glob(k.Builtin, "*.toml")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".toml")
	}
	return files
}

// Read returns the name and the text of a file. If asked ends in .toml, it is the path of a user's own file, which Read
// returns as path. The name is then that of the file without .toml, and must look like none of Names. Otherwise asked
// is one of Names, and path is "".
func (k FileKind) Read(asked string) (name, path string, text []byte, err error) {
	if !strings.HasSuffix(asked, ".toml") {
		if text, err = fs.ReadFile(k.Builtin, asked+".toml"); err == nil {
			return asked, "", text, nil
		}
		known := "known: " + strings.Join(k.Names(), ", ")
		if meant := wording.Suggest(asked, k.Names()); meant != nil {
			known = "did you mean " + strings.Join(meant, " or ") + "?"
		}
		return "", "", nil, fmt.Errorf("no %s is named %q; %s (or the path of a .toml file: %s)", k.What, asked, known,
			k.Doc)
	}
	if text, err = files.Read(asked, maxBytes); err != nil {
		return "", "", nil, err
	}
	name = strings.TrimSuffix(filepath.Base(asked), ".toml")
	if i := slices.IndexFunc(k.Names(), func(n string) bool { return wording.Alike(n, name) }); i >= 0 {
		return "", "", nil, fmt.Errorf("the name %q belongs to a built-in %s, %s, or looks like it; rename the file",
			name, k.What, k.Names()[i])
	}
	if err := wording.CheckName(name); err != nil {
		return "", "", nil, fmt.Errorf("the name of the %s, which is the name of its file: %w", k.What, err)
	}
	return name, asked, text, nil
}
