import {
  type AnswerLogs,
  type LogEntry,
  type LogPlace,
  placeOf,
} from '../../contracts/answer-logs.js';
import { SweptMap } from './swept-map.js';

/** Logs and notes. Of more, those that came first are forgotten. */
const maxKept = 100_000;

interface Kept {
  entries: LogEntry[];
  /** Of a note. */
  text: string;
  keepUntil: number;
  /** Readers that wait for the next entry. */
  waiting: (() => void)[];
}

/** The logs of one process. */
export class MemoryAnswerLogs implements AnswerLogs {
  readonly isShared = false;
  private readonly kept = new SweptMap<Kept>(({ keepUntil }) => this.now() >= keepUntil);

  /** @param now ms */
  constructor(private readonly now: () => number) {}

  append(log: string, entry: LogEntry, keepMs: number): Promise<void> {
    const kept = this.kept.get(log) ?? this.add(log, '');
    kept.keepUntil = this.now() + keepMs;
    kept.entries.push(entry);
    for (const wake of kept.waiting.splice(0)) wake();
    return Promise.resolve();
  }

  async read(log: string, from: LogPlace, waitMs: number): Promise<readonly LogEntry[] | null> {
    const kept = this.kept.get(log);
    if (!kept) return null;
    const found = entriesFrom(kept.entries, from);
    if (found.length > 0 || waitMs <= 0) return found;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      kept.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    return this.read(log, from, 0);
  }

  claim(note: string, text: string, keepMs: number): Promise<string | null> {
    const known = this.kept.get(note);
    return known ? Promise.resolve(known.text) : this.set(note, text, keepMs).then(() => null);
  }

  set(note: string, text: string, keepMs: number): Promise<void> {
    this.add(note, text).keepUntil = this.now() + keepMs;
    return Promise.resolve();
  }

  get(note: string): Promise<string | null> {
    return Promise.resolve(this.kept.get(note)?.text ?? null);
  }

  expire(names: readonly string[], keepMs: number): Promise<void> {
    for (const name of names) {
      const kept = this.kept.get(name);
      if (!kept) continue;
      kept.keepUntil = this.now() + keepMs;
      if (keepMs > 0) continue;
      this.kept.delete(name);
      for (const wake of kept.waiting.splice(0)) wake();
    }
    return Promise.resolve();
  }

  private add(name: string, text: string): Kept {
    const kept: Kept = { entries: [], text, keepUntil: 0, waiting: [] };
    if (this.kept.size >= maxKept) this.kept.dropOldest();
    this.kept.set(name, kept);
    return kept;
  }
}

/** Those behind a place stand at the end, and most readers are there already. */
function entriesFrom(entries: readonly LogEntry[], [last, step]: LogPlace): LogEntry[] {
  const isBefore = (entry: LogEntry): boolean => {
    const [number, ownStep] = placeOf(entry);
    return number < last || (number === last && ownStep < step);
  };
  let start = entries.length;
  for (let before = entries[start - 1]; before && !isBefore(before); before = entries[start - 1])
    start--;
  return entries.slice(start);
}
