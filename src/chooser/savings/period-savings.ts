import type { ChoiceFilter, ChoiceGrouping, ChoiceSums } from '../../store/contracts/choices.js';
import { everyPage, type PageRequest } from '../../store/contracts/page.js';
import type { Store } from '../../store/contracts/store.js';
import { makeReceipt } from './make-receipt.js';
import type { PeriodUsage, Receipt } from './summary.js';
import { weighEvidence } from './weigh-evidence.js';

/** Groups beyond these are left out, those with the fewest choices first. */
const maxGroups = 100;

/** What each grouping is called in a group. */
const groupNames = { preference: 'preferenceId', key: 'keyId', model: 'model' } as const;

/** The receipt of one group; null: requests without a preference, or a signed-in browser. */
type GroupReceipt = Omit<Receipt, 'candidates' | 'pairsUsd'> & {
  readonly [name in (typeof groupNames)[ChoiceGrouping]]?: string | null;
};

/** The savings of the choices that a filter selects. */
export async function savingsOf(
  store: Pick<Store, 'choices' | 'requests' | 'shadows'>,
  filter: ChoiceFilter & { readonly from: number; readonly to: number },
  by: ChoiceGrouping | null,
) {
  const { choices, shadows } = store;
  const [sums, ratings, pairs, rated, used] = await Promise.all([
    choices.sums(filter, null, null),
    choices.ratings(filter),
    shadows.pairs(filter),
    shadows.rated(filter),
    sumUsage(store, filter),
  ]);
  const evidence = weighEvidence(ratings, pairs, rated);
  const whole = await makeReceipt(sums, evidence, used);
  const groups: GroupReceipt[] = [];
  if (by !== null && sums.length > 0)
    for (const [group, rows] of await groupedSums(store, filter, by)) {
      const {
        candidates: _candidates,
        pairsUsd: _pairsUsd,
        ...receipt
      } = await makeReceipt(rows, evidence, null);
      groups.push({ [groupNames[by]]: group || null, ...receipt });
    }
  return {
    object: 'savings' as const,
    from: utcDay(filter.from),
    to: utcDay(filter.to - 1),
    ...whole,
    cacheSavedUsd: used.cacheSavedUsd,
    groups,
  };
}

async function groupedSums(
  { choices }: Pick<Store, 'choices'>,
  filter: ChoiceFilter,
  by: ChoiceGrouping,
): Promise<Map<string, ChoiceSums[]>> {
  const names = await choices.groups(filter, by, maxGroups);
  const groups = new Map(names.map((name) => [name, [] as ChoiceSums[]]));
  for (const row of await choices.sums(filter, by, names)) groups.get(row.group)?.push(row);
  return groups;
}

/** All requests of the period, with a choice or without, and what prompt caches saved in them. */
async function sumUsage(
  { requests }: Pick<Store, 'requests'>,
  filter: ChoiceFilter,
): Promise<PeriodUsage> {
  const sums = { requests: 0, cacheSavedUsd: 0 };
  // each page sums anew: few large ones
  const read = (page: PageRequest) =>
    requests.usage(filter, ['account'], { ...page, limit: 1_000 });
  for await (const row of everyPage(read)) {
    sums.requests += row.requests;
    sums.cacheSavedUsd += row.cacheSavedUsd;
  }
  // sums of binary fractions have trailing digits
  return { ...sums, cacheSavedUsd: Math.round(sums.cacheSavedUsd * 1e9) / 1e9 };
}

const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
