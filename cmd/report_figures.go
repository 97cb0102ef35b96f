package cmd

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/render"
)

// reportFormats lists what --format takes: the layouts of a report, and the formats of a figure.
func reportFormats() []string {
	formats := render.Formats()
	for _, f := range render.FigureFormats() {
		formats = append(formats, f.Name)
	}
	return formats
}

// A reportOutput is what the flags of a report ask to be written. It is read before anything is computed.
type reportOutput struct {
	format  string // "" for all formats of figures, into a folder
	figures bool   // figures are written, not the report
	width   float64
}

func newReportOutput(f reportFlags) (reportOutput, error) {
	o := reportOutput{format: f.format}
	switch {
	case isFolder(f.output):
		if f.format != "" && slices.Contains(render.Formats(), f.format) {
			return o, usage("%s is a folder, for figures, and --format %s is not a format of figures; name a file",
				f.output,
				f.format)
		}
		o.figures = true
	case f.output == "":
		o.format = cmp.Or(f.format, "text")
	case f.format == "":
		var err error
		if o.format, err = formatOf(f.output, render.FormatOf, render.Endings()); err != nil {
			return o, err
		}
	}
	o.figures = o.figures || !slices.Contains(render.Formats(), o.format)
	if !o.figures && f.width != "" {
		return o, usage("--width is about figures, and format %s writes the report; name a file that "+
			"ends in .svg, .pdf or .png, or a folder", o.format)
	}
	var err error
	o.width, err = widthOf(f.width)
	return o, err
}

// formatOf is the format that a file is to have by its ending, or an error that lists the endings.
func formatOf(file string, of func(string) string, endings []string) (string, error) {
	if format := of(file); format != "" {
		return format, nil
	}
	return "", usage("--output %s: the ending %q is not one of %s", file, filepath.Ext(file), strings.Join(endings,
		", "))
}

// These are the millimetres that a figure can be laid out for: less has no room for names, more fits no paper.
const leastMillimetres, mostMillimetres = 50, 500

// widthOf reads --width, in units of drawings; 0 for none.
func widthOf(text string) (float64, error) {
	switch text {
	case "":
		return 0, nil
	case "column":
		return doc.ColumnWidth, nil
	case "page":
		return doc.PageWidth, nil
	}
	mm, err := strconv.ParseFloat(text, 64)
	if err != nil || !(mm >= leastMillimetres && mm <= mostMillimetres) {
		return 0, usage("--width %q is not column, page or a number of millimetres from %d to %d", text,
			leastMillimetres, mostMillimetres)
	}
	return mm * doc.Millimetre, nil
}

// isFolder reports whether an output is a folder, which figures are written to: it exists as a folder, or its name ends
// like one.
func isFolder(output string) bool {
	info, err := os.Stat(output)
	return strings.HasSuffix(output, "/") || err == nil && info.IsDir()
}

// chosenFigures returns the figures of a report: one for a file, or all for a folder.
func chosenFigures(d doc.Document, f reportFlags) ([]render.NamedFigure, error) {
	named := render.FigureNames(d)
	if len(named) == 0 {
		return nil, usage("report %s has no figure to write; name a file that ends in %s", d.Report,
			strings.Join(documentEndings(), ", "))
	}
	if len(named) > 1 && !isFolder(f.output) {
		names := doc.Map(named, func(n render.NamedFigure) string { return strings.TrimPrefix(n.Name, d.Report+"-") })
		return nil, usage("report %s has %d figures here: %s; write all with -o DIR/, or choose what is reported",
			d.Report, len(named), strings.Join(names, ", "))
	}
	return named, nil
}

// documentEndings are the endings of files that hold a report.
func documentEndings() []string {
	return slices.DeleteFunc(render.Endings(), func(e string) bool {
		return !slices.Contains(render.Formats(), render.FormatOf(e))
	})
}

// writeFigures writes one figure to a file or to standard output, or figures to a folder.
func writeFigures(ctx context.Context, a *app, d doc.Document, f reportFlags, o reportOutput) error {
	named, err := chosenFigures(d, f)
	if err != nil {
		return err
	}
	formats := slices.DeleteFunc(render.FigureFormats(), func(x render.FigureFormat) bool {
		return o.format != "" && x.Name != o.format
	})
	if !isFolder(f.output) {
		if f.output == "" {
			if isTerminal(a.out) && (o.format == "pdf" || o.format == "png") {
				return usage("a figure in %s is not text; name a file with --output", o.format)
			}
			return formats[0].Write(a.out, named[0].Figure, o.width)
		}
		err := writeFigure(ctx, a, f.output, formats[0], named[0].Figure, o.width)
		return a.wrote(f.output, d.Clean().Warnings, err)
	}
	if err := os.MkdirAll(f.output, 0o777); err != nil {
		return usageError(err)
	}
	a.err.warn(d.Clean().Warnings)
	for _, n := range named {
		var endings []string
		for _, format := range formats {
			if err := writeFigure(ctx, a, filepath.Join(f.output, n.Name+format.Ending), format, n.Figure,
				o.width); err != nil {
				return err
			}
			endings = append(endings, format.Ending)
		}
		a.say("wrote %s%s", filepath.Join(f.output, n.Name), strings.Join(endings, ", "))
	}
	return nil
}

func writeFigure(
	ctx context.Context, a *app, file string, format render.FigureFormat, figure doc.Figure, width float64,
) error {
	return notWritten(a.write(file, func(w io.Writer) error {
		return cmp.Or(format.Write(w, figure, width), ctx.Err())
	}))
}
