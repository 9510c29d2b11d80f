import { describe, expect, it } from 'vitest';
import { abilityTable, fitWithFamilies } from '../abilities/ability-table.js';
import { fitAbilities } from '../abilities/fit-abilities.js';
import type { PublishedResults, Result } from '../abilities/published-results.js';
import { effortLevel, measuredBy, measuredByTask } from '../abilities/result-kinds.js';
import { createRandomStream } from '../random.js';

/** Results of models of known abilities on columns of different levels and slopes. */
function invented(models: number): { published: PublishedResults; truth: number[] } {
  const stream = createRandomStream(7);
  const random = (): number => stream.next();
  const noise = (): number => (random() + random() + random() - 1.5) * 0.2;
  const truth = Array.from({ length: models }, () => 4 * random() - 2);
  const columns = Array.from({ length: 12 }, (_, at) => ({
    name: `test ${at}`,
    source: at < 6 ? 'arena' : 'arena-other',
    kind: at % 3 === 0 ? 'coding' : null,
    language: null,
  }));
  const results: Result[] = truth.flatMap((ability, model) =>
    columns.flatMap((_, column) => {
      // the better a model, the fewer of the first columns it was tested on
      if (random() < (column < 6 ? 0.3 + ability / 10 : 0.3)) return [];
      const slope = column < 6 ? 0.5 : 2;
      const value = column / 4 + slope * (ability + noise());
      return [{ column, model: `maker/m${model}`, effort: '', value, error: 0 }];
    }),
  );
  return { published: { columns, results }, truth };
}

describe('abilities', () => {
  it('come out of columns with other levels and slopes in the order that they have', () => {
    const { published, truth } = invented(60);
    const { models } = fitAbilities(published);
    const pairs = models.flatMap((one) => models.map((other) => ({ one, other })));
    const real = (model: string): number => truth[Number(model.slice('maker/m'.length))]!;
    const clear = pairs.filter(({ one, other }) => real(one.model) > real(other.model) + 0.4);
    const right = clear.filter(({ one, other }) => one.ability > other.ability);
    expect(right.length / clear.length).toBeGreaterThan(0.99);
  });

  it('of few results are nearer to the usual and less sure', () => {
    const { published } = invented(60);
    const as = (name: string, columns: number[]): Result[] =>
      columns.map((column) => ({
        column,
        model: `maker/${name}`,
        effort: '',
        value: column / 4 + 2 * 2.5,
        error: 4,
      }));
    const results = [
      ...published.results,
      ...as('new', [11]),
      ...as('known', [6, 7, 8, 9, 10, 11]),
    ];
    const { models } = fitAbilities({ ...published, results });
    const [fresh, known] = ['maker/new', 'maker/known'].map((name) =>
      models.find(({ model }) => model === name)!,
    );
    expect(fresh!.error).toBe(Math.max(...models.map(({ error }) => error)));
    expect(fresh!.ability).toBeGreaterThan(0);
    expect(fresh!.ability).toBeLessThan(known!.ability - 0.1);
  });

  it('of a proposed revision of a repository are not shipped: its name would be the number 6', () => {
    const { published } = invented(20);
    const model = 'maker/m0@refs/pr/6';
    const results = published.results.map((one) =>
      one.model === 'maker/m0' ? { ...one, model } : one,
    );
    const fitted = fitAbilities({ ...published, results });
    expect(fitted.models.map((one) => one.model)).toContain(model);
    const families = { constant: 0, factor: 1, error: 0.3 };
    const { models } = abilityTable(fitted, families, '2026-07', '');
    expect(Object.keys(models)).toHaveLength(19);
    expect(Object.keys(models).filter((name) => !/[a-z]/.test(name))).toEqual([]);
  });

  it('are the same each time', () => {
    const { published } = invented(30);
    const [one, other] = [1, 2].map(() => JSON.stringify(fitAbilities(published)));
    expect(one).toBe(other);
  });
});

describe('abilities for a kind of task', () => {
  const kinds = ['coding', 'mathematics', 'writing', null];
  const columns = kinds.flatMap((kind) =>
    [1, 2, 3].map((at) => ({ name: `${kind} ${at}`, source: 'arena', kind, language: null })),
  );
  /** Models that are technical by so much, in steps; each has no results of one kind. */
  const models = Array.from({ length: 40 }, (_, at) => ({
    model: `openai/gpt-${at}-test`,
    ability: (at % 8) / 2 - 2,
    technical: (at % 5) / 4 - 0.5,
    without: kinds[at % 4],
  }));
  const results = models.flatMap(({ model, ability, technical, without }) =>
    columns.flatMap(({ kind }, column): Result[] => {
      if (kind === without) return [];
      const factor = kind === null ? 0 : kind === 'writing' ? -1 : 1;
      const value = ability + factor * technical + column / 10;
      return [{ column, model, effort: '', value, error: 0.05 }];
    }),
  );
  const { fitted, families } = fitWithFamilies({ columns, results });
  const table = abilityTable(fitted, families, '', '').models;
  const kindOf = (model: string, kind: string): number | undefined =>
    table[model.slice('openai/'.length)]?.kinds?.[kind]?.[0];

  it('are surer of a kind with results than of one that related kinds tell', () => {
    const errorOf = (kind: string, isTold: boolean): number =>
      Math.min(
        ...models
          .filter(({ without }) => (without === kind) === isTold)
          .flatMap(({ model }) => table[model.slice('openai/'.length)]?.kinds?.[kind]?.[1] ?? []),
      );
    for (const kind of ['mathematics', 'writing']) {
      expect(errorOf(kind, false)).toBeGreaterThan(0);
      expect(errorOf(kind, true)).toBeGreaterThan(errorOf(kind, false) + 0.05);
    }
  });

  it.each([
    ['mathematics', 1],
    ['writing', -1],
  ])('follow for %s from results in related kinds', (kind, sign) => {
    const told = models.filter(({ without }) => without === kind);
    for (const { model, technical } of told.filter((one) => Math.abs(one.technical) > 0.4))
      expect(sign * technical * kindOf(model, kind)!).toBeGreaterThan(0.03);
  });

  it('are written where results say that nothing is particular, and not where there are none', () => {
    const [usual] = models.filter((one) => one.technical === 0 && one.without === 'coding');
    expect(Math.abs(kindOf(usual!.model, 'writing')!)).toBeLessThan(0.1);
    expect(kindOf(usual!.model, 'vision')).toBeUndefined();
  });
});

describe('a published column', () => {
  it.each([
    ['livebench', 'Coding/code_completion', { kind: 'coding', language: null }],
    ['livebench', 'Coding', null],
    ['euroeval', 'german/Knowledge/mmlu_de', { kind: 'knowledge', language: 'germanic' }],
    ['arena-catalog', 'text_japanese', { kind: null, language: 'eastAsian' }],
    ['arena-catalog', 'text_overall', { kind: null, language: null }],
    ['lmarena-2026-05', 'search_overall', null],
  ])('of %s, %s, measures a kind of task, a language, or nothing', (source, category, measured) => {
    expect(measuredBy(source, category)).toEqual(measured);
  });

  it('of scored prompts measures what its task is', () => {
    expect(measuredByTask('textclass:policy_DA')).toEqual({
      kind: 'classification',
      language: 'germanic',
    });
    expect(measuredByTask('nobody:nothing')).toBeNull();
  });

  it.each([
    ['thinking-32k', 'high'],
    ['no-thinking', 'none'],
    ['xhigh-effort', 'xhigh'],
    ['medium;medium', 'medium'],
    ['agent:droid', ''],
  ])('at the effort %s is at the level %j', (written, level) => {
    expect(effortLevel(written)).toBe(level);
  });
});
