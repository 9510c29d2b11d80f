/** The fewest words of a claim; CJK characters count as half a word. */
const minWords = 8;
/** The fewest words of a claim with a number. */
const minWordsWithNumber = 4;
/** Longer lines are passed on while they arrive. */
const maxHeldLine = 4_000;
const maxClaims = 20;

const sourceMark = /(?:\[|【)\^?(\d{1,4}(?:\s{0,2}[,;，、]\s{0,2}\d{1,4}){0,9})(?:\]|】)/g;

function isCited(line: string, sources: ReadonlySet<number>): boolean {
  for (const [, numbers = ''] of line.matchAll(sourceMark))
    if (numbers.split(/\D+/).some((number) => sources.has(Number(number)))) return true;
  return false;
}

function countWords(line: string): number {
  const han = line.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu)?.length ?? 0;
  const words = line.match(/[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+){0,9}/gu)?.length ?? 0;
  return han === 0 ? words : Math.floor(words / 2 + han / 2);
}

/** Whether a line states something: it is no heading, question, lead-in, or row of a table. */
function isClaim(line: string): boolean {
  const text = line.trim();
  if (/^(#|\||>|[-=*_]{3,}$)/.test(text) || /[:?：？]\**$/.test(text)) return false;
  return countWords(text) >= (/\d/.test(text) ? minWordsWithNumber : minWords);
}

const isFence = (line: string): boolean => /^\s{0,9}(```|~~~)/.test(line);

/**
 * Passes an answer on line by line up to the first claim without a source. It holds the rest back, so
 * that sources can be added before the client sees it.
 */
export class ClaimGate {
  private line = '';
  private isFlowing = false;
  private isCode = false;
  private readonly held: string[] = [];
  private readonly unsupported: number[] = [];

  /** @param sources whose numbers may be named @param mayHold asked at the first unsourced claim */
  constructor(
    private readonly sources: ReadonlySet<number>,
    private readonly mayHold: () => boolean,
  ) {}

  /** The claims without a source, at most twenty. Known after `end`. */
  get claims(): readonly string[] {
    return this.unsupported.map((index) => this.held[index]!.trim());
  }

  /** @returns what goes on */
  push(text: string): string {
    let passed = '';
    const parts = text.split('\n');
    for (const [index, part] of parts.entries())
      passed += this.add(index < parts.length - 1 ? `${part}\n` : part);
    return passed;
  }

  /** The text is over. @returns what goes on now; the rest is what `rest` has */
  end(): string {
    const line = this.line;
    this.line = '';
    return line === '' ? '' : this.passLine(line);
  }

  /** What was kept, with the numbers of sources after the claims (by index) that have some. */
  rest(support: ReadonlyMap<number, readonly number[]>): string {
    const lines = [...this.held];
    for (const [claim, index] of this.unsupported.entries()) {
      const named = (support.get(claim) ?? []).filter((id) => this.sources.has(id));
      const marks = [...new Set(named)].map((id) => `[${id}]`).join('');
      if (marks !== '') lines[index] = lines[index]!.replace(/\s*$/, (end) => ` ${marks}${end}`);
    }
    return lines.join('');
  }

  /** A part of a line, with its end if it has one. */
  private add(part: string): string {
    if (this.isFlowing) {
      this.isFlowing = !part.endsWith('\n');
      return part;
    }
    this.line += part;
    if (this.line.endsWith('\n')) return this.end();
    if (this.line.length <= maxHeldLine || this.held.length > 0) return '';
    const line = this.line;
    this.line = '';
    this.isFlowing = true;
    return line;
  }

  private passLine(line: string): string {
    if (isFence(line)) this.isCode = !this.isCode;
    const lacks = !this.isCode && isClaim(line) && !isCited(line, this.sources);
    if (this.held.length === 0 && !(lacks && this.mayHold())) return line;
    if (lacks && this.unsupported.length < maxClaims) this.unsupported.push(this.held.length);
    this.held.push(line);
    return '';
  }
}
