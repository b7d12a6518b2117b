"""An onboarding app with Vestibule in its page."""
import html
import json
import os
import secrets
import urllib.error
import urllib.request
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl

portal, key = os.environ["PORTAL_URL"], os.environ["VESTIBULE_PORTAL_API_KEY"]
form, verify = (Path(__file__).with_name(name).read_text() for name in ("form.html", "verify.html"))
applications = {}  # the application of each session; use your database


def call(method, path, body=None):
    """Sends a request to the portal's API."""
    request = urllib.request.Request(
        f"{portal}/api/v1/applications{path}",
        method=method,
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        data=None if body is None else json.dumps(body).encode(),
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def decide(report):
    """Approves an average income of at least $3,000 a month. A person decides on all others. Values from 9999996 say
    why there is no figure."""
    figures = {attribute["name"]: attribute["value"] for attribute in report["attributes"]}
    return "approve" if 3000 <= (figures.get("UA_INFLOW_INCOME_AVG_12R") or 0) < 9999996 else "review"


def next_step(path):
    """Decides on what the portal reports, never on an event of the page."""
    application = call("GET", path)
    state = application["state"]
    if state == "ready":
        if application["status"] == "SUCCESS" and application["substatus"] is None:
            return decide(call("GET", f"{path}/report"))
        return "review"  # the report lacks something
    if state in ("started", "connecting", "returned", "pending"):
        return "wait"
    return "retry"  # failed, exited, expired: there is no report


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        self.route({"/": self.show_form, "/verify": self.show_element, "/next": self.show_next})

    def do_POST(self):
        self.route({"/apply": self.apply})

    def route(self, routes):
        try:
            routes.get(self.path, lambda: self.send_error(404))()
        except urllib.error.URLError as problem:
            self.log_error("%s", problem)
            status = getattr(problem, "code", None)  # of the portal's answer, if there was one
            if status == 400:
                self.show_form(400, json.load(problem).get("details", []))
            elif status == 404:
                self.send_error(404, "There is no application. Begin at the first page.")
            else:
                self.send_error(502, "This does not work at the moment.")

    def show_form(self, status=200, details=()):
        """Shows the form, with the fields that the portal refused."""
        problems = (html.escape(detail.get("applicant") or f"{detail['field']}: {detail['message']}") for detail in details)
        self.answer("text/html", form.replace("PROBLEMS", "".join(f'<p role="alert">{text}</p>' for text in problems)), status)

    def apply(self):
        """Creates an application for this visitor."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        origin = "http://127.0.0.1:%d" % self.server.server_port
        made = call("POST", "", {"product": "cashflow", "mode": "embedded", "allowedOrigin": origin, "prefill": dict(parse_qsl(body))})
        session = secrets.token_urlsafe()
        applications[session] = made["id"]
        self.send_response(303)
        self.send_header("Location", "/verify")
        self.send_header("Set-Cookie", f"session={session}; HttpOnly; SameSite=Lax")
        self.end_headers()

    def show_element(self):
        """Shows the page with the element. Each view needs a new token."""
        token = call("POST", f"{self.application_path()}/embed-token", {})["embedToken"]
        self.answer("text/html", verify.replace("PORTAL", portal).replace("TOKEN", token))

    def show_next(self):
        self.answer("application/json", json.dumps({"next": next_step(self.application_path())}))

    def application_path(self):
        """Returns the path of this visitor's application."""
        cookie = SimpleCookie(self.headers.get("Cookie")).get("session")
        return f"/{applications.get(cookie.value) if cookie else None}"

    def answer(self, kind, text, status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), App)
print(f"open http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
