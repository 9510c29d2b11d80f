import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ask,
  cores,
  cpuTimeUs,
  endAll,
  endProgram,
  here,
  messageOf,
  startProgram,
} from './processes.mjs';
import { bare, direct, models, portkey, signalbox } from './targets.mjs';

const patientMs = 20_000;

/** Connections of a closed loop. */
export const connections = 16;

/** One run: the instruments, the targets, and the targets' processes that several rows share. */
export class Bench {
  #folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  #shared = new Map();

  /** @param options as `readOptions` gives them */
  static async start(options) {
    const bench = new Bench(options);
    bench.load = startProgram(here('load-generator.mjs'), { core: cores.instruments });
    bench.upstream = startProgram(here('mock-upstream.mjs'), { core: cores.instruments });
    bench.upstreamPort = (await messageOf(bench.upstream)).port;
    return bench;
  }

  constructor(options) {
    this.options = options;
    this.portkey = portkey();
    this.others = [
      ...(options.against ? [signalbox(options.against, 'against')] : []),
      ...(this.portkey ? [this.portkey] : []),
    ];
    /** All that is compared, in the order in which it is measured. */
    this.targets = [bare, signalbox(options.dist), ...this.others];
  }

  /** Starts a target afresh; it has answered once when this resolves. `firstAnswerMs` is the time since its process began. */
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
      patientMs,
    });
    if (status !== 200) throw new Error(`${target.name} answers ${status}: ${body.slice(0, 300)}`);
    return { ...running, firstAnswerMs: performance.now() - startedAt };
  }

  /** The targets' processes that rows share, warm from whatever was asked of them before. */
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
   * The shared processes of those targets that answer such a request as they should; of ours every one must.
   * @param request gives a target's bytes, null where it has no such surface
   */
  async answering(request, ending, targets = this.targets) {
    const able = [];
    for (const running of await this.running(
      targets.filter((target) => request(target) !== null),
    )) {
      const { status, body } = await this.tell({
        kind: 'once',
        port: running.port,
        request: request(running.target),
      });
      if (status === 200 && body.trimEnd().endsWith(ending)) able.push(running);
      else if (running.target !== this.portkey)
        throw new Error(`${running.target.name} answers ${status}: ${body.slice(0, 300)}`);
    }
    return able;
  }

  /** Ends a process that `launch` has started. */
  end = ({ child }) => endProgram(child);

  /** Gives the load generator a job. */
  tell = (job) => ask(this.load, job);

  /** Sends so many requests and gives the target's CPU time, in µs. @throws Error where one fails */
  async cpuOf({ target, port, child }, requests, count) {
    const before = await cpuTimeUs(child);
    const { failures } = await this.tell({ kind: 'closed', port, requests, count, connections });
    if (failures > 0) throw new Error(`${failures} of ${count} requests to ${target.name} failed`);
    return (await cpuTimeUs(child)) - before;
  }

  async stop() {
    await endAll();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
