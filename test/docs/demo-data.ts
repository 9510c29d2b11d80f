import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { keyFor } from '../../src/accounts/first-key.js';
import { newKey } from '../../src/accounts/static-keys.js';
import { seeded } from '../../src/chooser/training/custom/bootstrap.js';
import { firstAccountId, noLimits } from '../../src/store/contracts/accounts.js';
import type { ChosenSums, NewChoice } from '../../src/store/contracts/choices.js';
import type { NewKey } from '../../src/store/contracts/keys.js';
import type { NewRequest } from '../../src/store/contracts/requests.js';
import type { Store } from '../../src/store/contracts/store.js';
import { keyOfChoice, withChoice } from '../../src/store/sum-choices.js';
import { openStore } from '../../src/store/open-store.js';
import { requestRow } from '../helpers/request-row.js';

/**
 * Fills the data folder of a gateway with a made-up week: 3,000 requests of six models with four
 * keys, some of them failed for reasons of the provider, of the gateway and of the client.
 * `npm run demo-data -- FOLDER`, then `SIGNALBOX_DATA_DIR=FOLDER npm start`. No model is called.
 */

const dayMs = 86_400_000;
const requestCount = 3_000;

/** A model with its share of the requests, USD per million tokens, and usual times in ms. */
interface DemoModel {
  readonly provider: string;
  readonly model: string;
  readonly share: number;
  readonly inputUsd: number;
  readonly outputUsd: number;
  readonly ttftMs: number;
  readonly tokenMs: number;
  /** 0..1: what is predicted of its answers. */
  readonly quality: number;
}

const models: readonly DemoModel[] = [
  row('openai', 'gpt-5-mini', 0.34, 0.25, 2, 520, 7, 0.86),
  row('anthropic', 'claude-sonnet-4-5', 0.22, 3, 15, 900, 14, 0.91),
  row('gemini', 'gemini-2.5-flash', 0.18, 0.3, 2.5, 310, 4, 0.82),
  row('openai', 'gpt-4.1', 0.12, 2, 8, 640, 11, 0.79),
  row('groq', 'llama-3.3-70b-versatile', 0.09, 0.59, 0.79, 140, 2, 0.66),
  row('mistral', 'mistral-small-latest', 0.05, 0.1, 0.3, 260, 6, 0.68),
];

function row(
  provider: string,
  model: string,
  share: number,
  inputUsd: number,
  outputUsd: number,
  ttftMs: number,
  tokenMs: number,
  quality: number,
): DemoModel {
  return { provider, model, share, inputUsd, outputUsd, ttftMs, tokenMs, quality };
}

/** A failure with its share of all requests. `status`: that of the gateway's answer. */
interface DemoFailure {
  readonly share: number;
  readonly status: number;
  readonly code: string;
  readonly error: (provider: string, model: string) => string;
  /** The provider's status; null: it was not asked. */
  readonly upstreamStatus: number | null;
  /** That of its attempts; absent: its code. */
  readonly outcome?: string;
  /** Only of these requests; absent: of all. */
  readonly only?: (made: { model: DemoModel; keyName: string }) => boolean;
}

const failures: readonly DemoFailure[] = [
  {
    share: 0.25,
    status: 503,
    code: 'upstream_overloaded',
    error: (provider) => `all 3 attempts failed; the last: ${provider} answered 503: over capacity`,
    upstreamStatus: 503,
    only: ({ model }) => model.provider === 'groq',
  },
  {
    share: 0.02,
    status: 502,
    code: 'all_failed',
    error: (provider) => `${provider} answered 401: the API key has been revoked`,
    upstreamStatus: 401,
    outcome: 'provider_auth',
    only: ({ model }) => model.provider === 'mistral',
  },
  {
    share: 0.008,
    status: 429,
    code: 'rate_limited',
    error: (provider) => `${provider} answered 429: rate limit reached for requests`,
    upstreamStatus: 429,
  },
  {
    share: 0.006,
    status: 504,
    code: 'upstream_timeout',
    error: (provider) => `${provider} sent nothing for 60 s`,
    upstreamStatus: null,
    only: ({ model }) => model.ttftMs > 500,
  },
  {
    share: 0.005,
    status: 200,
    code: 'connection_failed',
    error: (provider) => `${provider} broke off its answer`,
    upstreamStatus: null,
  },
  {
    share: 0.3,
    status: 400,
    code: 'bad_request',
    error: (provider, model) => `model: this API key may not use ${provider}/${model}`,
    upstreamStatus: null,
    only: ({ model, keyName }) => keyName === 'batch-jobs' && model.provider === 'openai',
  },
  {
    share: 0.06,
    status: 429,
    code: 'budget_spent',
    error: () => 'the budget of this API key for the day, 2 USD, is spent',
    upstreamStatus: null,
    only: ({ keyName }) => keyName === 'batch-jobs',
  },
  {
    share: 0.004,
    status: 422,
    code: 'validation_failed',
    error: () => 'messages[0].content: must be a text or a list of content parts',
    upstreamStatus: null,
  },
  {
    share: 0.012,
    status: 499,
    code: 'client_closed',
    error: () => 'the client closed the connection',
    upstreamStatus: null,
  },
];

const surfaces = ['openai', 'openai', 'openai', 'completions', 'messages', 'responses'] as const;

/** A request with its key's name. */
interface MadeUpRequest {
  readonly keyName: string;
  readonly request: NewRequest;
  /** The choice behind it; null: its client named the model. */
  readonly choice: NewChoice | null;
}

const keyNames: readonly string[] = ['web-app', 'web-app', 'support-bot', 'batch-jobs', 'coding'];

/**
 * Requests of the last days, more by day than by night, the oldest first.
 * @param count how many
 */
export function demoRequests(now: number, days: number, count: number): MadeUpRequest[] {
  const random = seeded(7);
  const times: number[] = [];
  while (times.length < count) {
    const at = now - random() * days * dayMs;
    const hour = new Date(at).getUTCHours();
    const share = 0.25 + 0.75 * Math.max(0, Math.sin(((hour - 5) / 24) * 2 * Math.PI));
    if (random() < share) times.push(at);
  }
  return times.sort((a, b) => a - b).map((at) => madeUpRequest(at, random));
}

function madeUpRequest(at: number, random: () => number): MadeUpRequest {
  const model = drawn(random, models);
  const keyName = keyNames[Math.floor(random() * keyNames.length)]!;
  const failure =
    failures.find((one) => (one.only?.({ model, keyName }) ?? true) && random() < one.share) ??
    null;
  const isChosen =
    failure === null && model.quality > 0.8 && /^(web-app|support-bot)$/.test(keyName);
  const promptTokens = Math.round(300 + 12_000 * random() ** 4);
  const isAnswered = failure === null || failure.status === 200;
  const completionTokens = isAnswered ? Math.round(40 + 1_600 * random() ** 2) : 0;
  const spread = 0.6 + 0.8 * random() + (random() < 0.03 ? 3 : 0);
  const ttftMs = Math.round(model.ttftMs * spread);
  const latencyMs = isAnswered
    ? ttftMs + Math.round(completionTokens * model.tokenMs * spread)
    : waitedMs(failure, ttftMs);
  const costUsd = isAnswered
    ? (promptTokens * model.inputUsd + completionTokens * model.outputUsd) / 1e6
    : 0;
  const request = requestRow({
    accountId: firstAccountId,
    at: Math.round(at),
    surface: surfaces[Math.floor(random() * surfaces.length)]!,
    provider: model.provider,
    model: model.model,
    status: failure?.status ?? 200,
    code: failure?.code ?? null,
    error: failure?.error(model.provider, model.model) ?? null,
    latencyMs,
    ttftMs: isAnswered ? ttftMs : null,
    promptTokens: isAnswered ? promptTokens : null,
    completionTokens: isAnswered ? completionTokens : null,
    costUsd: isAnswered ? costUsd : null,
    stream: random() < 0.7,
    attempts: attemptsOf(model, failure, latencyMs, isAnswered ? ttftMs : null),
    plan: isChosen ? planOf(model, promptTokens, completionTokens) : null,
  });
  const choice = isChosen ? choiceOf(model, promptTokens, completionTokens, costUsd) : null;
  return { keyName, request, choice };
}

const promptUsd = ({ inputUsd }: DemoModel, tokens: number): number => (tokens * inputUsd) / 1e6;
const answerUsd = ({ outputUsd }: DemoModel, tokens: number): number => (tokens * outputUsd) / 1e6;

/** The model that answered, then the others. */
const candidatesOf = (chosen: DemoModel): DemoModel[] => [
  chosen,
  ...models.filter((one) => one !== chosen),
];

/** What is kept of the plan of a request with model `auto`. */
const planOf = (chosen: DemoModel, promptTokens: number, answerTokens: number): object => ({
  reason: 'the best value: quality 60 %, cost 30 %, latency 10 %',
  candidates: candidatesOf(chosen).map((one) => ({
    label: `${one.provider}/${one.model}`,
    provider: one.provider,
    model: one.model,
    quality: one.quality,
    interval: [one.quality - 0.06, Math.min(1, one.quality + 0.05)],
    price: (3 * one.inputUsd + one.outputUsd) / 4,
    cost: promptUsd(one, promptTokens) + answerUsd(one, answerTokens),
    latency: one.ttftMs / 1_000,
    score: one === chosen ? 0.9 : 0.9 - Math.abs(one.quality - chosen.quality),
    reason: one === chosen ? 'the best value' : 'a lower value',
  })),
});

const choiceOf = (
  chosen: DemoModel,
  promptTokens: number,
  tokens: number,
  costUsd: number,
): NewChoice => ({
  preferenceId: null,
  names: candidatesOf(chosen).map(({ provider, model }) => `${provider}/${model}`),
  figures: candidatesOf(chosen).flatMap((one) => [
    one.quality,
    0.05,
    promptUsd(one, promptTokens),
    answerUsd(one, tokens),
  ]),
  chosen: 0,
  measured: { costUsd, tokens, expectedTokens: Math.round(0.9 * tokens) },
});

/** One of the rows by its share. */
function drawn(random: () => number, rows: readonly DemoModel[]): DemoModel {
  let left = random();
  return rows.find(({ share }) => (left -= share) < 0) ?? rows[0]!;
}

const waitedMs = ({ code, upstreamStatus }: DemoFailure, ttftMs: number): number =>
  code === 'upstream_timeout' ? 60_010 : upstreamStatus === null ? 2 : Math.round(ttftMs * 0.4);

/** The upstream calls: none where the gateway refused, three where the provider was overloaded. */
function attemptsOf(
  { provider, model }: DemoModel,
  failure: DemoFailure | null,
  latencyMs: number,
  firstContentMs: number | null,
): object[] {
  const isRefused = failure !== null && failure.status >= 400 && failure.status < 499;
  if (isRefused && failure.upstreamStatus === null) return [];
  const count = failure?.code === 'upstream_overloaded' ? 3 : 1;
  return Array.from({ length: count }, (_, index) => ({
    startMs: Math.round((latencyMs / count) * index),
    waitMs: 0,
    sentMs: 1,
    headersMs: firstContentMs,
    firstContentMs,
    provider,
    model,
    number: index + 1,
    outcome: failure === null ? 'ok' : (failure.outcome ?? failure.code),
    status: failure === null ? 200 : failure.upstreamStatus,
    error:
      failure?.error(provider, model).replace(/^all 3 attempts failed; the last: /, '') ?? null,
    latencyMs: Math.round(latencyMs / count),
    keyIndex: null,
  }));
}

/** The keys of the requests; two have budgets. */
function demoKeys(now: number): NewKey[] {
  const key = (name: string, more: Partial<NewKey> = {}): NewKey =>
    keyFor(firstAccountId, name, newKey(), { createdAt: now - 30 * dayMs, ...more });
  return [
    key('web-app', { limits: { ...noLimits, monthBudgetUsd: 40 } }),
    key('support-bot'),
    key('batch-jobs', {
      models: ['groq/*', 'mistral/*', 'gemini/*', 'anthropic/*'],
      limits: { ...noLimits, dayBudgetUsd: 2 },
    }),
    key('coding', { scopes: ['completions', 'model-select'] }),
  ];
}

const questions: readonly [string, string][] = [
  ['Why is the sky blue?', 'Air scatters **short waves** of light far more than long ones.'],
  ['A regular expression for ISO dates', 'Use `^\\d{4}-\\d{2}-\\d{2}$` and check the ranges.'],
  ['Summarise our incident of Tuesday', '1. The cache was full.\n2. Writes were refused.'],
];

const addConversations = ({ conversations }: Store, now: number): Promise<unknown> =>
  conversations.append(
    questions.map(([question, answer], index) => {
      const by = { provider: null, model: null, finishReason: null, usage: null, costUsd: null };
      const { provider, model } = models[index]!;
      return {
        conversationId: randomUUID(),
        accountId: firstAccountId,
        begins: { title: question },
        history: [{ ...by, id: randomUUID(), role: 'user', content: question }],
        answer: {
          ...by,
          id: randomUUID(),
          role: 'assistant',
          content: answer,
          provider,
          model,
          finishReason: 'stop',
          costUsd: 0.0004,
        },
        at: now - (index + 1) * 3_600_000,
      };
    }),
  );

/** Adds up the choices, as a gateway does before it writes them. */
async function addChoices(
  { choices }: Store,
  made: readonly MadeUpRequest[],
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const sums = new Map<string, ChosenSums>();
  for (const { keyName, request, choice } of made) {
    if (choice === null) continue;
    const whose = { accountId: firstAccountId, keyId: ids.get(keyName) ?? null, at: request.at };
    const day = new Date(request.at).toISOString().slice(0, 10);
    const key = keyOfChoice(whose, choice, day);
    sums.set(key, withChoice(sums.get(key), whose, choice, day, 1));
  }
  await choices.add([...sums.values()]);
}

/** Adds keys, requests of the last days, the choices behind them, and conversations. */
export async function addDemoData(
  store: Store,
  { days = 7, count = requestCount } = {},
): Promise<void> {
  const now = Date.now();
  const ids = new Map<string, string>();
  for (const key of demoKeys(now)) ids.set(key.name, (await store.keys.add(key)).id);
  const made = demoRequests(now, days, count);
  const rows = made.map(({ keyName, request }) => ({
    ...request,
    keyId: ids.get(keyName) ?? null,
  }));
  for (let at = 0; at < rows.length; at += 500) await store.requests.add(rows.slice(at, at + 500));
  while ((await store.periods.merge(now, 5_000)) > 0);
  await addChoices(store, made, ids);
  await store.keys.touch(new Map(rows.map(({ keyId, at }) => [keyId ?? '', at])));
  await addConversations(store, now);
}

async function fill(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const onWarning = (warning: string): void => console.error(warning);
  const store = await openStore(`file:${join(folder, 'signalbox.db')}`, { poolSize: 1, onWarning });
  await addDemoData(store).finally(() => store.close());
  console.log(`${requestCount} requests are in ${folder}. To look at them:

  node dist/cli/main.js --data-dir ${folder} accounts claim-code   # the code to claim it with
  SIGNALBOX_DATA_DIR=${folder} npm start`);
}

if (process.argv[1] === import.meta.filename) await fill(process.argv[2] ?? 'data/demo');
