import { describe, expect, it } from 'vitest';
import {
  type EvaluationRows,
  FileProblem,
} from '../../../../src/chooser/training/custom/evaluation-rows.js';
import {
  readEvaluations,
  type ReadOptions,
} from '../../../../src/chooser/training/custom/read-evaluations.js';

const read = (text: string, options: Partial<ReadOptions> = {}): EvaluationRows =>
  readEvaluations(text, { format: 'csv', promptColumn: 'prompt', models: null, ...options });
const rows = (line: (row: number) => string, count = 60): string =>
  Array.from({ length: count }, (_, row) => line(row)).join('\n');
const jsonl = (row: (at: number) => object): string => rows((at) => JSON.stringify(row(at)));
const scoresOf = ({ models, scores }: EvaluationRows, model: string): (number | null)[] => {
  const place = models.indexOf(model);
  return Array.from(
    scores.filter((_, at) => at % models.length === place),
    (score) => (Number.isNaN(score) ? null : score),
  );
};

describe('evaluations of an evaluation set', () => {
  const lineOf = (at: number): object => ({
    prompt: `Set ${at}`,
    scores: { a: 1, c: 0.5 },
    costs: { c: 0.25 },
  });
  const set = `${jsonl(lineOf)}\n`;

  it('are read alone, or before the rows of a file, with the models of both', () => {
    const alone = read(set, { collectedLength: set.length });
    expect([alone.models, alone.prompts.length]).toEqual([['a', 'c'], 60]);
    const file = `prompt,a,b\n${rows((row) => `File ${row},0,1`)}`;
    const both = read(set + file, { collectedLength: set.length });
    expect(both.prompts[0]).toBe('Set 0');
    expect(both.prompts[60]).toBe('File 0');
    const first = (model: string): (number | null)[] => {
      const scores = scoresOf(both, model);
      return [scores[0]!, scores[60]!];
    };
    expect([first('a'), first('b'), first('c')]).toEqual([
      [1, 0],
      [null, 1],
      [0.5, null],
    ]);
    expect(both.costs?.filter((cost) => !Number.isNaN(cost))).toHaveLength(60);
  });
});

describe('evaluations as CSV', () => {
  it('may begin with a byte order mark, have Windows line ends and quoted cells', () => {
    const text =
      `\ufeffprompt,"a",b\n${rows((row) => `"Say ""hi"", ${row}\nand go",1,0`)}\nLast,,0.5\n`.replaceAll(
        '\n',
        '\r\n',
      );
    const { models, prompts, scores } = read(text);
    expect([models, prompts.length, prompts[3]]).toEqual([['a', 'b'], 61, 'Say "hi", 3\r\nand go']);
    expect(Array.from(scores.slice(-4))).toEqual([1, 0, NaN, 0.5]);
  });

  it('may name models like properties that every object inherits', () => {
    expect(read(`prompt,__proto__,constructor\n${rows((row) => `Hi ${row},1,0`)}`).models).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  it.each([
    [
      'more columns than there can be models',
      () => `prompt,${Array.from({ length: 200_000 }, (_, at) => `m${at}`).join(',')}\n`,
      'columns',
    ],
    [
      'a name that is a text',
      () => `prompt,a,${'b'.repeat(500_000)}\n${rows((row) => `Hi ${row},1,0`)}`,
      'column',
    ],
    [
      'too many rows',
      () => `prompt,a,b\n${rows(() => 'x,1,0', 100_001)}`,
      'more than 100,000 rows',
    ],
  ])('are refused for %s', { timeout: 60_000 }, (_, text, message) => {
    let problem: unknown;
    try {
      read(text());
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(FileProblem);
    expect(String(problem)).toContain(message);
  });

  it('are refused with a short quote of a cell that is not a number', () => {
    const text = `prompt,a,b\n${rows((row) => `Hi ${row},1,0`)}\nHi,${'secret '.repeat(100)},1`;
    expect(() => read(text)).toThrow(/^line 62: column "a": "[^"]{0,41}" is not a number/);
  });
});

describe('evaluations as lines of JSON', () => {
  const lines = { format: 'jsonl' } as const;

  it('may omit a model that is named like a property that every object inherits', () => {
    const known = read(
      jsonl((at) => ({
        prompt: `Hi ${at}`,
        a: 1,
        ...(at % 2 === 0 ? { constructor: 0, toString: 1 } : {}),
      })),
      lines,
    );
    expect(scoresOf(known, 'constructor').slice(0, 2)).toEqual([0, null]);
    expect(scoresOf(known, 'toString').slice(0, 2)).toEqual([1, null]);
  });

  it('ignore costs and latencies of models without a score', () => {
    const text = jsonl((at) => ({
      prompt: `Hi ${at}`,
      scores: { a: 1, b: at % 2 },
      costs: { a: 0.01, c: 0.02 },
      latencies: { a: 1, c: 12 },
    }));
    const { models, scores } = read(text, lines);
    expect(models).toEqual(['a', 'b']);
    expect(Math.max(...scores)).toBe(1);
  });

  it.each([
    [
      'a list ten thousand levels deep',
      () => `{"prompt":"Hi","a":${'['.repeat(10_000)}${']'.repeat(10_000)},"b":0}`,
      'line 61: column "a"',
    ],
    [
      'an object in the place of a number',
      () => '{"prompt":"Hi","a":{"secret":1},"b":0}',
      'line 61: column "a"',
    ],
    [
      'costs that are a text',
      () => `{"prompt":"Hi","scores":{"a":1,"b":0},"costs":"${'x'.repeat(1_000_000)}"}`,
      'line 61',
    ],
    ['scores that are a list', () => '{"prompt":"Hi","scores":[1,0]}', 'line 61'],
  ])('are refused for %s', (_, last, message) => {
    const text = `${jsonl((at) => ({ prompt: `Hi ${at}`, a: 1, b: 0 }))}\n${last()}`;
    expect(() => read(text, lines)).toThrow(FileProblem);
    expect(() => read(text, lines)).toThrow(message);
  });
});
