import { describe, expect, it } from 'vitest';
import { shippedAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import type { Ranker } from '../../../src/chooser/plan.js';
import { pairTable } from '../commands/judge-pairs.js';
import { familyOf } from '../pairs/fit-without.js';
import { judgeZeroShotPairs, pairsOf } from '../pairs/zero-shot-pairs.js';
import type { EvaluatedPool } from '../pools.js';
import { createRandomStream } from '../random.js';

const [strong, weak] = ['gpt-5.2', 'gpt-3.5-turbo-0125'];
const models = [weak, strong];
const draw = { draws: 60, seed: 1 };

/** Half of the prompts are hard: only the strong model answers them. Lengths say nothing. */
function invented(rows: number): EvaluatedPool {
  const stream = createRandomStream(3);
  const isHard = Array.from({ length: rows }, () => stream.next() < 0.5);
  const prompts = isHard.map(
    (hard, row) => `${hard ? 'hard' : 'easy'} ${'x'.repeat((row * 7) % 50)}`,
  );
  const empty = new Float64Array(2 * rows);
  return {
    name: 'invented',
    models,
    rows,
    scores: Float64Array.from({ length: 2 * rows }, (_, at) =>
      at % 2 === 0 && isHard[Math.floor(at / 2)] ? 0 : 1,
    ),
    costs: empty,
    places: Int32Array.from({ length: rows }, (_, row) => row),
    features: [],
    prompts,
    inputTokens: empty,
    outputTokens: empty,
    groups: prompts.map((_, row) => `${row}`),
  };
}

/** Expects of the weak model what a function of the text says, and 1 of the strong one. */
const rankerBy = (expected: (text: string) => number): Ranker => ({
  name: 'invented',
  rank: ({ messages }, candidates) =>
    candidates.map(({ candidate, figures }) => {
      const quality =
        candidate.model === strong ? 1 : expected(JSON.stringify(messages[0]!.content).slice(1));
      return { ...candidate, score: quality, why: { ...figures, quality, reason: 'invented' } };
    }),
});

const judged = (expected: (text: string) => number) =>
  judgeZeroShotPairs(rankerBy(expected), shippedAbilities(), [invented(400)], draw)!;

describe('pairs of a strong and a weak model', () => {
  it('are made of the abler and the less able half, far apart, without unknown models', () => {
    const pool = [
      'gpt-4o-mini',
      'gpt-5.2',
      'nobody/knows-this-model',
      'gpt-3.5-turbo-0125',
      'gpt-5.1',
    ];
    expect(pairsOf(pool, shippedAbilities()).sort()).toEqual([
      [1, 0],
      [1, 3],
      [4, 0],
      [4, 3],
    ]);
    expect(pairsOf(['gpt-5.2', 'gpt-5.1'], shippedAbilities())).toEqual([]);
  });

  it('recover the most when a ranker knows which prompts are hard, and the least when it errs', () => {
    const right = judged((text) => (text.startsWith('hard') ? 0.2 : 0.9));
    const wrong = judged((text) => (text.startsWith('hard') ? 0.9 : 0.2));
    // half of the prompts recover everything, in a straight line
    expect(right.ranker.value).toBeCloseTo(0.75, 1);
    expect(wrong.ranker.value).toBeCloseTo(0.25, 1);
    expect(right).toMatchObject({ prompts: 400, pairs: 1 });
    expect(right.gap).toBeCloseTo(0.5, 1);
    expect(right.overLength.low).toBeGreaterThan(0.15);
  });

  it('recover half when a ranker, the length and chance know nothing', () => {
    const { ranker, length, chance } = judged(() => 0.5);
    for (const apgr of [ranker.value, length.value, chance]) {
      expect(apgr).toBeGreaterThan(0.4);
      expect(apgr).toBeLessThan(0.6);
    }
  });

  it('are not judged where no model is clearly abler', () => {
    const pool = { ...invented(20), models: ['gpt-5.2', 'gpt-5.1'] };
    expect(
      judgeZeroShotPairs(
        rankerBy(() => 0.5),
        shippedAbilities(),
        [pool],
        draw,
      ),
    ).toBeNull();
  });

  it('have a line for each family that says plainly whether the goal is reached', () => {
    const known = judged((text) => (text.startsWith('hard') ? 0.2 : 0.9));
    const { rows, notes } = pairTable([
      ['good', known, known],
      ['poor', judged((text) => (text.startsWith('hard') ? 0.9 : 0.2)), null],
      ['none', null, null],
    ]);
    expect(rows.map(([family]) => family)).toEqual(['good', 'poor']);
    expect(rows.map((row) => row[8])).toEqual(['reached', 'missed']);
    expect(notes.at(-1)).toMatch(/surely reached in 1, surely missed in 1; in the other 0/);
  });
});

describe('what a fit without a family must not see', () => {
  it("is its prompts, their copies under another family, and its tasks' results", () => {
    const evaluations = {
      taskNames: ['a:one', 'b:two'],
      families: ['held', 'other'],
      tasks: Int32Array.from([0, 1, 1]),
      groups: ['p', 'p', 'q'],
    };
    const rows = [
      { family: 'held', task: 'new:three', group: 'r' },
      { family: 'other', task: 'b:two', group: 'q' },
    ];
    const { tasks, groups } = familyOf({ evaluations, rows }, 'held');
    expect([...tasks].sort()).toEqual(['a:one', 'new:all']);
    expect([...groups].sort()).toEqual(['p', 'r']);
  });
});
