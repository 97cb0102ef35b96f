// Package crate describes the files of a folder as an RO-Crate 1.3 (https://w3id.org/ro/crate/1.3): what each file is,
// its size and hash, and which program made them, when, and by which command. Archives and search engines read it.
package crate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path"
	"slices"
	"strconv"
	"time"
)

// File is the name of the description in its folder.
const File = "ro-crate-metadata.json"

// Mark is the file that lists what this program wrote to a folder which is nothing but a crate.
const Mark = "bench-crate.txt"

const specification = "https://w3id.org/ro/crate/1.3"

// A Crate says what the files of a folder do not say.
type Crate struct {
	Name, Description string
	Keywords          []string
	Files             map[string]string // descriptions by name; a file may have none
	Program, Version  string
	Command           string
	Generated         time.Time
}

// Add adds a file to a folder.
type Add = func(name string, content func(io.Writer) error) error

// Wrap returns a function that does what each does and adds the description of all files that it added.
func (c Crate) Wrap(each func(Add) error) func(Add) error {
	return func(add Add) error {
		var files []entity
		err := each(func(name string, content func(io.Writer) error) error {
			sum, n := sha256.New(), counter(0)
			err := add(name, func(w io.Writer) error { return content(io.MultiWriter(w, sum, &n)) })
			f := entity{"@id": name, "@type": "File", "name": path.Base(name),
				"contentSize":    strconv.FormatInt(int64(n), 10),
				"encodingFormat": cmp.Or(types[path.Ext(name)], "application/octet-stream"),
				"sha256":         hex.EncodeToString(sum.Sum(nil))}
			if text := c.Files[name]; text != "" {
				f["description"] = text
			}
			files = append(files, f)
			return err
		})
		if err != nil {
			return err
		}
		return add(File, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			e.SetEscapeHTML(false)
			return e.Encode(entity{"@context": specification + "/context", "@graph": c.graph(files)})
		})
	}
}

type counter int64

func (n *counter) Write(p []byte) (int, error) { *n += counter(len(p)); return len(p), nil }

// types are media types by the ending of a file.
var types = map[string]string{
	".bench": "application/gzip", ".bib": "application/x-bibtex", ".csv": "text/csv", ".json": "application/json",
	".pdf": "application/pdf", ".svg": "image/svg+xml", ".tex": "application/x-tex", ".toml": "application/toml",
	".txt": "text/plain",
}

type entity = map[string]any

func refer(id string) entity { return entity{"@id": id} }

// graph lists what the description is about: itself, the folder, its files, the program and what the program did.
func (c Crate) graph(files []entity) []entity {
	const program, action = "#bench", "#made"
	at := c.Generated.UTC().Truncate(time.Second).Format(time.RFC3339)
	parts := []entity{}
	for _, f := range files {
		parts = append(parts, refer(f["@id"].(string)))
	}
	root := entity{"@id": "./", "@type": "Dataset", "name": c.Name, "description": c.Description, "datePublished": at,
		"license": "No licence is stated. Ask whoever publishes this folder.", "hasPart": parts}
	if c.Keywords != nil {
		root["keywords"] = c.Keywords
	}
	return slices.Concat([]entity{
		{"@id": File, "@type": "CreativeWork", "about": refer("./"), "conformsTo": refer(specification)}, root,
	}, files, []entity{
		{"@id": program, "@type": "SoftwareApplication", "name": c.Program, "softwareVersion": c.Version,
			"url": "https://github.com/kernelboosting/bench"},
		{"@id": action, "@type": "CreateAction", "name": c.Command, "endTime": at, "instrument": refer(program),
			"result": parts},
	})
}
