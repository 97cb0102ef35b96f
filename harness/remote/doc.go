// Package remote runs cells on other machines. [Listen] makes a [Pool] on the machine that has the database,
// the coordinator. [Serve] is a worker, on any machine.
//
// Between them stands a NATS server with JetStream, which the coordinator runs in its own process. NATS
// keeps the queue: a cell is a message of a stream, a worker pulls it, says now and then that the cell is
// still under way, and acknowledges it when the coordinator has the result. A cell whose worker falls silent
// is delivered again. After the second such worker the cell is a row of class crash.
//
//	wire.go    the messages, and where a message goes that is too large
//	server.go  the server that the coordinator runs: address, token, certificate
//	pool.go    the coordinator: a runner.Runner whose cells run elsewhere
//	members.go which workers there are, and what becomes of the cells of a lost one
//	worker.go  the worker: pulls cells, checks them, runs them, sends results
//	data.go    data files by checksum, from the coordinator
//
// Workers that take the same cells form a group, with one queue: the same memory, and the same methods and
// sets that they have refused. The scheduler decides which cell goes out next (package schedule), so that a
// queue holds no more cells than its workers have places for.
//
// The package stores nothing, plans nothing and knows no method. A worker sends no code, and gets none.
package remote
