package sandbox

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"golang.org/x/sys/unix"
)

// sent is how many bits a channel is given.
const sent = 256

// TestMain makes the test program also one that puts bits into a channel, or gets them: "put NAME PATH HEX", "get
// NAME PATH". Of a counter it prints the number, before which it may raise it: "read NAME", "add NAME PATH TIMES".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && (os.Args[1] == "add" || os.Args[1] == "read") {
		c := counters[os.Args[2]]
		if os.Args[1] == "add" {
			times, _ := strconv.Atoi(os.Args[4])
			if err := c.Add(os.Args[3], times); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
		fmt.Println(c.Read())
		return
	}
	if len(os.Args) > 3 && (os.Args[1] == "put" || os.Args[1] == "get") {
		os.Exit(role(os.Args[1], faulty.Channels[os.Args[2]], os.Args[3]))
	}
	os.Exit(m.Run())
}

func role(what string, c faulty.Channel, path string) int {
	if what == "put" {
		if err := c.Put(path, unpacked(os.Args[4])); err != nil {
			fmt.Println("refused:", err)
			return 0
		}
		fmt.Println("put")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test lets it end
		return 0
	}
	bits, err := c.Get(path, sent)
	if err != nil {
		fmt.Println("refused:", err)
		return 0
	}
	fmt.Println(packed(bits))
	return 0
}

func packed(bits []bool) string {
	out := make([]byte, len(bits)/8)
	for i, set := range bits {
		if set {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return hex.EncodeToString(out)
}

func unpacked(text string) []bool {
	bytes, _ := hex.DecodeString(text)
	out := make([]bool, 8*len(bytes))
	for i := range out {
		out[i] = bytes[i/8]>>(i%8)&1 == 1
	}
	return out
}

// A peer is a sandboxed process of this test program.
type peer struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// joins starts a sandboxed process that may read a folder, and returns it with its first line.
func joins(t *testing.T, readable string, args ...string) (peer, string) {
	t.Helper()
	read, use := System()
	private, release, err := NewFolder("")
	must.Do(t, err)
	t.Cleanup(release)
	rights := Policy{Read: append(read, readable, filepath.Dir(os.Args[0])), Use: use, Write: []string{private}}
	p := peer{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = Environment(os.Environ(), private)
	p.in = must.Get(p.StdinPipe())(t)
	p.out = bufio.NewReader(must.Get(p.StdoutPipe())(t))
	must.Get(Start(p.Cmd, rights))(t)
	line, _ := p.out.ReadString('\n')
	return p, strings.TrimSpace(line)
}

func (p peer) end() {
	p.in.Close()
	_ = p.Wait()
}

// carried sends random bits through a channel and returns what they told of themselves, in bits, and the refusal of a
// call.
func carried(t *testing.T, name string) (bits float64, refusal string) {
	t.Helper()
	c := faulty.Channels[name]
	dir := t.TempDir()
	path := filepath.Join(dir, "channel")
	must.Do(t, c.Carve(path, sent))
	if !c.Folder && !c.Together {
		cold(t, path)
	}
	time.Sleep(20 * time.Millisecond) // until the clock of files has gone on
	want := make([]bool, sent)
	for i := range want {
		want[i] = rand.IntN(2) == 1
	}
	first, said := joins(t, dir, "put", name, path, packed(want))
	if !c.Together {
		first.end()
	}
	second, got := joins(t, dir, "get", name, path)
	second.end()
	if c.Together {
		first.end()
	}
	for _, line := range []string{said, got} {
		if text, refused := strings.CutPrefix(line, "refused:"); refused {
			return 0, strings.TrimSpace(text)
		}
	}
	return information(want, unpacked(got)), ""
}

// cold fills a file with what is not zero, and has it leave memory.
func cold(t *testing.T, path string) {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_WRONLY, 0))(t)
	defer f.Close()
	info := must.Get(f.Stat())(t)
	chunk := make([]byte, 1<<20)
	for i := range chunk {
		chunk[i] = byte(rand.Uint32())
	}
	for range info.Size() >> 20 {
		must.Get(f.Write(chunk))(t)
	}
	must.Do(t, f.Sync())
	must.Do(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// information is the mutual information of what was put and what was got, in bits of all, less what chance is
// expected to give.
func information(put, got []bool) float64 {
	n := float64(len(put))
	var joint [2][2]float64
	at := map[bool]int{true: 1}
	for i := range put {
		joint[at[put[i]]][at[got[i]]]++
	}
	sum := 0.0
	for a := range joint {
		for b, k := range joint[a] {
			if k > 0 {
				sum += k * math.Log2(k*n/((joint[a][0]+joint[a][1])*(joint[0][b]+joint[1][b])))
			}
		}
	}
	return max(0, sum-1/(2*math.Ln2))
}

// open are the channels that nothing closes here, for the reasons in docs/explanation/security.md.
var open = []string{
	"absent names", "end of a thread", "files in flight", "futex", "page faults", "pages of pipes",
	"processor time", "times of reads",
}

// byNamespaces are the channels that are open where the system refuses namespaces.
var byNamespaces = []string{"access times", "affinity", "names in /"}

// TestChannels: of random bits that a process in a sandbox puts into a channel another learns nothing, a call being
// refused or without effect. What the channels carry that stay open is measured in make thorough (-v).
func TestChannels(t *testing.T) {
	if Missing() != "" {
		t.Skip(Missing())
	}
	for _, name := range slices.Sorted(maps.Keys(faulty.Channels)) {
		if slices.Contains(open, name) && !testenv.Thorough(t) ||
			slices.Contains(byNamespaces, name) && Weaker() != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			bits, refusal := carried(t, name)
			t.Logf("%.0f of %d bits; %s", bits, sent, refusal)
			if bits > 16 && !slices.Contains(open, name) {
				t.Errorf("%.0f of %d bits", bits, sent)
			}
		})
	}
}

// TestCountersOfTheSystem measures how much one process can tell a later one by numbers that the system counts and
// any process sees. The number goes up by itself from process to process, by a little more or less each time; in a
// second a process can raise it further.
func TestCountersOfTheSystem(t *testing.T) {
	testenv.OnlyThorough(t)
	if Missing() != "" {
		t.Skip(Missing())
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "channel")
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		t.Run(name, func(t *testing.T) {
			must.Do(t, faulty.Channels["times of reads"].Carve(path, sent))
			cold(t, path)
			ask := func(args ...string) int64 {
				p, said := joins(t, dir, args...)
				p.end()
				n, err := strconv.ParseInt(strings.TrimSuffix(said, " <nil>"), 10, 64)
				if err != nil {
					t.Fatal(said)
				}
				return n
			}
			var alone []int64
			for before, i := ask("read", name), 0; i < 20; i++ {
				now := ask("read", name)
				alone = append(alone, now-before)
				before = now
			}
			slices.Sort(alone)
			noise := 1 + alone[17] - alone[2]
			before, times, start := ask("read", name), 1000, time.Now()
			ask("add", name, path, strconv.Itoa(times))
			took := time.Since(start)
			raised := ask("read", name) - before - 2*alone[10]
			rate := float64(raised) / took.Seconds()
			bits := math.Log2(max(1, rate/float64(noise)))
			t.Logf("from process to process %d to %d; raised by %.0f a second: %.1f bits",
				alone[2], alone[17], rate, bits)
		})
	}
}
