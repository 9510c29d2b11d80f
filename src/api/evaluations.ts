import { randomUUID } from 'node:crypto';
import { GatewayError, invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { settledStore } from '../pipeline/engine/settled-store.js';
import type {
  ByModel,
  EvaluationRecord,
  EvaluationSummary,
  FigureChanges,
} from '../store/contracts/evaluations.js';
import type { RequestRow } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/every-page.js';
import { isoOf } from './page-request.js';

/** What somebody adds to the evaluation set: a prompt, or a request whose content is stored. */
export interface EvaluationRequest {
  readonly prompt?: string | null;
  readonly request_id?: string | null;
  readonly scores?: ByModel | null;
  readonly costs?: ByModel | null;
}

/** An evaluation as the API returns it. */
export function shownEvaluation(
  evaluation: EvaluationRecord & Partial<Pick<EvaluationSummary, 'promptLength'>>,
): object {
  const { id, requestId, at, prompt, promptLength = prompt.length, scores, costs } = evaluation;
  return {
    object: 'evaluation',
    id,
    requestId,
    createdAt: isoOf(at),
    prompt,
    promptLength,
    scores,
    costs,
  };
}

/**
 * Adds to an account's evaluation set. Of a request it takes the last turn of its user and what the
 * answer cost; a request that is in the set already gets the new figures.
 * @throws GatewayError `not_found` for an unknown request, `validation_failed` if its content is not
 *   stored, `conflict` if the set is full
 */
export async function addEvaluation(
  parts: GatewayParts,
  accountId: string,
  { prompt = null, request_id: requestId = null, scores, costs }: EvaluationRequest,
): Promise<EvaluationRecord> {
  const store = await settledStore(parts);
  const request = requestId === null ? null : await requestOf(store, accountId, requestId);
  return store.evaluations.save({
    id: randomUUID(),
    accountId,
    requestId,
    at: Date.now(),
    prompt: prompt ?? promptOf(request),
    scores: scores ?? {},
    costs: { ...(request ? costOf(request) : {}), ...costs },
  });
}

async function requestOf(
  { requests }: Pick<Store, 'requests'>,
  accountId: string,
  id: string,
): Promise<RequestRow> {
  const request = await requests.find(accountId, id);
  if (!request) throw invalidField('request_id', 'not found', 'not_found');
  return request;
}

/** What answering cost, by the label of who answered. */
const costOf = ({ provider, model, code, costUsd }: RequestRow): ByModel =>
  code === null && provider !== null && model !== null && costUsd !== null
    ? { [`${provider}/${model}`]: costUsd }
    : {};

interface StoredMessage {
  readonly role?: unknown;
  readonly content?: unknown;
}

function promptOf(request: RequestRow | null): string {
  if (!request) throw invalidField('prompt', 'is required without request_id');
  const { messages } = (request.content ?? {}) as { readonly messages?: unknown };
  const turns = Array.isArray(messages) ? (messages as readonly StoredMessage[]) : [];
  const last = turns.findLast(({ role }) => role === 'user');
  const text = last ? textOf(last.content) : '';
  if (text.trim() === '')
    throw invalidField(
      'request_id',
      'the content of this request is not stored (requestLog.content): send its prompt too',
    );
  return text.slice(0, maxPromptLength);
}

/** Also the maximum in the schema. */
const maxPromptLength = 100_000;

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly { readonly text?: unknown }[])
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}

/** @throws GatewayError `not_found` */
export async function oneEvaluation(
  { state }: GatewayParts,
  accountId: string,
  id: string,
): Promise<EvaluationRecord> {
  const { store } = await state.opened();
  return found(await store.evaluations.find(accountId, id));
}

/** Changes the scores that are named. @throws GatewayError `not_found` */
export async function changeScores(
  { state }: GatewayParts,
  accountId: string,
  id: string,
  scores: FigureChanges,
): Promise<EvaluationRecord> {
  const { store } = await state.opened();
  return found(await store.evaluations.change(accountId, id, scores));
}

/** @throws GatewayError `not_found` */
export async function dropEvaluation(
  { state }: GatewayParts,
  accountId: string,
  id: string,
): Promise<void> {
  const { store } = await state.opened();
  if (!(await store.evaluations.remove(accountId, id))) throw notFound();
}

/** All evaluations of an account as JSON lines, as a training reads them. */
export async function evaluationLines({ state }: GatewayParts, accountId: string): Promise<string> {
  const { store } = await state.opened();
  const lines: string[] = [];
  for await (const row of everyPage((page) => store.evaluations.whole(accountId, page)))
    if (Object.keys(row.scores).length > 0) lines.push(lineOf(row));
  return lines.join('');
}

const lineOf = ({ prompt, scores, costs }: EvaluationRecord): string =>
  `${JSON.stringify({ prompt, scores, costs })}\n`;

const notFound = (): GatewayError => invalidField('id', 'not found', 'not_found');

function found(evaluation: EvaluationRecord | null): EvaluationRecord {
  if (!evaluation) throw notFound();
  return evaluation;
}

/** The models that evaluations of an account have figures of, in the order of their names. */
export async function evaluatedModels(
  { evaluations }: Pick<Store, 'evaluations'>,
  accountId: string,
): Promise<{ readonly scored: readonly string[]; readonly costed: ReadonlySet<string> }> {
  const scored = new Set<string>();
  const costed = new Set<string>();
  for await (const { scores, costs } of everyPage((page) => evaluations.list(accountId, page))) {
    for (const model of Object.keys(scores)) scored.add(model);
    for (const model of Object.keys(costs)) costed.add(model);
  }
  return { scored: [...scored].sort(), costed };
}
