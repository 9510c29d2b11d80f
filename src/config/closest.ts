/** The known name that somebody probably meant, null where none is near. Case, dashes and underscores count for nothing. */
export function closestName(written: string, known: readonly string[]): string | null {
  return closestNames(written, known)[0] ?? null;
}

/** The known names that are near, nearest first; a known name that begins with the written one, or the reverse, is near too. */
export function closestNames(written: string, known: readonly string[]): string[] {
  const plain = plainOf(written);
  if (plain === '' || plain.length > 64) return [];
  const near = known.map((name) => ({ name, distance: distanceOf(plain, plainOf(name)) }));
  const allowed = Math.ceil(plain.length / 3);
  return near
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}

function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_. ]/g, '');
}

function distanceOf(a: string, b: string): number {
  if (a.length > 2 && b.length > 2 && (a.startsWith(b) || b.startsWith(a))) return a === b ? 0 : 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
