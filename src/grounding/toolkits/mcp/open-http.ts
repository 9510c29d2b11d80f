import { withTimeout } from '../../../async/with-timeout.js';
import type { HttpToolkitConfig } from '../../../config/toolkit-config.js';
import { AccessToken } from './access-token.js';
import { boundedFetch } from './bounded-fetch.js';
import { openSession } from './mcp-session.js';
import { discoverTokenEndpoint, type TokenEndpoint } from './token-endpoint.js';
import type { OpenSession } from './mcp-source.js';

/** How long saying goodbye to the server may take. */
const maxGoodbyeMs = 2_000;

/** Connects to a server at an address. */
export function httpSessions(config: HttpToolkitConfig): OpenSession {
  const { url, headers, era, auth, timeoutMs } = config;
  const fetchBounded = boundedFetch(timeoutMs);
  const discover = (): Promise<TokenEndpoint> => discoverTokenEndpoint(url, fetchBounded);
  const tokens = auth === null ? null : new AccessToken(auth, timeoutMs, discover);
  return async (options) => {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: fetchBounded,
      ...(tokens === null ? {} : { authProvider: tokens }),
      // another token would have the same scope
      onInsufficientScope: 'throw',
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 30_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 5,
      },
    });
    const session = await openSession(transport, { ...options, era });
    return {
      ...session,
      close: async () => {
        const goodbye = transport.terminateSession().catch(() => undefined);
        await withTimeout(goodbye, maxGoodbyeMs, () => undefined);
        await session.close();
      },
    };
  };
}
