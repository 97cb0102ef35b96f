package cmd

import (
	"github.com/kernelboosting/bench/harness"
	"github.com/spf13/cobra"
)

func newStatusCommand(a *app) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how many cells are stored per protocol, data set and method",
		Long: `status counts the stored cells. The column planned holds the protocol's number
of splits; ok counts those with a result. A cell that failed or timed out is run
again by ` + "`bench run --retry`" + `.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			db, err := a.reader(c)
			if err != nil {
				return err
			}
			defer db.Close()
			rows, err := db.Status(c.Context())
			if err != nil {
				return err
			}
			planned := map[string]any{}
			l := listing{header: []string{"protocol", "dataset", "method", "ok", "planned", "failed", "timeout", "seconds"}}
			for _, r := range rows {
				if _, seen := planned[r.Protocol]; !seen {
					planned[r.Protocol] = nil // a protocol file that is not at hand
					if p, err := harness.LoadProtocol(r.Protocol); err == nil {
						planned[r.Protocol] = p.Splits
					}
				}
				l.add(r.Protocol, r.Dataset, r.Method, r.OK, planned[r.Protocol], r.Failed, r.Timeout, round1(r.Seconds))
			}
			return l.write(a.out, format)
		},
	}
	formatFlag(c, &format)
	return c
}
