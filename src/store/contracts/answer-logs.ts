/**
 * What an entry of an answer's log holds. `open`: the answer has begun. `head`: its status and
 * headers, as JSON. `part`: a piece of its body. `done`, `broken`: it has ended, well or not.
 */
export type LogEntryKind = 'open' | 'head' | 'part' | 'done' | 'broken';

/** One entry of an answer's log. */
export interface LogEntry {
  readonly kind: LogEntryKind;
  /**
   * Of a part: the numbers of its first and last event. Other entries stand after event `last`; in
   * `done` and `broken`, `first` is the number of the last event.
   */
  readonly first: number;
  readonly last: number;
  /** A byte string; '' where the kind says all. */
  readonly text: string;
}

/** A place in a log: entries are ordered by both numbers. */
export type LogPlace = readonly [last: number, step: number];

const steps: Readonly<Record<LogEntryKind, number>> = {
  part: 0,
  open: 1,
  head: 2,
  done: 3,
  broken: 3,
};

/** Where an entry stands in its log. `done` and `broken` stand behind every event. */
export const placeOf = ({ kind, last }: Pick<LogEntry, 'kind' | 'last'>): LogPlace => [
  kind === 'done' || kind === 'broken' ? Number.MAX_SAFE_INTEGER : last,
  steps[kind],
];

/** The place right behind an entry. */
export const placeBehind = (entry: Pick<LogEntry, 'kind' | 'last'>): LogPlace => {
  const [last, step] = placeOf(entry);
  return [last, step + 1];
};

/**
 * Answers under way and notes about them, which replicas share. Everything expires. All methods
 * reject while the place where they are kept cannot be reached.
 */
export interface AnswerLogs {
  /** Whether other replicas can read what this one writes. */
  readonly isShared: boolean;
  /** Adds an entry; one that is there already is not added again. The log expires in `keepMs`. */
  append(log: string, entry: LogEntry, keepMs: number): Promise<void>;
  /**
   * At most some hundred entries from a place on; waits `waitMs` for one. Null: no such log, or one
   * without such entries that expires in less than `minLeftMs`.
   */
  read(
    log: string,
    from: LogPlace,
    waitMs: number,
    minLeftMs?: number,
  ): Promise<readonly LogEntry[] | null>;
  /** Sets a note unless there is one. Null: it is set; else the text that is there. */
  claim(note: string, text: string, keepMs: number): Promise<string | null>;
  /** Sets a note, whether or not there is one. */
  set(note: string, text: string, keepMs: number): Promise<void>;
  /** A note's text; null: there is none. */
  get(note: string): Promise<string | null>;
  /** Lets logs and notes expire in `keepMs`; 0: now. */
  expire(names: readonly string[], keepMs: number): Promise<void>;
}
