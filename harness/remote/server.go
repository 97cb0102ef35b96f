package remote

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const startsWithin = time.Minute

// hereWithin is how long another coordinator of the same run may take to answer.
const hereWithin = 2 * time.Second

// largest is the most bytes of a message. Larger batches and results are objects, which the other side reads in parts.
const largest = 4 << 20

// A gate gives the coordinator all permissions, and a worker with the token the permissions that workers need. A worker
// calls itself by its identity, which no other worker knows, and reads no answer to another one.
type gate struct {
	coordinator, token string
	names              names
}

// Check implements server.Authentication.
func (g gate) Check(c server.ClientAuthentication) bool {
	same := func(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
	given, name := c.GetOpts().Token, c.GetOpts().Name
	switch {
	case same(given, g.coordinator):
		return true
	case isID(name) && (g.token == "" || same(given, g.token)):
		c.RegisterUser(&server.User{Username: "worker", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: g.names.mayPublish()},
			Subscribe: &server.SubjectPermission{Allow: g.names.maySubscribe(name)},
			Response:  &server.ResponsePermission{MaxMsgs: 1, Expires: askWithin},
		}})
		return true
	}
	return false
}

// connect starts a server in this process, or uses one that runs already, and connects to it.
func (p *Pool) connect() (err error) {
	inbox := nats.CustomInboxPrefix(p.names.inbox("coordinator"))
	if p.opt.Engine != "" {
		address, dial, _, err := dialOptions(p.opt.Engine, p.opt.Token)
		if err != nil {
			return err
		}
		link, _ := url.Parse(p.opt.Engine)
		link.User = nil
		query := link.Query()
		query.Set("run", p.names.run)
		link.RawQuery = query.Encode()
		p.URL = link.String()
		p.nc, err = nats.Connect(address, append(dial, inbox, nats.MaxReconnects(-1),
			nats.ReconnectWait(retryAfter))...)
		return err
	}
	secret := rand.Text()
	if p.server, p.URL, err = startServer(p.opt, gate{secret, p.opt.Token, p.names}); err != nil {
		return err
	}
	p.nc, err = nats.Connect("", nats.InProcessServer(p.server), nats.Token(secret), inbox)
	return err
}

// startServer starts a NATS server that keeps its files in a folder. An address that other machines reach needs a token
// and a certificate. startServer returns the URL for workers.
func startServer(o Options, g gate) (s *server.Server, at string, err error) {
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, "", fmt.Errorf("%q is not HOST:PORT, such as 127.0.0.1:4222: %w", o.Address, err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("%q: the port %q is not a number from 0 to 65535; 0 takes any free port", o.Address,
			port)
	case !Loopback(host) && (o.Token == "" || o.Certificate == nil):
		return nil, "", fmt.Errorf("%s: an address that other machines reach needs a token and a certificate",
			o.Address)
	}
	opt := &server.Options{
		Host: host, Port: int(number), JetStream: true, StoreDir: o.Folder, MaxPayload: largest, NoLog: true,
		NoSigs:                     true,
		CustomClientAuthentication: g,
	}
	if number == 0 {
		opt.Port = server.RANDOM_PORT
	}
	link := url.URL{Scheme: "nats"}
	if o.Certificate != nil {
		opt.TLS, opt.TLSConfig = true, &tls.Config{MinVersion: tls.VersionTLS13,
			Certificates: []tls.Certificate{*o.Certificate}}
		link.RawQuery = "fingerprint=" + fingerprint(o.Certificate.Certificate[0])
	}
	// NATS reports only that the server did not start. Listening here first gives the reason.
	try, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, "", err
	}
	_ = try.Close()
	if s, err = server.NewServer(opt); err != nil {
		return nil, "", err
	}
	go s.Start()
	if !s.ReadyForConnections(startsWithin) {
		s.Shutdown()
		return nil, "", errors.New("the NATS server did not start")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			return nil, "", err
		}
	}
	link.Host = net.JoinHostPort(host, strconv.Itoa(s.Addr().(*net.TCPAddr).Port))
	return s, link.String(), nil
}

// Loopback reports whether a host is an address that only this machine reaches.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// An Identity is the certificate that a server shows to its clients, and the token that it asks of them.
type Identity struct {
	Certificate tls.Certificate
	Token       string
}

const tokenBlock = "BENCH TOKEN"

// KeptIdentity reads an identity from a file that only its owner may read, and makes the file if there is none. So
// workers recognise a coordinator that is started again.
func KeptIdentity(file string) (id Identity, err error) {
	text, err := files.Read(file, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = newIdentity(); err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
	}
	if err != nil {
		return id, err
	}
	info, err := os.Stat(file)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("other users may read %s, which holds the key and the token of the run; delete it, and "+
			"another one is made", file)
	}
	if err != nil {
		return id, err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == tokenBlock {
			id.Token = string(block.Bytes)
		}
	}
	id.Certificate, err = tls.X509KeyPair(text, text)
	if err == nil && id.Token == "" {
		err = errors.New("it has no token")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w; delete the file, and another one is made", file, err)
	}
	return id, err
}

// newIdentity makes a random token, and a certificate with its key, as PEM. Workers know the certificate by its
// fingerprint, so its names and dates do not matter.
func newIdentity() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		DNSNames: []string{"bench"}}
	certificate, err1 := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	private, err2 := x509.MarshalPKCS8PrivateKey(key)
	var out []byte
	for _, b := range []pem.Block{{Type: "CERTIFICATE", Bytes: certificate}, {Type: "PRIVATE KEY", Bytes: private},
		{Type: tokenBlock, Bytes: []byte(rand.Text())}} {
		out = append(out, pem.EncodeToMemory(&b)...)
	}
	return out, errors.Join(err1, err2)
}

// fingerprint returns the SHA-256 of a certificate in hexadecimal digits, by which workers and people know the server.
func fingerprint(certificate []byte) string {
	sum := sha256.Sum256(certificate)
	return hex.EncodeToString(sum[:])
}

// errFingerprint begins the error of a worker whose address names another certificate than the coordinator has: another
// coordinator answers there, or this one has made a new certificate.
var errFingerprint = errors.New("the coordinator's certificate has the fingerprint")

// dialOptions reads the URL of a server, nats://[TOKEN@]HOST:PORT[?fingerprint=HEX][&run=ID], or the same with tls://.
// It returns the address, the options of the connection, and the identity of the run. An address of another machine
// needs tls:// and a certificate that this machine trusts, or a fingerprint. A secret with a colon is a user and a
// password; any other secret is a token.
func dialOptions(at, secret string) (address string, opt []nats.Option, run string, err error) {
	link, err := url.Parse(at)
	if err != nil || link.Scheme != "nats" && link.Scheme != "tls" || link.Host == "" || link.Port() == "" {
		return "", nil, "", fmt.Errorf("%q is not an address of a coordinator, such as nats://127.0.0.1:4222", at)
	}
	if link.User != nil && secret == "" {
		secret = link.User.String()
	}
	if user, password, both := strings.Cut(secret, ":"); both {
		opt = append(opt, nats.UserInfo(user, password))
	} else if secret != "" {
		opt = append(opt, nats.Token(secret))
	}
	want := link.Query().Get("fingerprint")
	if want == "" && link.Scheme == "nats" && !Loopback(link.Hostname()) {
		return "", nil, "", fmt.Errorf("%s: an address of another machine needs tls://, or ?fingerprint=..., which "+
			"the coordinator prints", link.Host)
	}
	if want != "" {
		opt = append(opt, nats.Secure(&tls.Config{
			MinVersion:         tls.VersionTLS13,
			InsecureSkipVerify: true, // the fingerprint is checked instead of the chain of certificates
			VerifyConnection: func(c tls.ConnectionState) error {
				if got := fingerprint(c.PeerCertificates[0].Raw); subtle.ConstantTimeCompare([]byte(got),
					[]byte(want)) != 1 {
					return fmt.Errorf("%w %s, not %s; take the address that the coordinator prints", errFingerprint,
						got, want)
				}
				return nil
			},
		}))
	} else if link.Scheme == "tls" {
		opt = append(opt, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	return "nats://" + link.Host, opt, cmp.Or(link.Query().Get("run"), ownRun), nil
}
