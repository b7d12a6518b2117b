package attacktest

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"vestibule/internal/webhook"
)

var named = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)`")

// TestSecurityPageNamesExistingTests checks that the tests named in SECURITY.md
// exist.
func TestSecurityPageNamesExistingTests(t *testing.T) {
	page, err := os.ReadFile("../../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, threats, _ := strings.Cut(string(page), "## Threats")
	threats, _, ok := strings.Cut(threats, "## What is not protected")
	if !ok {
		t.Fatal("the page has no threats")
	}
	code := map[string]string{} // folder → its tests
	rows := 0
	for _, line := range strings.Split(threats, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| attack |") {
			continue
		}
		rows++
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test named: %.80s", line)
		}
		for _, m := range tests {
			if _, ok := code[m[1]]; !ok {
				files, _ := filepath.Glob(filepath.Join("../../..", m[1], "*_test.go"))
				for _, file := range files {
					raw, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					code[m[1]] += string(raw)
				}
			}
			if !strings.Contains(code[m[1]], "\nfunc "+m[2]+"(") {
				t.Errorf("%s has no %s", m[1], m[2])
			}
		}
	}
	if rows < 40 {
		t.Errorf("only %d threats", rows)
	}
}

// TestSenderRefusesInternalAddresses uses names and notations of addresses of this machine
// or its network. The sender checks the address when it connects, so an earlier DNS answer
// does not matter.
func TestSenderRefusesInternalAddresses(t *testing.T) {
	var heard atomic.Int32
	inside, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	go func() {
		for {
			c, err := inside.Accept()
			if err != nil {
				return
			}
			heard.Add(1)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(inside.Addr().String())
	secret, err := webhook.ParseSecret(webhook.NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	try := func(s *webhook.Sender, host string) webhook.Result {
		return s.Deliver(t.Context(), "https://"+host+":"+port+"/hook", []webhook.Secret{secret}, "evt_1", []byte(`{}`))
	}
	sender := webhook.NewSender(false, nil)
	for _, host := range []string{"127.0.0.1", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0.0.0.0", "[::]", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1",
		"[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "224.0.0.1", "255.255.255.255"} {
		if sender.CheckURL("https://"+host+"/hook") == nil {
			t.Errorf("%s can be registered", host)
		}
		if got := try(sender, host); got.Err == nil {
			t.Errorf("%s: %+v", host, got)
		}
	}
	for _, host := range []string{"localhost", "localhost.", "2130706433", "0x7f000001", "0177.0.0.1", "127.1"} {
		if got := try(sender, host); got.Err == nil {
			t.Errorf("%s: %+v", host, got)
		}
	}
	if n := heard.Load(); n != 0 {
		t.Errorf("%d connections were made to this machine", n)
	}
	if try(webhook.NewSender(true, nil), "127.0.0.1"); heard.Load() == 0 {
		t.Error("nothing arrives where loopback is allowed, so this test shows nothing")
	}
}
