import type { AnswerLengths } from '../../../src/models/model-tables.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { fitFactors, fitSteps, grouped } from './calibrate-lengths.js';
import {
  type EstimatedLength,
  expectedTokens,
  lengthGroups,
  uncorrected,
} from './estimate-lengths.js';

/**
 * Short questions of our own in the manner of those by which the models' reasoning was measured:
 * they sound learned and make no sense. They say what level step 0 of difficulty is.
 */
const usualQuestions = [
  'How do you balance the harmonic load of a staircase against the moral weight of its banister?',
  'Which torque should we apply to the onboarding emails so that their grammar does not shear?',
  'Explain how the alkalinity of a merger affects the reading age of its shareholders.',
  'What is the recommended octane of a quarterly review in a humid climate?',
  'How many degrees of narrative freedom does a reinforced invoice have?',
  'Should the load factor of our brand story be computed before or after the coastline is amortised?',
  'What margin of empathy is safe for a bridge that carries mostly adverbs?',
  'How does the viscosity of a contract change when its clauses are sorted by birthday?',
];

const rounded = (value: number): number => Math.round(value * 100) / 100;

function usualLevel(): number {
  const levels = usualQuestions.map(
    (content) =>
      shippedOutlook().read(featuresOf({ messages: [{ role: 'user', content }] })).difficulty,
  );
  return rounded(levels.reduce((sum, level) => sum + level, 0) / levels.length);
}

/** Fits the table of lengths to published answers. */
export function fitAnswerLengths(rows: readonly EstimatedLength[]): AnswerLengths {
  const usual = usualLevel();
  const groups = lengthGroups(rows);
  return { factors: fitFactors(groups), levels: { usual, steps: fitSteps(groups, usual) } };
}

/** How far estimates are from answers. */
export interface LengthErrors {
  readonly name: string;
  readonly answers: number;
  readonly sources: number;
  /** Mean absolute logarithm of estimate to answer: by our own estimate, and by a table. */
  readonly own: number;
  readonly fitted: number;
  /** Sum of the answers as a share of the sum of the estimates. */
  readonly ownShare: number;
  readonly fittedShare: number;
}

/** The answers of one source with the table that is fitted to all other sources. */
type Judged = EstimatedLength & { readonly table: AnswerLengths };

function errorsOf(name: string, rows: readonly Judged[]): LengthErrors {
  let own = 0,
    fitted = 0,
    tokens = 0,
    ownSum = 0,
    fittedSum = 0;
  for (const row of rows) {
    const totalOf = (table: AnswerLengths): number => {
      const { visible, reasoning } = expectedTokens(table, row);
      return row.isVisible ? visible : visible + reasoning;
    };
    const before = totalOf(uncorrected),
      after = totalOf(row.table);
    own += Math.abs(Math.log(before / row.tokens));
    fitted += Math.abs(Math.log(after / row.tokens));
    tokens += row.tokens;
    ownSum += before;
    fittedSum += after;
  }
  return {
    name,
    answers: rows.length,
    sources: new Set(rows.map(({ prompt }) => prompt.source)).size,
    own: own / rows.length,
    fitted: fitted / rows.length,
    ownShare: tokens / ownSum,
    fittedShare: tokens / fittedSum,
  };
}

/** Errors on sources that a table was not fitted to: as a whole, by source, kind and model. */
export type JudgedLengths = Readonly<
  Record<'whole' | 'sources' | 'kinds' | 'models', readonly LengthErrors[]>
>;

/** Judges a fit with each source kept back once. */
export function judgeLengths(rows: readonly EstimatedLength[]): JudgedLengths {
  const sources = [...grouped(rows, ({ prompt }) => prompt.source)];
  const judged = sources.flatMap(([source, own]): Judged[] => {
    const table = fitAnswerLengths(rows.filter(({ prompt }) => prompt.source !== source));
    return own.map((row) => ({ ...row, table }));
  });
  const by = (nameOf: (row: Judged) => string): LengthErrors[] =>
    [...grouped(judged, nameOf)].map(([name, group]) => errorsOf(name, group));
  return {
    whole: [errorsOf('all', judged)],
    sources: by(({ prompt }) => prompt.source),
    kinds: by(({ own }) => own.kind),
    models: by(({ model }) => model),
  };
}

/** A worse error than this is not chance. */
const tolerated = 0.005;

/**
 * The table without the factors that do not carry over: kinds of several sources whose estimates
 * for a source that was kept back got worse.
 */
export function carriedOver(table: AnswerLengths, { kinds }: JudgedLengths): AnswerLengths {
  const worse = new Set(
    kinds
      .filter(({ sources, own, fitted }) => sources > 1 && fitted > own + tolerated)
      .map(({ name }) => name),
  );
  const factors = Object.fromEntries(
    Object.entries(table.factors).filter(([kind]) => !worse.has(kind)),
  );
  return { ...table, factors };
}
