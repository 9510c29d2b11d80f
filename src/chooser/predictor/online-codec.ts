import { lessonsOfSums } from './earlier-states.js';
import {
  type Cause,
  causes,
  type Lesson,
  nothingLearned,
  type OnlineState,
  type Served,
  type TakenBack,
  unknownKey,
} from './online-state.js';
import { isCount, isTime, rowsOf, type Row } from './stored-rows.js';

const version = 3;
/** The second version stored sums; of the first, only the outcomes are read. */
const versionOfSums = 2,
  firstVersion = 1;
const rounded = (value: number): number => Number(value.toPrecision(6));

/** A state as JSON, to be stored. */
export function encodeOnline({ router, lessons, served, takenBack }: OnlineState): string {
  const models = [...new Set(lessons.map(({ model }) => model))],
    keys = [...new Set([...lessons, ...served].map(({ key }) => key))];
  const placeOfModel = new Map(models.map((model, place) => [model, place])),
    placeOfKey = new Map(keys.map((key, place) => [key, place]));
  return JSON.stringify({
    version,
    router,
    models,
    keys,
    lessons: lessons.map(({ cause, key, subject, model, kinds, predicted, score, weight, at }) => [
      causes.indexOf(cause),
      placeOfKey.get(key),
      subject,
      placeOfModel.get(model),
      rounded(predicted),
      rounded(score),
      rounded(weight),
      at,
      kinds.flatMap(([kind, share]) => [kind, rounded(share)]),
    ]),
    outcomes: served.map(({ name, key, answers, faults, spoilt, at }) => [
      name,
      placeOfKey.get(key),
      rounded(answers),
      rounded(faults),
      rounded(spoilt),
      at,
    ]),
    ...(takenBack.length > 0
      ? { retractions: takenBack.map((one) => [one.from, one.keys, one.model, one.until]) }
      : {}),
  });
}

/** Reads a stored state; a text that cannot be read counts as nothing learned. Never throws. */
export function decodeOnline(text: string | null): OnlineState {
  const stored = read(text);
  if (!stored) return nothingLearned;
  const served = rowsOf(stored['served']).flatMap(servedWithoutKey);
  if (stored['version'] === firstVersion) return { ...nothingLearned, served };
  if (stored['version'] === versionOfSums)
    return { ...nothingLearned, lessons: lessonsOfSums(stored['models']), served };
  if (stored['version'] !== version) return nothingLearned;
  const { router, models, keys, lessons } = stored;
  return {
    router: typeof router === 'string' ? router : null,
    lessons: rowsOf(lessons).flatMap(lessonReader(listOf(models), listOf(keys))),
    served: [...served, ...rowsOf(stored['outcomes']).flatMap(servedReader(listOf(keys)))],
    takenBack: [
      ...takenBackWholly(stored['takenBack']),
      ...rowsOf(stored['retractions']).flatMap(takenBackOf),
    ],
  };
}

/**
 * What becomes of a stored state that another version of the gateway wrote, for the log; null if
 * this version wrote it, or nothing was stored.
 */
export function fateOf(text: string | null): string | null {
  if (text === null) return null;
  const state = read(text),
    stored = state?.['version'];
  if (stored === version)
    return rowsOf(state?.['served']).length > 0
      ? 'its outcomes count without their keys until they fade'
      : null;
  if (stored === versionOfSums)
    return 'its ratings count for all kinds of task alike, without their keys';
  return stored === firstVersion
    ? 'its ratings are dropped, its outcomes are kept'
    : 'it cannot be read and is dropped';
}

function read(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = text === null ? null : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isShare = (value: unknown): value is number => isCount(value) && value <= 1;

function lessonReader(models: readonly unknown[], keys: readonly unknown[]) {
  return ([cause, key, subject, model, predicted, score, weight, at, kinds]: Row): Lesson[] => {
    const name = models[Number(model)],
      keyId = keys[Number(key)];
    const known: Cause | undefined = causes[Number(cause)];
    return typeof name === 'string' &&
      (typeof keyId === 'string' || keyId === null) &&
      known !== undefined &&
      typeof subject === 'string' &&
      isShare(predicted) &&
      isShare(score) &&
      isShare(weight) &&
      isTime(at)
      ? [
          {
            cause: known,
            key: keyId,
            subject,
            model: name,
            predicted,
            score,
            weight,
            at,
            kinds: kindsOf(listOf(kinds)),
          },
        ]
      : [];
  };
}

function kindsOf(flat: readonly unknown[]): [kind: number, share: number][] {
  const kinds: [number, number][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [kind, share] = [flat[at], flat[at + 1]];
    if (Number.isInteger(kind) && isShare(share)) kinds.push([kind as number, share]);
  }
  return kinds;
}

/** What an earlier version counted of all keys together, refused and cut off answers among it. */
function servedWithoutKey([name, answers, faults, at]: Row): Served[] {
  return servedReader([unknownKey])([name, 0, answers, faults, 0, at]);
}

function servedReader(keys: readonly unknown[]) {
  return ([name, key, answers, faults, spoilt, at]: Row): Served[] => {
    const keyId = keys[Number(key)];
    return typeof name === 'string' &&
      (typeof keyId === 'string' || keyId === null) &&
      isCount(answers) &&
      isCount(faults) &&
      isCount(spoilt) &&
      isTime(at)
      ? [{ name, key: keyId, answers, faults, spoilt, at }]
      : [];
  };
}

/** An earlier version kept the last time that was taken back, of all keys and models. */
function takenBackWholly(value: unknown): TakenBack[] {
  const [from, until] = listOf(value);
  return takenBackOf([from, null, null, until]);
}

function takenBackOf([from, keys, model, until]: Row): TakenBack[] {
  return (from === null || isTime(from)) &&
    (keys === null || areTexts(keys)) &&
    (model === null || typeof model === 'string') &&
    isTime(until)
    ? [{ from, keys, model, until }]
    : [];
}

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
