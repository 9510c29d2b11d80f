import type { Outlook } from './read-outlook.js';

/** The kind of a long request, which is known by its length; `ability` is the kind it is judged by. */
export const longDocument = { name: 'long document', ability: 'long' } as const;

/** Above `shortTokens` each doubling of a request adds this share of a long document. */
const shortTokens = 2_000,
  shareOfDoubling = 0.15,
  maxShare = 0.6;

/** A request's outlook with the share of a long document that its length in tokens gives it. */
export function withLength(outlook: Outlook, tokens: number): Outlook {
  if (tokens <= shortTokens) return outlook;
  const long = Math.min(maxShare, shareOfDoubling * Math.log2(tokens / shortTokens));
  const kinds = outlook.kinds.map(({ name, share }) => ({ name, share: share * (1 - long) }));
  kinds.push({ name: longDocument.name, share: long });
  return { ...outlook, kinds: kinds.sort((a, b) => b.share - a.share) };
}
