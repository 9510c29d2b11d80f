import { describe, expect, it } from 'vitest';
import type { Evaluation } from '../run-evaluation.js';
import type { Estimate } from '../../../src/chooser/training/custom/bootstrap.js';
import type { MethodFigures, Verdict } from '../judge.js';
import type { FamilyResult } from '../tasks.js';
import { rowsToPass } from '../report/family-tables.js';
import { asJson } from '../report/json.js';
import { placeLabels } from '../report/place-labels.js';
import { plotOf } from '../report/plot.js';
import { reportTables } from '../report/report-tables.js';
import { asMarkdown, asText } from '../report/tables.js';
import {
  differenceWithInterval,
  formatDifference,
  shareWithInterval,
} from '../report/format-figures.js';

const about = (value: number, spread = 0.01): Estimate => ({
  value,
  low: value - spread,
  high: value + spread,
});

function verdictWith(router: MethodFigures): Verdict {
  const curve = [
    { cost: 0.001, score: 0.5 },
    { cost: 0.01, score: 0.8 },
  ];
  const oracle = { accuracy: about(0.9) },
    forest = { accuracy: about(0.8), gain: about(0.005), costOfBest: about(0.5) };
  return {
    name: 'made up',
    rows: 1000,
    singles: [
      { model: 'small & cheap', cost: 0.001, score: 0.5 },
      { model: 'large', cost: 0.02, score: 0.79 },
    ],
    methods: { router, 'random forest': forest, oracle },
    curves: { router: curve, 'random forest': curve },
  };
}

function familyWith(family: string, overZero: Estimate, curve: readonly number[]): FamilyResult {
  const points = curve.map((value, at) => ({
    rows: [0, 50, 200, 500][at]!,
    accuracy: 0.5,
    gain: value,
    aiq: 0.5,
    overZero: value,
    overKnownZero: value,
  }));
  return {
    family,
    verdicts: [verdictWith({})],
    means: { router: { overZero, calibration: about(0.05), gain: about(-0.01) } },
    curve: { name: `${family} (made up)`, points },
    online: null,
  };
}

const good: Evaluation = {
  inDistribution: [
    verdictWith({
      accuracy: about(0.82),
      gain: about(0.03),
      aiq: about(0.8),
      costOfBest: about(0.2),
      apgr: about(0.96),
      apgrLater: about(0.97),
      calibration: about(0.02),
    }),
  ],
  families: [
    familyWith('one', about(0.05), [-0.01, 0.01, 0.02]),
    familyWith('two', about(0.02), [0.01, 0.02, 0.03]),
  ],
  stability: { prompts: 10, byDefault: { case: 0.9 }, byCost: { case: 0.8 } },
  decisionMicros: 100,
};
const poor: Evaluation = {
  inDistribution: [
    verdictWith({
      accuracy: about(0.8),
      gain: about(0.005),
      aiq: about(0.8),
      costOfBest: { value: 0.9, low: 0.5, high: Infinity },
      apgr: about(0.8),
      apgrLater: about(0.7),
      calibration: about(0.1),
    }),
  ],
  families: [
    familyWith('one', about(-0.05), [-0.01, 0.01, -0.02]),
    familyWith('two', about(0.005), [-0.01, -0.02, 0.03]),
  ],
  stability: { prompts: 10, byDefault: { case: 0.5 }, byCost: { case: 0.4 } },
  decisionMicros: 1000,
};

describe('the report', () => {
  it('says which goals were reached', () => {
    const [summary] = reportTables(good, []);
    expect(summary!.rows.map(([, , , verdict]) => verdict)).toEqual(
      Array.from({ length: 10 }, () => 'reached'),
    );
    expect(asText([summary!])).toContain('10 of 10 goals were reached');
  });

  it('says plainly which goals were not reached', () => {
    const [summary] = reportTables(poor, ['a note']);
    expect(summary!.rows.map(([, , , verdict]) => verdict)).toEqual([
      ...Array.from({ length: 6 }, () => 'not reached'),
      'reached',
      ...Array.from({ length: 3 }, () => 'not reached'),
    ]);
    expect(summary!.notes).toContain('a note');
  });

  it('does not count an accuracy whose interval contains 0, and names a cost that is never reached', () => {
    const text = asText(reportTables(poor, []));
    expect(text).toMatch(
      /accuracy over the best single model +interval above 0 +\+0\.0050 \(−0\.0050 to \+0\.0150\) +not reached/,
    );
    expect(text).toContain('90 % (50 to never)');
  });

  it('counts families above, within and below', () => {
    expect(asMarkdown(reportTables(poor, []), 3)).toContain(
      'The router: above in 0, within its interval in 1, below in 1.',
    );
  });

  it('says not measured if a figure is missing', () => {
    const [summary] = reportTables(
      {
        ...poor,
        inDistribution: [verdictWith({})],
        families: [],
        stability: null,
        decisionMicros: null,
      },
      [],
    );
    expect(summary!.rows.every(([, , , verdict]) => verdict === 'not measured')).toBe(true);
  });

  it('counts the rows from which on a curve stays above 0', () => {
    expect(familyWith('x', about(0), [-0.01, 0.01, 0.02]).curve).toSatisfy(
      (curve: NonNullable<FamilyResult['curve']>) => rowsToPass(curve, 'overZero') === 50,
    );
    expect(familyWith('x', about(0), [-0.01, 0.01, -0.02]).curve).toSatisfy(
      (curve: NonNullable<FamilyResult['curve']>) => rowsToPass(curve, 'overZero') === null,
    );
    expect(familyWith('x', about(0), [0.01, 0.01]).curve).toSatisfy(
      (curve: NonNullable<FamilyResult['curve']>) => rowsToPass(curve, 'gain') === 0,
    );
  });

  it('writes an infinite cost as "never" in JSON', () => {
    expect(JSON.parse(asJson({ a: Infinity, b: NaN, c: Float64Array.from([1, 2]) }))).toEqual({
      a: 'never',
      b: null,
      c: [1, 2],
    });
  });

  it('writes no sign before zero and no interval around a certain figure', () => {
    expect([-0.00001, 0.00001, -0.2, 0.2].map(formatDifference)).toEqual([
      '0.0000',
      '0.0000',
      '−0.2000',
      '+0.2000',
    ]);
    expect(differenceWithInterval({ value: 0, low: -0.00001, high: 0 })).toBe('0.0000');
    expect([
      shareWithInterval({ value: Infinity, low: Infinity, high: Infinity }),
      shareWithInterval({ value: Infinity, low: 0.9, high: Infinity }),
      shareWithInterval(undefined),
    ]).toEqual(['never', 'never (90 to never)', '–']);
  });

  it('aligns columns', () => {
    const [title, rule, head, line, ...rows] = asText([
      {
        title: 'T',
        notes: [],
        head: ['a', 'b'],
        rows: [
          ['long one', '1'],
          ['x', '−2'],
        ],
      },
    ]).split('\n');
    expect([title, rule, head, line]).toEqual(['T', '=', 'a          b', '--------   --']);
    expect(rows.slice(0, 2)).toEqual(['long one   1', 'x          −2']);
  });
});

describe('the plot', () => {
  it('draws curves and models, escapes names and follows light and dark pages', () => {
    const svg = plotOf(good.inDistribution[0]!);
    expect(svg).toContain('small &amp; cheap');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg.match(/<path class="curve/g)).toHaveLength(2);
    expect(svg).toContain('0.900');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('draws models of equal cost without any curve', () => {
    const svg = plotOf({
      ...good.inDistribution[0]!,
      curves: {},
      singles: [
        { model: 'one', cost: 0.001, score: 0.5 },
        { model: 'two', cost: 0.001, score: 0.5 },
      ],
    });
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('places the labels of close points without overlap', () => {
    const points = Array.from({ length: 6 }, (_, at) => ({
      x: 200 + 9 * at,
      y: 150 + 4 * at,
      text: `model ${at}`,
    }));
    const labels = placeLabels(
      points,
      [],
      { x: 0, y: 0, width: 500, height: 400 },
      { height: 14, characterWidth: 6 },
    );
    const overlaps = labels.flatMap((a, at) =>
      labels
        .slice(at + 1)
        .filter(
          (b) =>
            a.x < b.x + b.width &&
            b.x < a.x + a.width &&
            a.y < b.y + b.height &&
            b.y < a.y + a.height,
        ),
    );
    expect(overlaps).toEqual([]);
  });
});
