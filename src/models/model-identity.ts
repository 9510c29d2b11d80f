import { canonicalName, statedDate } from './model-name.js';
import { NameCache } from './name-cache.js';
import { readModelTable } from './model-tables.js';
import type { ReasoningEffort } from '../completion.js';

const { families, snapshots, sameModels, namedEfforts, prefixes, standIns } =
  readModelTable('aliases');
const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

const ofFamilies = families.map(({ pattern, family }) => ({ name: whole(pattern), family }));
const same = sameModels.map(({ pattern, model }) => ({ name: whole(pattern), model }));
const ofAgents = standIns.map(({ names, families: theirs }) => ({
  name: whole(names),
  families: theirs.map(whole),
}));
const snapshot = whole(snapshots.join('|'));

/** Words for how a model is packed or served, not for which model it is. */
const packaging = new RegExp(
  `-(?:${[
    'instruct(?:-turbo|-lite|-basic)?|it|hf|maas|cloud|versatile|(?<=\\db-)instant|fc|basic|dynamic',
    'fp8|fp16|bf16|nvfp4|int[48]|[48]bit|awq|gptq|gguf|mlx|qat|q\\d(?:-[a-z0-9]){0,3}',
  ].join('|')})$`,
);
/** `-chat` of an open model, whose bare name means its chat version too. */
const conversing = /(-\d+b(?:-a\d+b)?)-chat$/;
const preview = /-(?:preview|exp|experimental|beta(?:-\d)?)$/;
const date = /-(?:20\d{2}-?[01]\d-?[0-3]\d|[01]\d-20\d{2}|(?!00)\d{4}|[01]\d-[0-3]\d|00\d|latest)$/;

const startsWithOne = (patterns: readonly string[]): RegExp =>
  new RegExp(`^(?:${patterns.join('|')})`);
const takesLevels = startsWithOne(namedEfforts.levels);
const takesThinking = startsWithOne(namedEfforts.thinking);
const level = /-(?:thinking-(?:\d+k-|auto-)?)?(none|minimal|low|medium|high|xhigh)(?:-effort)?$/;
const unthinking = /-(?:no-?think(?:ing)?|non-reasoning)$/;
const thinking = /-(?:high-?)?(?:thinking|think|reasoning)(?:-\d+k)?$/;

/** A name without the words for its effort; the same name if there are none. */
function withoutEffort(name: string): { rest: string; effort: ReasoningEffort | null } {
  const named = takesLevels.test(name) ? level.exec(name) : null;
  if (named) return { rest: name.slice(0, named.index), effort: named[1] as ReasoningEffort };
  const off = unthinking.exec(name);
  if (off) return { rest: name.slice(0, off.index), effort: 'none' };
  const on = takesThinking.test(name) ? thinking.exec(name) : null;
  return on ? { rest: name.slice(0, on.index), effort: 'high' } : { rest: name, effort: null };
}

/** Cuts off words that do not identify the model, from the end. */
function stripped(canonical: string): { name: string; effort: ReasoningEffort | null } {
  let name = canonical;
  let effort: ReasoningEffort | null = null;
  for (;;) {
    const family = ofFamilies.find((one) => one.name.test(name));
    if (family) return { name: family.family, effort };
    const found = withoutEffort(name);
    effort ??= found.effort;
    let shorter = found.rest.replace(packaging, '').replace(conversing, '$1');
    if (snapshot.test(shorter)) shorter = shorter.replace(date, '').replace(preview, '');
    else shorter = shorter.replace(/-preview$/, '');
    if (shorter === name || shorter === '') return { name, effort };
    name = shorter;
  }
}

/** What clouds write before a maker's own name. */
const prefix = startsWithOne(prefixes);

interface Identity {
  readonly identity: string;
  readonly effort: ReasoningEffort | null;
}

/** OpenRouter's mark for a model that is asked to think. */
const thinkingVariant = /:thinking(?![a-z])/i;

/** The canonical name without a cloud's prefix, which may hide the order of its words. */
function ownName(model: string): string {
  const canonical = canonicalName(model);
  return prefix.test(canonical) ? canonicalName(canonical.replace(prefix, '')) : canonical;
}

function identify(model: string): Identity {
  const { name, effort: inName } = stripped(ownName(model));
  const effort = inName ?? (thinkingVariant.test(model) ? 'high' : null);
  // the dates that stay in one spelling, without packaging words before them
  const plain = name
    .replace(/-(20\d{2})-([01]\d)-([0-3]\d)(?=$|-)/, '-$1$2$3')
    .replace(/-instruct(?=-(?:\d{4}|0-\d)$)/, '')
    .replace(/-preview(?=-\d{4}$)/, '');
  const known = same.find((one) => one.name.test(plain));
  return { identity: known ? plain.replace(known.name, known.model) : plain, effort };
}

/** Longer names are not looked up, since clients can send anything. */
const maxNameLength = 200;
const kept = new NameCache<Identity>(4_000);

const cached = (model: string): Identity =>
  model.length > maxNameLength ? { identity: model, effort: null } : kept.of(model, identify);

/**
 * The model that a name stands for, whoever serves it and however the name is written: without
 * maker, region, packaging and effort, in lower case. A date is left out only where the maker uses
 * it for states of one product (`gpt-4o-2024-08-06`); elsewhere it stays, because it makes another
 * product (`mistral-large-2407`). A moving name (`mistral-small-latest`) becomes the product that
 * it stands for today, or stays if that is not known. The function is idempotent.
 */
export const modelIdentity = (name: string): string => cached(name).identity;

/** The effort that a name demands (`o3-mini-high`, `grok-4-fast-non-reasoning`); null: none. */
export const effortInName = (name: string): ReasoningEffort | null => cached(name).effort;

type NamesByProduct = ReadonlyMap<string, readonly string[]>;
const indexes = new WeakMap<object, NamesByProduct>();

/** Fine-tuned models, and variants with a price or abilities of their own (`:free`, `:online`). */
const isVariant = (name: string): boolean => /^ft:|:(?!latest)[a-z]/i.test(name);

/** Model and effort: equal for two names of the same product. */
const productOf = (name: string): string => `${modelIdentity(name)} ${effortInName(name) ?? ''}`;

/** The names of a list by what they stand for; made once for each list. */
function namesByProduct(models: ReadonlyMap<string, unknown>): NamesByProduct {
  const known = indexes.get(models);
  if (known) return known;
  const index = new Map<string, string[]>();
  for (const name of models.keys()) {
    if (isVariant(name)) continue;
    const product = productOf(name);
    index.set(product, [...(index.get(product) ?? []), name]);
  }
  indexes.set(models, index);
  return index;
}

/**
 * The name in a list that stands for the same model as another name, with the same effort; null:
 * none. Two dates are two states of a model, and so not the same. A name with the same date is
 * preferred, then one without, then the newest.
 */
export function sameModelIn(models: ReadonlyMap<string, unknown>, name: string): string | null {
  if (isVariant(name)) return null;
  const asked = statedDate(name);
  const found = (namesByProduct(models).get(productOf(name)) ?? []).flatMap((model) => {
    const date = statedDate(model);
    if (asked !== null && date !== null && date !== asked) return [];
    return [{ model, date, rank: date === asked ? 2 : date === null ? 1 : 0 }];
  });
  found.sort(
    (a, b) =>
      b.rank - a.rank ||
      Number(b.date ?? 0) - Number(a.date ?? 0) ||
      a.model.length - b.model.length,
  );
  return found[0]?.model ?? null;
}

/**
 * The models that stand in for a name that an agent sends by default and that no provider offers: the
 * most able model of the name's family, once for each provider that has it. Empty if the name is not
 * in the table, or no model of its maker is among `models`.
 */
export function standInsFor<Model extends { readonly model: string }>(
  name: string,
  models: readonly Model[],
  abilityOf: (model: Model) => number | null,
): readonly Model[] {
  const canonical = canonicalName(name);
  const { families: found = [] } = ofAgents.find((one) => one.name.test(canonical)) ?? {};
  for (const family of found) {
    const related = models.filter(
      ({ model }) => !isVariant(model) && family.test(modelIdentity(model)),
    );
    const best = related.toSorted(
      (a, b) =>
        (abilityOf(b) ?? 0) - (abilityOf(a) ?? 0) ||
        productOf(b.model).localeCompare(productOf(a.model), 'en', { numeric: true }),
    )[0];
    if (best) return related.filter(({ model }) => productOf(model) === productOf(best.model));
  }
  return [];
}
