// Package assets provides the browser assets to tests, whether or not make assets ran
// before.
package assets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"vestibule/web"
	"vestibule/web/build/stamp"
)

// Portal returns the portal's assets.
func Portal(t testing.TB) *web.Assets {
	t.Helper()
	Need(t)
	return web.Portal()
}

// Provider returns the provider's assets.
func Provider(t testing.TB) *web.Assets {
	t.Helper()
	Need(t)
	return web.Provider()
}

// Need makes web.Portal and web.Provider serve assets of the current sources, and fails
// the test if they cannot be built. It uses the embedded assets if they are up to date,
// and else .cache/assets, which the first process builds. It does not build into
// web/dist, because that would change what a concurrent compilation embeds.
//
// Call it from tests, not from TestMain: go test caches a result by the files read
// while tests ran.
func Need(t testing.TB) {
	t.Helper()
	if err := load(); err != nil {
		t.Fatal(err)
	}
}

// inherited is the variable with the folder that a parent process loaded from; without
// it, the embedded assets are up to date.
const inherited = "VESTIBULE_TEST_ASSETS"

// Inherited returns the variable that Inherit reads, for a program that a test starts
// with a new environment.
func Inherited() string { return inherited + "=" + os.Getenv(inherited) }

// Inherit makes a program that a test started serve the assets that Need found.
func Inherit() error {
	dir := os.Getenv(inherited)
	if dir == "" {
		return nil
	}
	files, err := inMemory(os.DirFS(dir))
	if err == nil {
		web.Use(files)
	}
	return err
}

var load = sync.OnceValue(func() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	now, err := stamp.Take(root)
	if err != nil {
		return fmt.Errorf("assets: %w", err)
	}
	if stamp.Read(web.Files()) == now {
		return nil
	}
	files, err := build(root, now)
	if err != nil {
		return fmt.Errorf("assets: %w", err)
	}
	web.Use(files)
	return os.Setenv(inherited, filepath.Join(root, ".cache", "assets"))
})

// build returns the content of .cache/assets, and first builds it if it is stale. A
// lock excludes other processes meanwhile.
func build(root string, now stamp.Stamp) (fs.FS, error) {
	cache := filepath.Join(root, ".cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(cache, "assets.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	defer lock.Close() // releases the lock
	if err := exclude(lock); err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "assets")
	if stamp.Read(os.DirFS(dir)) != now {
		cmd := exec.Command("go", "run", "./web/build", "-out", filepath.Join(".cache", "assets"))
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go run ./web/build: %w\n%s", err, out)
		}
	}
	return inMemory(os.DirFS(dir))
}

func inMemory(dir fs.FS) (fs.FS, error) {
	files := fstest.MapFS{}
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(dir, name)
		files[name] = &fstest.MapFile{Data: content, Mode: 0o644}
		return err
	})
	return files, err
}

// moduleRoot returns the folder of go.mod above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("assets: the test does not run in the module's source tree, which its assets are built from")
		}
		dir = parent
	}
}
