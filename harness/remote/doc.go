// Package remote runs cells on other machines. [Listen] makes a [Pool] on the machine that has the database,
// the coordinator. [Serve] is a worker, on any machine.
//
// A NATS server with JetStream connects them. The coordinator runs the server in its own process, or uses one
// that runs already. NATS keeps the queue. A batch of cells is a message of a stream; it holds one cell, or short cells
// that take about a second together. A worker pulls a batch, sends heartbeats for it, and acknowledges it once the
// coordinator has the results. If the heartbeats stop, the batch is delivered again, and its cells are then handed out
// one by one. After two lost workers a cell that is alone in its batch is stored as failed, with class crash.
//
// The coordinator knows cells by their keys. So a result counts whichever worker sent it, and whenever. It counts once;
// a later result that contradicts it is a [Conflict].
//
//	wire.go    the messages
//	objects.go what is larger than a message, read in parts: results by the coordinator, batches and files by workers
//	server.go  the server that the coordinator runs or takes, who may do what there, certificates
//	pool.go    the coordinator: a schedule.Remote, which hands cells out
//	results.go results taken and remembered, so that another result of a cell is compared with the first
//	members.go which workers there are, and what becomes of the cells of a lost one
//	worker.go  the worker: pulls cells, checks them, runs them, sends results
//	data.go    data files by checksum, from the coordinator
//	plugins.go files of plugins, in the same way
//
// Workers that take the same cells form a group with one queue: they have the same class of memory, and have refused
// the same methods and sets. The scheduler decides which cell goes to which group next (package schedule), so that a
// queue holds no more than a second of work for each place of its workers.
//
// The package stores nothing, plans nothing and knows no method. A worker sends no code. It takes no code but plugins,
// and only if it was told to take them.
package remote
