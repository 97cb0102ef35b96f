package remote

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
)

// BenchmarkCells hands cells of 1 ms to 8 workers in this process; a cell a step.
func BenchmarkCells(b *testing.B) {
	p, err := Listen(Options{Address: "127.0.0.1:0", Folder: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close(true)
	for range 8 {
		go func() {
			_ = Serve(b.Context(), p.URL, options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
				time.Sleep(time.Millisecond)
				return answers(ctx, c)
			}))
		}()
	}
	for here := 0; here < 8; {
		<-p.Changed()
		here = 0
		for _, r := range p.Rooms() {
			here += r.Slots
		}
	}
	todo := make(chan int)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range todo {
				if _, err := p.Run(b.Context(), cell("M", i)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	b.ResetTimer()
	for i := range b.N {
		todo <- i
	}
	close(todo)
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}
