import type { Config } from '../../config/config.js';

/** Which requests of browsers are answered, as one configuration says. */
export interface BrowserRules {
  /**
   * Names in `Host` under which requests without a key are answered, in lower case, besides
   * `localhost` and IP addresses. `*.example.org` stands for all subdomains. Null: every name.
   */
  readonly hosts: readonly string[] | null;
  /** Origins, as browsers write them, whose pages may call the gateway; `*`: every origin. */
  readonly origins: readonly string[];
}

/**
 * @param isMounted whether the gateway is mounted in a host app, which then knows under which names
 *   it is reached
 */
export const browserRulesOf = (
  { allowedHosts, cors, listen, publicUrl }: Config,
  isMounted: boolean,
): BrowserRules => ({
  hosts: hostsOf(allowedHosts ?? (isMounted ? ['*'] : []), listen.host, publicUrl),
  origins: cors.allowedOrigins.map(originOf),
});

function hostsOf(
  allowed: readonly string[],
  listenHost: string,
  publicUrl: string | null,
): string[] | null {
  if (allowed.includes('*')) return null;
  const own = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  return [...allowed, listenHost, ...own].map((host) => host.toLowerCase());
}

/** An origin without its protocol's default port; of a browser extension, only in lower case. */
const originOf = (origin: string): string =>
  /^https?:/i.test(origin) ? new URL(origin).origin : origin.toLowerCase();
