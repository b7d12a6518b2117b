package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// stampName is the file in web/dist that says from what it was built. A run
// that finds it true does nothing.
const stampName = ".stamp"

type stamp struct {
	Tool     string   `json:"tool"`     // hash of this program and of the versions it stands on
	Inputs   string   `json:"inputs"`   // hash of everything that goes in
	Packages []string `json:"packages"` // folders of the Go packages in the WASM module
}

func (s stamp) same(t stamp) bool { return s.Tool == t.Tool && s.Inputs == t.Inputs }

// readStamp is the last build's stamp, or an empty one that is like no other.
func readStamp(dist string) stamp {
	var s stamp
	raw, err := os.ReadFile(filepath.Join(dist, stampName))
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return stamp{}
	}
	for _, p := range parties {
		if _, err := os.Stat(filepath.Join(dist, p.name, "manifest.json")); err != nil {
			return stamp{}
		}
	}
	return s
}

// takeStamp hashes the sources as they are now.
func takeStamp(root string, packages []string) (stamp, error) {
	s := stamp{Packages: packages}
	var err error
	s.Tool, err = hashFiles(root, []string{"web/build", "web/manifest", "go.mod", "go.sum"}, runtime.Version())
	if err != nil {
		return s, err
	}
	inputs := append([]string{"web/ui", "wasm"}, packages...)
	for _, p := range parties {
		inputs = append(inputs, "web/"+p.name)
	}
	slices.Sort(inputs)
	s.Inputs, err = hashFiles(root, slices.Compact(inputs), "")
	return s, err
}

func (s stamp) write(dist string) error {
	raw, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, stampName), append(raw, '\n'), 0o644)
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
