//go:build unix

package main

import (
	"bufio"
	"context"
	_ "embed" // peer.py
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kernelboosting/bench/registry"
)

//go:embed peer.py
var peerScript string

const howTo = `%s
To measure beside the published program:
  git clone https://github.com/LeoGautheron/ECML2020-GradientBoostingRandomFourierFeatures published
  python3 -m venv peer && peer/bin/pip install --require-hashes --no-deps -r methods/internal/gbdt/testdata/peers.txt
  BENCH_PUBLISHED=published BENCH_PYTHON=peer/bin/python make bench-peers`

// published is the Python process. It is not safe for concurrent use.
type published struct {
	versions string

	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	dir     string // of the files that carry data
}

func startPublished(ctx context.Context) (*published, error) {
	checkout, python := os.Getenv("BENCH_PUBLISHED"), os.Getenv("BENCH_PYTHON")
	if checkout == "" {
		return nil, fmt.Errorf(howTo, "BENCH_PUBLISHED is not set: no checkout of the published program.")
	}
	if _, err := os.Stat(filepath.Join(checkout, "experiment-latex-array-results", "gbrff2.py")); err != nil {
		return nil, fmt.Errorf(howTo, "BENCH_PUBLISHED is no checkout of the published program: "+err.Error()+".")
	}
	if python == "" {
		return nil, fmt.Errorf(howTo, "BENCH_PYTHON is not set: no Python with NumPy, SciPy and scikit-learn.")
	}
	dir, err := os.MkdirTemp("", "bench-peers")
	if err != nil {
		return nil, err
	}
	p := &published{dir: dir, command: exec.CommandContext(ctx, python, "-W", "ignore", "-c", peerScript)}
	p.command.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	p.command.Stderr = os.Stderr
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	if err := p.command.Start(); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf(howTo, "BENCH_PYTHON does not run: "+err.Error()+".")
	}
	var hello struct{ Versions string }
	if err := p.answer(&hello); err != nil {
		p.stop()
		return nil, fmt.Errorf(howTo, "BENCH_PYTHON cannot import the published modules (see above).")
	}
	p.versions = hello.Versions
	return p, nil
}

func (p *published) stop() {
	p.in.Close()
	_ = p.command.Wait() // it ends with its input
	os.RemoveAll(p.dir)
}

// send gives the process the rows to fit and to predict.
func (p *published) send(train, valid registry.Data) error {
	request := map[string]any{}
	for name, data := range map[string]registry.Data{"train": train, "valid": valid} {
		path := filepath.Join(p.dir, name)
		if err := write(path, data); err != nil {
			return err
		}
		sh := data.Shape()
		request[name] = map[string]any{"file": path, "rows": sh.N, "cols": sh.D}
	}
	return p.ask(request, &struct{}{})
}

// fit returns the processor seconds of a fit, or of a whole grid.
func (p *published) fit(method string, grid bool) (float64, error) {
	var answer struct{ Seconds float64 }
	err := p.ask(map[string]any{"method": method, "grid": grid}, &answer)
	return answer.Seconds, err
}

func (p *published) ask(request, answer any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return err
	}
	return p.answer(answer)
}

func (p *published) answer(into any) error {
	if !p.out.Scan() {
		return fmt.Errorf("the published side ended: %w", errors.Join(p.out.Err(), io.ErrUnexpectedEOF))
	}
	return json.Unmarshal(p.out.Bytes(), into)
}

// write stores rows as little-endian doubles, each followed by its label.
func write(path string, data registry.Data) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	for i, y := range data.Y {
		for _, v := range append(append([]float64(nil), data.X.RawRowView(i)...), y) {
			if err := binary.Write(w, binary.LittleEndian, v); err != nil {
				return err
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
