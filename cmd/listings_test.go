package cmd

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods"
	"github.com/spf13/cobra"
)

// TestListingsAreLookedAt: the script that measures listings in narrow windows has every command that prints one.
func TestListingsAreLookedAt(t *testing.T) {
	script := string(must.Get(os.ReadFile("testdata/script/listings.txtar"))(t))
	everyCommand(testRoot(methods.All()), func(c *cobra.Command) {
		format := c.Flags().Lookup("format")
		if format == nil || format.DefValue != "table" {
			return
		}
		name := strings.TrimPrefix(c.CommandPath(), "bench ")
		must.Be(t, regexp.MustCompile(`(?m)^(exec )?bench(-second)? `+name+`\b`).MatchString(script), true,
			"testdata/script/listings.txtar does not look at bench", name)
	})
}
