/** A question, pages in an engine's order, and the sentences in them that answer it. */
export interface EvidenceCase {
  question: string;
  pages: { title: string; text: string }[];
  evidence: string[];
}

/** A generator of numbers from 0 to 1 that gives the same ones each time. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const places =
  'Varnholm Tessaly Orrinport Kaldmoor Brisany Ettelund Quenby Sarnau Ilvesta Drumore'.split(' ');
const things = ['lighthouse', 'tramway', 'observatory', 'brewery', 'cathedral', 'waterworks'];
const people =
  'Alva Brandt Corin Dessau Emeric Falk Greta Hallam Idris Jonsdottir Kemal Lindqvist'.split(' ');
const filler =
  'council harbour winter market visitors railway festival bridge families school timber rain orchard library ' +
  'summer workers newspaper valley museum concert garden taxes ferry bakery kitchen forest children teachers ' +
  'neighbours mountain hospital letters parade square weather factory island theatre cattle';

/**
 * Facts about invented places. Each case has pages about its subject, of which some have evidence
 * deep in the text, pages about like subjects, and pages about something else; the engine's order
 * knows little of which is which.
 */
export function evidenceCorpus(cases: number, seed = 5): EvidenceCase[] {
  const next = numbers(seed);
  return Array.from({ length: cases }, (_, index) => evidenceCase(next, index));
}

function evidenceCase(next: () => number, index: number): EvidenceCase {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const words = filler.split(' ');
  const place = places[index % places.length]!;
  const thing = things[index % things.length]!;
  const year = 1800 + Math.floor(next() * 200);
  const builder = `${pick(people)} ${pick(people)}`;
  const cost = 10_000 + Math.floor(next() * 90_000);

  const plain = (): string => {
    const length = 8 + Math.floor(next() * 14);
    const said = Array.from({ length }, () => pick(words)).join(' ');
    return `${said[0]!.toUpperCase()}${said.slice(1)} ${next() < 0.3 ? 'was the' : 'of'} ${pick(words)}.`;
  };
  const paragraph = (): string => Array.from({ length: 4 + next() * 6 }, plain).join(' ');
  /** A sentence that shares words with the question and does not answer it. */
  const nearby = (about: string): string =>
    pick([
      `The ${thing} of ${about} is often visited when the weather is good.`,
      `In ${about} people ask when the ${pick(words)} will be built.`,
      `Who paid for the ${pick(words)} of ${about} is not known.`,
      `The ${pick(things)} was built for ${pick(words)} and ${pick(words)}.`,
    ]);
  const pageOf = (
    title: string,
    about: string,
    sentences: readonly string[],
  ): { title: string; text: string } => {
    const parts = Array.from({ length: 20 + next() * 60 }, () =>
      next() < 0.25 ? `${paragraph()} ${nearby(about)}` : paragraph(),
    );
    for (const sentence of sentences) {
      const at = Math.floor(next() * parts.length);
      parts[at] = `${plain()} ${sentence} ${parts[at]!}`;
    }
    return { title, text: parts.join('\n\n') };
  };

  const evidence = [
    `Construction of the ${thing} in ${place} was finished in ${year} under ${builder}.`,
    `The ${place} ${thing} had been financed by a loan of ${cost} crowns.`,
    `Since ${year + 40} the building above the town of ${place} has housed a school, because the ${thing} was closed.`,
  ];
  const elsewhere = (title: string) => pageOf(title, pick(places), []);
  const pages = [
    pageOf(`${place}: history of the ${thing}`, place, [evidence[0]!]),
    pageOf(`Travel to ${place}`, place, [evidence[1]!]),
    pageOf(`Old buildings of the region`, pick(places), [evidence[2]!]),
    ...Array.from({ length: 8 }, () => elsewhere(`${pick(places)} and its ${pick(things)}`)),
    ...Array.from({ length: 9 }, () => elsewhere(`The ${pick(words)} and the ${pick(words)}`)),
  ];
  const shuffled = pages
    .map((page, rank) => ({ page, order: next() + rank / 40 }))
    .sort((a, b) => a.order - b.order)
    .map(({ page }) => page);
  return {
    question: `When was the ${thing} of ${place} built and by whom, who financed it, and what is it used for since it was closed?`,
    pages: shuffled,
    evidence,
  };
}
