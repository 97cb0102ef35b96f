package cmd

import (
	"fmt"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
)

func newVersionCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and what results record of this machine",
		Args:  takes(),
	}, func(_ *cobra.Command, _ []string, l *listing) error {
		e := environment.Current()
		l.header, l.rows = []string{"what", "value"}, [][]any{
			{"version", e.ProgramVersion}, {"revision", e.VCSRevision}, {"modified", e.VCSModified},
			{"go", e.GoVersion},
			{"system", fmt.Sprintf("%s/%s %s", e.OS, e.Arch, e.Kernel)}, {"cpu", e.CPU}, {"cores", e.Cores},
			{"memory_bytes", e.MemoryBytes},
			{"data", a.dataDir().Dir()},
		}
		return nil
	})
}
