// Package remote runs cells on other machines. [Listen] makes a [Pool] on the machine that has the database,
// the coordinator. [Serve] is a worker, on any machine.
//
// Between them stands a NATS server with JetStream, which the coordinator runs in its own process, or which
// stands already. NATS keeps the queue: a batch of cells is a message of a stream, a worker pulls it, says now
// and then that the batch is still under way, and acknowledges it when the coordinator has the results. A batch
// is one cell, or short cells of about a second together. A batch whose worker falls silent is delivered again;
// its cells are then handed out one by one. A cell that is alone is a row of class crash after the second such
// worker.
//
// The coordinator knows cells by their keys, so that a result counts whoever was asked for it, and when: once,
// and a result that contradicts it is a [Conflict].
//
//	wire.go    the messages
//	parts.go   what is larger than a message, in parts: results to the coordinator, batches and files to workers
//	server.go  the server that the coordinator runs or takes, who may do what there, certificates
//	pool.go    the coordinator: a schedule.Remote, which hands cells out
//	results.go results taken and remembered, so that another result of a cell is compared with the first
//	members.go which workers there are, and what becomes of the cells of a lost one
//	worker.go  the worker: pulls cells, checks them, runs them, sends results
//	data.go    data files by checksum, from the coordinator
//	plugins.go files of plugins, in the same way
//
// Workers that take the same cells form a group, with one queue: the same class of memory, and the same methods
// and sets that they have refused. The scheduler decides which cell goes to which group next (package schedule),
// so that a queue holds no more than a second of work for each place of its workers.
//
// The package stores nothing, plans nothing and knows no method. A worker sends no code, and gets none but plugins
// that it was told to take.
package remote
