// Package configfile reads the operator's files of institutions and connectors: YAML
// lists whose entries name further files with secrets, keys, and certificates.
package configfile

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v3"

	"vestibule/internal/httpx"
	"vestibule/internal/strictyaml"
)

// Maximum sizes in bytes.
const (
	MaxFile       = 1 << 20  // of the list
	MaxSecretFile = 64 << 10 // of a file that an entry names
)

// Entries reads a YAML file that is a list of at most max entries. of names them in
// errors, as "institutions".
func Entries(path, of string, max int) ([]yaml.Node, error) {
	raw, err := readBounded(path, MaxFile)
	if err != nil {
		return nil, err
	}
	var entries []yaml.Node
	if err := strictyaml.Decode(raw, &entries); err != nil {
		return nil, fmt.Errorf("%s: must be a list of %s: %w", path, of, err)
	}
	if len(entries) > max {
		return nil, fmt.Errorf("%s: more than %d %s", path, max, of)
	}
	return entries, nil
}

// Faults names each line of an error with the entry that has it.
func Faults(entry string, err error) (all []error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		all = append(all, fmt.Errorf("%s: %s", entry, line))
	}
	return all
}

// Files reads files that an entry names. Paths are relative to Dir.
type Files struct {
	Dir    string
	Faults []error // with the keys of the entry
}

// Read passes the contents of a file to use; an empty path is not read. Errors are added
// to Faults.
func (f *Files) Read(key, path string, use func([]byte) error) {
	if path == "" {
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Dir, path)
	}
	raw, err := readBounded(path, MaxSecretFile)
	if err == nil {
		err = use(raw)
	}
	if err != nil {
		f.Faults = append(f.Faults, fmt.Errorf("%s: %w", key, err))
	}
}

func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("%s is larger than %d KiB", path, limit>>10)
	}
	return raw, nil
}

var (
	idPattern     = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	domainPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?$`)
)

// IsID reports whether s is an id: up to 64 lowercase letters, digits, and hyphens.
func IsID(s string) bool { return len(s) <= 64 && idPattern.MatchString(s) }

// IsDomain reports whether s is a host name in lowercase, with or without a port.
func IsDomain(s string) bool { return len(s) <= 253 && domainPattern.MatchString(s) }

// IsLine reports whether s is one line of at most max bytes, without spaces around it.
func IsLine(s string, max int) bool {
	return s == strings.TrimSpace(s) && len(s) <= max && !strings.ContainsFunc(s, unicode.IsControl)
}

// CheckURL returns an error for an address that a configuration may not have. It accepts
// public https addresses without credentials and fragment, and with loopback also
// addresses of this machine.
func CheckURL(raw string, loopback bool) error {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || len(raw) > 2048 {
		return errors.New("must be an absolute URL")
	}
	if u.User != nil || strings.Contains(raw, "#") {
		return errors.New("must be a URL without credentials and fragment")
	}
	local := loopback && httpx.IsLoopback(u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return errors.New("must be https; http needs a loopback address and loopback: true")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !local && (ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast()) {
		return errors.New("must be a public address")
	}
	return nil
}
