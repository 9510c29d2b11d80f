import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request } from 'express';
import { GatewayError, invalidField } from '../../errors.js';
import { compileSchema } from '../../config/schema/compile-schema.js';
import { fieldName } from '../../config/schema/failure.js';
import { Chooser } from '../../chooser/chooser.js';
import type { StoredWishes } from '../../store/contracts/trainings.js';
import type { TrainingBody } from '../../api/endpoint.js';
import type { BodyLimits } from '../bodies/body-limits.js';
import { readBytes, readJsonBody } from '../bodies/read-body.js';
import { withoutByteOrderMark } from '../../text/json-values.js';
import { readForm } from './read-form.js';

interface JsonRequest {
  readonly rows?: readonly object[] | null;
  readonly maximize?: boolean | null;
  readonly evaluations?: boolean | null;
}

/** The names under which a form may carry the evaluations. */
const fileFields = ['file', 'dataset_file'];
const rowsPerSlice = 1_000;
/** How many times more values rows may have: 100,000 rows are cheap, as they repeat field names. */
const valuesOfRows = 10;
/** Fixed, so that training the same prompts again gives the same router. */
const seed = 1;

/**
 * Reads a body with evaluations: a multipart form with a file, JSON, CSV or JSON Lines.
 * @throws GatewayError `unsupported_media_type`, `payload_too_large`, `malformed_json`,
 * `validation_failed`
 */
export async function readTrainingBody(req: Request, limits: BodyLimits): Promise<TrainingBody> {
  const type = (req.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'application/json')
    return fromJson(
      await readJsonBody(req, { ...limits, maxValues: valuesOfRows * limits.maxValues }),
    );
  const query = Object.fromEntries(
    Object.entries(req.query).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
  if (type === 'text/csv') return bodyOf(textOf(await readBytes(req, limits)), query, 'csv');
  if (type === 'application/x-ndjson' || type === 'application/jsonl')
    return bodyOf(textOf(await readBytes(req, limits)), query, 'jsonl');
  if (type === 'multipart/form-data')
    return fromForm(await readBytes(req, limits), req.get('content-type') ?? '', query);
  throw new GatewayError(
    'unsupported_media_type',
    'content-type: must be multipart/form-data, application/json, text/csv or application/x-ndjson',
  );
}

/** Ten MB take about a second: the rows are read in slices, so that other requests proceed. */
async function fromJson(body: unknown): Promise<TrainingBody> {
  await nextTurn();
  const failure = compileSchema('training.request').firstFailure(body);
  if (failure) throw invalidField(failure.field, failure.reason);
  const { rows: given, maximize, evaluations } = body as JsonRequest;
  const rows = given ?? [];
  const lines: string[] = [];
  for (let from = 0; from < rows.length; from += rowsPerSlice) {
    await nextTurn();
    lines.push(...rows.slice(from, from + rowsPerSlice).map((row) => JSON.stringify(row)));
  }
  return {
    text: lines.join('\n'),
    fields: {},
    hasCollected: evaluations ?? false,
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
  const parts = await readForm(bytes, type).catch((cause: unknown) => {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError('malformed_json', 'the body is not a valid multipart form', { cause });
  });
  const fields = Object.fromEntries(
    parts.flatMap(({ name, content }) =>
      typeof content === 'string' && !fileFields.includes(name) ? [[name, content]] : [],
    ),
  );
  const file = fileFields
    .map((field) => parts.find(({ name }) => name === field))
    .find((part) => part !== undefined);
  const hasCollected = isTrue({ ...query, ...fields }, 'evaluations', 'false');
  if (!file && !hasCollected) throw invalidField('file', 'is required');
  if (!file) return bodyOf('', { ...query, ...fields }, 'jsonl');
  const text = typeof file.content === 'string' ? file.content : textOf(file.content);
  return bodyOf(text, { ...query, ...fields }, null);
}

function bodyOf(
  text: string,
  fields: Record<string, string>,
  format: StoredWishes['format'] | null,
): TrainingBody {
  const maximize = isTrue(fields, 'maximize', 'true');
  const mapped = fields['mapping'] === undefined ? null : readMapping(fields['mapping']);
  return {
    text,
    fields,
    hasCollected: isTrue(fields, 'evaluations', 'false'),
    wishes: {
      format: format ?? Chooser.formatOf(text),
      promptColumn:
        mapped?.promptColumn ?? fields['promptColumn'] ?? fields['prompt_column'] ?? 'prompt',
      models: null,
      maximize,
      seed,
      ...(mapped ? { columns: mapped.columns } : {}),
    },
  };
}

function isTrue(fields: Readonly<Record<string, string>>, name: string, normal: string): boolean {
  const value = fields[name] ?? normal;
  if (!/^(true|false)$/i.test(value)) throw invalidField(name, 'must be true or false');
  return value.toLowerCase() === 'true';
}

/** Checked first, because decoding would silently insert replacement characters. */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalidField('file', 'is not valid UTF-8');
  return withoutByteOrderMark(bytes).toString('utf8');
}

/** What the columns of a file mean. */
interface MappedColumns {
  readonly promptColumn: string;
  readonly columns: NonNullable<StoredWishes['columns']>;
}

type Meaning =
  | 'prompt'
  | 'ignore'
  | { readonly model: string; readonly role: 'score' | 'cost' | 'latency' | 'response' };

/** Reads the form field `mapping`, which is JSON. @throws GatewayError `validation_failed` */
function readMapping(text: string): MappedColumns {
  const value = parsed(text);
  const failure = compileSchema('training-mapping.request').firstFailure(value);
  if (failure) throw invalidField(fieldName(['mapping', ...failure.path]), failure.reason);
  const meanings = Object.entries(value as Record<string, Meaning>);
  const [prompt, ...others] = meanings.filter(([, meaning]) => meaning === 'prompt');
  if (prompt === undefined || others.length > 0)
    throw invalidField('mapping', 'must name exactly one column as "prompt"');
  const columns = meanings.flatMap(([name, meaning]) =>
    typeof meaning === 'object' && meaning.role !== 'response'
      ? [{ name, model: meaning.model, role: meaning.role }]
      : [],
  );
  const twice = columns.find(
    ({ model, role }, at) =>
      columns.findIndex((one) => one.model === model && one.role === role) !== at,
  );
  if (twice)
    throw invalidField('mapping', `names two columns as the ${twice.role} of ${twice.model}`);
  return { promptColumn: prompt[0], columns };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('mapping', 'must be JSON');
  }
}
