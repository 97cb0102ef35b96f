// Command bench compares kernel and boosting learning methods under one protocol
// and keeps the evidence. See README.md, or run it with --help.
package main

import (
	"os"

	"github.com/kernelboosting/bench/cmd"
	"github.com/kernelboosting/bench/methods"
)

func main() { os.Exit(cmd.Execute(methods.All())) }
