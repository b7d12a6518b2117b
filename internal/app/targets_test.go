package app_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/testutil"
)

// TestTargetsOfBothEnvironments names one environment in the part of a request that counts, and the other in every other
// part that a server or a proxy may read. The credentials say which environment answered: only its own accepts them.
func TestTargetsOfBothEnvironments(t *testing.T) {
	eachBothInFull(t, func(t *testing.T, w *bothServer) {
		testutil.Must(t, w.End())
		certificate, key := writeCertificate(t)
		w.args = append(w.args, "--tls-cert="+certificate, "--tls-key="+key)
		w.start(t)
		const path = "/connect/accesstoken"
		own, theirs := basic(w.Credentials.Account), basic(w.customer.Account) // of the sandbox, 127.0.0.1, and of production, localhost
		forwarded := "X-Forwarded-Host: localhost\r\nX-Forwarded-Server: localhost\r\nX-Original-Host: localhost\r\n" +
			"X-Host: localhost\r\nForwarded: host=localhost\r\nX-Original-URL: http://localhost" + path + "\r\nX-Environment: sandbox\r\n"
		for name, c := range map[string]struct {
			target, host, more, credentials string
			status                          int
		}{
			"its own":                             {path, "127.0.0.1", "", own, 200},
			"the other's":                         {path, "localhost", "", own, 403},
			"forwarded headers":                   {path, "127.0.0.1", forwarded, theirs, 403},
			"forwarded headers, and good":         {path, "127.0.0.1", forwarded, own, 200},
			"an absolute target":                  {"http://localhost" + path, "127.0.0.1", "", own, 403},
			"an absolute target decides":          {"http://localhost" + path, "127.0.0.1", "", theirs, 200},
			"an absolute target of a stranger":    {"http://evil.example" + path, "127.0.0.1", "", own, 421},
			"an absolute target with a user":      {"http://127.0.0.1@localhost" + path, "127.0.0.1", "", own, 403},
			"two hosts":                           {path, "127.0.0.1", "Host: localhost\r\n", own, 400},
			"a host and spaces":                   {path, "127.0.0.1 localhost", "", own, 400},
			"a list of hosts":                     {path, "127.0.0.1,localhost", "", own, 421},
			"no host":                             {path, "", "", own, 421},
			"a target of another kind":            {"*", "127.0.0.1", "", own, 307},
			"a folded header":                     {path, "127.0.0.1\r\n localhost", "", own, 400},
			"a path that looks like an authority": {"//localhost" + path, "127.0.0.1", "", theirs, 307},
		} {
			conn := w.dial(t, "http/1.1")
			io.WriteString(conn, "GET "+c.target+" HTTP/1.1\r\nHost: "+c.host+"\r\nAuthorization: "+c.credentials+"\r\n"+c.more+
				"Connection: close\r\n\r\n")
			a, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if to := a.Header.Get("Location"); a.StatusCode != c.status || to != "" && (to[0] != '/' || strings.HasPrefix(to, "//")) {
				t.Errorf("%s: %d to %q, want %d", name, a.StatusCode, to, c.status)
			}
			conn.Close()
		}
		for name, c := range map[string]struct {
			authority, host, credentials string
			accepted                     bool
		}{
			"the authority alone":        {"127.0.0.1", "", own, true},
			"another host":               {"127.0.0.1", "localhost", own, true},
			"another authority":          {"localhost", "127.0.0.1", own, false},
			"the other's by the host":    {"127.0.0.1", "localhost", theirs, false},
			"no authority":               {"", "localhost", own, false},
			"an authority with a user":   {"127.0.0.1@localhost", "", own, false},
			"a stranger's, and our host": {"evil.example", "127.0.0.1", own, false},
		} {
			if body := w.http2(t, c.authority, c.host, path, c.credentials); strings.Contains(body, `"accessToken"`) != c.accepted {
				t.Errorf("HTTP/2, %s: %s", name, body)
			}
		}
	})
}

func (w *bothServer) dial(t *testing.T, protocol string) net.Conn {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(w.args[1], "--provider-addr="),
		&tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
	testutil.Must(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

// http2 sends a request whose :authority and Host may differ, as no HTTP client does, and returns the answer's body, or why
// there is none.
func (w *bothServer) http2(t *testing.T, authority, host, path, credentials string) string {
	t.Helper()
	conn := w.dial(t, "h2")
	frame := func(kind, flags byte, stream uint32, payload string) string {
		head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
		return string(binary.BigEndian.AppendUint32(append(head, flags), stream)) + payload
	}
	fields := ""
	for _, f := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":path", path}, {":authority", authority}, {"host", host},
		{"authorization", credentials}} {
		if f[1] != "" { // a literal without indexing (RFC 7541, 6.2.2); values of 127 bytes and more are prefixed by two
			size := string([]byte{byte(len(f[1]))})
			if len(f[1]) >= 127 {
				size = string([]byte{127, byte(len(f[1]) - 127)})
			}
			fields += "\x00" + string([]byte{byte(len(f[0]))}) + f[0] + size + f[1]
		}
	}
	io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+frame(4, 0, 0, "")+frame(1, 5, 1, fields))
	body := ""
	for {
		var head [9]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return "no answer: " + err.Error()
		}
		payload := make([]byte, binary.BigEndian.Uint32(head[:4])>>8)
		if _, err := io.ReadFull(conn, payload); err != nil {
			return "no answer: " + err.Error()
		}
		switch kind, flags := head[3], head[4]; {
		case kind == 3, kind == 7:
			return "refused"
		case kind == 0:
			body += string(payload)
			if flags&1 != 0 {
				return body
			}
		case kind == 1 && flags&1 != 0:
			return body
		}
	}
}

// writeCertificate writes a certificate and its key.
func writeCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testutil.Must(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	cert, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	testutil.Must(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	testutil.Must(t, err)
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(t.TempDir(), name)
		testutil.Must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", raw)
}
