/** A page that an answer may rest on: one shape, whoever searched for it. */
export interface Source {
  /** From 1, in the order in which they were found in this request. */
  readonly id: number;
  readonly title: string;
  readonly url: string;
  /** Plain text; '' where none is known. */
  readonly snippet: string;
  /** ISO 8601; null: unknown. */
  readonly publishedAt: string | null;
  /** When the gateway read the page, in ISO 8601; null: it did not. */
  readonly fetchedAt: string | null;
  /** Who found it: `native` for the model's own search, the engine's name, or `page`. */
  readonly via: string;
  /** Whether a citation of the answer names it. */
  readonly cited: boolean;
}

/** A part of the answer, and the source that it rests on. Offsets in UTF-16 units of the text. */
export interface Citation {
  /** The id of the source. */
  readonly source: number;
  readonly start: number;
  readonly end: number;
  /** What the source says, in its own words; '' where that is not known. */
  readonly quote: string;
  /**
   * `text`: the quote was found in the text that was read; `provider`: the model's provider
   * returned the span; false: neither.
   */
  readonly verified: 'text' | 'provider' | false;
}

/** A source that the model was given, with all that the gateway has read of it. */
export interface KnownSource extends Pick<Source, 'url' | 'title'> {
  /** As the model knows it; from 1. */
  readonly id: number;
  /** Snippet, content and page text, as far as they are known. Links may be `[text](url)`. */
  readonly text: string;
}

/** What an answer may rest on and link to. It is asked while the answer arrives, and may grow. */
export interface AnswerSources {
  byId(id: number): KnownSource | undefined;
  /** By canonical URL: several spellings of an address name one source. */
  byUrl(url: string): KnownSource | undefined;
  /** Whether a URL was retrieved, or is present in the conversation. */
  isKnown(url: string): boolean;
}
