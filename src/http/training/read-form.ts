import { setImmediate as nextTurn } from 'node:timers/promises';
import { Busboy } from '@fastify/busboy';
import { invalidField } from '../../errors.js';

/** One part of a form: text for a field, bytes for a file. */
export interface FormPart {
  readonly name: string;
  readonly content: string | Buffer;
}

/** A form has one file and a few fields. */
const maxParts = 20;
/** No bound of fields: the caller has bounded the body. */
const limits = { fieldSize: Infinity, parts: maxParts };
/** Other requests proceed between slices. */
const sliceBytes = 65_536;

/**
 * Parses a `multipart/form-data` body that is in memory, in the order of its parts. Stops at the
 * first part too many.
 * @param type the `Content-Type` header, which holds the boundary
 * @throws GatewayError `validation_failed` for more than 20 parts; Error if the body is not a valid
 * form, or ends before its last boundary
 */
export async function readForm(body: Buffer, type: string): Promise<FormPart[]> {
  const parts: FormPart[] = [];
  const failures: Error[] = [];
  const fail = (error: Error): void => void failures.push(error);
  const refuse = (): void => {
    if (failures[0]) throw failures[0];
  };
  const parser = new Busboy({
    headers: { 'content-type': type },
    limits,
    isPartAFile: (_name, _type, fileName) => fileName !== undefined,
  });
  const finished = new Promise<void>((resolve) => {
    parser.on('finish', resolve);
    parser.on('error', (error: unknown) => {
      fail(error instanceof Error ? error : new Error('the form is not valid'));
      resolve();
    });
  });
  parser.on('partsLimit', () =>
    fail(invalidField('body', `must have at most ${maxParts} parts in its form`)),
  );
  parser.on('field', (name, content) => parts.push({ name, content }));
  parser.on('file', (name, file) => {
    const pieces: Buffer[] = [];
    file.on('data', (piece: Buffer) => pieces.push(piece));
    file.on('end', () => parts.push({ name, content: Buffer.concat(pieces) }));
    file.on('error', fail);
  });
  for (let from = 0; from < body.length; from += sliceBytes) {
    parser.write(body.subarray(from, from + sliceBytes));
    await nextTurn();
    refuse();
  }
  parser.end();
  await finished;
  refuse();
  return parts;
}
