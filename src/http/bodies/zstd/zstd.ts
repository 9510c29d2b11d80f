import { Transform, type TransformCallback } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { BodyPieces } from '../../../async/body-pieces.js';
import { FairQueue } from '../../../async/fair-queue.js';
import { asError, GatewayError } from '../../../errors.js';
import { threadOptions } from '../../../async/thread-options.js';
import { threadScript } from '../../../package-files.js';
import { type BodyLimits, tooLarge } from '../body-limits.js';

const timeoutMs = 10_000;

/**
 * Decompresses zstd in a thread. Node's own decompressor (from 22.15) ends without an error after
 * the first of several frames, and accepts an empty body.
 */
export const createZstd = (limits: BodyLimits): Transform => new ZstdThread(limits);

/** The threads of all bodies, which accounts share fairly: each body may take one for seconds. */
const threads = new FairQueue({
  maxRunning: 2,
  maxRunningPerNetwork: 2,
  maxWaiting: 1_000,
  maxWaitingPerNetwork: 500,
  refusal: () =>
    new GatewayError('unavailable', 'too many compressed bodies wait to be read', {
      retryAfterMs: 1_000,
    }),
});

/** Collects the compressed body, which counts as in progress too, and then decompresses it. */
class ZstdThread extends Transform {
  private readonly pieces = new BodyPieces();
  private length = 0;
  private worker: Worker | null = null;

  constructor(private readonly limits: BodyLimits) {
    super();
  }

  override _transform(piece: Buffer, _encoding: string, done: TransformCallback): void {
    try {
      this.length += piece.length;
      if (this.length > this.limits.maxBytes) throw tooLarge(this.limits);
      this.limits.hold(piece.length);
      this.pieces.add(piece);
      done();
    } catch (error) {
      done(asError(error));
    }
  }

  override _flush(done: TransformCallback): void {
    const { accountId: address } = this.limits;
    void threads
      .run({ network: address, address }, () => this.decompress())
      .then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void this.worker?.terminate();
    done(error);
  }

  private decompress(): Promise<void> {
    if (this.destroyed) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.worker = new Worker(threadScript('http/bodies/zstd/worker'), {
        execArgv: threadOptions(process.execArgv),
        name: 'zstd',
        workerData: { bytes: this.pieces.joined(), maxBytes: this.limits.maxBytes },
        env: {},
      });
      const timer = setTimeout(() => void this.worker?.terminate(), timeoutMs).unref();
      this.worker.on('message', (piece: Uint8Array) => this.push(piece));
      this.worker.on('error', reject);
      this.worker.on('exit', (code) => {
        clearTimeout(timer);
        if (code === 0) resolve();
        else reject(new Error(`the thread ended with ${code}`));
      });
    });
  }
}
