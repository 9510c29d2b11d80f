import type { ProviderDialect } from './adapter.js';
import { dialects } from './index.js';

const all = [...dialects.values()];
const declared = all.flatMap((dialect) => dialect.passthroughHeaders ?? []);
const names = new Set(declared.filter((name) => !name.endsWith('*')));
const prefixes = declared.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/**
 * Whether a header may be passed through to a provider because some provider's SDK sends it. The
 * headers of every dialect count, whichever provider is called: another may answer behind its
 * address.
 * @param name in lower case
 */
export const isPassthroughHeader = (name: string): boolean =>
  names.has(name) ||
  prefixes.some((prefix) => name.length > prefix.length && name.startsWith(prefix));

/** The headers, beside `authorization`, in which the providers' SDKs send a key. Lower case. */
export const sdkKeyHeaders: readonly string[] = [
  ...new Set(all.flatMap((dialect) => dialect.keyHeader ?? [])),
];

/**
 * How the SDK that sent a request reads errors, by the headers that it sends: a client speaks one
 * dialect, whichever provider it means. Null: as OpenAI's SDK.
 * @param headers with lower-case names
 */
export function sdkErrorBody(
  headers: object,
): ((status: number, message: string) => object) | null {
  const sent = all.find(
    ({ errorBody, keyHeader, passthroughHeaders = [] }) =>
      errorBody && [keyHeader ?? '', ...passthroughHeaders].some((name) => name in headers),
  );
  return sent?.errorBody ?? null;
}

/**
 * The dialects of which a path is a provider's own, such as `/v1/messages` of Anthropic's; empty
 * for a path that no client is known to ask for.
 */
export function dialectsWith(path: string): ProviderDialect[] {
  const asked = `${path.toLowerCase()}/`;
  return all.filter(({ ownPaths = [] }) => ownPaths.some((own) => asked.startsWith(`${own}/`)));
}
