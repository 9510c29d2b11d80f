/** A part of the text on its way to the client. */
export interface Piece {
  /** What the client gets of it. */
  text: string;
  /** Where it stands in the text of the model. */
  readonly rawStart: number;
  readonly rawEnd: number;
  /** Where it stands in the final text; -1 until it was released. */
  start: number;
  end: number;
}

/** The beginning of what may become a link: `[` or `![`. */
export interface OpenBracket extends Piece {
  readonly isImage: boolean;
  /** Replaces it if the link is taken out. */
  readonly separator: string;
}

/** A place where the final text differs from the model's. */
type Edit = Readonly<Omit<Piece, 'text'>>;

/** Brackets further back count as text, which bounds what is held. */
const maxLinkText = 512;
/** The most pieces that are held at once. */
const maxPieces = 4_096;

/**
 * The text that was read, in pieces. Holds it back from the first bracket that may still become a
 * link, because a dropped link takes its bracket with it; releases what stands before.
 */
export class PendingText {
  private pieces: Piece[] = [];
  private brackets: OpenBracket[] = [];
  private parts: string[] = [];
  private text = '';
  private readonly edits: Edit[] = [];
  /** UTF-16 length of what was released. */
  finalLength = 0;

  /** All that was released so far. */
  finalText(): string {
    if (this.parts.length > 0) this.text += this.parts.join('');
    this.parts = [];
    return this.text;
  }

  add(text: string, rawStart: number, rawEnd: number): Piece {
    const piece = { text, rawStart, rawEnd, start: -1, end: -1 };
    this.pieces.push(piece);
    return piece;
  }

  open(text: string, rawStart: number, separator: string): void {
    const isImage = text.startsWith('!');
    const [rawEnd, start, end] = [rawStart + text.length, -1, -1];
    const bracket = { text, rawStart, rawEnd, start, end, isImage, separator };
    this.pieces.push(bracket);
    this.brackets.push(bracket);
  }

  /** The bracket that a `]` at this place closes, which is then no longer open. */
  close(rawAt: number): OpenBracket | undefined {
    const bracket = this.brackets.pop();
    if (bracket && rawAt - bracket.rawEnd <= maxLinkText) return bracket;
    this.brackets = [];
    return undefined;
  }

  /** Takes a bracket out, so that the text after it is text. */
  unwrap(bracket: OpenBracket): void {
    const next = this.pieces[this.pieces.indexOf(bracket) + 1];
    // at the beginning of a line it would begin a block of code
    bracket.text = /^[`~]/.test(next?.text ?? '') ? '\\' : bracket.separator;
  }

  /** Makes text of the brackets that are open, such as at the end of a paragraph. */
  closeAll(): void {
    this.brackets = [];
  }

  /** Whether it should be released before more is read. */
  get isFull(): boolean {
    return this.pieces.length >= maxPieces;
  }

  /** What can no longer change, once the model's text is understood up to here. */
  release(rawAt: number): string {
    const live = this.brackets.findIndex(({ rawEnd }) => rawAt - rawEnd <= maxLinkText);
    if (live > 0) this.brackets.splice(0, live);
    else if (live === -1) this.brackets = [];
    const [first] = this.brackets;
    const count = first ? this.pieces.indexOf(first) : this.pieces.length;
    const released = this.pieces.slice(0, count);
    this.pieces = this.pieces.slice(count);
    for (const piece of released) {
      piece.start = this.finalLength;
      piece.end = this.finalLength += piece.text.length;
      if (piece.text.length !== piece.rawEnd - piece.rawStart) this.edits.push({ ...piece });
    }
    // not by `+=`: a text of many small parts takes long to read at last
    const text = released.map((piece) => piece.text).join('');
    if (text !== '') this.parts.push(text);
    return text;
  }

  /** The place in the final text of a place in the model's; of a place that is gone, the nearest. */
  finalOffset(raw: number, side: 'start' | 'end'): number {
    let low = 0;
    let high = this.edits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.edits[middle]!.rawStart <= raw) low = middle + 1;
      else high = middle;
    }
    const edit = this.edits[low - 1];
    if (!edit) return Math.min(raw, this.finalLength);
    if (raw < edit.rawEnd) return side === 'start' || raw === edit.rawStart ? edit.start : edit.end;
    return Math.min(edit.end + raw - edit.rawEnd, this.finalLength);
  }
}
