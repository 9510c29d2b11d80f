import { Progress, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read, readAll } from '../../api/queries.js';
import type { Schema } from '../../api/schema.js';
import { Note } from '../../components/elements.js';
import { formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { type ApiKey, forecastOf } from './key-terms.js';

const text = texts.keys;

type UsageRow = Schema<'UsageResponse'>['items'][number];

/**
 * Sums by the id of a key, `''` for none, or an account, in the UTC days and months that budgets
 * count. Null: not known yet.
 */
type Usage = Readonly<Record<'day' | 'month', ReadonlyMap<string, UsageRow> | null>>;

/** What was used with each key, or by each account, up to now. */
export function useUsage(by: 'key' | 'account', isAdmin: boolean): Usage {
  const today = new Date().toISOString().slice(0, 10);
  const asked = { by, ...(isAdmin ? { account: 'all' } : {}) };
  const since = (from: string) => ({
    queryKey: ['usage', asked, from],
    queryFn: () =>
      readAll((page) => read('/api/v1/usage', { query: { ...asked, ...page, from } }), 1_000),
  });
  const day = useQuery(since(today));
  const month = useQuery(since(`${today.slice(0, 8)}01`));
  const byId = (rows?: readonly UsageRow[]) =>
    rows
      ? new Map(rows.map((row) => [(by === 'key' ? row.keyId : row.accountId) ?? '', row]))
      : null;
  return { day: byId(day.data), month: byId(month.data) };
}

const utcDay = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
const budgets = [
  ['dayBudgetUsd', 'day'],
  ['monthBudgetUsd', 'month'],
] as const;

interface BudgetSpendProps {
  /** A key or an account. */
  shown: Pick<ApiKey, 'id' | 'limits'> & { readonly createdAt: string | null };
  usage: Usage;
}

/** What budgets count, as a bar of each with its forecast; without a budget the month's spend. */
export function BudgetSpend({ shown, usage }: BudgetSpendProps) {
  const spentIn = (period: keyof Usage): number | null => {
    const { costUsd = 0, heldUsd = 0 } = usage[period]?.get(shown.id) ?? {};
    return usage[period] && costUsd + heldUsd;
  };
  const bars = budgets.flatMap(([limit, period]) => {
    const budget = shown.limits[limit];
    return budget === null ? [] : [{ limit, period, budget, spent: spentIn(period) }];
  });
  if (bars.length === 0)
    return (
      <Note className="one-line">
        {fill(text.noBudget, { spend: formatUsd(spentIn('month')) })}
      </Note>
    );
  return (
    <Stack gap={2} miw={150}>
      {bars.map(({ limit, period, budget, spent }) => {
        const words = fill(text.spendOf, {
          spend: formatUsd(spent),
          budget: formatUsd(budget),
          period: text.periods[limit],
        });
        const forecast = spent ? forecastOf(spent, period, shown.createdAt) : null;
        const share = budget === 0 ? 100 : ((spent ?? 0) / budget) * 100;
        return (
          <div key={limit}>
            <Note className="figures">{words}</Note>
            <Progress
              size="sm"
              value={Math.min(100, share)}
              color={share >= 100 ? 'red' : share >= 80 ? 'orange' : 'teal'}
              aria-label={words}
            />
            {forecast === null || share >= 100 ? null : (
              <Note c={forecast.usd > budget ? 'var(--mantine-color-error)' : 'dimmed'}>
                {fill(text.forecast[limit], {
                  usd: formatUsd(forecast.usd),
                  day: new Date(forecast.last).toLocaleDateString('en', utcDay),
                })}
              </Note>
            )}
          </div>
        );
      })}
    </Stack>
  );
}
