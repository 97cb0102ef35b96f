// Package harness runs methods under a protocol and stores what happens.
//
// The unit of work is a [PlannedCell]: one method on one split of one data set under one
// protocol. [Harness.Plan] turns a request into cells, each with a key that
// hashes everything its result depends on, and leaves out those whose key is
// stored already. [Run] lets a [runner.Runner] execute the planned cells in parallel, heaviest
// first, each admitted by its estimate of memory (memory.go), and hands every finished one to
// the store's writer. Nothing is shared between cells but the data, so
// any number of jobs in any order gives the same bits, and a run that was killed
// goes on where it stopped.
//
// What is stored can be looked at again: [Verify] runs cells once more and compares every count
// (compare.go), [Harness.CheckCode] does so by itself for one cell of a method whose code changed,
// and [Harness.Admit] takes results that were computed elsewhere, where their keys are those that
// would be planned here.
//
// A cell is a value, [runner.CellSpec], and its result one transaction; nothing here assumes
// that a cell runs in the process that planned it. What happens inside a cell is in
// harness/runner, what decides its result in harness/protocol, harness/split and
// harness/metric.
//
// The package knows no method and no file format, prints nothing, and draws no
// conclusion: tables are made by reports from what is stored.
package harness
