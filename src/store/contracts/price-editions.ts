/** Price data that an operator has put in force. */
export interface PriceEditionRow {
  readonly id: string;
  /** When, in ms since 1970. */
  readonly at: number;
  /** The file or address that it was read from. */
  readonly source: string;
}

/** Price data, of which the newest is in force; without any, that of the package. */
export interface PriceEditionStore {
  newest(): Promise<PriceEditionRow | null>;
  /** The data itself, as JSON; null if it has been removed. */
  text(id: string): Promise<string | null>;
  /** Adds a newer one, and keeps the four before it. */
  add(row: PriceEditionRow, text: string): Promise<void>;
  /** Removes the newest, so that the one before is in force. @returns it; null: there was none */
  removeNewest(): Promise<PriceEditionRow | null>;
}
