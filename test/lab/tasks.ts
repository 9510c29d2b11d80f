import { encodePredictor } from './encode-weights.js';
import { QualityPredictor } from '../../src/chooser/predictor/quality-predictor.js';
import type { DrawOptions } from './estimates.js';
import { fitGate } from './fit/fit-gate.js';
import { fitPredictor, type FitOptions } from './fit/fit-predictor.js';
import { familiesToHoldOut, publicAbilities } from './fit/fit-shipped.js';
import type { PublishedEvaluations } from './fit/published-evaluations.js';
import { judge, type DrawnVerdict, type MethodFigures, type Verdict } from './judge.js';
import { meanOfVerdicts } from './mean-verdict.js';
import { largestPoolOf, namedPools } from './named-pools.js';
import { sampleOf } from './pools.js';
import { sampleForDecisions, type DecisionSample } from './protocols/decision-time.js';
import { rowsWithoutFamilies, tryFamily } from './protocols/held-out-family.js';
import {
  rowsWithoutBlock,
  signalsFor,
  signalsOfBlock,
  type BlockSignals,
} from './protocols/held-out-gate.js';
import { rowsWithoutFold, tryFold } from './protocols/in-distribution.js';
import {
  learningCurve,
  type CurveOptions,
  type LearningCurve,
} from './protocols/learning-curve.js';
import { streamOnline, type StreamRegret } from './protocols/online-stream.js';
import { measureStability, type Stability } from './protocols/stability.js';
import { trainOnRows } from './protocols/train-on-rows.js';
import type { Trial } from './protocols/trial.js';

/** Results of holding out one family. */
export interface FamilyResult {
  readonly family: string;
  /** One for each source that measured it; empty if all are too small. */
  readonly verdicts: readonly Verdict[];
  /** Figures of each method: means over the sources, weighted by rows. */
  readonly means: Readonly<Record<string, MethodFigures>>;
  readonly curve: LearningCurve | null;
  /** The family as a stream of requests, with feedback on the chosen model only. */
  readonly online: StreamRegret | null;
}

/** Results of one fold, on the prompts that its fit did not see. */
export interface FoldResult {
  readonly trials: readonly Trial[];
  readonly stability: Stability | null;
  /** The fitted predictor as a file; null unless the fold is measured. */
  readonly predictor: Uint8Array | null;
}

/** The input of each kind of task. */
export interface TaskInputs {
  families: Record<string, never>;
  block: { readonly block: readonly string[] };
  fold: {
    readonly fold: number;
    readonly blocks: readonly BlockSignals[];
    /** Whether to measure stability and return the predictor: one fold is enough for both. */
    readonly isMeasured: boolean;
  };
  family: {
    readonly family: string;
    readonly blocks: readonly BlockSignals[];
    readonly draw: DrawOptions;
    readonly curve: CurveOptions;
  };
  judge: { readonly trial: Trial; readonly draw: DrawOptions };
  decisionSample: Record<string, never>;
}

/** The result of each kind of task. */
export interface TaskResults {
  families: string[];
  block: BlockSignals;
  fold: FoldResult;
  family: FamilyResult;
  judge: Verdict;
  decisionSample: DecisionSample;
}

/** Kinds of tasks. */
export type TaskKind = keyof TaskInputs;

/** Runs a task in this thread or another. */
export type RunTask = <K extends TaskKind>(
  kind: K,
  input: TaskInputs[K],
) => Promise<TaskResults[K]>;

const seed = 1;
const gateEpochs = 3;

/** Share of the decisions of a stream that try another model. */
export const explorationShare = 0.05;

type Work = {
  readonly [K in TaskKind]: (
    evaluations: PublishedEvaluations,
    input: TaskInputs[K],
  ) => Promise<TaskResults[K]>;
};

const work: Work = {
  families: async (evaluations) => familiesToHoldOut(evaluations),
  block: async (evaluations, { block }) => holdOutBlock(evaluations, block),
  fold: evaluateFold,
  family: async (evaluations, input) => evaluateFamily(evaluations, input),
  judge: async (_, { trial, draw }) => withoutDraws(judge(trial, draw)),
  decisionSample: async (evaluations) => sampleForDecisions(evaluations),
};

function holdOutBlock(evaluations: PublishedEvaluations, block: readonly string[]): BlockSignals {
  const rows = rowsWithoutBlock(evaluations, block);
  if (rows.length === 0) return { block, signals: {} };
  const predictor = fit(evaluations, rows, { epochs: gateEpochs, isPlaceOnly: true });
  return signalsOfBlock(evaluations, predictor, block);
}

async function evaluateFold(
  evaluations: PublishedEvaluations,
  { fold, blocks, isMeasured }: TaskInputs['fold'],
): Promise<FoldResult> {
  // the gate may see all families: it is three numbers fitted to places of texts, never to scores
  const gate = fitGate(blocks.flatMap(({ signals }) => Object.values(signals).flat()));
  const predictor = fit(evaluations, rowsWithoutFold(evaluations, fold), { gate });
  const trials = tryFold(evaluations, predictor, fold, seed);
  if (!isMeasured) return { trials, stability: null, predictor: null };
  const { models } = namedPools(evaluations)[0]!;
  return {
    trials,
    stability: await measureStability(evaluations, predictor, models, fold),
    predictor: encodePredictor(predictor.weights),
  };
}

function evaluateFamily(
  evaluations: PublishedEvaluations,
  { family, blocks, draw, curve }: TaskInputs['family'],
): FamilyResult {
  const rows = rowsWithoutFamilies(evaluations, [family]);
  const predictor = fit(evaluations, rows, { gate: fitGate(signalsFor(family, blocks)) });
  const verdicts = tryFamily(evaluations, predictor, family, rows, seed).map((trial) =>
    judge(trial, draw),
  );
  return {
    family,
    verdicts: verdicts.map(withoutDraws),
    means: meanOfVerdicts(verdicts),
    curve: learningCurve(evaluations, predictor, family, trainOnRows, curve),
    online: streamFamily(evaluations, predictor, family, curve.repeats),
  };
}

function fit(
  evaluations: PublishedEvaluations,
  rows: Int32Array,
  options: Pick<FitOptions, 'gate' | 'epochs' | 'isPlaceOnly'>,
): QualityPredictor {
  return new QualityPredictor(
    fitPredictor(evaluations, rows, {
      seed,
      name: 'for an evaluation',
      known: publicAbilities(evaluations.models),
      ...options,
    }),
  );
}

const maxStreamed = 2000;

function streamFamily(
  evaluations: PublishedEvaluations,
  predictor: QualityPredictor,
  family: string,
  repeats: number,
): StreamRegret | null {
  const pool = largestPoolOf(evaluations, family);
  if (!pool) return null;
  return streamOnline(predictor, sampleOf(pool, maxStreamed), {
    seed,
    repeats,
    exploration: explorationShare,
  });
}

function withoutDraws({ draws, ...verdict }: DrawnVerdict): Verdict {
  return verdict;
}

/** Runs one task here. The same evaluations and task give the same result, measured times apart. */
export function performTask<K extends TaskKind>(
  evaluations: PublishedEvaluations,
  kind: K,
  input: TaskInputs[K],
): Promise<TaskResults[K]> {
  const perform: Work[K] = work[kind];
  return perform(evaluations, input);
}
