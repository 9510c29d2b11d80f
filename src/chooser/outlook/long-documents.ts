import type { Outlook } from './read-outlook.js';

/** The kind of a long request, which is known by its length; `ability` is the kind it is judged by. */
export const longDocument = { name: 'long document', ability: 'long' } as const;

/** Up to so many tokens a request is none, and with each doubling it is one by so much more. */
const shortTokens = 2_000,
  shareOfDoubling = 0.15,
  maxShare = 0.6;

/** What a request asks, as far as it is a long document: the longer, the more. */
export function withLength(outlook: Outlook, tokens: number): Outlook {
  if (tokens <= shortTokens) return outlook;
  const long = Math.min(maxShare, shareOfDoubling * Math.log2(tokens / shortTokens));
  const kinds = outlook.kinds.map(({ name, share }) => ({ name, share: share * (1 - long) }));
  kinds.push({ name: longDocument.name, share: long });
  return { ...outlook, kinds: kinds.sort((a, b) => b.share - a.share) };
}
