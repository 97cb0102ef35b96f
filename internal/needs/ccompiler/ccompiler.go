// Package ccompiler is imported by what needs C: SQLite, in harness/store. A build without C ends here, with a name
// that says why. What has a form in Go as well, such as the loops of methods/internal/vmath, does not import it.
package ccompiler
