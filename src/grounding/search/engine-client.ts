import { Agent, fetch } from 'undici';
import { isTimeout, readAnswer } from '../../async/read-answer.js';
import { abortError } from '../../async/until-aborted.js';
import { networkFailure } from '../../dispatch/network-failure.js';
import { secretsOf, withoutSecrets } from '../../dispatch/secrets.js';
import { GatewayError } from '../../errors.js';
import type { UpstreamHeaders } from '../../providers/adapter.js';
import { codeOfStatus, providerFailure, unreadable } from '../../providers/failure.js';
import { version } from '../../version.js';
import { parsedJson } from '../../text/json-values.js';
import type { EngineRequest, RawResult, SearchEngine, SearchQuery } from './search-engine.js';
import { decoded, parseUrl } from '../../text/parse-url.js';
import { isObject, textIn } from '../../text/is-object.js';

interface EngineAnswer {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  /** Null: larger than allowed. */
  readonly body: string | null;
}

const maxAnswerBytes = 8 * 1024 * 1024;
/** A shorter query may be a part of other words. */
const minQuotedLength = 4;

/** The connections to search engines. */
export class EngineClient {
  private readonly agent = new Agent({
    connect: { timeout: 10_000 },
    keepAliveTimeout: 30_000,
    // a search has a timeout of its own, and a header that is longer is no search engine's
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 65_536,
  });

  /**
   * Asks an engine once, within its timeout. Follows no redirects, which would take the key to
   * another host.
   * @throws GatewayError whose message begins with the engine's name and contains neither keys nor
   * the query
   */
  async ask(
    engine: SearchEngine,
    query: SearchQuery,
    apiKey: string | null,
    signal: AbortSignal,
  ): Promise<readonly RawResult[]> {
    try {
      return await this.exchange(engine, query, apiKey, signal);
    } catch (error) {
      throw safeFailure(engine, error);
    }
  }

  /** Waits for calls in progress, then closes the connections. Calls after it fail. */
  close(): Promise<void> {
    return this.agent.close();
  }

  private async exchange(
    engine: SearchEngine,
    query: SearchQuery,
    apiKey: string | null,
    signal: AbortSignal,
  ): Promise<readonly RawResult[]> {
    const request = engine.dialect.buildRequest(query, engine, apiKey);
    try {
      const answer = await this.send(request, engine, signal);
      if (answer.status !== 200) throw failureOf(engine, query.query, answer);
      return readBody(engine, request, answer.body);
    } catch (error) {
      if (signal.aborted) throw abortError(signal);
      if (isTimeout(error))
        throw new GatewayError(
          'upstream_timeout',
          `${engine.name} did not answer within ${engine.timeoutMs} ms`,
        );
      throw error;
    }
  }

  private async send(
    request: EngineRequest,
    engine: SearchEngine,
    signal: AbortSignal,
  ): Promise<EngineAnswer> {
    const { url, basic } = withoutCredentials(request.url);
    const headers = {
      accept: 'application/json',
      'user-agent': `Signalbox/${version}`,
      ...(basic === null ? {} : { authorization: `Basic ${basic}` }),
      ...request.headers,
      ...lowerCased(engine.headers),
    };
    const { method, body } = request;
    const { agent: dispatcher } = this;
    const { answer, text, isCut } = await readAnswer(
      (ending) =>
        fetch(url, { method, headers, body, redirect: 'manual', dispatcher, signal: ending }),
      // counted after decompression
      { timeoutMs: engine.timeoutMs, maxBytes: maxAnswerBytes, signal },
    );
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: isCut ? null : text,
    };
  }
}

/** The error without what it must not tell. */
function safeFailure({ name, apiKeys, headers, url }: SearchEngine, error: unknown): GatewayError {
  const isNetwork = error instanceof TypeError && error.cause !== undefined;
  const failure = networkFailure(name, isNetwork ? error.cause : error);
  const values = [...apiKeys, ...Object.values(headers), ...secretsInAddress(url)];
  const secrets = secretsOf(values, [name]);
  const { code, message, upstreamStatus, retryAfterMs } = withoutSecrets(failure, secrets);
  // without the cause, which may tell the address, in which there may be a key
  return new GatewayError(code, message, { upstreamStatus, retryAfterMs });
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function readBody(
  { name, dialect }: SearchEngine,
  request: EngineRequest,
  body: string | null,
): readonly RawResult[] {
  if (body === null) throw unreadable(name, `larger than ${maxAnswerBytes} bytes`);
  const parsed = parsedJson(body);
  if (parsed === undefined) throw unreadable(name, 'not JSON');
  try {
    const results = dialect.readResults(parsed, request);
    if (results !== null) return results;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // a dialect does not know the engine's name
    throw new GatewayError(error.code, `${name} ${error.message}`);
  }
  throw unreadable(name, 'no list of results');
}

function failureOf(
  { name, dialect }: SearchEngine,
  query: string,
  { status, headers, body }: EngineAnswer,
): GatewayError {
  if (status >= 300 && status < 400)
    return new GatewayError(
      'not_configured',
      `${name} answered ${status}: redirects are not followed; configure the address it leads to`,
      { upstreamStatus: status },
    );
  const parsed = parsedJson(body ?? '');
  const explained = dialect.explainFailure?.(status, headers, parsed);
  const reason = explained?.reason ?? '';
  const said = reason === '' ? reasonIn(parsed) : reason;
  return providerFailure({
    provider: name,
    status,
    headers,
    // what people search for is theirs
    reason: query.length < minQuotedLength ? said : said.replaceAll(query, '[query]'),
    code: explained?.code ?? codeOf(status),
    retryAfterMs: explained?.retryAfterMs ?? null,
  });
}

/** There are no models here: a wrong address is a wrong setting. */
function codeOf(status: number): ReturnType<typeof codeOfStatus> {
  const code = codeOfStatus(status);
  return code === 'model_not_found' ? 'not_configured' : code;
}

/** The message in the body of an error, in the shapes that the engines and their servers use. */
function reasonIn(body: unknown): string {
  if (!isObject(body)) return '';
  const error = body['error'] ?? body['detail'] ?? body['message'];
  const inner = isObject(error)
    ? (error['message'] ?? error['detail'] ?? error['error'])
    : Array.isArray(error) && isObject(error[0])
      ? error[0]['msg']
      : error;
  return textIn(inner).slice(0, 300);
}

/** Shorter values in the query of an address are seldom keys. */
const minKeyLength = 16;

/**
 * An address without its user and password, which `fetch` refuses, and what says them in a header.
 * @param address absolute
 * @returns `basic`: the credentials of HTTP's basic authentication; null if there are none
 */
function withoutCredentials(address: string): { url: URL; basic: string | null } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url, basic: null };
  url.username = url.password = '';
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { url, basic: Buffer.from(credentials).toString('base64') };
}

/** What may be secret in a configured address: its password, and long values of its query. */
function secretsInAddress(address: string | null): string[] {
  const parsed = address === null ? null : parseUrl(address);
  if (address === null || parsed === null) return [];
  const { password, searchParams } = parsed;
  const { basic } = withoutCredentials(address);
  const values = [...searchParams.values()].filter((value) => value.length >= minKeyLength);
  return [...(basic === null ? [] : [basic, decoded(password)]), ...values];
}
