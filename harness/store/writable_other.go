//go:build !unix

package store

// mayWrite leaves it to SQLite to find out.
func mayWrite(string) (not string) { return "" }
