import type { RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import { callerOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { addPreference, dropPreference } from '../../api/preferences.js';
import { startTraining } from '../../api/trainings.js';
import { bodyLimits } from '../bodies/body-limits.js';
import { readTrainingBody } from '../training/training-body.js';

/** An entry of `llm_providers`. */
interface Entry {
  readonly provider?: unknown;
  readonly model?: unknown;
}

/**
 * `POST /v2/pzn/trainCustomRouter`: answers `{preference_id}`; creates a preference if none is
 * named.
 */
export function trainCustomRouter(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { accountId } = callerOf(res);
    const body = await readTrainingBody(req, bodyLimits(parts, res));
    const models = modelsIn(body.fields['llm_providers']);
    const override = body.fields['override'] ?? 'true';
    const named = body.fields['preference_id'] || null;
    if (named !== null && /^false$/i.test(override)) await refuseTrained(parts, accountId, named);
    const id = named ?? (await addPreference(parts, accountId, { name: 'Custom router' })).id;
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
    sendJson(res, 200, { preference_id: id });
  });
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
function modelsIn(text: string | undefined): Required<Entry>[] | null {
  if (text === undefined || text.trim() === '') return null;
  const entries = parsed(text);
  if (!Array.isArray(entries) || entries.length < 2)
    throw invalidField('llm_providers', 'must be a JSON list of at least 2 models', 'bad_request');
  return entries.map((entry: Entry | string | null) => {
    const { provider, model } =
      typeof entry === 'string'
        ? {
            provider: entry.slice(0, entry.indexOf('/')),
            model: entry.slice(entry.indexOf('/') + 1),
          }
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The columns of these models: a file may name them with or without their provider. */
function columnsOf(models: readonly Required<Entry>[], text: string): string[] {
  // compares whole names: cells of a CSV header, or keys of JSON
  const named = new Set(
    text
      .slice(0, 20_000)
      .split(/[",\r\n\ufeff]/)
      .map((name) => name.trim().replace(/\/score$/, '')),
  );
  return models.map(({ provider, model }) =>
    named.has(`${String(provider)}/${String(model)}`)
      ? `${String(provider)}/${String(model)}`
      : String(model),
  );
}
