import { invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { type Call, endpointsOf, type Endpoint, type RequestCall } from './endpoint.js';
import { idOf } from './page-request.js';
import {
  createPreference,
  deletePreference,
  dropPreference,
  type PreferenceRequest,
  updatePreference,
} from './preferences.js';
import { startTraining } from './trainings.js';
import { parsedJson } from '../text/json-values.js';

const endpoint = endpointsOf({ tag: 'SDK dialect', scope: 'model-select' });
const response = 'v2-preference.response';
const preferencePath = '/v2/preferences/userPreference';
const reports = {
  response: 'v2-report.response',
  errors: { 404: 'The session does not exist.' },
} as const;

const createUserPreference = endpoint('post', `${preferencePath}Create`, 'createPreferenceV2', {
  response,
  summary: 'Create a preference',
  request: 'v2-preference.request',
  example: { name: 'support' },
  async run(call: Call<PreferenceRequest>) {
    const { id } = await createPreference.run({ ...call, body: settingsOf(call.body) });
    return { preference_id: id };
  },
});

/** The body names the preference. */
const updateUserPreference = endpoint('put', `${preferencePath}Update`, 'updatePreferenceV2', {
  response,
  summary: 'Change a preference',
  request: 'v2-preference-change.request',
  example: { preference_id: 'PREFERENCE_ID', name: 'support' },
  errors: { 404: 'The preference does not exist.' },
  async run(call: Call<PreferenceRequest & { readonly preference_id: string }>) {
    const { preference_id: id } = call.body;
    await updatePreference.run({ ...call, params: { id }, body: settingsOf(call.body) });
    return { preference_id: id };
  },
});

const deletePath = `${preferencePath}Delete/{id}`;
const deleteUserPreference = endpoint('delete', deletePath, 'deletePreferenceV2', {
  response,
  summary: 'Delete a preference',
  async run(call: Call) {
    await deletePreference.run(call);
    return { preference_id: idOf(call) };
  },
});

const reportFeedback = endpoint('post', '/v2/report/metrics/feedback', 'reportFeedbackV2', {
  ...reports,
  summary: 'Rate a selected model',
  request: 'v2-feedback.request',
  example: { session_id: 'SESSION_ID', feedback: { accuracy: 1 } },
  run: storeReport,
});

const reportLatency = endpoint('post', '/v2/report/metrics/latency', 'reportLatencyV2', {
  ...reports,
  summary: 'Report the speed of a selected model',
  request: 'v2-latency.request',
  example: { session_id: 'SESSION_ID', feedback: { tokens_per_second: 80 } },
  run: storeReport,
});

const form = {
  dataset_file: {
    type: 'string',
    format: 'binary',
    description: 'CSV with a column of prompts, and a column of scores for each model.',
  },
  language: { type: 'string', description: 'Not used.' },
  llm_providers: {
    type: 'string',
    description: 'A JSON list of `{provider, model}`. Default: all columns.',
  },
  prompt_column: { type: 'string', description: 'The column of prompts. Default: `prompt`.' },
  maximize: {
    type: 'string',
    enum: ['true', 'false'],
    description: '`false`: lower scores are better. Default: `true`.',
  },
  preference_id: { type: 'string', description: 'Default: a new preference.' },
  override: { type: 'string', description: '`false`: refuse to replace a trained router.' },
};

/** Creates a preference if the form names none. */
const trainCustomRouter = endpoint('post', '/v2/pzn/trainCustomRouter', 'trainCustomRouterV2', {
  response,
  summary: "Train a preference's own router",
  description: 'The answer says that the training has started.',
  otherBodies: {
    'multipart/form-data': {
      schema: { type: 'object', required: ['dataset_file'], properties: form },
    },
  },
  errors: {
    404: 'The preference does not exist.',
    409: 'Another training of this account has not ended.',
  },
  async run(call: RequestCall) {
    const { parts, caller } = call;
    const { accountId } = caller;
    const body = await call.evaluations();
    const models = modelsIn(body.fields['llm_providers']);
    const override = body.fields['override'] ?? 'true';
    const named = body.fields['preference_id'] || null;
    if (named !== null && /^false$/i.test(override)) await refuseTrained(parts, accountId, named);
    const created = { ...call, body: { name: 'Custom router' } };
    const id = named ?? (await createPreference.run(created)).id;
    try {
      await startTraining(parts, accountId, id, {
        ...body,
        wishes: { ...body.wishes, models: models && columnsOf(models, body.text) },
      });
    } catch (error) {
      // the client does not know the new preference yet
      if (named === null) await dropPreference(parts, accountId, id);
      throw error;
    }
    return { preference_id: id };
  },
});

/** The `/v2` dialect of public SDKs, except for the selection itself. */
export const v2Endpoints: readonly Endpoint[] = [
  createUserPreference,
  updateUserPreference,
  deleteUserPreference,
  reportFeedback,
  reportLatency,
  trainCustomRouter,
];

/** The bodies of `/v2/report/metrics/…`. */
interface Report {
  session_id: string;
  provider?: { provider?: string | null; model?: string | null } | string | null;
  feedback: { accuracy?: number | boolean; tokens_per_second?: number };
}

async function storeReport({ parts, caller, body }: Call<Report>) {
  const { session_id: id, provider, feedback } = body;
  const candidate =
    typeof provider === 'object' && provider
      ? { provider: provider.provider ?? null, model: provider.model ?? null }
      : {};
  await parts.state.chooser.rate(caller, {
    subject: { kind: 'session', id },
    score: feedback.accuracy === undefined ? null : Number(feedback.accuracy),
    tokensPerSecond: feedback.tokens_per_second ?? null,
    ...candidate,
  });
  return { session_id: id, feedback };
}

/** The settings of a preference, from a body that may have other fields. */
function settingsOf(body: PreferenceRequest): PreferenceRequest {
  const { name, weights, allow, exclude, maxPrice, maxLatency, tradeoff, exploration } = body;
  const given = { name, weights, allow, exclude, maxPrice, maxLatency, tradeoff, exploration };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** An entry of `llm_providers`. */
interface Entry {
  readonly provider: string;
  readonly model: string;
}

async function refuseTrained(
  { state }: GatewayParts,
  accountId: string,
  preferenceId: string,
): Promise<void> {
  const { store } = await state.opened();
  const router = (await store.preferences.find(accountId, preferenceId))?.router;
  const isUseful = router && (router.part !== 'calibration' || router.saved !== undefined);
  if (isUseful)
    throw invalidField('override', 'the preference already has a trained router', 'bad_request');
}

/** The models in `llm_providers`; null if it is absent. */
function modelsIn(text: string | undefined): Entry[] | null {
  if (text === undefined || text.trim() === '') return null;
  const entries = parsedJson(text);
  if (!Array.isArray(entries) || entries.length < 2)
    throw invalidField('llm_providers', 'must be a JSON list of at least 2 models', 'bad_request');
  return entries.map((entry: { [Name in keyof Entry]?: unknown } | string | null) => {
    const slash = typeof entry === 'string' ? entry.indexOf('/') : -1;
    const { provider, model } =
      typeof entry === 'string'
        ? { provider: entry.slice(0, slash), model: entry.slice(slash + 1) }
        : (entry ?? {});
    if (typeof provider !== 'string' || typeof model !== 'string')
      throw invalidField(
        'llm_providers',
        'must have a provider and a model in each entry',
        'bad_request',
      );
    return { provider, model };
  });
}

/** The columns of these models: a file may name them with or without their provider. */
function columnsOf(models: readonly Entry[], text: string): string[] {
  // compares whole names: cells of a CSV header, or keys of JSON
  const named = new Set(
    text
      .slice(0, 20_000)
      .split(/[",\r\n\ufeff]/)
      .map((name) => name.trim().replace(/\/score$/, '')),
  );
  return models.map(({ provider, model }) => {
    const label = `${provider}/${model}`;
    return named.has(label) ? label : model;
  });
}
