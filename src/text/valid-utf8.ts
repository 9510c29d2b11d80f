import { isUtf8 } from 'node:buffer';

/** Where the last character begins if its rest is to come; else the length. */
function endOfWhole(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= bytes.length - 3 && at >= 0; at--) {
    const byte = bytes[at]!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return at + length > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/**
 * A piece of a stream in which U+FFFD stands for what is not UTF-8, as where a server writes Latin-1
 * or halves of characters. Characters may be cut at both ends. The same piece where all is right.
 */
export function validUtf8(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return bytes;
  let start = 0;
  while (start < 3 && (bytes[start]! & 0xc0) === 0x80) start++;
  const end = Math.max(start, endOfWhole(bytes));
  const whole = bytes.subarray(start, end);
  if (isUtf8(whole)) return bytes;
  const read = Buffer.from(whole.toString('utf8'));
  return Buffer.concat([bytes.subarray(0, start), read, bytes.subarray(end)]);
}
