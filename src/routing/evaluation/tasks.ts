import { Router } from '../learned/router.js';
import { fitGate } from '../training/fit-gate.js';
import { fitRouter } from '../training/fit-router.js';
import { familiesToHoldOut, publicAbilities } from '../training/fit-shipped.js';
import type { PublishedEvaluations } from '../training/published-evaluations.js';
import { estimateOf, type DrawOptions, type Estimate } from './estimates.js';
import { judge, type Verdict } from './judge.js';
import { namedPools } from './pools.js';
import { measureDecision } from './protocols/decision-time.js';
import { rowsWithoutFamily, tryFamily } from './protocols/held-out-family.js';
import { rowsWithoutBlock, signalsFor, signalsOfBlock, type BlockSignals } from './protocols/held-out-gate.js';
import { rowsWithoutFold, tryFold } from './protocols/in-distribution.js';
import { learningCurve, type CurveOptions, type LearningCurve } from './protocols/learning-curve.js';
import { measureStability, type Stability } from './protocols/stability.js';
import { trainOnRows } from './protocols/train-on-rows.js';
import type { Trial } from './protocols/trial.js';

/** What came of holding out one family. */
export interface FamilyResult {
  readonly family: string;
  /** One for each source that measured it. */
  readonly verdicts: readonly Verdict[];
  /** How far the router's AIQ is above the zero router's of hindsight: the mean of the sources by their rows. */
  readonly overZero: Estimate;
  readonly curve: LearningCurve | null;
}

/** What came of one fold, on the prompts that its fit did not see. */
export interface FoldResult {
  readonly trials: readonly Trial[];
  readonly stability: Stability | null;
  readonly decisionMicros: number | null;
}

/** What each kind of task is given. */
export interface Given {
  families: Record<string, never>;
  block: { readonly block: readonly string[] };
  /** `isMeasured`: with the figures that one fit can tell, stability and time. */
  fold: { readonly fold: number; readonly blocks: readonly BlockSignals[]; readonly isMeasured: boolean };
  family: { readonly family: string; readonly blocks: readonly BlockSignals[]; readonly draw: DrawOptions; readonly curve: CurveOptions };
  judge: { readonly trial: Trial; readonly draw: DrawOptions };
}

/** What each kind of task gives. */
export interface Outcomes {
  families: string[];
  block: BlockSignals;
  fold: FoldResult;
  family: FamilyResult;
  judge: Verdict;
}

/** Kinds of tasks. */
export type Kind = keyof Given;

/** Carries out tasks, here or elsewhere. */
export type RunTask = <K extends Kind>(kind: K, given: Given[K]) => Promise<Outcomes[K]>;

const seed = 1;
const gateEpochs = 3;

type Work = { readonly [K in Kind]: (evaluations: PublishedEvaluations, given: Given[K]) => Outcomes[K] | Promise<Outcomes[K]> };

const work: Work = {
  families: (evaluations) => familiesToHoldOut(evaluations),
  block: (evaluations, { block }) => {
    const rows = rowsWithoutBlock(evaluations, block), known = publicAbilities(evaluations.models);
    return signalsOfBlock(evaluations, new Router(fitRouter(evaluations, rows, { seed, name: `without ${block.join(', ')}`, known, epochs: gateEpochs, isPlaceOnly: true })), block);
  },
  fold: async (evaluations, { fold, blocks, isMeasured }) => {
    const everything = blocks.flatMap(({ signals }) => Object.values(signals).flat());
    const router = fitted(evaluations, rowsWithoutFold(evaluations, fold), fitGate(everything));
    return {
      trials: tryFold(evaluations, router, fold, seed),
      stability: isMeasured ? await measureStability(evaluations, router, namedPools(evaluations)[0]!.models, fold) : null,
      decisionMicros: isMeasured ? await measureDecision(evaluations, router) : null,
    };
  },
  family: (evaluations, { family, blocks, draw, curve }) => {
    const rows = rowsWithoutFamily(evaluations, family);
    const router = fitted(evaluations, rows, fitGate(signalsFor(family, blocks)));
    const verdicts = tryFamily(evaluations, router, family, rows, seed).map((trial) => judge(trial, draw));
    return { family, verdicts: verdicts.map((verdict) => ({ ...verdict, drawsOverZero: [] })), overZero: meanOverZero(verdicts), curve: learningCurve(evaluations, router, family, trainOnRows, curve) };
  },
  judge: (_, { trial, draw }) => ({ ...judge(trial, draw), drawsOverZero: [] }),
};

function fitted(evaluations: PublishedEvaluations, rows: Int32Array, gate: Float32Array): Router {
  return new Router(fitRouter(evaluations, rows, { seed, name: 'for an evaluation', known: publicAbilities(evaluations.models), gate }));
}

function meanOverZero(verdicts: readonly Verdict[]): Estimate {
  const whole = verdicts.reduce((sum, { rows }) => sum + rows, 0);
  const mean = (of: (verdict: Verdict) => number): number => verdicts.reduce((sum, verdict) => sum + (verdict.rows / whole) * of(verdict), 0);
  const draws = verdicts[0]?.drawsOverZero.map((_, draw) => mean(({ drawsOverZero }) => drawsOverZero[draw]!)) ?? [];
  return estimateOf(mean(({ ways }) => ways['router']!.overZero!.value), draws);
}

/** Carries out one task. The same evaluations and task give the same result, but for measured times. */
export async function carryOut<K extends Kind>(evaluations: PublishedEvaluations, kind: K, given: Given[K]): Promise<Outcomes[K]> {
  const one: Work[K] = work[kind];
  return one(evaluations, given);
}
