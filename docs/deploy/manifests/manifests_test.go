// Package manifests checks kubernetes.yaml by Kubernetes' own types.
package manifests

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// TestManifests decodes each document strictly: an unknown kind or field, a field that is there twice, and a value of
// another type fail.
func TestManifests(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apps.AddToScheme, batch.AddToScheme, core.AddToScheme, networking.AddToScheme,
		policy.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	raw, err := os.ReadFile("../kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, n := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(raw))), 0
	for {
		buffer := make([]byte, len(raw))
		size, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; err == nil {
			if object, _, err := decoder.Decode(buffer[:size], nil, nil); err != nil {
				t.Errorf("document %d: %v", n, err)
			} else {
				t.Logf("%T", object)
			}
		}
	}
	if n != 14 {
		t.Errorf("%d documents", n)
	}
}
