// Command print prints the pages of package pages by Chromium, for the tests of package
// paystub:
//
//	go run ./internal/testutil/paystubtest/pages/print
//
// It writes each page's true values into a JSON file beside the PDF file.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"vestibule/internal/testutil/paystubtest/pages"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "internal/analysis/paystub/testdata/pages", "folder of the files")
	only := flag.String("only", "", "print only layouts whose name contains this")
	persons := flag.Int("persons", 1, "number of files of each layout")
	keep := flag.Bool("html", false, "keep the HTML files")
	flag.Parse()
	browser := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		log.Fatal("Chromium is not installed; e2e/setup.sh installs it")
	}
	dir, err := filepath.Abs(*out)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	for _, name := range pages.Names() {
		if !strings.Contains(name, *only) {
			continue
		}
		for n := range *persons {
			base := filepath.Join(dir, name)
			if n > 0 {
				base += fmt.Sprint("-", n)
			}
			if err := printPage(browser, base, name, n, *keep); err != nil {
				log.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// options returns a layout's options of Chromium. Half of the layouts have letters at exact
// positions, the others at whole points; a few are tagged PDF, which doubles the size. The
// name decides, so that a new layout does not change the others.
func options(name string) []string {
	h := fnv.New32a()
	h.Write([]byte(name))
	i := h.Sum32()
	args := []string{"--font-render-hinting=" + []string{"none", "full"}[i%2]}
	if i/2%32 != 0 {
		args = append(args, "--disable-pdf-tagging")
	}
	return args
}

func printPage(browser, base, name string, n int, keep bool) error {
	p, err := pages.Make(name, n)
	if err != nil {
		return err
	}
	truth, err := json.MarshalIndent(p.Truth, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(base+".json", append(truth, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(base+".html", p.HTML, 0o644); err != nil {
		return err
	}
	args := append(options(name), "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
		"--print-to-pdf="+base+".pdf", "file://"+base+".html")
	cmd := exec.Command(browser, args...)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	if keep {
		return nil
	}
	return os.Remove(base + ".html")
}
