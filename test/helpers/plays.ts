import type { WrittenConfig } from '../../src/config/config.js';
import { type RunningGateway, startGateway } from './gateway.js';
import type { Step } from './steps.js';
import { startUpstream, type Upstream, type UpstreamCall } from './upstream.js';

/** Scripts by model, so that many tests can share one upstream at the same time. */
export interface Plays {
  /** Sets the steps for the calls of one model; the last one repeats. None: a plain answer. */
  set(model: string, ...steps: Step[]): void;
  /** The calls of one model so far. */
  of(model: string): UpstreamCall[];
  /** A name that no other test of the file uses. */
  newModel(): string;
}

/**
 * Takes over an upstream's script. It reads the model's name from the path or body: use `newModel`.
 */
function scriptByModel(upstream: Upstream): Plays {
  const steps = new Map<string, Step[]>();
  const calls = new Map<string, UpstreamCall[]>();
  let made = 0;
  const modelOf = ({ path, raw }: UpstreamCall): string =>
    /model-\d+-/.exec(`${decodeURIComponent(path)} ${raw.toString('utf8')}`)?.[0] ?? '';
  upstream.script([
    (call) => {
      const model = modelOf(call);
      calls.set(model, [...(calls.get(model) ?? []), call]);
      const left = steps.get(model) ?? [];
      return (left.length > 1 ? left.shift() : left[0]) ?? {};
    },
  ]);
  return {
    set: (model, ...given) => void steps.set(model, given),
    of: (model) => calls.get(model) ?? [],
    newModel: () => `model-${++made}-`,
  };
}

/** A gateway before one upstream whose answers are scripted by model; closing it closes both. */
export interface Scripted {
  gateway: RunningGateway;
  upstream: Upstream;
  plays: Plays;
}

/**
 * Starts both.
 * @param configOf gets a provider at the upstream in OpenAI's dialect, and the upstream's address
 */
export async function startScripted(
  configOf: (
    up: { readonly api: 'openai-compatible'; readonly baseUrl: string },
    url: string,
  ) => WrittenConfig,
  options?: Parameters<typeof startGateway>[1],
): Promise<Scripted> {
  const upstream = await startUpstream();
  const plays = scriptByModel(upstream);
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } as const;
  const gateway = await startGateway(configOf(up, upstream.url), options);
  const close = async (): Promise<void> => {
    await gateway.close();
    await upstream.close();
  };
  return { gateway: { ...gateway, close }, upstream, plays };
}
