import { decodeEntities } from '../../text/decode-entities.js';
import { parseUrl } from '../../text/parse-url.js';
import { canonicalUrl } from '../search/canonical-url.js';
import type { AnswerSources } from '../source.js';

/** Where a link leads. */
export type LinkTarget =
  /** To a part of the page or site that shows the answer: it names no other one. */
  | { readonly kind: 'relative' }
  | { readonly kind: 'known'; readonly url: string }
  /** `host`: its name for the reader; '' if it has none. */
  | { readonly kind: 'unknown'; readonly host: string };

/** Longer URLs are unknown: what is held back has a bound. */
export const maxUrlLength = 2_048;

/** As browsers read it: without what stands around it, and without tabs and line breaks. */
const asBrowsersRead = (url: string): string =>
  url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '');

const scheme = /^[a-z][a-z0-9+.-]*:/i;
/** They run code, or are a page of their own. */
const neverKnown = /^(?:javascript|vbscript|data|blob|file):/i;
/** Scripts of some pages go on to an address that they find in their own fragment. */
const leadsOn = /#.*(?::|%3a)(?:[\\/]|%2f|%5c){2}/i;
const domainAndMore = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}[/:?#]/u;

const isRelative = (url: string): boolean =>
  !(
    scheme.test(url) ||
    /^[\\/]{2}|:\/\/|(?<!\w)www\.|&#?\w+;/i.test(url) ||
    // browsers take it as relative, readers as an address
    domainAndMore.test(url)
  );

function withScheme(url: string): string {
  if (scheme.test(url) && !/^[^/?#]*\.[^/?#]*:\d/.test(url)) return url;
  return `https://${url.replace(/^[\\/]+/, '')}`;
}

/** The host's name without `www.`, which would make a link of it again. */
function hostOf(url: string): string {
  const written = /^[a-z]+:\/\/([\p{L}\p{N}.-]+)(?::\d+)?(?:[/?#]|$)/iu.exec(url)?.[1];
  return (written ?? parseUrl(url)?.hostname ?? '').replace(/^(?:www\.)+/i, '').replace(/\.+$/, '');
}

/**
 * Finds out where a link leads. Escapes and entities are read as a renderer of Markdown or HTML
 * reads them.
 * @param written the destination as it stands in the text
 * @param escapes whether a backslash escapes the character after it
 */
export function linkTarget(written: string, sources: AnswerSources, escapes: boolean): LinkTarget {
  const unescaped = escapes ? written.replace(/\\([!-/:-@[-`{-~])/g, '$1') : written;
  const url = asBrowsersRead(decodeEntities(unescaped));
  if (isRelative(url)) return { kind: 'relative' };
  const absolute = withScheme(url);
  const spellings = absolute === written ? [absolute] : [absolute, written];
  const known =
    neverKnown.test(absolute) || leadsOn.test(absolute)
      ? undefined
      : spellings.find((spelling) => spelling.length <= maxUrlLength && sources.isKnown(spelling));
  return known === undefined
    ? { kind: 'unknown', host: hostOf(absolute) }
    : { kind: 'known', url: known };
}

/**
 * Where an image or the like leads, which programs open without being asked. An address with
 * parameters that do not count for which page it is, such as `utm_…`, is unknown then: a page could
 * make the model write into them what it knows.
 */
export function loadedTarget(target: LinkTarget): LinkTarget {
  if (target.kind !== 'known') return target;
  const parameters = (url: string): number => [...(parseUrl(url)?.searchParams ?? [])].length;
  return parameters(target.url) > parameters(canonicalUrl(target.url))
    ? { kind: 'unknown', host: hostOf(target.url) }
    : target;
}
