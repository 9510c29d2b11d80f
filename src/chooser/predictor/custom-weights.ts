/** What an account's own evaluations taught beside a predictor: numbers, no prompts and rows. */
export interface CustomWeights {
  /** `name` of the predictor that they belong to. Stored under this key. */
  readonly router: string;
  readonly models: readonly string[];
  /** 0..1: how much the predictor's differences between prompts count. */
  readonly trust: number;
  /** By coordinate: the predictor's place first, then the dense features. */
  readonly mean: Float32Array;
  /** The factor applied after subtracting the mean; 0 for a coordinate that never varied. */
  readonly scale: Float32Array;
  /**
   * By model: the mean of the predictor's log odds on the evaluated prompts, the offset added to
   * them, and the ability from which an unmeasured model was guessed.
   */
  readonly centres: Float32Array;
  readonly offsets: Float32Array;
  readonly known: Float32Array;
  /** By model: the standard deviation of its quality. */
  readonly spreads: Float32Array;
  /** By model, one number for each coordinate. */
  readonly slopes: Float32Array;
}

const arrays = ['mean', 'scale', 'centres', 'offsets', 'known', 'spreads', 'slopes'] as const;
type Numbers = (typeof arrays)[number];

/** Weights as JSON, with their numbers in base64. */
export function encodeCustom(weights: CustomWeights): string {
  const { router, models, trust } = weights;
  const numbers = arrays.map((name) => {
    const { buffer, byteOffset, byteLength } = weights[name];
    return [name, Buffer.from(buffer, byteOffset, byteLength).toString('base64')] as const;
  });
  return JSON.stringify({ router, models, trust, ...Object.fromEntries(numbers) });
}

/** Reads weights that `encodeCustom` wrote. @throws Error if they are damaged */
export function decodeCustom(text: string): CustomWeights {
  const {
    router,
    models: names,
    trust,
    ...written
  } = JSON.parse(text) as Readonly<
    Record<Numbers, string> & Pick<CustomWeights, 'router' | 'models' | 'trust'>
  >;
  const numbers = Object.fromEntries(
    arrays.map((name) => [name, floatsIn(written[name])]),
  ) as Record<Numbers, Float32Array>;
  const weights = { router, models: names, trust, ...numbers };
  const { length: wide } = weights.mean,
    { length: models } = weights.models;
  const isWhole =
    weights.scale.length === wide &&
    weights.slopes.length === wide * models &&
    [weights.offsets, weights.centres, weights.spreads, weights.known].every(
      ({ length }) => length === models,
    );
  if (!isWhole || arrays.some((name) => weights[name].some((number) => !Number.isFinite(number))))
    throw new Error('the weights of the trained router are damaged');
  return weights;
}

function floatsIn(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(new Uint8Array(bytes).buffer);
}
