package deploy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/app"
	"vestibule/internal/testutil"
)

// shellWords returns the words of a command up to the end of the line, a comment, a redirection or the next command.
func shellWords(line string) (words []string) {
	var word strings.Builder
	quoted, begun := rune(0), false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, c := range line {
		switch {
		case quoted != 0 && c == quoted:
			quoted = 0
		case quoted != 0:
			word.WriteRune(c)
		case strings.ContainsRune("|;&>)", c), c == '#' && !begun:
			end()
			return words
		case c == '"' || c == '\'':
			quoted, begun = c, true
		case c == ' ':
			end()
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	end()
	return words
}

// TestGuidesCommandsAreThePrograms parses each command of the guides by the program's command line.
func TestGuidesCommandsAreThePrograms(t *testing.T) {
	fence := regexp.MustCompile("(?ms)^ *```(?:sh|bash|console)\n(.*?)^ *```")
	command := regexp.MustCompile(`(?:^|[ (;])(?:sudo |exec |doas )*(?:bin/|/usr/local/bin/|/|\./)?vestibule ([^\n]*)`)
	other := regexp.MustCompile(`docker build|docker run|install -m|createdb|pg_restore`) // commands with an argument vestibule
	found := map[string]int{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".cache" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, block := range fence.FindAllStringSubmatch(string(raw), -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				if other.MatchString(line) {
					continue
				}
				at := command.FindStringSubmatch(strings.ReplaceAll(strings.TrimRight(line, "\n"), " vestibule /vestibule ", " /vestibule "))
				if at == nil {
					continue
				}
				// An apostrophe that ends sh -c '…' ends the command.
				text := at[1]
				if strings.Count(text, "'")%2 == 1 {
					text = text[:strings.LastIndex(text, "'")]
				}
				words := shellWords(text)
				if len(words) == 0 {
					continue
				}
				found[words[0]]++
				var out, errs strings.Builder
				if code := app.Run(t.Context(), append(words, "--help"), &out, &errs); code != 0 {
					t.Errorf("%s: vestibule %s\n%q\n%s", path, text, words, errs.String())
				}
			}
		}
		return nil
	})
	testutil.Must(t, err)
	for _, name := range []string{"customer", "operator", "keys", "doctor", "credentials", "portal", "provider", "configuration", "product"} {
		if found[name] == 0 {
			t.Errorf("no guide has the command %s", name)
		}
	}
}
