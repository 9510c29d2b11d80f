import { CitedText } from '../../src/grounding/citations/cited-text.js';
import type { AnswerSources, KnownSource } from '../../src/grounding/source.js';
import { canonicalUrl } from '../../src/grounding/search/canonical-url.js';

/** Sources of an answer by number; all pages of `known.example` and one of another host are known. */
export function answerSources(
  texts: readonly { text: string; title?: string; url?: string }[] = [
    { text: 'The first source.' },
    { text: 'The second source.' },
    { text: 'The third source.' },
  ],
): AnswerSources {
  const sources: KnownSource[] = texts.map(({ text, title = '', url }, index) => ({
    id: index + 1,
    url: url ?? `https://known.example/source-${index + 1}`,
    title,
    text,
  }));
  const same = (a: string, b: string): boolean => canonicalUrl(a) === canonicalUrl(b);
  return {
    byId: (id) => sources.find((source) => source.id === id),
    byUrl: (url) => sources.find((source) => same(source.url, url)),
    isKnown: (url) =>
      /^https:\/\/(known\.example\/[\w?=&;/()-]*|xn--bcher-kva\.example\/b)$/.test(
        canonicalUrl(url),
      ) || sources.some((source) => same(source.url, url)),
  };
}

/** What is left of an answer, and how much was dropped. */
export function filtered(text: string): { text: string; links: number; markers: number } {
  const answer = new CitedText(answerSources());
  const left = answer.push(text) + answer.end();
  return { text: left, links: answer.droppedLinks, markers: answer.droppedMarkers };
}
