// Package stamp identifies the sources that the browser assets are built from, so
// that a build, or a test that needs one, can check whether it is up to date.
package stamp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Name is the stamp's file name in the folder of built assets.
const Name = ".stamp"

// Stamp is written by a build and compared with the sources by the next one.
type Stamp struct {
	Tool   string `json:"tool"`   // hash of web/build, the dependencies' versions and the toolchain's
	Inputs string `json:"inputs"` // hash of the web sources and of the WASM module's packages
}

// Read returns the stamp of built assets, or the zero Stamp without one.
func Read(built fs.FS) Stamp {
	var s Stamp
	raw, err := fs.ReadFile(built, Name)
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return Stamp{}
	}
	return s
}

// Take hashes the current sources below the module's root.
func Take(root string) (Stamp, error) {
	packages, err := modulePackages(root)
	if err != nil {
		return Stamp{}, err
	}
	var s Stamp
	s.Tool, err = hashFiles(root, []string{"web/build", "web/manifest", "go.mod", "go.sum"}, runtime.Version())
	if err != nil {
		return s, err
	}
	s.Inputs, err = hashFiles(root, append([]string{"web/ui", "web/portal", "web/provider"}, packages...), "")
	return s, err
}

// Write writes the stamp to the folder of built assets.
func (s Stamp) Write(dir string) error {
	raw, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, Name), append(raw, '\n'), 0o644)
}

// modulePackages returns the folders of the packages that ./wasm is compiled from.
func modulePackages(root string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(root, "wasm")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	module, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	browser := build.Default
	browser.GOOS, browser.GOARCH, browser.CgoEnabled = "js", "wasm", false
	folders := []string{"wasm"}
	for i := 0; i < len(folders); i++ {
		p, err := browser.ImportDir(filepath.Join(root, folders[i]), 0)
		if err != nil {
			return nil, err
		}
		for _, imported := range p.Imports {
			folder, ours := strings.CutPrefix(imported, module+"/")
			if ours && !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	slices.Sort(folders)
	return folders, nil
}

func modulePath(root string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(raw)) {
		if path, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(path), nil
		}
	}
	return "", errors.New("go.mod names no module")
}

// hashFiles hashes names and contents below the paths, tests left out. A path
// that does not exist counts as empty.
func hashFiles(root string, paths []string, salt string) (string, error) {
	sum := sha256.New()
	io.WriteString(sum, salt)
	for _, p := range paths {
		err := filepath.WalkDir(filepath.Join(root, p), func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() || strings.HasSuffix(file, "_test.go") {
				return err
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%s\x00%d\x00", filepath.ToSlash(rel), len(content))
			sum.Write(content)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
