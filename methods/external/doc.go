// Package external runs methods that other processes implement, in any language, like the methods of this program.
//
// A plugin is an executable that answers requests on its standard input and output, one JSON object a line.
// Matrices pass as NumPy files in a private folder (docs/reference/plugin-protocol.md). [Load] starts a plugin, asks
// for its description and declares the described method by [registry.DefineRaw]. From then on the method
// differs from one written in Go only by its package and its version, which ends in a hash of the plugin's
// files.
//
// One process serves the fits of one context, such as those of a cell, and ends with the context, so that it
// remembers nothing from cell to cell. Where the plugin can fork, the process is a copy of a process that has
// loaded its libraries ([Options.Fork]). If the context of a request ends before its answer, the process is
// ended with all processes that it started, since nobody can rely on a foreign process to stop. The faults of
// a plugin are errors of one of three types: [Crash], [BadOutput], [MethodError].
//
// A sandbox (internal/system/sandbox) restricts the processes as far as the system has one. Without a sandbox
// the package protects against mistakes, not against malice.
package external
