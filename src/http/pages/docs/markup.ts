/** Text as it stands in HTML. */
export const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A description as HTML: backquotes mark code, an empty line begins a paragraph. */
export const prose = (text: string): string =>
  escape(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '</p><p>');
