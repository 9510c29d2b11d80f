import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request } from 'express';
import { GatewayError, invalidField } from '../../errors.js';
import { compileSchema } from '../../config/schema/compile-schema.js';
import { formatOf } from '../../training/custom/evaluation-file.js';
import type { StoredWishes } from '../../store/contracts/trainings.js';
import { readBytes, readJsonBody } from '../read-body.js';

/** Evaluations as they came, and what was said with them. */
export interface TrainingBody {
  readonly text: string;
  readonly wishes: StoredWishes;
  /** Fields of a form beside the file, or parameters of the query. */
  readonly fields: Readonly<Record<string, string>>;
}

interface JsonRequest {
  readonly rows: readonly object[];
  readonly maximize?: boolean | null;
}

const files = ['file', 'dataset_file'];
const rowsAtOnce = 1_000;
/** The same prompts trained again give the same router. */
const seed = 1;

/**
 * Reads a body with evaluations: a form with a file, JSON, CSV or lines of JSON.
 * @throws GatewayError `unsupported_media_type`, `payload_too_large`, `malformed_json`, `validation_failed`
 */
export async function readTrainingBody(req: Request, maxBytes: number): Promise<TrainingBody> {
  const type = (req.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'application/json') return fromJson(await readJsonBody(req, maxBytes));
  const query = Object.fromEntries(
    Object.entries(req.query).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
  if (type === 'text/csv') return bodyOf(textOf(await readBytes(req, maxBytes)), query, 'csv');
  if (type === 'application/x-ndjson' || type === 'application/jsonl')
    return bodyOf(textOf(await readBytes(req, maxBytes)), query, 'jsonl');
  if (type === 'multipart/form-data')
    return fromForm(await readBytes(req, maxBytes), req.get('content-type') ?? '', query);
  throw new GatewayError(
    'unsupported_media_type',
    'content-type: must be multipart/form-data, application/json, text/csv or application/x-ndjson',
  );
}

/** Some ten MB are a second's work together: other requests go on in between. */
async function fromJson(body: unknown): Promise<TrainingBody> {
  await nextTurn();
  const failure = compileSchema('training.request').firstFailure(body);
  if (failure) throw invalidField(failure.field, failure.reason);
  const { rows, maximize } = body as JsonRequest;
  const lines: string[] = [];
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await nextTurn();
    lines.push(...rows.slice(from, from + rowsAtOnce).map((row) => JSON.stringify(row)));
  }
  return {
    text: lines.join('\n'),
    fields: {},
    wishes: {
      format: 'jsonl',
      promptColumn: 'prompt',
      models: null,
      maximize: maximize ?? true,
      seed,
    },
  };
}

async function fromForm(
  bytes: Buffer,
  type: string,
  query: Record<string, string>,
): Promise<TrainingBody> {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- it holds a whole body in memory, and this one is bounded
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch((cause: unknown) => {
      throw new GatewayError('malformed_json', 'the body is no form that can be read', { cause });
    });
  const fields = Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === 'string' && !files.includes(name) ? [[name, value]] : [],
    ),
  );
  const file = files.map((name) => form.get(name)).find((value) => value !== null) ?? null;
  if (file === null) throw invalidField('file', 'is required');
  const text = typeof file === 'string' ? file : textOf(Buffer.from(await file.arrayBuffer()));
  return bodyOf(text, { ...query, ...fields }, null);
}

function bodyOf(
  text: string,
  fields: Record<string, string>,
  format: StoredWishes['format'] | null,
): TrainingBody {
  const promptColumn = fields['promptColumn'] ?? fields['prompt_column'] ?? 'prompt';
  const { maximize = 'true' } = fields;
  if (!/^(true|false)$/i.test(maximize)) throw invalidField('maximize', 'must be true or false');
  return {
    text,
    fields,
    wishes: {
      format: format ?? formatOf(text),
      promptColumn,
      models: null,
      maximize: maximize.toLowerCase() === 'true',
      seed,
    },
  };
}

/** Decoding would put a replacement character in the place of what was meant. */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalidField('file', 'is not valid UTF-8');
  return bytes.toString('utf8');
}
