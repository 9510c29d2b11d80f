/** The first `maxLength` UTF-16 units of a text, without half of a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text.slice(0, isSplit ? maxLength - 1 : maxLength);
}

/**
 * The first `maxLength` UTF-16 units of a text, without half of a character. Cut at the last space,
 * unless that is in the first half.
 */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const space = text.lastIndexOf(' ', maxLength);
  const cut = text.slice(0, space > maxLength / 2 ? space : maxLength);
  return cut.replace(/[\uD800-\uDBFF]$/, '').trimEnd();
}
