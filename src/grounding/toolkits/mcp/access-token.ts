import { readAnswer, readBounded } from '../../../async/read-answer.js';
import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { PrivateHosts, readableUrl, type UrlRules } from '../../reading/readable-url.js';
import { ReadingClock } from '../../reading/reading-clock.js';
import { sendRequest, systemLookup } from '../../reading/web-request.js';
import { jsonFields, parsedJson } from '../../../text/json-values.js';

interface Token {
  readonly text: string;
  readonly until: number;
}

const maxAnswerBytes = 65_536;
/** A token is replaced this long before it ends. */
const marginMs = 30_000;
const defaultLifeSeconds = 300;

/** Access tokens by OAuth's client credentials; one is used until shortly before it expires. */
export class AccessToken {
  private current: Promise<Token> | null = null;

  /**
   * @param serverUrl is asked for its token endpoint where none is configured
   * @param onSecret takes what no answer may repeat to models and clients
   */
  constructor(
    private readonly config: NonNullable<ToolkitConfig<'mcp-http'>['auth']>,
    private readonly timeoutMs: number,
    private readonly serverUrl: string,
    private readonly onSecret: (text: string) => void,
  ) {}

  /** @throws Error if the token endpoint gives none; the message has no secret */
  async token(): Promise<string> {
    const known = await this.current?.catch(() => null);
    if (known && known.until > performance.now()) return known.text;
    this.current = this.request();
    return (await this.current).text;
  }

  /** The server refused the token: the next one is new. */
  onUnauthorized(): Promise<void> {
    this.current = null;
    return Promise.resolve();
  }

  private async request(): Promise<Token> {
    const { clientId, clientSecret, scope, tokenUrl } = this.config;
    const endpoint =
      tokenUrl === null
        ? await discoverTokenEndpoint(this.serverUrl, this.timeoutMs)
        : { url: tokenUrl, resource: null };
    const form = {
      grant_type: 'client_credentials',
      ...(scope === null ? {} : { scope }),
      ...(endpoint.resource === null ? {} : { resource: endpoint.resource }),
    };
    const encoded = [clientId, clientSecret].map(encodeURIComponent).join(':');
    const authorization = `Basic ${Buffer.from(encoded).toString('base64')}`;
    this.onSecret(authorization);
    const { url } = endpoint;
    const first = await this.post(url, form, { authorization });
    // some servers take the secret in the body alone
    const answer =
      first.status === 400 || first.status === 401
        ? await this.post(url, { ...form, client_id: clientId, client_secret: clientSecret }, {})
        : first;
    const { access_token: text, expires_in: seconds } = jsonFields(parsedJson(answer.text));
    if (answer.status !== 200 || typeof text !== 'string' || !/^[!-~]+$/.test(text))
      throw new Error(`the token endpoint answered ${answer.status} without an access token`);
    this.onSecret(text);
    const lifeMs = (Number(seconds) > 0 ? Number(seconds) : defaultLifeSeconds) * 1_000;
    return { text, until: performance.now() + lifeMs - Math.min(marginMs, lifeMs / 2) };
  }

  private post(url: string, form: Record<string, string>, headers: Record<string, string>) {
    const { tokenUrl } = this.config;
    // what is configured is the operator's choice
    const trusted = new URL(tokenUrl ?? this.serverUrl).origin;
    return ask(url, { ...headers, accept: 'application/json' }, form, trusted, this.timeoutMs);
  }
}

/** Other addresses than the operator's are those of the public internet. */
const namedRules: UrlRules = { ports: new Set([443]), privateHosts: new PrivateHosts([]) };

/**
 * Asks an address of the operator's own origin, or one that a server has named: that must have TLS
 * and be public, by the rules for pages. Redirects are not followed.
 * @param form null: GET
 */
async function ask(
  address: string,
  headers: Record<string, string>,
  form: Record<string, string> | null,
  trusted: string,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  const body = form && new URLSearchParams(form).toString();
  const sent = form
    ? { ...headers, 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }
    : headers;
  const url = new URL(address);
  if (url.origin === trusted) {
    const method = form ? 'POST' : 'GET';
    const { answer, text } = await readAnswer(
      (signal) => fetch(url, { method, headers: sent, body, redirect: 'manual', signal }),
      { timeoutMs, maxBytes: maxAnswerBytes },
    );
    return { status: answer.status, text };
  }
  if (url.protocol !== 'https:') throw new Error('the server names an address without TLS');
  const target = readableUrl(address, namedRules);
  const clock = new ReadingClock(timeoutMs, undefined);
  const limits = { headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
  try {
    const answer = await sendRequest(target, sent, limits, systemLookup, clock, body);
    try {
      const { text } = await readBounded(answer.body, maxAnswerBytes);
      return { status: answer.status, text };
    } finally {
      answer.close();
    }
  } finally {
    clock.end();
  }
}

/** Where a server's access tokens come from. */
interface TokenEndpoint {
  readonly url: string;
  /** For what server the token is asked (RFC 8707); null: not said. */
  readonly resource: string | null;
}

/**
 * Asks a server for its authorization server (RFC 9728), and that for its token endpoint (RFC 8414).
 * @throws Error where none is named, or one that may not get the secret of the client: without TLS,
 * at an address that is not public, or on behalf of another server
 */
async function discoverTokenEndpoint(serverUrl: string, timeoutMs: number): Promise<TokenEndpoint> {
  const library = await import('@modelcontextprotocol/client');
  const trusted = new URL(serverUrl).origin;
  const found = await library.discoverOAuthServerInfo(serverUrl, {
    fetchFn: async (url, init) => {
      const headers = Object.fromEntries(new Headers(init?.headers));
      const { status, text } = await ask(String(url), headers, null, trusted, timeoutMs);
      // the constructor takes no other status, nor a body with these
      const isOdd = status < 200 || status > 599;
      const isBare = status === 204 || status === 205 || status === 304;
      return new Response(isBare ? null : text, { status: isOdd ? 502 : status });
    },
  });
  const url = found.authorizationServerMetadata?.token_endpoint;
  if (url === undefined) throw new Error('the server names no token endpoint');
  library.assertSecureTokenEndpoint(url);
  const resource = found.resourceMetadata?.resource ?? serverUrl;
  const named = { requestedResource: serverUrl, configuredResource: resource };
  if (!library.checkResourceAllowed(named))
    throw new Error('the server names the token endpoint of another server');
  return { url, resource };
}
