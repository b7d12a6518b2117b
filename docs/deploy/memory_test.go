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
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/subprocess"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/tools"
)

// asProgram makes this test program run Vestibule.
const asProgram = "VESTIBULE_TEST_RUN_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		subprocess.AtOnce = 2 // as on a large machine
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
	raw := testutil.ReadFile(t, filepath.Join(g.dir, file))
	found := regexp.MustCompile(`(?m)^` + name + ` ?(\d+)$`).FindSubmatch(raw)
	if found == nil {
		t.Fatalf("%s: %s", file, raw)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// worstFile returns a gray PNG file, nearly as large as an upload may be, of noise as far as its size
// allows. With a side of 10,000 pixels it costs as much memory to decode as an image may, with 6,599 as
// much as one may that is hardly shrunk, and with 3,300 as much as the engine may take.
func worstFile(side int) []byte {
	const size = 20_000_000
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
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(side)), uint32(side))
	chunk("IHDR", append(header, 8, 0, 0, 0, 0))
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
	return file.Bytes()
}

// limitedProgram is Vestibule in a control group with the memory of the shipped files.
type limitedProgram struct {
	t     *testing.T
	group memoryGroup
	limit int
	program.Listeners
}

// startLimited starts a party with the memory that the shipped files give it, until the test ends.
func startLimited(t *testing.T, unit string, args ...string) *limitedProgram {
	t.Helper()
	limit, ofHeap := number(t, "kubernetes.yaml", `limits: \{memory: (\d+)Gi`)<<30, number(t, "kubernetes.yaml", `GOMEMLIMIT, value: (\d+)MiB`)
	for _, is := range []struct {
		file, setting string
		want          int
	}{
		{"compose.yaml", `mem_limit: (\d+)g`, limit >> 30}, {"compose.yaml", `GOMEMLIMIT: (\d+)MiB`, ofHeap},
		{unit, `MemoryMax=(\d+)G`, limit >> 30}, {unit, `GOMEMLIMIT=(\d+)MiB`, ofHeap},
	} {
		if number(t, is.file, is.setting) != is.want {
			t.Errorf("%s has another limit of memory: %s", is.file, is.setting)
		}
	}
	p := &limitedProgram{t: t, group: newMemoryGroup(t, limit), limit: limit}
	cmd := exec.Command("sh", append([]string{"-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(p.group.dir, "cgroup.procs")},
		asCommand(t, args...).Args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "GOGC=", fmt.Sprintf("GOMEMLIMIT=%dMiB", ofHeap))
	p.Listeners = running(t, cmd)
	return p
}

// asCommand returns the command that runs this test program as Vestibule.
func asCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	testutil.Must(t, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// running starts a process of the program and ends it with the test.
func running(t *testing.T, cmd *exec.Cmd) program.Listeners {
	t.Helper()
	var log bytes.Buffer
	cmd.Stderr = &log
	l, err := program.StartProcess(cmd)
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("%v\n%s", err, &log)
		}
	})
	return l
}

// watch checks the memory of the program until done, which gets the number of children that it had.
func (p *limitedProgram) watch(done func(children int) bool) {
	p.t.Helper()
	most, atOnce, children := 0, 0, map[string]bool{}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done(len(children)) {
		<-tick.C
		most = max(most, p.group.read(p.t, "memory.stat", "(?:total_rss|anon)"))
		raw, _ := os.ReadFile(filepath.Join(p.group.dir, "cgroup.procs"))
		processes := strings.Fields(string(raw))
		if len(processes) == 0 {
			p.t.Fatal("the program has ended")
		}
		atOnce = max(atOnce, len(processes)-1)
		for _, child := range processes[1:] {
			children[child] = true
		}
	}
	p.t.Logf("%d children, %d at once", len(children), atOnce)
	p.t.Logf("%d MB of memory in all at most, %d with files", most>>20, p.group.read(p.t, p.group.peak, "")>>20)
	if most > p.limit*4/5 {
		p.t.Errorf("it takes %d MB of %d: more than four fifths", most>>20, p.limit>>20)
	}
	if n := p.group.read(p.t, p.group.kills, "oom_kill"); n > 0 || get(p.t, http.DefaultClient, p.Admin+"/healthz") != 200 {
		p.t.Errorf("the system killed %d processes for their memory", n)
	}
}

// post posts a body and returns the answer.
func post(t *testing.T, c *http.Client, address, contentType string, body io.Reader) []byte {
	resp, err := c.Post(address, contentType, body)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	if resp.StatusCode >= 400 {
		t.Errorf("%s: %s %s", address, resp.Status, regexp.MustCompile(`(?s)role="alert".*?</`).Find(raw))
	}
	return raw
}

const asForm = "application/x-www-form-urlencoded"

// TestMemoryOfUploads uploads ten of the worst files at once to a provider that has the memory of the
// shipped files, and reads them by OCR. Neither the program nor a child of it is killed.
func TestMemoryOfUploads(t *testing.T) {
	tools.FullOnly(t)
	assets.Need(t)
	find(t, "tesseract")
	dir := t.TempDir()
	p := startLimited(t, "vestibule-provider.service", "provider", "--provider-addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0",
		"--widget-files=0",
		"--data-dir="+dir, "--environment=production")
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
	var all sync.WaitGroup
	for i := range 10 {
		var upload bytes.Buffer
		w := multipart.NewWriter(&upload)
		part, _ := w.CreateFormFile("file", "stub.png")
		part.Write(worstFile([]int{3_300, 10_000, 6_599}[i%3]))
		w.Close()
		account := customer(i)
		options, _ := json.Marshal(map[string]any{"env": "production", "productId": account.Products["income"], "publicId": account.PublicID,
			"prefill": map[string]string{"firstName": "Ada", "lastName": "Byron", "email": fmt.Sprintf("ada%d@mail.example", i),
				"dob": "1990-12-10"}})
		jar, _ := cookiejar.New(nil)
		c := &http.Client{Jar: jar}
		var begun struct{ Handle string }
		testutil.Must(t, json.Unmarshal(post(t, c, p.Provider+"/widget/v1/visits", "application/json", bytes.NewReader(options)), &begun))
		at := p.Provider + "/visit/" + begun.Handle
		get(t, c, at)
		post(t, c, at, asForm, strings.NewReader("action=consent"))
		all.Go(func() {
			post(t, c, at+"/documents", w.FormDataContentType(), &upload)
			post(t, c, at, asForm, strings.NewReader("action=hand-in"))
			if page := post(t, c, at, asForm, strings.NewReader("action=finish")); !bytes.Contains(page, []byte("Preparing your report")) {
				t.Errorf("the page after the visit is\n%s", page)
			}
		})
	}
	// Each of them is decoded and then read: this many children have read images of each kind.
	p.watch(func(children int) bool { return children >= 12 })
	all.Wait()
}

// limitedPortal is a portal that has the memory of the shipped files, a provider without limits, and a reviewer.
type limitedPortal struct {
	*limitedProgram
	service  program.Listeners
	key      string // of the portal's API
	reviewer *http.Client
}

func startLimitedPortal(t *testing.T) *limitedPortal {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	service := running(t, asCommand(t, "provider", "--provider-addr=127.0.0.1:0", "--sandbox-control-addr=127.0.0.1:0", "--ocr=off",
		"--data-dir="+dirs[0]))
	account, err := program.ReadCredentials(dirs[0])
	testutil.Must(t, err)
	var products []string
	for kind, id := range account.Products {
		products = append(products, kind+"="+id)
	}
	p := startLimited(t, "vestibule-portal@.service", "portal", "--portal-addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0",
		"--data-dir="+dirs[1], "--provider-url="+service.Provider, "--public-id="+account.PublicID, "--client-id="+account.ClientID,
		"--secret-key="+account.SecretKey, "--webhook-secret="+account.WebhookSecret, "--products="+strings.Join(products, ","))
	own, err := program.ReadCredentials(dirs[1])
	testutil.Must(t, err)
	jar, _ := cookiejar.New(nil)
	l := &limitedPortal{p, service, own.PortalAPIKey, &http.Client{Jar: jar}}
	l.call(t, service.Control+"/complete-urls", map[string]string{"publicId": account.PublicID, "url": p.Portal + "/redirect/return"}, nil)
	post(t, l.reviewer, p.Portal+"/review/sign-in", asForm,
		strings.NewReader(url.Values{"email": {own.Reviewer.Email}, "password": {own.Reviewer.Password}}.Encode()))
	return l
}

// call posts JSON to the API or to the controls of the sandbox.
func (l *limitedPortal) call(t *testing.T, address string, in any, out any) {
	t.Helper()
	body, _ := json.Marshal(in)
	req, _ := http.NewRequest("POST", address, bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+l.key)
	resp, err := http.DefaultClient.Do(req)
	testutil.Must(t, err)
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	if resp.StatusCode >= 400 || out != nil && json.Unmarshal(raw, out) != nil {
		t.Fatalf("%s: %s %s", address, resp.Status, raw)
	}
}

// read returns a page as the reviewer.
func (l *limitedPortal) read(t *testing.T, address string) string {
	resp, err := l.reviewer.Get(address)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return string(raw)
}

// apply makes an application with two files, waits for its report, and returns the addresses of their images.
func (l *limitedPortal) apply(t *testing.T, stub, worst []byte) (views []string) {
	var begun struct{ ID, ConnectURL string }
	l.call(t, l.Portal+"/api/v1/applications", map[string]any{"product": "income", "mode": "redirect-form", "prefill": map[string]string{
		"firstName": "Ada", "lastName": "Byron", "email": "ada@mail.example", "dob": "1990-12-10"}}, &begun)
	link, err := url.Parse(begun.ConnectURL)
	testutil.Must(t, err)
	l.read(t, begun.ConnectURL)
	page := post(t, l.reviewer, strings.Split(begun.ConnectURL, "?")[0], asForm, strings.NewReader(link.RawQuery))
	form := regexp.MustCompile(`(?s)data-vestibule="leave".*?name="token" value="([^"]+)"`).FindSubmatch(page)
	if form == nil {
		t.Fatal("no page leads to the provider")
	}
	var ended struct{ CompleteURL string }
	l.call(t, l.service.Control+"/visits/"+string(form[1])+"/complete", map[string]any{"payStubs": []any{
		map[string]any{"fileName": "paystub.pdf", "contentBase64": stub},
		map[string]any{"fileName": "stub.png", "contentBase64": worst}}}, &ended)
	l.read(t, ended.CompleteURL)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for len(views) < 2 {
		<-tick.C
		files := l.read(t, l.Portal+"/review/applications/"+begun.ID+"/files")
		for _, view := range regexp.MustCompile(`/review/applications/[^"]*/files/[0-9a-f]+/`).FindAllString(files, -1) {
			if page := l.Portal + view + "pages/1"; !slices.Contains(views, page) {
				views = append(views, page)
			}
		}
	}
	return views
}

// TestMemoryOfPages opens ten pages of the worst files at once as reviewers, at a portal that has the
// memory of the shipped files. Neither the program nor a child of it is killed.
func TestMemoryOfPages(t *testing.T) {
	tools.FullOnly(t)
	assets.Need(t)
	find(t, "pdftoppm")
	l := startLimitedPortal(t)
	stub := testutil.ReadFile(t, "../../internal/analysis/paystub/testdata/modern.pdf")
	var views []string
	for _, side := range []int{3_300, 10_000, 6_599} {
		views = append(views, l.apply(t, stub, worstFile(side))...)
	}
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			for n := range views {
				if m := l.read(t, views[(i+n)%len(views)]); !strings.HasPrefix(m, "\x89PNG") {
					t.Errorf("no image: %.200s", m)
				}
			}
		})
	}
	opened := make(chan struct{})
	go func() { all.Wait(); close(opened) }()
	l.watch(func(int) bool {
		select {
		case <-opened:
			return true
		default:
			return false
		}
	})
}
