/** A vector as base64 of 32-bit floats, low byte first: what OpenAI's SDK asks for unless told otherwise. */
export function packVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
