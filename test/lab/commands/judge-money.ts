import {
  costDial,
  type Economy,
  economyAt,
  maxEconomy,
} from '../../../src/chooser/rank-by-worth.js';
import { defaults } from '../../../src/config/fill.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';
import { choose } from '../choice/chooser.js';
import { currentPools } from '../choice/current-pools.js';
import { readPublishedEvaluations } from '../fit/published-evaluations.js';
import { byRate, type ChoiceRule, rulesBefore, withinWindow } from '../money/choice-rules.js';
import {
  gradedLabels,
  gradedProblems,
  type GradedPrompts,
  judgeGraded,
} from '../money/judge-graded.js';
import {
  byRule,
  judgeFields,
  judgePeople,
  judgeRewordings,
  shipped,
  type Way,
} from '../money/judge-people.js';
import { asText, type Table } from '../report/tables.js';
import { isOwn, readScaleRows, type ScaleRow } from '../scale/scale-rows.js';
import { type Frontier, plotFrontiers } from '../money/plot-frontier.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically } from './write-file.js';

/** Options of `npm run lab -- money`. */
export interface MoneyOptions {
  readonly data: string | undefined;
  /** The SVG of the frontiers to write; undefined: none. */
  readonly out: string | undefined;
  /** What the default's rule is judged at instead of what is shipped, and the rate of `cost`. */
  readonly terms: Partial<Economy> & { readonly saving?: number };
}

const { economy: dial, tolerance } = defaults.routing;
const rates = [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2];
const windows = [0, 0.01, 0.015, 0.02, 0.03];
const windowsAlone = [0.01, 0.02, 0.03, 0.04, 0.05];
const asked = 330;
const fineRates = [5, 2, 1, 0.7, 0.5, 0.3, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025];
const fineWindows = [0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05, 0.06];

const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });
const ruled = byRule(ranker);

type Rules = readonly (readonly [name: string, rule: ChoiceRule])[];

const told = ({ rate, window }: Economy): string =>
  `rate ${Number(rate.toPrecision(3))}, window ${Number(window.toFixed(3))}`;

/** The rules before, and those by a rate. */
function rulesAt({ saving, ...given }: MoneyOptions['terms']): Rules {
  const usual = { ...economyAt(dial), ...given },
    lower = economyAt(costDial(dial)),
    cheap = { ...lower, ...given, rate: saving ?? lower.rate };
  return [
    ['default before', rulesBefore.default],
    ['cost before', rulesBefore.cost],
    [`default: ${told(usual)}`, byRate(usual, tolerance)],
    [`cost: ${told(cheap)}`, byRate(cheap, tolerance)],
  ];
}

const dials: Rules = Array.from({ length: maxEconomy + 1 }, (_, at) => [
  `economy ${at}: ${told(economyAt(at))}`,
  byRate(economyAt(at), tolerance),
]);

const swept: Rules = [
  ...rates.flatMap((rate) =>
    windows.map((window) => [`rate ${rate}, window ${window}`, byRate({ rate, window })] as const),
  ),
  ...windowsAlone.map((window) => [`window ${window} alone`, withinWindow(window)] as const),
];

const peoplesHead = ['', 'easy', 'middling', 'hard', 'hard, tiny', 'USD', 'quality'];
const notes = [
  'Of 20 conversations, how many go to a frontier model (or a hard one to a tiny model); USD per 1,000 and predicted quality of a mixture of 22 easy, 22 middling and 16 hard ones; 12 models at the prices of the catalogue.',
];

function peoplesLine(name: string, way: Way): string[] {
  const { onFrontier, onTiny, usd, quality } = judgePeople(way);
  return [
    name,
    ...[onFrontier.easy, onFrontier.middling, onFrontier.hard, onTiny.hard].map((one) =>
      one.toFixed(1),
    ),
    usd.toFixed(2),
    quality.toFixed(4),
  ];
}

function peoplesTables(rules: Rules): Table[] {
  const ways = ([null, 'cost', 'latency'] as const).map(
    (tradeoff) => [`shipped: ${tradeoff ?? 'default'}`, shipped(ranker, tradeoff)] as const,
  );
  const known = rules.map(([name, rule]) => [name, ruled(rule)] as const);
  return [
    {
      title: "People's conversations",
      notes,
      head: peoplesHead,
      rows: [...ways, ...known].map(([name, way]) => peoplesLine(name, way)),
    },
    {
      title: 'Conversations of further fields',
      notes: [
        'Of 20, how many go to a frontier model or to a tiny one: 60 easy and 60 hard ones of statistics, insurance, chemistry, logistics, finance and others, in eighteen languages.',
      ],
      head: ['', 'easy', 'hard', 'hard, tiny'],
      rows: ways.map(([name, way]) => {
        const { easyOnFrontier, hardOnFrontier, hardOnTiny } = judgeFields(way);
        return [name, ...[easyOnFrontier, hardOnFrontier, hardOnTiny].map((one) => one.toFixed(1))];
      }),
    },
    rewordingTable([...ways.slice(0, 2), ...known]),
    {
      title: "People's conversations: rate against window",
      notes,
      head: peoplesHead,
      rows: [...dials, ...swept].map(([name, rule]) => peoplesLine(name, ruled(rule))),
    },
  ];
}

function rewordingTable(ways: readonly (readonly [name: string, way: Way])[]): Table {
  const judged = ways.map(([name, way]) => [name, judgeRewordings(way)] as const);
  const names = [...judged[0]![1].keys()];
  const sums = judged.map(([, found]) => {
    const all = [...found.values()];
    const sum = (of: 'count' | 'moved'): number => all.reduce((so, one) => so + one[of], 0);
    return ((asked * sum('moved')) / sum('count')).toFixed(1);
  });
  return {
    title: 'Harmless rewordings that move the choice',
    notes: [`Moved of how many; the last line: of ${asked}.`],
    head: ['', ...judged.map(([name]) => name)],
    rows: [
      ...names.map((one) => [
        one,
        ...judged.map(([, found]) => `${found.get(one)!.moved} of ${found.get(one)!.count}`),
      ]),
      [`of ${asked}`, ...sums],
    ],
  };
}

/** What rules save on published everyday prompts among the models of the mixed pool. */
function savingsTable(rows: readonly ScaleRow[], rules: Rules): Table {
  const pool = currentPools.get('mixed')!;
  const ranked = rows.flatMap(({ tier, task, text }) =>
    tier === null || isOwn(task) ? [] : [choose(ranker, pool, text).map(({ why }) => why)],
  );
  const costs = (rule: ChoiceRule): number[] => ranked.map((one) => one[rule(one)]!.cost!);
  const [before, , usual] = rules.map(([, rule]) => costs(rule));
  const saved = (own: readonly number[], than: readonly number[]): string =>
    `${((100 * own.reduce((sum, one, at) => sum + 1 - one / than[at]!, 0)) / own.length).toFixed(0)} %`;
  return {
    title: 'Saved on everyday prompts, mixed pool',
    notes: ['Of the expected cost, the mean over prompts.'],
    head: ['rule', 'against the default before', 'against the default by the rate'],
    rows: rules.map(([name, rule]) => [
      name,
      saved(costs(rule), before!),
      saved(costs(rule), usual!),
    ]),
  };
}

/** The frontiers of rules on graded answers: what each costs and reaches. */
const frontiersOf = (prompts: GradedPrompts['toJudge']): Frontier[] => {
  const reached = (label: string, rules: readonly ChoiceRule[]): Frontier => ({
    label,
    verdicts: rules.map((rule) => judgeGraded(prompts, rule)),
  });
  const { window } = economyAt(dial);
  return [
    reached(
      `a rate, with a window of ${window}`,
      fineRates.map((rate) => byRate({ rate, window })),
    ),
    reached(
      'a rate alone',
      fineRates.map((rate) => byRate({ rate, window: 0 })),
    ),
    reached('a window alone', fineWindows.map(withinWindow)),
  ];
};

const problems =
  'programs, tool calls and mathematics, twelve models of 2024 at the list prices of then';
const labels = 'classification, eleven models of 2025 at list prices';

function gradedTable(
  what: string,
  half: string,
  prompts: GradedPrompts['toJudge'],
  rules: Rules,
): Table {
  const lines = rules.map(([name, rule]) => [name, judgeGraded(prompts, rule)] as const);
  const before = judgeGraded(prompts, rulesBefore.default);
  return {
    title: `Graded answers, the half to ${half}`,
    notes: [
      `${prompts.length} prompts of ${what}; predictions were fitted to them. True accuracy with its standard error, USD per 1,000.`,
    ],
    head: ['rule', 'accuracy', 'error', 'USD', 'of the default before'],
    rows: lines.map(([name, { accuracy, error, usd }]) => [
      name,
      accuracy.toFixed(4),
      error.toFixed(4),
      usd.toFixed(3),
      `${((100 * usd) / before.usd).toFixed(0)} %`,
    ]),
  };
}

/**
 * Prints what choices cost and are worth: by the shipped rules, by those before, and by a rate.
 * @throws Error for people
 */
export async function printMoney({ data, out, terms }: MoneyOptions): Promise<string> {
  const folder = evaluationsFolder('money', data);
  const rules = rulesAt(terms);
  const rows = readScaleRows(folder);
  const sets = [
    [problems, gradedProblems(ranker, readPublishedEvaluations(folder))],
    [labels, gradedLabels(ranker, rows)],
  ] as const;
  if (out !== undefined) {
    const all = sets[0][1];
    const frontiers = frontiersOf([...all.toChoose, ...all.toJudge]);
    await writeAtomically(
      out,
      plotFrontiers('A rate beside a window: programs, tool calls, mathematics', frontiers),
    );
  }
  return asText([
    ...peoplesTables(rules),
    savingsTable(rows, rules),
    ...sets.map(([what, { toJudge }]) =>
      gradedTable(what, 'judge by', toJudge, [...rules, ...dials]),
    ),
    ...sets.map(([what, { toChoose }]) =>
      gradedTable(what, 'choose by: rate against window', toChoose, [
        ...rules.slice(0, 2),
        ...swept,
      ]),
    ),
  ]);
}
