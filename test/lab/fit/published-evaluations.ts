import { parse } from 'csv-parse/sync';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { featuresOf, type Features } from '../../../src/chooser/predictor/features/features.js';
import type { Evaluations } from './evaluations.js';

/** A line of `prompts.jsonl.gz`. */
interface PromptLine {
  readonly prompt_id: string;
  readonly source: string;
  readonly category: string;
  readonly prompt: string;
  readonly dup_group: string;
  readonly input_tokens_est: number;
}

/** Published evaluations with their texts, sources and costs. */
export interface PublishedEvaluations extends Evaluations {
  /** By row. */
  readonly sources: readonly string[];
  /** By row: the text, with its tools behind it. */
  readonly prompts: readonly string[];
  /** Laid out as `scores`: USD; NaN if the source does not say. */
  readonly costs: Float32Array;
}

/** Families: benchmarks that ask for the same kind of thing. */
const familyBySource: Readonly<Record<string, string>> = {
  mmlu_pro: 'mmlu',
  bfcl: 'bfcl',
  ze_crux: 'crux',
  'ze_math-l5': 'math',
  'ze_numersense-v2': 'numersense',
  bbh: 'bbh',
  alpaca_eval: 'alpaca',
};
const familyByCategory: Readonly<Record<string, string>> = {
  mmlu: 'mmlu',
  cmmlu: 'mmlu',
  ceval: 'mmlu',
  arc_easy: 'arc',
  arc_challenge: 'arc',
  openbook_qa: 'arc',
  gsm8k: 'math',
  MATH_prealgebra: 'math',
  math: 'math',
  'agentverse-mgsm': 'math',
  mbpp: 'code',
  human_eval: 'code',
  humaneval: 'code',
  javascript: 'code',
  winograde: 'winogrande',
  natural_qa: 'qa',
  trivia_qa: 'qa',
};

/** The family of a benchmark's category. */
function familyOf(source: string, category: string): string {
  return familyBySource[source] ?? familyByCategory[category] ?? category;
}

/** Between a prompt and the tools that are offered with it. */
export const toolsMark = '\n\n[TOOLS]\n';

/** A prompt's question and its tools. A truncated list of tools is read as far as it goes. */
export function questionOf(prompt: string): { question: string; tools: unknown[] } {
  const at = prompt.indexOf(toolsMark);
  return at < 0
    ? { question: prompt, tools: [] }
    : { question: prompt.slice(0, at), tools: readTools(prompt.slice(at + toolsMark.length)) };
}

function readTools(text: string): unknown[] {
  for (let body = text; body.length > 0;) {
    try {
      const tools: unknown = JSON.parse(body === text ? body : `${body}}]`);
      if (Array.isArray(tools)) return tools;
    } catch {
      // truncated: try without the last tool
    }
    const end = body.lastIndexOf('}, {');
    if (end < 0) break;
    body = body.slice(0, end);
  }
  const named = (field: string): string =>
    new RegExp(`"${field}": "([^"]*)"`).exec(text)?.[1] ?? '';
  return [{ name: named('name'), description: named('description'), parameters: {} }];
}

/** The fold, 0 to `folds - 1`, of a group of equal prompts: always the same one, by hash. */
export function foldOf(group: string, folds: number): number {
  return createHash('sha256').update(group).digest().readUInt32BE(0) % folds;
}

function numbered(names: string[], places: Map<string, number>, name: string): number {
  let place = places.get(name);
  if (place === undefined) {
    place = names.push(name) - 1;
    places.set(name, place);
  }
  return place;
}

function readPrompts(folder: string): Omit<
  PublishedEvaluations,
  'models' | 'scores' | 'outputTokens' | 'costs'
> & {
  readonly places: Map<string, number>;
} {
  const lines = gunzipSync(readFileSync(join(folder, 'prompts.jsonl.gz')))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  const places = new Map<string, number>(),
    taskPlaces = new Map<string, number>();
  const taskNames: string[] = [],
    families: string[] = [],
    sources: string[] = [],
    prompts: string[] = [],
    groups: string[] = [],
    features: Features[] = [];
  const tasks = new Int32Array(lines.length),
    inputTokens = new Float32Array(lines.length);
  lines.forEach((text, row) => {
    const line = JSON.parse(text) as PromptLine;
    const { question, tools } = questionOf(line.prompt);
    places.set(line.prompt_id, row);
    tasks[row] = numbered(taskNames, taskPlaces, `${line.source}:${line.category}`);
    families[tasks[row]] = familyOf(line.source, line.category);
    inputTokens[row] = line.input_tokens_est;
    sources.push(line.source);
    prompts.push(line.prompt);
    groups.push(line.dup_group);
    features.push(featuresOf({ messages: [{ role: 'user', content: question }], tools }));
  });
  return { features, inputTokens, tasks, taskNames, families, groups, sources, prompts, places };
}

/**
 * Reads a folder of published evaluations: `prompts.jsonl.gz` and `scores.csv.gz`. Takes some
 * seconds and 400 MB.
 * @throws Error that names the folder if a file is missing or malformed
 */
export function readPublishedEvaluations(folder: string): PublishedEvaluations {
  try {
    return readFolder(folder);
  } catch (error) {
    throw new Error(
      `cannot read the published evaluations in ${folder}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

function readFolder(folder: string): PublishedEvaluations {
  const { places, ...read } = readPrompts(folder);
  const lines: string[][] = parse(gunzipSync(readFileSync(join(folder, 'scores.csv.gz'))), {
    from: 2,
  });
  const models = [...new Set(lines.map(([, model]) => model!))].sort();
  const modelPlaces = new Map(models.map((model, place) => [model, place]));
  const empty = (): Float32Array =>
    new Float32Array(read.features.length * models.length).fill(NaN);
  const scores = empty(),
    outputTokens = empty(),
    costs = empty();
  for (const [promptId, model, score, , output, cost] of lines) {
    const row = places.get(promptId!);
    if (row === undefined)
      throw new Error(
        `scores.csv.gz names the prompt ${promptId}, which prompts.jsonl.gz does not have`,
      );
    const at = row * models.length + modelPlaces.get(model!)!;
    scores[at] = Number(score);
    if (output) outputTokens[at] = Number(output);
    if (cost) costs[at] = Number(cost);
  }
  return { ...read, models, scores, outputTokens, costs };
}
