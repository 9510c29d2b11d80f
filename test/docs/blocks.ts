import { readFileSync } from 'node:fs';
import { root } from './pages.js';

/** A fenced code block of a page. */
export interface Block {
  /** `docs/routing.md:12`: where its fence opens. */
  readonly at: string;
  /** The word behind the opening fence, '' if there is none. */
  readonly language: string;
  readonly text: string;
  /** The reason in `<!-- not run: reason -->` directly above, or null. */
  readonly notRun: string | null;
}

/** The code blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const lines = readFileSync(root + page, 'utf8').split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const language = /^```(.*)$/.exec(lines[index]!)?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', index + 1);
    blocks.push({
      at: `${page}:${index + 1}`,
      language,
      text: lines.slice(index + 1, end).join('\n'),
      notRun: reasonAbove(lines, index),
    });
    index = end;
  }
  return blocks;
}

function reasonAbove(lines: readonly string[], fence: number): string | null {
  const above = lines.slice(0, fence).findLast((line) => line.trim() !== '');
  return /^<!-- not run: (.+) -->$/.exec(above ?? '')?.[1] ?? null;
}

/**
 * Lists where an answer differs from the one that a page shows. In the shown answer, a text with
 * `…` matches any text and a number any number; the actual one may have more members and more
 * items.
 */
export function differences(shown: unknown, actual: unknown, path = 'answer'): string[] {
  if (typeof shown === 'number') return typeof actual === 'number' ? [] : [`${path}: no number`];
  if (typeof shown === 'string' && shown.includes('…'))
    return typeof actual === 'string' ? [] : [`${path}: no text`];
  if (typeof shown !== 'object' || shown === null)
    return shown === actual ? [] : [`${path}: ${JSON.stringify(actual)}`];
  if (typeof actual !== 'object' || actual === null) return [`${path}: ${JSON.stringify(actual)}`];
  return Object.entries(shown).flatMap(([key, value]) =>
    key in actual
      ? differences(value, (actual as Record<string, unknown>)[key], `${path}.${key}`)
      : [`${path}.${key}: is absent`],
  );
}
