// Package needs is imported by what every part of the program imports. A build for a processor of 32 bits, or one
// without C, which SQLite needs, ends here with a name that says why, before it ends at constants that overflow.
package needs
