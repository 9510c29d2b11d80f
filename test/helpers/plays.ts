import type { Step } from './steps.js';
import type { Upstream, UpstreamCall } from './upstream.js';

/** What is to be answered for each model, so that many tests may share one upstream at the same time. */
export interface Plays {
  /** Steps for the calls of one model; the last one for all that follow. Absent: a plain answer. */
  set(model: string, ...steps: Step[]): void;
  /** The calls of one model so far. */
  of(model: string): UpstreamCall[];
  /** A name that no other test of the file uses. */
  newModel(): string;
}

/** Takes an upstream's script over. Models are told apart by their names in the path or body; use `newModel` for them. */
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
