// A TOML file that a user names is one that comes with the program, by its name, or one of the user's own, by its path.

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

// most is the number of bytes that a file may have. It is a page of text.
const most = 16 << 20

// A Kind of files has some that come with the program.
type Kind struct {
	What    string // "protocol"
	Doc     string // that explains the files
	Builtin fs.FS  // embedded, all in one folder
}

// Names lists the files that come with the program, sorted.
func (k Kind) Names() []string {
	files, err := fs.Glob(k.Builtin, "*.toml")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".toml")
	}
	return files
}

// Read returns the text of a file with its name. What ends in .toml is a path, and the file's own name, without the
// ending, must be none of Names; else path is "".
func (k Kind) Read(asked string) (name, path string, text []byte, err error) {
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
	if text, err = files.Read(asked, most); err != nil {
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
