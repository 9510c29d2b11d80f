import { nameSet } from '../../text/is-object.js';
import { parseUrl } from '../../text/parse-url.js';

/**
 * Query parameters that say where a visitor comes from. Only those that belong to one analytics or
 * advertising product: `ref`, `source`, `id`, `si`, `campaign` and others choose content on some
 * sites.
 */
const trackers = nameSet(`
  gclid gclsrc gbraid wbraid dclid srsltid _ga _gl fbclid fb_action_ids fb_action_types fb_ref
  fb_source igshid igsh msclkid twclid ttclid yclid ysclid _openstat li_fat_id rdt_cid epik
  mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash oly_anon_id oly_enc_id vero_id
  vero_conv wickedid _hsenc _hsmi __hssc __hstc __hsfp hsctatracking s_kwcid rb_clickid
  guccounter guce_referrer guce_referrer_sig tblci dicbo _kx
`);

const isTracker = (name: string): boolean => name.startsWith('utm_') || trackers.has(name);

/** A longer address is not looked into. */
const maxLength = 8_192;

/**
 * The page that a copy in an AMP cache shows: `https://www.google.com/amp/s/example.org/a` and
 * `https://example-org.cdn.ampproject.org/c/s/example.org/a` are `https://example.org/a`. A site's
 * own AMP pages (`/amp`, `?amp=1`) stay what they are: nothing tells them from pages of that name.
 */
function outOfAmpCache(url: URL): URL {
  const isGoogle = /^(www\.)?google\.[a-z.]{2,6}$/.test(url.hostname);
  const isCache = url.hostname.endsWith('.cdn.ampproject.org');
  const path = isGoogle
    ? /^\/amp\/(s\/)?([^/]+\..+)$/.exec(url.pathname)
    : isCache
      ? /^\/[a-z]\/(s\/)?([^/]+\..+)$/.exec(url.pathname)
      : null;
  if (path === null) return url;
  const target = `http${path[1] === undefined ? '' : 's'}://${path[2] ?? ''}${url.search}`;
  // a cached copy of a cached copy is shorter each time
  const shown = parseUrl(target);
  return shown === null ? url : outOfAmpCache(shown);
}

/** Decodes what needs no encoding, and writes the rest in upper case (RFC 3986, 6.2.2). */
function evenlyEncoded(text: string): string {
  // an octet right after the beginning of another one could complete that
  return text.replace(/(?<!%|%[0-9a-f])%([0-9a-f]{2})/gi, (octet, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
  });
}

const parameterName = (pair: string): string => {
  const at = pair.indexOf('=');
  return (at === -1 ? pair : pair.slice(0, at)).toLowerCase();
};

function withoutTrackers(search: string): string {
  const pairs = search
    .replace(/^\?/, '')
    .split('&')
    .map(evenlyEncoded)
    .map((pair) => ({ pair, name: parameterName(pair) }))
    .filter(({ pair, name }) => pair !== '' && !isTracker(name));
  // stable: the order of parameters of one name may matter
  pairs.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return pairs.length === 0 ? '' : `?${pairs.map(({ pair }) => pair).join('&')}`;
}

/**
 * A page's address as it is compared, not as it is opened: two addresses that lead to one page by
 * the conventions of the web are equal. What only a site can know keeps addresses apart.
 *
 * - http and https with their usual ports are one: sites redirect from the one to the other.
 * - Host names are in lower case and without a trailing dot and `www.`, by which sites answer alike.
 *   Other hosts, such as `m.` and `amp.`, may show something else.
 * - Paths have no trailing slash, which sites add or remove by redirection; their case counts.
 * - Query parameters of analytics and advertising are left out, the others are sorted by name.
 * - Fragments are places within a page, and are left out; `#!…` and `#/…` are pages of applications
 *   that run in the browser, and stay.
 * - Copies in AMP caches are the page that they show.
 *
 * Idempotent. Never throws: what is not an http address is returned trimmed.
 */
export function canonicalUrl(address: string): string {
  const trimmed = address.trim();
  const given = trimmed.length > maxLength ? null : parseUrl(trimmed);
  if (given === null) return trimmed;
  if (given.protocol !== 'http:' && given.protocol !== 'https:') return trimmed;
  const url = outOfAmpCache(given);
  const name = url.hostname.replace(/\.+$/, '').replace(/^(?:www\.)+(?=[^.]+\.)/, '');
  if (name === '') return trimmed;
  // without its dots a name may be a number: `3..` is the address 0.0.0.3 then
  const host = name === url.hostname ? name : (parseUrl(`https://${name}`)?.hostname ?? name);
  const port = url.port === '' || url.port === '443' ? '' : `:${url.port}`;
  const user = url.username === '' ? '' : `${url.username}@`;
  const path = evenlyEncoded(url.pathname).replace(/\/+$/, '') || '/';
  const route = /^#[!/]./.test(url.hash) ? url.hash : '';
  return `https://${user}${host}${port}${path}${withoutTrackers(url.search)}${route}`;
}
