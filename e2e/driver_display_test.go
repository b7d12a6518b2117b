package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// startDisplay starts an X server without a screen for a browser that has no headless mode. It
// returns the display's name, such as ":99", and a function that ends the server.
func startDisplay() (name string, end func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1920x1200x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		w.Close()
		return "", nil, err
	}
	w.Close()
	end = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		end()
		return "", nil, fmt.Errorf("Xvfb names no display: %w", err)
	}
	return ":" + strings.TrimSpace(number), end, nil
}
