// Package bits64 is imported by what needs integers of 64 bits. A build for a processor of 32 bits ends here, with a
// name that says why, before it ends at constants that overflow.
package bits64
