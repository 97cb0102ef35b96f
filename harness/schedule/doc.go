// Package schedule decides when the cells of a plan start, and runs them.
//
//	state.go   the decisions: a state, and a step that takes an event with its time and returns actions
//	fatal.go   which cells begin together, and those that an earlier run died of
//	away.go    which cells other machines take, and in which room
//	memory.go  the memory that running cells leave free
//	run.go     does the actions (starts cells, asks the database, waits) and turns their results into events
//
// The step uses no clock, no goroutine and no database, so that a test drives it with a seed and with times
// of its own.
//
// In which order cells start, which may start and which are left out is decided by the policy of the forecast:
// see [plan.Policy]. Cells of foreign methods of which an earlier run died come last, and each runs alone.
//
// A cell that no free place takes waits, and later cells may start elsewhere before it. Among other machines a cell
// goes to those with the least memory that take it. Short cells share a place there, so that a machine always has a
// second of work waiting.
//
// Nothing here changes a result: any number of jobs in any order gives the same bits.
package schedule
