// Package schedule decides when the cells of a plan start, and runs them.
//
//	state.go   the decisions: a state, and a step that takes an event at a moment and answers with actions
//	claims.go  the part of them that is about other runs on the same database
//	memory.go  which cells fit into the memory beside those that run
//	run.go     what does the actions (starts cells, asks the database, waits) and brings back events
//
// The step knows no clock, no goroutine and no database, so that a test drives it with a seed and times
// of its own.
//
// In which order cells start: first one split of every method on every set, the cheapest first, then the
// heaviest by what is known by then (package plan has the queue). With a budget the sets are taken one
// after another, the cheapest first, as long as they are predicted to end in time. Then come cells that
// another run was at and did not end. Last, each alone, come cells of a foreign method that an earlier
// run died of.
//
// Nothing here changes a result: any number of jobs in any order gives the same bits.
package schedule
