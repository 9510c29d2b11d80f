import { Worker } from 'node:worker_threads';
import { threadOptions } from '../../async/thread-options.js';
import { threadScript } from '../../package-files.js';
import type { ExtractedText, ExtractionMessage, ExtractionTask } from './extraction/task.js';
import { PageError } from './page-error.js';

/** Bounds of one thread and its tasks. */
export interface ThreadLimits {
  /** Until a new thread has loaded its code. */
  readonly startTimeoutMs: number;
  readonly taskTimeoutMs: number;
  readonly pdfTimeoutMs: number;
  /** Of JavaScript's objects in the thread. */
  readonly maxHeapMb: number;
  /** By how much the process may grow during a task: what buffers take is not in the heap. */
  readonly maxGrowthMb: number;
}

interface Running {
  readonly finish: (result: ExtractedText | Error) => void;
  partial: ExtractedText | null;
}

const growthCheckMs = 50;
const megabyte = 1_048_576;

const unreadable = (why: string, cause?: unknown): PageError =>
  new PageError('unreadable', `the text of the page could not be found: ${why}`, null, { cause });

/**
 * A thread that extracts one document after the other. It is terminated, and is of no more use,
 * when a document takes too long or too much memory; what was found until then is the result.
 */
export class ExtractionThread {
  private readonly worker: Worker;
  private readonly ready: Promise<void>;
  private running: Running | null = null;
  /** Whether the thread takes no more tasks. */
  isOver = false;

  constructor(private readonly limits: ThreadLimits) {
    this.worker = new Worker(threadScript('grounding/reading/extraction/worker'), {
      execArgv: threadOptions(process.execArgv),
      name: 'page-reader',
      resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMb },
      // untrusted documents must not reach the keys of this process
      env: {},
    });
    // an idle thread does not keep the process alive
    this.worker.unref();
    let isReady: () => void;
    this.ready = new Promise((resolve) => (isReady = resolve));
    this.worker.on('message', (message: ExtractionMessage) =>
      message.kind === 'ready' ? isReady() : this.receive(message),
    );
    this.worker.on('error', (error) => this.stop('its thread failed', null, error));
    this.worker.on('exit', () => this.stop('its thread ended'));
  }

  /**
   * Extracts one document; the thread must not be busy.
   * @throws PageError `unreadable`, or the reason of the signal
   */
  async run(task: ExtractionTask, signal: AbortSignal): Promise<ExtractedText> {
    let finish: Running['finish'] = () => undefined;
    const result = new Promise<ExtractedText | Error>((resolve) => (finish = resolve));
    this.running = { finish, partial: null };
    this.worker.ref();
    const cancel = (): void => this.stop('cancelled', signal.reason as Error);
    signal.addEventListener('abort', cancel);
    const { startTimeoutMs, taskTimeoutMs, pdfTimeoutMs } = this.limits;
    let timer = setTimeout(() => this.stop('its thread did not start'), startTimeoutMs);
    const watch = this.watchGrowth();
    try {
      if (this.isOver) throw unreadable('its thread ended');
      await Promise.race([this.ready, result]);
      clearTimeout(timer);
      const limitMs = task.kind === 'pdf' ? pdfTimeoutMs : taskTimeoutMs;
      timer = setTimeout(() => this.stop(`it took more than ${limitMs} ms`), limitMs);
      this.worker.postMessage(task, [task.bytes.buffer]);
      const found = await result;
      if (found instanceof Error) throw found;
      return found;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', cancel);
      this.running = null;
      this.worker.unref();
    }
  }

  /** Terminates the thread. A running task fails, unless a part of its text is known. */
  stop(why: string, failure: Error | null = null, cause?: unknown): void {
    if (!this.isOver) void this.worker.terminate();
    this.isOver = true;
    if (!this.running) return;
    const { partial, finish } = this.running;
    finish(failure ?? partial ?? unreadable(why, cause));
  }

  private receive(message: Exclude<ExtractionMessage, { kind: 'ready' }>): void {
    if (!this.running) return;
    const { partial, finish } = this.running;
    if (message.kind === 'partial') this.running.partial = message.page;
    else if (message.kind === 'end') finish(message.page);
    else finish(partial ?? unreadable(message.reason, new Error(message.detail)));
  }

  private watchGrowth(): NodeJS.Timeout {
    const before = process.memoryUsage.rss();
    const max = this.limits.maxGrowthMb * megabyte;
    return setInterval(() => {
      if (process.memoryUsage.rss() - before > max) this.stop('it takes too much memory');
    }, growthCheckMs);
  }
}
