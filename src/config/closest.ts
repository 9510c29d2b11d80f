import { distance } from 'fastest-levenshtein';

const maxLength = 64;

/** The known name that was probably meant, by letters and digits alone; null if none is near. */
export const closestName = (written: string, known: readonly string[]): string | null =>
  closestNames(written, known)[0] ?? null;

/**
 * The known names that are similar, closest first: up to a third of the characters differ, or one
 * name begins with the other. Of two that are equally similar the one with fewer other letters.
 */
export function closestNames(written: string, known: readonly string[]): string[] {
  const plain = plainOf(written);
  if (plain === '' || plain.length > maxLength) return [];
  const maxDistance = Math.ceil(plain.length / 3);
  const lettersAway = (name: string): number => distance(plain, plainOf(name));
  return known
    .map((name) => ({ name, edits: editsBetween(plain, plainOf(name)) }))
    .filter(({ edits }) => edits <= maxDistance)
    .sort((a, b) => a.edits - b.edits || lettersAway(a.name) - lettersAway(b.name))
    .map(({ name }) => name);
}

const plainOf = (name: string): string => name.toLowerCase().replaceAll(/[-_. ]/g, '');

/** The number of edits; a name that begins with the other counts as one edit away. */
function editsBetween(a: string, b: string): number {
  const isPrefix = a.length > 2 && b.length > 2 && (a.startsWith(b) || b.startsWith(a));
  return isPrefix && a !== b ? 1 : distance(a, b);
}
