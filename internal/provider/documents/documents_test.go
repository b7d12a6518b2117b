package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// testServer is the service over a database with one report.
type testServer struct {
	*Service
	t          *testing.T
	now        time.Time
	token, key string
}

func each(t *testing.T, f func(t *testing.T, r *testServer)) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := &testServer{t: t, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
		r.Service = &Service{DB: db}
		db.SetClock(func() time.Time { return r.now })
		r.exec(`INSERT INTO customers (id, public_id, environment, name, return_mode, created_at)
			VALUES ('c', 'svc-c', 'sandbox', 'C', 'get', 0)`)
		r.exec(`INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at) VALUES ('p', 'c', 'income', 'P', '', 0)`)
		r.token, r.key = r.report()
		f(t, r)
	})
}

func (r *testServer) exec(query string, args ...any) {
	r.t.Helper()
	if _, err := r.DB.SQL.ExecContext(r.t.Context(), query, args...); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testServer) report() (token, key string) {
	r.t.Helper()
	key, err := r.DB.Vault.NewKey(r.t.Context(), r.DB.SQL)
	if err != nil {
		r.t.Fatal(err)
	}
	token = uuid.NewString()
	r.exec(`INSERT INTO reports (public_token, customer_id, product_id, kind, key_id, status, created_at, updated_at)
		VALUES ($1, 'c', 'p', 'income', $2, 'PENDING', 0, 0)`, token, key)
	return token, key
}

func (r *testServer) rows(table string) (n int) {
	r.t.Helper()
	if err := r.DB.SQL.QueryRowContext(r.t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// kept uploads a file and has it count.
func (r *testServer) kept(name string, body []byte) Document {
	r.t.Helper()
	d, err := r.Upload(r.t.Context(), New{PublicToken: r.token, KeyID: r.key, Kind: "PAYSTUB", Name: name}, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if ok := r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return r.Keep(ctx, tx, r.token, d.ID) }); !ok {
		r.t.Fatal("not kept")
	}
	return d
}

func (r *testServer) opened(d Document) io.ReadSeeker {
	r.t.Helper()
	from, err := r.Open(r.t.Context(), r.token, d.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return from
}

func (r *testServer) tx(f func(ctx context.Context, tx *store.Tx) (bool, error)) (ok bool) {
	r.t.Helper()
	err := r.DB.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		ok, err = f(ctx, tx)
		return err
	})
	if err != nil {
		r.t.Error(err)
	}
	return ok
}

// file is a PDF of so many bytes, all parts of which differ.
func file(size int) []byte {
	b := bytes.NewBufferString("%PDF-1.7\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(b, "canary %d\n", i)
	}
	return b.Bytes()[:size]
}

// TestFilesRoundTripEncrypted checks that uploads are read back, whole and in parts, and
// the database has none of their text unencrypted.
func TestFilesRoundTripEncrypted(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		for _, size := range []int{16, partSize - 1, partSize, partSize + 1, 3*partSize + 7} {
			body := file(size)
			d := r.kept("stub of Ada.pdf", body)
			if d.Size != int64(size) || d.Type != PDF {
				t.Fatalf("uploaded %d bytes as %+v", size, d)
			}
			got, err := io.ReadAll(r.opened(d))
			if err != nil || !bytes.Equal(got, body) {
				t.Fatalf("%d bytes come back as %d, %v", size, len(got), err)
			}
			if err := iotest.TestReader(r.opened(d), body); size < 1000 && err != nil {
				t.Error(err)
			}
			at := r.opened(d)
			if _, err := at.Seek(int64(size-5), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if tail, err := io.ReadAll(at); err != nil || !bytes.Equal(tail, body[size-5:]) {
				t.Errorf("the tail of %d bytes is %q, %v", size, tail, err)
			}
		}
		all, err := r.List(t.Context(), r.DB.SQL, r.token)
		if err != nil || len(all) != 5 || all[0].Name != "stub of Ada.pdf" || all[0].Size != 16 || all[4].Size != 3*partSize+7 {
			t.Errorf("listed %+v, %v", all, err)
		}
		rows, err := r.DB.SQL.QueryContext(t.Context(), `SELECT sealed FROM document_parts UNION ALL SELECT name FROM documents`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var raw []byte
			if err := rows.Scan(&raw); err != nil {
				t.Fatal(err)
			}
			// Long enough not to come about by chance in a megabyte of noise.
			if bytes.Contains(raw, []byte("canary")) || bytes.Contains(raw, []byte("stub of Ada")) {
				t.Fatal("something is not sealed")
			}
		}
	})
}

func TestRejectedFilesAreNotStored(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		cut := errors.New("cut off")
		for _, c := range []struct {
			name string
			from io.Reader
			any  bool
			want error
		}{
			{"nothing", strings.NewReader(""), false, ErrEmpty},
			{"text with a good name", strings.NewReader("Pay stub"), false, ErrType},
			{"a web page", strings.NewReader("<html>%PDF-1.4"), false, ErrType},
			{"too many bytes", bytes.NewReader(file(MaxSize + 1)), false, ErrTooLarge},
			{"a body that is cut off", io.MultiReader(bytes.NewReader(file(2*partSize)), iotest.ErrReader(cut)), false, cut},
			{"one that is cut off at once", iotest.ErrReader(io.ErrUnexpectedEOF), false, io.ErrUnexpectedEOF},
			{"one that is cut off in a part", io.MultiReader(bytes.NewReader(file(9)), iotest.ErrReader(io.ErrUnexpectedEOF)),
				false, io.ErrUnexpectedEOF},
		} {
			_, err := r.Upload(t.Context(), New{PublicToken: r.token, KeyID: r.key, Kind: "PAYSTUB", Name: "paystub.pdf", AnyType: c.any}, c.from)
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		}
		if r.rows("documents")+r.rows("document_parts") != 0 {
			t.Error("something of what was refused stays")
		}
		// The sandbox's control takes anything.
		for _, body := range []string{"", "text"} {
			if _, err := r.Upload(t.Context(), New{PublicToken: r.token, KeyID: r.key, AnyType: true}, strings.NewReader(body)); err != nil {
				t.Errorf("%q: %v", body, err)
			}
		}
		if d, err := r.Upload(t.Context(), New{PublicToken: r.token, KeyID: r.key},
			bytes.NewReader(file(MaxSize))); err != nil || d.Size != MaxSize {
			t.Errorf("the largest file: %v %v", d.Size, err)
		}
	})
}

// TestSubmittedFilesAreKept checks that a report keeps its submitted files, at most ten.
func TestSubmittedFilesAreKept(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		var ids []string
		for range MaxFiles + 2 {
			d, err := r.Upload(t.Context(), New{PublicToken: r.token, KeyID: r.key, Name: "x"}, bytes.NewReader(file(20)))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, d.ID)
		}
		if all, err := r.List(t.Context(), r.DB.SQL, r.token); len(all) != 0 || err != nil {
			t.Errorf("%d files count before they are kept, %v", len(all), err)
		}
		other, _ := r.report()
		if r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return r.Keep(ctx, tx, other, ids[0]) }) {
			t.Error("kept for another report")
		}
		won := 0
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return r.Keep(ctx, tx, r.token, ids[0]) }) {
					mu.Lock()
					won++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if won != 1 {
			t.Errorf("kept %d times, want once", won)
		}
		kept := 1
		for _, id := range ids[1:] {
			if r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return r.Keep(ctx, tx, r.token, id) }) {
				kept++
			}
		}
		if all, _ := r.List(t.Context(), r.DB.SQL, r.token); kept != MaxFiles || len(all) != MaxFiles {
			t.Errorf("%d files are kept and %d listed, want %d", kept, len(all), MaxFiles)
		}
		if _, err := r.Open(t.Context(), other, ids[0]); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another report's file opens as %v", err)
		}
		if _, err := r.Open(t.Context(), r.token, ids[len(ids)-1]); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a file that is not kept opens as %v", err)
		}
		if r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return r.Remove(ctx, tx, other, ids[0]) }) {
			t.Error("another report's file was removed")
		}
		if !r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return r.Remove(ctx, tx, r.token, ids[0]) }) ||
			r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return r.Remove(ctx, tx, r.token, ids[0]) }) {
			t.Error("a file is not removed once")
		}
		r.tx(func(ctx context.Context, tx *store.Tx) (bool, error) { return true, r.Drop(ctx, tx, r.token) })
		if r.rows("documents")+r.rows("document_parts") != 0 {
			t.Error("something stays after all was dropped")
		}
	})
}

func TestSweep(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		d := r.kept("a.pdf", file(20))
		if _, err := r.Upload(t.Context(), New{PublicToken: r.token, KeyID: r.key}, bytes.NewReader(file(20))); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			after time.Duration
			rows  int
		}{{uploadTimeout - time.Second, 2}, {2 * time.Second, 1}, {MaxAge - uploadTimeout - 10*time.Second, 1}, {20 * time.Second, 0}} {
			r.now = r.now.Add(c.after)
			if err := r.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := r.rows("documents"); n != c.rows || r.rows("document_parts") != c.rows {
				t.Errorf("%v later there are %d files, want %d", c.after, n, c.rows)
			}
		}
		if _, err := r.Open(t.Context(), r.token, d.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a swept file opens as %v", err)
		}
	})
}

func TestPath(t *testing.T) {
	got := []string{Document{Kind: "PAYSTUB", Type: PDF}.Path(), Document{Kind: "PAYSTUB", Type: JPEG}.Path(),
		Document{Kind: "DOCUMENT", Type: PNG}.Path(), Document{Kind: "PAYSTUB", Type: Any}.Path()}
	if diff := cmp.Diff([]string{"paystub.pdf", "paystub.jpg", "document.png", "paystub"}, got); diff != "" {
		t.Error(diff)
	}
}
