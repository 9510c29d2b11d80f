import { roundTicks } from '../../format/numbers.js';
import { durationSteps } from '../../format/times.js';
import type { RequestDetails } from '../../api/schema.js';

/** One upstream call, as the API tells it. */
export type TimedAttempt = NonNullable<RequestDetails['attempts']>[number];

export type PhaseName = 'wait' | 'connect' | 'provider' | 'thinking' | 'answer';

/** A part of an attempt, in ms from the request's arrival. */
export interface Phase {
  readonly name: PhaseName;
  readonly from: number;
  readonly to: number;
}

/** An attempt with its phases. */
export interface Lane {
  readonly attempt: TimedAttempt;
  /** Which call of a model it belongs to, from 1: tools and research make several in one request. */
  readonly call: number;
  readonly phases: readonly Phase[];
  readonly start: number;
  readonly end: number;
}

/** The attempts as lanes of one time axis; one after the other where their starts are not kept. */
export function lanesOf(attempts: readonly TimedAttempt[]): Lane[] {
  let after = 0;
  let call = 1;
  return attempts.map((attempt, index) => {
    const start = attempt.startMs ?? after;
    // nothing is tried again once it was answered
    if (attempts[index - 1]?.outcome === 'ok') call++;
    const lane = {
      attempt,
      call,
      start,
      end: start + attempt.latencyMs,
      phases: phasesOf(attempt, start),
    };
    after = lane.end;
    return lane;
  });
}

function phasesOf(attempt: TimedAttempt, start: number): Phase[] {
  const { waitMs = 0, sentMs, headersMs, firstContentMs, latencyMs } = attempt;
  const phases: Phase[] = [];
  let at = start;
  const add = (name: PhaseName, to: number): void => {
    const end = Math.min(Math.max(to, at), start + latencyMs);
    if (end > at) phases.push({ name, from: at, to: end });
    at = Math.max(at, end);
  };
  if (waitMs > 0) phases.push({ name: 'wait', from: Math.max(0, start - waitMs), to: start });
  if (typeof sentMs === 'number') add('connect', start + sentMs);
  if (typeof headersMs === 'number') add('provider', start + headersMs);
  if (firstContentMs !== null)
    add(typeof headersMs === 'number' ? 'thinking' : 'provider', start + firstContentMs);
  add(firstContentMs === null ? 'provider' : 'answer', start + latencyMs);
  return phases;
}

/** Attempts one after the other that differ in their times, and ids in their texts, alone, in one row. */
export function equalLanes(lanes: readonly Lane[]): Lane[][] {
  const groups: Lane[][] = [];
  for (const lane of lanes) {
    const last = groups.at(-1);
    if (last?.[0] && alike(last[0]) === alike(lane)) last.push(lane);
    else groups.push([lane]);
  }
  return groups;
}

const alike = ({ call, attempt: { provider, model, outcome, status, error } }: Lane): string =>
  JSON.stringify([call, provider, model, outcome, status, error?.replace(/\S*\d\S*/g, '#')]);

/** Round times in ms from 0 to the end of the request and of its last attempt, or soon after it. */
export function axisTicks(lanes: readonly Lane[], latencyMs: number, most = 5): number[] {
  const end = Math.max(1, latencyMs, ...lanes.map((lane) => lane.end));
  return roundTicks(end, most, durationSteps);
}
