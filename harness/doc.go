// Package harness runs methods under a protocol and stores what happens.
//
// A [Session] has an experiment (a protocol with methods and data) and a database. [Session.Run] takes a request
// through the rooms below this package, and tells [Events] what happens, so that the command line only prints:
//
//	plan         turns a request into cells. A cell is one method on one split of one data set under one protocol,
//	             with a key that hashes everything its result depends on. Cells whose key is stored are not run.
//	verify       runs one stored cell again of each method whose code changed since.
//	schedule     starts the cells, heaviest first, each admitted by its estimate of memory.
//	runner       computes a cell, here or in a process of its own; protocol, split and metric decide its result.
//	store        keeps it: a cell is one transaction.
//	canary       tells which methods know labels that they were not given; verify.State which depend on earlier cells.
//
// Nothing is shared between cells but the data, so any number of jobs in any order gives the same bits, and a run
// that was killed goes on where it stopped.
//
// admit takes results that were computed elsewhere, bundle and reference are files of them, result has the types that
// all these share.
//
// The package knows no method and no file format, prints nothing, and draws no conclusion: tables are made by reports
// from what is stored.
package harness
