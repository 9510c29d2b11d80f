import type { ChaosReport } from './run.js';

const shown = 20;

/** A report as a table for a terminal. */
export function printReport(report: ChaosReport): string {
  const { requests, seed, seconds, unfinished, violations } = report;
  const rows: [string, string][] = [
    ['requests', `${requests} with seed ${seed} in ${seconds.toFixed(0)} s`],
    ...counts('ended', report.endings),
    ...counts('status', report.statuses),
    ...counts('broken after content', report.brokenStreams),
    ...counts('provider', report.played),
    ...counts('disturbance', report.disturbances),
    ['confirmed turns', `${report.confirmed}, of which ${report.lookedUp} were looked up`],
    [
      'budget',
      `${report.budgetUsd} USD, billed ${report.billedUsd.toFixed(6)}, counted ${report.countedUsd.toFixed(6)}`,
    ],
    ['violations', `${violations.length}`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const more = [...violations.slice(0, shown), ...unfinished.slice(0, shown)];
  return [...lines, ...more.map((each) => `  ${each}`)].join('\n');
}

const counts = (name: string, of: Readonly<Record<string, number>>): [string, string][] =>
  Object.entries(of)
    .filter(([, count]) => count > 0)
    .map(([key, count]) => [`${name}: ${key}`, `${count}`]);
