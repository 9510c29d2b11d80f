import english from './en.json' with { type: 'json' };

/** All texts of the dashboard, by page. Another language is another file of this shape. */
export const texts = english;

/** Fills the places of a text: `fill('{count} keys', { count: 3 })` is `3 keys`. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
