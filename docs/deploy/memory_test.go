package deploy_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/subprocess"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/tools"
)

// asProgram makes this test program run Vestibule.
const asProgram = "VESTIBULE_TEST_RUN_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		subprocess.AtOnce = 3 // as on a large machine
		allNamesAreHere()
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(app.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// memoryGroup is a control group with a limit of memory.
type memoryGroup struct{ dir, limit, kills, peak string }

// newMemoryGroup makes a control group of version 1 or 2, or skips the test where it may not.
func newMemoryGroup(t *testing.T, bytes int) memoryGroup {
	t.Helper()
	g := memoryGroup{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control", "memory.max_usage_in_bytes"}
	if _, err := os.Stat(g.dir); err != nil {
		g = memoryGroup{"/sys/fs/cgroup", "memory.max", "memory.events", "memory.peak"}
	}
	g.dir = filepath.Join(g.dir, fmt.Sprintf("vestibule-test-%d", os.Getpid()))
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		t.Skipf("this machine lets the test make no control group: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(g.dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(g.dir, g.limit), []byte(strconv.Itoa(bytes)), 0); err != nil {
		t.Skipf("this machine lets the test limit no memory: %v", err)
	}
	return g
}

// read returns the number after name in a file of the group; with an empty name, the whole file's.
func (g memoryGroup) read(t *testing.T, file, name string) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + ` ?(\d+)$`).FindSubmatch(raw)
	if found == nil {
		t.Fatalf("%s: %s", file, raw)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// worstFile returns a PNG file, nearly as large as an upload may be, that costs as much memory to
// decode as an image may: gray, and noise as far as its size allows.
func worstFile() []byte {
	const side, size = 10_000, 20_000_000
	var file, pixels bytes.Buffer
	chunk := func(name string, data []byte) {
		binary.Write(&file, binary.BigEndian, uint32(len(data)))
		data = append([]byte(name), data...)
		file.Write(data)
		binary.Write(&file, binary.BigEndian, crc32.ChecksumIEEE(data))
	}
	z, _ := zlib.NewWriterLevel(&pixels, zlib.BestSpeed)
	noise, row := rand.NewChaCha8([32]byte{}), make([]byte, 1+side)
	for range side {
		if pixels.Len() < size-700_000 {
			noise.Read(row[1:])
		} else {
			clear(row)
		}
		z.Write(row)
	}
	z.Close()
	file.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
	chunk("IHDR", append(header, 8, 0, 0, 0, 0))
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
	return file.Bytes()
}

// TestMemoryLimitHolds uploads ten of the worst files at once to a provider that has the memory of the
// shipped files, and reads them by OCR. Neither the program nor a child of it is killed.
func TestMemoryLimitHolds(t *testing.T) {
	tools.FullOnly(t)
	assets.Need(t)
	find(t, "tesseract")
	limit := number(t, "kubernetes.yaml", `limits: \{memory: (\d+)Gi`) << 30
	for file, setting := range map[string]string{"compose.yaml": `mem_limit: (\d+)g`, "vestibule-provider.service": `MemoryMax=(\d+)G`} {
		if number(t, file, setting)<<30 != limit {
			t.Errorf("%s has another limit of memory", file)
		}
	}
	g, dir := newMemoryGroup(t, limit), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(g.dir, "cgroup.procs"), self, "provider",
		"--provider-addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--widget-files=0", "--data-dir="+dir, "--environment=production")
	cmd.Env, cmd.Stderr = append(os.Environ(), asProgram+"=1"), os.Stderr
	p, err := program.StartProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	send := func(c *http.Client, path, contentType string, body io.Reader) []byte {
		resp, err := c.Post(p.Provider+path, contentType, body)
		if err != nil {
			t.Error(err)
			return nil
		}
		defer resp.Body.Close()
		raw, _ := io.ReadAll(resp.Body)
		if resp.StatusCode >= 400 {
			t.Errorf("%s: %s %s", path, resp.Status, regexp.MustCompile(`(?s)role="alert".*?</`).Find(raw))
		}
		return raw
	}
	customer := func(i int) (account struct {
		PublicID string
		Products map[string]string
	}) { // of its own, because the work of one customer is done in turn
		var added bytes.Buffer
		code := app.Run(t.Context(), []string{"customer", "add", fmt.Sprint("Bank ", i), fmt.Sprintf("--staff=ops@bank%d.example", i),
			"--environment=production", "--data-dir=" + dir}, &added, io.Discard)
		if err := json.Unmarshal(added.Bytes(), &account); code != 0 || err != nil {
			t.Fatalf("customer add: %d, %v", code, err)
		}
		return account
	}
	const form = "application/x-www-form-urlencoded"
	var upload bytes.Buffer
	w := multipart.NewWriter(&upload)
	part, _ := w.CreateFormFile("file", "stub.png")
	part.Write(worstFile())
	w.Close()
	var all sync.WaitGroup
	for i := range 10 {
		account := customer(i)
		options, _ := json.Marshal(map[string]any{"env": "production", "productId": account.Products["income"], "publicId": account.PublicID,
			"prefill": map[string]string{"firstName": "Ada", "lastName": "Byron", "email": fmt.Sprintf("ada%d@mail.example", i),
				"dob": "1990-12-10"}})
		jar, _ := cookiejar.New(nil)
		c := &http.Client{Jar: jar}
		var begun struct{ Handle string }
		if err := json.Unmarshal(send(c, "/widget/v1/visits", "application/json", bytes.NewReader(options)), &begun); err != nil {
			t.Fatal(err)
		}
		at := "/visit/" + begun.Handle
		get(t, c, p.Provider+at)
		send(c, at, form, strings.NewReader("action=consent"))
		all.Go(func() {
			send(c, at+"/documents", w.FormDataContentType(), bytes.NewReader(upload.Bytes()))
			send(c, at, form, strings.NewReader("action=hand-in"))
			if page := send(c, at, form, strings.NewReader("action=finish")); !bytes.Contains(page, []byte("Preparing your report")) {
				t.Errorf("the page after the visit is\n%s", page)
			}
		})
	}
	uploaded := make(chan struct{})
	go func() { all.Wait(); close(uploaded) }()
	most, children := 0, 0
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); <-tick.C { // images are read after the uploads, too
		most = max(most, g.read(t, "memory.stat", "(?:total_rss|anon)"))
		processes, _ := os.ReadFile(filepath.Join(g.dir, "cgroup.procs"))
		children = max(children, bytes.Count(processes, []byte("\n"))-1)
	}
	<-uploaded
	if children == 0 {
		t.Error("no image was decoded")
	}
	t.Logf("%d children at once", children)
	t.Logf("%d MB of memory in all at most, %d with files", most>>20, g.read(t, g.peak, "")>>20)
	if n := g.read(t, g.kills, "oom_kill"); n > 0 || get(t, http.DefaultClient, p.Admin+"/healthz") != 200 {
		t.Errorf("the system killed %d processes for their memory", n)
	}
}
