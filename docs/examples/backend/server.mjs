// An onboarding app with Vestibule in its page.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { PORTAL_URL: portal, VESTIBULE_PORTAL_API_KEY: key, PORT: port } = process.env;
const [form, verify] = ['form.html', 'verify.html'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
const applications = new Map(); // the application of each session; use your database
let origin; // of this app, as browsers see it

// Sends a request to the portal's API.
async function call(method, path, body) {
  const response = await fetch(`${portal}/api/v1/applications${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (response.ok) return response.json();
  const { message, details = [] } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(`the portal answered ${response.status}: ${message}`), { status: response.status, details });
}

// Approves an average income of at least $3,000 a month. A person decides on all others. Values from 9999996 say why
// there is no figure.
function decide({ attributes }) {
  const income = attributes.find(({ name }) => name === 'UA_INFLOW_INCOME_AVG_12R')?.value ?? 0;
  return income >= 3000 && income < 9999996 ? 'approve' : 'review';
}

// Decides on what the portal reports, never on an event of the page.
async function next(path) {
  const { state, status, substatus } = await call('GET', path);
  if (state === 'ready' && status === 'SUCCESS' && substatus === null) return decide(await call('GET', `${path}/report`));
  if (state === 'ready') return 'review'; // the report lacks something
  if (['started', 'connecting', 'returned', 'pending'].includes(state)) return 'wait';
  return 'retry'; // failed, exited, expired: there is no report
}

// The path of this visitor's application.
const applicationPath = (request) => `/${applications.get(/session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1])}`;

// Shows the form, with problems as lines of text.
function showForm(response, status, problems) {
  const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const list = problems.map((text) => `<p role="alert">${escape(text)}</p>`).join('');
  response.writeHead(status, { 'Content-Type': 'text/html' }).end(form.replace('PROBLEMS', list));
}

const routes = {
  'GET /': (request, response) => showForm(response, 200, []),

  // Creates an application for this visitor.
  'POST /apply': async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const prefill = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const { id } = await call('POST', '', { product: 'cashflow', mode: 'embedded', allowedOrigin: origin, prefill });
    const session = randomUUID();
    applications.set(session, id);
    response.writeHead(303, { Location: '/verify', 'Set-Cookie': `session=${session}; HttpOnly; SameSite=Lax` }).end();
  },

  // Shows the page with the element. Each view needs a new token.
  'GET /verify': async (request, response) => {
    const { embedToken } = await call('POST', `${applicationPath(request)}/embed-token`, {});
    response.setHeader('Content-Type', 'text/html').end(verify.replace('PORTAL', portal).replace('TOKEN', embedToken));
  },

  'GET /next': async (request, response) => {
    const todo = await next(applicationPath(request));
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ next: todo }));
  },
};

const server = createServer(async (request, response) => {
  try {
    const route = routes[`${request.method} ${request.url}`];
    if (!route) return response.writeHead(404).end();
    await route(request, response);
  } catch (problem) {
    console.error(problem);
    const { status, details } = problem;
    if (status === 400) {
      return showForm(response, 400, details.map(({ field, message, applicant }) => applicant ?? `${field}: ${message}`));
    }
    if (status === 404) return response.writeHead(404).end('There is no application. Begin at the first page.');
    response.writeHead(502).end('This does not work at the moment.');
  }
});
server.listen(port, '127.0.0.1', () => {
  origin = `http://127.0.0.1:${server.address().port}`;
  console.log('open', origin);
});
