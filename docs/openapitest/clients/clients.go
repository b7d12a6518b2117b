// Package clients holds the generator of Go clients that check.sh tries both OpenAPI
// documents with, and what generated clients import.
package clients

import (
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/strictmiddleware/nethttp"
)
