/** What is wrong with a file of evaluations, said so that its author finds the place. Repeats names of columns and short cells, never a prompt. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';

  /** @param line counted from 1, as editors do; null where no line is at fault */
  constructor(
    reason: string,
    readonly line: number | null = null,
  ) {
    super(line === null ? reason : `line ${line}: ${reason}`);
  }
}

const maxQuoteLength = 40;

/** A name or a cell as a message repeats it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text);
}

/** The format of evaluations by their first character: a line of JSON begins with a brace. */
export function formatOf(text: string): 'csv' | 'jsonl' {
  return /^\ufeff?\s*\{/.test(text.slice(0, 1000)) ? 'jsonl' : 'csv';
}
