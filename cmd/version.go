package cmd

import (
	"fmt"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
)

func newVersionCommand(a *app) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and what results record of this machine",
		Args:  takes(),
		RunE: func(*cobra.Command, []string) error {
			e := environment.Current()
			l := listing{header: []string{"what", "value"}}
			l.add("version", e.ProgramVersion)
			l.add("revision", e.VCSRevision)
			l.add("modified", e.VCSModified)
			l.add("go", e.GoVersion)
			l.add("system", fmt.Sprintf("%s/%s %s", e.OS, e.Arch, e.Kernel))
			l.add("cpu", e.CPU)
			l.add("cores", e.Cores)
			l.add("memory_bytes", e.MemoryBytes)
			return l.write(a.out, format)
		},
	}
	formatFlag(c, &format)
	return c
}
