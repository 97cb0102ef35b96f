//go:build !unix

package store

// mayWrite reports no obstacle; SQLite reports one when it writes.
func mayWrite(string) (not string) { return "" }
