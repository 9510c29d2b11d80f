import { namesIn } from '../../text/is-object.js';

/**
 * What becomes of a part of a request where another dialect is to answer: `silent`: it is translated,
 * or the answer is the same without it; `dropped`: it is left out, and the answer says so; `needed`:
 * no other dialect can answer.
 */
export type Fate = 'silent' | 'dropped' | 'needed';

/** The fates of parts of one kind by their names, and that of a part that is not listed. */
export interface Fates {
  readonly known: ReadonlyMap<string, Fate>;
  readonly unlisted: Fate;
}

/** A table of fates. @param rows the names with each fate, in one text */
export const fatesOf = (unlisted: Fate, rows: Readonly<Partial<Record<Fate, string>>>): Fates => ({
  known: new Map(
    (Object.entries(rows) as [Fate, string][]).flatMap(([fate, names]) =>
      namesIn(names).map((name) => [name, fate] as const),
    ),
  ),
  unlisted,
});

/** The fate of a part with a name. */
export const fateIn = ({ known, unlisted }: Fates, name: string): Fate =>
  known.get(name) ?? unlisted;

/** Whether a field asks for something. */
export const isGiven = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

/** What a request has that only its own dialect has. */
export class OnlyOwn {
  /** The first part without which an answer would be another one; null: none. */
  needs: string | null = null;
  /** What others answer without, by name. */
  readonly dropped = new Set<string>();

  /** @param need names the part where it is needed */
  note(fate: Fate, name: string, need = name): void {
    if (fate === 'needed') this.needs ??= need;
    else if (fate === 'dropped') this.dropped.add(name);
  }
}
