import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import { requestOf } from './request-of.js';
import { isOwn, type ScaleRow } from './scale-rows.js';

/** Lines whose capitals and marks mean something: code, formulas, data. */
const exact = /[{}[\]=;_\\$<>`|]|\w\(|^(?: {2,}|\t)/m;

const inSmallLetters = (text: string): string => text.toLowerCase();
const withoutMarks = (text: string): string =>
  text.replace(/[,;](?=\s|$)/g, '').replace(/[.?!。？！]+(?=\s*$)/gmu, '');

/**
 * Published everyday prompts in small letters, without commas and closing marks, or both: people
 * type so, and neither the kind nor the difficulty is another one. By turns one of the three for each
 * prompt.
 */
export function writtenOtherwise(rows: readonly ScaleRow[]): ScaleRow[] {
  const everyday = rows.filter(
    ({ family, task, text }) => family === 'everyday' && !isOwn(task) && !exact.test(text),
  );
  return everyday.flatMap((row, at) => {
    const plain = at % 3 === 0 ? row.text : withoutMarks(row.text);
    const text = at % 3 === 1 ? plain : inSmallLetters(plain);
    if (text === row.text) return [];
    return [{ ...row, text, features: featuresOf(requestOf(text)) }];
  });
}
