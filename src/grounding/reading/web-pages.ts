import { version } from '../../version.js';
import { PageError } from './page-error.js';
import { declaredKind, mediaType, type PageKind } from './page-kind.js';
import type { pageReaderDefaults } from './page-reader-options.js';
import { acceptedEncodings } from '../../async/decoders.js';
import { readBody } from './read-body.js';
import { PrivateHosts, type ReadableUrl, readableUrl, type UrlRules } from './readable-url.js';
import type { ReadingClock } from './reading-clock.js';
import { type RobotsAnswer, RobotsCache } from './robots.js';
import { sendRequest, type WebAnswer } from './web-request.js';

/** A document as its server sent it, decompressed. */
export interface WebDocument {
  readonly url: URL;
  readonly contentType: string;
  readonly charset: string | null;
  /** Null: the server does not know. */
  readonly declared: PageKind | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const product = 'Signalbox';

const requestHeaders = {
  'user-agent': `${product}/${version}`,
  accept:
    'text/html,application/xhtml+xml,application/pdf;q=0.9,' +
    'text/*;q=0.8,application/json;q=0.8,application/xml;q=0.8,*/*;q=0.1',
  'accept-encoding': acceptedEncodings,
};

/** Fetches documents of the public web, within its rules. */
export class WebPages {
  private readonly rules: RedirectRules;
  private readonly robots = new RobotsCache(product);

  constructor(private readonly options: typeof pageReaderDefaults) {
    this.rules = {
      ports: new Set(options.ports),
      privateHosts: new PrivateHosts(options.allowPrivateHosts),
      maxRedirects: options.maxRedirects,
    };
  }

  /**
   * @param allowed asked for each URL of a chain of redirects
   * @param accept the type of a file that is no page; absent: a page
   * @throws PageError
   */
  async fetch(
    text: string,
    allowed: (url: URL) => boolean,
    clock: ReadingClock,
    accept?: string,
  ): Promise<WebDocument> {
    const { target, answer } = await followRedirects(text, this.rules, async (next) => {
      if (!allowed(next.url))
        throw new PageError('forbidden_url', `pages of ${next.host} may not be read here`);
      await this.checkRobots(next, clock);
      return this.send(next, clock, accept);
    });
    try {
      return await this.readDocument(target, answer, clock, accept === undefined);
    } finally {
      clock.stopWaiting();
      answer.close();
    }
  }

  private async readDocument(
    { url, host }: ReadableUrl,
    answer: WebAnswer,
    clock: ReadingClock,
    isPage: boolean,
  ): Promise<WebDocument> {
    const { status, headers } = answer;
    if (status < 200 || status > 299)
      throw new PageError('http_status', `${host} answered ${status}`, status);
    const contentType = mediaType(headers['content-type']);
    const declared = isPage ? declaredKind(contentType) : null;
    const bytes = await readBody(answer, host, this.options.maxBytes, clock);
    const [, charset = null] =
      /;\s{0,9}charset\s{0,9}=\s{0,9}["']?([\w:.-]{2,40})/i.exec(
        String(headers['content-type'] ?? ''),
      ) ?? [];
    return { url, contentType, charset, declared, bytes };
  }

  private send(
    target: ReadableUrl,
    clock: ReadingClock,
    accept = requestHeaders.accept,
  ): Promise<WebAnswer> {
    const headers = { ...requestHeaders, accept };
    return sendRequest(target, headers, this.options, this.options.lookup, clock);
  }

  private async checkRobots(target: ReadableUrl, clock: ReadingClock): Promise<void> {
    if (!this.options.obeyRobots) return;
    if (!(await this.robots.allows(target, (url) => this.readRobots(url, clock))))
      throw new PageError('robots', `${target.host} does not allow this page in its robots.txt`);
  }

  private async readRobots(url: string, clock: ReadingClock): Promise<RobotsAnswer> {
    const { target, answer } = await followRedirects(url, this.rules, (next) =>
      this.send(next, clock),
    );
    const { status } = answer;
    try {
      if (status < 200 || status > 299) return { status, text: '' };
      const bytes = await readBody(answer, target.host, this.options.maxBytes, clock);
      return { status, text: new TextDecoder().decode(bytes) };
    } finally {
      answer.close();
    }
  }
}

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
