package attacktest

import (
	"net"
	"sync/atomic"
	"testing"

	"vestibule/internal/testutil"
	"vestibule/internal/webhook"
)

// TestSenderRefusesInternalAddresses uses names and notations of addresses of this machine
// or its network. The sender checks the address when it connects, so an earlier DNS answer
// does not matter.
func TestSenderRefusesInternalAddresses(t *testing.T) {
	var connections atomic.Int32
	inside, err := net.Listen("tcp", ":0")
	testutil.Must(t, err)
	defer inside.Close()
	go func() {
		for {
			c, err := inside.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(inside.Addr().String())
	secret, err := webhook.ParseSecret(webhook.NewSecret())
	testutil.Must(t, err)
	try := func(s *webhook.Sender, host string) webhook.Result {
		return s.Deliver(t.Context(), webhook.Target{URL: "https://" + host + ":" + port + "/webhook", Secrets: []webhook.Secret{secret}},
			"evt_1", []byte(`{}`))
	}
	sender := webhook.NewSender(false, nil)
	for _, host := range []string{"127.0.0.1", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0.0.0.0", "[::]", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1",
		"[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "224.0.0.1", "255.255.255.255"} {
		if sender.CheckURL("https://"+host+"/webhook") == nil {
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
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections were made to this machine", n)
	}
	if try(webhook.NewSender(true, nil), "127.0.0.1"); connections.Load() == 0 {
		t.Error("nothing arrives where loopback is allowed, so this test shows nothing")
	}
}
