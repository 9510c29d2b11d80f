import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { sdkKeyHeaders } from '../../providers/passthrough-headers.js';
import { nameSet, table } from '../../text/is-object.js';

const decoders: Readonly<Record<string, () => Transform>> = table({
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
});

/** What the request of an answer had. */
interface SentRequest {
  readonly clientHeaders: IncomingHttpHeaders;
  /** Values that are removed from errors of the provider. */
  readonly secrets: readonly string[];
}

/** Whether clients that follow a redirect to another server send their key there too. */
const wouldSendKey = (headers: IncomingHttpHeaders): boolean =>
  sdkKeyHeaders.some((name) => headers[name] !== undefined);

/**
 * Sends a provider's answer to the client. A successful answer passes byte for byte; the call's
 * secrets are removed from any other, because providers repeat keys in their errors.
 */
export function sendAnswer(
  answer: IncomingMessage,
  res: ServerResponse,
  { secrets, clientHeaders }: SentRequest,
): void {
  const status = answer.statusCode ?? 502;
  const headers = answerHeaders(answer.headers, secrets);
  if (wouldSendKey(clientHeaders)) delete headers['location'];
  const filters = status < 300 ? [] : errorFilters(headers, secrets);
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  // a truncated answer must not look complete
  answer.once('close', () => {
    if (!answer.complete) res.destroy();
  });
  const finish = (error: Error | null | undefined): void => {
    if (error) res.destroy();
  };
  // the proxy, the pipeline and the stages listen to the same response
  res.setMaxListeners(20);
  pipeline([answer, ...filters, res], finish);
}

/** The longest error that is passed on: a few bytes may decompress to gigabytes. */
const maxErrorBytes = 16 * 1024 * 1024;

/** Errors are seldom compressed, because the gateway does not ask for it. */
function errorFilters(
  headers: Record<string, string | string[]>,
  secrets: readonly string[],
): Transform[] {
  if (secrets.length === 0) return [];
  const coding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity') return [maskSecrets(secrets)];
  delete headers['content-encoding'];
  delete headers['content-length'];
  const decoder = decoders[coding];
  // a body that cannot be searched is not sent
  return decoder ? [decoder(), maskSecrets(secrets)] : [nothing()];
}

const nothing = (): Transform => new Transform({ transform: (_chunk, _encoding, done) => done() });

/**
 * A stream that replaces secrets in its bytes by as many asterisks, wherever chunks are cut: the
 * length of the body stays what its headers announce.
 */
function maskSecrets(secrets: readonly string[]): Transform {
  const hidden = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  const longest = Math.max(0, ...hidden.map(({ length }) => length));
  let held = '',
    total = 0;
  /** Holds back the last `keep` bytes, which may be the beginning of a secret. */
  const take = (keep: number): Buffer => {
    for (const secret of hidden) held = held.replaceAll(secret, '*'.repeat(secret.length));
    const end = Math.max(0, held.length - keep);
    const ready = Buffer.from(held.slice(0, end), 'latin1');
    held = held.slice(end);
    return ready;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      held += chunk.toString('latin1');
      if (total > maxErrorBytes) done(new Error('the error is too long'));
      else done(null, take(longest - 1));
    },
    flush(done) {
      done(null, take(0));
    },
  });
}

/**
 * Response headers that are not forwarded: those of the connection to the provider, and those by
 * which a provider could change what browsers do with the gateway's own origin.
 */
const blocked = nameSet(`
  connection keep-alive proxy-authenticate proxy-connection trailer transfer-encoding upgrade
  alt-svc clear-site-data nel origin-agent-cluster public-key-pins refresh report-to
  reporting-endpoints service-worker-allowed set-cookie set-cookie2 sourcemap
  strict-transport-security timing-allow-origin www-authenticate x-content-type-options
`);
const blockedPrefixes = ['access-control-', 'content-security-policy', 'cross-origin-'];

/** A page that a provider serves gets an origin of its own, without scripts. */
const sandbox = "sandbox; default-src 'none'";

/** The headers of a provider's answer for the client: safe for a browser, without any secret. */
function answerHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || blocked.has(name)) continue;
    if (blockedPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    if (secrets.some((secret) => value.includes(secret))) continue;
    kept[name] = value;
  }
  kept['content-security-policy'] = sandbox;
  return kept;
}
