import { Busboy } from '@fastify/busboy';

/** One part of a form: text for a field, bytes for a file. */
export interface FormPart {
  readonly name: string;
  readonly content: string | Buffer;
}

/**
 * A form has one file and a few fields; further parts are ignored. The body's size is the caller's
 * bound.
 */
const limits = { fieldSize: Infinity, fields: 100, files: 10 };

/**
 * Parses a `multipart/form-data` body that is in memory, in the order of its parts.
 * @param type the `Content-Type` header, which holds the boundary
 * @throws Error if the body is not a valid form, or ends before its last boundary
 */
export function readForm(body: Buffer, type: string): Promise<FormPart[]> {
  return new Promise((resolve, reject) => {
    const parts: FormPart[] = [];
    const parser = new Busboy({
      headers: { 'content-type': type },
      limits,
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
    parser.on('field', (name, content) => parts.push({ name, content }));
    parser.on('file', (name, file) => {
      const pieces: Buffer[] = [];
      file.on('data', (piece: Buffer) => pieces.push(piece));
      file.on('end', () => parts.push({ name, content: Buffer.concat(pieces) }));
      file.on('error', reject);
    });
    parser.on('finish', () => resolve(parts));
    parser.on('error', reject);
    parser.end(body);
  });
}
