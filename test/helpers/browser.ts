import type { RunningGateway } from './gateway.js';
import { textAt } from './json.js';
import { ask, type Reply } from './sse.js';

/**
 * A browser as far as signing in goes: it keeps its cookie, and its page sends the token back with
 * every change.
 */
export class Browser {
  /** `signalbox_session=…` or `__Host-signalbox=…`, '' if there is none. */
  cookie = '';
  csrfToken = '';
  /** The cookie by which the gateway knows the browser after its first sign-in; '' before. */
  known = '';

  /** @param url of the gateway; @param headers go with every request */
  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** Sends a request as the gateway's own page would; `headers` replace what it says by itself. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const cookie = [this.cookie, this.known].filter((one) => one !== '').join('; ');
    const own = {
      ...this.headers,
      ...(cookie ? { cookie } : {}),
      ...(this.csrfToken ? { 'x-csrf-token': this.csrfToken } : {}),
      'sec-fetch-site': 'same-origin',
      origin: this.url,
    };
    const reply = await ask(method, this.url + path, { ...own, ...headers }, body);
    const given = reply.headers['set-cookie']?.findLast((cookie) =>
      /^(signalbox_session|__Host-signalbox)=/.test(cookie),
    );
    if (given !== undefined)
      this.cookie = /^[^=]*=;/.test(given) ? '' : (given.split(';')[0] ?? '');
    const known = reply.headers['set-cookie']?.find((one) =>
      /^[\w-]*signalbox[_-]known=/.test(one),
    );
    if (known !== undefined) this.known = known.split(';')[0] ?? '';
    return reply;
  }

  signUp(email: string, password: string): Promise<Reply> {
    return this.ask('POST', '/api/v1/auth/sign-up', { email, password });
  }

  async signIn(email: string, password: string): Promise<Reply> {
    const reply = await this.ask('POST', '/api/v1/auth/sign-in', { email, password });
    if (reply.status === 200) this.csrfToken = textAt(reply.json, 'csrfToken');
    return reply;
  }

  account(): Promise<Reply> {
    return this.ask('GET', '/api/v1/auth/account');
  }
}

/** A browser in which the administrator has signed in, who has claimed the gateway before. */
export async function administratorOf(
  { url, claimCode }: Pick<RunningGateway, 'url' | 'claimCode'>,
  email: string,
  password = goodPassword,
): Promise<Browser> {
  const browser = new Browser(url);
  const code = await claimCode();
  await browser.ask('POST', '/api/v1/auth/claim', { code, email, password });
  await browser.signIn(email, password);
  return browser;
}

/** A browser in which a new account has signed in. */
export async function signedUp(
  url: string,
  email: string,
  password = goodPassword,
): Promise<Browser> {
  const browser = new Browser(url);
  await browser.signUp(email, password);
  const { status, text } = await browser.signIn(email, password);
  if (status !== 200) throw new Error(`${email} could not sign in: ${status} ${text}`);
  return browser;
}

/** A password that is long enough. */
export const goodPassword = 'correct horse battery';
