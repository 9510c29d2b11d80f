/** Reads a body up to `maxBytes`, then cancels it. Bytes that are no UTF-8 are replaced. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
  return { text, isCut: bytes > maxBytes };
}
