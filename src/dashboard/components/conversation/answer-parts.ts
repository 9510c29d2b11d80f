import type { Schema } from '../../api/schema.js';

/** A page that an answer may rest on; those of old conversations have no number. */
export interface ShownSource {
  readonly id?: number;
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A part of an answer, and what its source says. */
export type Citation = Schema<'CompletionsResponseCitation'>;

const marker = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;

/** Cuts a text at the markers of known sources, such as `[1]` and `[2, 3]`: in their place, the ids. */
export function cutAtMarkers(text: string, isKnown: (id: number) => boolean) {
  const pieces: (string | number[])[] = [];
  let end = 0;
  for (const found of text.matchAll(marker)) {
    const ids = (found[1] ?? '').split(',').map(Number);
    if (!ids.every(isKnown)) continue;
    if (found.index > end) pieces.push(text.slice(end, found.index));
    pieces.push(ids);
    end = found.index + found[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

/** The host of an address, as readers know it; the address itself where it is none. */
export function hostOf(url: string): string {
  try {
    return new URL(url).hostname.replace(/^www\./, '');
  } catch {
    return url;
  }
}

/** An address that a click may open; null for schemes that could run something. */
export function openableUrl(url: string | undefined): string | null {
  if (url === undefined) return null;
  try {
    const { protocol, href } = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : null;
  } catch {
    return null;
  }
}

/** How far an answer's claims about a source were checked: the weakest and the strongest count. */
export type Verification = 'text' | 'provider' | 'some' | 'none' | 'uncited';

/** What is known of all citations of one source. */
export function verificationOf(citations: readonly Citation[]): Verification {
  if (citations.length === 0) return 'uncited';
  const checked = citations.filter(({ verified }) => verified !== false);
  if (checked.length === 0) return 'none';
  if (checked.length < citations.length) return 'some';
  return checked.some(({ verified }) => verified === 'text') ? 'text' : 'provider';
}

/** JSON as people read it; what is no JSON as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** What code is often written in, by the names that models give. */
const languages =
  'bash c c# c++ console cpp cs csharp css diff go golang graphql html ini java javascript js json ' +
  'json5 jsonc jsx kotlin kt less lua make makefile objectivec perl php py python r rb ' +
  'rs ruby rust scss sh shell sql svg swift toml ts tsx typescript vb wasm xml yaml yml zsh';

/** Whether code of a language is shown in colours. */
export const isColourable = (language: string): boolean =>
  languages.split(' ').includes(language.toLowerCase());
