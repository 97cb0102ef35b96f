package gbdt

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestExpf: the hash of glibc 2.36's expf at 200,001 places from -110 to 88.6, made with
//
//	m = ctypes.CDLL("libm.so.6")
//	FNV-1a of m.expf(float32(-110 + i * (198.6 / 200000))) for i in range(200001), as little-endian singles
//
// and distances from the exponential below 0.502 units of the last place.
func TestExpf(t *testing.T) {
	hash := fnv.New64a()
	var single [4]byte
	for i := range 200001 {
		x := float32(-110 + float64(float64(i)*(198.6/200000)))
		y := expf(x)
		binary.LittleEndian.PutUint32(single[:], math.Float32bits(y))
		hash.Write(single[:])
		if want := math.Exp(float64(x)); want > 0x1p-126 {
			unit := math.Ldexp(1, math.Ilogb(want)-23)
			if off := math.Abs(float64(y)-want) / unit; off > 0.502 {
				t.Fatalf("expf(%v) = %v is %v units off", x, y, off)
			}
		}
	}
	must.Be(t, hash.Sum64(), uint64(0x49d41b784bfba796), "hash")
}
