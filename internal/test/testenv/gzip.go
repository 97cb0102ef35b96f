package testenv

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// Gzip returns the text, compressed by gzip.
func Gzip(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	must.Get(w.Write([]byte(text)))(t)
	must.Do(t, w.Close())
	return out.String()
}
