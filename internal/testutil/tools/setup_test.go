package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/testutil"
)

// TestOutdatedNamesDebianPackages runs e2e/setup.sh outdated where each package that it
// installs has an update, and others have one. It fails neither then nor without an answer.
func TestOutdatedNamesDebianPackages(t *testing.T) {
	const setup = "../../../e2e/setup.sh"
	script, err := os.ReadFile(setup)
	testutil.Must(t, err)
	installed := []string{"chromium-headless-shell"}
	for _, m := range regexp.MustCompile(`missing\+=\(([^)]+)\)`).FindAllStringSubmatch(string(script), -1) {
		installed = append(installed, strings.Fields(m[1])...)
	}
	if len(installed) < 10 {
		t.Fatalf("the script installs %v", installed)
	}
	list := "Listing...\n"
	for _, name := range append(installed, "postgresql-15", "libc6", "nginx-full") {
		list += name + "/stable-security 2.0-1~deb12u1 amd64 [upgradable from: 1.9-3]\n"
	}
	dir := t.TempDir()
	run := func(apt string) string {
		t.Helper()
		for name, content := range map[string]string{"apt": apt, "npm": "#!/bin/sh\nexit 1\n"} {
			testutil.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700))
		}
		cmd := exec.Command("bash", setup, "outdated")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("outdated: %v", err)
		}
		return string(out)
	}
	out := run("#!/bin/sh\ncat <<'END'\n" + list + "END\n")
	for _, name := range append(installed, "postgresql-15") {
		if !strings.Contains(out, "\n"+name+" 1.9-3: 2.0-1~deb12u1\n") {
			t.Errorf("%s is not named in\n%s", name, out)
		}
	}
	if strings.Contains(out, "libc6") || strings.Contains(out, "nginx-full") {
		t.Errorf("packages that the tests do not need are named in\n%s", out)
	}
	if out := run("#!/bin/sh\nexit 100\n"); strings.Contains(out, "2.0-1") {
		t.Errorf("without an answer: %s", out)
	}
}
