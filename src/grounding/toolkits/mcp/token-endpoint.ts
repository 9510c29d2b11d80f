/** Where a server's access tokens come from. */
export interface TokenEndpoint {
  readonly url: string;
  /** For what server the token is asked (RFC 8707); null: not said. */
  readonly resource: string | null;
}

/**
 * Asks a server for its authorization server (RFC 9728), and that for its token endpoint (RFC 8414).
 * @throws Error where none is named, or one that may not get the secret of the client: without TLS,
 * or on behalf of another server
 */
export async function discoverTokenEndpoint(
  serverUrl: string,
  fetchFn: typeof fetch,
): Promise<TokenEndpoint> {
  const library = await import('@modelcontextprotocol/client');
  const found = await library.discoverOAuthServerInfo(serverUrl, { fetchFn });
  const url = found.authorizationServerMetadata?.token_endpoint;
  if (url === undefined) throw new Error('the server names no token endpoint');
  library.assertSecureTokenEndpoint(url);
  const resource = found.resourceMetadata?.resource ?? serverUrl;
  const named = { requestedResource: serverUrl, configuredResource: resource };
  if (!library.checkResourceAllowed(named))
    throw new Error('the server names the token endpoint of another server');
  return { url, resource };
}
