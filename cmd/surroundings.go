package cmd

import (
	"fmt"
	"strings"
)

// exitCodes are the exit codes of the program with their meanings, for help, the manual and the reference.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitOK, "the command did all that it was asked for, and found nothing wrong"},
	{exitInternal, "internal error"},
	{exitUsage, "wrong usage"},
	{exitIncomplete, "the command ended, but something failed, is missing, differs or is damaged (a cell, a " +
		"data set, a stored row), or what --fail-if names came true"},
	{exitConflict, "two workers gave different results for one cell, or a worker sent results that are impossible or " +
		"that differ from those computed here"},
	{exitScarce, "the system refuses what the command needs: memory, threads, file descriptors, " +
		"space or rights on a disk"},
	{exitInterrupted, "interrupted"},
	{exitUnread, "nobody reads standard output any more, as with `| head`"},
}

// exitCodesInWords is a sentence on the exit codes.
func exitCodesInWords() string {
	var codes []string
	for _, e := range exitCodes {
		codes = append(codes, fmt.Sprintf("%d %s", e.code, e.means))
	}
	return "Exit codes: " + strings.Join(codes, "; ") + "."
}

// variables are the environment variables that the program reads, by name or names, with their meanings, for the manual
// and the reference. TestVariables compares the names with the sources.
var variables = []struct{ names, means string }{
	{"BENCH_DATA", "the data directory, where --data names none (default bench/data in the user's cache directory)"},
	{"BENCH_MIRROR", "where data files are looked for before their public addresses: a directory or URL laid out " +
		"like the data directory"},
	{"BENCH_OPENML", "the server that bench data add asks (default that of OpenML)"},
	{"BENCH_PLUGINS", "folders whose files are plugins, joined as in PATH; the folder plugins beside the database " +
		"is searched without it"},
	{"BENCH_PYTHON", "the Python that runs plugins (default python3 of the PATH)"},
	{"BENCH_PROGRAM", "read by the Python package: the program that it calls (default the one that it carries, else " +
		"bench of the PATH)"},
	{"BENCH_PRIVATE", "set by the program for its own processes, and not for users: the folder in which they make " +
		"private folders"},
	{"BENCH_NAMESPACES BENCH_SANDBOX", "set by the program for its own processes, and not for users: whether the " +
		"system gives namespaces, and that a process is the first of a sandbox"},
	{"BENCH_MOUNTS_BEFORE", "set by the program for its own processes, and not for users: the mounts that there " +
		"were before them"},
	{"BENCH_YARDSTICK", "for tests: how many times as slow as that of the reference run the machine is taken for, " +
		"such as 0.25 or 4, instead of a measurement"},
	{"COLUMNS", "how many columns wide tables and help are; default those of the terminal. In a pipe reports and " +
		"help have 100, and listings one line a row"},
	{"NO_COLOR", "if it is not empty, nothing is printed bold or in colour"},
	{"TERM", "dumb: nothing bold or in colour, and nothing that moves the cursor"},
	{"TMPDIR", "the folder of private and temporary files; where it is not set, private folders lie in memory if " +
		"there is room"},
	{"OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS BLIS_NUM_THREADS VECLIB_MAXIMUM_THREADS NUMEXPR_NUM_THREADS",
		"threads of numerical libraries in plugins: 1 where they are not set, since several cells run at a time"},
	{"PYTHONHASHSEED JOBLIB_MULTIPROCESSING", "of plugins: 0 where they are not set"},
	{"PYTHONPATH LD_LIBRARY_PATH R_LIBS R_LIBS_USER", "of plugins: the folders that they name may be read, and " +
		"PYTHONPATH has the package benchplugin before them"},
}

// listed are the names of an entry of variables with commas between them.
func listed(names string) string { return strings.ReplaceAll(names, " ", ", ") }
