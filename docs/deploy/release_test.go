//go:build linux

package deploy_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

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
			checkSBOM(t, content)
		case strings.HasSuffix(name, "-amd64.tar"):
			if says := checkImage(t, untar(t, content)); !strings.Contains(says, "("+revision+")") {
				t.Errorf("the program says %s, want the revision %s", says, revision)
			}
		}
	}
}

// TestReleaseNames builds releases of a repository without tags, with the tag of the version, and with changes that are
// not committed. A program that needs no compiler stands in for Go.
func TestReleaseNames(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TARGETS=darwin/arm64 windows/amd64", "PATH="+dir+"/bin:"+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		return string(out) + map[bool]string{true: " failed"}[err != nil]
	}
	for _, file := range []string{"docs/deploy/release.sh", "internal/app/app.go", "NOTICE", "CHANGELOG.md"} {
		content, err := os.ReadFile("../../" + file)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), content, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const fake = "#!/bin/sh\ncase $1 in build) echo $GOOS >\"$5\";; env) echo go1.26.0;; " +
		"version) printf '\\tdep\\texample.org/%s\\tv1.0.0+x\\th1:=\\n' $(cat $3);; esac\n"
	if err := os.Mkdir(dir+"/bin", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/bin/go", []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(run("sed", "-n", `s/^const release = "\(.*\)"$/\1/p`, "internal/app/app.go"))
	for _, command := range []string{"init -q", "add -A", "commit -qm x"} {
		if out := run("git", strings.Fields(command)...); out != "" {
			t.Fatalf("git %s: %s", command, out)
		}
	}
	revision := strings.TrimSpace(run("git", "rev-parse", "--short=12", "HEAD"))
	if err := os.WriteFile(dir+"/.git/info/exclude", []byte("dist\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vestibule-" + version + "-" + revision, "vestibule-" + version} {
		want := "dist:\nSHA256SUMS\n" + name + "-darwin-arm64.tar.gz\n" + name + "-notes.md\n" + name + "-sbom.cdx.json\n" +
			name + "-windows-amd64.tar.gz\n"
		if out := run("bash", "docs/deploy/release.sh"); out != want {
			t.Errorf("release of %s: %s", name, out)
		}
		if out := run("tar", "tzf", "dist/"+name+"-windows-amd64.tar.gz"); !strings.Contains(out, "./vestibule.exe\n") {
			t.Errorf("the archive for Windows has %s", out)
		}
		sbom, err := os.ReadFile(filepath.Join(dir, "dist", name+"-sbom.cdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		if n := checkSBOM(t, sbom); n != 3 || !strings.Contains(string(sbom), "example.org/windows@v1.0.0%2Bx") {
			t.Errorf("the SBOM of %s has %d components: %s", name, n, sbom)
		}
		if out := run("git", "tag", "v"+version); strings.Contains(out, "failed") && !strings.Contains(out, "already") {
			t.Fatal(out)
		}
	}
	if err := os.WriteFile(dir+"/NOTICE", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run("bash", "docs/deploy/release.sh"); !strings.Contains(out, "commit your changes first") || !strings.Contains(out, "failed") {
		t.Errorf("with changes: %s", out)
	}
}

// checkSBOM checks the fields that CycloneDX 1.5 requires, and returns the number of components.
func checkSBOM(t *testing.T, content []byte) int {
	t.Helper()
	type component struct {
		Type, Name, Version, PURL string
		BOMRef                    string `json:"bom-ref"`
	}
	var bom struct {
		BOMFormat, SpecVersion, SerialNumber string
		Version                              int
		Metadata                             struct {
			Timestamp time.Time
			Component component
		}
		Components []component
	}
	if err := json.Unmarshal(content, &bom); err != nil || bom.BOMFormat != "CycloneDX" || bom.SpecVersion != "1.5" || bom.Version != 1 ||
		!regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(bom.SerialNumber) ||
		bom.Metadata.Timestamp.IsZero() || bom.Metadata.Component.Type != "application" {
		t.Errorf("SBOM: %v, %+v", err, bom)
	}
	refs := map[string]bool{}
	for _, c := range append(bom.Components, bom.Metadata.Component) {
		if c.Type == "" || c.Name == "" || c.Version == "" || c.BOMRef == "" || refs[c.BOMRef] ||
			c.Type == "library" && !strings.HasPrefix(c.PURL, "pkg:golang/"+c.Name+"@") {
			t.Errorf("SBOM: the component %+v is incomplete, or there twice", c)
		}
		refs[c.BOMRef] = true
	}
	return len(bom.Components)
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

// checkImage follows an image from its index to the program, as the OCI image specification says, runs the program as an
// engine does, and returns what it says of its version.
func checkImage(t *testing.T, files map[string][]byte) string {
	t.Helper()
	type blob struct {
		MediaType, Digest string
		Size              int
		Platform          struct{ OS, Architecture string }
	}
	const oci = "application/vnd.oci.image."
	read := func(b blob, kind string) []byte {
		t.Helper()
		content := files["blobs/sha256/"+strings.TrimPrefix(b.Digest, "sha256:")]
		if len(content) != b.Size || b.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256(content)) || b.MediaType != oci+kind {
			t.Fatalf("the blob %+v has %d bytes of another digest or kind than %s", b, len(content), kind)
		}
		return content
	}
	decode := func(raw []byte, v any) {
		t.Helper()
		if err := json.Unmarshal(raw, v); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
	}
	var layout struct{ ImageLayoutVersion string }
	var index, manifest struct {
		SchemaVersion int
		MediaType     string
		Manifests     []blob
		Config        blob
		Layers        []blob
	}
	var config struct {
		Created          time.Time
		Architecture, OS string
		Config           struct {
			User, StopSignal     string
			Env, Entrypoint, Cmd []string
			Healthcheck          struct{ Test []string }
			ExposedPorts         map[string]struct{}
			Volumes              map[string]struct{}
		}
		RootFS struct {
			Type    string
			DiffIDs []string `json:"diff_ids"`
		}
		History []any
	}
	decode(files["oci-layout"], &layout)
	decode(files["index.json"], &index)
	if layout.ImageLayoutVersion != "1.0.0" || index.SchemaVersion != 2 || index.MediaType != oci+"index.v1+json" ||
		len(index.Manifests) != 1 || index.Manifests[0].Platform.OS != "linux" || index.Manifests[0].Platform.Architecture != "amd64" {
		t.Fatalf("layout %+v, index %+v", layout, index)
	}
	decode(read(index.Manifests[0], "manifest.v1+json"), &manifest)
	decode(read(manifest.Config, "config.v1+json"), &config)
	c := config.Config
	_, public := c.ExposedPorts["8080/tcp"]
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/vestibule"}) || !slices.Equal(c.Cmd, []string{"serve"}) ||
		!slices.Contains(c.Env, "VESTIBULE_DATA_DIR=/data") || c.StopSignal != "SIGTERM" || !public || len(c.Volumes) != 1 ||
		!slices.Equal(c.Healthcheck.Test, []string{"CMD", "/vestibule", "health"}) {
		t.Errorf("the image runs by %+v", c)
	}
	if manifest.SchemaVersion != 2 || manifest.MediaType != oci+"manifest.v1+json" || config.OS != "linux" || config.Architecture != "amd64" ||
		config.Created.IsZero() || config.RootFS.Type != "layers" || len(config.RootFS.DiffIDs) != len(manifest.Layers) ||
		len(config.History) != len(manifest.Layers) {
		t.Errorf("manifest %+v of %+v", manifest, config)
	}
	root, tars := t.TempDir(), t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, l := range manifest.Layers {
		raw := read(l, "layer.v1.tar")
		if config.RootFS.DiffIDs[i] != l.Digest { // layers are not compressed
			t.Errorf("the layer %s has the diff id %s", l.Digest, config.RootFS.DiffIDs[i])
		}
		for r := tar.NewReader(bytes.NewReader(raw)); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if own := strings.HasPrefix(strings.TrimPrefix(h.Name, "./"), "data/"); own != (h.Uid == 65532) || h.Uid != h.Gid || h.Mode&0o022 != 0 {
				t.Errorf("%s belongs to %d, with the mode %o", h.Name, h.Uid, h.Mode)
			}
		}
		if err := os.WriteFile(filepath.Join(tars, "layer"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("tar", "-C", root, "-xf", filepath.Join(tars, "layer")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, file := range []string{"etc/ssl/certs/ca-certificates.crt", "NOTICE", "data"} {
		if f, err := os.Stat(filepath.Join(root, file)); err != nil || f.Size() == 0 {
			t.Errorf("the image lacks %s: %v", file, err)
		}
	}
	run := func(ctx context.Context, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(root, "vestibule"), args...)
		cmd.Env = append(slices.Clone(c.Env), "VESTIBULE_PORTAL_ADDR=localhost:0", "VESTIBULE_PROVIDER_ADDR=127.0.0.1:0",
			"VESTIBULE_ADMIN_ADDR=127.0.0.1:0", "VESTIBULE_DATA_DIR="+filepath.Join(root, "data"))
		if os.Geteuid() == 0 { // as an engine runs it: in its own root, which has /etc/hosts from the engine
			cmd.Path, cmd.Dir = "/vestibule", "/"
			cmd.Env = append(cmd.Env, "VESTIBULE_DATA_DIR=/data")
			cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		}
		return cmd
	}
	if err := os.WriteFile(filepath.Join(root, "etc/hosts"), []byte("127.0.0.1 localhost\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	serve := run(ctx, c.Cmd...)
	errs := &bytes.Buffer{}
	serve.Stderr = errs
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ready := false
	for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
		ready = lines.Text() == "ready"
	}
	if err := errors.Join(serve.Process.Signal(syscall.SIGTERM), serve.Wait()); err != nil || !ready {
		t.Errorf("serve in the image: ready %v, %v\n%s", ready, err, errs)
	}
	version, err := run(ctx, "version").Output()
	if err != nil {
		t.Error(err)
	}
	return string(version)
}
