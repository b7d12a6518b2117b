// Command serve shows the gallery on this machine, until it is stopped.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"

	"vestibule/e2e/gallery"
	"vestibule/web"
)

func main() {
	addr := flag.String("addr", "localhost:8092", "where to listen")
	visits := flag.Bool("visits", false, "the steps of the service's visits, in place of the portal's pages")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("the gallery is at http://" + l.Addr().String() + "/")
	handler := gallery.Handler(web.Portal(), "portal.css", gallery.Exhibits)
	if *visits {
		handler = gallery.Handler(web.Provider(), "provider.css", gallery.Visits)
	}
	fmt.Fprintln(os.Stderr, http.Serve(l, handler))
	os.Exit(1)
}
