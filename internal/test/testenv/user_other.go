//go:build !linux

package testenv

import "testing"

// AsOrdinaryUser skips t: it needs Linux.
func AsOrdinaryUser(t *testing.T, _, _ string) { t.Skip("needs Linux") }
