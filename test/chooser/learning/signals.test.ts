import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/completion.js';
import { type NewLesson, withLesson } from '../../../src/chooser/predictor/online-learner.js';
import { nothingLearned, type OnlineState } from '../../../src/chooser/predictor/online-state.js';
import { learnedMoves } from '../../../src/chooser/predictor/learned-moves.js';
import { isCorrection } from '../../../src/chooser/learning/signals/corrections.js';
import { areAlike, printOf } from '../../../src/chooser/learning/signals/likeness.js';
import { RecentTurns } from '../../../src/chooser/learning/signals/recent-turns.js';
import { isBadCall, isErrorResult } from '../../../src/chooser/learning/signals/tool-calls.js';

describe('a correction', () => {
  it.each([
    'No, that is wrong.',
    'no — I meant the other one',
    "That's not correct, it was 1989.",
    'wrong, try again',
    'You misunderstood me',
    'Nein, das stimmt nicht.',
    'Das ist falsch.',
    "Non, c'est faux",
    'No, eso está mal',
    'Não, isso está errado',
    'No, è sbagliato',
    'Nee, dat klopt niet',
    'Nej, det är fel',
    'Nie, to błąd',
    'Нет, это неправильно',
    'Hayır, yanlış',
    'いいえ、違います',
    '不对，应该是三',
    '아니요, 틀렸어요',
    'لا، هذا خطأ',
    'नहीं, यह गलत है',
  ])('is recognised by its beginning: %s', (text) => {
    expect(isCorrection(text, false)).toBe(true);
  });

  it.each([
    'No, thanks!',
    'No problem.',
    'No worries, that is fine',
    'Nein, danke',
    'Now write a poem.',
    'Nothing else.',
    'None of these countries is in Europe, is it?',
    'Wrongful termination: explain it.',
    'North or south?',
    'Notes on this, please',
    'Neural networks: what are they?',
    '',
    `No, ${'this is a long task of its own. '.repeat(20)}`,
  ])('is not everything that begins alike: %s', (text) => {
    expect(isCorrection(text, false)).toBe(false);
  });

  it('is no mere denial where the answer had asked something', () => {
    expect(isCorrection('No, only two.', true)).toBe(false);
    expect(isCorrection('No, that is wrong.', true)).toBe(true);
  });
});

describe('two prompts', () => {
  const alike = (one: string, other: string): boolean =>
    areAlike(printOf(one, 's'), printOf(other, 's'));
  const prompt = 'Explain in two sentences why the sky is blue at noon and red in the evening.';

  it('are alike if they have nearly the same words', () => {
    expect(alike(prompt, prompt.toUpperCase())).toBe(true);
    expect(alike(prompt, `Please! ${prompt}`)).toBe(true);
    expect(alike(prompt, 'Explain why grass is green, in two sentences.')).toBe(false);
    expect(alike('Hi', 'Hi!')).toBe(true);
    expect(alike('Hi', 'Ho')).toBe(false);
  });

  it('are not compared between callers', () => {
    expect(printOf('Hi', 'one').digest).not.toBe(printOf('Hi', 'two').digest);
  });

  it('are a retry within minutes and once the first is answered, but not the third of a pattern', () => {
    let now = 0;
    const turns = new RecentTurns(() => now);
    const turn = (endedAt: number) => ({
      scope: { accountId: 'a', preferenceId: '' },
      model: { model: 'm', kinds: null, predicted: 0.5 },
      print: printOf(prompt, ''),
      endedAt,
      isBlamed: false,
    });
    turns.add('c', [], turn(10));
    const print = printOf(prompt, '');
    now = 20;
    expect(turns.retried('c', print, 15)).not.toBeNull();
    expect(turns.retried('c', print, 5)).toBeNull();
    expect(turns.retried('another', print, 15)).toBeNull();
    now = 400_000;
    expect(turns.retried('c', print, now)).toBeNull();
    turns.add('c', [], turn(now));
    turns.add('c', [], turn(now));
    expect(turns.retried('c', print, now)).toBeNull();
  });
});

describe('a call of a tool', () => {
  const tools: ToolDefinition[] = [
    {
      type: 'function',
      function: {
        name: 'book',
        parameters: {
          type: 'object',
          required: ['day'],
          additionalProperties: false,
          properties: {
            day: { type: 'string', enum: ['mon', 'tue'] },
            seats: { type: ['integer', 'null'] },
            names: { type: 'array', items: { type: 'string' } },
          },
        },
      },
    },
  ];
  const isBad = (text: string, name = 'book'): boolean =>
    isBadCall({ id: '1', type: 'function', function: { name, arguments: text } }, tools);

  it.each(['{"day":"mon"}', '{"day":"tue","seats":null,"names":["a"]}'])('is good: %s', (text) => {
    expect(isBad(text)).toBe(false);
  });

  it.each([
    '{"day":',
    '',
    '[]',
    '{}',
    '{"day":"sun"}',
    '{"day":"mon","seats":1.5}',
    '{"day":"mon","names":[1]}',
    '{"day":"mon","__proto__":1}',
    '{"day":"mon","more":1}',
  ])('is bad: %s', (text) => {
    expect(isBad(text)).toBe(true);
  });

  it('is bad if no such tool was offered', () => {
    expect(isBad('{"day":"mon"}', 'other')).toBe(true);
  });

  it('has failed if its result says so', () => {
    for (const text of ['Error: no', '{"error":"x"}', '{"isError":true}', '{"success":false}'])
      expect(isErrorResult(text)).toBe(true);
    for (const text of ['{"error":null,"rows":[]}', 'No errors found.', '{"a":', ''])
      expect(isErrorResult(text)).toBe(false);
  });
});

describe('signals', () => {
  const dayMs = 86_400_000;
  const signal = (changes: Partial<NewLesson> = {}): NewLesson => ({
    cause: 'retry',
    key: 'k',
    subject: '',
    weight: 0.1,
    model: 'a',
    kinds: null,
    predicted: 0.8,
    score: 0,
    at: 0,
    ...changes,
  });
  const weightOf = ({ lessons }: OnlineState): number =>
    lessons.reduce((sum, { weight }) => sum + weight, 0);
  const many = (times: number, one: (at: number) => NewLesson): OnlineState =>
    Array.from({ length: times }, (_, at) => one(at)).reduce(withLesson, nothingLearned);
  const moveOf = (state: OnlineState): number =>
    learnedMoves(state, 'r', 0).models.get('a')?.odds[0] ?? 0;

  it('of a key count for half a rating a day at most, each for a tenth of one', () => {
    expect(weightOf(many(100, () => signal()))).toBeCloseTo(0.5, 9);
    expect(weightOf(many(100, (at) => signal({ key: `k${at % 2}` })))).toBeCloseTo(1, 9);
    expect(weightOf(many(100, (at) => signal({ at: (at % 4) * dayMs })))).toBeCloseTo(2, 9);
    expect(weightOf(many(1, () => signal({ weight: 1 })))).toBeCloseTo(0.1, 9);
  });

  it('of many days by one key move a model less than a few ratings', () => {
    const signals = many(200, (at) => signal({ at: -Math.floor(at / 5) * dayMs }));
    const ratings = many(4, () => signal({ cause: 'rating', weight: 1 }));
    expect(moveOf(signals)).toBeGreaterThanOrEqual(moveOf(ratings));
    expect(Math.abs(moveOf(many(5, () => signal())))).toBeLessThan(0.05);
  });
});
