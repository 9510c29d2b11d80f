/** The first `maxLength` UTF-16 units of a text, without half of a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text.slice(0, isSplit ? maxLength - 1 : maxLength);
}
