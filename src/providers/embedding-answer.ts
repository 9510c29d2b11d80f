import type { TaskAnswer } from './adapter.js';
import { unreadable } from './failure.js';

const isVector = (given: unknown): boolean =>
  Array.isArray(given)
    ? given.length > 0 && given.every(Number.isFinite)
    : typeof given === 'string' && given !== '';

/**
 * @returns how many embeddings a request asks for
 * @throws GatewayError `unreadable_answer` unless there are as many, each of numbers or packed
 */
export function checkVectors(
  provider: string,
  vectors: readonly unknown[],
  { input }: Readonly<Record<string, unknown>>,
): number {
  const isList = Array.isArray(input) && !input.every(Number.isFinite);
  const asked = isList ? input.length : input === undefined ? vectors.length : 1;
  if (vectors.length === asked && vectors.every(isVector)) return asked;
  throw unreadable(provider, `the body has not ${asked} embeddings`);
}

/** Encodes a vector as base64 of little-endian 32-bit floats, the default of OpenAI's SDK. */
export function packVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

/** The numbers of a packed vector. */
export function unpackVector(packed: string): number[] {
  const bytes = Buffer.from(packed, 'base64');
  return Array.from({ length: bytes.length >> 2 }, (_none, index) => bytes.readFloatLE(index * 4));
}

/**
 * Vectors in OpenAI's shape.
 * @throws GatewayError as `checkVectors`
 * @param promptTokens null: the provider reported none
 * @param request the body of the request, which says whether lists of numbers are to be packed
 */
export function embeddingAnswer(
  provider: string,
  model: string,
  vectors: readonly (readonly number[] | string)[],
  promptTokens: number | null,
  request: Readonly<Record<string, unknown>>,
): TaskAnswer {
  checkVectors(provider, vectors, request);
  const isPacked = request['encoding_format'] === 'base64';
  const tokens = promptTokens ?? 0;
  return {
    answer: {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: isPacked && typeof vector !== 'string' ? packVector(vector) : vector,
      })),
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    promptTokens,
  };
}
