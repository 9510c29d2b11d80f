/** What a column of an uploaded file means. */
export type Role = 'prompt' | 'score' | 'cost' | 'latency' | 'response' | 'ignore';

/** A column with some of its cells, and what it is taken for. */
export interface Column {
  readonly name: string;
  readonly samples: readonly string[];
  readonly role: Role;
  /** Of a figure: the label of the model. */
  readonly model: string;
}

/** The beginning of a file as a table. */
export interface FilePreview {
  readonly format: 'csv' | 'jsonl';
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** How much of a file is read for the preview. */
export const previewBytes = 65_536;
const shownRows = 5;

/** Reads the beginning of a file; a last row that is cut off is left out. */
export function previewOf(text: string, isWhole: boolean): FilePreview {
  const plain = text.replace(/^\ufeff/, '');
  if (/^\s*\{/.test(plain)) return { format: 'jsonl', header: [], rows: [] };
  const records = recordsOf(plain, isWhole);
  const [header = [], ...rows] = records;
  return {
    format: 'csv',
    header: header.map((name) => name.trim()),
    rows: rows.slice(0, shownRows),
  };
}

/** The rows of CSV (RFC 4180) without empty ones. */
function recordsOf(text: string, isWhole: boolean): string[][] {
  const records: string[][] = [];
  let [record, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  const endCell = (): void => {
    record.push(cell);
    cell = '';
  };
  const endRecord = (): void => {
    endCell();
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') cell += text[(at += 1)]!;
      else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === ',') endCell();
    else if (sign === '\n') endRecord();
    else if (sign !== '\r') cell += sign;
  }
  if (isWhole && (cell !== '' || record.length > 0)) endRecord();
  return records;
}

const promptName = /^(prompt|question|input|instruction|query|request|text)s?$/i;
const suffix = /^(.+)[/_ ](score|cost|latency|response)$/i;

/**
 * What each column probably means, by its name and its first cells.
 * @param labels of the models that the gateway can call
 */
export function guessColumns(
  { header, rows }: Pick<FilePreview, 'header' | 'rows'>,
  labels: readonly string[],
): Column[] {
  const promptAt = header.findIndex((name) => promptName.test(name));
  return header.map((name, at) => {
    const samples = rows.map((row) => row[at] ?? '');
    const [role, model] = meaningOf(name, samples, at === promptAt);
    return { name, samples, role, model: labelOf(model, labels) };
  });
}

function meaningOf(name: string, samples: readonly string[], isPrompt: boolean): [Role, string] {
  if (isPrompt) return ['prompt', ''];
  const filled = samples.filter((sample) => sample.trim() !== '');
  const isNumeric = filled.length > 0 && filled.every((sample) => Number.isFinite(Number(sample)));
  const [, model, role] = suffix.exec(name) ?? [];
  if (model !== undefined && role?.toLowerCase() === 'response') return ['response', model];
  if (!isNumeric) return ['ignore', ''];
  return model === undefined ? ['score', name] : [role!.toLowerCase() as Role, model];
}

/** The only label that a bare name can stand for; else the name. */
function labelOf(name: string, labels: readonly string[]): string {
  if (labels.includes(name)) return name;
  const [label, ...others] = labels.filter((one) => one.endsWith(`/${name}`));
  return label !== undefined && others.length === 0 ? label : name;
}

/** What a mapping lacks. */
type MappingProblem = 'prompt' | 'prompts' | 'models' | 'unnamed' | 'twice';

/** Why columns cannot be uploaded yet; null: they can. */
export function problemOf(columns: readonly Column[]): MappingProblem | null {
  const prompts = columns.filter(({ role }) => role === 'prompt').length;
  if (prompts !== 1) return prompts === 0 ? 'prompt' : 'prompts';
  const figures = columns.filter(({ role }) => isFigure(role));
  if (figures.some(({ model }) => model.trim() === '')) return 'unnamed';
  const places = figures.map(({ role, model }) => `${role} ${model.trim()}`);
  if (new Set(places).size < places.length) return 'twice';
  return figures.filter(({ role }) => role === 'score').length < 2 ? 'models' : null;
}

/** Whether the column belongs to a model. */
export const isFigure = (role: Role): boolean => role !== 'prompt' && role !== 'ignore';

/** The form field `mapping`. */
export const mappingOf = (columns: readonly Column[]): string =>
  JSON.stringify(
    Object.fromEntries(
      columns.map(({ name, role, model }) => [
        name,
        isFigure(role) ? { model: model.trim(), role } : role,
      ]),
    ),
  );
