import { newRowId } from '../row-id.js';
import { invalidField } from '../errors.js';
import { type GatewayParts, settledStore } from '../pipeline/engine/gateway-parts.js';
import type {
  ByModel,
  EvaluationRecord,
  EvaluationSummary,
  FigureChanges,
} from '../store/contracts/evaluations.js';
import type { RequestRow } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/contracts/page.js';
import { type FileTable, pageOrFile } from './csv.js';
import { type Call, type Endpoint, endpointsOf } from './endpoint.js';
import { found, idOf, listOf, pageRequestOf } from './page-request.js';
import { queryParameter } from './parameters.js';
import { isoOf } from './shown-fields.js';

/** The body that adds to the evaluation set: a prompt, or a request whose content is stored. */
interface EvaluationRequest {
  readonly prompt?: string | null;
  readonly request_id?: string | null;
  readonly scores?: ByModel | null;
  readonly costs?: ByModel | null;
}

const endpoint = endpointsOf({ tag: 'Preferences', scope: 'admin' });
const path = '/api/v1/evaluations';
const onePath = `${path}/{id}`;
const response = 'evaluation.response';
const scores = { 'demo/demo-large': 1, 'demo/demo-small': 0.5 };
const parameters = [queryParameter('format', '`json` or `csv`.')];

const listEvaluations = endpoint('get', path, 'listEvaluations', {
  summary: 'List the evaluation set, newest first',
  description:
    'Lists show the beginnings of the prompts. With `format=csv` the whole set comes as the CSV that trainings take.',
  parameters,
  response,
  isList: true,
  async run(call: Call) {
    const { accountId } = call.caller;
    const { store } = await call.parts.state.opened();
    return pageOrFile(call, parameters, {
      page: async () =>
        listOf(await store.evaluations.list(accountId, pageRequestOf(call)), shownEvaluation),
      table: () => tableOf(store, accountId),
    });
  },
});

const createEvaluation = endpoint('post', path, 'createEvaluation', {
  summary: 'Add a prompt or a request to the evaluation set',
  description:
    'Of a request it takes the last turn of the user, if its content is stored, and the cost of the answer. A request that is in the set already gets the new figures. A set has at most 5,000 prompts.',
  request: 'evaluation.request',
  example: { prompt: 'Why is the sky blue?', scores },
  response,
  status: 201,
  errors: { 404: 'There is no such request.', 409: 'The set is full.' },
  async run({ parts, caller: { accountId }, body }: Call<EvaluationRequest>) {
    const { prompt = null, request_id: requestId = null, costs } = body;
    const store = await settledStore(parts);
    const request =
      requestId === null
        ? null
        : found(await store.requests.find(accountId, requestId), 'request_id');
    return shownEvaluation(
      await store.evaluations.save({
        id: newRowId(),
        accountId,
        requestId,
        at: Date.now(),
        prompt: prompt ?? promptOf(request),
        scores: body.scores ?? {},
        costs: { ...(request ? costOf(request) : {}), ...costs },
      }),
    );
  },
});

const getEvaluation = endpoint('get', onePath, 'getEvaluation', {
  summary: 'One prompt with its scores',
  response,
  async run(call: Call) {
    const { store } = await call.parts.state.opened();
    const { accountId } = call.caller;
    return shownEvaluation(found(await store.evaluations.find(accountId, idOf(call)), 'id'));
  },
});

const updateEvaluation = endpoint('patch', onePath, 'updateEvaluation', {
  summary: 'Change scores',
  description: 'Scores that are not named stay as they are; null takes one away.',
  request: 'evaluation-change.request',
  example: { scores },
  response,
  async run(call: Call<{ readonly scores: FigureChanges }>) {
    const { store } = await call.parts.state.opened();
    const { accountId } = call.caller;
    const changed = await store.evaluations.change(accountId, idOf(call), call.body.scores);
    return shownEvaluation(found(changed, 'id'));
  },
});

const deleteEvaluation = endpoint('delete', onePath, 'deleteEvaluation', {
  summary: 'Delete a prompt from the evaluation set',
  async run(call: Call): Promise<void> {
    const { store } = await call.parts.state.opened();
    found(await store.evaluations.remove(call.caller.accountId, idOf(call)), 'id');
  },
});

/** The evaluation set of an account. */
export const evaluationEndpoints: readonly Endpoint[] = [
  listEvaluations,
  createEvaluation,
  getEvaluation,
  updateEvaluation,
  deleteEvaluation,
];

/** All evaluations of an account as JSON lines, as a training reads them. */
export async function evaluationLines({ state }: GatewayParts, accountId: string): Promise<string> {
  const { store } = await state.opened();
  const lines: string[] = [];
  for await (const { prompt, scores, costs } of everyPage((page) =>
    store.evaluations.whole(accountId, page),
  ))
    if (Object.keys(scores).length > 0)
      lines.push(`${JSON.stringify({ prompt, scores, costs })}\n`);
  return lines.join('');
}

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

/** What answering cost, by the label of who answered. */
const costOf = ({ provider, model, code, costUsd }: RequestRow): ByModel =>
  code === null && provider !== null && model !== null && costUsd !== null
    ? { [`${provider}/${model}`]: costUsd }
    : {};

function promptOf(request: RequestRow | null): string {
  if (!request) throw invalidField('prompt', 'is required without request_id');
  const { messages } = (request.content ?? {}) as { readonly messages?: unknown };
  const turns = Array.isArray(messages)
    ? (messages as readonly { readonly role?: unknown; readonly content?: unknown }[])
    : [];
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

/** The columns are the models that evaluations have figures of, in the order of their names. */
async function tableOf(
  { evaluations }: Store,
  accountId: string,
): Promise<FileTable<EvaluationRecord>> {
  const scored = new Set<string>();
  const costed = new Set<string>();
  for await (const { scores, costs } of everyPage((page) => evaluations.list(accountId, page))) {
    for (const model of Object.keys(scores)) scored.add(model);
    for (const model of Object.keys(costs)) costed.add(model);
  }
  const models = [...scored].sort();
  return {
    name: 'evaluations',
    // a name of a model may itself end in `/cost`, so each column says what it holds
    columns: [
      'prompt',
      ...models.map((model) => `${model}/score`),
      ...models.filter((model) => costed.has(model)).map((model) => `${model}/cost`),
    ],
    row: ({ prompt, scores, costs }) => ({
      prompt,
      ...named(scores, 'score'),
      ...named(costs, 'cost'),
    }),
    read: (page) => evaluations.whole(accountId, page),
  };
}

const named = (figures: ByModel, kind: string): ByModel =>
  Object.fromEntries(Object.entries(figures).map(([model, one]) => [`${model}/${kind}`, one]));
