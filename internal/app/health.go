package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

type healthCommand struct{}

func (healthCommand) uses() string { return "admin-addr admin-url ca-file environment both" }

// Run asks the admin listener of a running program whether it is ready, prints the
// answer, and returns errUnhealthy if it is not. Containers without a shell and
// supervisors call it.
func (healthCommand) Run(ctx context.Context, in *invocation) error {
	url := in.config.Listen.AdminURL
	if url == "" {
		host, port, err := net.SplitHostPort(in.config.Listen.AdminAddr)
		if err != nil {
			return refusal{errors.New("give --admin-addr or --admin-url, the admin listener of the running program")}
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		url = "http://" + net.JoinHostPort(host, port)
	}
	if !httpx.IsBaseURL(url) {
		return refusal{fmt.Errorf("--admin-url %q: must be an absolute http or https URL without user, query or fragment", url)}
	}
	path := "/readyz"
	if in.config.Both.SandboxSettings != "" && in.config.Process.Environment == contract.Sandbox {
		path += "/sandbox"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*readyTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		fmt.Fprintln(in.stdout, "not reachable:", err)
		return errUnhealthy
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		fmt.Fprintln(in.stdout, "not ready:", resp.Status)
		return errUnhealthy
	}
	fmt.Fprintln(in.stdout, "ready")
	return nil
}
