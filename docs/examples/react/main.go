// Command react is an onboarding app with Vestibule embedded in a React page. The
// page is app.jsx, bundled when this starts, by Go: no Node is needed. make packages
// builds @vestibule/js, and e2e/setup.sh downloads React from the npm registry.
//
//	make run                # the portal, in one terminal
//	make example-react      # this app, in another
//
// It is React's development build in strict mode, which mounts everything twice.
package main

import (
	_ "embed"

	"github.com/evanw/esbuild/pkg/api"

	"vestibule/docs/examples/singlepage"
)

//go:embed app.jsx
var source string

//go:embed app.css
var style []byte

func main() {
	singlepage.Main(singlepage.Page{Source: source, Loader: api.LoaderJSX, Style: style, Addr: "127.0.0.1:8091",
		Packages: map[string]string{"@vestibule/js": "@vestibule/js/package", "react": "react/package",
			"react-dom": "react-dom/package", "scheduler": "scheduler/package"}})
}
