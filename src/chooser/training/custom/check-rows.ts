import { compared, type EvaluationRows, maxCells, maxRows } from './evaluation-rows.js';
import { FileProblem, quoted } from './evaluation-file.js';

const minRows = 50;
/** With fewer prompts, the interval of the gain would say nothing. */
const minComparedPrompts = 20;

/** The rows, if they suffice to learn from. @throws FileProblem */
export function checkRows(rows: EvaluationRows): EvaluationRows {
  const { models, prompts, scores } = rows;
  if (prompts.length < minRows)
    throw new FileProblem(`at least ${minRows} rows are needed, and there are ${prompts.length}`);
  if (prompts.length > maxRows || prompts.length * models.length > maxCells)
    throw new FileProblem(
      `at most ${maxRows.toLocaleString('en')} rows and ${maxCells.toLocaleString('en')} scores are supported, and there are ${prompts.length} rows of ${models.length} models`,
    );
  models.forEach((model, place) => {
    if (!prompts.some((_, row) => !Number.isNaN(scores[row * models.length + place])))
      throw new FileProblem(`the column of ${quoted(model)} has no scores`);
  });
  checkCompared(rows);
  return rows;
}

/** Only rows with scores of several models show which model to choose. */
function checkCompared({ models, prompts, scores }: EvaluationRows): void {
  const found = new Set<string>();
  prompts.forEach((prompt, row) => {
    if (found.size >= minComparedPrompts) return;
    const measured = models.filter(
      (_, place) => !Number.isNaN(scores[row * models.length + place]),
    ).length;
    if (measured >= 2) found.add(compared(prompt));
  });
  if (found.size < minComparedPrompts)
    throw new FileProblem(
      `at least ${minComparedPrompts} different prompts with scores of at least 2 models each are needed, and there are ${found.size}`,
    );
}

/** The rows of both, with the models of both; where one has no scores of a model, cells are empty. */
export function joinRows(first: EvaluationRows, second: EvaluationRows): EvaluationRows {
  const models = [...new Set([...first.models, ...second.models])];
  const parts = [first, second];
  const placed = (
    of: (rows: EvaluationRows) => EvaluationRows['costs'],
  ): Float32Array<ArrayBuffer> => {
    const count = first.prompts.length + second.prompts.length;
    const into = new Float32Array(count * models.length).fill(NaN);
    let from = 0;
    for (const part of parts) {
      const places = part.models.map((model) => models.indexOf(model));
      of(part)?.forEach((value, at) => {
        const row = from + Math.floor(at / part.models.length);
        into[row * models.length + places[at % part.models.length]!] = value;
      });
      from += part.prompts.length;
    }
    return into;
  };
  const hasCosts = first.costs !== null || second.costs !== null;
  return {
    models,
    prompts: [...first.prompts, ...second.prompts],
    scores: placed(({ scores }) => scores),
    costs: hasCosts ? placed(({ costs }) => costs) : null,
  };
}
