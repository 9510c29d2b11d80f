import { cutAtWord } from '../../text/cut-text.js';
import { parseUrl } from '../../text/parse-url.js';

/** A host name as it is compared: lower case, without a trailing dot. */
const named = (host: string): string => host.toLowerCase().replace(/\.$/, '');

/**
 * The host name of a domain as people write it: `https://example.org/path`, `*.example.org` and
 * `www.example.org` name the same as `example.org`.
 */
export function domainName(written: string): string {
  const host = written
    .trim()
    .replace(/^[a-z][a-z0-9+.-]{0,20}:\/\//i, '')
    .replace(/[/?#:].*$/s, '')
    .replace(/^\*?\./, '')
    .replace(/^www\.(?=[^.]+\.)/i, '');
  return named(parseUrl(`http://${host}`)?.hostname ?? host);
}

/** Whether a host is a domain or one of its subdomains. */
const isWithin = (host: string, domain: string): boolean =>
  domain !== '' && (host === domain || host.endsWith(`.${domain}`));

/** Whether a page may be among the results. Blocked domains win over allowed ones. */
export function isAllowedPage(
  url: string,
  allowed: readonly string[],
  blocked: readonly string[],
): boolean {
  const parsed = parseUrl(url);
  if (parsed === null) return false;
  const host = named(parsed.hostname);
  const matches = (written: string): boolean => isWithin(host, domainName(written));
  return !blocked.some(matches) && (allowed.length === 0 || allowed.some(matches));
}

/** Without what is no host name: it would be read as words to search for. */
const operands = (domains: readonly string[]): string[] =>
  domains
    .map(domainName)
    .filter((name) => /^[a-z0-9.-]+$/.test(name))
    .map((name) => `site:${name}`);

/**
 * The query with `site:` operators, for engines that have no parameters for domains. What would make
 * it longer than `maxLength` is left out: all allowed domains together, because an incomplete list
 * would hide the others, or single blocked ones.
 */
export function withSiteOperators(
  query: string,
  allowed: readonly string[],
  blocked: readonly string[],
  maxLength: number,
): string {
  const only = operands(allowed);
  const parts = [
    only.length > 1 ? `(${only.join(' OR ')})` : (only[0] ?? ''),
    ...operands(blocked).map((operand) => `-${operand}`),
  ];
  let text = query;
  for (const part of parts)
    if (part !== '' && text.length + 1 + part.length <= maxLength) text += ` ${part}`;
  return text;
}

/** Cuts a query to at most `maxLength` UTF-16 units and `maxWords`, as `cutAtWord` does. */
export function cutQuery(query: string, maxLength: number, maxWords = Infinity): string {
  // of a text of megabytes its beginning
  const words = query
    .trimStart()
    .slice(0, 16 * maxLength)
    .trim()
    .split(/\s+/);
  return cutAtWord(words.slice(0, maxWords).join(' '), maxLength);
}
