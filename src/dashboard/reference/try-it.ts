/**
 * Lets the reader of `/docs` call each operation, with a key that stays in the page or as who is
 * signed in. A program of its own, because the page needs no framework.
 */
import { pathParameters, requestOf } from './call.js';

/** Longer answers are cut in the page. */
const maxShown = 200_000;

const words = {
  key: 'API key for “Try it”',
  keyHint: 'It stays in this page. Empty: as who is signed in to the dashboard.',
  tryIt: 'Try it',
  query: 'Query, such as limit=20&cursor=…',
  body: 'Body',
  send: 'Send',
  stop: 'Stop',
  sending: 'Sending…',
  unreachable: 'The gateway cannot be reached, or the request was stopped.',
  cut: '\n… (cut)',
};

/** The path under which the gateway is mounted: the base of both pages that use this. */
const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** Creates an element with its text and attributes. */
function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  text = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.textContent = text;
  return made;
}

let fields = 0;

function labelled<Field extends HTMLElement>(into: HTMLElement, text: string, field: Field): Field {
  field.id = `field-${(fields += 1)}`;
  into.append(element('label', { for: field.id }, text), field);
  return field;
}

function keyField(place: Element): HTMLInputElement {
  const box = element('div', { class: 'try' });
  const field = labelled(
    box,
    words.key,
    element('input', { type: 'password', autocomplete: 'off', placeholder: 'sk_…' }),
  );
  box.append(element('small', {}, words.keyHint));
  place.prepend(box);
  return field;
}

/** The token of the signed-in person; null without one. */
async function csrfToken(): Promise<string | null> {
  const answer = await fetch(`${basePath}/api/v1/auth/account`);
  if (!answer.ok) return null;
  const { csrfToken: token } = (await answer.json()) as { csrfToken: string | null };
  return token;
}

async function authorization(key: string, method: string): Promise<Record<string, string>> {
  if (key !== '') return { authorization: `Bearer ${key}` };
  if (method === 'GET') return {};
  const token = await csrfToken();
  return token === null ? {} : { 'x-csrf-token': token };
}

/** Shows an answer while it arrives. */
async function show(answer: Response, startedAt: number, output: HTMLElement): Promise<void> {
  const type = answer.headers.get('content-type') ?? '';
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const head = `${answer.status} ${answer.statusText} · X-Request-Id ${answer.headers.get('x-request-id') ?? ''}`;
  let body = '';
  const draw = (text: string): void => {
    const ms = Math.round(performance.now() - startedAt);
    output.textContent = `${head} · ${ms} ms\n\n${text}`;
  };
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    body += part.value;
    if (body.length > maxShown) {
      await reader?.cancel();
      body = body.slice(0, maxShown) + words.cut;
      break;
    }
    draw(body);
  }
  draw(/json/.test(type) ? pretty(body) : body);
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function formOf(section: HTMLElement, into: HTMLElement) {
  const { method = 'get', path = '', body } = section.dataset;
  const call = { method: method.toUpperCase(), path };
  const parameters = new Map(
    pathParameters(path).map((name) => [
      name,
      labelled(into, name, element('input', { required: '' })),
    ]),
  );
  return {
    call,
    parameters,
    query: call.method === 'GET' ? labelled(into, words.query, element('input')) : null,
    body:
      body === undefined
        ? null
        : labelled(into, words.body, element('textarea', { rows: '8', spellcheck: 'false' }, body)),
  };
}

function addForm(section: HTMLElement, key: HTMLInputElement): void {
  const details = element('details', { class: 'try' });
  const form = element('form');
  const made = formOf(section, form);
  const button = element('button', {}, words.send);
  const output = element('pre', { role: 'status', tabindex: '0', hidden: '' });
  form.append(button);
  details.append(element('summary', {}, words.tryIt), form, output);
  section.querySelector('pre')?.after(details);
  let running: AbortController | null = null;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (running) running.abort();
    else void send();
  });
  const send = async (): Promise<void> => {
    running = new AbortController();
    button.textContent = words.stop;
    output.hidden = false;
    output.textContent = words.sending;
    const startedAt = performance.now();
    try {
      const { url, init } = requestOf(made.call, basePath, {
        parameters: new Map([...made.parameters].map(([name, { value }]) => [name, value])),
        query: made.query?.value ?? '',
        body: made.body?.value ?? null,
      });
      const headers = {
        ...init.headers,
        ...(await authorization(key.value.trim(), made.call.method)),
      };
      await show(await fetch(url, { ...init, headers, signal: running.signal }), startedAt, output);
    } catch {
      output.append(`\n${words.unreachable}`);
    } finally {
      running = null;
      button.textContent = words.send;
    }
  };
}

/** Adds a form to each operation within `root`, and the field for their key first in `place`. */
export function addForms(root: ParentNode, place: Element): void {
  const key = keyField(place);
  for (const section of root.querySelectorAll<HTMLElement>('section[data-path]'))
    addForm(section, key);
}

// the page `/docs`; the dashboard calls the function for a part of it
const place = document.querySelector('.page > header + div');
if (place) addForms(document, place);
