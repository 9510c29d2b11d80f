/**
 * Encodes a vector as base64 of little-endian 32-bit floats, which OpenAI's SDK requests by
 * default.
 */
export function packVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
