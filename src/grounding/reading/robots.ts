import { LRUCache } from 'lru-cache';
import type { ReadableUrl } from './readable-url.js';

/** What a robots.txt says to one user agent (RFC 9309): its longest matching rule decides. */
export interface RobotsRules {
  /** @param path with the query, as in a request */
  allows(path: string): boolean;
  /** About how many bytes they take. */
  readonly size: number;
}

interface Rule {
  readonly allow: boolean;
  readonly length: number;
  /** What lies between the asterisks, in order. */
  readonly parts: readonly string[];
  readonly isAnchored: boolean;
}

/** What RFC 9309 asks readers to read at least; what follows is ignored. */
const maxFileLength = 512_000;
const maxLines = 20_000;
const maxRules = 500;
const maxPatternLength = 500;

/** @param product the user agent's name without a version; compared in lower case */
export function parseRobots(text: string, product: string): RobotsRules {
  const rules = rulesFor(text.slice(0, maxFileLength), product.toLowerCase());
  return {
    size: rules.reduce((size, { length }) => size + 2 * length + 200, 200),
    allows: (path) => {
      const asked = normal(path);
      const matching = rules.filter((rule) => matches(rule, asked));
      const longest = Math.max(...matching.map(({ length }) => length));
      const best = matching.filter(({ length }) => length === longest);
      return best.length === 0 || best.some(({ allow }) => allow);
    },
  };
}

/** The rules of the groups that name the product, else those of the groups for all. */
function rulesFor(text: string, product: string): Rule[] {
  const named: Rule[] = [];
  const general: Rule[] = [];
  let isNamed = false;
  let hasNamedGroup = false;
  let isGeneral = false;
  let readsAgents = false;
  for (const line of text.split(/\r\n|[\r\n]/, maxLines)) {
    const [, key = '', value = ''] = /^\s*([a-z-]{1,20})\s*:([^#]*)/i.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === 'user-agent') {
      if (!readsAgents) isNamed = isGeneral = false;
      readsAgents = true;
      const agent = value.trim().toLowerCase();
      if (agent === '*') isGeneral = true;
      else if (/^[a-z_-]+/.exec(agent)?.[0] === product) isNamed = hasNamedGroup = true;
    } else if (name === 'allow' || name === 'disallow') {
      readsAgents = false;
      const rule = readRule(value.trim(), name === 'allow');
      if (rule && isNamed && named.length < maxRules) named.push(rule);
      if (rule && isGeneral && general.length < maxRules) general.push(rule);
    }
  }
  return hasNamedGroup ? named : general;
}

/** An empty rule says nothing. */
function readRule(pattern: string, allow: boolean): Rule | null {
  if (pattern === '' || pattern.length > maxPatternLength) return null;
  const isAnchored = pattern.endsWith('$');
  const plain = normal(isAnchored ? pattern.slice(0, -1) : pattern);
  return { allow, length: plain.length, parts: plain.split('*'), isAnchored };
}

/** The same characters may be written as they are or as their bytes. */
const normal = (path: string): string =>
  path
    .replace(/[^\x21-\x7e]+/g, (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'))
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    });

/** Each part where it first fits, so that a pattern takes linear time. */
function matches({ parts, isAnchored }: Rule, path: string): boolean {
  const [first = '', ...others] = parts;
  if (!path.startsWith(first)) return false;
  let end = first.length;
  for (const [index, part] of others.entries()) {
    if (isAnchored && index === others.length - 1)
      return path.length - part.length >= end && path.endsWith(part);
    const found = path.indexOf(part, end);
    if (found === -1) return false;
    end = found + part.length;
  }
  return !isAnchored || end === path.length;
}

/** The answer to a request of a robots.txt. */
export interface RobotsAnswer {
  readonly status: number;
  readonly text: string;
}

const allowsAll: RobotsRules = { allows: () => true, size: 200 };
const allowsNothing: RobotsRules = { allows: () => false, size: 200 };

const maxCacheBytes = 4_000_000;
const keptMs = 3_600_000;
/** For a site whose robots.txt could not be read. */
const keptAfterFailureMs = 60_000;

/** The robots.txt of each site. None allows everything, an unreadable one nothing (RFC 9309). */
export class RobotsCache {
  private readonly sites = new LRUCache<string, RobotsRules>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ size }, origin) => size + origin.length,
  });

  /** @param product the user agent's name without a version */
  constructor(private readonly product: string) {}

  /**
   * Whether a page may be read.
   * @param ask requests the site's robots.txt; where it rejects with `forbidden_…`, `too_slow`
   *   or `cancelled`, so does this
   */
  async allows(
    { url }: ReadableUrl,
    ask: (url: string) => Promise<RobotsAnswer>,
  ): Promise<boolean> {
    const rules = this.sites.get(url.origin) ?? (await this.read(url.origin, ask));
    return rules.allows(`${url.pathname}${url.search}`);
  }

  private async read(
    origin: string,
    ask: (url: string) => Promise<RobotsAnswer>,
  ): Promise<RobotsRules> {
    const { rules, isFailure } = this.interpret(await ask(`${origin}/robots.txt`));
    this.sites.set(origin, rules, { ttl: isFailure ? keptAfterFailureMs : keptMs });
    return rules;
  }

  private interpret({ status, text }: RobotsAnswer): { rules: RobotsRules; isFailure: boolean } {
    if (status >= 200 && status < 300)
      return { rules: parseRobots(text, this.product), isFailure: false };
    const isMissing = status >= 300 && status < 500 && status !== 429;
    return { rules: isMissing ? allowsAll : allowsNothing, isFailure: !isMissing };
  }
}
