package wording

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0.0s", 0.84: "0.8s", 9.94: "9.9s", 9.96: "10s", 59.4: "59s", 59.6: "1m", 60: "1m", 220: "3m40s",
		305.2: "5m05s", 599.4: "9m59s",
		600: "10m", 1800: "30m", 3569: "59m", 3580: "1h", 3600: "1h", 6000: "1h40m", 35969: "9h59m", 36000: "10h",
		1332000: "370h", 17550000: "4875h",
	} {
		must.Be(t, Seconds(s), want, s)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1 << 10: "1.0 KiB", 512 << 10: "512 KiB", 3 << 29: "1.5 GiB", 45 << 30: "45 GiB",
		1 << 40: "1024 GiB",
	} {
		must.Be(t, Bytes(n), want, n)
	}
}

func TestFew(t *testing.T) {
	for n, want := range []string{"", "A", "A, B", "A, B, C", "A, B, C and 1 more", "A, B, C and 2 more"} {
		must.Be(t, Few([]string{"A", "B", "C", "D", "E"}[:n], 3), want, n)
	}
}
