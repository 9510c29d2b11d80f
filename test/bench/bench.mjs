import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ask,
  cores,
  drainedCpuTimeUs,
  endAll,
  endProgram,
  here,
  messageOf,
  startProgram,
} from './processes.mjs';
import { bare, direct, models, portkey, signalbox } from './targets.mjs';

/** How long a target may take to start. */
const maxStartMs = 20_000;

/** Requests in flight in a closed loop. */
const connections = 32;

/**
 * One run: the instruments, the targets, and those processes of the targets that several rows
 * share.
 */
export class Bench {
  #folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  #shared = new Map();
  generator;

  /** @param options as `readOptions` gives them */
  static async start(options) {
    const bench = new Bench(options);
    bench.generator = startProgram(here('load-generator.mjs'), { core: cores.instruments });
    bench.upstream = startProgram(here('mock-upstream.mjs'), { core: cores.instruments });
    bench.upstreamPort = (await messageOf(bench.upstream)).port;
    return bench;
  }

  connections = connections;

  constructor(options) {
    this.options = options;
    this.portkey = portkey();
    this.others = [
      ...(options.against ? [signalbox(options.against, 'against')] : []),
      ...(this.portkey ? [this.portkey] : []),
    ];
    /** What is compared, in the order of measurement. */
    this.targets = [bare, signalbox(options.dist), ...this.others];
  }

  /**
   * Starts a target afresh and resolves when it has answered once. `firstAnswerMs` is the time
   * since
   * its process began.
   */
  async launch(target) {
    const startedAt = performance.now();
    const running = {
      target,
      ...(await target.start({ upstreamPort: this.upstreamPort, folder: this.#folder })),
    };
    const { status, body } = await this.tell({
      kind: 'once',
      port: running.port,
      request: target.request('openai', models.whole, false),
      patientMs: maxStartMs,
    });
    if (status !== 200) throw new Error(`${target.name} answers ${status}: ${body.slice(0, 300)}`);
    const firstAnswerMs = performance.now() - startedAt;
    target.ready?.();
    return { ...running, firstAnswerMs };
  }

  /** The targets' processes that rows share, warm from earlier requests. */
  async running(targets = this.targets) {
    for (const target of targets)
      if (!this.#shared.has(target.name))
        this.#shared.set(
          target.name,
          target.name === direct.name
            ? { target, port: this.upstreamPort, child: this.upstream }
            : await this.launch(target),
        );
    return targets.map((target) => this.#shared.get(target.name));
  }

  /**
   * Those of the running targets that answer a request as they should: only Portkey may not.
   * @param request gives a target's bytes
   * @param ending what the answer's body ends with
   */
  async answering(request, ending, running) {
    const able = [];
    for (const each of Object.values(running)) {
      const { status, body } = await this.tell({
        kind: 'once',
        port: each.port,
        request: request(each.target),
      });
      if (status === 200 && body.trimEnd().endsWith(ending)) able.push(each);
      else if (each.target !== this.portkey)
        throw new Error(`${each.target.name} answers ${status}: ${body.slice(0, 300)}`);
    }
    return able;
  }

  /**
   * The shared processes of those targets that answer such a request.
   * @param request gives a target's bytes, null if it has no such surface
   */
  async sharedAnswering(request, ending, targets = this.targets) {
    const able = targets.filter((target) => request(target) !== null);
    return this.answering(request, ending, await this.running(able));
  }

  /** Ends a process that `launch` has started. */
  end = ({ child }) => endProgram(child);

  /** Gives the load generator a job. */
  tell = (job) => ask(this.generator, job);

  /**
   * Sends requests in a closed loop.
   * @param requests gives a target's bytes, a list that is gone through again and again
   * @throws Error if one fails
   */
  async load({ target, port }, requests, count) {
    const { failures } = await this.tell({
      kind: 'closed',
      port,
      requests: requests(target),
      count,
      connections,
    });
    if (failures > 0) throw new Error(`${failures} of ${count} requests to ${target.name} failed`);
  }

  /**
   * The CPU time of so many requests, in µs: all threads, and what is written behind afterwards.
   */
  async cpuOf(running, requests, count) {
    const before = await drainedCpuTimeUs(running.child);
    await this.load(running, requests, count);
    return (await drainedCpuTimeUs(running.child)) - before;
  }

  async stop() {
    await endAll();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
