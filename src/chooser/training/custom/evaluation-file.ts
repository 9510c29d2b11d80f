/**
 * What is wrong with a file of evaluations, and where. The message may repeat names of columns and
 * short cells, never a prompt.
 */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';

  /** @param line counted from 1, as in editors; null if no single line is wrong */
  constructor(
    reason: string,
    readonly line: number | null = null,
  ) {
    super(line === null ? reason : `line ${line}: ${reason}`);
  }
}

const maxQuoteLength = 40;

/** A name or a cell as messages quote it, cut to 40 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text);
}

/** The format of evaluations, by their first character: JSON lines begin with a brace. */
export function formatOf(text: string): 'csv' | 'jsonl' {
  return /^\ufeff?\s*\{/.test(text.slice(0, 1000)) ? 'jsonl' : 'csv';
}
