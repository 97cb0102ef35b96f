package cmd

import (
	"cmp"
	"io"

	"github.com/kernelboosting/bench/internal/system/atomicfile"
	"github.com/kernelboosting/bench/reports/page"
	"github.com/spf13/cobra"
)

func newPublishCommand(a *app) *cobra.Command {
	var f pageFlags
	c := &cobra.Command{
		Use:   "publish FOLDER",
		Short: "Write the results as static pages for the web",
		Long: `publish writes the content of ` + "`bench report html`" + ` as static pages: index.html and a
page for each data set and each method. They load nothing from elsewhere and need no
server program: any web server, or a browser that opens the file, shows them.

The folder is written whole or not at all. A folder that publish wrote before is
replaced; one that holds anything else is refused.`,
		Example: `  bench publish site/
  bench publish site/ --protocol mfga --metric auc --title "Gradient features"`,
		Args: takes("FOLDER"),
	}
	f.add(a, c)
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx, done := a.untilSignal(c.Context())
		defer done()
		p, err := a.page(ctx, c, f)
		if err != nil {
			return err
		}
		err = atomicfile.Folder(args[0], page.Mark, func(add func(string, func(io.Writer) error) error) error {
			return p.Site(func(name string, content func(io.Writer) error) error { return cmp.Or(ctx.Err(), add(name, content)) })
		})
		return a.wrote(args[0], p.Warnings, err)
	}
	return c
}
