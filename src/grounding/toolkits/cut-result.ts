/** A text that is not longer than `max` characters, with a note for the model if it was cut. */
export function cutResult(text: string, max: number): string {
  if (text.length <= max) return text;
  const total = text.length.toLocaleString('en');
  return `${wholeCharacters(text, max)}\n[cut: the result has ${total} characters]`;
}

/** The first `max` characters, without half of a surrogate pair. */
export function wholeCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
