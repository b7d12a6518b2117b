package deploy_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestReleaseIsReproducible builds a release of the present commit in two folders, and runs what it made.
func TestReleaseIsReproducible(t *testing.T) {
	tools.FullOnly(t)
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TARGETS=linux/amd64", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	revision := strings.TrimSpace(run(".", "git", "rev-parse", "--short=12", "HEAD"))
	var made [2]map[string][]byte
	for i := range made {
		dir := filepath.Join(t.TempDir(), strings.Repeat("x", i+1))
		run(".", "git", "clone", "--quiet", "../..", dir)
		run(dir, "git", "checkout", "--quiet", revision)
		run(dir, "make", "release")
		made[i] = map[string][]byte{}
		files, err := os.ReadDir(filepath.Join(dir, "dist"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if made[i][f.Name()], err = os.ReadFile(filepath.Join(dir, "dist", f.Name())); err != nil {
				t.Fatal(err)
			}
		}
		run(filepath.Join(dir, "dist"), "sha256sum", "--check", "--strict", "SHA256SUMS")
	}
	if len(made[0]) != 5 || len(made[1]) != 5 {
		t.Fatalf("%d and %d files, want 5", len(made[0]), len(made[1]))
	}
	for name, content := range made[0] {
		if !bytes.Equal(content, made[1][name]) {
			t.Errorf("%s differs between two builds", name)
		}
		switch {
		case strings.HasSuffix(name, ".cdx.json"):
			var bom struct {
				BOMFormat  string
				Components []struct{ Name, Version, PURL string }
			}
			if err := json.Unmarshal(content, &bom); err != nil || bom.BOMFormat != "CycloneDX" || len(bom.Components) < 30 {
				t.Errorf("SBOM: %v, %d components", err, len(bom.Components))
			}
		case strings.HasSuffix(name, "-amd64.tar"):
			if says := checkImage(t, untar(t, content), run); !strings.Contains(says, "("+revision+")") {
				t.Errorf("the program says %s, want the revision %s", says, revision)
			}
		}
	}
}

// untar returns the files of an archive by name.
func untar(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[strings.TrimPrefix(h.Name, "./")], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// checkImage follows an image from its index to the program, and returns what the program says of its version.
func checkImage(t *testing.T, files map[string][]byte, run func(dir, name string, args ...string) string) string {
	t.Helper()
	type blob struct {
		Digest string
		Size   int
	}
	read := func(b blob) []byte {
		t.Helper()
		content := files["blobs/sha256/"+strings.TrimPrefix(b.Digest, "sha256:")]
		if len(content) != b.Size || len(content) == 0 {
			t.Fatalf("the blob %s has %d bytes, not %d", b.Digest, len(content), b.Size)
		}
		return content
	}
	decode := func(raw []byte, v any) {
		t.Helper()
		if err := json.Unmarshal(raw, v); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
	}
	var index struct{ Manifests []blob }
	var manifest struct {
		Config blob
		Layers []blob
	}
	var config struct {
		Config struct {
			User, StopSignal     string
			Env, Entrypoint, Cmd []string
			Healthcheck          struct{ Test []string }
		}
	}
	decode(files["index.json"], &index)
	decode(read(index.Manifests[0]), &manifest)
	decode(read(manifest.Config), &config)
	c := config.Config
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/vestibule"}) || !slices.Equal(c.Cmd, []string{"serve"}) ||
		!slices.Contains(c.Env, "VESTIBULE_DATA_DIR=/data") || c.StopSignal != "SIGTERM" ||
		!slices.Equal(c.Healthcheck.Test, []string{"CMD", "/vestibule", "health"}) {
		t.Errorf("the image runs by %+v", c)
	}
	root := untar(t, read(manifest.Layers[0]))
	if _, ok := untar(t, read(manifest.Layers[1]))["data/"]; !ok {
		t.Error("the image has no folder /data")
	}
	if !bytes.Contains(root["etc/ssl/certs/ca-certificates.crt"], []byte("BEGIN CERTIFICATE")) || len(root["NOTICE"]) == 0 {
		t.Error("the image lacks certificates or licenses")
	}
	program := filepath.Join(t.TempDir(), "vestibule")
	if err := os.WriteFile(program, root["vestibule"], 0o700); err != nil {
		t.Fatal(err)
	}
	return run(".", program, "version")
}
