import { encodePredictor } from '../../src/routing/predictor/predictor-file.js';
import { QualityPredictor } from '../../src/routing/predictor/quality-predictor.js';
import { fitGate } from './fit/fit-gate.js';
import { fitRouter, type FitOptions } from './fit/fit-router.js';
import { familiesToHoldOut, publicAbilities } from './fit/fit-shipped.js';
import type { PublishedEvaluations } from './fit/published-evaluations.js';
import type { DrawOptions } from './estimates.js';
import { judge, type DrawnVerdict, type Figures, type Verdict } from './judge.js';
import { meanOfVerdicts } from './mean-verdict.js';
import { atMost, largestPoolOf, namedPools } from './pools.js';
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

/** What came of holding out one family. */
export interface FamilyResult {
  readonly family: string;
  /** One for each source that measured it; none where all are too small. */
  readonly verdicts: readonly Verdict[];
  /** Figures of each way to choose: means of the sources by their rows. */
  readonly means: Readonly<Record<string, Figures>>;
  readonly curve: LearningCurve | null;
  /** As a stream of requests, of which only the score of the model that was chosen is told. */
  readonly online: StreamRegret | null;
}

/** What came of one fold, on the prompts that its fit did not see. */
export interface FoldResult {
  readonly trials: readonly Trial[];
  readonly stability: Stability | null;
  /** The router that was fitted, as a file; null where nothing more is asked of it. */
  readonly router: Uint8Array | null;
}

/** What each kind of task is given. */
export interface Given {
  families: Record<string, never>;
  block: { readonly block: readonly string[] };
  /** `isMeasured`: with what one fit can tell beside, stability and the router itself. */
  fold: {
    readonly fold: number;
    readonly blocks: readonly BlockSignals[];
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

/** What each kind of task gives. */
export interface Outcomes {
  families: string[];
  block: BlockSignals;
  fold: FoldResult;
  family: FamilyResult;
  judge: Verdict;
  decisionSample: DecisionSample;
}

/** Kinds of tasks. */
export type Kind = keyof Given;

/** Carries out tasks, here or elsewhere. */
export type RunTask = <K extends Kind>(kind: K, given: Given[K]) => Promise<Outcomes[K]>;

const seed = 1;
const gateEpochs = 3;
/** Share of the decisions of a stream that try another model. */
export const triedShare = 0.05;

type Work = {
  readonly [K in Kind]: (
    evaluations: PublishedEvaluations,
    given: Given[K],
  ) => Outcomes[K] | Promise<Outcomes[K]>;
};

const work: Work = {
  families: (evaluations) => familiesToHoldOut(evaluations),
  block: (evaluations, { block }) => {
    const rows = rowsWithoutBlock(evaluations, block);
    if (rows.length === 0) return { block, signals: {} };
    return signalsOfBlock(
      evaluations,
      fitted(evaluations, rows, { epochs: gateEpochs, isPlaceOnly: true }),
      block,
    );
  },
  fold: async (evaluations, { fold, blocks, isMeasured }) => {
    // three numbers fitted to where texts stand; they never see a score
    const gate = fitGate(blocks.flatMap(({ signals }) => Object.values(signals).flat()));
    const router = fitted(evaluations, rowsWithoutFold(evaluations, fold), { gate });
    return {
      trials: tryFold(evaluations, router, fold, seed),
      stability: isMeasured
        ? await measureStability(evaluations, router, namedPools(evaluations)[0]!.models, fold)
        : null,
      router: isMeasured ? encodePredictor(router.weights) : null,
    };
  },
  family: (evaluations, { family, blocks, draw, curve }) => {
    const rows = rowsWithoutFamilies(evaluations, [family]);
    const router = fitted(evaluations, rows, { gate: fitGate(signalsFor(family, blocks)) });
    const verdicts = tryFamily(evaluations, router, family, rows, seed).map((trial) =>
      judge(trial, draw),
    );
    return {
      family,
      verdicts: verdicts.map(withoutDraws),
      means: meanOfVerdicts(verdicts),
      curve: learningCurve(evaluations, router, family, trainOnRows, curve),
      online: streamed(evaluations, router, family, curve.repeats),
    };
  },
  judge: (_, { trial, draw }) => withoutDraws(judge(trial, draw)),
  decisionSample: sampleForDecisions,
};

function fitted(
  evaluations: PublishedEvaluations,
  rows: Int32Array,
  options: Pick<FitOptions, 'gate' | 'epochs' | 'isPlaceOnly'>,
): QualityPredictor {
  return new QualityPredictor(
    fitRouter(evaluations, rows, {
      seed,
      name: 'for an evaluation',
      known: publicAbilities(evaluations.models),
      ...options,
    }),
  );
}

const mostStreamed = 2000;

function streamed(
  evaluations: PublishedEvaluations,
  router: QualityPredictor,
  family: string,
  repeats: number,
): StreamRegret | null {
  const pool = largestPoolOf(evaluations, family);
  return (
    pool &&
    streamOnline(router, atMost(pool, mostStreamed), { seed, repeats, exploration: triedShare })
  );
}

function withoutDraws({ draws, ...verdict }: DrawnVerdict): Verdict {
  return verdict;
}

/** Carries out one task. The same evaluations and task give the same result, but for measured times. */
export async function executePlan<K extends Kind>(
  evaluations: PublishedEvaluations,
  kind: K,
  given: Given[K],
): Promise<Outcomes[K]> {
  const one: Work[K] = work[kind];
  return one(evaluations, given);
}
