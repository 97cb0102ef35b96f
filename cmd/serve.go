package cmd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/kernelboosting/bench/harness/remote"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/live"
	"github.com/spf13/cobra"
)

// defaultServe is the page's address without --at.
const defaultServe = "127.0.0.1:8017"

func newServeCommand(a *app) *cobra.Command {
	var f pageFlags
	var tokenFile string
	c := &cobra.Command{
		Use:   "serve [HOST:PORT]",
		Short: "Show the report, and runs that are under way, in browsers",
		Long: `serve prints the address of the page of bench report html as of now. Above it a strip
shows what runs are at on the database: how many cells have ended, cells a minute, the
time that is left, the cells that are being computed with their predicted end, and what
failed with the end of its standard error. The strip keeps itself up to date; the report
is made anew when the page is loaded. The address with report at its end is the report
without the strip.

The database is read and never written, so that serve goes beside any run, and may be
started before or after it. Any number of browsers share one look at it a second; while
no browser is there, nobody looks.

Without HOST:PORT the address is ` + defaultServe + `, which this machine alone reaches.
At an address that other machines reach the page needs a token, and TLS encrypts it. The
token stands in the printed address, or is that of --token-file. Token and certificate are
made once and kept beside the database, in a file that only you may read (results.db.serve).
A browser warns of such a certificate: compare the fingerprint that it shows with the
printed one. Ctrl-C or SIGTERM ends serve, with exit code 0.`,
		Example: `  bench serve                                    on this machine: open the address that is printed
  bench serve 127.0.0.1:0 --db lab.db            at any free port
  bench serve 0.0.0.0:8017 --token-file token    for other machines, with a token of your own`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return takes("[HOST:PORT]")(c, args)
		},
	}
	c.Flags().StringVar(&f.protocol, "protocol", "", "show the results of this one (default that of the run, else "+
		"that of the last cells)")
	c.Flags().StringVar(&tokenFile, "token-file", "", "a file with the token that browsers must have (default a new "+
		"one, where other machines reach HOST)")
	c.RunE = func(c *cobra.Command, args []string) error {
		at := defaultServe
		if len(args) > 0 {
			at = args[0]
		}
		token, err := readToken(tokenFile)
		if err != nil {
			return err
		}
		f.Level = 0.05
		return a.serveTo(c, at, token, f)
	}
	return c
}

// servesAs names the file of the page's token and certificate. A worker's token is a different one, since a worker may
// do more than read.
func (a *app) servesAs() string { return a.db + ".serve" }

// serveTo shows runs to browsers until a signal comes.
func (a *app) serveTo(c *cobra.Command, at, token string, f pageFlags) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return usage("%q is not HOST:PORT, such as %s", at, defaultServe)
	}
	db, err := a.reader(c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	w, err := a.watcher(ctx, db, f.protocol)
	if err != nil {
		return err
	}
	defer w.Close()
	s := &live.Server{Look: w.Look, Token: token, Every: watchEvery,
		Report: func(ctx context.Context, protocol string) (live.Page, error) {
			f := f
			f.protocol = cmp.Or(f.protocol, protocol)
			return a.page(ctx, f)
		}}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return usage("%s: %w", at, err)
	}
	link := url.URL{Scheme: "http", Path: "/"}
	var encrypted *tls.Config
	if remote.Loopback(host) {
		s.Hosts = []string{host, "localhost", "127.0.0.1", "::1"}
	} else {
		id, err := remote.KeptIdentity(a.servesAs())
		if err != nil {
			return errors.Join(err, l.Close())
		}
		encrypted = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{id.Certificate}}
		link.Scheme = "https"
		if token == "" {
			s.Token = id.Token
			link.RawQuery = "token=" + s.Token
		}
		fmt.Fprintf(a.err, "SHA-256 fingerprint of the certificate: %s\n", spaced(id.Fingerprint()))
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			if host, err = os.Hostname(); err != nil {
				return err
			}
		}
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	link.Host = net.JoinHostPort(host, port)
	if token != "" {
		fmt.Fprintln(a.err, "add ?token=... with the token of --token-file to the address")
	}
	fmt.Fprintf(a.out, "%s\n", link.String())
	if a.out.err != nil {
		return errors.Join(a.out.err, l.Close())
	}
	if err := s.Serve(ctx, l, encrypted); err != nil {
		return exitError{exitInternal, errors.New(wording.Spelled(err.Error()))}
	}
	return nil
}

// spaced writes a fingerprint in pairs of digits, as browsers show it.
func spaced(hex string) string {
	var pairs []string
	for ; len(hex) >= 2; hex = hex[2:] {
		pairs = append(pairs, strings.ToUpper(hex[:2]))
	}
	return strings.Join(pairs, ":")
}
