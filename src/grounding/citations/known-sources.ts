/** A source that the model was given, with all that the gateway has read of it. */
export interface KnownSource {
  /** As the model knows it; from 1. */
  readonly id: number;
  readonly url: string;
  readonly title: string;
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
