import { FileProblem, type NumberColumn, quoted, type Role } from './evaluation-rows.js';

/** How columns are read. */
export interface ColumnOptions {
  readonly promptColumn: string;
  /** The models whose columns count; null: every column except the prompt's belongs to a model. */
  readonly models: readonly string[] | null;
  /** What the columns mean, whatever their names; all others are ignored. Absent: by their names. */
  readonly columns?: readonly NumberColumn[] | null;
}

/** What is wrong with the first line, which names the columns. */
const headerProblem = (reason: string): FileProblem => new FileProblem(reason, 1);

const suffix = /^(.+)\/(score|cost|latency|response)$/;
const maxModels = 100;
/** A model has up to four columns; a file with more is not a table of evaluations. */
const maxColumns = 1000;
const maxNameLength = 200;

/**
 * Classifies columns by name: `<model>` or `<model>/score`, `<model>/cost` (USD), `<model>/latency`
 * (seconds). Ignores the models' answers (`<model>/response`).
 * @throws FileProblem for a missing prompt column, an empty, overlong or duplicate name, fewer than
 * two models, or too many columns
 */
export function readColumns(
  names: readonly string[],
  { promptColumn, models, columns: mapped }: ColumnOptions,
): readonly NumberColumn[] {
  if (names.length > maxColumns)
    throw headerProblem(
      `at most ${maxColumns} columns are supported, and there are ${names.length}`,
    );
  const long = names.find((name) => name.length > maxNameLength);
  if (long !== undefined)
    throw headerProblem(
      `the name of the column ${quoted(long)} is longer than ${maxNameLength} characters`,
    );
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw headerProblem(`the column ${quoted(twice)} is there twice`);
  if (!names.includes(promptColumn))
    throw headerProblem(
      `there is no column ${quoted(promptColumn)}; there are ${names.slice(0, 10).map(quoted).join(', ')}`,
    );
  if (mapped) return mappedColumns(names, mapped);
  const known = new Set(names);
  const columns = names
    .filter((name) => name !== promptColumn)
    .flatMap((name) => columnOf(name, known) ?? []);
  const wanted = models === null ? columns : columns.filter(({ model }) => models.includes(model));
  checkModels(wanted, models);
  return wanted;
}

/** @throws FileProblem if the file lacks one of them */
function mappedColumns(
  names: readonly string[],
  mapped: readonly NumberColumn[],
): readonly NumberColumn[] {
  const missing = mapped.find(({ name }) => !names.includes(name));
  if (missing)
    throw headerProblem(
      `the mapping names the column ${quoted(missing.name)}; there are ${names.slice(0, 10).map(quoted).join(', ')}`,
    );
  checkModels(mapped, null);
  return mapped;
}

/** An ending `/cost` means a cost only if the rest is a column: model names may end so too. */
function columnOf(name: string, known: ReadonlySet<string>): NumberColumn | null {
  if (name.trim() === '') throw headerProblem('a column has no name');
  const [, model = '', role = ''] = suffix.exec(name) ?? [];
  if (role === 'score') return { name, model, role };
  const isBeside = role !== '' && (known.has(model) || known.has(`${model}/score`));
  if (!isBeside) return { name, model: name, role: 'score' };
  return role === 'response' ? null : { name, model, role: role as Role };
}

function checkModels(columns: readonly NumberColumn[], asked: readonly string[] | null): void {
  const models = columns.filter(({ role }) => role === 'score').map(({ model }) => model);
  const twice = models.find((model, at) => models.indexOf(model) !== at);
  if (twice !== undefined) throw headerProblem(`the scores of ${quoted(twice)} are in two columns`);
  const missing = asked?.find((model) => !models.includes(model));
  if (missing !== undefined)
    throw headerProblem(`there is no column with the scores of ${quoted(missing)}`);
  if (models.length < 2)
    throw headerProblem(
      `scores of at least 2 models are needed, and there ${models.length === 1 ? 'is 1' : 'are none'}`,
    );
  if (models.length > maxModels)
    throw headerProblem(
      `at most ${maxModels} models are supported, and there are ${models.length}`,
    );
}
