package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/json"
	"github.com/tdewolff/minify/v2/svg"
)

// asset is one file before it is packed.
type asset struct {
	name    string
	content []byte
	with    []byte // hashed together with the content: files that only fit each other
}

// types maps the extensions of served files to media types, longest extension
// first. Files with another extension are not assets.
var types = []struct{ suffix, media string }{
	{".d.ts", "text/plain; charset=utf-8"},
	{".webmanifest", "application/manifest+json"},
	{".js", "text/javascript; charset=utf-8"},
	{".css", "text/css; charset=utf-8"},
	{".svg", "image/svg+xml"},
	{".json", "application/json"},
	{".html", "text/html; charset=utf-8"},
	{".txt", "text/plain; charset=utf-8"},
	{".wasm", "application/wasm"},
	{".png", "image/png"},
	{".webp", "image/webp"},
	{".ico", "image/x-icon"},
	{".woff2", "font/woff2"},
}

func mediaType(name string) (string, bool) {
	for _, t := range types {
		if strings.HasSuffix(name, t.suffix) {
			return t.media, true
		}
	}
	return "", false
}

// collect makes a party's assets from web/ui and the party's own folder: its
// scripts and styles bundled, the rest minified. A name in both folders is an
// error, as is a file of a kind that browsers are not served.
func collect(root string, p party) ([]asset, error) {
	var out []asset
	seen := map[string]string{}
	for _, dir := range []string{"ui", p.name} {
		folder := filepath.Join(root, "web", dir)
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".go") {
				continue
			}
			source := strings.HasSuffix(name, ".ts") && !strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".css")
			if dir == "ui" && source {
				continue // imported by the parties' bundles
			}
			a, err := single(p, filepath.Join(folder, name), source)
			if err != nil {
				return nil, err
			}
			if first, ok := seen[a.name]; ok {
				return nil, fmt.Errorf("%s and %s/%s would both be %s", first, dir, name, a.name)
			}
			seen[a.name] = dir + "/" + name
			out = append(out, a)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.renamed)) {
		a, err := single(p, filepath.Join(root, "web", p.name, filepath.FromSlash(p.renamed[name])), false)
		if err != nil {
			return nil, err
		}
		a.name = name
		out = append(out, a)
	}
	linkFonts(out)
	return out, nil
}

// linkFonts puts the names under which fonts are served into the style sheets.
func linkFonts(assets []asset) {
	for _, font := range assets {
		if path.Ext(font.name) != ".woff2" {
			continue
		}
		served := strings.TrimSuffix(font.name, ".woff2") + "-" + fingerprint(font) + ".woff2"
		for i := range assets {
			if path.Ext(assets[i].name) == ".css" {
				assets[i].content = bytes.ReplaceAll(assets[i].content, []byte("url("+font.name+")"), []byte("url("+served+")"))
			}
		}
	}
}

func single(p party, file string, source bool) (asset, error) {
	name := filepath.Base(file)
	if source {
		return bundle(p, file)
	}
	media, ok := mediaType(name)
	if !ok {
		return asset{}, fmt.Errorf("%s: not a kind of file that browsers are served", file)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return asset{}, err
	}
	if content, err = shrink(media, content); err != nil {
		return asset{}, fmt.Errorf("%s: %w", file, err)
	}
	return asset{name: name, content: content}, nil
}

// bundle resolves the imports of a script or style sheet and minifies the result.
// Scripts are modules, except those with a stable name, which other sites load: they
// are classic scripts, wrapped in a function scope.
func bundle(p party, file string) (asset, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".ts")
	script := name != filepath.Base(file)
	if script {
		name += ".js"
	}
	format := api.FormatDefault
	if script {
		format = api.FormatESModule
		if slices.Contains(p.stable, name) {
			format = api.FormatIIFE
		}
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return asset{}, err
	}
	options := api.BuildOptions{
		EntryPoints:       []string{filepath.Base(file)},
		AbsWorkingDir:     filepath.Dir(abs),
		Bundle:            true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Format:            format,
		Platform:          api.PlatformBrowser,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		TsconfigRaw:       `{"compilerOptions":{"target":"ES2020","strict":true}}`,
		Loader:            map[string]api.Loader{".svg": api.LoaderDataURL},
		External:          []string{"*.woff2"}, // see linkFonts
	}
	if script {
		options.Target = api.ES2020
	} else { // the browsers that read ES2020
		options.Engines = []api.Engine{
			{Name: api.EngineChrome, Version: "88"},
			{Name: api.EngineFirefox, Version: "78"},
			{Name: api.EngineSafari, Version: "14"},
		}
	}
	r := api.Build(options)
	if len(r.Errors) > 0 {
		return asset{}, errors.New(strings.Join(api.FormatMessages(r.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}), ""))
	}
	if len(r.Warnings) > 0 {
		return asset{}, errors.New(strings.Join(api.FormatMessages(r.Warnings, api.FormatMessagesOptions{Kind: api.WarningMessage}), ""))
	}
	if len(r.OutputFiles) != 1 {
		return asset{}, fmt.Errorf("%s: %d files came out of one bundle", file, len(r.OutputFiles))
	}
	content := r.OutputFiles[0].Contents
	if !script {
		if content, err = shrink("text/css; charset=utf-8", content); err != nil {
			return asset{}, fmt.Errorf("%s: %w", file, err)
		}
	}
	return asset{name: name, content: bytes.TrimSpace(content)}, nil
}

// shrink minifies the media types that have a minifier and returns the rest unchanged.
func shrink(media string, content []byte) ([]byte, error) {
	m := minify.New()
	m.Add("image/svg+xml", &svg.Minifier{})
	m.Add("application/json", &json.Minifier{})
	m.Add("application/manifest+json", &json.Minifier{})
	m.Add("text/css", &css.Minifier{})
	m.Add("text/html", &html.Minifier{KeepDocumentTags: true, KeepEndTags: true, KeepQuotes: true})
	kind, _, _ := strings.Cut(media, ";")
	out, err := m.Bytes(kind, content)
	if errors.Is(err, minify.ErrNotExist) {
		return content, nil
	}
	return out, err
}
