import type { ListedModel, ModelType } from '../../providers/adapter.js';
import { forbiddenReason } from '../../models/access-rules.js';
import type { Chooser } from '../../chooser/chooser.js';
import type { Candidate } from '../../chooser/plan.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { GatewaySnapshot } from '../../pipeline/engine/snapshot.js';

/** USD per million tokens, for a short prompt; null: unknown. */
export interface ModelPrices {
  readonly input: number | null;
  readonly output: number | null;
  readonly cachedInput: number | null;
  /** At three tokens read for each one written. */
  readonly blended: number | null;
}

/** A model's abilities as published, or the quality that the configuration states. */
export type ModelQuality =
  | ReturnType<ReturnType<Chooser['describe']>['abilities']>
  | {
      readonly basis: 'stated';
      readonly quality: number;
      readonly interval: null;
      readonly kinds: readonly [];
    };

/** All that the gateway knows of a model that can be called. */
export interface DescribedModel {
  readonly label: string;
  readonly provider: string;
  readonly model: string;
  readonly type: ModelType;
  /** Whether `model: auto` may choose it. */
  readonly isAuto: boolean;
  /** The names of the configuration that stand for it, alone or with others. */
  readonly aliases: readonly string[];
  readonly prices: ModelPrices;
  /** In tokens; null: unknown. */
  readonly contextLength: number | null;
  readonly maxOutput: number | null;
  readonly tools: boolean | null;
  readonly images: boolean | null;
  /** Null for models that do not chat. */
  readonly quality: ModelQuality | null;
  /** Seconds, of the last hour or as stated; null: not measured. */
  readonly latency: number | null;
  readonly secondsPerToken: number | null;
}

/** The models that a key may call, with all that is known of each, in the providers' order. */
export function describeModels(
  parts: GatewayParts,
  snapshot: GatewaySnapshot,
  keyModels: readonly string[] | null,
): DescribedModel[] {
  const { directory, names } = snapshot;
  const { allow, deny } = snapshot.routing;
  directory.refresh();
  const auto = new Set(names.candidatesOf(directory.auto()).map(({ label }) => label));
  const aliases = aliasesByLabel(snapshot, keyModels);
  return directory.providers().flatMap((provider) =>
    [...directory.models(provider).values()].flatMap((listed) => {
      const candidate = { label: `${provider}/${listed.model}`, provider, model: listed.model };
      if (forbiddenReason(candidate, { allow, deny, keyModels }) !== null) return [];
      return [
        describe(parts.state.chooser, snapshot, candidate, listed, {
          isAuto: auto.has(candidate.label),
          aliases: aliases.get(candidate.label) ?? [],
        }),
      ];
    }),
  );
}

function aliasesByLabel(
  { names }: GatewaySnapshot,
  keyModels: readonly string[] | null,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const alias of names.aliasesFor(keyModels))
    for (const { label } of names.candidatesOf([alias]))
      found.set(label, [...(found.get(label) ?? []), alias]);
  return found;
}

function describe(
  chooser: Chooser,
  snapshot: GatewaySnapshot,
  candidate: Candidate & { readonly provider: string },
  { type, contextLength }: ListedModel,
  more: Pick<DescribedModel, 'isAuto' | 'aliases'>,
): DescribedModel {
  const { label, provider, model } = candidate;
  const { known, abilities } = chooser.describe(candidate, snapshot);
  const { input, output, cachedInput } = known.rates;
  const stated: ModelQuality | null = known.qualityStated
    ? { basis: 'stated', quality: known.figures.quality, interval: null, kinds: [] }
    : null;
  return {
    label,
    provider,
    model,
    type,
    ...more,
    prices: { input, output, cachedInput, blended: known.figures.price },
    contextLength: known.contextLength ?? contextLength ?? null,
    maxOutput: known.maxOutput,
    tools: known.tools,
    images: known.images,
    quality: type === 'chat' ? (stated ?? abilities()) : null,
    latency: known.figures.latency,
    secondsPerToken: known.pace?.secondsPerToken ?? null,
  };
}
