// Package external makes methods of other processes, in any language, into methods like those of
// this program.
//
// A plugin is an executable that answers requests, one JSON object a line, on its standard input and
// output; matrices pass as NumPy files in a private folder (docs/plugin-protocol.md). [Load] starts
// one, asks it to describe itself and declares what it says by [registry.DefineRaw]. From then on
// nobody can tell the method from one written in Go but by its package and its version, which ends in
// a hash of the plugin's files.
//
// One process serves the fits of one context, such as those of a cell, and ends with it, so that nothing is remembered
// from cell to cell; where the plugin can fork, it is a copy of a process that has loaded its libraries ([Options.Fork]).
// A request whose context ends while it is answered ends the process, with everything that it started, since a foreign
// process cannot be trusted to stop. What a plugin does wrong is an error of one of three types: [Crash], [BadOutput],
// [MethodError].
//
// Processes are bound by a sandbox (internal/system/sandbox) as far as the system has one. Where it has none the package guards
// against mistakes, not against malice.
package external
