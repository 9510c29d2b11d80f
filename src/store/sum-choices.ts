import { type ChosenSums, type NewChoice, weighedFigures } from './contracts/choices.js';

/** A choice, whose it was and when. */
export interface Chosen {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly at: number;
  readonly choice: NewChoice;
}

/** How many figures each candidate has: see `ChosenSums`. */
const summedFigures = 15;

/** The key of the sums to which a choice is added. @param day UTC, `YYYY-MM-DD` */
export const keyOfChoice = (
  { accountId, keyId }: Omit<Chosen, 'choice'>,
  { preferenceId, measured, names, chosen }: NewChoice,
  day: string,
): string =>
  `${day}\n${accountId}\n${keyId ?? ''}\n${preferenceId ?? ''}\n${measured ? 1 : 0}\n${names[chosen] ?? ''}`;

/**
 * Adds a choice to sums of the same key, which it changes and returns; makes new ones where there are
 * none.
 * @param sign -1: the choice is taken away
 */
export function withChoice(
  sums: ChosenSums | undefined,
  whose: Omit<Chosen, 'choice'>,
  choice: NewChoice,
  day: string,
  sign: 1 | -1,
): ChosenSums {
  const all: ChosenSums = sums ?? {
    day,
    accountId: whose.accountId,
    keyId: whose.keyId ?? '',
    preferenceId: choice.preferenceId ?? '',
    isMeasured: choice.measured !== null,
    chosen: choice.names[choice.chosen] ?? '',
    candidates: new Map(),
  };
  const { names } = choice;
  for (let place = 0; place < names.length; place++) {
    const name = names[place]!;
    let own = all.candidates.get(name);
    if (!own) all.candidates.set(name, (own = new Float64Array(summedFigures)));
    addFigures(own, choice, place, sign);
  }
  return all;
}

/** Adds newer sums of the same key to older ones, which it changes and returns. */
export function addSums(older: ChosenSums, newer: ChosenSums): ChosenSums {
  for (const [candidate, figures] of newer.candidates) {
    const sums = older.candidates.get(candidate);
    if (!sums) older.candidates.set(candidate, figures);
    else for (let at = 0; at < figures.length; at++) sums[at]! += figures[at]!;
  }
  return older;
}

/** In place, because a new array for each candidate of each choice takes longer than its sums. */
function addFigures(
  sums: Float64Array,
  { figures, chosen, measured }: NewChoice,
  place: number,
  sign: 1 | -1,
): void {
  const from = place * weighedFigures;
  const own = chosen * weighedFigures;
  const quality = figures[from]!;
  const prompt = figures[from + 2]!;
  const answer = figures[from + 3]!;
  const chosenQuality = figures[own]!;
  const paid = measured ? (measured.costUsd ?? NaN) : figures[own + 2]! + figures[own + 3]!;
  const isOwn = place === chosen;
  const isPriced = Number.isFinite(paid) && (isOwn || Number.isFinite(prompt + answer));
  sums[0]! += sign;
  sums[1]! += sign * quality;
  sums[2]! += sign * figures[from + 1]!;
  sums[3]! += sign * chosenQuality;
  sums[4]! += sign * figures[own + 1]!;
  if (!isOwn) sums[5]! += sign * (varianceOf(quality) + varianceOf(chosenQuality));
  if (measured) {
    sums[13]! += sign * measured.tokens;
    sums[14]! += sign * measured.expectedTokens;
  }
  if (!isPriced) return;
  sums[6]! += sign;
  sums[7]! += sign * finite(prompt);
  sums[8]! += sign * finite(answer);
  sums[9]! += sign * finite(answer ** 2);
  if (measured) sums[10]! += sign * paid;
  else {
    sums[11]! += sign * figures[own + 2]!;
    sums[12]! += sign * figures[own + 3]!;
  }
}

const finite = (usd: number): number => (Number.isFinite(usd) ? usd : 0);

/** Of an answer that is good or bad. */
const varianceOf = (quality: number): number => quality * (1 - quality);
