package runner

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
)

// warnings collects messages that the fits of a cell log as warnings or errors. It is safe for concurrent
// use; the zero value is ready.
type warnings struct {
	mu   sync.Mutex
	list []result.Warning
	more int
}

func (w *warnings) logger() *slog.Logger { return slog.New(warningHandler{to: w}) }

func (w *warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.list {
		if w.list[i].Text == text {
			w.list[i].Times++
			return
		}
	}
	if len(w.list) == result.MaxWarnings {
		w.more++
		return
	}
	w.list = append(w.list, result.Warning{Text: text, Times: 1})
}

// warnOfConstant warns of a regression that learned nothing: every test row gets the same prediction although targets
// differ. This happens if targets are far smaller than the errors that a method ignores, or so far from 0 that single
// precision loses their differences.
func (j *job) warnOfConstant(parts split.Parts, predictions []float64) {
	targets := make([]float64, len(parts.Split.Train))
	for i, row := range parts.Split.Train {
		targets[i] = parts.Set.Y[row]
	}
	low, high := slices.Min(targets), slices.Max(targets)
	if len(predictions) < 2 || slices.Min(predictions) != slices.Max(predictions) || low == high {
		return
	}
	j.said.add(fmt.Sprintf("nothing is learned: every test row gets the prediction %.6g, and the training targets go "+
		"from %.6g to %.6g; "+
		"if they are very small or far from 0, give the set a target_range such as [-1.0, 1.0]", predictions[0], low,
		high))
}

// all returns the warnings so far, in the order of their first occurrence.
func (w *warnings) all() []result.Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := append([]result.Warning(nil), w.list...)
	if w.more > 0 {
		out = append(out, result.Warning{Text: "other warnings", Times: w.more})
	}
	return out
}

// A warningHandler is a slog.Handler of warnings: "message key=value key=value".
type warningHandler struct {
	to    *warnings
	attrs string
	group string
}

func (h warningHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

func (h warningHandler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message + h.attrs
	r.Attrs(func(a slog.Attr) bool {
		text += h.attr(a)
		return true
	})
	h.to.add(oneLine(text))
	return nil
}

func (h warningHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		h.attrs += h.attr(a)
	}
	return h
}

func (h warningHandler) WithGroup(name string) slog.Handler {
	h.group = strings.TrimPrefix(h.group+"."+name, ".")
	return h
}

func (h warningHandler) attr(a slog.Attr) string {
	return fmt.Sprintf(" %s=%v", strings.TrimPrefix(h.group+"."+a.Key, "."), a.Value.Resolve())
}
