import { parseUrl } from '../../text/parse-url.js';
import type { UnreadPage } from './research-notes.js';

/** How many ranks a page loses for each page of its host, or for its question, that is chosen. */
const hostLoss = 4;
const questionLoss = 2;

const hostOf = (url: string): string =>
  (parseUrl(url)?.hostname ?? url).replace(/^www\./, '').toLowerCase();

/**
 * The pages that are worth reading next: by the engines' order, from different hosts and for
 * different questions.
 * @param read addresses of pages that were read before
 */
export function choosePages(
  found: readonly UnreadPage[],
  read: readonly string[],
  count: number,
): UnreadPage[] {
  const hosts = new Map<string, number>();
  const questions = new Map<number, number>();
  const add = <K>(counts: Map<K, number>, key: K): unknown =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const url of read) add(hosts, hostOf(url));
  const left = found.map((page) => ({ page, host: hostOf(page.url) }));
  const lossOf = ({ page, host }: (typeof left)[number]): number =>
    page.rank +
    hostLoss * (hosts.get(host) ?? 0) +
    questionLoss * (questions.get(page.question) ?? 0);
  const chosen: UnreadPage[] = [];
  while (chosen.length < count && left.length > 0) {
    const losses = left.map(lossOf);
    const [{ page, host }] = left.splice(losses.indexOf(Math.min(...losses)), 1) as [
      (typeof left)[number],
    ];
    add(hosts, host);
    add(questions, page.question);
    chosen.push(page);
  }
  return chosen;
}
