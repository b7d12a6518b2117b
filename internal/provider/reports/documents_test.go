package reports

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/paystub"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/documents"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// slowScanner reports each image that it begins to read, and waits for its context or for leave.
type slowScanner struct{ began, leave chan struct{} }

func (s slowScanner) Read(ctx context.Context, _ []byte) ([]paystub.ScannedPage, error) {
	s.began <- struct{}{}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.leave:
		return nil, nil
	}
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 200, 200))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withImage creates an income report with an uploaded image, and enqueues it.
func (r *testServer) withImage(t *testing.T) Report {
	t.Helper()
	rep := r.created(t, contract.Income, "")
	d, err := r.Documents.Upload(t.Context(), documents.New{PublicToken: rep.PublicToken, KeyID: rep.KeyID, Kind: PaystubDocument,
		Name: "stub.png"}, bytes.NewReader(picture(t)))
	if err == nil {
		err = r.tx(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Documents.Keep(ctx, tx, rep.PublicToken, d.ID)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.attach(t, rep.PublicToken, Input{Documents: true}); err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestImagesDelayNoOtherReport checks that reports whose images are being read are jobs of
// another queue, and leave the processors to other reports.
func TestImagesDelayNoOtherReport(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		slow := slowScanner{make(chan struct{}, 100), make(chan struct{})}
		r.Sandbox, r.Scanner = Sandbox{Data: r.Sandbox.Data}, slow
		ended := make(chan error, cap(turns))
		for range cap(turns) {
			rep := r.withImage(t)
			if kind := r.last.Kind(); kind != "reports.generate-with-documents" {
				t.Errorf("the job is %s", kind)
			}
			go func() { ended <- r.generate(t.Context(), jobs.Job{Attempt: 1}, Generate{rep.PublicToken}) }()
			select {
			case <-slow.began:
			case err := <-ended:
				t.Fatalf("the image was not read: %v", err)
			}
		}
		quick := r.create(t, "")
		if err := r.attach(t, quick.PublicToken, Input{Profile: "default"}); err != nil {
			t.Fatal(err)
		}
		if kind := r.last.Kind(); kind != "reports.generate" {
			t.Errorf("the job is %s", kind)
		}
		if err := r.generate(t.Context(), jobs.Job{Attempt: 1}, Generate{quick.PublicToken}); err != nil {
			t.Errorf("a report without documents waits for images: %v", err)
		}
		close(slow.leave)
		for range cap(turns) {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestImagesAreReadWithinATime checks that images are listed as not read after the time for all
// images of a report.
func TestImagesAreReadWithinATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns <- struct{}{} // as a report that is made
		defer func() { <-turns }()
		slow := slowScanner{make(chan struct{}, 2), nil}
		reader := StubReader{Scanner: outOfTurn{slow, time.Now().Add(20 * time.Millisecond)}, Log: slog.New(slog.DiscardHandler)}
		file := StubFile{Body: func() ([]byte, error) { return picture(t), nil }}
		stubs, err := reader.Read(t.Context(), []StubFile{file, file}, StubSubject{At: time.Now()}, bankdata.Data{})
		if err != nil || len(stubs) != 2 || !stubs[0].Image || !stubs[1].Image || len(slow.began) == 0 {
			t.Errorf("%+v %v", stubs, err)
		}
	})
}
