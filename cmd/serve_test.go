package cmd_test

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/browser"
	"github.com/kernelboosting/bench/internal/test/must"
)

// awaitsOn waits until an expression is true on a page.
func awaitsOn(t *testing.T, tab *browser.Tab, expression string) {
	t.Helper()
	waitFor(t, func() bool { return browser.Evaluate[bool](tab, expression) })
}

// TestARunInTheBrowser: while a run is under way the report's page has a strip with the cells that are being computed,
// who computes them, and what failed; names of plugins and what they write are text. When the cells end, the strip
// shows it, what the reader has opened stays open, and the page loaded again has the results. It is accessible, and no
// wider than a phone.
func TestARunInTheBrowser(t *testing.T) {
	p := newProcess(t)
	run, open := underWay(t, p)
	serve := p.begin(t, "serve", "127.0.0.1:0")
	at := "http://" + serve.printed.awaits(t, "http://")
	t.Cleanup(browser.Quit)

	tab := browser.Open(t, at, browser.Desktop)
	browser.Evaluate[bool](tab, `document.querySelector("#under-way details").open = true`)
	awaitsOn(t, tab, `document.querySelector("#under-way").innerText.includes("StumpBoost on swiss, split 1")`)
	awaitsOn(t, tab, `document.title.includes(" of 7 cells, ")`)
	seen := browser.Evaluate[string](tab, `document.body.innerText`)
	must.Hold(t, seen, "results.db, protocol table2", " of 7 cells, ", " left", " until ", "predicted end in ",
		" of "+hostileName+" failed (crash), the last on swiss, split ", "The report below is of ")
	browser.Evaluate[bool](tab, `document.querySelector(".failure summary").click(), true`)
	must.Hold(t, browser.Evaluate[string](tab, `document.querySelector(".failure").innerText`),
		`<script>document.title="owned"</script>`)
	tab.Picture("live-desktop")
	mobile := browser.Open(t, at, browser.Phone)
	browser.Evaluate[bool](mobile, `document.querySelector(".failure").open = true`)
	if wide := browser.Evaluate[int](mobile, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
	mobile.Picture("live-phone")
	night := browser.Open(t, at, browser.Night)
	night.Picture("live-night")
	if os.Getenv("BENCH_AXE") != "" || os.Getenv("CI") == "true" {
		axe := browser.Axe(t)
		for name, tab := range map[string]*browser.Tab{"light": tab, "phone": mobile, "dark": night} {
			tab.Accessible(axe, name)
		}
	}

	open()
	run.ends(3)
	for _, tab := range []*browser.Tab{tab, mobile} {
		awaitsOn(t, tab, `document.querySelector("#under-way").innerText.includes("No run is under way")`)
		if !browser.Evaluate[bool](tab, `document.querySelector(".failure").open`) {
			t.Error("what was opened closed when the page changed")
		}
		tab.Quiet()
	}
	if title := browser.Evaluate[string](tab, `document.title`); title != "Test accuracy, protocol table2" {
		t.Errorf("the title is %q where nothing runs", title)
	}
	awaitsOn(t, tab, `fetch("/").then(r => r.text()).then(text => { window.again = text; }), (window.again || `+
		`"").includes("StumpBoost")`)
	tab.Picture("live-over")
	report := browser.Open(t, at+"report", browser.Desktop)
	if text := browser.Evaluate[string](report, `document.body.innerText`); !strings.Contains(text, "StumpBoost") ||
		!strings.Contains(text, "Who leads") || strings.Contains(text, "under way") {
		t.Errorf("the report alone: %s", text)
	}
	report.Quiet()

	must.Do(t, serve.Process.Signal(syscall.SIGTERM))
	serve.ends(0)
	awaitsOn(t, tab, `document.querySelector("#connection").textContent.startsWith("The connection is lost")`)
}

// trusting is a client that takes any certificate, and what fingerprint the last one had.
func trusting() (*http.Client, *string) {
	var fingerprint string
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true,
		VerifyConnection: func(c tls.ConnectionState) error {
			fingerprint = strings.ReplaceAll(fmt.Sprintf("% X", sha256.Sum256(c.PeerCertificates[0].Raw)), " ", ":")
			return nil
		},
	}}}, &fingerprint
}

// TestServeToOthers: at an address that other machines reach the page comes by TLS, and needs the token.
func TestServeToOthers(t *testing.T) {
	p := newProcess(t)
	p.run(t, "run", "--methods", "CART", "--datasets", "swiss", "--splits", "1")
	token := p.write(t, "token", "a-token-of-my-own\n")
	for _, args := range [][]string{{"serve", "0.0.0.0:0"}, {"serve", "0.0.0.0:0", "--token-file", token}} {
		serve := p.begin(t, args...)
		address := serve.printed.awaits(t, "https://")
		link := regexp.MustCompile(`^[^/]+:(\d+)/(?:\?token=([A-Z0-9]+))?$`).FindStringSubmatch(address)
		if link == nil || (link[2] == "") != (len(args) > 2) {
			t.Fatalf("the address is %q", address)
		}
		if link[2] == "" {
			link[2] = "a-token-of-my-own"
		}
		if strings.Contains(serve.said.String(), link[2]) {
			t.Errorf("standard error: %s", &serve.said)
		}
		client, fingerprint := trusting()
		at := fmt.Sprintf("https://127.0.0.1:%s/", link[1])
		for _, c := range []struct {
			path string
			want int
		}{{"", 401}, {"events", 401}, {"report", 401}, {"?token=" + link[2], 200}, {"", 200}} {
			answer := must.Get(client.Get(at + c.path))(t)
			answer.Body.Close()
			if answer.StatusCode != c.want {
				t.Errorf("%s: %d, want %d", c.path, answer.StatusCode, c.want)
			}
		}
		must.Do(t, serve.Process.Signal(syscall.SIGTERM))
		serve.ends(0, "SHA-256 fingerprint of the certificate: "+*fingerprint+"\n")
	}
}
