package testenv

import (
	"bytes"
	"compress/gzip"
	"testing"
)

// Gzip returns the bytes of a file that holds the text packed by gzip.
func Gzip(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
