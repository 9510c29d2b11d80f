import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import type { GateSignals } from '../fit/fit-gate.js';
import { gateSignals } from '../fit/fit-shipped.js';
import { foldOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { rowsWithoutFamilies } from './held-out-family.js';

/** Families that were held out of one fit, and what a gate saw of it. */
export interface BlockSignals {
  readonly block: readonly string[];
  /** By family of the block: its texts, which are strange, and familiar ones, none of which is of the block. */
  readonly signals: Readonly<Record<string, readonly GateSignals[]>>;
}

const familiarParts = 11;
const isFamiliarPart = (group: string): boolean => foldOf(group, familiarParts) === 0;
/** More together would leave too little to fit to. */
const largest = 4;

const pairName = (a: string, b: string): string => [a, b].sort().join(' ');

/**
 * Blocks of up to four families, so that every two of them are in a block together: what a family's gate is fitted to are other families of
 * fits that saw neither.
 */
export function blocksOf(families: readonly string[]): string[][] {
  const open = new Map(
    families.flatMap((a, at) =>
      families.slice(at + 1).map((b) => [pairName(a, b), [a, b]] as const),
    ),
  );
  const blocks: string[][] = [];
  for (let [pair] = open.values(); pair; [pair] = open.values()) {
    const block = grown([...pair], families, open);
    block.forEach((a, at) => {
      for (const b of block.slice(at + 1)) open.delete(pairName(a, b));
    });
    blocks.push(block);
  }
  return blocks;
}

/** A block with those families that are yet to meet most of it. */
function grown(
  block: string[],
  families: readonly string[],
  open: ReadonlyMap<string, unknown>,
): string[] {
  const meets = (family: string): number =>
    block.includes(family) ? 0 : block.filter((other) => open.has(pairName(family, other))).length;
  while (block.length < largest) {
    const next = families.reduce((best, family) => (meets(family) > meets(best) ? family : best));
    if (meets(next) === 0) break;
    block.push(next);
  }
  return block;
}

/** The rows that a fit without a block may see: none of its families, and not those that stand for familiar texts. */
export function rowsWithoutBlock(
  evaluations: PublishedEvaluations,
  block: readonly string[],
): Int32Array {
  return rowsWithoutFamilies(evaluations, block).filter(
    (row) => !isFamiliarPart(evaluations.groups[row]!),
  );
}

/** What a gate sees of a fit without a block. */
export function signalsOfBlock(
  evaluations: PublishedEvaluations,
  router: QualityPredictor,
  block: readonly string[],
): BlockSignals {
  const known = new Set(rowsWithoutFamilies(evaluations, block));
  const isFamiliar = (row: number): boolean =>
    isFamiliarPart(evaluations.groups[row]!) && known.has(row);
  return {
    block,
    signals: Object.fromEntries(
      block.map((family) => [family, gateSignals(evaluations, router, family, isFamiliar)]),
    ),
  };
}

/** What the gate of a family's own test may be fitted to: other families, told by fits that did not see the family either. */
export function signalsFor(family: string, blocks: readonly BlockSignals[]): GateSignals[] {
  return blocks
    .filter(({ block }) => block.includes(family))
    .flatMap(({ signals }) =>
      Object.entries(signals).flatMap(([other, seen]) => (other === family ? [] : seen)),
    );
}
