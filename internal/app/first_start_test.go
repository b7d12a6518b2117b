package app_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/program"
)

// once runs the program until it is ready.
func once(t *testing.T, args ...string) {
	t.Helper()
	var log logtest.Buffer
	p, err := program.Run(app.Run, &log, args...)
	if err := errors.Join(err, p.End()); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
}

// TestFailedStartLeavesNoMasterKey starts the program where it cannot listen, and beside a
// database that another key encrypted.
func TestFailedStartLeavesNoMasterKey(t *testing.T) {
	assets.Need(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	testutil.Must(t, err)
	defer taken.Close()
	dir := t.TempDir()
	dir = filepath.Join(dir, "data")
	key := filepath.Join(dir, "master.key")
	fails := func(says string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		exit := app.Run(ctx, append(args, "--data-dir="+dir), &out, &errs)
		if exit == 0 || !strings.Contains(errs.String(), says) || out.Len() != 0 {
			t.Errorf("exit code %d, out %q, want words with %q:\n%s", exit, &out, says, &errs)
		}
		if _, err := os.Stat(key); err == nil {
			t.Error("the failed start leaves a master key behind")
		}
	}
	fails("another program listens there", "--portal-addr=localhost:0", "--provider-addr="+taken.Addr().String())
	for _, flag := range []string{"brand-file", "ca-file", "connectors", "institutions", "sandbox-bank-clients", "tls-cert"} {
		file := "--" + flag + "=" + filepath.Join(dir, "missing")
		fails("--"+flag, "serve", "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0", file)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("the start that fails for --%s leaves a folder behind", flag)
		}
	}
	if testing.Short() {
		return
	}
	args := []string{"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0"}
	once(t, append(args, "--data-dir="+dir)...)
	if err := os.Remove(key); err != nil {
		t.Fatalf("the first start makes no master key: %v", err)
	}
	fails("not the one that encrypted this database", args...)
}

// TestPortalDatabaseBelongsToAccount starts a portal on the database of another account's.
func TestPortalDatabaseBelongsToAccount(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	assets.Need(t)
	dir := "--data-dir=" + t.TempDir()
	for range 2 {
		once(t, elsewhere(dir)...)
	}
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	exit := app.Run(ctx, append(without("--public-id", dir), "--public-id=another"), &out, &errs)
	if exit != 2 || !strings.Contains(errs.String(), `belongs to the account "p"`) || !strings.Contains(errs.String(), "--database-url") {
		t.Errorf("exit code %d:\n%s", exit, &errs)
	}
}

// TestReadyIsNotified has the program tell systemd, as a unit with Type=notify, that it serves.
func TestReadyIsNotified(t *testing.T) {
	assets.Need(t)
	address := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenPacket("unixgram", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Setenv("NOTIFY_SOCKET", address)
	once(t, "portal", "--portal-addr=localhost:0", "--data-dir="+t.TempDir(), "--provider-url=https://service.example.com",
		"--public-id=svc-a", "--client-id=c", "--secret-key=s", "--products=cashflow=5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11",
		"--webhook-secret=whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0")
	got := make([]byte, 100)
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if n, _, err := c.ReadFrom(got); err != nil || string(got[:n]) != "READY=1" {
		t.Errorf("systemd is told %q: %v", got[:n], err)
	}
}
