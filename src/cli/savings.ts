import { savingsOf } from '../chooser/chooser.js';
import type { ChoiceGrouping } from '../store/contracts/choices.js';
import type { Store } from '../store/contracts/store.js';
import { filterOf, type ReportOptions } from './reports.js';
import { tableOf } from './table.js';

const dayMs = 86_400_000;
const defaultDays = 30;
const groupings: readonly ChoiceGrouping[] = ['preference', 'key', 'model'];

/** What `signalbox savings` may be asked for. */
export type SavingsOptions = Pick<ReportOptions, 'account' | 'key' | 'from' | 'to'> & {
  readonly by?: string;
};

/**
 * `signalbox savings`: what choosing has saved, against always calling each candidate,
 * and what prompt caches have saved.
 * @throws Error for an unknown grouping, account or date
 */
export async function savingsCommand(store: Store, options: SavingsOptions): Promise<string> {
  const by = groupings.find((known) => known === options.by) ?? null;
  if (options.by !== undefined && by === null)
    throw new Error(`--by: must be one of ${groupings.join(', ')}`);
  const filter = await filterOf(store, options);
  const to = filter.to ?? Date.now() + 1;
  const from = filter.from ?? to - defaultDays * dayMs;
  if (from >= to) throw new Error('--from: must be before --to');
  const savings = await savingsOf(store, { ...filter, from, to }, by);
  const groups = savings.groups.map(({ preferenceId, keyId, model, ...receipt }) => [
    preferenceId ?? keyId ?? model ?? '(none)',
    receipt.choices,
    dollars(receipt.spentUsd),
    receipt.best?.model ?? '',
    dollars(receipt.best?.savedUsd ?? null),
    points(receipt.best?.qualityGivenUp ?? null),
  ]);
  return [
    savings.candidates.length === 0 ? '' : `${tableOf(titles, savings.candidates.map(rowOf))}\n`,
    groups.length === 0
      ? ''
      : `${tableOf([by ?? '', 'choices', 'USD', 'best', 'saved', 'given up'], groups)}\n`,
    `${savings.from} to ${savings.to}: ${savings.summary}\n`,
    ...[savings.spentReason].flatMap((reason) => (reason === null ? [] : [`Note: ${reason}.\n`])),
  ].join('');
}

type Alternative = Awaited<ReturnType<typeof savingsOf>>['candidates'][number];
type Figure = Alternative['quality'];

const titles = ['always calling', 'possible', 'chosen', 'USD', 'saved', '95 %', 'quality', '95 %'];

function rowOf(one: Alternative): (string | number | null)[] {
  return [
    one.model,
    one.candidateIn,
    one.chosenIn,
    dollars(one.alwaysUsd),
    dollars(one.savedUsd),
    one.savedUsd === null ? (one.reason ?? '') : interval(one.savedUsd, cents),
    points(one.quality),
    interval(one.quality, hundredths),
  ];
}

const unknown = 'unknown';
const cents = (usd: number): string => usd.toFixed(Math.abs(usd) < 1 ? 4 : 2);
const hundredths = (share: number): string => (100 * share).toFixed(1);
const dollars = (figure: Figure | null): string => (figure ? cents(figure.value) : unknown);
const points = (figure: Figure | null): string => (figure ? hundredths(figure.value) : unknown);
const interval = ({ low, high }: Figure, show: (value: number) => string): string =>
  `${show(low)} to ${show(high)}`;
