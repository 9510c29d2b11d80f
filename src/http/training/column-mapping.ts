import { compileSchema } from '../../config/schema/compile-schema.js';
import { fieldName } from '../../config/schema/failure.js';
import { invalidField } from '../../errors.js';
import type { StoredWishes } from '../../store/contracts/trainings.js';

/** What the columns of a file mean. */
export interface MappedColumns {
  readonly promptColumn: string;
  readonly columns: NonNullable<StoredWishes['columns']>;
}

type Meaning =
  | 'prompt'
  | 'ignore'
  | { readonly model: string; readonly role: 'score' | 'cost' | 'latency' | 'response' };

/** Reads the form field `mapping`, which is JSON. @throws GatewayError `validation_failed` */
export function readMapping(text: string): MappedColumns {
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
