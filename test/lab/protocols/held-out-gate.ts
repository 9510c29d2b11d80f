import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import type { GateSignals } from '../fit/fit-gate.js';
import { gateSignals } from '../fit/fit-shipped.js';
import { foldOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { rowsWithoutFamilies } from './held-out-family.js';

/** Families that were held out of one fit, and what the gate saw of each. */
export interface BlockSignals {
  readonly block: readonly string[];
  /**
   * By family of the block: signals of its texts, which are strange, and of familiar texts, none of
   * which is of the block.
   */
  readonly signals: Readonly<Record<string, readonly GateSignals[]>>;
}

const familiarFolds = 11;
const isFamiliarSample = (group: string): boolean => foldOf(group, familiarFolds) === 0;

/** Holding out more families together would leave too little to fit to. */
const maxBlockSize = 4;

const pairName = (a: string, b: string): string => [a, b].sort().join(' ');

/**
 * Blocks of up to four families in which every two families meet. The gate of a family's own test
 * is
 * fitted to the other families of fits that saw neither.
 */
export function blocksOf(families: readonly string[]): string[][] {
  const open = new Map(
    families.flatMap((a, at) =>
      families.slice(at + 1).map((b) => [pairName(a, b), [a, b]] as const),
    ),
  );
  const blocks: string[][] = [];
  for (let [pair] = open.values(); pair; [pair] = open.values()) {
    const block = extendBlock([...pair], families, open);
    block.forEach((a, at) => {
      for (const b of block.slice(at + 1)) open.delete(pairName(a, b));
    });
    blocks.push(block);
  }
  return blocks;
}

/** Adds the families that have not met most of the block yet. */
function extendBlock(
  block: string[],
  families: readonly string[],
  open: ReadonlyMap<string, unknown>,
): string[] {
  const newPairs = (family: string): number =>
    block.includes(family) ? 0 : block.filter((other) => open.has(pairName(family, other))).length;
  while (block.length < maxBlockSize) {
    const next = families.reduce((best, one) => (newPairs(one) > newPairs(best) ? one : best));
    if (newPairs(next) === 0) break;
    block.push(next);
  }
  return block;
}

/**
 * The rows that a fit without a block may see: none of its families, and none of the sample of
 * familiar texts.
 */
export function rowsWithoutBlock(
  evaluations: PublishedEvaluations,
  block: readonly string[],
): Int32Array {
  return rowsWithoutFamilies(evaluations, block).filter(
    (row) => !isFamiliarSample(evaluations.groups[row]!),
  );
}

/** What the gate sees of a fit without a block. */
export function signalsOfBlock(
  evaluations: PublishedEvaluations,
  predictor: QualityPredictor,
  block: readonly string[],
): BlockSignals {
  const known = new Set(rowsWithoutFamilies(evaluations, block));
  const isFamiliar = (row: number): boolean =>
    isFamiliarSample(evaluations.groups[row]!) && known.has(row);
  return {
    block,
    signals: Object.fromEntries(
      block.map((family) => [family, gateSignals(evaluations, predictor, family, isFamiliar)]),
    ),
  };
}

/**
 * Signals that the gate of a family's own test may be fitted to: those of other families, from fits
 * that did not see the family either.
 */
export function signalsFor(family: string, blocks: readonly BlockSignals[]): GateSignals[] {
  return blocks
    .filter(({ block }) => block.includes(family))
    .flatMap(({ signals }) =>
      Object.entries(signals).flatMap(([other, seen]) => (other === family ? [] : seen)),
    );
}
