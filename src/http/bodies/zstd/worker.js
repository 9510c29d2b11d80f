// @ts-check
import { parentPort, workerData } from 'node:worker_threads';
import { ZSTDDecoder } from 'zstddec/stream';

/* A thread for one body: its memory, up to 128 MiB for a window, is free when it ends. */

/** After an error the library yields empty pieces without end. */
const maxEmpty = 8;
/** Frames of a byte each would otherwise be a message each, which hold up the main thread. */
const minPosted = 65_536;
/** A frame that is skipped: the library writes what is left of the last block only before more input. */
const skipped = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0);

const { bytes, maxBytes } = /** @type {{ bytes: Uint8Array, maxBytes: number }} */ (workerData);
const decoder = new ZSTDDecoder();
await decoder.init();
/** @type {Uint8Array[]} */
let pieces = [];
let waiting = 0;
let length = 0;
let empty = 0;
const post = () => {
  if (waiting > 0) parentPort?.postMessage(Buffer.concat(pieces, waiting));
  pieces = [];
  waiting = 0;
};
for (const piece of decoder.decodeStreaming([bytes, skipped])) {
  empty = piece.length === 0 ? empty + 1 : 0;
  if (empty > maxEmpty) throw new Error('the frames are not valid');
  length += piece.length;
  pieces.push(piece);
  waiting += piece.length;
  if (waiting >= minPosted) post();
  // the reader refuses the body
  if (length > maxBytes) break;
}
post();
