package fdxbank

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vestibule/internal/jose"
	"vestibule/internal/strictyaml"
)

// clientFile is one client in the file that LoadClients reads. Paths are relative to
// the file.
type clientFile struct {
	ID               string   `yaml:"id"`
	Name             string   `yaml:"name"`
	Authentication   Method   `yaml:"client_authentication"`
	ClientSecretFile string   `yaml:"client_secret_file"`
	JWKSFile         string   `yaml:"jwks_file"`
	Certificate      string   `yaml:"certificate"` // see Client
	RedirectURIs     []string `yaml:"redirect_uris"`
	Days             int      `yaml:"duration_days"`
}

// maxClientFile is the maximum size in bytes of a file of clients, and of each file that
// it names.
const maxClientFile = 1 << 20

// LoadClients reads a YAML file of clients, for others than the program's own connector.
// An empty path gives no clients. The error names each fault with its client.
func LoadClients(path string) ([]Client, error) {
	if path == "" {
		return nil, nil
	}
	raw, err := readFile(path)
	if err != nil {
		return nil, err
	}
	var list []clientFile
	if err := strictyaml.Decode(raw, &list); err != nil {
		return nil, fmt.Errorf("%s: must be a list of clients: %w", path, err)
	}
	var out []Client
	var faults []error
	for _, f := range list {
		c, err := f.client(filepath.Dir(path))
		if err == nil {
			err = c.check()
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("client %q: %w", f.ID, err))
		}
		out = append(out, c)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("%s:\n%w", path, err)
	}
	return out, nil
}

func (f clientFile) client(dir string) (Client, error) {
	c := Client{ID: f.ID, Name: f.Name, Method: f.Authentication, Certificate: f.Certificate, RedirectURIs: f.RedirectURIs, Days: f.Days}
	in := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	if f.ClientSecretFile != "" {
		raw, err := readFile(in(f.ClientSecretFile))
		if err != nil {
			return c, err
		}
		c.Secret = strings.TrimSpace(string(raw))
	}
	if f.JWKSFile != "" {
		raw, err := readFile(in(f.JWKSFile))
		if err != nil {
			return c, err
		}
		if c.Keys, err = jose.ParseKeySet(raw); err != nil {
			return c, fmt.Errorf("jwks_file: %w", err)
		}
	}
	return c, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxClientFile+1))
	if err == nil && len(raw) > maxClientFile {
		err = fmt.Errorf("%s: larger than %d KB", path, maxClientFile>>10)
	}
	return raw, err
}
