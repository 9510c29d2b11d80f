import { PageError } from './page-error.js';
import { type ReadableUrl, readableUrl, type UrlRules } from './readable-url.js';
import type { WebAnswer } from './web-request.js';

/** The rules that each address of a chain is checked by. */
export interface RedirectRules extends UrlRules {
  readonly maxRedirects: number;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Opens a URL and follows `Location` headers; nothing else that names another page is followed.
 * @param open checks a target by what only the caller knows, and requests it
 */
export async function followRedirects(
  text: string,
  rules: RedirectRules,
  open: (target: ReadableUrl) => Promise<WebAnswer>,
): Promise<{ readonly target: ReadableUrl; readonly answer: WebAnswer }> {
  let target = readableUrl(text, rules);
  for (let redirects = 0; ; redirects++) {
    const answer = await open(target);
    const { location } = answer.headers;
    if (!redirectStatuses.has(answer.status) || location === undefined) return { target, answer };
    answer.close();
    if (redirects === rules.maxRedirects)
      throw new PageError(
        'too_many_redirects',
        `${target.host} redirects more than ${rules.maxRedirects} times`,
      );
    target = nextTarget(location, target, rules);
  }
}

function nextTarget(
  location: string | string[],
  { url, host }: ReadableUrl,
  rules: RedirectRules,
): ReadableUrl {
  if (typeof location !== 'string')
    throw new PageError('forbidden_url', `${host} redirects to several pages at once`);
  const next = readableUrl(location, rules, url);
  if (url.protocol === 'https:' && next.url.protocol !== 'https:')
    throw new PageError('forbidden_url', `${host} redirects from https to http`);
  return next;
}
