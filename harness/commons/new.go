package commons

import (
	"bytes"
	"embed"
	"io/fs"
	"strings"
	"text/template"
)

// template holds the files of a new commons. A name that begins with dot_ stands for one that begins with a dot.
//
//go:embed template
var templates embed.FS

// Honest says how somebody, such as a coding agent, measures a method honestly.
//
//go:embed honest.md
var Honest string

// New returns the files of a new commons by their paths.
func New(c Config) (map[string]File, error) {
	files := map[string]File{}
	root, err := fs.Sub(templates, "template")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		var filled bytes.Buffer
		t, err := template.New(name).Delims("<<", ">>").Parse(string(text)) // a workflow has braces of its own
		if err == nil {
			err = t.Execute(&filled, struct {
				Config
				Honest string
			}{c, strings.TrimSpace(Honest)})
		}
		files[strings.ReplaceAll(name, "dot_", ".")] = File{filled.Bytes(), strings.HasSuffix(name, ".sh")}
		return err
	})
	return files, err
}
