/** A longer address is none that a person wrote. */
const maxLength = 2_048;
/** More addresses of one text are not looked at. */
const maxUrls = 5_000;

// a bounded repetition keeps the search linear
const address = new RegExp(`https?://[^\\s<>"'\`{}|\\\\^]{1,${maxLength}}`, 'gi');

/**
 * The http and https addresses in a text, without the punctuation that stands behind them. A
 * closing bracket belongs to an address only if it has the opening one too.
 */
export function urlsIn(text: string): string[] {
  const urls: string[] = [];
  for (const [found] of text.matchAll(address)) {
    for (const url of spellings(found)) urls.push(url);
    if (urls.length >= maxUrls) break;
  }
  return urls;
}

/** `[a](https://x.example/a)](…` leaves the address with its brackets: both spellings are known. */
function spellings(found: string): string[] {
  const bracket = /[)\]]/.exec(found);
  const trimmed = withoutTail(found);
  if (!bracket) return [trimmed];
  const short = withoutTail(found.slice(0, bracket.index));
  return short === trimmed ? [trimmed] : [trimmed, short];
}

function withoutTail(url: string): string {
  let end = url.length;
  while (end > 0 && isTail(url, end)) end--;
  return url.slice(0, end);
}

function isTail(url: string, end: number): boolean {
  const last = url[end - 1]!;
  if ('.,;:!?*_~'.includes(last)) return true;
  const opening = last === ')' ? '(' : last === ']' ? '[' : null;
  return opening !== null && !url.slice(0, end).includes(opening);
}
