import { asList, type Json } from '../../text/is-object.js';
import { jsonFields, parsedJson } from '../../text/json-values.js';
import {
  type EvidenceRow,
  type LearnedState,
  nothingLearned,
  outcomeRow,
  rowsOf,
  type TakenBack,
} from './evidence.js';

const version = 3;
/** The place of ratings among the sources of an earlier version, whose other sources are gone. */
const ratingSource = 0;
const rounded = (value: number): number => Number(value.toPrecision(6));

/** A state as JSON, to be stored. Replicas of the version before read it too. */
export function encodeEvidence(state: LearnedState): string {
  const { router, rows, takenBack } = state;
  const ratings = rowsOf(state, 'rating');
  const models = [...new Set(ratings.map(({ model }) => model))],
    keys = [...new Set(rows.map(({ key }) => key))];
  const placeOfModel = new Map(models.map((model, place) => [model, place])),
    placeOfKey = new Map(keys.map((key, place) => [key, place]));
  return JSON.stringify({
    version,
    router,
    models,
    keys,
    lessons: ratings.map(({ key, subject, model, kinds, predicted, score, weight, at }) => [
      ratingSource,
      placeOfKey.get(key),
      subject,
      placeOfModel.get(model),
      rounded(predicted),
      rounded(score),
      rounded(weight),
      at,
      kinds.flatMap(([kind, share]) => [kind, rounded(share)]),
    ]),
    outcomes: rowsOf(state, 'outcome').map(({ model, key, weight, score, at }) => [
      model,
      placeOfKey.get(key),
      rounded(weight),
      rounded(weight * (1 - score)),
      0,
      at,
    ]),
    ...(takenBack.length > 0 && {
      retractions: takenBack.map((one) => [one.from, one.keys, one.model, one.until]),
    }),
  });
}

/** Reads a stored state; a text that cannot be read counts as nothing learned. Never throws. */
export function decodeEvidence(text: string | null): LearnedState {
  const stored = read(text);
  if (stored['version'] !== version) return nothingLearned;
  const { router, models, keys, lessons, outcomes, retractions } = stored;
  return {
    router: typeof router === 'string' ? router : null,
    rows: [
      ...arraysIn(lessons).flatMap(ratingReader(asList(models), asList(keys))),
      ...arraysIn(outcomes).flatMap(outcomeReader(asList(keys))),
    ],
    takenBack: arraysIn(retractions).flatMap(takenBackOf),
  };
}

/**
 * What becomes of a stored state that an earlier version of the gateway wrote, for the log; null if
 * all of it is used, or nothing was stored.
 */
export function fateOf(text: string | null): string | null {
  if (text === null) return null;
  const stored = read(text);
  if (stored['version'] !== version) return 'it cannot be read and is dropped';
  return arraysIn(stored['lessons']).some(([source]) => source !== ratingSource)
    ? 'what came of signals without a rating is dropped'
    : null;
}

const read = (text: string | null): Json => jsonFields(text === null ? null : parsedJson(text));

/** An element of a stored value, which may hold anything. */
type Stored = readonly unknown[];

const arraysIn = (value: unknown): Stored[] =>
  asList(value).filter((one): one is Stored => Array.isArray(one));
const isTime = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < Infinity;
const isShare = (value: unknown): value is number => isCount(value) && value <= 1;

function ratingReader(models: readonly unknown[], keys: readonly unknown[]) {
  return (stored: Stored): EvidenceRow[] => {
    const [source, keyPlace, subject, modelPlace, predicted, score, weight, at, kinds] = stored;
    const model = models[Number(modelPlace)],
      key = keys[Number(keyPlace)];
    return source === ratingSource &&
      typeof model === 'string' &&
      isKey(key) &&
      typeof subject === 'string' &&
      isShare(predicted) &&
      isShare(score) &&
      isShare(weight) &&
      isTime(at)
      ? [
          {
            ...{ source: 'rating', key, subject, model, predicted, score, weight, at },
            kinds: kindsOf(asList(kinds)),
          },
        ]
      : [];
  };
}

const isKey = (value: unknown): value is string | null =>
  typeof value === 'string' || value === null;

function kindsOf(flat: readonly unknown[]): [kind: number, share: number][] {
  const kinds: [number, number][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [kind, share] = [flat[at], flat[at + 1]];
    if (Number.isInteger(kind) && isShare(share)) kinds.push([kind as number, share]);
  }
  return kinds;
}

function outcomeReader(keys: readonly unknown[]) {
  return ([model, keyPlace, answers, faults, spoilt, at]: Stored): EvidenceRow[] => {
    const key = keys[Number(keyPlace)];
    if (typeof model !== 'string' || !isKey(key) || !isTime(at)) return [];
    if (!isCount(answers) || !isCount(faults) || !isCount(spoilt) || answers === 0) return [];
    const score = Math.max(0, 1 - (faults + spoilt) / answers);
    return [outcomeRow({ model, key, score, weight: answers, at })];
  };
}

const takenBackOf = ([from, keys, model, until]: Stored): TakenBack[] =>
  (from === null || isTime(from)) &&
  (keys === null || areTexts(keys)) &&
  (model === null || typeof model === 'string') &&
  isTime(until)
    ? [{ from, keys, model, until }]
    : [];

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
