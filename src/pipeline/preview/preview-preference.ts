import { readFileSync } from 'node:fs';
import type { Caller } from '../../accounts/caller.js';
import { GatewayError, invalidField } from '../../errors.js';
import { type GatewayParts, settledStore } from '../engine/gateway-parts.js';
import { applyPreference, candidatesOfPlan } from '../../chooser/chooser.js';
import type { PreferenceSettings } from '../../store/contracts/preferences.js';
import type { ChatMessage } from '../../completion.js';
import { limitsOf } from '../plan-request.js';
import { makePlan } from '../../chooser/make-plan.js';
import type { Plan, RoutingRequest } from '../../chooser/plan.js';
import { packageFile } from '../../package-files.js';
import type { RequestRow } from '../../store/contracts/requests.js';
import { isSelection } from '../../surface-labels.js';

/** What somebody tries out. */
export interface PreviewRequest extends WantedChoices {
  readonly preference: PreferenceSettings & { readonly name?: string | null };
  /** The preference to compare with, whose training is used; absent: no preference. */
  readonly preference_id?: string | null;
}

/**
 * Tries a preference on requests, examples and messages without storing it.
 * @param explain whether each item names all its candidates
 * @throws GatewayError `not_found` for an unknown preference, `validation_failed`, `forbidden`
 */
export async function previewPreference(
  parts: GatewayParts,
  caller: Caller,
  { preference: asked, preference_id: id = null, ...wanted }: PreviewRequest,
  explain: boolean,
) {
  requireChoices(wanted);
  const { current, taught } = await comparedWith(parts, caller, id);
  const { choices, skipped } = await choicesOfRequests(parts, caller, wanted);
  choices.push(...choicesOfPrompts(parts, caller, wanted, taught));
  const { name: _name, ...settings } = asked;
  const trial = { settings, current, margins: parts.current().training, explain };
  return { object: 'preference_preview' as const, ...applyPreference(choices, trial), skipped };
}

/** The current settings of a preference, and what was learned under them. */
async function comparedWith(
  { state, current }: GatewayParts,
  { accountId }: Caller,
  id: string | null,
): Promise<{ readonly current: PreferenceSettings | null; readonly taught: Taught }> {
  const known = id === null ? null : await state.chooser.preferences.ofAccount(accountId, id);
  if (id !== null && known === null) throw invalidField('preference_id', 'not found', 'not_found');
  const online = current().routing.learning.enabled
    ? await state.chooser.learning.find({ accountId, preferenceId: id ?? '' })
    : null;
  return {
    current: known?.preference ?? null,
    taught: {
      tunings: known?.tunings ?? [],
      onlineLearning: online?.tuning ? { tuning: online.tuning, exploration: 0 } : null,
    },
  };
}

/** A prompt on which preferences show their effect. */
interface ExamplePrompt {
  readonly id: string;
  /** The kind of task, for people. */
  readonly kind: string;
  readonly prompt: string;
}

let read: readonly ExamplePrompt[] | undefined;
/** Prompts of many kinds, from easy to hard. */
const examplePrompts = (): readonly ExamplePrompt[] =>
  (read ??= JSON.parse(
    readFileSync(packageFile('config/example-prompts.json'), 'utf8'),
  ) as readonly ExamplePrompt[]);

/** Where a choice comes from. */
interface ChoiceSource {
  readonly source: 'example' | 'request' | 'messages';
  /** The id of the example or the request. */
  readonly id: string | null;
  /** The kind and prompt of an example. */
  readonly kind?: string;
  readonly prompt?: string;
  /** For a request: when it came, which model answered it, and its cost in USD. */
  readonly at?: string;
  readonly answered?: string | null;
  readonly costUsd?: number | null;
}

/** A choice that preferences are tried on. */
type TriedChoice = Parameters<typeof applyPreference<ChoiceSource>>[0][number];

/** A request that preferences cannot be tried on. */
interface SkippedRequest {
  readonly id: string;
  readonly reason: string;
}

/** Which choices a preference is tried on. */
interface WantedChoices {
  readonly requests?: readonly string[] | null;
  readonly examples?: boolean | null;
  readonly messages?: readonly ChatMessage[] | null;
  /** The candidates of examples and messages; absent: those of `auto`. */
  readonly models?: readonly string[] | null;
}

type NameOf = (provider: string | null, model: string) => string;

const knownName =
  ({ current }: GatewayParts): NameOf =>
  (provider, model) =>
    current().catalog.lookup(provider, model).knownAs || model;

/**
 * The choices of the account's own requests, from the figures that were stored with their plans.
 * Their content is not needed.
 * @throws GatewayError `forbidden` for a key without the scope that reading requests needs
 */
async function choicesOfRequests(
  parts: GatewayParts,
  caller: Caller,
  { requests }: WantedChoices,
): Promise<{ readonly choices: TriedChoice[]; readonly skipped: SkippedRequest[] }> {
  if (!requests || requests.length === 0) return { choices: [], skipped: [] };
  if (!caller.scopes.includes('admin'))
    throw new GatewayError('forbidden', 'requests: this API key lacks the scope `admin`', {
      field: 'requests',
    });
  const store = await settledStore(parts);
  const ids = [...new Set(requests)];
  const rows = new Map(
    (await store.requests.some(caller.accountId, ids)).map((row) => [row.id, row]),
  );
  const decisions = new Map(
    (await store.selections.some(caller.accountId, planIdsOf([...rows.values()]))).map(
      ({ id, candidates }) => [id, candidates],
    ),
  );
  const choices: TriedChoice[] = [];
  const skipped: SkippedRequest[] = [];
  for (const id of ids) {
    const row = rows.get(id);
    const stored = row && (planned(row) ?? decisions.get(row.planId ?? ''));
    const candidates = candidatesOfPlan(stored, knownName(parts));
    if (!row) skipped.push({ id, reason: 'not found' });
    else if (candidates.length === 0) skipped.push({ id, reason: 'no choice was stored with it' });
    else choices.push({ source: sourceOf(row), candidates, problem: null });
  }
  return { choices, skipped };
}

const planned = ({ plan }: Pick<RequestRow, 'plan'>): unknown =>
  (plan as { readonly candidates?: unknown } | null)?.candidates;

/** Model selection stores its plans with its decisions. */
const planIdsOf = (rows: readonly Pick<RequestRow, 'surface' | 'planId'>[]): string[] =>
  rows.flatMap(({ surface, planId }) => (isSelection(surface) && planId !== null ? [planId] : []));

function sourceOf(
  row: Pick<RequestRow, 'id' | 'at' | 'code' | 'provider' | 'model' | 'costUsd'>,
): ChoiceSource {
  const { id, at, code, provider, model, costUsd } = row;
  const answered = code === null && model !== null ? `${provider ?? ''}/${model}` : null;
  return { source: 'request', id, at: new Date(at).toISOString(), answered, costUsd };
}

/** What predictions depend on beside the request. */
type Taught = Pick<RoutingRequest, 'tunings' | 'onlineLearning'>;

/** The choices of examples and messages, predicted now. */
function choicesOfPrompts(
  parts: GatewayParts,
  caller: Caller,
  { examples, messages, models }: WantedChoices,
  taught: Taught,
): TriedChoice[] {
  const prompts: { source: ChoiceSource; messages: readonly ChatMessage[] }[] = [];
  if (examples)
    for (const { id, kind, prompt } of examplePrompts())
      prompts.push({
        source: { source: 'example', id, kind, prompt },
        messages: [{ role: 'user', content: prompt }],
      });
  if (messages) prompts.push({ source: { source: 'messages', id: null }, messages });
  const names = models ?? parts.current().directory.auto();
  return prompts.map(({ source, messages: asked }) => {
    const planned = planFor(parts, caller, { ...taught, messages: asked }, names);
    return 'problem' in planned
      ? { source, candidates: [], problem: planned.problem }
      : { source, candidates: weighable(planned, knownName(parts)), problem: null };
  });
}

/** A plan without any preference; or why no candidate can answer. */
function planFor(
  parts: GatewayParts,
  caller: Caller,
  request: RoutingRequest,
  names: readonly string[],
): Plan | { readonly problem: string } {
  const snapshot = parts.current();
  try {
    return makePlan({
      request: { ...request, accountId: caller.accountId },
      candidates: snapshot.names.candidatesOf(names),
      ranker: snapshot.ranker,
      catalog: snapshot.catalog,
      latencies: snapshot.latencies,
      paces: parts.state.chooser.paces,
      limits: limitsOf(snapshot, null),
      allow: snapshot.routing.allow,
      deny: snapshot.routing.deny,
      keyModels: caller.models,
      unknownReason: (one) => snapshot.names.unknownReason(one, caller.models),
      blame: { field: 'models', code: 'validation_failed' },
    });
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'validation_failed')
      return { problem: error.message };
    throw error;
  }
}

const weighable = ({ candidates }: Plan, known: NameOf): TriedChoice['candidates'] =>
  candidates.map(({ score: _score, why, ...candidate }) => ({
    candidate,
    figures: why,
    knownAs: known(candidate.provider, candidate.model),
  }));

/** @throws GatewayError `validation_failed` if nothing is wanted */
function requireChoices({ requests, examples, messages }: WantedChoices): void {
  if (!examples && !messages && (requests ?? []).length === 0)
    throw invalidField('requests', 'name requests, or send examples or messages');
}
