//go:build !unix

package store

// mayWrite reports no obstacle; SQLite finds it.
func mayWrite(string) (not string) { return "" }
