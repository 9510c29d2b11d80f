import { crc32 } from 'node:zlib';
import { EventStreamCodec } from '@smithy/eventstream-codec';

/**
 * One message of an AWS event stream: its text headers (`:event-type`, …) and its payload as UTF-8.
 */
export interface Frame {
  headers: Record<string, string>;
  body: string;
}

// AWS's limit for a message
const maxFrameBytes = 24 * 1024 * 1024;
const minFrameBytes = 16;
const preludeBytes = 12;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** @returns the length of the frame at the start of the bytes; null if its prelude is incomplete */
function frameLength(bytes: Buffer): number | null {
  if (bytes.length < preludeBytes) return null;
  // the codec checks this too, but only with the whole frame: a wrong length would never be reached
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new Error("the checksum of a frame's prelude is wrong");
  const length = bytes.readUInt32BE(0);
  if (length < minFrameBytes || length > maxFrameBytes)
    throw new Error(`a frame of ${length} bytes`);
  return length;
}

function decode(bytes: Buffer): Frame {
  const message = codec.decode(bytes);
  const headers: Record<string, string> = {};
  for (const [name, header] of Object.entries(message.headers)) {
    if (header.type === 'string') headers[name] = header.value;
  }
  return { headers, body: Buffer.from(message.body).toString('utf8') };
}

/**
 * Assembles frames from bytes that may be cut anywhere.
 * @param onFrame called for each frame, in order
 * @returns takes the next bytes; throws what `onFrame` throws, and an Error for a frame with a wrong
 * length or checksum
 */
export function frameReader(onFrame: (frame: Frame) => void): (bytes: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (bytes) => {
    pending = pending.length > 0 ? Buffer.concat([pending, bytes]) : bytes;
    for (
      let length = frameLength(pending);
      length !== null && length <= pending.length;
      length = frameLength(pending)
    ) {
      const frame = decode(pending.subarray(0, length));
      pending = pending.subarray(length);
      onFrame(frame);
    }
  };
}
