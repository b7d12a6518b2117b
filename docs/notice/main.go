// The program notice writes NOTICE: the licenses of the modules that are compiled into the
// program and into the browser's module, of Go itself, and of the pages' font. A module without a license
// file is an error.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenseFile matches the names of files with a license or a notice that must be kept.
var licenseFile = regexp.MustCompile(`(?i)^(LICEN[CS]E|COPYING|NOTICE|PATENTS)([-_.].*)?$`)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1]); err != nil {
		log.Fatal("notice: ", err)
	}
}

func run(out string) error {
	dirs := map[string]string{} // by module and version
	for _, target := range []struct{ goos, goarch, pkg string }{{"linux", "amd64", "vestibule/cmd/server"}, {"js", "wasm", "vestibule/wasm"}} {
		list := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", target.pkg)
		list.Env = append(os.Environ(), "GOOS="+target.goos, "GOARCH="+target.goarch, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		raw, err := list.Output()
		if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(raw)) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[name] = dir
			}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	dirs["Go standard library"] = strings.TrimSpace(string(root))
	dirs["Inter 4.1 (the pages' font)"] = filepath.Join(filepath.Dir(out), "web/ui/inter")
	users := map[string][]string{} // modules by the text of their license
	for name, dir := range dirs {
		text, err := licenses(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		users[text] = append(users[text], name)
	}
	var texts []string
	for text := range users {
		slices.Sort(users[text])
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int { return strings.Compare(users[a][0], users[b][0]) })
	var b bytes.Buffer
	b.WriteString("The program vestibule contains the following software. Each section names the modules\nthat have the license below it.\n")
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(users[text], "\n"), strings.Repeat("-", 80), text)
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// licenses returns the texts of a module's license files, one after the other.
func licenses(dir string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, f := range files {
		if f.IsDir() || !licenseFile.MatchString(f.Name()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return "", err
		}
		lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(string(raw)), "\r\n", "\n"), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " \t\f")
		}
		if text := strings.Join(lines, "\n"); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("no license file in %s", filepath.Base(dir))
	}
	return strings.Join(texts, "\n\n"), nil
}
