import { answeredJson } from './read-json.js';
import { isObject } from '../../text/is-object.js';

/** A question of a plan, with what to search for. */
export interface PlannedQuestion {
  readonly question: string;
  readonly queries: readonly string[];
}

/** What a check found of one question. */
export interface CheckedQuestion {
  readonly id: number;
  readonly answered: boolean;
  readonly queries: readonly string[];
}

/** A note as a reader wrote it. */
export interface WrittenNote {
  /** Null: it does not say. */
  readonly question: number | null;
  readonly fact: string;
  readonly quote: string;
}

const maxItems = 64;

/** The list in an answer: itself, or the first list that a field has. */
function itemsIn(value: unknown, fields: readonly string[]): unknown[] | null {
  if (Array.isArray(value)) return (value as unknown[]).slice(0, maxItems);
  if (!isObject(value)) return null;
  for (const field of [...fields, ...Object.keys(value)]) {
    const list = value[field];
    if (Array.isArray(list)) return (list as unknown[]).slice(0, maxItems);
  }
  return null;
}

function textIn(item: Record<string, unknown>, fields: readonly string[]): string {
  for (const field of fields) {
    const text = item[field];
    if (typeof text === 'string' && text.trim() !== '') return text.trim();
  }
  return '';
}

function textsIn(item: Record<string, unknown>, fields: readonly string[]): string[] {
  for (const field of fields) {
    const value = item[field];
    if (typeof value === 'string' && value.trim() !== '') return [value.trim()];
    if (Array.isArray(value))
      return (value as unknown[]).slice(0, maxItems).filter((text) => typeof text === 'string');
  }
  return [];
}

function numberIn(item: Record<string, unknown>, fields: readonly string[]): number | null {
  for (const field of fields) {
    const given = item[field];
    const number = typeof given === 'string' ? Number(/\d{1,6}/.exec(given)?.[0] ?? NaN) : given;
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  }
  return null;
}

/** The entries of a list that is written as lines, and lines that ask. */
const listLines = (text: string): string[] =>
  text
    .slice(0, 20_000)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^([-*•]|\(?\d{1,2}[.):])\s+\S/.test(line) || /[?？]$/.test(line))
    .map((line) => line.replace(/^([-*•]|\(?\d{1,2}[.):])\s+/, '').replaceAll('**', ''))
    .slice(0, maxItems);

const queryFields = ['queries', 'searches', 'search_queries', 'query', 'search'];

function plannedQuestion(item: unknown): PlannedQuestion | null {
  if (typeof item === 'string') return { question: item, queries: [] };
  if (!isObject(item)) return null;
  const queries = textsIn(item, queryFields);
  const question = textIn(item, ['question', 'text', 'title', 'q', 'name']) || (queries[0] ?? '');
  return question === '' ? null : { question, queries };
}

/**
 * The questions of a planner's answer: of its JSON, or of its lines.
 * @returns null if there is no plan in it; an empty list is one
 */
export function readPlan(answer: string): PlannedQuestion[] | null {
  const items = itemsIn(answeredJson(answer), ['questions', 'plan', 'sub_questions']);
  const questions = (items ?? []).map(plannedQuestion).filter((question) => question !== null);
  if (items !== null && (questions.length > 0 || items.length === 0)) return questions;
  const lines = listLines(answer).map((question) => ({ question, queries: [] }));
  return lines.length === 0 ? null : lines;
}

/** What a check says. @returns null if there is none in the answer */
export function readCheck(answer: string): CheckedQuestion[] | null {
  const items = itemsIn(answeredJson(answer), ['questions', 'checks', 'results']);
  const checked = (items ?? []).flatMap((item) => {
    if (!isObject(item)) return [];
    const id = numberIn(item, ['id', 'question', 'number']);
    const given = item.answered ?? item.complete;
    const answered = given === true || given === 'true' || given === 'yes';
    return id === null ? [] : [{ id, answered, queries: textsIn(item, queryFields) }];
  });
  return checked.length === 0 ? null : checked;
}

function writtenNote(item: unknown): WrittenNote | null {
  if (typeof item === 'string') return noteOfLine(item);
  if (!isObject(item)) return null;
  const fact = textIn(item, ['fact', 'note', 'text', 'claim', 'statement']);
  const quote = textIn(item, ['quote', 'evidence', 'quotation', 'excerpt']);
  const question = numberIn(item, ['question', 'id', 'question_id']);
  return fact === '' && quote === '' ? null : { question, fact: fact || quote, quote };
}

function noteOfLine(line: string): WrittenNote {
  const quote = /["“”„«]([^"“”„«»]{8,400})["“”»]/.exec(line)?.[1] ?? '';
  return { question: null, fact: line, quote };
}

/** A reader's notes: of its JSON, or of its lines. */
export function readNotes(answer: string): WrittenNote[] {
  const items = itemsIn(answeredJson(answer), ['notes', 'facts']);
  if (items !== null) return items.map(writtenNote).filter((note) => note !== null);
  return listLines(answer).map(noteOfLine);
}

/** Which sources support which claim. */
export function readSupport(answer: string): Map<number, number[]> {
  const support = new Map<number, number[]>();
  for (const item of itemsIn(answeredJson(answer), ['claims', 'support']) ?? []) {
    if (!isObject(item)) continue;
    const claim = numberIn(item, ['claim', 'id', 'number']);
    const given = item.sources ?? item.source;
    const list: unknown[] = Array.isArray(given) ? given : [given];
    const sources = list.filter((id) => typeof id === 'number' && Number.isSafeInteger(id));
    if (claim !== null && sources.length > 0) support.set(claim, sources.slice(0, 3) as number[]);
  }
  return support;
}
