package wording

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

type inner struct {
	TestFraction float64 `toml:"test_fraction"`
	hidden       int
}

type common struct {
	Title string `toml:"title"`
}

type file struct {
	common
	Splits    int     `toml:"splits"`
	Semantics inner   `toml:"semantics"`
	Files     []inner `toml:"files"`
	Left      string  `toml:"-"`
	Untagged  string
}

func TestKeys(t *testing.T) {
	must.Be(t, strings.Join(TOMLKeys(file{Semantics: inner{hidden: 1}}), " "),
		"files files.test_fraction semantics semantics.test_fraction splits title", "keys")
}

func TestUnknown(t *testing.T) {
	for key, want := range map[string]string{
		"split":                  `unknown key "split"; did you mean splits?`,
		"semantics.test_faction": `unknown key "semantics.test_faction"; did you mean test_fraction?`,
		"wholly_different":       `unknown key "wholly_different"; the keys are listed in docs/reference/protocols.md`,
	} {
		must.Be(t, UnknownTOMLKey(key, &file{}, "docs/reference/protocols.md"), want, key)
	}
}
