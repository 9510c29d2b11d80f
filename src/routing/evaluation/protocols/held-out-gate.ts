import type { Router } from '../../learned/router.js';
import type { GateSignals } from '../../training/fit-gate.js';
import { gateSignals } from '../../training/fit-shipped.js';
import { foldOf, type PublishedEvaluations } from '../../training/published-evaluations.js';

/** Families that were held out of one fit, and what a gate saw of it. */
export interface BlockSignals {
  readonly block: readonly string[];
  /** By family of the block: its texts, which are strange, and familiar ones, none of which is of the block. */
  readonly signals: Readonly<Record<string, readonly GateSignals[]>>;
}

const familiarParts = 11;
const isFamiliarPart = (group: string): boolean => foldOf(group, familiarParts) === 0;

/**
 * Blocks of up to three families, so that every two of them are in a block together: what a family's gate is fitted to are other families of
 * fits that saw neither.
 */
export function blocksOf(families: readonly string[]): string[][] {
  const open = new Set(families.flatMap((a, at) => families.slice(at + 1).map((b) => `${a} ${b}`)));
  const triples = families.flatMap((a, at) => families.slice(at + 1).flatMap((b, next) => families.slice(at + next + 2).map((c) => [a, b, c])));
  const blocks: string[][] = [];
  const pairsIn = (block: readonly string[]): string[] => block.flatMap((a, at) => block.slice(at + 1).map((b) => `${a} ${b}`));
  const closes = (block: readonly string[]): number => pairsIn(block).filter((pair) => open.has(pair)).length;
  while (open.size > 0) {
    const block = triples.reduce((best, triple) => (closes(triple) > closes(best) ? triple : best), [...open][0]!.split(' '));
    for (const pair of pairsIn(block)) open.delete(pair);
    blocks.push(block);
  }
  return blocks;
}

/** The rows that a fit without a block may see: none of its families, and not those that stand for familiar texts. */
export function rowsWithoutBlock({ tasks, families, groups }: PublishedEvaluations, block: readonly string[]): Int32Array {
  return Int32Array.from(groups.keys()).filter((row) => !block.includes(families[tasks[row]!]!) && !isFamiliarPart(groups[row]!));
}

/** What a gate sees of a fit without a block. */
export function signalsOfBlock(evaluations: PublishedEvaluations, router: Router, block: readonly string[]): BlockSignals {
  const { tasks, families, groups } = evaluations;
  const isFamiliar = (row: number): boolean => isFamiliarPart(groups[row]!) && !block.includes(families[tasks[row]!]!);
  return { block, signals: Object.fromEntries(block.map((family) => [family, gateSignals(evaluations, router, family, isFamiliar)])) };
}

/** What the gate of a family's own test may be fitted to: other families, told by fits that did not see the family either. */
export function signalsFor(family: string, blocks: readonly BlockSignals[]): GateSignals[] {
  return blocks.filter(({ block }) => block.includes(family)).flatMap(({ signals }) => Object.entries(signals).flatMap(([other, seen]) => (other === family ? [] : seen)));
}
