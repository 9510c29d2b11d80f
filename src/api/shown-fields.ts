import { shownValue } from '../accounts/export-account.js';

/** A time as the API returns it: ISO 8601. */
export const isoOf = (at: number): string => new Date(at).toISOString();

/** The same for a time that may be absent. */
export const isoOrNull = (at: number | null): string | null => (at === null ? null : isoOf(at));

/** A row with the time in `at` as the API returns it. */
export const timed = <Row extends { readonly at: number }>({ at, ...row }: Row) => ({
  ...row,
  at: isoOf(at),
});

type TimeName = 'at' | `${string}At` | `${string}Until`;
type Iso<Time> = Time extends number ? string : Time;

/** Fields of a row as the API returns them: times, which their names tell, in ISO 8601. */
export type Shown<Row, Name extends keyof Row> = {
  readonly [Field in Name]: Field extends TimeName ? Iso<Row[Field]> : Row[Field];
};

/** The named fields of a row as the API returns them. All others, such as secrets, are left out. */
export const shownFieldsOf = <Row extends object, const Name extends keyof Row & string>(
  row: Row,
  names: readonly Name[],
): Shown<Row, Name> =>
  Object.fromEntries(names.map((name) => [name, shownValue(name, row[name])])) as Shown<Row, Name>;
