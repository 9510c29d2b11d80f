/** How many characters of the earlier text are searched, and at most held back. */
const maxOverlap = 4_000;

/** Models that take a beginning go on exactly; in them only so many characters again are no content. */
const minRepeatOfPrefilled = 20;

/** A line that opens a block of code, because it names a language, and how one may begin. */
const fenceLine = /^\s*(?:```|~~~)[ \t]*\w[^\n]*\n/;
const partOfFence = /^\s*(?:`{1,2}|~{1,2}|(?:```|~~~)[^\n]{0,80})?$/;

/** What a model is shown of a text: some refuse white space at its end, or half a character. */
export const shownText = (text: string): string => text.replace(/[\ud800-\udbff]$/, '').trimEnd();

/** The last words, six at most, of a text that a model was shown and may be asked to begin with. */
export const anchorOf = (shown: string): string =>
  /(?:\S+\s+){0,5}\S+$/.exec(shown.slice(-60).replace(/^[\udc00-\udfff]/, ''))?.[0] ?? '';

/**
 * Joins a text and a model's continuation of it, without what the continuation repeats at its
 * start: the last words, the last line or more, or the line that opens a code block. Only text that
 * may be a repetition is held back, at most 4,000 characters. Content may repeat itself too
 * (`0, 0`, a table, nested brackets), so a repetition is removed only if it is unlikely as content:
 * some words, or a word or a line that begins anew in its own middle.
 */
export class TextSeam {
  private readonly tail: string;
  /** The end of the text, which the model was not shown. */
  private unseen: string;
  private readonly isInFence: boolean;
  /** What the model was shown. */
  private readonly shown: string;
  private readonly anchor: string;
  /** Null once the repetition is known. */
  private held: string | null = '';
  /** Whether the model has given nothing but what it was shown. */
  private isAgain = true;

  /**
   * @param isPrefilled the model goes on exactly as a rule, or gives all that it was shown again, as
   * Mistral's do; others were asked to begin with the anchor
   */
  constructor(
    before: string,
    private readonly isPrefilled: boolean,
  ) {
    this.shown = shownText(before);
    this.tail = this.shown.slice(-maxOverlap);
    this.anchor = anchorOf(this.shown);
    this.unseen = before.slice(this.shown.length);
    this.isInFence = ((this.shown.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) & 1) === 1;
  }

  /** @returns the text that may be passed on now */
  push(text: string): string {
    if (this.held === null) return this.withoutUnseen(text);
    const at = this.held.length;
    this.held += text;
    // not all that is held again: the text may be long
    this.isAgain &&= this.isPrefilled && this.shown.startsWith(text, at);
    return this.isAgain || this.mayRepeat(this.held) ? '' : this.end();
  }

  /** Nothing more comes. @returns the rest */
  end(): string {
    const held = this.held ?? '';
    this.held = null;
    return this.withoutUnseen(held.slice(this.repeated(held)));
  }

  /** Whether the text may be the beginning of a longer repetition. */
  private mayRepeat(text: string): boolean {
    if (text.length >= maxOverlap) return false;
    if (this.isInFence && partOfFence.test(text)) return true;
    return this.starts(text).some((at) => {
      const found = this.tail.indexOf(text.slice(at));
      return found >= 0 && found + text.length - at < this.tail.length;
    });
  }

  /** Where a repetition may begin: at once or after a repeated fence, and after white space. */
  private starts(text: string): [at: number, afterSpace: number] {
    const fence = (this.isInFence && fenceLine.exec(text)?.[0].length) || 0;
    return [fence, text.length - text.slice(fence).trimStart().length];
  }

  /** How many characters at the beginning of a text are a repetition. */
  private repeated(text: string): number {
    const { shown, anchor, isPrefilled } = this;
    if (isPrefilled && text.startsWith(shown)) return shown.length;
    const [first, afterSpace] = this.starts(text);
    if (!isPrefilled && text.startsWith(anchor, first)) return first + anchor.length;
    // ended by its `max_tokens`, or by a `stop` text of which the anchor has the beginning
    const begun = text.slice(first).trimEnd();
    if (!isPrefilled && /\p{L}/u.test(begun) && anchor.startsWith(begun)) return text.length;
    const least = isPrefilled ? minRepeatOfPrefilled : 1;
    for (const at of isPrefilled ? [first] : [first, afterSpace])
      for (let length = Math.min(text.length - at, this.tail.length); length >= least; length--)
        if (this.tail.endsWith(text.slice(at, at + length)) && this.isRepeat(length, at > first))
          return at + length;
    return first;
  }

  /** Whether the earlier text's last characters, given again, are a repetition, not content. */
  private isRepeat(length: number, isAfterSpace: boolean): boolean {
    const { tail } = this;
    const again = tail.slice(-length);
    // a text that repeats itself already may do so once more
    if (tail.slice(-2 * length, -1).includes(again)) return false;
    if (again.slice(0, -1).includes(again.slice(-Math.ceil(length / 2)))) return false;
    const count = (pattern: RegExp): number => again.match(pattern)?.length ?? 0;
    const letters = count(/\p{L}/gu);
    const words = count(/[\p{L}\p{N}_]+/gu);
    const isProse = letters >= 8 || (words > 2 && length >= 10) || /^[\p{L}\s'’]+$/u.test(again);
    if ((words > 1 && letters >= 3 && isProse) || count(unspaced) >= 4) return true;
    if (isAfterSpace) return false;
    const before = tail.at(-length - 1) ?? '\n';
    // as content, the line or the word would begin anew in its own middle
    if (before === '\n') return letters >= 2;
    return letters >= 3 && !/[\p{L}\p{N}_]/u.test(before) && /^\p{L}.*[\p{L}\p{N}_]$/su.test(again);
  }

  private withoutUnseen(text: string): string {
    // a model may begin without the white space that it was not shown, and with half a character
    if (/^\S/.test(text)) this.unseen = this.unseen.trimStart();
    let at = 0;
    while (at < this.unseen.length && at < text.length && text[at] === this.unseen[at]) at++;
    this.unseen = at === text.length ? this.unseen.slice(at) : '';
    return text.slice(at);
  }
}

/** Letters of scripts without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/gu;
