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

	"vestibule/internal/testutil"
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
		testutil.Must(t, err)
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
			if says := checkImage(t, content); !strings.Contains(says, "("+revision+")") {
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
		testutil.Must(t, err)
	}
	const fake = "#!/bin/sh\ncase $1 in build) echo $GOOS >\"$5\";; env) echo go1.26.0;; " +
		"version) printf '\\tdep\\texample.org/%s\\tv1.0.0+x\\th1:=\\n' $(cat $3);; esac\n"
	testutil.Must(t, os.Mkdir(dir+"/bin", 0o700))
	testutil.Must(t, os.WriteFile(dir+"/bin/go", []byte(fake), 0o700))
	version := strings.TrimSpace(run("sed", "-n", `s/^const release = "\(.*\)"$/\1/p`, "internal/app/app.go"))
	for _, command := range []string{"init -q", "add -A", "commit -qm x"} {
		if out := run("git", strings.Fields(command)...); out != "" {
			t.Fatalf("git %s: %s", command, out)
		}
	}
	revision := strings.TrimSpace(run("git", "rev-parse", "--short=12", "HEAD"))
	testutil.Must(t, os.WriteFile(dir+"/.git/info/exclude", []byte("dist\n"), 0o600))
	for _, name := range []string{"vestibule-" + version + "-" + revision, "vestibule-" + version} {
		want := "dist:\nSHA256SUMS\n" + name + "-darwin-arm64.tar.gz\n" + name + "-notes.md\n" + name + "-sbom.cdx.json\n" +
			name + "-windows-amd64.tar.gz\n"
		if out := run("bash", "docs/deploy/release.sh"); out != want {
			t.Errorf("release of %s: %s", name, out)
		}
		if out := run("tar", "tzf", "dist/"+name+"-windows-amd64.tar.gz"); !strings.Contains(out, "./vestibule.exe\n") {
			t.Errorf("the archive for Windows has %s", out)
		}
		sbom := testutil.ReadFile(t, filepath.Join(dir, "dist", name+"-sbom.cdx.json"))
		if n := checkSBOM(t, sbom); n != 3 || !strings.Contains(string(sbom), "example.org/windows@v1.0.0%2Bx") {
			t.Errorf("the SBOM of %s has %d components: %s", name, n, sbom)
		}
		if out := run("git", "tag", "v"+version); strings.Contains(out, "failed") && !strings.Contains(out, "already") {
			t.Fatal(out)
		}
	}
	testutil.Must(t, os.WriteFile(dir+"/NOTICE", nil, 0o600))
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

// eachFile calls f for each file of an archive.
func eachFile(t *testing.T, archive []byte, f func(h *tar.Header, content []byte)) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		content, err2 := io.ReadAll(r)
		testutil.Must(t, errors.Join(err, err2))
		f(h, content)
	}
}

// image is a container image as the OCI image specification says, with the folder into which its layers are unpacked.
type image struct {
	t        *testing.T
	files    map[string][]byte
	manifest imageIndex
	config   imageConfig
	root     string
}

const oci = "application/vnd.oci.image."

type imageBlob struct {
	MediaType, Digest string
	Size              int
	Platform          struct{ OS, Architecture string }
}

// imageIndex is the index of an image, or its manifest.
type imageIndex struct {
	SchemaVersion int
	MediaType     string
	Manifests     []imageBlob
	Config        imageBlob
	Layers        []imageBlob
}

type imageConfig struct {
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

// checkImage follows an image from its index to the program, runs the program as an engine does, and returns what it
// says of its version.
func checkImage(t *testing.T, archive []byte) string {
	t.Helper()
	m := &image{t: t, files: map[string][]byte{}, root: t.TempDir()}
	eachFile(t, archive, func(h *tar.Header, content []byte) { m.files[strings.TrimPrefix(h.Name, "./")] = content })
	m.checkIndex()
	m.checkConfig()
	m.unpack()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	m.serve(ctx)
	version, err := m.command(ctx, "version").Output()
	if err != nil {
		t.Error(err)
	}
	return string(version)
}

// read returns a blob, whose digest, size and kind must be right.
func (m *image) read(b imageBlob, kind string) []byte {
	m.t.Helper()
	content := m.files["blobs/sha256/"+strings.TrimPrefix(b.Digest, "sha256:")]
	if len(content) != b.Size || b.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256(content)) || b.MediaType != oci+kind {
		m.t.Fatalf("the blob %+v has %d bytes of another digest or kind than %s", b, len(content), kind)
	}
	return content
}

func (m *image) decode(raw []byte, v any) {
	m.t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		m.t.Fatalf("%v in %s", err, raw)
	}
}

func (m *image) checkIndex() {
	var layout struct{ ImageLayoutVersion string }
	var index imageIndex
	m.decode(m.files["oci-layout"], &layout)
	m.decode(m.files["index.json"], &index)
	if layout.ImageLayoutVersion != "1.0.0" || index.SchemaVersion != 2 || index.MediaType != oci+"index.v1+json" ||
		len(index.Manifests) != 1 || index.Manifests[0].Platform.OS != "linux" || index.Manifests[0].Platform.Architecture != "amd64" {
		m.t.Fatalf("layout %+v, index %+v", layout, index)
	}
	m.decode(m.read(index.Manifests[0], "manifest.v1+json"), &m.manifest)
	m.decode(m.read(m.manifest.Config, "config.v1+json"), &m.config)
}

func (m *image) checkConfig() {
	c := m.config.Config
	_, public := c.ExposedPorts["8080/tcp"]
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/vestibule"}) || !slices.Equal(c.Cmd, []string{"serve"}) ||
		!slices.Contains(c.Env, "VESTIBULE_DATA_DIR=/data") || c.StopSignal != "SIGTERM" || !public || len(c.Volumes) != 1 ||
		!slices.Equal(c.Healthcheck.Test, []string{"CMD", "/vestibule", "health"}) {
		m.t.Errorf("the image runs by %+v", c)
	}
	layers := len(m.manifest.Layers)
	if m.manifest.SchemaVersion != 2 || m.manifest.MediaType != oci+"manifest.v1+json" || m.config.OS != "linux" ||
		m.config.Architecture != "amd64" || m.config.Created.IsZero() || m.config.RootFS.Type != "layers" ||
		len(m.config.RootFS.DiffIDs) != layers || len(m.config.History) != layers {
		m.t.Errorf("manifest %+v of %+v", m.manifest, m.config)
	}
}

// unpack unpacks the layers, whose files belong to root except those of the data folder.
func (m *image) unpack() {
	testutil.Must(m.t, os.Chmod(m.root, 0o755))
	for i, l := range m.manifest.Layers {
		raw := m.read(l, "layer.v1.tar")
		if m.config.RootFS.DiffIDs[i] != l.Digest { // layers are not compressed
			m.t.Errorf("the layer %s has the diff id %s", l.Digest, m.config.RootFS.DiffIDs[i])
		}
		eachFile(m.t, raw, func(h *tar.Header, _ []byte) {
			if own := strings.HasPrefix(strings.TrimPrefix(h.Name, "./"), "data/"); own != (h.Uid == 65532) || h.Uid != h.Gid || h.Mode&0o022 != 0 {
				m.t.Errorf("%s belongs to %d, with the mode %o", h.Name, h.Uid, h.Mode)
			}
		})
		extract := exec.Command("tar", "-C", m.root, "-xf", "-")
		extract.Stdin = bytes.NewReader(raw)
		if out, err := extract.CombinedOutput(); err != nil {
			m.t.Fatalf("%v: %s", err, out)
		}
	}
	for _, file := range []string{"etc/ssl/certs/ca-certificates.crt", "NOTICE", "data"} {
		if f, err := os.Stat(filepath.Join(m.root, file)); err != nil || f.Size() == 0 {
			m.t.Errorf("the image lacks %s: %v", file, err)
		}
	}
	if err := os.WriteFile(filepath.Join(m.root, "etc/hosts"), []byte("127.0.0.1 localhost\n"), 0o644); err != nil { // as an engine does
		m.t.Fatal(err)
	}
}

// command returns a command of the program. Root runs it as an engine does: in the image's own root, as its user.
func (m *image) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(m.root, "vestibule"), args...)
	cmd.Env = append(slices.Clone(m.config.Config.Env), "VESTIBULE_PORTAL_ADDR=localhost:0", "VESTIBULE_PROVIDER_ADDR=127.0.0.1:0",
		"VESTIBULE_ADMIN_ADDR=127.0.0.1:0", "VESTIBULE_DATA_DIR="+filepath.Join(m.root, "data"))
	if os.Geteuid() == 0 {
		cmd.Path, cmd.Dir = "/vestibule", "/"
		cmd.Env = append(cmd.Env, "VESTIBULE_DATA_DIR=/data")
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: m.root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	}
	return cmd
}

// serve starts the program until it is ready.
func (m *image) serve(ctx context.Context) {
	serve, errs := m.command(ctx, m.config.Config.Cmd...), &bytes.Buffer{}
	serve.Stderr = errs
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	testutil.Must(m.t, err)
	ready := false
	for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
		ready = lines.Text() == "ready"
	}
	if err := errors.Join(serve.Process.Signal(syscall.SIGTERM), serve.Wait()); err != nil || !ready {
		m.t.Errorf("serve in the image: ready %v, %v\n%s", ready, err, errs)
	}
}
