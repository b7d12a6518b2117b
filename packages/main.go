// Command packages builds the npm package of packages/js and writes its tarball, which npm install takes.
// The same sources give the same bytes. It needs only Go.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "the module's root")
	out := flag.String("out", "bin", "folder of the tarball")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		log.Fatal("packages: ", err)
	}
}

func run(root, out string) error {
	files, err := build(root)
	if err != nil {
		return err
	}
	var is struct{ Name, Version string }
	if err := json.Unmarshal(files["package.json"], &is); err != nil {
		return err
	}
	tarball, err := pack(files)
	if err != nil {
		return err
	}
	size, err := scriptBytes(files)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	// the name that npm pack gives it
	file := filepath.Join(out, strings.NewReplacer("@", "", "/", "-").Replace(is.Name)+"-"+is.Version+".tgz")
	fmt.Printf("%s: %d bytes of scripts, minified and compressed by brotli\n", file, size)
	return os.WriteFile(file, tarball, 0o644)
}

// build returns the files of the package by name.
func build(root string) (map[string][]byte, error) {
	source, err := filepath.Abs(filepath.Join(root, "packages", "js", "src"))
	if err != nil {
		return nil, err
	}
	r := api.Build(api.BuildOptions{
		AbsWorkingDir: source, EntryPoints: []string{"index.ts", "react.ts"}, Outdir: source,
		Bundle: true, External: []string{"react", "./index.js"}, Format: api.FormatESModule, Target: api.ES2020,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Charset: api.CharsetUTF8,
	})
	if all := append(r.Errors, r.Warnings...); len(all) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(all, api.FormatMessagesOptions{}), ""))
	}
	files := map[string][]byte{}
	for _, f := range r.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	for name, from := range map[string]string{
		"package.json": "packages/js/package.json", "README.md": "packages/js/README.md",
		"index.d.ts": "packages/js/index.d.ts", "react.d.ts": "packages/js/react.d.ts",
		"kit.d.ts": "web/portal/parts/embed-api.d.ts", "widget.d.ts": "web/provider/parts/widget-api.d.ts",
	} {
		if files[name], err = os.ReadFile(filepath.Join(root, from)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// pack returns a tarball in npm's layout, with npm's fixed time.
func pack(files map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	tape := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		head := &tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(files[name])),
			ModTime: time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC)}
		if err := tape.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := tape.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err = errors.Join(tape.Close(), zip.Close())
	return out.Bytes(), err
}

// scriptBytes returns the size of all scripts, each compressed by brotli.
func scriptBytes(files map[string][]byte) (int, error) {
	var out bytes.Buffer
	for name, content := range files {
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		w := brotli.NewWriterLevel(&out, brotli.BestCompression)
		_, err := w.Write(content)
		if err := errors.Join(err, w.Close()); err != nil {
			return 0, err
		}
	}
	return out.Len(), nil
}
