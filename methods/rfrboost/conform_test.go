package rfrboost

import (
	"testing"

	"github.com/kernelboosting/bench/registry/conform"
)

func TestConformGradient(t *testing.T) { conform.Run(t, Gradient()) }

func TestConformGreedy(t *testing.T) { conform.Run(t, Greedy()) }

func TestPrefixes(t *testing.T) {
	conform.Prefixes(t, Gradient(), "rounds")
	conform.Prefixes(t, Greedy(), "rounds")
}
