package cmd

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/externaltrees"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/spf13/cobra"
)

// mostModelBytes bounds a model file.
const mostModelBytes = 1 << 30

func newMethodsScoreCommand(a *app) *cobra.Command {
	var of place
	var output, units string
	c := &cobra.Command{
		Use:   "score FILE",
		Short: "Score the test rows of a split with a LightGBM or XGBoost model that was trained elsewhere",
		Args:  takes("FILE"),
	}
	of.addAll(a, c)
	oneOf(c, &units, "units", "standardised", "the rows that the model was trained on: standardised, or as in the file",
		"standardised",
		"file")
	a.outputFlag(c, &output, "write to this file, whole or not at all (default standard output)")
	c.RunE = func(c *cobra.Command, args []string) error {
		raw, err := readModelFile(args[0], a.memory)
		if err != nil {
			return usage("%s: %w", args[0], err)
		}
		model, err := externaltrees.Read(raw, a.memory)
		if err != nil {
			return usage("%s: %w", args[0], err)
		}
		parts, err := a.parts(c, of)
		if err != nil {
			return err
		}
		parts.Standardise = parts.Standardise && units == "standardised"
		whole, err := parts.Whole()
		if err != nil {
			return usage("%w", err)
		}
		notes, err := model.Match(whole.Score.Shape(), whole.Inputs.Names(parts.Set.Features))
		if err != nil {
			return usage("%s on %s: %w", args[0], parts.Set.Name, err)
		}
		for _, note := range notes {
			a.say("note: %s: %s", args[0], note)
		}
		scores, err := model.Scores(whole.Score.X)
		if err != nil {
			return usage("%s: %w", args[0], err)
		}
		if units == "standardised" {
			whole.Target.Invert(scores)
		}
		name := parts.Set.Name
		if strings.HasSuffix(of.dataset, ".toml") { // by which bench import finds a set of the user's own
			name = of.dataset
		}
		write := func(w io.Writer) error { return writeScores(w, name, parts.Split.Test, of.split, scores) }
		return a.writeTo(output, write,
			fmt.Sprintf(": %s of %s, split %d", plural(len(parts.Split.Test), "test row"), parts.Set.Name, of.split))
	}
	return c
}

// readModelFile reads a file, unless it is larger than a model file or the memory allows.
func readModelFile(path string, memory int64) ([]byte, error) {
	limit := int64(mostModelBytes)
	if memory > 0 {
		limit = min(limit, memory)
	}
	raw, err := readBounded(path, limit)
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("it is larger than %s; a model file may have 1 GiB, and not more than --memory",
			wording.Bytes(limit))
	}
	return raw, err
}

// writeScores writes scores of the test rows as verify.ReadScores takes them.
func writeScores(w io.Writer, set string, rows []int, number int, scores []float64) error {
	out := csv.NewWriter(w)
	outputs := len(scores) / len(rows)
	head := []string{"dataset", "split", "row"}
	if outputs == 1 {
		head = append(head, "score")
	} else {
		for k := range outputs {
			head = append(head, "score_"+strconv.Itoa(k))
		}
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i, row := range rows {
		line := []string{set, strconv.Itoa(number), strconv.Itoa(row)}
		for _, s := range scores[i*outputs : (i+1)*outputs] {
			line = append(line, strconv.FormatFloat(s, 'g', -1, 64))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
