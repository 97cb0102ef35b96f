package cmd

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

// helpWidth is the width of help: that of the narrowest terminal that people use for it.
const helpWidth = 80

// verbs are the groups of the help, and their commands in the order in which one needs them.
var verbs = []struct{ title, names string }{
	{"Results", "run status report compare experiment query verify diff paper"},
	{"Results of others", "import export"},
	{"Data", "data protocol"},
	{"Methods", "methods"},
	{"Machines and the program", "worker serve db version help"},
}

// dressHelp puts the commands of root into groups, and wraps all help.
func dressHelp(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("flagsOf", func(c *cobra.Command) string {
		return strings.TrimRight(c.LocalFlags().FlagUsagesWrapped(helpWidth), "\n ")
	})
	cobra.AddTemplateFunc("inheritedOf", func(c *cobra.Command) string {
		return strings.TrimRight(c.InheritedFlags().FlagUsagesWrapped(helpWidth), "\n ")
	})
	cobra.AddTemplateFunc("verb", func(c *cobra.Command) string {
		width := c.NamePadding() + 3
		return "  " + fmt.Sprintf("%-*s", width-2, c.Name()) + hanging(c.Short, width)
	})
	root.SetUsageTemplate(usageTemplate)
	for _, g := range verbs {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, name := range strings.Fields(g.names) {
			c, _, err := root.Find([]string{name})
			if err != nil || c == root {
				panic("cmd: the help names the unknown verb " + name)
			}
			root.RemoveCommand(c) // the order of the list is that of the help
			root.AddCommand(c)
			c.GroupID = g.title
		}
	}
}

// hanging wraps a text that begins at column indent, where its further lines begin too.
func hanging(short string, indent int) string {
	lines := strings.Split(text.WrapSoft(short, helpWidth-indent), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{if .Groups}}{{$all := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $all}}{{if and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help"))}}
{{verb .}}{{end}}{{end}}{{end}}{{else}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
{{verb .}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{flagsOf .}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{inheritedOf .}}{{end}}{{if .HasAvailableSubCommands}}

"{{.CommandPath}} COMMAND --help" says more about a command.{{end}}
`

// begin says what to type first; it is what bench prints without a verb.
const begin = `bench runs methods on data sets under one protocol, keeps every evaluation, and
says which method is better, and how sure that is.

  bench import reference                  store a published table, computed again
  bench report leaderboard                who leads in it
  bench compare GBRFF2 LGBM               is one better than the other?
  bench data fetch                        get the data sets
  bench data describe my.csv -o my.toml   read data of your own
  bench methods new Mine --lang python    write a method of your own
  bench run --methods Mine --splits 3     run it beside the stored ones

"bench --help" lists all commands.
`
