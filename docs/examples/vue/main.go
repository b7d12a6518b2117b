// Command vue is an onboarding app with Vestibule embedded in a Vue page. The page is
// app.js, bundled when this starts, by Go: no Node is needed. make packages builds
// @vestibule/js, and e2e/setup.sh downloads Vue from the npm registry.
//
//	make run              # the portal, in one terminal
//	make example-vue      # this app, in another
package main

import (
	_ "embed"

	"github.com/evanw/esbuild/pkg/api"

	"vestibule/docs/examples/singlepage"
)

//go:embed app.js
var source string

//go:embed app.css
var style []byte

func main() {
	singlepage.Main(singlepage.Page{Source: source, Loader: api.LoaderJS, Style: style, Addr: "127.0.0.1:8092",
		Packages: map[string]string{"@vestibule/js": "@vestibule/js/package", "vue": "vue/package/dist/vue.runtime.esm-browser.prod.js"}})
}
