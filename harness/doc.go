// Package harness runs methods under a protocol and stores their results.
//
// A [Session] has an experiment (a protocol with methods and data) and a database. [Session.Run] takes a
// request through the packages below this one. It tells each [Event], so that the command line only
// prints:
//
//	plan         turns a request into cells. A cell is one method on one split of one data set under one protocol.
//	             Its key hashes everything that its result depends on. A cell whose key is stored is not run.
//	schedule     starts the cells, one of each method and set first, as memory permits.
//	runner       computes a cell, here or in a process of its own; protocol, split and metric decide its result.
//	store        keeps the cell in one transaction.
//	canary       tells which methods know labels that they were not given. verify.State tells which methods
//	             depend on earlier cells.
//
// Cells share nothing but the data. So any number of jobs in any order gives the same bits, and the same
// request continues a run that was killed.
//
// Package admit takes results that another program computed. Packages bundle and reference are files of
// results. Package result has the types that all these packages share.
//
// The package knows no method and no file format, prints nothing, and draws no conclusion. Package reports
// makes tables from stored results.
package harness
