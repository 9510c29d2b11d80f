import type { Request, RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import type { UsageRow } from '../../store/contracts/requests.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { accountParameter, modelParameters, spanParameters, textParameter } from './query.js';
import { settledStore } from './settled-store.js';

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = 366;

/** What sums can be grouped by, and the fields of a row for each. */
const groupings = {
  day: ['day'],
  model: ['provider', 'model'],
  key: ['keyId'],
  account: ['accountId'],
} as const satisfies Record<string, readonly (keyof UsageRow)[]>;
type Grouping = keyof typeof groupings;

const counts = ['requests', 'errors', 'promptTokens', 'completionTokens', 'costUsd'] as const;
type Sums = Partial<UsageRow> & Record<(typeof counts)[number], number>;

/**
 * `GET /api/v1/usage`: sums over whole UTC days, by default by day and model of the last 30 days.
 * They are stored longer than the requests.
 */
export function readUsage(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const by = groupingsOf(req);
    const { from, to } = daysOf(req);
    const filter = {
      accountId: accountParameter(req, callerOf(res)),
      keyId: textParameter(req, 'key'),
      ...modelParameters(req),
      from,
      to,
    };
    const store = await settledStore(parts);
    sendJson(res, 200, {
      object: 'list',
      from: dayOf(from),
      to: dayOf(to - 1),
      items: summed(await store.requests.usage(filter), by),
    });
  });
}

function groupingsOf(req: Request): Grouping[] {
  const names = (textParameter(req, 'by') ?? 'day,model').split(',').map((name) => name.trim());
  const isGrouping = (name: string): name is Grouping => Object.hasOwn(groupings, name);
  if (!names.every(isGrouping))
    throw invalidField('by', `must be one or more of: ${Object.keys(groupings).join(', ')}`);
  return [...new Set(names)];
}

function daysOf(req: Request): { from: number; to: number } {
  const span = spanParameters(req);
  const to = span.to ?? Math.max(Date.now() + 1, (span.from ?? 0) + 1);
  const from = span.from ?? to - defaultDays * dayMs;
  if (to - from > maxDays * dayMs)
    throw invalidField('from', `must be at most ${maxDays} days before to`);
  return { from, to };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Adds up rows of the same group; keeps the order of the rows. */
function summed(rows: readonly UsageRow[], by: readonly Grouping[]): object[] {
  const fields = by.flatMap((grouping) => groupings[grouping]);
  const sums = new Map<string, Sums>();
  for (const row of rows) {
    const group = Object.fromEntries(fields.map((field) => [field, row[field]]));
    const key = JSON.stringify(group);
    let sum = sums.get(key);
    if (!sum)
      sums.set(
        key,
        (sum = {
          ...group,
          requests: 0,
          errors: 0,
          promptTokens: 0,
          completionTokens: 0,
          costUsd: 0,
        }),
      );
    for (const count of counts) sum[count] += row[count];
  }
  // rounded, because sums of binary fractions have trailing digits
  return [...sums.values()].map((sum) => ({
    ...sum,
    costUsd: Math.round(sum.costUsd * 1e9) / 1e9,
  }));
}
