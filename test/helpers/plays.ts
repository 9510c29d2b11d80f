import type { Step } from './steps.js';
import type { Upstream, UpstreamCall } from './upstream.js';

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
export function scriptByModel(upstream: Upstream): Plays {
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
