import { crc32 } from 'node:zlib';
import { EventStreamCodec } from '@smithy/eventstream-codec';

/** One message of an AWS event stream: its headers as text (`:event-type`, …) and its payload decoded as UTF-8. */
export interface Frame {
  headers: Record<string, string>;
  body: string;
}

/** Puts frames together from bytes that may be cut anywhere. */
export interface FrameReader {
  /** @throws Error for a frame whose length or checksum is wrong */
  push(bytes: Buffer): void;
  /** Bytes of a frame that has begun and is not whole. */
  pendingBytes(): number;
}

// AWS allows 24 MB for a message; what says it is larger is not a message
const maxFrameBytes = 24 * 1024 * 1024;
const minFrameBytes = 16;
const preludeBytes = 12;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** @returns the length of the frame that begins the bytes, or null where the prelude is not whole */
function frameLength(bytes: Buffer): number | null {
  if (bytes.length < preludeBytes) return null;
  // the codec checks this too, but only once the whole frame is there: a wrong length would be waited for in vain
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

/** @param onFrame called for each whole frame, in order; what it throws leaves `push` as it is */
export function frameReader(onFrame: (frame: Frame) => void): FrameReader {
  let pending: Buffer = Buffer.alloc(0);
  return {
    push(bytes) {
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
    },
    pendingBytes: () => pending.length,
  };
}
