import { keywordGroups, markerGroups } from './keywords.js';
import type { TextScan } from './text-scan.js';

/** Roughly, what a request asks for. The length of its answer depends on it. */
export type Genre = 'other' | 'code' | 'mathematics' | 'writing';

/** What the genre is read from. */
type Counted = Pick<
  TextScan,
  'groups' | 'fences' | 'chars' | 'brackets' | 'operators' | 'tex' | 'numbers'
>;

type Group = (typeof keywordGroups)[number] | (typeof markerGroups)[number];
const places = new Map<Group, number>(
  [...keywordGroups, ...markerGroups].map((name, place) => [name, place]),
);
const placesOf = (...names: Group[]): number[] => names.map((name) => places.get(name)!);
const program = placesOf('code', 'program'),
  figures = placesOf('data'),
  calculation = placesOf('calculate', 'theory'),
  composing = placesOf('compose', 'revise', 'letter'),
  people = placesOf('person');

/** A text with a larger share of brackets and operators counts as a program. */
const minSymbols = 0.07;
const manySigns = 2;
const personal = 2;

/**
 * The genre of a request, by a few words and by its characters. Published evaluations, which the
 * predictor was fitted to, hardly distinguish an e-mail from a query of a database; people who
 * rate answers do.
 */
export function genreOf(scan: Counted): Genre {
  const words = (groups: readonly number[]): number => {
    let sum = 0;
    for (const group of groups) sum += scan.groups[group]!;
    return sum;
  };
  const code = words(program),
    prose = words(composing);
  const symbols = scan.brackets + scan.operators;
  const isSymbolic = symbols >= minSymbols * Math.max(1, scan.chars) && symbols > manySigns;
  if (scan.fences > 0 || (code > 0 && code >= prose) || (isSymbolic && code + words(figures) > 0))
    return 'code';
  const sums = words(calculation);
  if (scan.tex > manySigns || (sums > 1 && sums > prose) || (isSymbolic && scan.numbers > 0))
    return 'mathematics';
  return prose > 0 || words(people) > personal ? 'writing' : 'other';
}
