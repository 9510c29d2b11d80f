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
import { type Cell, csvFile, type CsvTable, wantsCsv } from './csv.js';
import { type Call, endpoint, type Endpoint } from './endpoint.js';
import { queryParameter } from './openapi/operations.js';
import { idOf, isoOf, listOf, pageRequestOf } from './page-request.js';
import { refuseUnknown } from './query.js';

/** What somebody adds to the evaluation set: a prompt, or a request whose content is stored. */
interface EvaluationRequest {
  readonly prompt?: string | null;
  readonly request_id?: string | null;
  readonly scores?: ByModel | null;
  readonly costs?: ByModel | null;
}

/** An evaluation as the API returns it. */
function shownEvaluation(
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
async function addEvaluation(
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
async function oneEvaluation(
  { state }: GatewayParts,
  accountId: string,
  id: string,
): Promise<EvaluationRecord> {
  const { store } = await state.opened();
  return found(await store.evaluations.find(accountId, id));
}

/** Changes the scores that are named. @throws GatewayError `not_found` */
async function changeScores(
  { state }: GatewayParts,
  accountId: string,
  id: string,
  scores: FigureChanges,
): Promise<EvaluationRecord> {
  const { store } = await state.opened();
  return found(await store.evaluations.change(accountId, id, scores));
}

/** @throws GatewayError `not_found` */
async function dropEvaluation(
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
async function evaluatedModels(
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

const fixed = { tag: 'Preferences', scope: 'admin' } as const;
const path = '/api/v1/evaluations';
const onePath = `${path}/{id}`;
const response = 'evaluation.response';
const scores = { 'demo/demo-large': 1, 'demo/demo-small': 0.5 };

/** Newest first, or all as the CSV that trainings take. */
const listEvaluations = endpoint({
  ...fixed,
  method: 'get',
  path,
  id: 'listEvaluations',
  summary: 'List the evaluation set, newest first',
  description:
    'Lists show the beginnings of the prompts. With `format=csv` the whole set comes as the CSV that trainings take.',
  parameters: [queryParameter('format', '`json` or `csv`.')],
  response,
  isList: true,
  async run(call: Call) {
    const isCsv = wantsCsv(call);
    if (isCsv) refuseUnknown(call, ['format']);
    const page = isCsv ? null : pageRequestOf(call, ['format']);
    const { accountId } = call.caller;
    const { store } = await call.parts.state.opened();
    return page
      ? listOf(await store.evaluations.list(accountId, page), shownEvaluation)
      : csvFile(await tableOf(store, accountId));
  },
});

const createEvaluation = endpoint({
  ...fixed,
  method: 'post',
  path,
  id: 'createEvaluation',
  summary: 'Add a prompt or a request to the evaluation set',
  description:
    'Of a request it takes the last turn of the user, if its content is stored, and the cost of the answer. A request that is in the set already gets the new figures. A set has at most 5,000 prompts.',
  request: 'evaluation.request',
  example: { prompt: 'Why is the sky blue?', scores },
  response,
  status: 201,
  errors: { 404: 'There is no such request.', 409: 'The set is full.' },
  run: async ({ parts, caller, body }: Call<EvaluationRequest>) =>
    shownEvaluation(await addEvaluation(parts, caller.accountId, body)),
});

const getEvaluation = endpoint({
  ...fixed,
  method: 'get',
  path: onePath,
  id: 'getEvaluation',
  summary: 'One prompt with its scores',
  response,
  run: async (call: Call) =>
    shownEvaluation(await oneEvaluation(call.parts, call.caller.accountId, idOf(call))),
});

const updateEvaluation = endpoint({
  ...fixed,
  method: 'patch',
  path: onePath,
  id: 'updateEvaluation',
  summary: 'Change scores',
  description: 'Scores that are not named stay as they are; null takes one away.',
  request: 'evaluation-change.request',
  example: { scores },
  response,
  async run(call: Call<{ readonly scores: FigureChanges }>) {
    const { parts, caller, body } = call;
    return shownEvaluation(await changeScores(parts, caller.accountId, idOf(call), body.scores));
  },
});

const deleteEvaluation = endpoint({
  ...fixed,
  method: 'delete',
  path: onePath,
  id: 'deleteEvaluation',
  summary: 'Delete a prompt from the evaluation set',
  run: (call: Call) => dropEvaluation(call.parts, call.caller.accountId, idOf(call)),
});

/** The evaluation set of an account. */
export const evaluationEndpoints: readonly Endpoint[] = [
  listEvaluations,
  createEvaluation,
  getEvaluation,
  updateEvaluation,
  deleteEvaluation,
];

async function tableOf(store: Store, accountId: string): Promise<CsvTable<EvaluationRecord>> {
  const { scored, costed } = await evaluatedModels(store, accountId);
  const costs = scored.filter((model) => costed.has(model));
  return {
    name: 'evaluations',
    // a name of a model may itself end in `/cost`, so each column says what it holds
    columns: [
      'prompt',
      ...scored.map((model) => `${model}/score`),
      ...costs.map((model) => `${model}/cost`),
    ],
    row: (one): Cell[] => [
      one.prompt,
      ...scored.map((model) => one.scores[model]),
      ...costs.map((model) => one.costs[model]),
    ],
    read: (page) => store.evaluations.whole(accountId, page),
  };
}
