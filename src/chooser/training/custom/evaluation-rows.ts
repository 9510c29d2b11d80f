/** What is wrong with evaluations, and where. May repeat columns and cells, never a prompt. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';

  /** @param line counted from 1, as in editors; null if no single line is wrong */
  constructor(
    reason: string,
    readonly line: number | null = null,
  ) {
    super(line === null ? reason : `line ${line}: ${reason}`);
  }
}

const maxQuoteLength = 40;

/** A name or a cell as messages quote it, cut to 40 characters. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text);

/** The format of evaluations, by their first character: JSON lines begin with a brace. */
export const formatOf = (text: string): 'csv' | 'jsonl' =>
  /^\ufeff?\s*\{/.test(text.slice(0, 1000)) ? 'jsonl' : 'csv';

/** What the numbers of a column mean. */
export type Role = 'score' | 'cost' | 'latency';

/** A column of numbers of one model. */
export interface NumberColumn {
  readonly name: string;
  readonly model: string;
  readonly role: Role;
}

/** A user's evaluations as written. Empty cells are NaN. */
export interface EvaluationRows {
  readonly models: readonly string[];
  readonly prompts: readonly string[];
  /** By row and model: row `r` and model `m` at `r * models.length + m`. */
  readonly scores: Float32Array;
  /** USD, in the layout of the scores; null if no column has costs. */
  readonly costs: Float32Array | null;
}

/** Longer files are refused. */
export const maxRows = 100_000;
/** Rows times models: what can be trained in minutes and a few hundred MB. */
export const maxCells = 2_000_000;
/** A larger number is a mistake, not a score, cost or latency. */
const maxNumber = 1e9;

/** A prompt as it is compared with others: without differences of case and white space. */
export const compared = (prompt: string): string =>
  prompt.toLowerCase().replace(/\s+/g, ' ').trim();

/** Collects rows one by one, and reports the line of each cell that is not a number. */
export class RowReader {
  readonly models: readonly string[];
  private readonly places: ReadonlyMap<string, number>;
  private readonly prompts: string[] = [];
  private readonly numbers: Record<'score' | 'cost', number[]> = { score: [], cost: [] };

  constructor(private readonly columns: readonly NumberColumn[]) {
    this.models = columns.filter(({ role }) => role === 'score').map(({ model }) => model);
    this.places = new Map(this.models.map((model, place) => [model, place]));
  }

  /** Adds one row. @param cells by column @throws FileProblem if the row cannot be used */
  add(prompt: unknown, cells: readonly unknown[], line: number): void {
    if (typeof prompt !== 'string' || prompt.trim() === '')
      throw new FileProblem('the prompt is empty', line);
    if (this.prompts.length === maxRows)
      throw new FileProblem(`there are more than ${maxRows.toLocaleString('en')} rows`, line);
    if ((this.prompts.length + 1) * this.models.length > maxCells)
      throw new FileProblem(
        `at most ${maxCells.toLocaleString('en')} scores are supported, and this many rows of ${this.models.length} models have more`,
        line,
      );
    const from = this.prompts.push(prompt) * this.models.length - this.models.length;
    for (let model = 0; model < this.models.length; model++)
      this.numbers.score[from + model] = this.numbers.cost[from + model] = NaN;
    this.columns.forEach((column, at) => {
      const value = numberIn(cells[at], column, line);
      const place = this.places.get(column.model);
      if (value !== null && place !== undefined && column.role !== 'latency')
        this.numbers[column.role][from + place] = value;
    });
  }

  /** All rows; they may be too few to learn from. */
  finish(): EvaluationRows {
    const { models, prompts, numbers } = this;
    const hasCosts = this.columns.some(({ role }) => role === 'cost');
    return {
      models,
      prompts,
      scores: Float32Array.from(numbers.score),
      costs: hasCosts ? Float32Array.from(numbers.cost) : null,
    };
  }
}

const must: Record<Role, string> = {
  score: 'a score',
  cost: 'a cost in USD',
  latency: 'a latency in seconds',
};

/** The number in a cell; null for an empty cell. */
function numberIn(cell: unknown, { name, role }: NumberColumn, line: number): number | null {
  if (cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === ''))
    return null;
  const value =
    typeof cell === 'number' || typeof cell === 'boolean' || typeof cell === 'string'
      ? Number(cell)
      : NaN;
  // a nested value may be too deep for JSON.stringify
  const shown =
    typeof cell === 'string' || typeof cell === 'number'
      ? quoted(String(cell).trim())
      : 'a list or an object';
  if (!Number.isFinite(value))
    throw new FileProblem(
      `column ${quoted(name)}: ${shown} is not a number; every column except the prompt's must hold a model's scores, costs or latencies`,
      line,
    );
  if (Math.abs(value) > maxNumber || (role !== 'score' && value < 0))
    throw new FileProblem(`column ${quoted(name)}: ${shown} cannot be ${must[role]}`, line);
  return value;
}

/** How scores were scaled to 0..1. */
export interface Scale {
  /** The scores that became 0 and 1. */
  readonly worst: number;
  readonly best: number;
}

/**
 * Scales scores to 0..1 in place, higher being better; scores that are already in that range stay.
 * @param maximize false: lower scores were better
 * @throws FileProblem if all scores are equal
 */
export function scaleScores(scores: Float32Array, maximize: boolean): Scale {
  let least = Infinity,
    most = -Infinity;
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  if (least === most)
    throw new FileProblem('all scores are the same: there is nothing to learn from them');
  const isShare = least >= 0 && most <= 1;
  const [low, high] = isShare ? [0, 1] : [least, most];
  const scale: Scale = maximize ? { worst: low, best: high } : { worst: high, best: low };
  for (let at = 0; at < scores.length; at++)
    scores[at] = (scores[at]! - scale.worst) / (scale.best - scale.worst);
  return scale;
}
