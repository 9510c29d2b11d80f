import type { RequestHandler } from 'express';
import { closestName } from '../../config/closest.js';
import { readSchema } from '../../config/schema/compile-schema.js';
import { type UnknownField, unknownFieldsOf } from '../../config/schema/unknown-fields.js';
import { effortOf, efforts } from '../../completion.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { contextOf } from '../context.js';
import { stage } from '../stage.js';
import type { ModelSelectRequest } from '../surfaces/model-select.js';

/** What a field probably means, where the closest known name is another or none. */
const meanings: Readonly<Record<string, string>> = {
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  model: 'models',
};

/** Names fields that the schema does not know, and unknown efforts, in `request.warnings`. */
export function warnUnknown(parts: GatewayParts, schema: string): RequestHandler {
  const unknownFields = unknownFieldsOf(schema);
  const passedOn = new Set(
    schema === 'completions.request'
      ? Object.keys(readSchema('chat-completions.request')['properties'] ?? {})
      : [],
  );
  return stage((req, res) => {
    const unknown = unknownFields(req.body);
    const noEfforts = schema === 'model-select.request' ? oddEffortsOf(req.body) : [];
    if (unknown.length === 0 && noEfforts.length === 0) return;
    contextOf(parts, res).request.warnings = [
      ...unknown.map((one) => ({
        field: one.field,
        message: `is not known and has no effect${adviceOn(one, passedOn)}`,
      })),
      ...noEfforts.map((field) => ({ field, message: noEffort })),
    ];
  });
}

const noEffort = `is no effort and has no effect; efforts are ${efforts.join(', ')}`;
/** How many fields are named. */
const maxOddEfforts = 20;

/** The fields of model selection's candidates whose effort is unknown. */
function oddEffortsOf(body: unknown): string[] {
  const { llm_providers: entries } = body as ModelSelectRequest;
  const found: string[] = [];
  for (let place = 0; place < entries.length && found.length < maxOddEfforts; place++) {
    const effort = entries[place]?.attributes?.['reasoning_effort'] ?? null;
    if (effort !== null && effortOf(effort) === null)
      found.push(`llm_providers[${place}][attributes][reasoning_effort]`);
  }
  return found;
}

function adviceOn({ key, field, knownKeys }: UnknownField, passedOn: ReadonlySet<string>): string {
  const isTop = key === field;
  const meant = isTop && Object.hasOwn(meanings, key) ? meanings[key] : undefined;
  if (meant !== undefined && knownKeys.includes(meant)) return `; did you mean ${meant}?`;
  if (isTop && passedOn.has(key)) return '; POST /v1/chat/completions passes it on to the provider';
  const near = closestName(key, knownKeys);
  return near === null ? '' : `; did you mean ${near}?`;
}
