package reports

import (
	"io"

	"github.com/kernelboosting/bench/internal/atomicfile"
)

// WriteFile writes a document to the file at path with write, whole or not at all:
// see atomicfile.Write.
func WriteFile(path string, write func(io.Writer) error) error { return atomicfile.Write(path, write) }
