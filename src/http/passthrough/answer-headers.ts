import type { IncomingHttpHeaders } from 'node:http';

/**
 * Response headers that are not forwarded: those of the connection to the provider, and those by
 * which a provider could change what browsers do with the gateway's own origin.
 */
const blocked = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'alt-svc',
  'clear-site-data',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'sourcemap',
  'strict-transport-security',
  'timing-allow-origin',
  'www-authenticate',
  'x-content-type-options',
]);
const blockedPrefixes = ['access-control-', 'content-security-policy', 'cross-origin-'];

/** A page that a provider serves gets an origin of its own, without scripts. */
const sandbox = "sandbox; default-src 'none'";

/**
 * The headers with which a provider's answer goes to the client: safe for a browser, and without
 * those that repeat a secret.
 */
export function answerHeaders(
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
