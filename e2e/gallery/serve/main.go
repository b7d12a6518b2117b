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
	addr := flag.String("addr", "localhost:8090", "where to listen")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("the gallery is at http://" + l.Addr().String() + "/")
	fmt.Fprintln(os.Stderr, http.Serve(l, gallery.Handler(web.Portal())))
	os.Exit(1)
}
