//go:build linux && !amd64

package sandbox

// refusedHere are older forms of the calls that are refused: none.
var refusedHere []uint32

// ignoredHere are older forms of the calls that are ignored: none.
var ignoredHere []uint32
