import { efforts, type ReasoningEffort } from '../../../src/completion.js';
import type { ReasoningTokens } from '../../../src/models/model-tables.js';
import type { PublishedLength, PublishedLengths } from './published-lengths.js';

/** Efforts that reason, and how far apart they are in steps of effort. */
const levels = efforts.slice(1);
const steps = [0, 1, 2, 3, 4, 4.5];
/** Without a measured one, the growth of a maker's models counts as one more model's. */
const priorModels = 1;
/** Tokens of the program in an answer to a programming exercise; of models that do not reason. */
const exerciseProgram = 900;
/** What a source says of an answer without reasoning, although its model reasons. */
const leastReasoning = 100;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/** The effort of a published setting; `usual` where it names none. */
function effortOf(written: string): ReasoningEffort | 'usual' {
  const named = written.split(';').find((part) => efforts.some((effort) => effort === part));
  return efforts.find((effort) => effort === named) ?? 'usual';
}

/** The place in `levels` of a published setting that reasons. */
function levelNamed(written: string): number {
  const named = effortOf(written);
  return levels.indexOf(named === 'usual' ? 'medium' : named);
}

interface Line {
  readonly model: string;
  readonly maker: string;
  readonly visible: number;
  /** By place in `levels`: measured reasoning tokens. */
  readonly measured: ReadonlyMap<number, number>;
}

/** A setting that was called `none` but reasons is the least that the model does. */
function levelOf({ effort, reasoning }: PublishedLength): number {
  const named = effortOf(effort);
  if (named === 'usual') return (reasoning ?? 0) > leastReasoning ? levels.indexOf('medium') : -1;
  if (named !== 'none') return levels.indexOf(named);
  return (reasoning ?? 0) > leastReasoning ? levels.indexOf('low') : -1;
}

function lineOf(rows: readonly PublishedLength[]): Line {
  const { model, maker } = rows[0]!;
  const plain = rows.filter((row) => levelOf(row) < 0);
  const visible = mean(
    (plain.length > 0 ? plain : rows).map(
      ({ completion, reasoning }) => completion - (reasoning ?? 0),
    ),
  );
  const byLevel = grouped(
    rows.filter((row) => levelOf(row) >= 0),
    levelOf,
  );
  const measured = new Map(
    [...byLevel].map(([level, group]) => [
      level,
      // some providers count less reasoning than they charge for
      mean(
        group.map(({ completion, reasoning }) => Math.max(reasoning ?? 0, completion - visible, 1)),
      ),
    ]),
  );
  return { model, maker, visible, measured };
}

/**
 * How much the logarithm of a model's reasoning grows with one step of effort.
 * @param measured by place in `levels`: tokens
 */
function growthOf(measured: ReadonlyMap<number, number>): number | null {
  if (measured.size < 2) return null;
  const points = [...measured].map(([level, tokens]) => [steps[level]!, Math.log(tokens)] as const);
  const x = mean(points.map(([step]) => step)),
    y = mean(points.map(([, tokens]) => tokens));
  const square = points.reduce((sum, [step]) => sum + (step - x) ** 2, 0);
  return Math.max(
    0,
    points.reduce((sum, [step, tokens]) => sum + (step - x) * (tokens - y), 0) / square,
  );
}

function growthByMaker(lines: readonly Line[]): (maker: string) => number {
  const known = lines.flatMap((line) => {
    const growth = growthOf(line.measured);
    return growth === null ? [] : [{ maker: line.maker, growth }];
  });
  const general = known.length > 0 ? mean(known.map(({ growth }) => growth)) : 0;
  return (maker) => {
    const own = known.filter((one) => one.maker === maker);
    const sum = own.reduce((all, { growth }) => all + growth, 0);
    return (sum + priorModels * general) / (own.length + priorModels);
  };
}

/**
 * The growth of models whose answers to programming exercises were counted at several efforts. It is
 * their own: a maker's later models differ more from one effort to the next.
 */
function growthOnExercises({ exercises }: PublishedLengths): ReadonlyMap<string, number> {
  const byModel = grouped(
    exercises.filter(({ completion }) => completion > exerciseProgram),
    ({ model }) => model,
  );
  return new Map(
    [...byModel].flatMap(([model, rows]) => {
      const growth = growthOf(
        new Map(rows.map((row) => [levelNamed(row.effort), row.completion - exerciseProgram])),
      );
      return growth === null ? [] : [[model, growth]];
    }),
  );
}

/** Reasoning tokens at every level: between measured ones in proportion, beyond them by growth. */
function tokensOf({ measured }: Line, growth: number): number[] {
  if (measured.size === 0) return [];
  const points = [...measured].sort(([a], [b]) => a - b);
  const tokens = levels.map((_, level) => {
    const below = points.findLast(([at]) => at <= level),
      above = points.find(([at]) => at >= level);
    if (below && above) {
      const width = steps[above[0]]! - steps[below[0]]!;
      const share = width === 0 ? 0 : (steps[level]! - steps[below[0]]!) / width;
      return Math.round(below[1] ** (1 - share) * above[1] ** share);
    }
    const [at, known] = (below ?? above)!;
    return Math.round(known * Math.exp(growth * (steps[level]! - steps[at]!)));
  });
  // few questions were asked: chance turns some levels round
  return tokens.map((_, level) => Math.max(...tokens.slice(0, level + 1)));
}

/**
 * How much more models reason about a programming exercise than about a question, at efforts that
 * both were counted at.
 */
function harderOf({ exercises }: PublishedLengths, lines: readonly Line[]): number {
  const logs = exercises.flatMap(({ model, effort, completion }) => {
    const line = lines.find((one) => one.model === model);
    const known = line?.measured.get(levelNamed(effort));
    if (known === undefined || /no.?think/.test(effort)) return [];
    return completion > exerciseProgram ? [Math.log((completion - exerciseProgram) / known)] : [];
  });
  return logs.length > 0 ? Math.exp(mean(logs)) : 1;
}

/** How many tokens models reason for and write, by model and effort, from published counts. */
export function fitReasoningTokens(
  published: PublishedLengths,
): Pick<ReasoningTokens, 'models' | 'harder'> {
  const named = published.answers.filter(({ maker }) => maker !== 'unknown');
  const lines = [...grouped(named, ({ model }) => model).values()].map(lineOf);
  const growth = growthByMaker(lines),
    own = growthOnExercises(published);
  const models = Object.fromEntries(
    lines
      .sort((a, b) => (a.model < b.model ? -1 : 1))
      .map((line) => [
        line.model,
        {
          visible: Math.round(line.visible),
          tokens: tokensOf(line, own.get(line.model) ?? growth(line.maker)),
        },
      ]),
  );
  return { models, harder: Math.round(harderOf(published, lines) * 100) / 100 };
}
