import { describe, expect, it } from 'vitest';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { knownAbility } from '../../../src/models/model-families.js';
import { canonicalName } from '../../../src/models/model-name.js';
import { readModelTable } from '../../../src/models/model-tables.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import type { PublishedResults, Result } from '../abilities/published-results.js';
import { judgeCategory, type KeptCategory } from '../choice/judge-categories.js';
import { judgeKind } from '../choice/judge-kinds.js';
import { rankCorrelation } from '../choice/judge-order.js';
import { estimatesKnowingTheOthers } from '../choice/known-table.js';
import { createRandomStream } from '../random.js';
import { errorsIfKnownElsewhere } from '../scale/known-elsewhere.js';
import { errorsAtOneLevel } from '../scale/one-level.js';
import type { ScaleRow } from '../scale/scale-rows.js';

const row = (more: Partial<ScaleRow> & { text: string }): ScaleRow => ({
  features: featuresOf({ messages: [{ role: 'user', content: more.text }] }),
  family: 'everyday',
  task: 'own:code',
  kind: null,
  language: null,
  tier: null,
  group: more.text,
  answers: [],
  ...more,
});

// names that the table of families knows
const names = Object.keys(readModelTable('measured-abilities').models)
  .filter((name) => knownAbility(canonicalName(name)) !== null)
  .slice(0, 60);
const kinds = ['coding', 'writing', 'mathematics'];
const sources = ['arena-held', 'arena-one', 'arena-other'];
const columns = sources.flatMap((source) =>
  kinds.flatMap((kind) =>
    [1, 2, 3, 4].map((at) => ({ name: `${source}/${kind}/${at}`, source, kind, language: null })),
  ),
);

/** Results of models that are good at one kind or another, in all sources alike or in none. */
function invented(isAlike: boolean): PublishedResults {
  const stream = createRandomStream(5);
  const random = (): number => 2 * stream.next() - 1;
  const results = names.map((model): Result[] => {
    const ability = 1.5 * random();
    const skills = new Map<string, number>();
    const skillOf = (name: string): number => {
      if (!skills.has(name)) skills.set(name, random());
      return skills.get(name)!;
    };
    return columns.map(({ source, kind }, column) => ({
      column,
      model,
      effort: '',
      value: ability + skillOf(isAlike ? kind : `${source} ${kind}`) + 0.1 * random(),
      error: 0.05,
    }));
  });
  return { columns, results: results.flat() };
}

const texts = [
  ...['Write a Go function that reverses a list.', 'Fix this Python loop: for i in x print(i)'].map(
    (text) => row({ text, task: 'own:code' }),
  ),
  ...['Write a poem about the sea.', 'Write a short story about a fox.'].map((text) =>
    row({ text, task: 'own:writing' }),
  ),
];

describe('the order of models by kind of task', { timeout: 60_000 }, () => {
  const judged = (isAlike: boolean) =>
    judgeKind(invented(isAlike), shippedOutlook(), texts, {
      source: 'arena-held',
      kind: 'coding',
    })!;

  it('is found from other sources where these agree with the one that was held out', () => {
    const { byKind, overall, particular, halves } = judged(true);
    expect(byKind).toBeGreaterThan(overall);
    expect(particular).toBeGreaterThan(0.3);
    expect(halves!.particular).toBeGreaterThan(0.8);
  });

  it('is not where only halves of the held source agree', () => {
    const { particular, halves } = judged(false);
    expect(particular).toBeLessThan(judged(true).particular - 0.1);
    expect(halves!.particular).toBeGreaterThan(0.8);
  });
});

describe('the order of models in a category that is kept back', { timeout: 60_000 }, () => {
  const kept: KeptCategory = {
    source: 'arena-held',
    category: 'coding',
    judged: [{ texts: { kind: 'coding' } }, { columnsOf: 'writing', texts: { kind: 'writing' } }],
    usual: '',
  };
  const judged = (published: PublishedResults) =>
    judgeCategory(published, shippedOutlook(), texts, kept);

  it('is predicted from the same kind elsewhere, short of what the table is sure of', () => {
    const [coding, ...more] = judged(invented(true));
    // the category has no columns of writing
    expect(more).toEqual([]);
    expect(coding!.name).toBe('arena-held, coding');
    expect(coding!.byKind).toBeGreaterThan(coding!.overall);
    expect(coding!.particular).toBeGreaterThan(0.3);
    expect(coding!.again).toBeGreaterThan(coding!.byKind);
    expect(coding!.again).toBeLessThan(1);
  });

  it('has no bound where the source states no errors', () => {
    const { columns: all, results } = invented(true);
    const sure = results.map((one) => ({ ...one, error: 0 }));
    expect(judged({ columns: all, results: sure })[0]!.again).toBeNull();
  });
});

describe('the most that is reached knowing the other models', () => {
  const stream = createRandomStream(3);
  const numbers = (): number[] => Array.from({ length: 60 }, () => stream.next());
  const [one, other, noise] = [numbers(), numbers(), numbers()];
  const table = one.map((value, at) => value + other[at]!);

  it('uses what the first figure does not say', () => {
    const known = estimatesKnowingTheOthers([one, other], table);
    expect(rankCorrelation(known, table)).toBeGreaterThan(0.95);
    expect(rankCorrelation(known, table)).toBeGreaterThan(rankCorrelation(one, table) + 0.1);
  });

  it('is hardly raised by figures that say nothing', () => {
    const more = rankCorrelation(estimatesKnowingTheOthers([one, noise], table), table);
    const alone = rankCorrelation(estimatesKnowingTheOthers([one], table), table);
    expect(more).toBeLessThan(alone + 0.05);
  });
});

describe('the error of a quality that is told from elsewhere', () => {
  const answered = (family: string, share: number): ScaleRow[] =>
    Array.from({ length: 100 }, (_, at) =>
      row({
        text: `${family} ${at}`,
        family,
        answers: [{ model: 'maker/m', effort: '', score: at < 100 * share ? 1 : 0 }],
      }),
    );
  const rows = [
    ...answered('class:tone_EN', 0.9),
    ...answered('class:tone_DE', 0.8),
    ...answered('class:tone_FR', 0.7),
    ...answered('class:topic_EN', 0.4),
    ...answered('else:topic_EN', 0),
  ];

  it('is that of the same task in other languages, or of all other tasks', () => {
    const errors = errorsIfKnownElsewhere(rows, 'class:');
    expect([...errors.keys()]).toEqual([
      'class:tone_EN',
      'class:tone_DE',
      'class:tone_FR',
      'class:topic_EN',
    ]);
    const [english, german, french, topic] = [...errors.values()];
    expect([english, german, french, topic].map((one) => one!.toFixed(2))).toEqual([
      '0.15',
      '0.00',
      '0.15',
      '0.40',
    ]);
  });
});

describe('the error at one level for all tasks that ask alike', () => {
  const task = (family: string, group: string, scored: readonly number[]) => ({
    family,
    group,
    predicted: [0.1, 0.3],
    scored,
  });

  it('keeps what tells models apart, and is that of the best level in hindsight', () => {
    const errors = errorsAtOneLevel([
      task('easy', 'yes or no', [0.8, 1]),
      task('hard', 'yes or no', [0.4, 0.6]),
      task('topics', 'topics', [0.5, 0.5]),
    ]);
    // any level between the two is as good: their errors are .4 together
    expect(errors.get('easy')! + errors.get('hard')!).toBeCloseTo(0.4);
    expect(errors.get('topics')).toBeCloseTo(0.1);
  });
});
