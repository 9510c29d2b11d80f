import { parseUrl } from '../../text/parse-url.js';
/** Shorter values in the query of an address are seldom keys. */
const minKeyLength = 16;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * An address without its user and password, which `fetch` refuses, and what says them in a header.
 * @param address absolute
 * @returns `basic`: the credentials of HTTP's basic authentication; null if there are none
 */
export function withoutCredentials(address: string): { url: URL; basic: string | null } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url, basic: null };
  url.username = url.password = '';
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { url, basic: Buffer.from(credentials).toString('base64') };
}

/** What may be secret in a configured address: its password, and long values of its query. */
export function secretsInAddress(address: string | null): string[] {
  const parsed = address === null ? null : parseUrl(address);
  if (address === null || parsed === null) return [];
  const { password, searchParams } = parsed;
  const { basic } = withoutCredentials(address);
  const values = [...searchParams.values()].filter((value) => value.length >= minKeyLength);
  return [...(basic === null ? [] : [basic, decoded(password)]), ...values];
}
