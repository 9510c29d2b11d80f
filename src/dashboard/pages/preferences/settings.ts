import type { Schema } from '../../api/schema.js';

export type Preference = Schema<'PreferenceResponse'>;
type Weights = NonNullable<Preference['weights']>;

/** What decides: the best quality, a tradeoff, or weights of one's own. */
export type Aim = 'quality' | 'cost' | 'latency' | 'weights';

/** A preference while it is edited. */
export interface Draft {
  readonly name: string;
  readonly aim: Aim;
  readonly weights: Weights;
  readonly allow: readonly string[];
  readonly exclude: readonly string[];
  /** Null: no limit. */
  readonly maxPrice: number | null;
  readonly maxLatency: number | null;
}

/** The ends of the sliders. */
export const maxWeight = 10;

/** A new preference. */
export const newDraft: Draft = {
  name: '',
  aim: 'quality',
  weights: { quality: 6, cost: 3, latency: 1 },
  allow: [],
  exclude: [],
  maxPrice: null,
  maxLatency: null,
};

/** Weights on the sliders: only ratios matter, so large ones are scaled down. */
function onSliders({ quality, cost, latency }: Weights): Weights {
  const most = Math.max(quality, cost, latency);
  const scale = most > maxWeight || most < 1 ? maxWeight / most : 1;
  const scaled = (weight: number): number => Math.round(weight * scale * 10) / 10;
  return { quality: scaled(quality), cost: scaled(cost), latency: scaled(latency) };
}

/** A stored preference as it is edited. */
export function draftOf(preference: Preference): Draft {
  const { name, weights, tradeoff, allow, exclude, maxPrice, maxLatency } = preference;
  return {
    name,
    aim: tradeoff ?? (weights ? 'weights' : 'quality'),
    weights: weights ? onSliders(weights) : newDraft.weights,
    allow: allow ?? [],
    exclude: exclude ?? [],
    maxPrice,
    maxLatency,
  };
}

/** Whether nothing counts in a draft, so that it can be neither tried nor stored. */
export const hasNoWeight = ({ aim, weights }: Draft): boolean =>
  aim === 'weights' && weights.quality + weights.cost + weights.latency === 0;

const listOrNull = (names: readonly string[]): string[] | null =>
  names.length > 0 ? [...names] : null;

/** What the API takes. All fields are there, so that a change takes away what was removed. */
export function settingsOf(draft: Draft) {
  const { aim, weights, allow, exclude, maxPrice, maxLatency } = draft;
  return {
    weights: aim === 'weights' ? weights : null,
    tradeoff: aim === 'cost' || aim === 'latency' ? aim : null,
    allow: listOrNull(allow),
    exclude: listOrNull(exclude),
    maxPrice,
    maxLatency,
  };
}

/** What storing a draft sends. A name that is left empty stays as it is. */
export function bodyOf(draft: Draft) {
  const name = draft.name.trim();
  return { ...settingsOf(draft), ...(name === '' ? {} : { name }) };
}

/** Whether storing a draft would change what is stored. */
export function isChanged(draft: Draft, stored: Preference): boolean {
  const before = bodyOf(draftOf(stored));
  return JSON.stringify({ ...before, ...bodyOf(draft) }) !== JSON.stringify(before);
}

/** The shares of the weights, which add up to 100. */
export function sharesOf({ quality, cost, latency }: Weights): Weights {
  const whole = quality + cost + latency;
  const share = (weight: number): number => (whole === 0 ? 0 : Math.round((100 * weight) / whole));
  return { quality: share(quality), cost: share(cost), latency: share(latency) };
}
