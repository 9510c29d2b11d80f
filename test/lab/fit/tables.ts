/** How well models do kinds of tasks. Task by model: `task * models + model`. */
export interface Tables {
  /**
   * The share that a model does well, drawn towards what its ability lets one expect where little
   * was measured.
   */
  readonly shares: Float32Array;
  /** How many rows were measured. */
  readonly counts: Float32Array;
  /**
   * By model, in log odds, as `discrimination * ability - hardness` tells the log odds of a task.
   */
  readonly ability: Float32Array;
  /** By task. */
  readonly discrimination: Float32Array;
  readonly hardness: Float32Array;
  /** Hardness of a task that nobody measured: the mean of the families. */
  readonly generalHardness: number;
  /**
   * Ability in these terms from what is publicly known, in log odds: `publicGain * logit(known) +
   * publicBias`.
   */
  readonly publicGain: number;
  readonly publicBias: number;
}

/** What was measured of tasks and models, task by model. */
export interface Cells {
  readonly odds: Float64Array;
  readonly counts: Float32Array;
  readonly sums: Float64Array;
  /** What a cell weighs for a model's ability: its family's tasks share one vote. */
  readonly votes: Float64Array;
}
