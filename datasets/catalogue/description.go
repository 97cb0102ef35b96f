package catalogue

import (
	"path/filepath"
)

// A Description is a set as it was written, by which another process
// comes to the same Entry.
type Description struct {
	TOML string `json:"toml"`
	Path string `json:"path,omitempty"` // of a user's TOML file, absolute; "" for a built-in entry
}

// Description returns the entry's description.
func (e *Entry) Description() Description {
	if e.dir == "" {
		return Description{TOML: e.text}
	}
	return Description{TOML: e.text, Path: filepath.Join(e.dir, filepath.Base(e.toml))}
}

// Entry reads the description.
func (s Description) Entry() (*Entry, error) {
	if s.Path == "" {
		return decodeEntry("built-in set", []byte(s.TOML), "")
	}
	e, err := decodeEntry(s.Path, []byte(s.TOML), filepath.Dir(s.Path))
	if err == nil {
		e.toml = s.Path
	}
	return e, err
}
